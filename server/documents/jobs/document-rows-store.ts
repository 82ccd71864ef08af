/** Documents as the ports have them, from their rows and back. */
import type { Selectable } from 'kysely';
import type { NewDocument, StoredDocument } from './store.ts';
import type { DocumentsTable } from './store.ts';

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
