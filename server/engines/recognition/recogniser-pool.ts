/**
 * Recogniser processes kept warm. A process hears one stream and is not used again: a fresh one has
 * learnt nothing of another speaker and cannot carry anything over.
 */
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import type { PipedChild } from '../../process/module.ts';
import { RecogniserChild } from './recogniser-child.ts';

export interface RecogniserPoolOptions {
  log: Logger;
  start: () => PipedChild;
  /** How many processes wait, model loaded, for the next stream. */
  spareCount: number;
  /** Longest time a process may take to load, in ms. */
  startTimeoutMs: number;
}

interface Waiter {
  resolve: (child: RecogniserChild) => void;
  reject: (error: Error) => void;
}

/** Loading takes a core for some tenths of a second: a burst of sessions must not take all of them. */
const MAX_STARTS = 2;
/** After this many failures in a row, waiting streams are told. */
const MAX_FAILURES = 3;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

export class RecogniserPool {
  readonly #options: RecogniserPoolOptions;
  /** Every living process, so that none is left behind. */
  readonly #children = new Set<RecogniserChild>();
  readonly #spares = new Set<RecogniserChild>();
  readonly #waiters = new Set<Waiter>();
  #startCount = 0;
  /** Starts and idle spares that failed in a row. */
  #failureCount = 0;
  #pause: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: RecogniserPoolOptions) {
    this.#options = options;
  }

  /** Starts one process and keeps it as a spare. Throws Error with what the process says is missing. */
  async warmUp(): Promise<void> {
    await this.#startOne();
    this.#refill();
  }

  /**
   * Hands over a process that is ready; from then on it is the caller's to kill.
   *
   * @throws ServiceError recognition_failed when none can be started; the signal's reason
   */
  async take(signal: AbortSignal): Promise<RecogniserChild> {
    signal.throwIfAborted();
    if (this.#isClosed) throw closedError();
    for (const spare of this.#spares) {
      this.#spares.delete(spare);
      this.#refill();
      return spare;
    }
    return await new Promise<RecogniserChild>((resolve, reject) => {
      const forget = (): void => {
        this.#waiters.delete(waiter);
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        resolve: (child) => {
          forget();
          resolve(child);
        },
        reject: (error) => {
          forget();
          reject(error);
        },
      };
      const onAbort = (): void => waiter.reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort);
      this.#waiters.add(waiter);
      this.#refill();
    });
  }

  /** Ends every process, busy ones too; resolves when they are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#pause);
    for (const waiter of this.#waiters) waiter.reject(closedError());
    for (const child of this.#children) child.kill();
    await Promise.all([...this.#children].map((child) => child.gone));
  }

  #refill(): void {
    if (this.#isClosed || this.#pause !== undefined) return;
    const wanted = this.#waiters.size + this.#options.spareCount - this.#spares.size;
    while (this.#startCount < Math.min(wanted, MAX_STARTS)) {
      this.#startOne().then(
        () => this.#refill(),
        (error: unknown) => this.#fail(error),
      );
    }
  }

  async #startOne(): Promise<void> {
    this.#startCount += 1;
    try {
      const child = this.#spawn();
      const tooLate = setTimeout(() => child.kill(), this.#options.startTimeoutMs);
      try {
        await child.ready;
      } finally {
        clearTimeout(tooLate);
      }
      this.#failureCount = 0;
      this.#offer(child);
    } finally {
      this.#startCount -= 1;
    }
  }

  #spawn(): RecogniserChild {
    const { log, start } = this.#options;
    const child = new RecogniserChild({ process: start(), log });
    this.#children.add(child);
    void child.gone.then(() => {
      this.#children.delete(child);
      if (this.#spares.delete(child)) this.#fail(new Error('A spare recogniser process ended'));
    });
    return child;
  }

  #offer(child: RecogniserChild): void {
    for (const waiter of this.#waiters) {
      waiter.resolve(child);
      return;
    }
    this.#spares.add(child);
  }

  /** Waits longer after each failure, so that a broken installation costs next to nothing. */
  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#failureCount += 1;
    this.#options.log.warn({ error, failures: this.#failureCount }, 'recogniser process failed');
    if (this.#failureCount >= MAX_FAILURES) {
      for (const waiter of this.#waiters) {
        waiter.reject(
          new ServiceError('recognition_failed', 'The recogniser does not start.', {
            cause: error,
          }),
        );
      }
    }
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failureCount - 1), LONGEST_PAUSE_MS);
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#refill();
    }, pauseMs);
  }
}

function closedError(): ServiceError {
  return new ServiceError('recognition_failed', 'The recogniser has been closed.');
}
