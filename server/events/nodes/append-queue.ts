/** What a node appends for others: one after the other, each again until there is an answer. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../shared/errors.ts';
import { withinTime } from '../../process/concurrency.ts';
import type { Logger } from '../../process/log.ts';
import type { SharedCaption } from '../embedded-caption-log.ts';

/** How long what is said waits for the others to have it, in ms. */
const PATIENCE_MS = 1_000;
const AGAIN_MS = 500;
/** What waits for a broker that is away; of more, the oldest is not told others. */
const MAX_WAITING = 20_000;

export interface Unappended {
  readonly shared: SharedCaption | undefined;
  /** @returns its id; undefined where it is refused */
  readonly send: (number: number) => Promise<number | undefined>;
  /** Whether nobody was told: it waits for this. */
  isAwaited: boolean;
  /** Whether others have it, or will: it was appended before. */
  isTold: boolean;
  isRefused: boolean;
  settle: (isRefused: boolean) => void;
  done: Promise<void>;
}

export interface AppendQueueOptions {
  onAppended: (id: number, shared: SharedCaption | undefined) => void;
  /** Finds out why it was refused: what waits is taken from here then, or appended. */
  onRefused: () => Promise<void>;
  log: Logger;
}

export class AppendQueue {
  readonly #options: AppendQueueOptions;
  #items: Unappended[] = [];
  #flushing: Promise<void> | undefined;
  /** The last number under which something was sent that was appended, or may have been. */
  #lastNumber = 0;
  /** Whether the broker does not keep up, and is not waited for. */
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

  /** Appends also what was taken from here before. */
  put(items: readonly Unappended[]): void {
    this.#items.push(...items);
    while (this.#items.length > MAX_WAITING) this.#items.shift()?.settle(false);
    this.#flushing ??= this.#flush().finally(() => (this.#flushing = undefined));
  }

  /** Waits for it, though not for long, nor again before all is appended. */
  async wait(item: Unappended): Promise<void> {
    item.isAwaited = true;
    if (!this.#isBehind && !(await withinTime(item.done, performance.now() + PATIENCE_MS))) {
      this.#isBehind = true;
    }
    item.isAwaited = false;
  }

  /** A caption was appended, and that not answered. */
  noteTold({ track, caption }: SharedCaption): void {
    for (const item of this.#items) {
      const { track: of, caption: same } = item.shared ?? {};
      if (of?.name === track.name && same?.sequence === caption.sequence) item.isTold = true;
    }
  }

  /** All that waits does so no more. */
  takeAll(): Unappended[] {
    return this.#items.splice(0);
  }

  /** Resolves when all is appended, or the time is up. */
  async idle(forMs: number): Promise<void> {
    await withinTime(this.#flushing ?? Promise.resolve(), performance.now() + forMs);
  }

  async #flush(): Promise<void> {
    const { onAppended, onRefused, log } = this.#options;
    for (let first = this.#items[0]; first !== undefined; first = this.#items[0]) {
      const number = this.#lastNumber + 1;
      const id = await first.send(number).catch((error: unknown) => {
        if (!isAway(error)) log.error({ err: error }, 'other servers cannot be told of a room');
        return 'away' as const;
      });
      const isTaken = this.#items[0] !== first;
      // Nothing else may have its number.
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
