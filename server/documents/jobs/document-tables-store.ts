/** Tables of documents: one row for each document, and one for each part of its files. */
import type { Selectable } from 'kysely';
import { locksRows, type Database } from '../../storage/database.ts';

/** A document whose upload is complete. */
export interface NewDocument {
  /** 32 upper-case hex digits. */
  documentId: string;
  accountId: string;
  /** API key of the upload, which is charged. */
  keyId: string;
  /** SHA-256 of the document key, 64 hex digits. */
  documentKeyHash: string;
  fileName: string;
  /** The {@link DocumentWish} for the worker, as JSON. */
  order: string;
  tag: string | null;
  sizeBytes: number;
  createdAtMs: number;
}

type DocumentStatus = 'queued' | 'translating' | 'done' | 'error';

/** A document as its owner sees it, with the hash that proves ownership. */
export interface StoredDocument extends NewDocument {
  status: DocumentStatus;
  /** Estimated end of the translation, in ms since the epoch; null unless translating. */
  finishAtMs: number | null;
  /** Unicode code points; null until done. */
  billedCharacters: number | null;
  /** Error message for the owner; null unless `error`. */
  problem: string | null;
}

export interface DocumentsTable {
  document_id: string;
  account_id: string;
  key_id: string;
  /** SHA-256 of the document key in hex. */
  document_key_hash: string;
  file_name: string;
  /** The order for the worker. */
  order_json: string;
  tag: string | null;
  size_bytes: number;
  created_at_ms: number;
  status: DocumentStatus;
  /** Number of claims since progress was last saved. */
  attempt: number;
  /** Earliest time at which a queued document may be claimed. */
  not_before_ms: number;
  /** Claim of the current or last worker; null while queued. */
  claim_id: string | null;
  worker_id: string | null;
  beat_at_ms: number | null;
  /** Last estimate that the owner was given; kept when the document goes back into the queue. */
  finish_at_ms: number | null;
  billed_characters: number | null;
  problem: string | null;
  /** When the document became `done` or `error`. */
  settled_at_ms: number | null;
  /** End of the download lease: until then, no other download of the result may begin. */
  download_until_ms: number | null;
}

/** Files of a document: the upload, the sentences translated so far, the result. */
export type DocumentFile = 'source' | 'progress' | 'result';

export interface DocumentPartsTable {
  document_id: string;
  file: DocumentFile;
  /** Index of the part in its file, from 0. */
  place: number;
  at_ms: number;
  bytes: Uint8Array;
}

declare module '../../storage/database.ts' {
  interface Tables {
    documents: DocumentsTable;
    document_parts: DocumentPartsTable;
  }
}

export function toNewDocument(row: Selectable<DocumentsTable>): NewDocument {
  return {
    documentId: row.document_id,
    accountId: row.account_id,
    keyId: row.key_id,
    documentKeyHash: row.document_key_hash,
    fileName: row.file_name,
    order: row.order_json,
    tag: row.tag,
    sizeBytes: row.size_bytes,
    createdAtMs: row.created_at_ms,
  };
}

export function toStoredDocument(row: Selectable<DocumentsTable>): StoredDocument {
  return {
    ...toNewDocument(row),
    status: row.status,
    finishAtMs: row.status === 'translating' ? row.finish_at_ms : null,
    billedCharacters: row.billed_characters,
    problem: row.problem,
  };
}

/** Returns the row of a newly uploaded document. */
export function toQueuedRow(document: NewDocument): DocumentsTable {
  return {
    document_id: document.documentId,
    account_id: document.accountId,
    key_id: document.keyId,
    document_key_hash: document.documentKeyHash,
    file_name: document.fileName,
    order_json: document.order,
    tag: document.tag,
    size_bytes: document.sizeBytes,
    created_at_ms: document.createdAtMs,
    status: 'queued',
    attempt: 0,
    not_before_ms: 0,
    claim_id: null,
    worker_id: null,
    beat_at_ms: null,
    finish_at_ms: null,
    billed_characters: null,
    problem: null,
    settled_at_ms: null,
    download_until_ms: null,
  };
}

// Parts of files.

export interface DocumentPart {
  documentId: string;
  file: DocumentFile;
  place: number;
  /** Must not change until the part is saved. */
  bytes: Uint8Array;
  atMs: number;
}

/** Last part of a file, saved in the transaction that completes the file. */
export type LastPart = Pick<DocumentPart, 'place' | 'bytes'>;

export interface DocumentParts {
  /**
   * Saves a part of a file. Parts come in order, from place 0; a repeated place is overwritten. Parts
   * of uploads that are never submitted expire. Saving `progress` resets the document's attempts.
   *
   * @param claimId claim of the worker that writes `progress` or `result`; null for `source`
   * @returns false when the claim is lost
   */
  addPart(part: DocumentPart, claimId: string | null): Promise<boolean>;
  /** Reads a part of a file; undefined after the last one. */
  readPart(documentId: string, file: DocumentFile, place: number): Promise<Uint8Array | undefined>;
}

export function createDocumentParts(db: Database): DocumentParts {
  return {
    async addPart(part, claimId) {
      if (claimId !== null && !(await holdClaim(db, { ...part, claimId }))) return false;
      await putPart(db, part);
      return true;
    },

    async readPart(documentId, file, place) {
      const row = await db
        .selectFrom('document_parts')
        .select('bytes')
        .where('document_id', '=', documentId)
        .where('file', '=', file)
        .where('place', '=', place)
        .executeTakeFirst();
      return row?.bytes;
    },
  };
}

/** Writes or overwrites a part, so that a writer can safely repeat a write with unknown outcome. */
export async function putPart(
  db: Database,
  { documentId, file, place, bytes, atMs }: DocumentPart,
): Promise<void> {
  await db
    .insertInto('document_parts')
    .values({ document_id: documentId, file, place, at_ms: atMs, bytes })
    .onConflict((conflict) =>
      conflict.columns(['document_id', 'file', 'place']).doUpdateSet({ at_ms: atMs, bytes }),
    )
    .execute();
}

/** Checks a claim and locks its row, so that no worker can claim the document until the transaction ends. */
async function holdClaim(
  db: Database,
  { documentId, file, claimId }: { documentId: string; file: DocumentFile; claimId: string },
): Promise<boolean> {
  if (file === 'progress') {
    // A document that makes progress has not failed: its attempts start anew.
    const { numUpdatedRows } = await db
      .updateTable('documents')
      .set({ attempt: 0 })
      .where('document_id', '=', documentId)
      .where('claim_id', '=', claimId)
      .where('status', '=', 'translating')
      .executeTakeFirst();
    return numUpdatedRows > 0;
  }
  const held = await db
    .selectFrom('documents')
    .select('document_id')
    .where('document_id', '=', documentId)
    .where('claim_id', '=', claimId)
    .where('status', '=', 'translating')
    .$if(locksRows(db), (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
  return held !== undefined;
}

/** Deletes parts of documents, of all their files or of those named. */
export async function deleteParts(
  db: Database,
  documentIds: readonly string[],
  files?: readonly DocumentFile[],
): Promise<void> {
  if (documentIds.length === 0) return;
  await db
    .deleteFrom('document_parts')
    .where('document_id', 'in', documentIds)
    .$if(files !== undefined, (query) => query.where('file', 'in', files ?? []))
    .execute();
}
