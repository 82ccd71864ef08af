/** What governs concurrent calls: fair queues, bounded slots, change notification, linked aborts, circuit breakers. */
import { setMaxListeners } from 'node:events';

/** Identifies one call in queues; each call has its own object. */
export interface Turn {
  /** Account of the call; calls without an account share one queue. */
  readonly account: string | undefined;
}

/**
 * A queue with start-time fair queuing: serves the account with the least recent use, and within it
 * each call in turn, one item at a time. An account with a thousand calls of a thousand items
 * does not delay a small request of another account, and no account gains by splitting its work.
 */
export class FairQueue<Item> {
  readonly #accounts = new Map<string | undefined, Share<Item>>();
  readonly #costOf: (item: Item) => number;
  #waiting = 0;
  /** Use of the last served account before it was served: the virtual time of the queue. */
  #had = 0;

  /** @param costOf cost of an item to its account, in any unit */
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
      // An account gains no credit while it has nothing queued.
      share.had = Math.max(share.had, this.#had);
    }
    share.calls.lane(turn, () => []).push(item);
    this.#waiting += 1;
  }

  /** Removes and returns the next item; undefined when the queue is empty. */
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

  /** Removes and returns all queued items of a call. */
  remove(turn: Turn): Item[] {
    const calls = this.#accounts.get(turn.account)?.calls;
    const items = calls?.get(turn) ?? [];
    calls?.delete(turn);
    this.#noteTaken(items.length);
    return items;
  }

  /** Removes and returns all items. */
  clear(): Item[] {
    const items = [...this.#accounts.values()].flatMap(({ calls }) => [...calls.values()].flat());
    this.#noteTaken(items.length);
    return items;
  }

  /** Returns the non-empty share with the least use; the oldest one among equals. */
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

/** Queued items of an account, and its use so far. */
interface Share<Item> {
  readonly calls: Lanes<Turn, Item[]>;
  had: number;
}

/** Non-empty lanes in round-robin order, next one first: a Map keeps insertion order. */
class Lanes<Key, Lane> extends Map<Key, Lane> {
  /** Returns the lane of a key, creating it at the end if necessary. */
  lane(key: Key, create: () => Lane): Lane {
    let lane = this.get(key);
    if (lane === undefined) this.set(key, (lane = create()));
    return lane;
  }

  /** Takes one item from the first lane and moves that lane to the end, or removes it when empty. */
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

/** A limited number of slots for concurrent work; waiters are served in {@link FairQueue} order. */
export class FairPlaces {
  readonly #waiting = new FairQueue<Waiter>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Runs a piece of work when a slot is free.
   *
   * @throws the error of the work, or the reason given to {@link abandon}
   */
  async hold<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((start, giveUp) => this.#waiting.push(turn, { start, giveUp }));
    try {
      return await work();
    } finally {
      // The slot passes directly to the next waiter.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next.start();
    }
  }

  /** Rejects the waiters of a call with a reason. */
  abandon(turn: Turn, reason: unknown): void {
    for (const { giveUp } of this.#waiting.remove(turn)) giveUp(reason);
  }
}

/**
 * A condition to wait on: `next()` resolves at the next `notify()`. Check the condition in a loop
 * and call `next()` in the same turn as the check, or a change in between is missed.
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
 * Resolves to whether the work finished before `untilMs` (`performance.now()`, in ms); the work
 * continues either way.
 *
 * @throws the error of the work until then
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
 * Returns a controller that aborts with the first of the signals and its reason. `unlink` removes
 * the listeners: in Node 20, `AbortSignal.any` would stay referenced by a long-lived signal.
 */
export function linkAbort(...signals: readonly AbortSignal[]): {
  controller: AbortController;
  unlink: () => void;
} {
  const controller = new AbortController();
  // Many concurrent requests may follow one signal; that is no leak.
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

// Circuit breakers: after a failure no call goes through for a while; then a single probe does, and each
// failed probe doubles the waiting time up to a maximum.

export interface CircuitBreakerSettings {
  /** First open time, in ms. */
  openMs: number;
  /** Longest open time, in ms. */
  maxOpenMs: number;
  /** Number of consecutive refusals that open the breaker; an outage opens it at once. */
  refusalsToOpen: number;
}

const defaultBreakerSettings: CircuitBreakerSettings = {
  openMs: 1_000,
  maxOpenMs: 60_000,
  refusalsToOpen: 5,
};

/** Permission for one attempt. The holder calls exactly one of its methods when the outcome is known. */
export interface Pass {
  succeed(): void;
  /**
   * @param kind `outage`: the service is unreachable; `refusal`: this text failed, another one may
   *   succeed
   */
  fail(kind: 'outage' | 'refusal'): void;
  /** The outcome is unknown, for instance because the caller went away. */
  abandon(): void;
}

/** An open breaker. */
export interface Outage {
  name: string;
  /** Whether a probe is under way. */
  isProbed: boolean;
  /** Time until the next probe is allowed, in ms. */
  retryInMs: number;
}

interface Trouble {
  kind: 'outage' | 'refusal';
  /** Consecutive refusals while the breaker is closed. */
  refusals: number;
  isOpen: boolean;
  untilMs: number;
  openMs: number;
  isProbed: boolean;
}

/** Circuit breakers by name; a name that has not failed takes no memory. */
export class CircuitBreakers {
  readonly #settings: CircuitBreakerSettings;
  readonly #troubles = new Map<string, Trouble>();

  constructor(settings: Partial<CircuitBreakerSettings> = {}) {
    this.#settings = { ...defaultBreakerSettings, ...settings };
  }

  /**
   * Returns permission for an attempt; undefined while the breaker is open or another caller is
   * probing.
   */
  enter(name: string): Pass | undefined {
    const trouble = this.#troubles.get(name);
    if (trouble?.isOpen !== true) return this.#pass(name, false);
    if (trouble.isProbed || performance.now() < trouble.untilMs) return undefined;
    trouble.isProbed = true;
    return this.#pass(name, true);
  }

  /** Lists the open breakers. */
  outages(): Outage[] {
    const nowMs = performance.now();
    return [...this.#troubles]
      .filter(([, { isOpen }]) => isOpen)
      .map(([name, { isProbed, untilMs }]) => {
        return { name, isProbed, retryInMs: Math.max(0, untilMs - nowMs) };
      });
  }

  /** Whether the last failure was a refusal: an attempt may still be better than no answer. */
  isDoubtful(name: string): boolean {
    return this.#troubles.get(name)?.kind === 'refusal';
  }

  /**
   * Returns permission despite an open breaker, for a name that {@link isDoubtful}; a further
   * refusal does not extend the open time.
   */
  enterDespiteRefusals(name: string): Pass {
    return {
      succeed: () => this.#troubles.delete(name),
      fail: (kind) => {
        if (kind === 'outage') this.#open(name, kind);
      },
      abandon: () => undefined,
    };
  }

  #pass(name: string, isProbe: boolean): Pass {
    return {
      succeed: () => this.#troubles.delete(name),
      fail: (kind) => this.#fail(name, kind, isProbe),
      abandon: () => {
        const trouble = this.#troubles.get(name);
        if (isProbe && trouble !== undefined) trouble.isProbed = false;
      },
    };
  }

  #fail(name: string, kind: 'outage' | 'refusal', isProbe: boolean): void {
    const trouble = this.#troubles.get(name);
    // Requests already under way when the breaker opened carry no new information.
    if (trouble?.isOpen === true && !isProbe) return;
    const refusals = (trouble?.refusals ?? 0) + 1;
    if (isProbe || kind === 'outage' || refusals >= this.#settings.refusalsToOpen) {
      this.#open(name, kind);
    } else {
      this.#troubles.set(name, { ...closed, kind, refusals });
    }
  }

  #open(name: string, kind: 'outage' | 'refusal'): void {
    const { openMs: firstMs, maxOpenMs } = this.#settings;
    const before = this.#troubles.get(name);
    const openMs = before?.isOpen === true ? Math.min(before.openMs * 2, maxOpenMs) : firstMs;
    const untilMs = performance.now() + openMs;
    this.#troubles.set(name, { ...closed, kind, isOpen: true, untilMs, openMs });
  }
}

const closed: Omit<Trouble, 'kind'> = {
  ...{ refusals: 0, isOpen: false, untilMs: 0, openMs: 0, isProbed: false },
};
