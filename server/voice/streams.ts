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

/**
 * Lets several consumers read one source without waiting for each other. What a consumer has not
 * read yet is held as one item: `conflate` joins it with the next, so a slow consumer costs neither
 * memory nor anybody else's time.
 *
 * Reading starts with the first consumer that is read, so all must have subscribed by then.
 */
export function broadcast<T>(
  source: AsyncIterable<T>,
  conflate: (held: T, next: T) => T,
): { subscribe: () => AsyncIterable<T> } {
  const subscribers = new Set<{ held: T | undefined; signal: Signal }>();
  let started = false;
  let done = false;
  let failure: { error: unknown } | undefined;

  async function pump() {
    try {
      for await (const item of source) {
        if (subscribers.size === 0) return;
        for (const subscriber of subscribers) {
          subscriber.held = subscriber.held === undefined ? item : conflate(subscriber.held, item);
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
    subscribe() {
      const subscriber = { held: undefined as T | undefined, signal: createSignal() };
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
            else if (done) return;
            else await subscriber.signal.raised();
          }
        } finally {
          subscribers.delete(subscriber);
        }
      }
      return read();
    },
  };
}

/**
 * Interleaves sources as their items arrive, reading one item ahead of each. Ends when all have
 * ended; the first failure ends it and lets go of the others.
 */
export async function* merge<T>(...sources: AsyncIterable<T>[]): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  const ready: { item: T; next: () => void }[] = [];
  const signal = createSignal();
  let running = iterators.length;
  let failure: { error: unknown } | undefined;

  async function pump(iterator: AsyncIterator<T>) {
    try {
      for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
        const item = step.value;
        await new Promise<void>((next) => {
          ready.push({ item, next });
          signal.raise();
        });
      }
    } catch (error) {
      failure ??= { error };
    } finally {
      running -= 1;
      signal.raise();
    }
  }

  for (const iterator of iterators) void pump(iterator);
  try {
    for (;;) {
      for (let taken = ready.shift(); taken !== undefined; taken = ready.shift()) {
        taken.next();
        yield taken.item;
      }
      if (failure !== undefined) throw failure.error;
      if (running === 0) return;
      await signal.raised();
    }
  } finally {
    // Not awaited: a generator that waits for its engine only returns once the session is aborted.
    for (const iterator of iterators) void iterator.return?.(undefined).catch(() => undefined);
  }
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
