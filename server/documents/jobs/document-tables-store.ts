/** The tables of documents: a row for each of them, and one for each part of their files. */
import type { Selectable } from 'kysely';
import { locksRows, type Database } from '../../storage/database.ts';

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

type DocumentStatus = 'queued' | 'translating' | 'done' | 'error';

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
  /** What the owner was last given; kept when the document goes back into the queue. */
  finish_at_ms: number | null;
  billed_characters: number | null;
  problem: string | null;
  /** When it became `done` or `error`. */
  settled_at_ms: number | null;
  /** Until when nobody else gets the result. */
  download_until_ms: number | null;
}

/** The bytes kept of a document: what was uploaded, what a worker has translated so far, the result. */
export type DocumentFile = 'source' | 'progress' | 'result';

export interface DocumentPartsTable {
  document_id: string;
  file: DocumentFile;
  /** 0, 1, 2… in a file. */
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

/** The row of a document that was just uploaded. */
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

// The parts of files.

export interface DocumentPart {
  documentId: string;
  file: DocumentFile;
  place: number;
  /** Must not change until it is kept. */
  bytes: Uint8Array;
  atMs: number;
}

/** The last part of a file, which is kept in the step that the whole file is for. */
export type LastPart = Pick<DocumentPart, 'place' | 'bytes'>;

export interface DocumentParts {
  /**
   * Keeps a part of a file, in order from place 0; the same place again is written over. Parts of
   * uploads that are never submitted expire. Progress has a document's attempts counted anew.
   *
   * @param claimId of the worker that writes `progress` or `result`; null for `source`
   * @returns false when the claim is lost
   */
  addPart(part: DocumentPart, claimId: string | null): Promise<boolean>;
  /** One part of a file; undefined after the last. */
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

/** Writes a part, whatever stood in its place: who does not know whether it was written writes it again. */
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

/** Whether a claim is good; until the transaction ends, nobody takes the document from it. */
async function holdClaim(
  db: Database,
  { documentId, file, claimId }: { documentId: string; file: DocumentFile; claimId: string },
): Promise<boolean> {
  if (file === 'progress') {
    // Who gets on with a document is not brought down by it.
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

/** Deletes parts of documents; of all files, unless some are named. */
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
