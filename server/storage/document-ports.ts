/** What is asked of storage about documents; part of `ports.ts`, from where it is imported. */
import type { Charge } from './ports.ts';

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
export interface Documents {
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
    /** Names the worker in {@link Documents.abandon}. */
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
