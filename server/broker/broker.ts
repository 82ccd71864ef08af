/**
 * What is in flight: one small port for all that live speech shares while it lasts. The memory of one
 * process keeps it, or Redis for several nodes; nothing in a room's code knows which.
 *
 * Every call is atomic, everything kept is bounded and expires. A call whose broker is away rejects
 * within seconds with `broker_unavailable` (503); what follows streams waits and goes on by itself.
 * Calls may be asked again after that, unless said otherwise. Names and keys are the caller's, short
 * and without secrets; durations are in ms, by the broker's clock.
 */
export interface Broker {
  /** `memory` or `redis`, for people. */
  readonly name: string;
  /** This process among all that share the broker; another after each start. */
  readonly node: string;
  readonly records: Records;
  readonly leases: Leases;
  readonly seats: Seats;
  readonly counters: Counters;
  readonly buckets: Buckets;
  readonly streams: Streams;
  readonly announcements: Announcements;
  /**
   * Calls when the broker was away and is back, or may have lost what it had, or have it as it once was:
   * those who own something write it again, or remove what they could not. What they ask at once is done
   * before all else.
   *
   * @returns stops
   */
  onBack(hook: () => void): () => void;
  /**
   * Whether what is not there was not there before: false for some seconds after something was lost, until
   * all who own something have written it again.
   *
   * @throws ServiceError broker_unavailable
   */
  isWhole(): Promise<boolean>;
  /** Ends what is followed and lets go of connections; what others share stays. */
  close(): Promise<void>;
}

/** Small values that several nodes change: read, then written if nobody has in the meantime. */
export interface Records {
  read(key: string): Promise<VersionedValue | undefined>;
  /**
   * Writes a value, or leaves it when the condition does not hold.
   *
   * @param options.ifVersion the version that must still be there; also replaced where there is no more room
   * @param options.ifAbsent set where there must be none
   * @returns whether it was written
   */
  write(
    key: string,
    value: Uint8Array | string,
    options: { ttlMs: number; ifVersion?: string; ifAbsent?: true },
  ): Promise<boolean>;
  /**
   * Reads a value and removes it: of any number of callers one gets it. Asked again after
   * `broker_unavailable`, it may be gone.
   */
  take(key: string): Promise<Buffer | undefined>;
  remove(key: string): Promise<void>;
}

export interface VersionedValue {
  value: Buffer;
  /** Another one after each write. */
  version: string;
}

/**
 * Who owns something. A lease that has run out stays its holder's until somebody else takes it, so that
 * a broker that was away for longer than that changes nothing by itself.
 */
export interface Leases {
  /**
   * Takes a lease that nobody holds, or that has run out. Its holder gets it again, with the same epoch.
   *
   * @param options.ifGivenBack only where whoever had it last has given it back
   * @returns the epoch, greater than any before for this name; undefined while another holds it
   */
  acquire(
    name: string,
    holder: string,
    ttlMs: number,
    options?: { ifGivenBack?: boolean },
  ): Promise<number | undefined>;
  /** @returns whether it is still that holder's, who has it for `ttlMs` more */
  renew(name: string, epoch: number, ttlMs: number): Promise<boolean>;
  /** Gives it back; nothing happens where it has gone to another. */
  release(name: string, epoch: number): Promise<void>;
  /** Who holds it; undefined when nobody does, or it has run out. */
  find(name: string): Promise<{ holder: string; epoch: number } | undefined>;
}

/** Places of which there are so many: exact over all nodes, and free again when a node has died. */
export interface Seats {
  /**
   * Takes a seat under every one of some limits, or under none. Who has one already keeps it. Waits for
   * some seconds where seats may have been lost, or have run out while the broker was away, so that
   * those who had one are there first. After `broker_unavailable` it may have been taken, and is to be left.
   *
   * @returns the name of the first limit that is full; undefined when all were taken
   */
  take(wish: {
    limits: readonly { name: string; most: number }[];
    member: string;
    ttlMs: number;
  }): Promise<string | undefined>;
  /**
   * Holds on to seats for `ttlMs` more. Those that were lost meanwhile are taken again, even where
   * that is one too many: whoever sits there is there.
   */
  keep(held: { names: readonly string[]; member: string; ttlMs: number }): Promise<void>;
  leave(held: { names: readonly string[]; member: string }): Promise<void>;
  /** Who has a seat. */
  members(name: string): Promise<string[]>;
}

/**
 * What is counted. In the memory of a process so many of each kind are remembered; of more, the one not
 * used for longest is forgotten.
 */
export interface Counted {
  kind: string;
  name: string;
}

/** How often something happens in a window of time, which begins with the first. */
export interface Counters {
  /**
   * Counts one, unless that is too many. Asked again after `broker_unavailable`, it may count twice.
   *
   * @returns undefined when it was counted, else the time until the window is over, in ms
   */
  count(counted: Counted, limit: { most: number; windowMs: number }): Promise<number | undefined>;
}

/** What may happen so often at once, and then one more in so many ms, which are whole. */
export interface Bucket extends Counted {
  burst: number;
  everyMs: number;
}

/** Limits on what may come in bursts, and then once in a while. */
export interface Buckets {
  /**
   * Takes one from each bucket, or from none. Asked again after `broker_unavailable`, it may take two.
   *
   * @returns undefined when all had one, else the time until they do, in ms
   */
  take(buckets: readonly Bucket[]): Promise<number | undefined>;
  /** Answers as `take` does, or rejects as it would, and takes nothing. */
  look(buckets: readonly Bucket[]): Promise<number | undefined>;
}

/** What was appended to a stream. */
export interface StreamEntry {
  /** Greater than that of any entry before, also of a stream that was dropped or has expired; never 0. */
  id: number;
  /**
   * Id of the entry before; 0 of the first. Whoever reads after an id and gets another one here has
   * missed what is not kept any more.
   */
  previous: number;
  bytes: Buffer;
}

export interface AppendOptions {
  /** Most entries that are kept; the oldest make way. */
  maxLength: number;
  /** The stream goes when nothing was appended for this long. */
  ttlMs: number;
  /** Refuses the entry unless this lease is held with this epoch, run out or not. */
  fence?: { lease: string; epoch: number };
  /**
   * Who appends, and the how many-th entry of theirs it is: numbers grow, and one that is not greater
   * than the last of the same appender has been appended before and is not again. To be given by those
   * who repeat what got no answer, before they go on.
   */
  by?: { appender: string; number: number };
  /** Removes entries up to that id, and that one, where this one is appended. */
  trimUpTo?: number | undefined;
}

/** Entries in the order in which they were appended, read after one of them or followed. */
export interface Streams {
  /**
   * What many append in the same turn goes to the broker together, and each by itself: what becomes of
   * one touches no other.
   *
   * @param bytes must not change until there is an answer
   * @returns the id of the entry; undefined when the fence has refused it
   */
  append(
    stream: string,
    bytes: Uint8Array | string,
    options: AppendOptions,
  ): Promise<number | undefined>;
  /** Entries after an id (0: from the first that is kept), oldest first. */
  read(stream: string, after: number, most: number): Promise<StreamEntry[]>;
  /**
   * Tells entries after an id, or from now on (`end`): each once, in order, the next when `onEntry` is
   * done. While the broker is away it waits, and reads on from there.
   *
   * @returns stops: nothing is told after that
   */
  follow(stream: string, after: number | 'end', onEntry: OnEntry): () => void;
  /** Removes entries up to an id, and that one. */
  trim(stream: string, upTo: number): Promise<void>;
  /** Removes all entries; ids go on growing. */
  drop(stream: string): Promise<void>;
}

/** Must not throw. */
export type OnEntry = (entry: StreamEntry) => void | Promise<void>;

/** What all nodes are told, this one included. */
export interface Announcements {
  /**
   * Tells a message to every node that listens; those that were cut off for a minute hear it later.
   * Repeats itself that long while the broker is away.
   */
  tell(topic: string, message: string): Promise<void>;
  /**
   * Hears what is told from now on: each once, of one node in order.
   *
   * @param onMissed is called before the next where some are not kept any more
   * @returns stops
   */
  listen(
    topic: string,
    onMessage: (message: string) => void | Promise<void>,
    onMissed?: () => void,
  ): () => void;
}
