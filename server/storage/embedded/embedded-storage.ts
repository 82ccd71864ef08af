/** Storage in a file of this machine, written by a thread of its own. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { Kysely } from 'kysely';
import { type ErrorCode, ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import { startWorker } from '../../process/index.ts';
import { stores as definitions, type Storage, type Stores } from '../../stores.ts';
import type { Tables } from '../database.ts';
import { mannerOf, storesFromCalls } from '../store-calls.ts';
import type { StoreCall } from '../store.ts';
import { ERASURE_PERIOD_MS } from './erasure.ts';
import { createSqliteDialect, openSqliteReader } from './sqlite.ts';

const DATABASE_FILE = 'dragoman.sqlite';
/** How long nothing is asked of the database after its thread has ended: twice as long each time it fails to start. */
const RESTART_DELAY_MS = { first: 100, longest: 10_000 };

interface EmbeddedStorageOptions {
  /** Made when it is missing. */
  dataFolder: string;
  log: Logger;
  /** How often what was deleted is erased from the log, in ms. */
  erasurePeriodMs?: number;
  /** For tests that end the thread. */
  onThread?: (thread: Worker) => void;
}

/** @throws Error when the database cannot be opened or brought up to date */
export async function openEmbeddedStorage({
  dataFolder,
  log,
  erasurePeriodMs = ERASURE_PERIOD_MS,
  onThread,
}: EmbeddedStorageOptions): Promise<Storage> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const file = path.resolve(dataFolder, DATABASE_FILE);
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

  /** A thread that ends is followed by another as soon as something is asked, though not at once. */
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
      // Every request asks this: some µs here spare it a way to the thread and back.
      authenticate: (secretHash) =>
        reader.authenticate(secretHash).catch(() => stores.apiKeys.authenticate(secretHash)),
    },
    documents: withPartsAlone(stores.documents),
    async close() {
      isClosed = true;
      reader.close();
      if (connection.isOpen) await connection.close();
    },
  };
}

function withPartsAlone(documents: Stores['documents']): Stores['documents'] {
  return {
    ...documents,
    addPart: (part, claimId) => documents.addPart(standingAlone(part), claimId),
    submit: (document, maxDocuments, lastPart) =>
      documents.submit(document, maxDocuments, standingAlone(lastPart)),
    finish: (documentId, claimId, { lastPart, ...result }) =>
      documents.finish(documentId, claimId, { ...result, lastPart: standingAlone(lastPart) }),
  };
}

/** A view goes to the thread with all of the memory that it is a view of: all of a file for each part of it. */
function standingAlone<Part extends { bytes: Uint8Array }>(part: Part): Part {
  const { bytes } = part;
  return bytes.byteLength === bytes.buffer.byteLength
    ? part
    : { ...part, bytes: new Uint8Array(bytes) };
}

function unavailable(): ServiceError {
  return new ServiceError('storage_unavailable', 'The database is starting. Please try again.');
}

// Looks keys up on the main thread: one row by an index, from a log that readers share with the writer.

interface KeyReader {
  /** Sees all that was committed, by whichever process. Rejects when the database is not to be read now. */
  authenticate: Storage['apiKeys']['authenticate'];
  close(): void;
}

/** @throws Error when the database cannot be opened */
async function openKeyReader(file: string): Promise<KeyReader> {
  const database = openSqliteReader(file);
  let isOpen = true;
  const keys = definitions.apiKeys.over(
    new Kysely<Tables>({ dialect: createSqliteDialect(database) }),
  );
  return {
    authenticate: (secretHash) => keys.authenticate(secretHash),
    close() {
      if (isOpen) database.close();
      isOpen = false;
    },
  };
}

// What the main thread and the thread that owns the database (`store-thread.ts`) send each other.

/** What the thread is started with. */
export interface StoreThreadData {
  file: string;
  /** How often what was deleted is erased from the log, in ms. */
  erasurePeriodMs: number;
}

/** A call that is to be answered. */
export interface StoreRequest {
  id: number;
  call: StoreCall;
}

/** To the thread: calls, or the wish that it finishes what it has and closes the database. */
export type StoreOrder = readonly StoreRequest[] | 'close';

/** An error on its way to the other thread; `code` is undefined for what was not foreseen. */
export interface StoreFailure {
  code: ErrorCode | undefined;
  message: string;
  detail?: string;
}

export type StoreAnswer = { id: number; value: unknown } | { id: number; failure: StoreFailure };

/** From the thread: it can begin, it cannot open the database, it cannot erase what was deleted, answers. */
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

/** Groups of calls that are written at once go off this far apart, unless they are full. */
const MIN_INTERVAL_MS = 4;
const MAX_INTERVAL_MS = 8;
const FULL_GROUP = 32;
/** How long a thread may take to write what it has when it is to close. */
const CLOSE_LIMIT_MS = 30_000;

/** The main thread's side of a thread that owns the database, from its start to its end. */
class StoreConnection {
  /** Resolves when the database is open; rejects with what is wrong with it. */
  readonly ready: Promise<void>;
  /** Resolves when the thread is no more. */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  readonly #log: Logger;
  readonly #waiting = new Map<number, Waiting>();
  #outbox: StoreRequest[] = [];
  #isFlushDue = false;
  #lastFlushAtMs = 0;
  #lastGroupSize = 0;
  #entryTimer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #hasEnded = false;

  constructor({ worker, log }: { worker: Worker; log: Logger }) {
    this.#worker = worker;
    this.#log = log;
    this.ready = new Promise((resolve, reject) => {
      worker.on('message', (report: StoreReport) => {
        if (report.kind === 'ready') resolve();
        else if (report.kind === 'refused') reject(new Error(report.message));
        else if (report.kind === 'answers') report.answers.forEach((each) => this.#settle(each));
        else log.warn({ error: report.message }, 'What was deleted is not erased yet.');
      });
      worker.once('error', (error: unknown) => reject(asError(error)));
      worker.once('exit', () => reject(new Error('The thread of the database has ended.')));
    });
    // Who opens a connection hears of it; a crash later on shows by the calls it takes with it.
    this.ready.catch(() => undefined);
    this.ended = new Promise((resolve) => void worker.once('exit', () => resolve()));
    worker.on('error', (error: unknown) => {
      log.error({ error: String(error) }, 'The thread of the database crashed.');
    });
    worker.once('exit', () => this.#end());
  }

  /** False once nothing can be asked of it any more. */
  get isOpen(): boolean {
    return !this.#hasEnded;
  }

  /** Hands a call over. @throws ServiceError */
  ask(call: StoreCall): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#lastId += 1;
      this.#waiting.set(this.#lastId, { call, resolve, reject });
      this.#outbox.push({ id: this.#lastId, call });
      this.#scheduleFlush(mannerOf(call) === 'batch' && this.#outbox.length < FULL_GROUP);
    });
  }

  /**
   * One message for all calls of this turn of the event loop. Those that are written at once wait a little for others while
   * many callers are at it, for each group costs a commit; a caller who is alone waits for nobody.
   */
  #scheduleFlush(mayWait: boolean): void {
    if (this.#isFlushDue) return;
    const sinceLastMs = performance.now() - this.#lastFlushAtMs;
    const isBusy = this.#lastGroupSize > 1 || this.#waiting.size > this.#outbox.length;
    // The more callers there are, the longer their requests take anyway.
    const intervalMs = Math.min(Math.max(this.#lastGroupSize, MIN_INTERVAL_MS), MAX_INTERVAL_MS);
    if (!mayWait || !isBusy || sinceLastMs >= intervalMs) {
      this.#isFlushDue = true;
      setImmediate(() => this.#flush());
    } else {
      this.#entryTimer ??= setTimeout(() => this.#flush(), intervalMs - sinceLastMs);
    }
  }

  /** Lets the thread finish what it was asked, and waits for its end. */
  async close(): Promise<void> {
    this.#flush();
    this.#worker.postMessage('close' satisfies StoreOrder);
    const limit = setTimeout(() => void this.#worker.terminate(), CLOSE_LIMIT_MS);
    await this.ended;
    clearTimeout(limit);
  }

  #flush(): void {
    clearTimeout(this.#entryTimer);
    this.#entryTimer = undefined;
    this.#isFlushDue = false;
    this.#lastFlushAtMs = performance.now();
    this.#lastGroupSize = this.#outbox.length;
    if (this.#outbox.length === 0 || this.#hasEnded) return;
    const outbox = this.#outbox;
    this.#outbox = [];
    try {
      this.#worker.postMessage(outbox satisfies StoreOrder);
    } catch (error) {
      // Something in it cannot be sent to another thread: a mistake of a caller.
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
    const { code, message, detail } = answer.failure;
    if (code !== undefined) {
      waiting.reject(new ServiceError(code, message, detail === undefined ? {} : { detail }));
      return;
    }
    const { store, method } = waiting.call;
    this.#log.error({ store, method, error: message }, 'The database refused a statement.');
    waiting.reject(new ServiceError('internal', 'Something went wrong. Please try again.'));
  }

  #end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#entryTimer);
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
