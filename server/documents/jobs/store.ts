import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { Documents } from '../../storage/ports.ts';
import type { Tables } from '../../storage/tables.ts';
import { lockAccount } from '../../storage/account-lock.ts';
import { createDocumentClaims } from './document-claims-store.ts';
import { createDocumentParts, deleteParts } from './document-parts-store.ts';
import { toQueuedRow, toStoredDocument } from './document-rows-store.ts';

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

    expire: createExpiry(db),
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

function createExpiry(db: Database): Documents['expire'] {
  return async ({ settled, uploads }) => {
    const documentId =
      (await deleteSettled(db, settled)) ?? (await findAbandonedUpload(db, uploads));
    if (documentId !== undefined) {
      await deleteParts(db, [documentId]);
      return true;
    }
    await db
      .deleteFrom('document_turns')
      .where('account_id', 'not in', (eb) => eb.selectFrom('documents').select('account_id'))
      .execute();
    return false;
  };
}

/** Deletes one that is settled but for its parts. @returns its id */
async function deleteSettled(db: Database, beforeMs: number): Promise<string | undefined> {
  const expired = await db
    .deleteFrom('documents')
    .where('document_id', '=', (eb) =>
      eb
        .selectFrom('documents')
        .select('documents.document_id')
        .where((settled) => isExpired(settled, beforeMs))
        .limit(1),
    )
    // Again, once its row is locked: somebody may have begun to download it.
    .where((eb) => isExpired(eb, beforeMs))
    .returning('document_id')
    .executeTakeFirst();
  return expired?.document_id;
}

/** What is settled, but for results that are being downloaded. */
function isExpired(
  eb: ExpressionBuilder<Tables, 'documents'>,
  beforeMs: number,
): Expression<SqlBool> {
  return eb.and([
    eb('documents.status', 'in', ['done', 'error']),
    eb('documents.settled_at_ms', '<', beforeMs),
    eb.or([
      eb('documents.download_until_ms', 'is', null),
      eb('documents.download_until_ms', '<', beforeMs),
    ]),
  ]);
}

/** Parts without a document, of which none is new; one that is still being uploaded goes on growing. */
async function findAbandonedUpload(db: Database, beforeMs: number): Promise<string | undefined> {
  const abandoned = await db
    .selectFrom('document_parts as part')
    .select('part.document_id')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('documents')
            .select('documents.document_id')
            .whereRef('documents.document_id', '=', 'part.document_id'),
        ),
      ),
    )
    .groupBy('part.document_id')
    .having(({ fn }) => fn.max('part.at_ms'), '<', beforeMs)
    .limit(1)
    .executeTakeFirst();
  return abandoned?.document_id;
}
