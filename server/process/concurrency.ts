/** Who has to wait for whom: fair queues, places, changes to wait for, and aborts that follow others. */
import { setMaxListeners } from 'node:events';

/** Stands for one call in queues: an object of its own for each. */
export interface Turn {
  /** Whose call it is; those of nobody in particular share their turns. */
  readonly account: string | undefined;
}

/**
 * A queue that serves the account that has had least of late, and the calls of each in turn, one item of
 * each: start-time fair queuing. An account with a thousand calls of a thousand items delays another that
 * asks for little by no item at all, and none can have more than its share by asking for less at a time.
 */
export class FairQueue<Item> {
  readonly #accounts = new Map<string | undefined, Share<Item>>();
  readonly #costOf: (item: Item) => number;
  #waiting = 0;
  /** What the account that was served last had had before. */
  #had = 0;

  /** @param costOf what an item takes of the share of its account, in any unit */
  constructor(costOf: (item: Item) => number = () => 1) {
    this.#costOf = costOf;
  }

  get isEmpty(): boolean {
    return this.#waiting === 0;
  }

  push(turn: Turn, item: Item): void {
    let share = this.#accounts.get(turn.account);
    if (share === undefined) {
      this.#accounts.set(turn.account, (share = { calls: new Lanes(), had: this.#had }));
    } else if (share.calls.size === 0) {
      // Nothing is saved up while an account asks for nothing.
      share.had = Math.max(share.had, this.#had);
    }
    share.calls.lane(turn, () => []).push(item);
    this.#waiting += 1;
  }

  /** Takes the next item; undefined when the queue is empty. */
  shift(): Item | undefined {
    const share = this.#next();
    const item = share?.calls.serve(
      (items) => items.shift(),
      (items) => items.length === 0,
    );
    if (share === undefined || item === undefined) return undefined;
    this.#had = share.had;
    share.had += this.#costOf(item);
    this.#noteTaken(1);
    return item;
  }

  /** Takes out all that a call has waiting. */
  remove(turn: Turn): Item[] {
    const calls = this.#accounts.get(turn.account)?.calls;
    const items = calls?.get(turn) ?? [];
    calls?.delete(turn);
    this.#noteTaken(items.length);
    return items;
  }

  /** Takes out everything. */
  clear(): Item[] {
    const items = [...this.#accounts.values()].flatMap(({ calls }) => [...calls.values()].flat());
    this.#noteTaken(items.length);
    return items;
  }

  /** The share with something in it that has had least; of several, that which came first. */
  #next(): Share<Item> | undefined {
    let next: Share<Item> | undefined;
    for (const [account, share] of this.#accounts) {
      if (share.calls.size > 0) {
        if (next === undefined || share.had < next.had) next = share;
      } else if (share.had <= this.#had) this.#accounts.delete(account);
    }
    return next;
  }

  #noteTaken(count: number): void {
    this.#waiting -= count;
    if (this.#waiting > 0) return;
    this.#accounts.clear();
    this.#had = 0;
  }
}

/** What an account has waiting, and what it has had. */
interface Share<Item> {
  readonly calls: Lanes<Turn, Item[]>;
  had: number;
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
