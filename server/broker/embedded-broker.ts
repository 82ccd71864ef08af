/** The broker in the memory of one process, where every synchronous step is atomic. */
import { randomUUID } from 'node:crypto';
import type { Logger } from '../process/log.ts';
import { createAnnouncements } from './announcements.ts';
import type {
  AppendOptions,
  Broker,
  Buckets,
  Counted,
  Counters,
  Leases,
  OnEntry,
  Records,
  Seats,
  StreamEntry,
  Streams,
  VersionedValue,
} from './broker.ts';
import { Followers } from './followers.ts';

/** Interval at which expired data is removed, in ms; reads already ignore it before that. */
const SWEEP_MS = 30_000;
/** How long numbers that must keep increasing outlive their data, in ms. */
const LINGER_MS = 10 * 60_000;
/** Maximum number of counters, and of buckets, remembered per kind. */
const MAX_COUNTED = 20_000;

/** ms since the epoch, on a monotonic clock. */
const steadyNow = () => Math.floor(performance.timeOrigin + performance.now());

export function createEmbeddedBroker({
  log,
  now = steadyNow,
}: {
  log: Logger;
  now?: () => number;
}): Broker {
  const seats = createSeats(now);
  const swept: { sweep(): void }[] = [seats];
  const expiring = <Value>(most?: number): Expiring<Value> => {
    const map = new Expiring<Value>(now, most);
    swept.push(map);
    return map;
  };
  /** Each kind has its own map, so that many entries of one kind evict none of another. */
  const byKind = <Value>(): ByKind<Value> => {
    const kinds = new Map<string, Expiring<Value>>();
    return ({ kind }) => {
      const kept = kinds.get(kind) ?? expiring<Value>(MAX_COUNTED);
      kinds.set(kind, kept);
      return kept;
    };
  };
  const sweep = setInterval(() => swept.forEach((map) => map.sweep()), SWEEP_MS);
  sweep.unref();

  const node = randomUUID();
  const { leases, holds } = createLeases(expiring(), now);
  const streams = new EmbeddedStreams({ kept: expiring(), done: expiring(), holds, now, log });
  const announcements = createAnnouncements(streams, { node, log });
  return {
    name: 'memory',
    node,
    records: createRecords(expiring()),
    leases,
    seats,
    counters: createCounters(byKind(), now),
    buckets: createBuckets(byKind(), now),
    streams,
    announcements,
    // It is always reachable.
    onBack: () => () => undefined,
    isWhole: () => Promise.resolve(true),
    async close() {
      clearInterval(sweep);
      announcements.stop();
      streams.stop();
    },
  };
}

/** A map whose values expire; beyond its limit, the entry written first is evicted. */
class Expiring<Value> {
  readonly #entries = new Map<string, { value: Value; untilMs: number }>();
  readonly #now: () => number;
  readonly #most: number;

  constructor(now: () => number, most = Number.POSITIVE_INFINITY) {
    this.#now = now;
    this.#most = most;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.untilMs > this.#now() ? entry.value : undefined;
  }

  set(key: string, value: Value, ttlMs: number): void {
    // Deleted first, so that a rewritten entry moves to the end.
    this.#entries.delete(key);
    this.#entries.set(key, { value, untilMs: this.#now() + ttlMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#most && oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  sweep(): void {
    const nowMs = this.#now();
    for (const [key, { untilMs }] of this.#entries) {
      if (untilMs <= nowMs) this.#entries.delete(key);
    }
  }
}

function createRecords(kept: Expiring<VersionedValue>): Records {
  let writes = 0;
  return {
    read: async (key) => kept.get(key),
    async write(key, value, { ttlMs, ifVersion, ifAbsent }) {
      const version = kept.get(key)?.version;
      if (ifAbsent === true && version !== undefined) return false;
      if (ifVersion !== undefined && version !== ifVersion) return false;
      kept.set(key, { value: copyOf(value), version: `${(writes += 1)}` }, ttlMs);
      return true;
    },
    async take(key) {
      const found = kept.get(key);
      kept.delete(key);
      return found?.value;
    },
    remove: async (key) => kept.delete(key),
  };
}

interface Lease {
  holder: string | undefined;
  epoch: number;
  untilMs: number;
}

function createLeases(kept: Expiring<Lease>, now: () => number) {
  const keep = (name: string, lease: Lease, ttlMs: number) =>
    kept.set(name, { ...lease, untilMs: now() + ttlMs }, ttlMs + LINGER_MS);
  /** Returns the lease, if it is still held with that epoch. */
  const held = (name: string, epoch: number): Lease | undefined => {
    const lease = kept.get(name);
    return lease?.holder !== undefined && lease.epoch === epoch ? lease : undefined;
  };

  const leases: Leases = {
    async acquire(name, holder, ttlMs, { ifGivenBack = false } = {}) {
      const lease = kept.get(name);
      const isOwn = lease?.holder === holder;
      if (lease?.holder !== undefined && !isOwn && lease.untilMs > now()) return undefined;
      const isGivenBack = lease !== undefined && lease.holder === undefined;
      if (ifGivenBack && !isOwn && !isGivenBack) return undefined;
      // At least the clock, so that it exceeds epochs that have been forgotten.
      const epoch = isOwn ? lease.epoch : Math.max(now(), (lease?.epoch ?? 0) + 1);
      keep(name, { holder, epoch, untilMs: 0 }, ttlMs);
      return epoch;
    },
    async renew(name, epoch, ttlMs) {
      const lease = held(name, epoch);
      if (lease !== undefined) keep(name, lease, ttlMs);
      return lease !== undefined;
    },
    async release(name, epoch) {
      const lease = held(name, epoch);
      if (lease !== undefined) keep(name, { ...lease, holder: undefined }, 0);
    },
    async find(name) {
      const { holder, epoch = 0, untilMs = 0 } = kept.get(name) ?? {};
      return holder === undefined || untilMs <= now() ? undefined : { holder, epoch };
    },
  };
  return {
    leases,
    holds: (name: string, epoch: number) => held(name, epoch) !== undefined,
  };
}

function createSeats(now: () => number): Seats & { sweep(): void } {
  /** Members of each limit, and when their seats expire. */
  const seats = new Map<string, Map<string, number>>();

  const free = (name: string): void => {
    const members = seats.get(name) ?? new Map<string, number>();
    const nowMs = now();
    for (const [member, untilMs] of members) if (untilMs <= nowMs) members.delete(member);
    if (members.size === 0) seats.delete(name);
  };
  const isFull = (name: string, member: string, most: number): boolean => {
    const members = seats.get(name);
    return (members?.size ?? 0) >= most && members?.has(member) !== true;
  };
  const sit = (name: string, member: string, ttlMs: number): void => {
    const members = seats.get(name) ?? new Map<string, number>();
    members.set(member, now() + ttlMs);
    seats.set(name, members);
  };

  return {
    async take({ limits, member, ttlMs }) {
      const full = limits.find(({ name, most }) => {
        // Expired seats are removed only when the limit seems to be full.
        if (isFull(name, member, most)) free(name);
        return isFull(name, member, most);
      });
      if (full !== undefined) return full.name;
      for (const { name } of limits) sit(name, member, ttlMs);
      return undefined;
    },
    async keep({ names, member, ttlMs }) {
      for (const name of names) sit(name, member, ttlMs);
    },
    async leave({ names, member }) {
      for (const name of names) {
        seats.get(name)?.delete(member);
        if (seats.get(name)?.size === 0) seats.delete(name);
      }
    },
    async members(name) {
      free(name);
      return [...(seats.get(name)?.keys() ?? [])];
    },
    sweep: () => [...seats.keys()].forEach(free),
  };
}

type ByKind<Value> = (counted: Counted) => Expiring<Value>;

function createCounters(keptOf: ByKind<Window>, now: () => number): Counters {
  return {
    async count(counted, { most, windowMs }) {
      const kept = keptOf(counted);
      const window = kept.get(counted.name) ?? { count: 0, untilMs: now() + windowMs };
      const leftMs = Math.max(1, window.untilMs - now());
      const isOneTooMany = window.count >= most;
      if (!isOneTooMany) window.count += 1;
      kept.set(counted.name, window, leftMs);
      return isOneTooMany ? leftMs : undefined;
    },
  };
}

interface Window {
  count: number;
  untilMs: number;
}

/** Token buckets, each stored as the time at which it will be full again. */
function createBuckets(keptOf: ByKind<number>, now: () => number): Buckets {
  const pour = (buckets: Parameters<Buckets['take']>[0], isTaken: boolean): number | undefined => {
    const nowMs = now();
    const poured = buckets.map((bucket) => {
      const kept = keptOf(bucket);
      const { name, burst, everyMs } = bucket;
      const fullAtMs = Math.max(nowMs, kept.get(name) ?? 0) + everyMs;
      return { kept, name, fullAtMs, waitMs: fullAtMs - nowMs - burst * everyMs };
    });
    const waitMs = Math.max(...poured.map((each) => each.waitMs));
    if (waitMs > 0) return waitMs;
    if (!isTaken) return undefined;
    for (const { kept, name, fullAtMs } of poured) kept.set(name, fullAtMs, fullAtMs - nowMs);
    return undefined;
  };
  return {
    take: async (buckets) => pour(buckets, true),
    look: async (buckets) => pour(buckets, false),
  };
}

interface KeptStream {
  entries: StreamEntry[];
  /** Id of the last entry ever appended. */
  lastId: number;
  untilMs: number;
}

interface EmbeddedStreamsOptions {
  kept: Expiring<KeptStream>;
  /** Last number of each appender to a stream, and the id that its entry got. */
  done: Expiring<{ number: number; id: number }>;
  /** Whether a lease is held with an epoch. */
  holds: (lease: string, epoch: number) => boolean;
  now: () => number;
  log: Logger;
}

class EmbeddedStreams implements Streams {
  readonly #options: EmbeddedStreamsOptions;
  readonly #followers: Followers;

  constructor(options: EmbeddedStreamsOptions) {
    this.#options = options;
    const followed = {
      lastId: async (stream: string) => this.#open(stream).lastId,
      read: (...wish: Parameters<Streams['read']>) => this.read(...wish),
      watch: () => () => undefined,
    };
    this.#followers = new Followers(followed, options.log);
  }

  async append(
    name: string,
    bytes: Uint8Array | string,
    { maxLength, ttlMs, fence, by, trimUpTo = 0 }: AppendOptions,
  ): Promise<number | undefined> {
    const { kept, done, holds, now } = this.#options;
    const appender = by === undefined ? '' : `${by.appender} ${name}`;
    const before = done.get(appender);
    if (by !== undefined && before !== undefined && by.number <= before.number) return before.id;
    if (fence !== undefined && !holds(fence.lease, fence.epoch)) return undefined;
    const { entries, lastId: previous } = this.#open(name);
    const id = Math.max(now(), previous + 1);
    entries.push({ id, previous, bytes: copyOf(bytes) });
    const firstKept = entries.findIndex((entry) => entry.id > trimUpTo);
    entries.splice(0, Math.max(firstKept, entries.length - maxLength));
    kept.set(name, { entries, lastId: id, untilMs: now() + ttlMs }, ttlMs + LINGER_MS);
    if (by !== undefined) done.set(appender, { number: by.number, id }, ttlMs + LINGER_MS);
    this.#followers.ring(name);
    return id;
  }

  async read(name: string, after: number, most: number): Promise<StreamEntry[]> {
    const { entries } = this.#open(name);
    const first = entries.findIndex(({ id }) => id > after);
    return first === -1 ? [] : entries.slice(first, first + most);
  }

  follow(name: string, after: number | 'end', onEntry: OnEntry): () => void {
    return this.#followers.follow(name, after, onEntry);
  }

  async trim(name: string, upTo: number): Promise<void> {
    const stream = this.#open(name);
    stream.entries = stream.entries.filter(({ id }) => id > upTo);
  }

  async drop(name: string): Promise<void> {
    this.#open(name).entries = [];
  }

  stop(): void {
    this.#followers.stop();
  }

  /** Returns a stream; an expired one has no entries, but its ids continue. */
  #open(name: string): KeptStream {
    const { kept, now } = this.#options;
    const stream = kept.get(name) ?? { entries: [], lastId: 0, untilMs: 0 };
    if (stream.untilMs <= now()) stream.entries = [];
    return stream;
  }
}

function copyOf(value: Uint8Array | string): Buffer {
  return typeof value === 'string' ? Buffer.from(value) : Buffer.from(value);
}
