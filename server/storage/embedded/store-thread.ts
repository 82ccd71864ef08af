/** The thread that owns the embedded database. */
import { parentPort, workerData } from 'node:worker_threads';
import { Kysely } from 'kysely';
import { migrate } from '../migrate.ts';
import { createStoreRunner } from '../store-calls.ts';
import type { Tables } from '../database.ts';
import { createGroupCommit } from './group-commit.ts';
import { createErasure } from './erasure.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import { openSqliteFile, rollBack, whenFree, type SqliteDatabase } from './sqlite.ts';
import type { StoreOrder, StoreReport, StoreRequest, StoreThreadData } from './store-connection.ts';

const port = parentPort;
if (port === null) throw new Error('This module is run in a worker thread.');
const post = (report: StoreReport) => port.postMessage(report);

try {
  const { file, erasurePeriodMs } = workerData as StoreThreadData;
  const database = await openSqliteFile(file);
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(database) });
  await migrateAlone(database, db);
  serve({ database, db, file, erasurePeriodMs });
  post({ kind: 'ready' });
} catch (error) {
  const { file } = workerData as StoreThreadData;
  const reason = error instanceof Error ? error.message : String(error);
  const advice = 'Make room, restore it from a copy, or set DATA_DIR to another folder.';
  post({ kind: 'refused', message: `The database ${file} cannot be used: ${reason}. ${advice}` });
}

/** In a transaction that keeps other processes from migrating, and takes back half a migration. */
async function migrateAlone(database: SqliteDatabase, db: Kysely<Tables>): Promise<void> {
  whenFree(() => database.exec('begin immediate'));
  try {
    await migrate(db);
    database.exec('commit');
  } catch (error) {
    rollBack(database);
    database.close();
    throw error;
  }
}

interface Serving {
  database: SqliteDatabase;
  db: Kysely<Tables>;
  file: string;
  erasurePeriodMs: number;
}

/** Answers calls, a group at a time: what arrives while one is written makes the next. */
function serve({ database, db, file, erasurePeriodMs }: Serving): void {
  const runGroup = createGroupCommit({ database, runner: createStoreRunner(db) });
  const erase = createErasure({ database, file });
  let waiting: StoreRequest[] = [];
  let isErasureDue = false;
  let isClosing = false;
  let isRunning = false;

  async function run(): Promise<void> {
    while (waiting.length > 0 || isErasureDue) {
      const group = waiting;
      waiting = [];
      if (group.length > 0) post({ kind: 'answers', answers: await runGroup(group) });
      if (isErasureDue) tryTo(erase);
      isErasureDue = false;
      await nextTurn();
    }
    isRunning = false;
    if (!isClosing) return;
    clearInterval(timer);
    tryTo(erase);
    database.close();
    port?.close();
  }

  function start(): void {
    if (isRunning) return;
    isRunning = true;
    setImmediate(() => void run());
  }

  const timer = setInterval(() => {
    isErasureDue = true;
    start();
  }, erasurePeriodMs);
  port?.on('message', (order: StoreOrder) => {
    if (order === 'close') isClosing = true;
    else waiting.push(...order);
    start();
  });
}

/** What cannot be erased now is erased another time. */
function tryTo(erase: () => void): void {
  try {
    erase();
  } catch (error) {
    post({ kind: 'unerased', message: error instanceof Error ? error.message : String(error) });
  }
}

/** Lets messages in: the database itself does not give the event loop a turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
