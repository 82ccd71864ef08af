/**
 * Followers of streams: each reads on by itself whenever it is rung, that is, whenever there may be new
 * entries.
 */
import type { Logger } from '../process/log.ts';
import type { OnEntry, StreamEntry } from './broker.ts';

/** Delay before a failed read is retried, in ms; the ring when the broker is back usually comes earlier. */
const RETRY_MS = 1_000;
/** Entries per read. */
const READ_AT_ONCE = 100;

/** The streams, as followers need them. */
export interface FollowedStreams {
  /** Returns the id of the last entry ever appended. */
  lastId(stream: string): Promise<number>;
  read(stream: string, after: number, most: number): Promise<readonly StreamEntry[]>;
  /** Called to be rung about a stream that has followers. @returns a function that ends it */
  watch(stream: string): () => void;
}

/** The followers of this node. */
export class Followers {
  readonly #streams: FollowedStreams;
  readonly #log: Logger;
  readonly #followed = new Map<string, { followers: Set<Follower>; unwatch: () => void }>();

  constructor(streams: FollowedStreams, log: Logger) {
    this.#streams = streams;
    this.#log = log;
  }

  /** @returns a function that stops: nothing is delivered after that */
  follow(stream: string, after: number | 'end', onEntry: OnEntry): () => void {
    const streams = this.#streams;
    const followed = this.#followed.get(stream) ?? {
      followers: new Set(),
      unwatch: streams.watch(stream),
    };
    this.#followed.set(stream, followed);
    const { followers, unwatch } = followed;
    const follower = new Follower({
      start: async () => (after === 'end' ? streams.lastId(stream) : after),
      read: (last) => streams.read(stream, last, READ_AT_ONCE),
      onEntry,
      log: this.#log,
    });
    followers.add(follower);
    follower.ring();
    return () => {
      follower.stop();
      if (!followers.delete(follower) || followers.size > 0) return;
      this.#followed.delete(stream);
      unwatch();
    };
  }

  /** Rings the followers of a stream, as it may have new entries. */
  ring(stream: string): void {
    for (const follower of this.#followed.get(stream)?.followers ?? []) follower.ring();
  }

  stop(): void {
    for (const { followers, unwatch } of this.#followed.values()) {
      for (const follower of followers) follower.stop();
      followers.clear();
      unwatch();
    }
    this.#followed.clear();
  }
}

interface FollowerOptions {
  /** Returns the id to begin after. */
  start: () => Promise<number>;
  /** Returns entries after an id, oldest first; empty if there are none yet. */
  read: (after: number) => Promise<readonly StreamEntry[]>;
  onEntry: OnEntry;
  log: Logger;
}

/**
 * Reads a stream on whenever it is rung. A ring means only that there may be new entries: a spurious ring, or
 * one ring for several entries, is harmless, so each entry is delivered once and in order.
 */
class Follower {
  readonly #options: FollowerOptions;
  #after: number | undefined;
  #isReading = false;
  #isRung = false;
  #isStopped = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Notes that there may be new entries. */
  ring(): void {
    this.#isRung = true;
    if (!this.#isReading) void this.#readOn();
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    while (this.#isRung && !this.#isStopped) {
      this.#isRung = false;
      try {
        await this.#tellAll();
      } catch {
        setTimeout(() => this.ring(), RETRY_MS).unref();
      }
    }
    this.#isReading = false;
  }

  /** @throws any error of the read: the broker is unreachable */
  async #tellAll(): Promise<void> {
    const { start, read } = this.#options;
    this.#after ??= await start();
    for (;;) {
      const entries = await read(this.#after);
      for (const entry of entries) {
        if (this.#isStopped) return;
        this.#after = entry.id;
        const dealing = this.#tell(entry);
        // A synchronous handler is not awaited, which would let appends in between.
        if (dealing !== undefined) await dealing;
      }
      // Entries appended since then ring again.
      if (entries.length < READ_AT_ONCE) return;
    }
  }

  /** @returns a promise if the handler is not done yet */
  #tell(entry: StreamEntry): Promise<void> | undefined {
    const { onEntry, log } = this.#options;
    const fail = (error: unknown) =>
      log.error({ err: error }, 'an entry of a stream could not be processed');
    try {
      return onEntry(entry)?.catch(fail);
    } catch (error) {
      fail(error);
      return undefined;
    }
  }
}
