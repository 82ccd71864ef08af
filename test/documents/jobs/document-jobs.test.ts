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
import { until } from '../../support/product/server.ts';

let folder: string;
let storage: Storage;
let thread: Worker | undefined;
let owner: Awaited<ReturnType<typeof openAccount>>;
const workers: DocumentJobs[] = [];
/** Lets the workers' clock run ahead of ours. */
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
  // Workers take whatever there is.
  await executeOn({ url: undefined, dataFolder: folder }, 'delete from documents');
});

afterAll(async () => {
  await storage.close();
  rmSync(folder, { recursive: true, force: true });
});

type Translate = (work: DocumentWork) => Promise<Uint8Array>;

/** What a document says when it has been translated. */
const upperCase = (file: Uint8Array) => Buffer.from(Buffer.from(file).toString().toUpperCase());

function startWorker(translate: Translate, given: { maxDocuments?: number } = {}): DocumentJobs {
  const translator: DocumentTranslator = {
    translate: async (work) => ({ file: await translate(work), characters: work.file.byteLength }),
  };
  const worker = startDocumentJobs({
    documents: storage.documents,
    translator,
    log: quietLog,
    maxAttempts: 3,
    workerId: `worker ${workers.length}`,
    maxDocuments: given.maxDocuments ?? 2,
    now: () => Date.now() + skewMs,
  });
  workers.push(worker);
  return worker;
}

const wish = { input: 'txt', output: 'txt', target: 'es', glossaryIds: [], isFree: false };

/** Queues a document with a text, and rings. */
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

/** Resolves, and says so, when it is asked to. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('a worker', () => {
  it('translates what is queued, charges for it, and leaves no more than the result', async () => {
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

  it('translates no more documents at once than it may', async () => {
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

  it('serves accounts in turn, though it has one document at a time', async () => {
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

  it('shows the owner of a bad file what is wrong, charges nothing, and goes on', async () => {
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

  it('says so when not all of a file is there', async () => {
    startWorker(async ({ file }) => upperCase(file));
    const documentId = await queue('the house', { sizeBytes: 10 });
    expect(await settled(documentId)).toMatchObject({
      status: 'error',
      problem: expect.stringContaining('upload it again') as string,
    });
  });

  it('refuses a document for which there is no room, and charges nothing', async () => {
    owner = await openAccount(storage, { key: { limits: { characters: 8, speechMs: null } } });
    startWorker(async ({ file }) => upperCase(file));
    const documentId = await queue('the house');
    expect(await settled(documentId)).toMatchObject({
      status: 'error',
      problem: expect.stringContaining('Quota') as string,
    });
    expect(await used()).toBe(0);
  });

  it('tries again after a while when an engine is away, and gives up when it stays away', async () => {
    const tries: number[] = [];
    const worker = startWorker(async () => {
      tries.push(Date.now() + skewMs);
      throw new ServiceError('engine_unavailable', 'No engine can be reached.');
    });
    const documentId = await queue('the house');
    const document = await until(async () => {
      const found = await find(documentId);
      skewMs += 200;
      worker.ring();
      return found?.status === 'error' && found;
    });
    expect(document.problem).toBe('No engine can be reached.');
    expect(tries).toHaveLength(3);
    expect(tries[1]! - tries[0]!).toBeGreaterThanOrEqual(10_000);
    expect(tries[2]! - tries[1]!).toBeGreaterThanOrEqual(20_000);
    expect(await used()).toBe(0);
  });

  it('does not try again what will not get better', async () => {
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

  it('says at once that a document made a format fail, and that it is the server’s fault', async () => {
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

  it('gives a document up that ends its process again and again, unless it gets on', async () => {
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
      skewMs += 200;
      worker.ring();
      return (await find2()).every((each) => each?.status === 'error' || each?.status === 'done');
    });
    const [first, second] = await find2();
    expect(first).toMatchObject({ status: 'error' });
    expect(first?.problem).toContain('several times');
    expect(second).toMatchObject({ status: 'done' });
  });

  it('puts back what it has when it stops, at once and without counting it', async () => {
    const begun = gate();
    const first = startWorker(async ({ progress }) => {
      await progress.keep(Buffer.from('half'));
      begun.open();
      // Does not notice that it shall stop.
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

  it('lets go of a document that was deleted', async () => {
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

  it('has its document taken by another when it was not heard of, and can do it no harm', async () => {
    const { opened, open } = gate();
    const begun = gate();
    const slow = startWorker(async () => {
      begun.open();
      await opened;
      return Buffer.from('stale');
    });
    const documentId = await queue('the house');
    await begun.opened;
    // The other worker's clock says that the first was silent for a minute.
    skewMs = 60_000;
    const heir = startWorker(async ({ file }) => upperCase(file));
    heir.ring();
    expect(await settled(documentId)).toMatchObject({ status: 'done' });
    open();
    await slow.stop();
    expect((await readFile(storage, documentId, 'result')).toString()).toBe('THE HOUSE');
    expect(await used()).toBe(9);
  });

  it('outlives a database that is away for a moment, and is charged for once', async () => {
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

  it('gives a time that gets ever nearer', async () => {
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
