/** The main thread's side of the thread that owns the database, from its start to its end, and the messages between the two. */
import type { Worker } from 'node:worker_threads';
import { type ErrorCode, ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import { mannerOf } from '../store-calls.ts';
import type { StoreCall } from '../store.ts';

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

export class StoreConnection {
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
