/** The status of documents; a request for a new document waits for its end. */
import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createDocumentEstimate } from '../../../server/documents/jobs/document-order.ts';
import {
  createDocumentTranslations,
  type DocumentTranslations,
  type DocumentTranslationsOptions,
} from '../../../server/documents/jobs/documents.ts';
import { openStorage } from '../../../server/storage/open-storage.ts';
import type { Storage } from '../../../server/stores.ts';
import { claim, sampleDocument, upload } from './document-samples.ts';
import { openAccount, quietLog } from '../../storage/samples.ts';

const documentKey = 'the key';
const documentKeyHash = createHash('sha256').update(documentKey).digest('hex');

let folder: string;
let storage: Storage;
let owner: Awaited<ReturnType<typeof openAccount>>;
let documentId: string;
let ends: EventEmitter;
let service: DocumentTranslations;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'dragoman-status-'));
  storage = await openStorage({ url: undefined, dataFolder: folder, log: quietLog });
});
beforeEach(async () => {
  owner = await openAccount(storage);
  const document = sampleDocument(owner, { documentKeyHash, createdAtMs: Date.now() });
  ({ documentId } = await upload(storage, document));
  ends = new EventEmitter();
  // A worker that stays in its start allows more time than a busy machine takes.
  const worker = { ends, starting: () => new Promise<void>(() => undefined) };
  /** The options of a service that only reports status. */
  const unused = {} as unknown as Omit<DocumentTranslationsOptions, 'documents'>;
  service = createDocumentTranslations({ ...storage, ...unused, worker });
});
afterEach(() => storage.documents.delete(documentId));
afterAll(async () => {
  await storage.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (gone = new AbortController(), key = documentKey) =>
  service.status(owner, documentId, key, gone.signal);

it('a status request is answered when the document ends', async () => {
  const asked = ask();
  const claimed = await claim(storage);
  expect(ends.listenerCount(documentId)).toBe(1);
  const failure = { problem: 'It is damaged.', atMs: Date.now() };
  await storage.documents.fail(documentId, claimed!.claimId, failure);
  ends.emit(documentId);
  expect(await asked).toMatchObject({ status: 'error', error_message: 'It is damaged.' });
  expect(ends.eventNames()).toEqual([]);
  expect(await ask()).toMatchObject({ status: 'error' });
});

it('a status request ends when its client disconnects or the server stops', async () => {
  const gone = new AbortController();
  const asked = [ask(gone), ask()];
  expect(ends.listenerCount(documentId)).toBe(2);
  gone.abort();
  expect(await asked[0]).toEqual({ document_id: documentId, status: 'queued' });
  expect(ends.listenerCount(documentId)).toBe(1);
  ends.emit(documentId);
  expect(await asked[1]).toEqual({ document_id: documentId, status: 'queued' });
  expect(ends.eventNames()).toEqual([]);
});

it('a status includes a finish time from the start, which only gets nearer', async () => {
  const wish = { input: 'txt', output: 'txt', target: 'es', glossaryIds: [], isFree: false };
  const order = JSON.stringify({ ...wish, maxCharacters: 1000 });
  const old = sampleDocument(owner, { documentKeyHash, order, sizeBytes: 100_000, createdAtMs: 0 });
  ({ documentId } = await upload(storage, old));
  const claimed = await claim(storage, { atMs: Date.now() });
  const { seconds_remaining: before = 0 } = await ask();
  expect(before).toBeGreaterThan(5);
  const estimate = createDocumentEstimate({ ...claimed!, startedAtMs: Date.now() });
  const beat = { atMs: Date.now(), finishAtMs: estimate.finishAtMs() };
  await storage.documents.beat(documentId, claimed!.claimId, beat);
  expect((await ask()).seconds_remaining).toBeLessThanOrEqual(before);
});

it('a status request with another key is refused at once', async () => {
  await expect(ask(undefined, 'a key')).rejects.toMatchObject({ code: 'not_found' });
  expect(ends.eventNames()).toEqual([]);
});
