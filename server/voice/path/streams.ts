/** The joints of the voice path: how asynchronous stages are fed, split and brought together. */

/** A queue between one writer and one reader. */
export interface Channel<T> extends AsyncIterable<T> {
  /** Items written and not yet read. */
  readonly size: number;
  /** Adds an item at once, whatever the size; ignored after the end. */
  push(item: T): void;
  /** Nothing more follows: the reader ends after what is queued. */
  end(): void;
  /** The reader gets what is queued, then this error. */
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
  /** Nothing more is read but what is held, and `last`. */
  end(last?: T): void;
  /** Goes on after an end, without what came meanwhile; false when its reader has come to that end. */
  resume(): boolean;
}

/** One source for several consumers. */
export interface Broadcast<T> {
  /** Whether the source has ended, or failed. */
  readonly isDone: boolean;
  /** @param first an item before all others */
  subscribe: (first?: T) => Subscription<T>;
}

/**
 * Lets several consumers read one source without waiting for each other. What a consumer has not
 * read yet is held as one item: `conflate` joins it with the next, so a slow consumer costs neither
 * memory nor anybody else's time.
 *
 * Reading starts with the first consumer that is read; who subscribes later gets what follows.
 *
 * @param onItem called with each item before anybody gets it: who is ended then does not
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
  /** Whether its reader has come to an end. */
  isRead: boolean;
}

/** How one of the subscribers ends, and comes back. */
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

/** Sources that are read as one, and to which more may be added meanwhile. */
export interface Confluence<T> extends AsyncGenerator<T, void, undefined> {
  /** Reads one more source; ignored once all have ended. */
  add(source: AsyncIterable<T>): void;
  /**
   * Adds an item at once, after what was read and before what will be. Resolves when it is taken;
   * undefined, and not added, once all have ended.
   */
  push(item: T): Promise<void> | undefined;
}

/**
 * Interleaves sources as their items arrive, reading one item ahead of each. Ends when all have
 * ended; the first failure ends it and lets go of the others.
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

/** Lets one waiter know that something has happened since it last waited. */
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
