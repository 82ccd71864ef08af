import type { Charge } from '../../accounts/usage/store.ts';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { defineStore } from '../../storage/store.ts';
import type { Tables } from '../../storage/database.ts';
import { lockAccount } from '../../storage/account-lock.ts';
import { createDocumentClaims } from './document-claims-store.ts';
import { createDocumentParts, deleteParts } from './document-parts-store.ts';
import { toQueuedRow, toStoredDocument } from './document-rows-store.ts';

/** The bytes kept of a document: what was uploaded, what a worker has translated so far, the result. */
export type DocumentFile = 'source' | 'progress' | 'result';

/** A document whose upload is complete. */
export interface NewDocument {
  /** 32 upper-case hex digits. */
  documentId: string;
  accountId: string;
  /** The API key it was sent with, which is charged. */
  keyId: string;
  /** SHA-256 of the document key, 64 hex digits. */
  documentKeyHash: string;
  fileName: string;
  /** What the worker needs to know, as JSON: languages, formats, wishes. */
  order: string;
  /** Custom reporting tag. */
  tag: string | null;
  sizeBytes: number;
  createdAtMs: number;
}

export type DocumentStatus = 'queued' | 'translating' | 'done' | 'error';

/** A document as its owner sees it, and what it takes to let only the owner see it. */
export interface StoredDocument extends NewDocument {
  status: DocumentStatus;
  /** When the translation will probably be done; null unless translating. */
  finishAtMs: number | null;
  /** Code points, once done. */
  billedCharacters: number | null;
  /** What went wrong, for its owner; null unless `error`. */
  problem: string | null;
}

/** A document that a worker has taken; the claim is its right to go on with it. */
export interface ClaimedDocument extends NewDocument {
  claimId: string;
  /** How often it has been taken since progress was last kept of it, this time included. */
  attempt: number;
}

/** Documents and their jobs; the table is the truth, whoever is rung up besides. */
export interface DocumentStore {
  /**
   * Keeps a part of a file, in order from place 0; the same place again is written over. Parts of
   * uploads that are never submitted expire. Progress has a document's attempts counted anew.
   *
   * @param part.bytes must not change until this is answered
   * @param claimId of the worker that writes `progress` or `result`; null for `source`
   * @returns false when the claim is lost
   */
  addPart(
    part: {
      documentId: string;
      file: DocumentFile;
      place: number;
      bytes: Uint8Array;
      atMs: number;
    },
    claimId: string | null,
  ): Promise<boolean>;
  /** One part of a file; undefined after the last. */
  readPart(documentId: string, file: DocumentFile, place: number): Promise<Uint8Array | undefined>;
  /** Queues an uploaded document. @returns false when the account has `maxDocuments` already */
  submit(document: NewDocument, maxDocuments: number): Promise<boolean>;
  find(accountId: string, documentId: string): Promise<StoredDocument | undefined>;
  /** Deletes a document, or an upload that was given up, with all its parts. */
  delete(documentId: string): Promise<void>;

  /**
   * Takes the document that is next: queued, or translating with a worker that was not heard of
   * since `staleBeforeMs`. Accounts take turns, an account's documents go by age. One that was taken
   * `maxAttempts` times becomes an error instead. Of any number of callers, one gets it; what the
   * one before wrote of its result is gone.
   */
  claim(wish: {
    claimId: string;
    /** Names the worker in {@link DocumentStore.abandon}. */
    workerId: string;
    atMs: number;
    staleBeforeMs: number;
    maxAttempts: number;
    /** Told to the owner of a document that has been tried often enough. */
    exhausted: string;
  }): Promise<ClaimedDocument | undefined>;
  /**
   * Tells that a worker is at it, and when it will probably be done (null: as before). What was told
   * of that gets no later until it has passed.
   *
   * @returns false when the claim is lost
   */
  beat(
    documentId: string,
    claimId: string,
    beat: { atMs: number; finishAtMs: number | null },
  ): Promise<boolean>;
  /**
   * Charges for a document and makes it `done`, in one step: never one without the other, never
   * twice. Its source and progress are deleted. Without room within the limits it becomes an error
   * with `problem`. Asked again with the same claim, it answers the same.
   *
   * @throws ServiceError not_found when the account has no such key
   */
  finish(
    documentId: string,
    claimId: string,
    result: { charge: Charge; problem: string; atMs: number },
  ): Promise<'done' | 'lost' | 'quota_exceeded'>;
  /** Makes a document an `error`; its files are deleted. @returns false when the claim is lost */
  fail(
    documentId: string,
    claimId: string,
    failure: { problem: string; atMs: number },
  ): Promise<boolean>;
  /**
   * Puts a document back into the queue.
   *
   * @param options.countsAttempt false: its worker stops, which is no fault of the document
   * @param options.notBeforeMs nobody gets it earlier
   * @returns false when the claim is lost
   */
  release(
    documentId: string,
    claimId: string,
    options: { countsAttempt: boolean; notBeforeMs?: number },
  ): Promise<boolean>;
  /** Puts back all that a worker had which ended without a word. @returns whether there was any */
  abandon(workerId: string): Promise<boolean>;
  /** Whether a document waits, or is being translated by anybody. */
  hasOpen(): Promise<boolean>;

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

export interface DocumentsTable {
  document_id: string;
  account_id: string;
  key_id: string;
  /** SHA-256 of the document key in hex. */
  document_key_hash: string;
  file_name: string;
  /** What the worker needs to know. */
  order_json: string;
  tag: string | null;
  size_bytes: number;
  created_at_ms: number;
  status: DocumentStatus;
  /** How often it was taken since it last got on. */
  attempt: number;
  /** A queued document waits until then. */
  not_before_ms: number;
  /** Of the worker that has it, or had it last; null while queued. */
  claim_id: string | null;
  worker_id: string | null;
  beat_at_ms: number | null;
  /** As last told to the owner; kept when the document goes back into the queue. */
  finish_at_ms: number | null;
  billed_characters: number | null;
  problem: string | null;
  /** When it became `done` or `error`. */
  settled_at_ms: number | null;
  /** Until when nobody else gets the result. */
  download_until_ms: number | null;
}

export interface DocumentPartsTable {
  document_id: string;
  file: DocumentFile;
  /** 0, 1, 2… in a file. */
  place: number;
  at_ms: number;
  bytes: Uint8Array;
}

/** Accounts whose documents were taken: the smallest number is served first. */
export interface DocumentTurnsTable {
  account_id: string;
  turn: number;
}

declare module '../../storage/database.ts' {
  interface Tables {
    documents: DocumentsTable;
    document_parts: DocumentPartsTable;
    document_turns: DocumentTurnsTable;
  }
}

/**
 * Documents from their upload to their download. Whatever changes a document locks its row before it
 * touches the parts, so that no part is left behind by those who do so at the same time.
 */
export const documentStore = defineStore<DocumentStore>({
  over: createDocuments,
  reads: ['readPart', 'find', 'hasOpen'],
});

function createDocuments(db: Database): DocumentStore {
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
