/** Building blocks for asynchronous stages: channels, broadcast and merge. */

/** A queue between one writer and one reader. */
export interface Channel<T> extends AsyncIterable<T> {
  /** Number of items written and not yet read. */
  readonly size: number;
  /** Adds an item at once, whatever the size; ignored after the end. */
  push(item: T): void;
  /** Ends the queue: the reader still gets what is queued. */
  end(): void;
  /** Fails the queue: the reader gets what is queued, then this error. */
  fail(error: unknown): void;
}

/**
 * @param onTake called with each item the reader takes
 */
export function createChannel<T>(onTake?: (item: T) => void): Channel<T> {
  const items: T[] = [];
  const signal = createSignal();
  let ended = false;
  let failure: { error: unknown } | undefined;
  return {
    get size() {
      return items.length;
    },
    push(item) {
      if (ended) return;
      items.push(item);
      signal.raise();
    },
    end() {
      ended = true;
      signal.raise();
    },
    fail(error) {
      if (ended) return;
      failure = { error };
      ended = true;
      signal.raise();
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          while (items.length > 0) {
            const item = items.shift() as T;
            onTake?.(item);
            yield item;
          }
          if (failure !== undefined) throw failure.error;
          if (ended) return;
          await signal.raised();
        }
      } finally {
        ended = true;
        items.length = 0;
      }
    },
  };
}

/** One consumer's view of a {@link broadcast}. */
export interface Subscription<T> extends AsyncIterable<T> {
  /** Ends the subscription: its reader still gets the held item, merged with `last`. */
  end(last?: T): void;
  /** Reopens an ended subscription, without the items in between; false if its reader has finished. */
  resume(): boolean;
}

/** One source with several consumers. */
export interface Broadcast<T> {
  /** Whether the source has ended or failed. */
  readonly isDone: boolean;
  /** @param first an item that precedes all others */
  subscribe: (first?: T) => Subscription<T>;
}

/**
 * Lets several consumers read one source without waiting for each other. The unread items of a consumer
 * are conflated into one, so a slow consumer costs neither memory nor the others' time.
 *
 * Reading starts with the first consumer that is read; later subscribers get what follows.
 *
 * @param onItem called with each item before it is delivered; a subscription ended in this call does not
 *   get it
 */
export function broadcast<T>(
  source: AsyncIterable<T>,
  conflate: (held: T, next: T) => T,
  onItem?: (item: T) => void,
): Broadcast<T> {
  const subscribers = new Set<Subscriber<T>>();
  const holding = (held: T | undefined, next: T) =>
    held === undefined ? next : conflate(held, next);
  let started = false;
  let done = false;
  let failure: { error: unknown } | undefined;

  async function pump() {
    try {
      for await (const item of source) {
        if (subscribers.size === 0) return;
        onItem?.(item);
        for (const subscriber of subscribers) {
          subscriber.held = holding(subscriber.held, item);
          subscriber.signal.raise();
        }
      }
    } catch (error) {
      failure = { error };
    } finally {
      done = true;
      for (const { signal } of subscribers) signal.raise();
    }
  }

  return {
    get isDone() {
      return done;
    },
    subscribe(first) {
      const subscriber: Subscriber<T> = { held: first, signal: createSignal(), isRead: false };
      subscribers.add(subscriber);
      async function* read() {
        if (!started) {
          started = true;
          void pump();
        }
        try {
          for (;;) {
            if (subscriber.held !== undefined) {
              const item = subscriber.held;
              subscriber.held = undefined;
              yield item;
            } else if (failure !== undefined) throw failure.error;
            else if (done || !subscribers.has(subscriber)) return;
            else await subscriber.signal.raised();
          }
        } finally {
          subscriber.isRead = true;
          subscribers.delete(subscriber);
        }
      }
      return Object.assign(read(), leave(subscriber, subscribers, holding));
    },
  };
}

interface Subscriber<T> {
  held: T | undefined;
  signal: Signal;
  /** Whether its reader has finished. */
  isRead: boolean;
}

/** Returns the methods that end and resume a subscription. */
function leave<T>(
  subscriber: Subscriber<T>,
  subscribers: Set<Subscriber<T>>,
  holding: (held: T | undefined, next: T) => T,
): Pick<Subscription<T>, 'end' | 'resume'> {
  return {
    end(last) {
      if (!subscribers.delete(subscriber)) return;
      if (last !== undefined) subscriber.held = holding(subscriber.held, last);
      subscriber.signal.raise();
    },
    resume() {
      if (!subscriber.isRead) subscribers.add(subscriber);
      return !subscriber.isRead;
    },
  };
}

/** Several sources read as one; more can be added at any time. */
export interface Confluence<T> extends AsyncGenerator<T, void, undefined> {
  /** Adds a source; ignored once all have ended. */
  add(source: AsyncIterable<T>): void;
  /**
   * Adds an item after those already read from the sources and before all later ones. Resolves when the
   * item is taken; returns undefined, without adding it, once all sources have ended.
   */
  push(item: T): Promise<void> | undefined;
}

/**
 * Interleaves sources as their items arrive, reading one item ahead of each. Ends when all have ended;
 * the first failure ends it and releases the others.
 */
export function merge<T>(...sources: AsyncIterable<T>[]): Confluence<T> {
  const running = new Set<AsyncIterator<T>>();
  const ready: { item: T; next: () => void }[] = [];
  const signal = createSignal();
  let hasBegun = false;
  let isOver = false;
  let failure: { error: unknown } | undefined;

  function offer(item: T): Promise<void> {
    return new Promise((next) => {
      ready.push({ item, next });
      signal.raise();
    });
  }

  async function pump(iterator: AsyncIterator<T>) {
    try {
      for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
        await offer(step.value);
      }
    } catch (error) {
      failure ??= { error };
    } finally {
      running.delete(iterator);
      signal.raise();
    }
  }

  function add(source: AsyncIterable<T>) {
    if (isOver) return;
    const iterator = source[Symbol.asyncIterator]();
    running.add(iterator);
    if (hasBegun) void pump(iterator);
  }

  async function* read() {
    hasBegun = true;
    for (const iterator of running) void pump(iterator);
    try {
      for (;;) {
        for (let taken = ready.shift(); taken !== undefined; taken = ready.shift()) {
          taken.next();
          yield taken.item;
        }
        if (failure !== undefined) throw failure.error;
        if (running.size === 0) return;
        await signal.raised();
      }
    } finally {
      isOver = true;
      // Not awaited: a generator that waits for its engine only returns once the session is aborted.
      for (const iterator of running) void iterator.return?.(undefined).catch(() => undefined);
    }
  }

  for (const source of sources) add(source);
  return Object.assign(read(), { add, push: (item: T) => (isOver ? undefined : offer(item)) });
}

/** Wakes one waiter when something has happened since its last wait. */
export interface Signal {
  raise(): void;
  /** Resolves once raised since the last wait. */
  raised(): Promise<void>;
}

export function createSignal(): Signal {
  let isRaised = false;
  let wake: (() => void) | undefined;
  return {
    raise() {
      isRaised = true;
      wake?.();
      wake = undefined;
    },
    async raised() {
      if (!isRaised) await new Promise<void>((resolve) => (wake = resolve));
      isRaised = false;
    },
  };
}
