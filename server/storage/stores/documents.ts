import type { Database } from '../database.ts';
import type { Documents } from '../ports.ts';
import { lockAccount } from './account-lock.ts';
import { createDocumentClaims } from './document-claims.ts';
import { createDocumentParts, deleteParts } from './document-parts.ts';
import { toQueuedRow, toStoredDocument } from './document-rows.ts';

/**
 * Documents from their upload to their download. Whatever changes a document locks its row before it
 * touches the parts, so that no part is left behind by those who do so at the same time.
 */
export function createDocuments(db: Database): Documents {
  return {
    ...createDocumentParts(db),
    ...createDocumentClaims(db),

    async submit(document, maxDocuments) {
      await lockAccount(db, document.accountId);
      if ((await countDocuments(db, document.accountId)) >= maxDocuments) return false;
      await db.insertInto('documents').values(toQueuedRow(document)).execute();
      return true;
    },

    async find(accountId, documentId) {
      const row = await db
        .selectFrom('documents')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('document_id', '=', documentId)
        .executeTakeFirst();
      return row && toStoredDocument(row);
    },

    async delete(documentId) {
      await db.deleteFrom('documents').where('document_id', '=', documentId).execute();
      await deleteParts(db, [documentId]);
    },

    async beginDownload(documentId, { atMs, leaseMs }) {
      const { numUpdatedRows } = await db
        .updateTable('documents')
        .set({ download_until_ms: atMs + leaseMs })
        .where('document_id', '=', documentId)
        .where('status', '=', 'done')
        .where((eb) =>
          eb.or([eb('download_until_ms', 'is', null), eb('download_until_ms', '<=', atMs)]),
        )
        .executeTakeFirst();
      return numUpdatedRows > 0;
    },

    async renewDownload(documentId, untilMs) {
      await db
        .updateTable('documents')
        .set({ download_until_ms: untilMs })
        .where('document_id', '=', documentId)
        .execute();
    },

    async giveBackDownload(documentId) {
      await db
        .updateTable('documents')
        .set({ download_until_ms: null })
        .where('document_id', '=', documentId)
        .execute();
    },

    async expire({ settled, uploads }) {
      await expireSettled(db, settled);
      await expireUploads(db, uploads);
      await db
        .deleteFrom('document_turns')
        .where('account_id', 'not in', (eb) => eb.selectFrom('documents').select('account_id'))
        .execute();
    },
  };
}

/** What failed is nothing that could be downloaded. */
async function countDocuments(db: Database, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('documents')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('status', '!=', 'error')
    .executeTakeFirstOrThrow();
  return count;
}

/** What is settled, but for results that are being downloaded. */
async function expireSettled(db: Database, beforeMs: number): Promise<void> {
  const expired = await db
    .deleteFrom('documents')
    .where('status', 'in', ['done', 'error'])
    .where('settled_at_ms', '<', beforeMs)
    .where((eb) =>
      eb.or([eb('download_until_ms', 'is', null), eb('download_until_ms', '<', beforeMs)]),
    )
    .returning('document_id')
    .execute();
  await deleteParts(
    db,
    expired.map(({ document_id }) => document_id),
  );
}

/** Parts without a document, of which none is new; one that is still being uploaded goes on growing. */
async function expireUploads(db: Database, beforeMs: number): Promise<void> {
  await db
    .deleteFrom('document_parts')
    .where('document_id', 'in', (eb) =>
      eb
        .selectFrom('document_parts as part')
        .select('part.document_id')
        .where((orphan) =>
          orphan.not(
            orphan.exists(
              orphan
                .selectFrom('documents')
                .select('documents.document_id')
                .whereRef('documents.document_id', '=', 'part.document_id'),
            ),
          ),
        )
        .groupBy('part.document_id')
        .having(({ fn }) => fn.max('part.at_ms'), '<', beforeMs),
    )
    .execute();
}
