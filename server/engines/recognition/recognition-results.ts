/** What was recognised and not yet taken: the consumer's side of a stream. */
import type { Recognition } from '../engine.ts';

interface Reader {
  resolve: (result: IteratorResult<Recognition, undefined>) => void;
  reject: (error: unknown) => void;
}

const DONE = { done: true, value: undefined } as const;

/**
 * An async iterator that is filled from outside. Written by hand because an async generator cannot
 * be left while it waits: its `return()` would queue up behind the result that may never come.
 */
export class RecognitionResults implements AsyncIterableIterator<Recognition, undefined> {
  readonly #waiting: Recognition[] = [];
  readonly #readers: Reader[] = [];
  readonly #onDemand: () => void;
  readonly #onReturn: () => void;
  #end: { error?: unknown } | undefined;

  /**
   * @param onDemand called at every `next()`
   * @param onReturn called when the consumer leaves
   */
  constructor({ onDemand, onReturn }: { onDemand: () => void; onReturn: () => void }) {
    this.#onDemand = onDemand;
    this.#onReturn = onReturn;
  }

  /** Results nobody has taken. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Adds a result; a partial takes the place of one that was not read in time. */
  push(result: Recognition): void {
    if (this.#end !== undefined) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: result });
    } else {
      if (this.#waiting.at(-1)?.kind === 'partial') this.#waiting.pop();
      this.#waiting.push(result);
    }
  }

  /** Ends the iteration after what is waiting, with an error if one is given. */
  end(end: { error?: unknown } = {}): void {
    this.#end ??= end;
    for (const reader of this.#readers.splice(0)) this.#settle(reader);
  }

  /** Ends the iteration at once: what is waiting is dropped. */
  abort(end: { error?: unknown } = {}): void {
    this.#waiting.length = 0;
    this.#end = undefined;
    this.end(end);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Recognition, undefined>> {
    return new Promise((resolve, reject) => {
      const value = this.#waiting.shift();
      const reader = { resolve, reject };
      if (value !== undefined) resolve({ done: false, value });
      else if (this.#end !== undefined) this.#settle(reader);
      else this.#readers.push(reader);
      this.#onDemand();
    });
  }

  return(): Promise<IteratorResult<Recognition, undefined>> {
    this.abort();
    this.#onReturn();
    return Promise.resolve(DONE);
  }

  /** An error is told once; after it the iteration is over, as with generators. */
  #settle(reader: Reader): void {
    if (this.#end !== undefined && 'error' in this.#end) {
      const { error } = this.#end;
      this.#end = {};
      reader.reject(error);
    } else {
      reader.resolve(DONE);
    }
  }
}
