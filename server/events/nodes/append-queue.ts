/** Queue of entries that a home appends to its room's stream: one at a time, each retried until answered. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../shared/errors.ts';
import { withinTime } from '../../process/concurrency.ts';
import type { Logger } from '../../process/log.ts';
import type { SharedCaption } from '../embedded-caption-log.ts';

/** How long a caption waits to be appended to the stream, in ms. */
const PATIENCE_MS = 1_000;
const AGAIN_MS = 500;
/**
 * Maximum number of entries waiting for an unreachable broker; beyond it the oldest is not shared with other
 * nodes.
 */
const MAX_WAITING = 20_000;

export interface Unappended {
  readonly shared: SharedCaption | undefined;
  /** Appends the entry under a number. @returns its id; undefined if it is refused */
  readonly send: (number: number) => Promise<number | undefined>;
  /** Whether the caption is held back here until it is appended. */
  isAwaited: boolean;
  /** Whether the other nodes have the caption, or will: it was appended before. */
  isTold: boolean;
  isRefused: boolean;
  settle: (isRefused: boolean) => void;
  done: Promise<void>;
}

export interface AppendQueueOptions {
  onAppended: (id: number, shared: SharedCaption | undefined) => void;
  /** Finds out why an append was refused: the queue is then taken, or appended after all. */
  onRefused: () => Promise<void>;
  log: Logger;
}

export class AppendQueue {
  readonly #options: AppendQueueOptions;
  #items: Unappended[] = [];
  #flushing: Promise<void> | undefined;
  /** Number of the last entry that was appended, or may have been. */
  #lastNumber = 0;
  /** Whether the broker does not keep up, so that nothing waits for it. */
  #isBehind = false;

  constructor(options: AppendQueueOptions) {
    this.#options = options;
  }

  add(send: Unappended['send'], shared?: SharedCaption, isTold = false): Unappended {
    let resolve = (): void => undefined;
    const done = new Promise<void>((settle) => (resolve = settle));
    const item: Unappended = {
      ...{ shared, send, done, isAwaited: false, isTold, isRefused: false },
      settle(isRefused) {
        item.isRefused = isRefused;
        resolve();
      },
    };
    this.put([item]);
    return item;
  }

  /** Queues items, which may have been taken from the queue before. */
  put(items: readonly Unappended[]): void {
    this.#items.push(...items);
    while (this.#items.length > MAX_WAITING) this.#items.shift()?.settle(false);
    this.#flushing ??= this.#flush().finally(() => (this.#flushing = undefined));
  }

  /** Waits briefly for an item, and not at all until the queue is empty after a timeout. */
  async wait(item: Unappended): Promise<void> {
    item.isAwaited = true;
    if (!this.#isBehind && !(await withinTime(item.done, performance.now() + PATIENCE_MS))) {
      this.#isBehind = true;
    }
    item.isAwaited = false;
  }

  /** Marks a caption as appended, although its append was not answered. */
  noteTold({ track, caption }: SharedCaption): void {
    for (const item of this.#items) {
      const { track: of, caption: same } = item.shared ?? {};
      if (of?.name === track.name && same?.sequence === caption.sequence) item.isTold = true;
    }
  }

  /** Removes and returns all waiting items. */
  takeAll(): Unappended[] {
    return this.#items.splice(0);
  }

  /** Resolves when all items are appended, or the time is up. */
  async idle(forMs: number): Promise<void> {
    await withinTime(this.#flushing ?? Promise.resolve(), performance.now() + forMs);
  }

  async #flush(): Promise<void> {
    const { onAppended, onRefused, log } = this.#options;
    for (let first = this.#items[0]; first !== undefined; first = this.#items[0]) {
      const number = this.#lastNumber + 1;
      const id = await first.send(number).catch((error: unknown) => {
        if (!isAway(error))
          log.error({ err: error }, 'the state of a room cannot be sent to other servers');
        return 'away' as const;
      });
      const isTaken = this.#items[0] !== first;
      // A number must not be reused for another entry.
      if (isTaken || typeof id === 'number') this.#lastNumber = number;
      if (isTaken) continue;
      if (id === undefined) await onRefused();
      if (typeof id === 'number') {
        this.#items.shift();
        onAppended(id, first.shared);
        first.settle(false);
      } else if (this.#items[0] === first) await delay(AGAIN_MS, undefined, { ref: false });
    }
    this.#isBehind = false;
  }
}

export function isAway(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'broker_unavailable';
}
