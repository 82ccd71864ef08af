/** Those who follow streams: each reads on by itself whenever there may be something new. */
import type { Logger } from '../process/log.ts';
import type { OnEntry, StreamEntry } from './broker.ts';

/** When a read has failed, in ms: whoever rings once the broker is back is usually earlier. */
const RETRY_MS = 1_000;
/** Entries that are read at a time. */
const READ_AT_ONCE = 100;

/** What followers ask of a stream. */
export interface FollowedStreams {
  /** The id of the last entry there was. */
  lastId(stream: string): Promise<number>;
  read(stream: string, after: number, most: number): Promise<readonly StreamEntry[]>;
  /** To be told of what may be new in a stream that has followers. @returns ends it */
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

  /** @returns stops: nothing is told after that */
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

  /** There may be new entries in a stream. */
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
  /** The id to begin after. */
  start: () => Promise<number>;
  /** Some entries after an id, oldest first; none when there are none yet. */
  read: (after: number) => Promise<readonly StreamEntry[]>;
  onEntry: OnEntry;
  log: Logger;
}

/**
 * Reads a stream on whenever it is rung. What it is rung by says only that there may be something: a
 * ring too many, or one for several entries, changes nothing, so each entry is told once and in order.
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

  /** There may be new entries. */
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

  /** @throws what reading throws: the broker is away */
  async #tellAll(): Promise<void> {
    const { start, read } = this.#options;
    this.#after ??= await start();
    for (;;) {
      const entries = await read(this.#after);
      for (const entry of entries) {
        if (this.#isStopped) return;
        this.#after = entry.id;
        const dealing = this.#tell(entry);
        // What is done at once is not waited for: others append meanwhile.
        if (dealing !== undefined) await dealing;
      }
      // Of what came after these, it is rung.
      if (entries.length < READ_AT_ONCE) return;
    }
  }

  /** @returns when it is done, if that is later */
  #tell(entry: StreamEntry): Promise<void> | undefined {
    const { onEntry, log } = this.#options;
    const fail = (error: unknown) =>
      log.error({ err: error }, 'what a stream has told could not be used');
    try {
      return onEntry(entry)?.catch(fail);
    } catch (error) {
      fail(error);
      return undefined;
    }
  }
}
