/**
 * The broker: a small interface to all state in flight that live speech shares between nodes. It is kept in
 * the memory of one process, or in Redis for several nodes; callers do not know which.
 *
 * Every call is atomic, and all state is bounded and expires. A call that cannot reach the broker rejects
 * within seconds with `broker_unavailable` (503); followers of streams wait and continue by themselves. A
 * rejected call may be repeated, unless stated otherwise. Names and keys are the caller's, short and without
 * secrets; durations are in ms, by the broker's clock.
 */
export interface Broker {
  /** `memory` or `redis`, for display. */
  readonly name: string;
  /** Id of this process among all that share the broker; new after each start. */
  readonly node: string;
  readonly records: Records;
  readonly leases: Leases;
  readonly seats: Seats;
  readonly counters: Counters;
  readonly buckets: Buckets;
  readonly streams: Streams;
  readonly announcements: Announcements;
  /**
   * Calls `hook` when the broker is reachable again, may have lost its data, or may have been restored to an
   * older state: owners then write their data again, or remove what they could not remove before. Requests
   * that hooks make at once run before all waiting ones.
   *
   * @returns a function that unregisters the hook
   */
  onBack(hook: () => void): () => void;
  /**
   * Whether absent data can be taken as never written. After a loss this is false for some seconds, until all
   * owners have written their data again.
   *
   * @throws ServiceError broker_unavailable
   */
  isWhole(): Promise<boolean>;
  /** Stops all followers and closes connections; shared data stays. */
  close(): Promise<void>;
}

/** Small values that several nodes change by compare-and-set. */
export interface Records {
  read(key: string): Promise<VersionedValue | undefined>;
  /**
   * Writes a value if the condition holds.
   *
   * @param options.ifVersion the version to replace; allowed even when there is no memory left
   * @param options.ifAbsent writes only if there is no value
   * @returns whether it was written
   */
  write(
    key: string,
    value: Uint8Array | string,
    options: { ttlMs: number; ifVersion?: string; ifAbsent?: true },
  ): Promise<boolean>;
  /**
   * Reads and removes a value: of any number of callers, exactly one gets it. A repeated call after
   * `broker_unavailable` may find it gone.
   */
  take(key: string): Promise<Buffer | undefined>;
  remove(key: string): Promise<void>;
}

export interface VersionedValue {
  value: Buffer;
  /** Changes with every write. */
  version: string;
}

/**
 * Leases record ownership. An expired lease stays its holder's until another node acquires it, so an outage
 * of the broker longer than the lease changes nothing by itself.
 */
export interface Leases {
  /**
   * Acquires a lease that is free or has expired. The current holder reacquires it with the same epoch.
   *
   * @param options.ifGivenBack acquires only if the last holder has released it
   * @returns the epoch, greater than any before for this name; undefined while another node holds the lease
   */
  acquire(
    name: string,
    holder: string,
    ttlMs: number,
    options?: { ifGivenBack?: boolean },
  ): Promise<number | undefined>;
  /** Extends a lease by `ttlMs`. @returns whether it is still held with that epoch */
  renew(name: string, epoch: number, ttlMs: number): Promise<boolean>;
  /** Releases a lease; does nothing if another node has acquired it. */
  release(name: string, epoch: number): Promise<void>;
  /** Returns the holder; undefined if the lease is free or has expired. */
  find(name: string): Promise<{ holder: string; epoch: number } | undefined>;
}

/** Limited numbers of seats: exact over all nodes, and free again after their node has died. */
export interface Seats {
  /**
   * Takes a seat under each of several limits, or under none. A member that already has a seat keeps it. The
   * call waits some seconds if seats may have been lost or may have expired during an outage, so that their
   * holders can renew first. After `broker_unavailable` the seat may have been taken, and must be left.
   *
   * @returns the name of the first full limit; undefined if all seats were taken
   */
  take(wish: {
    limits: readonly { name: string; most: number }[];
    member: string;
    ttlMs: number;
  }): Promise<string | undefined>;
  /**
   * Extends seats by `ttlMs`. Lost seats are taken again, even beyond the limit, as their members are
   * present.
   */
  keep(held: { names: readonly string[]; member: string; ttlMs: number }): Promise<void>;
  leave(held: { names: readonly string[]; member: string }): Promise<void>;
  /** Returns the members that have a seat. */
  members(name: string): Promise<string[]>;
}

/**
 * Name of a counter or bucket. The in-process broker remembers a bounded number of each kind; beyond it, the
 * least recently used is forgotten.
 */
export interface Counted {
  kind: string;
  name: string;
}

/** Counters of events in a window of time, which begins with the first event. */
export interface Counters {
  /**
   * Counts an event, unless the limit is reached. A repeated call after `broker_unavailable` may count twice.
   *
   * @returns undefined if counted, else the time until the window ends, in ms
   */
  count(counted: Counted, limit: { most: number; windowMs: number }): Promise<number | undefined>;
}

/** A token bucket: allows `burst` events at once, then one every `everyMs` (a whole number). */
export interface Bucket extends Counted {
  burst: number;
  everyMs: number;
}

/** Token buckets, which limit events that may come in bursts. */
export interface Buckets {
  /**
   * Takes a token from each bucket, or from none. A repeated call after `broker_unavailable` may take two.
   *
   * @returns undefined if all had a token, else the time until they do, in ms
   */
  take(buckets: readonly Bucket[]): Promise<number | undefined>;
  /** Returns or rejects as `take` would, without taking tokens. */
  look(buckets: readonly Bucket[]): Promise<number | undefined>;
}

/** An entry of a stream. */
export interface StreamEntry {
  /** Greater than the id of any entry before, also of a stream that was dropped or has expired; never 0. */
  id: number;
  /**
   * Id of the entry before; 0 for the first. A reader that resumes after an id and sees a different one here
   * has missed entries that are no longer kept.
   */
  previous: number;
  bytes: Buffer;
}

export interface AppendOptions {
  /** Maximum number of entries; the oldest are removed. */
  maxLength: number;
  /** The stream expires when nothing was appended for this long. */
  ttlMs: number;
  /** Refuses the entry unless this lease is held with this epoch, whether expired or not. */
  fence?: { lease: string; epoch: number };
  /**
   * The appender and its entry number, which makes retries idempotent: an entry whose number is not greater
   * than the appender's last one was appended before and is not appended again. Appenders that retry must
   * give it, and must retry before they append anything else.
   */
  by?: { appender: string; number: number };
  /** Removes entries up to and including that id, if this one is appended. */
  trimUpTo?: number | undefined;
}

/** Streams of entries in append order, which can be read from a position or followed. */
export interface Streams {
  /**
   * Appends an entry. Appends of the same turn are sent to the broker together, but succeed or fail each by
   * itself.
   *
   * @param bytes must not change until the call settles
   * @returns the id of the entry; undefined if the fence refused it
   */
  append(
    stream: string,
    bytes: Uint8Array | string,
    options: AppendOptions,
  ): Promise<number | undefined>;
  /** Returns entries after an id (0: from the first one kept), oldest first. */
  read(stream: string, after: number, most: number): Promise<StreamEntry[]>;
  /**
   * Delivers entries after an id, or from now on (`end`): each once, in order, and the next one only when
   * `onEntry` is done. It waits while the broker is unreachable, then reads on.
   *
   * @returns a function that stops: nothing is delivered after that
   */
  follow(stream: string, after: number | 'end', onEntry: OnEntry): () => void;
  /** Removes entries up to and including an id. */
  trim(stream: string, upTo: number): Promise<void>;
  /** Removes all entries; ids continue to increase. */
  drop(stream: string): Promise<void>;
}

/** Must not throw. */
export type OnEntry = (entry: StreamEntry) => void | Promise<void>;

/** Messages to all nodes, including the sender. */
export interface Announcements {
  /**
   * Sends a message to every node that listens; nodes cut off for up to a minute receive it later. It is
   * retried that long while the broker is unreachable.
   */
  tell(topic: string, message: string): Promise<void>;
  /**
   * Delivers messages from now on: each once, and those of one node in order.
   *
   * @param onMissed called before the next message if earlier ones are no longer kept
   * @returns a function that stops listening
   */
  listen(
    topic: string,
    onMessage: (message: string) => void | Promise<void>,
    onMissed?: () => void,
  ): () => void;
}
