import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createReadiness, warmUp } from '../../server/operation/routes.ts';
import { recordLog } from '../support/product/log-record.ts';
import { openEmbedded, openPlatform, type Platform } from '../support/product/platform.ts';
import { projectFolder } from '../support/product/server.ts';
import { smallDisk } from '../support/machine/temporary-folder.ts';
import { openAccount } from '../storage/samples.ts';

let platform: Platform;
beforeAll(async () => (platform = await openPlatform()));
afterAll(() => platform.close());

type Options = Parameters<typeof createReadiness>[0];

const readiness = (given: Partial<Options> = {}) =>
  createReadiness({
    writeChecks: platform.storage.writeChecks,
    recognisers: [{ languages: ['en'] }],
    translation: { sources: () => ['en'] },
    isStopping: () => false,
    ...given,
  });

it('is ready with a database and an engine of either kind', async () => {
  expect(await readiness().missing()).toEqual([]);
  expect(await readiness({ recognisers: [] }).missing()).toEqual([]);
  expect(await readiness({ translation: { sources: () => [] } }).missing()).toEqual([]);
});

it('does not count recognisers whose processes do not start', async () => {
  const broken = { languages: ['en'], retryInMs: () => 1_000 };
  expect(await readiness({ recognisers: [broken] }).missing()).toEqual([]);
  const alone = { translation: { sources: () => [] } };
  const missing = await readiness({ ...alone, recognisers: [broken] }).missing();
  expect(missing.join()).toMatch(/no speech recogniser/);
  const others = [broken, { languages: ['es'] }];
  expect(await readiness({ ...alone, recognisers: others }).missing()).toEqual([]);
});

it('names everything that is missing', async () => {
  const bare = { recognisers: [{ languages: [] }], translation: { sources: () => [] } };
  const missing = await readiness({ ...bare, isStopping: () => true }).missing();
  expect(missing.join('; ')).toMatch(/stopping; no speech recogniser and no translator/);
});

it('reports a database that does not answer in time', async () => {
  const late = { write: () => new Promise<never>(() => undefined) };
  const told = ['the database does not answer'];
  expect(await readiness({ writeChecks: late, storageDeadlineMs: 20 }).missing()).toEqual(told);
});

const unwritten = ['the database cannot be reached or written'];

it('reports a closed database', async () => {
  const closed = await openPlatform();
  await closed.close();
  const { writeChecks } = closed.storage;
  expect(await readiness({ writeChecks }).missing()).toEqual(unwritten);
});

it('checks the database once for many simultaneous requests', async () => {
  let looks = 0;
  const counted = { write: async () => void (looks += 1) };
  const asked = readiness({ writeChecks: counted });
  await Promise.all(Array.from({ length: 20 }, () => asked.missing()));
  expect(looks).toBe(1);
});

it('does not check a hanging database again before it has answered', async () => {
  let looks = 0;
  let answer = () => {};
  const hanging = {
    write: () => {
      looks += 1;
      return new Promise<void>((resolve) => (answer = resolve));
    },
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const asked = readiness({ writeChecks: hanging });
  const told = asked.missing();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await told).toEqual(['the database does not answer']);
  await vi.advanceTimersByTimeAsync(60_000);
  const toldAgain = asked.missing();
  expect(looks).toBe(1);
  expect(await toldAgain).toEqual(['the database does not answer']);

  answer();
  await vi.advanceTimersByTimeAsync(0);
  const next = asked.missing();
  answer();
  expect(await next).toEqual([]);
  expect(looks).toBe(2);
});

describe('a full disk', () => {
  let folder: string;
  beforeEach(({ skip }) => void (folder = smallDisk('2m', skip)));
  const fill = () => {
    const file = openSync(path.join(folder, 'full'), 'w');
    try {
      for (let size = 65_536; size >= 1; size /= 2) {
        try {
          for (;;) writeSync(file, Buffer.alloc(size));
        } catch {
          // No more blocks of this size fit.
        }
      }
    } finally {
      closeSync(file);
    }
  };

  it('prevents readiness, even if the database can be read, and is named as the cause of refusals', async () => {
    const storage = await openEmbedded(folder);
    try {
      const { charge } = await openAccount(storage);
      expect(await readiness({ writeChecks: storage.writeChecks }).missing()).toEqual([]);
      fill();
      await expect(storage.usage.charge(charge())).rejects.toMatchObject({
        ...{ code: 'storage_unavailable', cause: { message: 'database or disk is full' } },
      });
      expect(await storage.accounts.list()).toHaveLength(1);
      const asked = readiness({ writeChecks: storage.writeChecks });
      expect(await asked.missing()).toEqual(unwritten);
    } finally {
      await storage.close();
    }
  });

  it('is reported with its place by a server that cannot start', async () => {
    fill();
    const main = path.join(projectFolder, 'dist/bundle/main.js');
    const env = { ...process.env, DATA_DIR: folder, PORT: '0', RECOGNISER: 'silent' };
    const { status, stderr } = spawnSync(process.execPath, [main], { env, encoding: 'utf8' });
    expect(status).toBe(1);
    const said = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    expect(said).toEqual([expect.stringContaining(`The disk of ${folder} is full (`) as string]);
  });
});

it('a server that stops warms nothing more up, and reports no failure of what it ends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const log = recordLog();
  let isStopping = false;
  const started: string[] = [];
  const slow = (name: string) => ({
    name,
    prepare: () => {
      started.push(name);
      isStopping = true;
      return Promise.reject(new Error('stopping'));
    },
  });
  warmUp([slow('first'), slow('second')], log, () => isStopping);
  await vi.runAllTimersAsync();
  expect(started).not.toContain('second');
  expect(log.lines.filter(({ message }) => message.includes('failed'))).toEqual([]);
});
