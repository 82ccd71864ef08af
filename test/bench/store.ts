/** How many charges storage takes a second, on both databases and against SQLite on the main thread. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import type * as OpenStorage from '../../server/storage/open-storage.ts';
import type { Storage } from '../../server/stores.ts';
import { openAccount } from '../storage/samples.ts';
import { openPostgresql } from '../support/machine/postgresql.ts';
import type { Print } from './benchmarks.ts';
import { importBuilt, quietLog } from './built.ts';
import { median, printTable, spread, verdict } from './figures.ts';
import { CALLERS, measureLoad, type LoadFigures } from './store-load.ts';

export const name = 'store';
export const description = `exact charges by ${CALLERS} callers at once, on both databases`;

const ROUNDS = 3;
const BLOCK_AIM_MS = 10;

interface Subject {
  label: string;
  charge: (caller: number) => Promise<void>;
  close: () => Promise<void>;
}

export async function run(print: Print): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'dragoman-bench-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  const postgresql = await openPostgresql();
  const subjects: Subject[] = [];
  try {
    subjects.push(idle, openBaseline(folder));
    for (const url of [undefined, await postgresql.createDatabase()]) {
      subjects.push(...(await openSubjects(url, folder)));
    }
    await measure(subjects, print);
  } finally {
    for (const { close } of subjects) await close();
    await postgresql.stop();
    removeFolder();
    process.off('exit', removeFolder);
  }
}

async function measure(subjects: readonly Subject[], print: Print): Promise<void> {
  const figures = new Map<Subject, LoadFigures[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    // There and back, so that nobody always has the cold or the busy machine.
    const order = round % 2 ? [...subjects].reverse() : subjects;
    for (const subject of order) figures.get(subject)?.push(await measureLoad(subject.charge));
  }
  const rows = [
    ['', 'charges a second', 'p50, ms', 'p99, ms', 'longest block of the main loop, ms'],
  ];
  for (const [{ label }, rounds] of figures) {
    const column = (pick: (each: LoadFigures) => number) => spread(rounds.map(pick));
    rows.push([
      label,
      column((each) => each.chargesPerS),
      column((each) => each.p50Ms),
      column((each) => each.p99Ms),
      `${column((each) => each.longestBlockMs)} (${blockVerdict(rounds)})`,
    ]);
  }
  printTable(print, rows);
}

function blockVerdict(rounds: readonly LoadFigures[]): string {
  return verdict(median(rounds.map((each) => each.longestBlockMs)), BLOCK_AIM_MS);
}

/** How long the loop stands still on this machine without any work of ours. */
const idle: Subject = {
  label: 'nothing but timers of 1 ms',
  charge: () => delay(1),
  close: async () => undefined,
};

/** A key that all callers use, and a key for each of them. */
async function openSubjects(url: string | undefined, folder: string): Promise<Subject[]> {
  const source = 'server/storage/open-storage.ts';
  const { openStorage } = await importBuilt<typeof OpenStorage>(source);
  const storage = await openStorage({ url, dataFolder: folder, log: quietLog });
  const limits = { characters: Number.MAX_SAFE_INTEGER, speechMs: null };
  const accounts = await Promise.all(
    Array.from({ length: CALLERS }, () => openAccount(storage, { key: { limits } })),
  );
  const chargeOf = (pick: (caller: number) => number) => async (caller: number) => {
    const charge = accounts[pick(caller)]?.charge({ amount: 1 });
    if (charge === undefined) throw new Error('There is no such caller.');
    if ((await storage.usage.charge(charge)) !== 'charged')
      throw new Error('A charge was refused.');
  };
  return [
    subject(
      `${storage.name}, one key`,
      chargeOf(() => 0),
    ),
    subject(
      `${storage.name}, ${CALLERS} keys`,
      chargeOf((caller) => caller),
      storage,
    ),
  ];
}

function subject(label: string, charge: Subject['charge'], storage?: Storage): Subject {
  return { label, charge, close: async () => storage?.close() };
}

/** What it would be without a thread: a transaction a charge, the main thread waiting for the disk. */
function openBaseline(folder: string): Subject {
  const database = new DatabaseSync(path.join(folder, 'baseline.sqlite'));
  for (const setting of ['journal_mode = WAL', 'synchronous = FULL'])
    database.exec(`pragma ${setting}`);
  database.exec(`
    create table quota (id integer primary key, used integer not null, most integer not null);
    create table ledger (day text primary key, amount integer not null);
    insert into quota values (1, 0, ${Number.MAX_SAFE_INTEGER}), (2, 0, ${Number.MAX_SAFE_INTEGER});
  `);
  const spend = database.prepare(
    'update quota set used = used + ? where id = ? and used + ? <= most',
  );
  const record = database.prepare(
    'insert into ledger values (?, ?) on conflict (day) do update set amount = amount + excluded.amount',
  );
  const chargeNow = (amount: number) => {
    database.exec('begin immediate');
    for (const id of [1, 2]) {
      if (spend.run(amount, id, amount).changes !== 1) throw new Error('A charge was refused.');
    }
    record.run('2026-11-21', amount);
    database.exec('commit');
  };
  return {
    label: 'SQLite on the main thread, by hand',
    async charge() {
      chargeNow(1);
      // As callers that come in through sockets: one in a turn of the event loop.
      await nextTurn();
    },
    async close() {
      database.close();
    },
  };
}
