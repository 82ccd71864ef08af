/** Documents as the ports have them, from their rows and back. */
import type { Selectable } from 'kysely';

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

declare module '../../storage/database.ts' {
  interface Tables {
    documents: DocumentsTable;
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
