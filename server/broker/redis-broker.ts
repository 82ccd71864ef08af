/** The broker in Redis, shared by several nodes. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../process/log.ts';
import { createAnnouncements } from './announcements.ts';
import type {
  AppendOptions,
  Broker,
  Bucket,
  Buckets,
  Counters,
  Leases,
  OnEntry,
  Records,
  Seats,
  StreamEntry,
  Streams,
} from './broker.ts';
import { Followers } from './followers.ts';
import {
  BrokerProblem,
  checkRights,
  type Claim,
  claimPrefix,
  evictionPolicy,
  loadScripts,
  markOf,
  meet,
  refuseOthersKeys,
} from './redis-checks.ts';
import { Keyspace } from './redis-keyspace.ts';
import { away, type Greeting, type Reply, RedisLink } from './redis-link.ts';
import {
  CLAIM_EVERY_MS,
  entryFields,
  type Script,
  scripts,
  VERSION_LENGTH,
} from './redis-scripts.ts';

/** How long numbers that must keep increasing outlive their data, in ms. */
const LINGER_MS = `${10 * 60_000}`;

export interface RedisBrokerOptions {
  /** `redis://`, `rediss://` or `unix://`. */
  url: string;
  /** Name of the cluster, which prefixes all keys and channels. */
  prefix: string;
  /** Id of the database that the nodes of the cluster share. */
  clusterId: string;
  log: Logger;
}

/** @throws BrokerProblem, or an error of the connection */
export async function openRedisBroker(options: RedisBrokerOptions): Promise<Broker> {
  const { prefix, log } = options;
  const hooks = new Set<() => void>();
  let keyspace: Keyspace | undefined;
  const { link, stop } = await openLink(options, () => {
    const sendYounger = keyspace?.detachBatch();
    hooks.forEach((hook) => hook());
    // The hooks' requests go first, then the waiting ones, then those already made in this turn.
    keyspace?.flush();
    return () => sendYounger?.();
  });
  const node = randomUUID();
  const redis = (keyspace = new Keyspace(link, prefix));
  const streams = new RedisStreams(redis, log);
  const announcements = createAnnouncements(streams, { node, log });
  return {
    name: 'redis',
    node,
    records: createRecords(redis),
    leases: createLeases(redis),
    seats: createSeats(redis, prefix),
    counters: createCounters(redis),
    buckets: createBuckets(redis),
    streams,
    announcements,
    onBack(hook) {
      const own = () => hook();
      hooks.add(own);
      return () => void hooks.delete(own);
    },
    isWhole: async () => Number(await redis.run(scripts.awaitNodes, [markOf(prefix)], [])) === 0,
    async close() {
      stop();
      announcements.stop();
      streams.stop();
      redis.flush();
      await link.close();
    },
  };
}

/** Opens a link to a Redis that is fit for use and claimed by this cluster, and keeps the claim alive. */
async function openLink(
  { url, prefix, clusterId, log }: RedisBrokerOptions,
  onBack: () => () => void,
): Promise<{ link: RedisLink; stop: () => void }> {
  let known: Claim | undefined;
  /** @returns whether data was lost since the last claim */
  const claim = async (send: Greeting['send']): Promise<boolean> => {
    const found = await claimPrefix(send, { prefix, clusterId, known });
    const isLost = known !== undefined && known.sinceMs !== found.sinceMs;
    known = found;
    return isLost;
  };
  const link = await RedisLink.open({
    ...{ url, log, onBack },
    async greet(greeting) {
      const { send } = greeting;
      await meet(send);
      if (known === undefined) {
        await checkRights(greeting, prefix);
        await refuseOthersKeys(send, prefix);
        const policy = await evictionPolicy(send);
        if (policy !== undefined) log.warn({ policy }, MAY_DROP_KEYS);
      }
      await loadScripts(send);
      // Repeated for each connection: Redis may have been replaced or emptied. The claim also writes, as a
      // Redis that answers but accepts no writes is not usable.
      await claim(send);
    },
  });
  /** Data may be lost, or the keys claimed by another cluster, while the connection stays open. */
  const claimAgain = async () => {
    try {
      if (!(await claim((command) => link.send(command)))) return;
      log.warn({}, 'the broker may have lost its data');
      onBack()();
    } catch (error) {
      // Reconnecting reports the problem and tries again; a mere outage is handled there as well.
      if (error instanceof BrokerProblem) link.replace(error);
    }
  };
  const claiming = setInterval(() => void claimAgain(), CLAIM_EVERY_MS).unref();
  return { link, stop: () => clearInterval(claiming) };
}

const MAY_DROP_KEYS = 'Redis drops keys when it is full: set its maxmemory-policy to noeviction';

function createRecords(redis: Keyspace): Records {
  const key = (name: string) => redis.key('record', name);
  return {
    async read(name) {
      const kept = await redis.send(['GET', key(name)]);
      if (!Buffer.isBuffer(kept)) return undefined;
      return { version: kept.toString('latin1', 0, VERSION_LENGTH), value: valueOf(kept) };
    },
    async write(name, value, { ttlMs, ifVersion, ifAbsent }) {
      const version = randomBytes(VERSION_LENGTH / 2).toString('hex');
      const condition = ifAbsent === true ? 'absent' : (ifVersion ?? 'any');
      const args = [version, argument(value), duration(ttlMs), condition];
      const script = ifVersion === undefined ? scripts.writeRecord : scripts.replaceRecord;
      return (await redis.run(script, [key(name)], args)) === 1;
    },
    async take(name) {
      const kept = await redis.send(['GETDEL', key(name)], false);
      return Buffer.isBuffer(kept) ? valueOf(kept) : undefined;
    },
    async remove(name) {
      await redis.send(['DEL', key(name)]);
    },
  };
}

function valueOf(kept: Buffer): Buffer {
  return kept.subarray(VERSION_LENGTH);
}

function createLeases(redis: Keyspace): Leases {
  const key = (name: string) => redis.key('lease', name);
  return {
    async acquire(name, holder, ttlMs, { ifGivenBack = false } = {}) {
      const args = [holder, duration(ttlMs), LINGER_MS, ifGivenBack ? '1' : '0'];
      return numberOf(await redis.run(scripts.acquireLease, [key(name)], args));
    },
    async renew(name, epoch, ttlMs) {
      const args = [`${epoch}`, duration(ttlMs), LINGER_MS];
      return (await redis.runBatched(scripts.renewLease, [key(name)], args)) === 1;
    },
    async release(name, epoch) {
      await redis.run(scripts.releaseLease, [key(name)], [`${epoch}`]);
    },
    async find(name) {
      const found = await redis.run(scripts.findLease, [key(name)], []);
      if (!Array.isArray(found)) return undefined;
      return { holder: String(found[0]), epoch: Number(found[1]) };
    },
  };
}

/** How long a seat is awaited while nodes come back, in ms: slightly longer than they take. */
const MOST_WAIT_MS = 4_000;

function createSeats(redis: Keyspace, prefix: string): Seats {
  const keys = (names: readonly string[]) => names.map((name) => redis.key('seats', name));
  return {
    async take({ limits, member, ttlMs }) {
      const args = [member, duration(ttlMs), ...limits.map(({ most }) => `${most}`)];
      const names = limits.map(({ name }) => name);
      const giveUpAtMs = performance.now() + MOST_WAIT_MS;
      for (;;) {
        const all = [...keys(names), markOf(prefix)];
        const full = Number(await redis.run(scripts.takeSeats, all, args));
        if (full >= 0) return names[full - 1];
        if (performance.now() > giveUpAtMs) throw away();
        // Members that had seats before the outage renew first.
        await pause(-full, undefined, { ref: false });
      }
    },
    async keep({ names, member, ttlMs }) {
      await redis.runBatched(scripts.keepSeats, keys(names), [member, duration(ttlMs)]);
    },
    async leave({ names, member }) {
      await redis.run(scripts.leaveSeats, keys(names), [member]);
    },
    async members(name) {
      return ((await redis.run(scripts.listMembers, keys([name]), [])) as Reply[]).map(String);
    },
  };
}

function createCounters(redis: Keyspace): Counters {
  return {
    async count({ kind, name }, { most, windowMs }) {
      const args = [`${most}`, duration(windowMs)];
      const keys = [redis.key('count', `${kind} ${name}`)];
      return numberOf(await redis.run(scripts.count, keys, args, { isRepeatable: false }));
    },
  };
}

function createBuckets(redis: Keyspace): Buckets {
  const run = async (script: Script, buckets: readonly Bucket[]) => {
    const keys = buckets.map(({ kind, name }) => redis.key('bucket', `${kind} ${name}`));
    const args = buckets.flatMap(({ burst, everyMs }) => [`${burst}`, duration(everyMs)]);
    return numberOf(await redis.run(script, keys, args));
  };
  return {
    take: (buckets) => run(scripts.takeFromBuckets, buckets),
    look: (buckets) => run(scripts.lookAtBuckets, buckets),
  };
}

class RedisStreams implements Streams {
  readonly #redis: Keyspace;
  readonly #followers: Followers;
  /** Appender of entries whose caller names none: a repeated entry is recognised by its number. */
  readonly #appender = randomUUID();
  #appended = 0;

  constructor(redis: Keyspace, log: Logger) {
    this.#redis = redis;
    const followed = {
      lastId: async (stream: string) => Number(await redis.send(['GET', this.#lastId(stream)])),
      read: (...wish: Parameters<Streams['read']>) => this.read(...wish),
      watch: (stream: string) =>
        redis.listen(this.#channel(stream), () => this.#followers.ring(stream)),
    };
    this.#followers = new Followers(followed, log);
  }

  async append(
    stream: string,
    bytes: Uint8Array | string,
    { maxLength, ttlMs, fence, by = this.#nextNumber(), trimUpTo }: AppendOptions,
  ): Promise<number | undefined> {
    const redis = this.#redis;
    const { appender, number } = by;
    const keys = [
      this.#key(stream),
      this.#lastId(stream),
      redis.key('by', `${appender} ${stream}`),
      ...(fence === undefined ? [] : [redis.key('lease', fence.lease)]),
    ];
    const args = [
      ...[asIs(bytes), appender, `${number}`, `${maxLength}`, duration(ttlMs), LINGER_MS],
      ...[this.#channel(stream), `${fence?.epoch ?? ''}`],
      trimUpTo === undefined ? '' : `${trimUpTo + 1}`,
    ];
    return numberOf(await redis.runBatched(scripts.append, keys, args));
  }

  async read(stream: string, after: number, most: number): Promise<StreamEntry[]> {
    const range = ['XRANGE', this.#key(stream), `(${after}-0`, '+', 'COUNT', `${most}`] as const;
    const entries = await this.#redis.send(range);
    return (entries as [id: Buffer, fields: Buffer[]][]).map(entryOf);
  }

  follow(stream: string, after: number | 'end', onEntry: OnEntry): () => void {
    return this.#followers.follow(stream, after, onEntry);
  }

  async trim(stream: string, upTo: number): Promise<void> {
    await this.#redis.send(['XTRIM', this.#key(stream), 'MINID', `${upTo + 1}`]);
  }

  async drop(stream: string): Promise<void> {
    await this.#redis.send(['DEL', this.#key(stream)]);
  }

  stop(): void {
    this.#followers.stop();
  }

  #nextNumber(): { appender: string; number: number } {
    this.#appended += 1;
    return { appender: this.#appender, number: this.#appended };
  }

  #key(stream: string): string {
    return this.#redis.key('stream', stream);
  }

  /** Key of a stream's last id, which outlives the entries. */
  #lastId(stream: string): string {
    return this.#redis.key('last', stream);
  }

  #channel(stream: string): string {
    return this.#redis.key('appended', stream);
  }
}

function entryOf([id, fields]: [id: Buffer, fields: Buffer[]]): StreamEntry {
  return {
    id: Number.parseInt(id.toString(), 10),
    previous: Number(fields[entryFields.previous]),
    bytes: fields[entryFields.bytes] as Buffer,
  };
}

function argument(value: Uint8Array | string): string | Buffer {
  if (typeof value === 'string') return value;
  // Copied, as it is sent later and the caller may change it.
  return Buffer.from(value);
}

/** Wraps bytes without copying them; they must not change until sent. */
function asIs(value: Uint8Array | string): string | Buffer {
  if (typeof value === 'string') return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** Redis takes whole ms, at least one. */
function duration(ms: number): string {
  return `${Math.max(1, Math.ceil(ms))}`;
}

function numberOf(reply: Reply): number | undefined {
  return typeof reply === 'number' ? reply : undefined;
}
