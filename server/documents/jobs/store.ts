import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { lockAccount, type Database, type Tables } from '../../storage/database.ts';
import { defineStore } from '../../storage/store.ts';
import { createDocumentClaims, type DocumentClaims } from './document-claims-store.ts';
import {
  type NewDocument,
  type StoredDocument,
  createDocumentParts,
  deleteParts,
  type DocumentParts,
  type LastPart,
  putPart,
  toQueuedRow,
  toStoredDocument,
} from './document-tables-store.ts';

/** Documents and their jobs; the table is the truth, whoever is rung up besides. */
export interface DocumentStore extends DocumentParts, DocumentClaims {
  /**
   * Queues an uploaded document.
   *
   * @param lastPart of its file, when all before it are kept
   * @returns false when the account has `maxDocuments` already; its parts are still to be deleted
   */
  submit(document: NewDocument, maxDocuments: number, lastPart: LastPart): Promise<boolean>;
  /** Whether an account has so many documents that none is accepted. */
  isFull(accountId: string, maxDocuments: number): Promise<boolean>;
  find(accountId: string, documentId: string): Promise<StoredDocument | undefined>;
  /** Deletes a document, or an upload that was given up, with all its parts. */
  delete(documentId: string): Promise<void>;
  /**
   * Takes a result for download: of any number of callers one gets it, until `leaseMs` have gone by
   * without the document being deleted or given back.
   */
  beginDownload(documentId: string, lease: { atMs: number; leaseMs: number }): Promise<boolean>;
  /** The download goes on. */
  renewDownload(documentId: string, untilMs: number): Promise<void>;
  /** The download broke off: it may be tried again. */
  giveBackDownload(documentId: string): Promise<void>;
  /**
   * Deletes what is `done` or `error` since before, and parts of uploads that old that never ended: one
   * document at a call, so that no other writer waits for all of them.
   *
   * @returns whether there was one
   */
  expire(beforeMs: { settled: number; uploads: number }): Promise<boolean>;
}

/**
 * Documents from their upload to their download. Whatever changes a document locks its row before it
 * touches the parts, so that no part is left behind by those who do so at the same time.
 */
export const documentStore = defineStore<DocumentStore>({
  over: createDocuments,
  reads: ['readPart', 'find', 'hasOpen', 'isFull'],
});

function createDocuments(db: Database): DocumentStore {
  return {
    ...createDocumentParts(db),
    ...createDocumentClaims(db),

    async submit(document, maxDocuments, lastPart) {
      const { accountId, documentId, createdAtMs: atMs } = document;
      await putPart(db, { documentId, file: 'source', ...lastPart, atMs });
      await lockAccount(db, accountId);
      if ((await countDocuments(db, accountId)) >= maxDocuments) return false;
      await db.insertInto('documents').values(toQueuedRow(document)).execute();
      return true;
    },

    async isFull(accountId, maxDocuments) {
      return (await countDocuments(db, accountId)) >= maxDocuments;
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

function createExpiry(db: Database): DocumentStore['expire'] {
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
