import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from '../../server/storage/open-storage.ts';
import { openPostgresql, type TestPostgresql } from '../support/machine/postgresql.ts';
import { executeOn } from './database-access.ts';
import { openAccount, quietLog } from './samples.ts';

let postgresql: TestPostgresql;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'dragoman-crash-'));
  postgresql = await openPostgresql();
});

afterAll(async () => {
  await postgresql.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What the children were promised, and the most they may have used. */
interface Ledger {
  charged: number;
  asked: number;
  answers: number;
  keys: string[];
}

interface Crash {
  args: string[];
  ledger: Ledger;
  /** Runs between the first answers and the kill. */
  meanwhile: () => Promise<void>;
}

/** Starts a child, lets it work for a random time, kills it, and reads its whole output. */
async function crashOnce({ args, ledger, meanwhile }: Crash): Promise<void> {
  const script = path.join(import.meta.dirname, 'crash-child.mjs');
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stderr.on('data', (data: Buffer) => errors.push(data));
  const closed = new Promise((resolve) => void child.once('close', resolve));
  // Resolves once the child is at work, however slow the machine: after two keys, with charges in between.
  const working = new Promise<void>((resolve) => {
    let keys = 0;
    child.stdout.on('data', (data: Buffer) => {
      output.push(data);
      keys += data.toString().split('key ').length - 1;
      if (keys >= 2) resolve();
    });
  });
  try {
    await Promise.race([working, closed]);
    await meanwhile();
    // An intended random wait: the moment of the kill is left to chance.
    await delay(Math.random() * 250);
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
  expect(child.signalCode, Buffer.concat(errors).toString()).toBe('SIGKILL');
  for (const line of Buffer.concat(output).toString().split('\n').slice(0, -1)) note(ledger, line);
}

function note(ledger: Ledger, line: string): void {
  const [what, value = ''] = line.split(' ');
  if (what === 'asked') ledger.asked += Number(value);
  if (what === 'key') ledger.keys.push(value);
  if (what !== 'charged') return;
  ledger.charged += Number(value);
  ledger.answers += 1;
}

const databases = [
  { name: 'sqlite', newUrl: async () => undefined },
  { name: 'postgresql', newUrl: () => postgresql.createDatabase() },
];

it('reports PostgreSQL as unavailable, and resumes when it is back', async () => {
  const place = { url: await postgresql.createDatabase(), dataFolder: folder, log: quietLog };
  const storage = await openStorage(place);
  const { account, key, secretHash, charge } = await openAccount(storage);
  expect(await storage.usage.charge(charge())).toBe('charged');

  await postgresql.crash();
  const away = { code: 'storage_unavailable', status: 503 };
  await Promise.all([
    expect(storage.apiKeys.authenticate(secretHash)).rejects.toMatchObject(away),
    expect(storage.usage.charge(charge())).rejects.toMatchObject(away),
    expect(openStorage(place)).rejects.toMatchObject(away),
  ]);

  await postgresql.restart();
  expect(await storage.apiKeys.authenticate(secretHash)).toEqual({ key, account });
  expect(await storage.usage.charge(charge())).toBe('charged');
  const used = await storage.usage.ofMonth(account.accountId, key.keyId, charge().atMs);
  expect(used.key.text).toBe(20);
  await storage.close();
});

describe.each(databases)('$name', ({ name, newUrl }) => {
  it('keeps every acknowledged write over a crash under load', async () => {
    const url = await newUrl();
    const place = { url, dataFolder: path.join(folder, name) };
    const open = () => openStorage({ ...place, log: quietLog });
    let storage = await open();
    const { account, key } = await openAccount(storage);
    await storage.close();
    const ledger: Ledger = { charged: 0, asked: 0, answers: 0, keys: [] };
    const args = [place.dataFolder, url ?? '', account.accountId, key.keyId];

    // The PostgreSQL server crashes as well while it is in use.
    const meanwhile = async () => {
      if (url === undefined) return;
      await delay(Math.random() * 200);
      await postgresql.crash();
      await postgresql.restart();
    };
    await crashOnce({ args, ledger, meanwhile });

    storage = await open();
    const atMs = Date.UTC(2026, 10, 21);
    const used = await storage.usage.ofMonth(account.accountId, key.keyId, atMs);
    expect(used.key.text).toBeGreaterThanOrEqual(ledger.charged);
    expect(used.key.text).toBeLessThanOrEqual(ledger.asked);
    expect(used.account).toEqual(used.key);
    const sums = `select amount from usage_days where key_id = '${key.keyId}'`;
    if (used.key.text > 0)
      expect(await executeOn(place, sums)).toEqual([{ amount: used.key.text }]);
    const kept = new Set((await storage.apiKeys.list(account.accountId)).map((each) => each.keyId));
    expect(ledger.keys.filter((keyId) => !kept.has(keyId))).toEqual([]);
    await storage.close();
    // Otherwise nothing was tested.
    expect(ledger.answers).toBeGreaterThan(10);
    expect(ledger.keys.length).toBeGreaterThan(1);
  });
});
