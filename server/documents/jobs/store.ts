/** Store of documents: their rows, the parts of their files, and their jobs. */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { countOf, lockAccount, type Database, type Tables } from '../../storage/database.ts';
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

/**
 * Documents and their jobs. The table is the source of truth; ringing a worker only makes
 * it check sooner.
 */
export interface DocumentStore extends DocumentParts, DocumentClaims {
  /**
   * Queues an uploaded document.
   *
   * @param lastPart last part of its file; all earlier parts must have been saved
   * @returns false when the account already has `maxDocuments`; the caller must then delete the parts
   */
  submit(document: NewDocument, maxDocuments: number, lastPart: LastPart): Promise<boolean>;
  /** Whether an account already has `maxDocuments` documents. */
  isFull(accountId: string, maxDocuments: number): Promise<boolean>;
  find(accountId: string, documentId: string): Promise<StoredDocument | undefined>;
  /** Deletes a document, or an abandoned upload, with all its parts. */
  delete(documentId: string): Promise<void>;
  /**
   * Leases a result for download. Exactly one of several concurrent callers gets it; after
   * `leaseMs`, or when the lease is given back, it can be leased again.
   */
  beginDownload(documentId: string, lease: { atMs: number; leaseMs: number }): Promise<boolean>;
  /** Extends the lease of a download. */
  renewDownload(documentId: string, untilMs: number): Promise<void>;
  /** Ends the lease of a broken download, so that it can be retried. */
  giveBackDownload(documentId: string): Promise<void>;
  /**
   * Deletes one document that became `done` or `error` before `settled`, or the parts of one upload
   * without activity since `uploads`. One per call, so that other writers wait only briefly.
   *
   * @returns whether there was one
   */
  expire(beforeMs: { settled: number; uploads: number }): Promise<boolean>;
}

/**
 * Documents from upload to download. Every transaction that changes a document locks its row before
 * it touches the parts, so that concurrent changes leave no part behind.
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

/** Counts an account's documents; failed ones are not counted, as they have no result to download. */
async function countDocuments(db: Database, accountId: string): Promise<number> {
  const own = db.selectFrom('documents').where('account_id', '=', accountId);
  return countOf(own.where('status', '!=', 'error'));
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

/** Deletes the row of one expired document, but not its parts. @returns its id */
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
    // Checked again once the row is locked: a download may have begun.
    .where((eb) => isExpired(eb, beforeMs))
    .returning('document_id')
    .executeTakeFirst();
  return expired?.document_id;
}

/** Condition for settled documents that are not being downloaded. */
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

/** Finds parts without a document of which none is recent; an upload in progress keeps adding parts. */
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
