import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../shared/errors.ts';
import { FormatFailure } from '../../../server/documents/jobs/document-process.ts';
import { DocumentError } from '../../../server/documents/formats/format.ts';
import {
  startDocumentJobs,
  type DocumentJobs,
} from '../../../server/documents/jobs/document-jobs.ts';
import type {
  DocumentTranslator,
  DocumentWork,
} from '../../../server/documents/jobs/document-translation.ts';
import { openEmbeddedStorage } from '../../../server/storage/embedded/embedded-storage.ts';
import type { NewDocument } from '../../../server/documents/jobs/document-tables-store.ts';
import type { Storage } from '../../../server/stores.ts';
import { executeOn } from '../../storage/database-access.ts';
import { readFile, sampleDocument, upload } from './document-samples.ts';
import { openAccount, quietLog } from '../../storage/samples.ts';
import { type LogRecord, recordLog } from '../../support/product/log-record.ts';
import { until } from '../../support/product/server.ts';

let folder: string;
let storage: Storage;
let thread: Worker | undefined;
let owner: Awaited<ReturnType<typeof openAccount>>;
const workers: DocumentJobs[] = [];
/** Advances the clock of the workers. */
let skewMs = 0;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'dragoman-jobs-'));
  storage = await openEmbeddedStorage({
    dataFolder: folder,
    log: quietLog,
    onThread: (started) => (thread = started),
  });
});

beforeEach(async () => {
  owner = await openAccount(storage);
  skewMs = 0;
});

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  // Workers take any queued document.
  await executeOn({ url: undefined, dataFolder: folder }, 'delete from documents');
});

afterAll(async () => {
  await storage.close();
  rmSync(folder, { recursive: true, force: true });
});

type Translate = (work: DocumentWork) => Promise<Uint8Array>;

/** Returns a document's translation. */
const upperCase = (file: Uint8Array) => Buffer.from(Buffer.from(file).toString().toUpperCase());

function startWorker(
  translate: Translate,
  given: { maxDocuments?: number; log?: LogRecord; now?: () => number } = {},
): DocumentJobs {
  const translator: DocumentTranslator = {
    translate: async (work) => ({ file: await translate(work), characters: work.file.byteLength }),
  };
  const worker = startDocumentJobs({
    documents: storage.documents,
    translator,
    log: given.log ?? quietLog,
    maxAttempts: 3,
    workerId: `worker ${workers.length}`,
    maxDocuments: given.maxDocuments ?? 2,
    now: given.now ?? (() => Date.now() + skewMs),
  });
  workers.push(worker);
  return worker;
}

const wish = { input: 'txt', output: 'txt', target: 'es', glossaryIds: [], isFree: false };

/** Queues a document with a text, and notifies the worker. */
async function queue(text: string, given: Partial<NewDocument> = {}, of = owner) {
  const file = Buffer.from(text);
  const document = sampleDocument(of, {
    order: JSON.stringify({ ...wish, maxCharacters: 1000 }),
    sizeBytes: file.byteLength,
    createdAtMs: Date.now(),
    ...given,
  });
  await upload(storage, document, [file.subarray(0, 5), file.subarray(5)]);
  for (const worker of workers) worker.ring();
  return document.documentId;
}

const find = (documentId: string, of = owner) =>
  storage.documents.find(of.account.accountId, documentId);

const settled = (documentId: string, of = owner) =>
  until(async () => {
    const document = await find(documentId, of);
    return (document?.status === 'done' || document?.status === 'error') && document;
  });

const used = async () =>
  (await storage.usage.ofMonth(owner.account.accountId, owner.key.keyId, Date.now())).key.document;

/** Returns a promise and the function that resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('a document worker', () => {
  it('translates a queued document, charges for it, and keeps only the result', async () => {
    startWorker(async ({ file, accountId, wish: order }) => {
      expect(order).toMatchObject(wish);
      expect(accountId).toBe(owner.account.accountId);
      return upperCase(file);
    });
    const text = 'the house '.repeat(60_000);
    const documentId = await queue(text, { tag: 'spring' });
    expect(await settled(documentId)).toMatchObject({
      status: 'done',
      billedCharacters: text.length,
      problem: null,
    });
    const result = await readFile(storage, documentId, 'result');
    expect(result.toString()).toBe(text.toUpperCase());
    expect(await storage.documents.readPart(documentId, 'source', 0)).toBeUndefined();
    expect(await used()).toBe(text.length);
  });

  it('translates no more documents at once than its limit', async () => {
    let running = 0;
    let most = 0;
    const { opened, open } = gate();
    const worker = startWorker(
      async ({ file }) => {
        running += 1;
        most = Math.max(most, running);
        await opened;
        running -= 1;
        return upperCase(file);
      },
      { maxDocuments: 3 },
    );
    const ids = await Promise.all(Array.from({ length: 9 }, () => queue('the house')));
    await until(() => running === 3);
    worker.ring();
    expect(await storage.documents.hasOpen()).toBe(true);
    open();
    for (const documentId of ids)
      expect(await settled(documentId)).toMatchObject({ status: 'done' });
    expect(most).toBe(3);
  });

  it('alternates between accounts, even with one document at a time', async () => {
    const served: string[] = [];
    const second = await openAccount(storage);
    const begun = gate();
    const { opened, open } = gate();
    startWorker(
      async ({ file, accountId }) => {
        served.push(accountId === owner.account.accountId ? 'busy' : 'second');
        begun.open();
        await opened;
        return upperCase(file);
      },
      { maxDocuments: 1 },
    );
    const ids: string[] = [];
    for (let count = 0; count < 8; count += 1) ids.push(await queue('the house'));
    await begun.opened;
    const late = [await queue('the door', {}, second), await queue('the door', {}, second)];
    open();
    for (const documentId of late) await settled(documentId, second);
    await settled(ids.at(-1)!);
    expect(served.slice(0, 4)).toEqual(['busy', 'second', 'busy', 'second']);
    expect(served).toHaveLength(10);
  });

  it('reports a bad file to its owner, charges nothing, and continues', async () => {
    startWorker(
      async ({ file }) => {
        if (file[0] === 98) throw new DocumentError('The file is damaged. Save it anew.');
        return upperCase(file);
      },
      { maxDocuments: 1 },
    );
    const bad = await queue('bad');
    const good = await queue('the house');
    expect(await settled(bad)).toMatchObject({
      status: 'error',
      problem: 'The file is damaged. Save it anew.',
    });
    expect(await settled(good)).toMatchObject({ status: 'done' });
    expect(await used()).toBe(9);
  });

  it('reports an incomplete file', async () => {
    startWorker(async ({ file }) => upperCase(file));
    const documentId = await queue('the house', { sizeBytes: 10 });
    expect(await settled(documentId)).toMatchObject({
      status: 'error',
      problem: expect.stringContaining('upload it again') as string,
    });
  });

  it('refuses a document beyond the quota, and charges nothing', async () => {
    owner = await openAccount(storage, { key: { limits: { characters: 8, speechMs: null } } });
    startWorker(async ({ file }) => upperCase(file));
    const documentId = await queue('the house');
    expect(await settled(documentId)).toMatchObject({
      status: 'error',
      problem: expect.stringContaining('Quota') as string,
    });
    expect(await used()).toBe(0);
  });

  it('retries with a delay while an engine is unavailable, and finally gives up', async () => {
    const tries: number[] = [];
    const worker = startWorker(async () => {
      tries.push(Date.now() + skewMs);
      throw new ServiceError('engine_unavailable', 'No engine can be reached.');
    });
    const documentId = await queue('the house');
    const document = await until(async () => {
      const found = await find(documentId);
      skewMs += 2_000;
      worker.ring();
      return found?.status === 'error' && found;
    });
    expect(document.problem).toBe('No engine can be reached.');
    expect(tries).toHaveLength(3);
    expect(tries[1]! - tries[0]!).toBeGreaterThanOrEqual(10_000);
    expect(tries[2]! - tries[1]!).toBeGreaterThanOrEqual(20_000);
    expect(await used()).toBe(0);
  });

  it('does not retry permanent errors', async () => {
    let tries = 0;
    startWorker(async () => {
      tries += 1;
      throw new ServiceError('not_found', 'There is no glossary with this id.', { detail: 'g' });
    });
    expect(await settled(await queue('the house'))).toMatchObject({
      status: 'error',
      problem: 'There is no glossary with this id. g',
    });
    expect(tries).toBe(1);
  });

  it('reports a format failure at once as the server’s fault', async () => {
    let tries = 0;
    startWorker(async () => {
      tries += 1;
      throw new FormatFailure('RangeError');
    });
    expect(await settled(await queue('the house'))).toMatchObject({
      status: 'error',
      problem: expect.stringContaining('its operator') as string,
    });
    expect(tries).toBe(1);
  });

  it('gives up a document that repeatedly ends its process without progress', async () => {
    const worker = startWorker(async ({ file, progress }) => {
      let kept = 0;
      for await (const part of progress.parts()) kept += part.byteLength;
      if (kept === 5) return upperCase(file);
      if (file[0] === 116) await progress.keep(Buffer.from('p'));
      throw new Error('The process ended.');
    });
    const [poor, good] = [await queue('bad'), await queue('the house')];
    const find2 = async () => [await find(poor), await find(good)] as const;
    await until(async () => {
      skewMs += 2_000;
      worker.ring();
      return (await find2()).every((each) => each?.status === 'error' || each?.status === 'done');
    });
    const [first, second] = await find2();
    expect(first).toMatchObject({ status: 'error' });
    expect(first?.problem).toContain('several times');
    expect(second).toMatchObject({ status: 'done' });
  });

  it('releases its documents at once when it stops, without counting the attempt', async () => {
    const begun = gate();
    const first = startWorker(async ({ progress }) => {
      await progress.keep(Buffer.from('half'));
      begun.open();
      // Ignores the request to stop.
      return new Promise<never>(() => {});
    });
    const documentId = await queue('the house');
    await begun.opened;
    await first.stop();
    expect(await find(documentId)).toMatchObject({ status: 'queued' });
    startWorker(async ({ file, progress }) => {
      const parts: Uint8Array[] = [];
      for await (const part of progress.parts()) parts.push(part);
      return Buffer.concat([...parts, upperCase(file)]);
    });
    expect(await settled(documentId)).toMatchObject({ status: 'done' });
    const result = await readFile(storage, documentId, 'result');
    expect(result.toString()).toBe('halfTHE HOUSE');
  });

  it('drops a deleted document', async () => {
    const begun = gate();
    const over = gate();
    startWorker(async ({ signal }) => {
      begun.open();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      over.open();
      throw signal.reason;
    });
    const documentId = await queue('the house');
    await begun.opened;
    await storage.documents.delete(documentId);
    await over.opened;
    expect(await find(documentId)).toBeUndefined();
    expect(await used()).toBe(0);
  });

  it('loses its document to another worker when it is silent, and cannot change it any more', async () => {
    const { opened, open } = gate();
    const begun = gate();
    const slow = startWorker(async () => {
      begun.open();
      await opened;
      return Buffer.from('stale');
    });
    const documentId = await queue('the house');
    await begun.opened;
    // By the other worker's clock, the first was silent for a minute.
    skewMs = 60_000;
    const heir = startWorker(async ({ file }) => upperCase(file));
    heir.ring();
    expect(await settled(documentId)).toMatchObject({ status: 'done' });
    open();
    await slow.stop();
    expect((await readFile(storage, documentId, 'result')).toString()).toBe('THE HOUSE');
    expect(await used()).toBe(9);
  });

  it('survives a short database outage, and charges once', async () => {
    startWorker(async ({ file, progress }) => {
      await progress.keep(createHash('sha256').update(file).digest());
      await thread?.terminate();
      await progress.keep(Buffer.from('half'));
      await thread?.terminate();
      return upperCase(file);
    });
    const documentId = await queue('the house');
    const document = await until(async () => {
      const found = await find(documentId).catch(() => undefined);
      return found?.status === 'done' && found;
    });
    expect(document.billedCharacters).toBe(9);
    expect(await used()).toBe(9);
  });

  it('logs once that it cannot claim documents, and when it can again', async () => {
    const database = { url: undefined, dataFolder: folder };
    await executeOn(database, 'alter table documents rename to lost_documents');
    const log = recordLog();
    let attempts = 0;
    const now = () => Date.now() + attempts++;
    const worker = startWorker(async ({ file }) => upperCase(file), { log, now });
    await until(() => {
      worker.ring();
      return attempts > 3;
    });
    await executeOn(database, 'alter table lost_documents rename to documents');
    expect(await settled(await queue('the house'))).toMatchObject({ status: 'done' });
    expect(log.lines.map(({ message }) => message)).toEqual([
      'Documents cannot be claimed for now.',
      'Documents can be claimed again.',
      'A document has been translated.',
    ]);
  });

  it('reports a finish time that only gets nearer', async () => {
    const given = new Set<number>();
    startWorker(async ({ file, onShare, signal }) => {
      for (let left = 1; given.size < 3; left *= 0.95) {
        onShare(1 - left);
        await delay(50, undefined, { signal });
      }
      return upperCase(file);
    });
    const documentId = await queue('the house');
    await until(async () => {
      const document = await find(documentId);
      const { finishAtMs, status } = document!;
      if (finishAtMs !== null) {
        const isLater = finishAtMs > ([...given].at(-1) ?? Infinity);
        if (isLater) expect([...given].at(-1)).toBeLessThanOrEqual(Date.now());
        given.add(finishAtMs);
      }
      return status === 'done';
    });
  });
});
