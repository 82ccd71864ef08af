/** The thread that owns the embedded database. */
import { parentPort, workerData } from 'node:worker_threads';
import { Kysely } from 'kysely';
import { ServiceError } from '../../../shared/errors.ts';
import { migrate } from '../migrations/index.ts';
import { UnusableDatabase } from '../store.ts';
import { createStoreRunner, callKindOf, mostCallsOf, type StoreRunner } from '../store-calls.ts';
import type { Tables } from '../database.ts';
import { createErasure } from './erasure.ts';
import {
  createSqliteDialect,
  isBusy,
  isDamaged,
  isOutOfOrder,
  openSqliteFile,
  rollBack,
  whenFree,
  type SqliteDatabase,
} from './sqlite.ts';
import type {
  StoreAnswer,
  StoreFailure,
  StoreOrder,
  StoreReport,
  StoreRequest,
  StoreThreadData,
} from './embedded-storage.ts';

const port = parentPort;
if (port === null) throw new Error('This module is run in a worker thread.');
const post = (report: StoreReport) => port.postMessage(report);

/** SQLite has ended the transaction itself, as on a full disk: nothing of the group was written. */
class LostTransaction extends Error {
  constructor(cause: unknown) {
    super('The transaction of the group has already ended.', { cause });
  }
}

const { file, erasurePeriodMs } = workerData as StoreThreadData;
open().catch((error: unknown) => {
  post({
    kind: 'refused',
    message: `The database ${file} cannot be used: ${reasonAndAdvice(error)}`,
  });
});

function reasonAndAdvice(error: unknown): string {
  if (error instanceof UnusableDatabase) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (isDamaged(error)) {
    return `${message}. Restore it from a copy, or set DATA_DIR to another folder.`;
  }
  const remedy = code === 'EACCES' ? 'Check its owner and its rights' : 'Make room';
  return `${message}. ${remedy}, or set DATA_DIR to another folder.`;
}

async function open(): Promise<void> {
  const database = openSqliteFile(file);
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(database) });
  await migrateAlone(database, db);
  serve({ database, db, file, erasurePeriodMs });
  post({ kind: 'ready' });
}

/**
 * Migrates in a transaction, which keeps other processes from migrating and rolls back a partial
 * migration.
 */
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

/** Answers calls in groups: calls that arrive while a group is written form the next one. */
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

/** A failed erasure is reported, and tried again later. */
function tryTo(erase: () => void): void {
  try {
    erase();
  } catch (error) {
    post({ kind: 'unerased', message: error instanceof Error ? error.message : String(error) });
  }
}

/** Lets messages in: the database itself never yields to the event loop. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

// Group commit: calls that arrive together share one transaction and thus one wait for the disk.
// Each write has a savepoint of its own, so that a failed one undoes only itself.

interface GroupCommitOptions {
  database: SqliteDatabase;
  /** Runs calls on that database. */
  runner: StoreRunner;
}

/**
 * @returns a function that runs a group and resolves once it is on disk; must not be called before
 *   the previous group was answered; never rejects
 */
function createGroupCommit({ database, runner }: GroupCommitOptions) {
  const inSavepoint = <Result>(work: () => Promise<Result>) => runInSavepoint(database, work);

  async function answerCall({ id, call }: StoreRequest): Promise<StoreAnswer> {
    const run = () => runner.run(call);
    try {
      return { id, value: await (callKindOf(call) === 'read' ? run() : inSavepoint(run)) };
    } catch (error) {
      if (error instanceof LostTransaction) throw error;
      return { id, failure: toFailure(error) };
    }
  }

  async function answerBatch(requests: readonly StoreRequest[]): Promise<StoreAnswer[]> {
    try {
      const answers = await inSavepoint(() => runner.runBatch(requests.map(({ call }) => call)));
      return requests.map(({ id }, index) => toAnswer(id, answers[index]));
    } catch (error) {
      if (error instanceof LostTransaction) throw error;
      return requests.map(({ id }) => ({ id, failure: toFailure(error) }));
    }
  }

  /** All calls are concurrent, so any order is correct. */
  async function answerAll(requests: readonly StoreRequest[]): Promise<StoreAnswer[]> {
    const answers: StoreAnswer[] = [];
    const batched = new Map<string, StoreRequest[]>();
    for (const request of requests) {
      const { call } = request;
      if (callKindOf(call) !== 'batch') answers.push(await answerCall(request));
      else {
        const batch = batched.get(call.store);
        if (batch === undefined) batched.set(call.store, [request]);
        else batch.push(request);
      }
    }
    for (const batch of batched.values()) {
      const most = batch[0] ? mostCallsOf(batch[0].call) : 1;
      for (let start = 0; start < batch.length; start += most) {
        answers.push(...(await answerBatch(batch.slice(start, start + most))));
      }
    }
    return answers;
  }

  return async function runGroup(requests: readonly StoreRequest[]): Promise<StoreAnswer[]> {
    // Reads see the latest state without waiting for writers in other processes.
    if (requests.every(({ call }) => callKindOf(call) === 'read')) return answerAll(requests);
    try {
      whenFree(() => database.exec('begin immediate'));
      const answers = await answerAll(requests);
      database.exec('commit');
      return answers;
    } catch (error) {
      rollBack(database);
      const failure = toFailure(error instanceof LostTransaction ? error.cause : error);
      return requests.map(({ id }) => ({ id, failure }));
    }
  };
}

/** Runs work that is undone alone when it fails. @throws the error of the work; LostTransaction */
async function runInSavepoint<Result>(
  database: SqliteDatabase,
  work: () => Promise<Result>,
): Promise<Result> {
  database.exec('savepoint call');
  try {
    const result = await work();
    database.exec('release call');
    return result;
  } catch (error) {
    try {
      database.exec('rollback to call; release call');
    } catch {
      throw new LostTransaction(error);
    }
    throw error;
  }
}

function toAnswer(id: number, answer: PromiseSettledResult<unknown> | undefined): StoreAnswer {
  if (answer?.status === 'fulfilled') return { id, value: answer.value };
  return { id, failure: toFailure(answer?.reason ?? new Error('A call was not answered.')) };
}

function toFailure(error: unknown): StoreFailure {
  if (error instanceof ServiceError) {
    const { code, message, detail } = error;
    return { code, message, ...(detail !== undefined && { detail }) };
  }
  if (isBusy(error)) {
    return { code: 'storage_unavailable', message: 'The database is busy. Please try again.' };
  }
  if (isOutOfOrder(error)) {
    return {
      code: 'storage_unavailable',
      message: 'The database cannot write or read its file now. Please try again later.',
      cause: error,
    };
  }
  return { code: undefined, message: error instanceof Error ? error.message : String(error) };
}
