/** Storage in a local SQLite file, written by a dedicated thread. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { Kysely } from 'kysely';
import { type ErrorCode, ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import { startWorker } from '../../process/index.ts';
import { stores as definitions, type Storage, type Stores } from '../../stores.ts';
import type { Tables } from '../database.ts';
import { callKindOf, storesFromCalls } from '../store-calls.ts';
import { type StoreCall, UnusableDatabase } from '../store.ts';
import { ERASURE_PERIOD_MS } from './erasure.ts';
import { createSqliteDialect, openSqliteReader } from './sqlite.ts';

const DATABASE_FILE = 'dragoman.sqlite';
/** Delay before a new thread is started after one has ended, in ms; doubles with each failed start. */
const RESTART_DELAY_MS = { first: 100, longest: 10_000 };

interface EmbeddedStorageOptions {
  /** Created if missing. */
  dataFolder: string;
  log: Logger;
  /** Refuses a folder without a database. */
  mustExist?: boolean;
  /** Interval at which deleted data is erased from the log, in ms. */
  erasurePeriodMs?: number;
  /** Used by tests that end the thread. */
  onThread?: (thread: Worker) => void;
}

/** @throws UnusableDatabase when the database cannot be opened or migrated */
export async function openEmbeddedStorage({
  dataFolder,
  log,
  mustExist = false,
  erasurePeriodMs = ERASURE_PERIOD_MS,
  onThread,
}: EmbeddedStorageOptions): Promise<Storage> {
  const file = path.resolve(dataFolder, DATABASE_FILE);
  if (mustExist) assertExists(file);
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  let connection = connect();
  let delayMs = RESTART_DELAY_MS.first;
  let restartAtMs = 0;
  let isClosed = false;

  function connect(): StoreConnection {
    const workerData: StoreThreadData = { file, erasurePeriodMs };
    const worker = startWorker(import.meta.url, './store-thread', { workerData });
    onThread?.(worker);
    return new StoreConnection({ worker, log });
  }

  function ask(call: StoreCall): Promise<unknown> {
    if (isClosed) return Promise.reject(new ServiceError('stopping', 'The server is stopping.'));
    if (!connection.isOpen) {
      if (performance.now() < restartAtMs) return Promise.reject(unavailable());
      connection = connect();
      watch(connection);
    }
    return connection.ask(call);
  }

  /**
   * Tracks a thread's start and end. After its end, the next call starts a new thread, once the
   * delay has passed.
   */
  function watch(watched: StoreConnection): void {
    watched.ready.then(
      () => (delayMs = RESTART_DELAY_MS.first),
      () => (delayMs = Math.min(delayMs * 2, RESTART_DELAY_MS.longest)),
    );
    void watched.ended.then(() => (restartAtMs = performance.now() + delayMs));
  }

  watch(connection);
  await connection.ready;
  const stores = storesFromCalls(ask);
  const reader = await openKeyReader(file);
  return {
    name: 'sqlite',
    ...stores,
    apiKeys: {
      ...stores.apiKeys,
      // Runs on every request: some µs on the main thread save a round trip to the database thread.
      authenticate: (secretHash) =>
        reader.authenticate(secretHash).catch(() => stores.apiKeys.authenticate(secretHash)),
    },
    documents: withCopiedParts(stores.documents),
    hurry: () => connection.hurry(),
    async close() {
      isClosed = true;
      reader.close();
      if (connection.isOpen) await connection.close();
    },
  };
}

function assertExists(file: string): void {
  if (existsSync(file)) return;
  throw new UnusableDatabase(
    `There is no database ${file}. Set DATA_DIR to the data folder of the server, or STORAGE_URL ` +
      'to its PostgreSQL. A new server creates its database when it starts for the first time.',
  );
}

function withCopiedParts(documents: Stores['documents']): Stores['documents'] {
  return {
    ...documents,
    addPart: (part, claimId) => documents.addPart(copyIfView(part), claimId),
    submit: (document, maxDocuments, lastPart) =>
      documents.submit(document, maxDocuments, copyIfView(lastPart)),
    finish: (documentId, claimId, { lastPart, ...result }) =>
      documents.finish(documentId, claimId, { ...result, lastPart: copyIfView(lastPart) }),
  };
}

/**
 * Copies bytes that are a view: posting a view to another thread would clone its whole underlying
 * buffer, so every part would carry the entire file.
 */
function copyIfView<Part extends { bytes: Uint8Array }>(part: Part): Part {
  const { bytes } = part;
  return bytes.byteLength === bytes.buffer.byteLength
    ? part
    : { ...part, bytes: new Uint8Array(bytes) };
}

function unavailable(): ServiceError {
  return new ServiceError('storage_unavailable', 'The database is starting. Please try again.');
}

// Key lookup on the main thread: one indexed row, read from the write-ahead log that readers share
// with the writer.

interface KeyReader {
  /** Sees everything committed by any process. Rejects when the database cannot be read at the moment. */
  authenticate: Storage['apiKeys']['authenticate'];
  close(): void;
}

/** Most callers that are remembered between two commits. */
const MOST_CALLERS = 1_000;

/** @throws Error when the database cannot be opened */
async function openKeyReader(file: string): Promise<KeyReader> {
  const database = openSqliteReader(file);
  let isOpen = true;
  const keys = definitions.apiKeys.over(
    new Kysely<Tables>({ dialect: createSqliteDialect(database) }),
  );
  const versionQuery = database.prepare('pragma data_version');
  let version: number | undefined;
  /** Callers found in this version of the database: the next commit of any process ends it. */
  const found = new Map<string, Awaited<ReturnType<KeyReader['authenticate']>>>();
  return {
    async authenticate(secretHash) {
      // Takes far less than finding the key.
      const current = Number(Object.values(versionQuery.all()[0] ?? {})[0]);
      if (current !== version || found.size === MOST_CALLERS) found.clear();
      version = current;
      const known = found.get(secretHash);
      if (known !== undefined) return known;
      const caller = await keys.authenticate(secretHash);
      if (caller !== undefined && version === current) found.set(secretHash, caller);
      return caller;
    },
    close() {
      if (isOpen) database.close();
      isOpen = false;
    },
  };
}

// Messages between the main thread and the database thread (`store-thread.ts`).

/** Initial data of the thread. */
export interface StoreThreadData {
  file: string;
  /** Interval at which deleted data is erased from the log, in ms. */
  erasurePeriodMs: number;
}

/** A call that expects an answer. */
export interface StoreRequest {
  id: number;
  call: StoreCall;
}

/** To the thread: calls, or the order to finish pending calls and close the database. */
export type StoreOrder = readonly StoreRequest[] | 'close';

/** An error in transit between the threads; `code` is undefined for unexpected errors. */
export interface StoreFailure {
  code: ErrorCode | undefined;
  message: string;
  detail?: string;
  cause?: unknown;
}

export type StoreAnswer = { id: number; value: unknown } | { id: number; failure: StoreFailure };

/** From the thread: ready, database cannot be opened, deleted data cannot be erased, or answers. */
export type StoreReport =
  | { kind: 'ready' }
  | { kind: 'refused'; message: string }
  | { kind: 'unerased'; message: string }
  | { kind: 'answers'; answers: StoreAnswer[] };

interface Waiting {
  call: StoreCall;
  resolve: (value: unknown) => void;
  reject: (error: ServiceError) => void;
}

/** Longest time that a batched call waits for others, in ms, unless a group is full. */
const MAX_WAIT_MS = 24;
/** Shortest interval between two groups of which somebody waits for a call, in ms. */
const MIN_INTERVAL_MS = 2;
const FULL_GROUP = 32;
/** Longest time for the thread to finish its calls when closing, in ms. */
const CLOSE_LIMIT_MS = 30_000;

/** The main thread's side of a database thread, from its start to its end. */
class StoreConnection {
  /** Resolves when the database is open; rejects with the reason if it cannot be. */
  readonly ready: Promise<void>;
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  readonly #log: Logger;
  readonly #waiting = new Map<number, Waiting>();
  #outbox: StoreRequest[] = [];
  #isFlushDue = false;
  #lastFlushAtMs = 0;
  #lastGroupSize = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #hasEnded = false;

  constructor({ worker, log }: { worker: Worker; log: Logger }) {
    this.#worker = worker;
    this.#log = log;
    this.ready = new Promise((resolve, reject) => {
      worker.on('message', (report: StoreReport) => {
        if (report.kind === 'ready') resolve();
        else if (report.kind === 'refused') reject(new UnusableDatabase(report.message));
        else if (report.kind === 'answers') report.answers.forEach((each) => this.#settle(each));
        else log.warn({ error: report.message }, 'Deleted data is not erased from the file yet.');
      });
      worker.once('error', (error: unknown) => reject(asError(error)));
      worker.once('exit', () => reject(new Error('The thread of the database has ended.')));
    });
    // The opener handles a failed start; later crashes surface in the calls that they interrupt.
    this.ready.catch(() => undefined);
    this.ended = new Promise((resolve) => void worker.once('exit', () => resolve()));
    worker.on('error', (error: unknown) => {
      log.error({ error: String(error) }, 'The thread of the database crashed.');
    });
    worker.once('exit', () => this.#end());
  }

  /** False once the thread has ended. */
  get isOpen(): boolean {
    return !this.#hasEnded;
  }

  /** Sends a call. @throws ServiceError */
  ask(call: StoreCall): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#lastId += 1;
      this.#waiting.set(this.#lastId, { call, resolve, reject });
      this.#outbox.push({ id: this.#lastId, call });
      this.#scheduleFlush(callKindOf(call) === 'batch' && this.#outbox.length < FULL_GROUP);
    });
  }

  /**
   * Sends all calls of this turn of the event loop in one message. While many callers are active, batched calls
   * wait for others until somebody waits for one of them, because each group costs a commit.
   */
  #scheduleFlush(mayWait: boolean): void {
    const isBusy = this.#lastGroupSize > 1 || this.#waiting.size > this.#outbox.length;
    if (!mayWait || !isBusy) this.#flushSoon();
    else if (!this.#isFlushDue) this.#timer ??= setTimeout(() => this.#flush(), MAX_WAIT_MS);
  }

  /** Sends the batched calls that wait for others. */
  hurry(): void {
    if (this.#outbox.length === 0 || this.#isFlushDue) return;
    const restMs = this.#lastFlushAtMs + MIN_INTERVAL_MS - performance.now();
    if (restMs <= 0) {
      this.#flushSoon();
      return;
    }
    clearTimeout(this.#timer);
    // No flush is due yet: other calls wait for nobody.
    this.#timer = setTimeout(() => this.#flush(), restMs);
  }

  #flushSoon(): void {
    if (!this.#isFlushDue) setImmediate(() => this.#flush());
    this.#isFlushDue = true;
  }

  /** Lets the thread finish pending calls, and waits for its end. */
  async close(): Promise<void> {
    this.#flush();
    this.#worker.postMessage('close' satisfies StoreOrder);
    const limit = setTimeout(() => void this.#worker.terminate(), CLOSE_LIMIT_MS);
    await this.ended;
    clearTimeout(limit);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isFlushDue = false;
    this.#lastFlushAtMs = performance.now();
    this.#lastGroupSize = this.#outbox.length;
    if (this.#outbox.length === 0 || this.#hasEnded) return;
    const outbox = this.#outbox;
    this.#outbox = [];
    try {
      this.#worker.postMessage(outbox satisfies StoreOrder);
    } catch (error) {
      // An argument cannot be cloned to another thread: a bug of a caller.
      const failure = { code: undefined, message: String(error) };
      for (const { id } of outbox) this.#settle({ id, failure });
    }
  }

  #settle(answer: StoreAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (waiting === undefined) return;
    if ('value' in answer) {
      waiting.resolve(answer.value);
      return;
    }
    const { code, message, ...options } = answer.failure;
    if (code !== undefined) {
      waiting.reject(new ServiceError(code, message, options));
      return;
    }
    const { store, method } = waiting.call;
    this.#log.error({ store, method, error: message }, 'The database refused a statement.');
    waiting.reject(new ServiceError('internal', 'Something went wrong. Please try again.'));
  }

  #end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    for (const { id } of this.#outbox) {
      // Nothing of it was written.
      this.#waiting.get(id)?.reject(unavailable());
      this.#waiting.delete(id);
    }
    for (const { reject } of this.#waiting.values()) {
      reject(new ServiceError('internal', 'The database has stopped. Please try again.'));
    }
    this.#waiting.clear();
    this.#outbox = [];
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
