/** Sample documents for databases. */
import { randomBytes } from 'node:crypto';
import type {
  NewDocument,
  DocumentFile,
} from '../../../server/documents/jobs/document-tables-store.ts';
import type { DocumentStore } from '../../../server/documents/jobs/store.ts';
import type { Storage } from '../../../server/stores.ts';
import { sampleHash, type openAccount } from '../../storage/samples.ts';

/** Message to owners of documents with too many attempts. */
export const EXHAUSTED = 'It was tried too often.';

export const newDocumentId = () => randomBytes(16).toString('hex').toUpperCase();

type Opened = Awaited<ReturnType<typeof openAccount>>;

export function sampleDocument(
  { account, key }: Opened,
  given: Partial<NewDocument> = {},
): NewDocument {
  return {
    documentId: newDocumentId(),
    accountId: account.accountId,
    keyId: key.keyId,
    documentKeyHash: sampleHash(),
    fileName: 'Überseehandel.txt',
    order: JSON.stringify({ input: 'txt' }),
    tag: null,
    sizeBytes: 3,
    createdAtMs: 1_700_000_000_000,
    ...given,
  };
}

/** Returns the last part of a file. */
export function lastPart(text: string, place = 0): { place: number; bytes: Uint8Array } {
  return { place, bytes: Buffer.from(text) };
}

/** Uploads a document in parts, as the service does. */
export async function upload(
  { documents }: Pick<Storage, 'documents'>,
  document: NewDocument,
  parts: readonly Uint8Array[] = [Uint8Array.of(1, 2, 3)],
): Promise<NewDocument> {
  const { documentId, createdAtMs: atMs } = document;
  const places = parts.map((bytes, place) => ({ place, bytes }));
  const last = places.pop()!;
  for (const part of places) {
    await documents.addPart({ documentId, file: 'source', ...part, atMs }, null);
  }
  if (!(await documents.submit(document, 1000, last)))
    throw new Error('There are too many documents.');
  return document;
}

type Wish = Parameters<DocumentStore['claim']>[0];

/** Claims the next document; by default nothing is stale. */
export function claim({ documents }: Pick<Storage, 'documents'>, given: Partial<Wish> = {}) {
  return documents.claim({
    claimId: newDocumentId(),
    workerId: 'worker',
    atMs: 1_700_000_100_000,
    staleBeforeMs: 0,
    maxAttempts: 3,
    exhausted: EXHAUSTED,
    ...given,
  });
}

/** Returns a whole file, read part by part. */
export async function readFile(
  { documents }: Pick<Storage, 'documents'>,
  documentId: string,
  file: DocumentFile,
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const part = await documents.readPart(documentId, file, parts.length);
    if (part === undefined) return Buffer.concat(parts);
    parts.push(part);
  }
}
