/** Who has to wait for whom: fair queues, places, changes to wait for, and aborts that follow others. */
import { setMaxListeners } from 'node:events';

/** Stands for one call in queues: an object of its own for each. */
export interface Turn {
  /** Whose call it is; those of nobody in particular share their turns. */
  readonly account: string | undefined;
}

/**
 * A queue that serves accounts in turn, and the calls of each in turn: one item of each, in the order
 * in which they came. An account with a thousand calls of a thousand items delays another by one item.
 */
export class FairQueue<Item> {
  readonly #accounts = new Lanes<string | undefined, Lanes<Turn, Item[]>>();

  get isEmpty(): boolean {
    return this.#accounts.size === 0;
  }

  push(turn: Turn, item: Item): void {
    const calls = this.#accounts.lane(turn.account, () => new Lanes());
    calls.lane(turn, () => []).push(item);
  }

  /** Takes the next item; undefined when the queue is empty. */
  shift(): Item | undefined {
    return this.#accounts.serve(
      (calls) =>
        calls.serve(
          (items) => items.shift(),
          (items) => items.length === 0,
        ),
      (calls) => calls.size === 0,
    );
  }

  /** Takes out all that a call has waiting. */
  remove(turn: Turn): Item[] {
    const calls = this.#accounts.get(turn.account);
    const items = calls?.get(turn) ?? [];
    calls?.delete(turn);
    if (calls?.size === 0) this.#accounts.delete(turn.account);
    return items;
  }

  /** Takes out everything. */
  clear(): Item[] {
    const items = [...this.#accounts.values()].flatMap((calls) => [...calls.values()].flat());
    this.#accounts.clear();
    return items;
  }
}

/** Lanes with something in them, the next to be served first: a Map keeps insertion order. */
class Lanes<Key, Lane> extends Map<Key, Lane> {
  /** The lane of a key, a new one at the end where there is none. */
  lane(key: Key, create: () => Lane): Lane {
    let lane = this.get(key);
    if (lane === undefined) this.set(key, (lane = create()));
    return lane;
  }

  /** Takes one item from the first lane, which becomes the last unless it is empty by then. */
  serve<Item>(take: (lane: Lane) => Item, isEmpty: (lane: Lane) => boolean): Item | undefined {
    for (const [key, lane] of this) {
      const item = take(lane);
      this.delete(key);
      if (!isEmpty(lane)) this.set(key, lane);
      return item;
    }
    return undefined;
  }
}

interface Waiter {
  start: () => void;
  giveUp: (reason: unknown) => void;
}

/** Places for so much work at a time; whoever waits for one is served as in a {@link FairQueue}. */
export class FairPlaces {
  readonly #waiting = new FairQueue<Waiter>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Does a piece of work when there is a place. @throws what the work throws; the reason given to {@link abandon} */
  async hold<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((start, giveUp) => this.#waiting.push(turn, { start, giveUp }));
    try {
      return await work();
    } finally {
      // A place goes straight to the next who waits.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next.start();
    }
  }

  /** Lets a call wait no longer. */
  abandon(turn: Turn, reason: unknown): void {
    for (const { giveUp } of this.#waiting.remove(turn)) giveUp(reason);
  }
}

/**
 * Something to wait on: `next()` resolves at the next `notify()`. Check what you wait for in a loop,
 * and call `next()` in the same turn as the check: a change in between would be missed.
 */
export class Change {
  #pending: Promise<void> | undefined;
  #resolve: () => void = () => {};

  next(): Promise<void> {
    return (this.#pending ??= new Promise((resolve) => (this.#resolve = resolve)));
  }

  notify(): void {
    this.#pending = undefined;
    this.#resolve();
  }
}

/**
 * Whether some work was done before a moment of `performance.now()`, in ms; it goes on all the same.
 *
 * @throws what the work throws until then
 */
export async function withinTime(work: Promise<unknown>, untilMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, untilMs - performance.now()));
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A controller that aborts with the first of these signals, with its reason. `unlink` lets go of
 * them: `AbortSignal.any` would hold on to a long-lived signal's dependants in Node 20.
 */
export function linkAbort(...signals: readonly AbortSignal[]): {
  controller: AbortController;
  unlink: () => void;
} {
  const controller = new AbortController();
  // Many requests at once may follow one signal: that is no leak.
  setMaxListeners(0, controller.signal, ...signals);
  const unlinks = signals.map((signal) => {
    const forward = () => controller.abort(signal.reason);
    if (signal.aborted) forward();
    else signal.addEventListener('abort', forward, { once: true });
    return () => signal.removeEventListener('abort', forward);
  });
  return {
    controller,
    unlink: () => {
      for (const unlink of unlinks) unlink();
    },
  };
}
