import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  createDocumentWorkerProcess,
  type DocumentWorkerProcess,
  type WorkerReport,
} from '../../../server/documents/jobs/document-worker-process.ts';
import { openStorage } from '../../../server/storage/open-storage.ts';
import type { Storage } from '../../../server/stores.ts';
import { executeOn } from '../../storage/database-access.ts';
import { claim, sampleDocument, upload } from './document-samples.ts';
import { openAccount, quietLog } from '../../storage/samples.ts';
import { isAlive } from '../../support/machine/processes.ts';
import { projectFolder, until } from '../../support/product/server.ts';

let folder: string;
let storage: Storage;
let owner: Awaited<ReturnType<typeof openAccount>>;
const places: DocumentWorkerProcess[] = [];
/** Processes started as workers, with the messages that they received. */
let started: { child: ChildProcess; workerId: string; heard: () => string }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'dragoman-worker-'));
  storage = await openStorage({ url: undefined, dataFolder: folder, log: quietLog });
});

beforeEach(async () => {
  owner = await openAccount(storage);
  started = [];
});

afterEach(async () => {
  await Promise.all(places.splice(0).map((place) => place.stop()));
  await executeOn({ url: undefined, dataFolder: folder }, 'delete from documents');
});

afterAll(async () => {
  await storage.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Prints received messages and sends requested reports; runs until it is ended. */
const listener = `process.on('message', (order) => {
  if (order === 'ring') process.stdout.write(order + '\\n');
  else process.send(order);
});`;

function startWorker(workerId: string): ChildProcess {
  const child = spawn(process.execPath, ['-e', listener], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  started.push({ child, workerId, heard: () => output });
  return child;
}

/** @param given.onLook called when the place has looked for open documents */
function openPlace(
  given: { isOn?: boolean; onLook?: (found: boolean) => void } = {},
): DocumentWorkerProcess {
  const { documents } = storage;
  const place = createDocumentWorkerProcess({
    documents: {
      async hasOpen() {
        const found = await documents.hasOpen();
        given.onLook?.(found);
        return found;
      },
      abandon: (workerId) => documents.abandon(workerId),
    },
    log: quietLog,
    isOn: given.isOn ?? true,
    start: startWorker,
  });
  places.push(place);
  return place;
}

it('starts a worker at the first document, notifies it of the next, and does not replace it when it ends idle, until there is a document', async () => {
  const looks: boolean[] = [];
  const place = openPlace({ onLook: (found) => looks.push(found) });
  // Requests are answered in order: if it had found a document, it would have started a worker by now.
  expect(await storage.documents.hasOpen()).toBe(false);
  expect(started).toHaveLength(0);
  place.ring();
  expect(started).toHaveLength(1);
  place.ring();
  place.ring();
  await until(() => started[0]?.heard() === 'ring\nring\n');
  expect(started).toHaveLength(1);
  const { child } = started[0]!;
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until(() => looks.length > 1);
  expect(looks).toEqual([false, false]);
  expect(started).toHaveLength(1);
  place.ring();
  expect(started).toHaveLength(2);
});

it('starts no worker where workers run elsewhere', async () => {
  await upload(storage, sampleDocument(owner));
  const place = openPlace({ isOn: false });
  place.ring();
  expect(await storage.documents.hasOpen()).toBe(true);
  expect(started).toHaveLength(0);
  await place.stop();
});

it('starts a worker at once for remaining documents, replaces it when it ends, after longer if it was short-lived, and releases its documents', async () => {
  const document = await upload(storage, sampleDocument(owner));
  openPlace();
  const first = await until(() => started[0]);
  await claim(storage, { workerId: first.workerId });
  const startedAtMs = [performance.now()];
  first.child.kill('SIGKILL');
  const second = await until(() => started[1]);
  startedAtMs.push(performance.now());
  expect(second.workerId).not.toBe(first.workerId);
  const found = await storage.documents.find(owner.account.accountId, document.documentId);
  expect(found?.status).toBe('queued');
  second.child.kill('SIGKILL');
  await until(() => started[2]);
  startedAtMs.push(performance.now());
  const [atFirst = 0, then = 0, last = 0] = startedAtMs;
  expect(then - atFirst).toBeGreaterThan(90);
  expect(last - then).toBeGreaterThan(190);
});

it("reports its worker's readiness and each finished document; on stop it reports all, ends the worker and starts no other", async () => {
  const place = openPlace();
  expect(place.starting()).toBeUndefined();
  place.ring();
  const starting = place.starting();
  const { child } = started[0]!;
  const report = (said: WorkerReport) => child.send(said);
  report({ kind: 'ready' });
  await starting;
  expect(place.starting()).toBeUndefined();
  const heard: string[] = [];
  for (const id of ['A', 'B']) place.ends.once(id, () => heard.push(id));
  report({ kind: 'ended', documentId: 'A' });
  await until(() => heard.length > 0);
  expect(heard).toEqual(['A']);
  await place.stop();
  expect(heard).toEqual(['A', 'B']);
  expect(child.signalCode).toBe('SIGTERM');
  place.ring();
  expect(started).toHaveLength(1);
});

it.each(['while it starts', 'when it is ready'])(
  'starts a worker that ends by itself when its server is gone, %s',
  async (when) => {
    const script = `
      const { fork } = require('node:child_process');
      const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
      process.stdout.write(fork('dist/bundle/worker.js', ['id'], { stdio }).pid + '\\n');
      setInterval(() => {}, 1000);`;
    const server = spawn(process.execPath, ['-e', script], {
      cwd: projectFolder,
      env: { PATH: process.env['PATH'], DATA_DIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let logs = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => (logs += text));
    const [output] = (await once(server.stdout, 'data')) as [Buffer];
    const pid = Number(output.toString());
    if (when === 'when it is ready') {
      await until(() => logs.includes('ready for documents'));
    }
    // The worker holds the other end, and may end before what it wrote has been read.
    const isRead = once(server.stderr, 'close');
    server.kill('SIGKILL');
    await until(() => !isAlive(pid));
    await isRead;
    expect(logs).toContain('"reason":"disconnect"');
  },
);

it.each([
  [{ STORAGE_URL: 'postgres://nobody:secret@127.0.0.1:1/none' }, 'storage_unavailable'],
  // As on another machine, without the settings of the server.
  [{}, 'unusable_database'],
])('a worker without a database logs that in one line: %j', async (settings, code) => {
  const none = path.join(folder, 'none');
  const worker = spawn(process.execPath, ['dist/bundle/worker.js'], {
    cwd: projectFolder,
    env: { PATH: process.env['PATH'], DATA_DIR: none, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let logs = '';
  worker.stderr.setEncoding('utf8').on('data', (text: string) => (logs += text));
  expect(await once(worker, 'close')).toEqual([1, null]);
  const told = JSON.parse(logs) as { err: { code: string } };
  expect(told.err.code).toBe(code);
  expect(existsSync(none)).toBe(false);
  expect(logs).not.toContain('secret');
});
