/** Brokers that are deliberately broken. Each violates one behaviour, and every behaviour has one. */
import { createEmbeddedBroker } from '../../server/broker/embedded-broker.ts';
import type { Broker, Streams } from '../../server/broker/broker.ts';
import { quietLog } from '../storage/samples.ts';

export interface BrokenBroker {
  fault: string;
  /** Beginning of the name of the behaviour it violates. */
  breaks: string;
  /** Breaks a broker that is sound. */
  breakIt: (broker: Broker) => Broker;
}

const FOREVER = 1e12;

/** Lets other work run in between, so that an atomic step becomes two. */
const elsewhere = () => new Promise((resolve) => void setImmediate(resolve));

type PartName = {
  [Name in keyof Broker]: Broker[Name] extends object ? Name : never;
}[keyof Broker];

/** Replaces some methods of one part by faulty ones. */
function faulty<Name extends Exclude<PartName, 'close' | 'onBack' | 'isWhole'>>(
  part: Name,
  fault: (sound: Broker[Name], broker: Broker) => Partial<Broker[Name]>,
): BrokenBroker['breakIt'] {
  return (broker) => ({ ...broker, [part]: { ...broker[part], ...fault(broker[part], broker) } });
}

const brokenRecords: BrokenBroker[] = [
  {
    fault: 'keeps values for good',
    breaks: 'gives back what was written',
    breakIt: faulty('records', (sound) => ({
      write: (key, value, options) => sound.write(key, value, { ...options, ttlMs: FOREVER }),
    })),
  },
  {
    fault: 'compares a version before it writes instead of at once',
    breaks: 'writes over the version that was read',
    breakIt: faulty('records', (sound) => ({
      async write(key, value, { ttlMs, ifVersion, ...rest }) {
        if (ifVersion !== undefined && (await sound.read(key))?.version !== ifVersion) return false;
        await elsewhere();
        return sound.write(key, value, { ttlMs, ...rest });
      },
    })),
  },
  {
    fault: 'writes over what is there',
    breaks: 'writes only where there is nothing',
    breakIt: faulty('records', (sound) => ({
      write: (key, value, { ttlMs }) => sound.write(key, value, { ttlMs }),
    })),
  },
  {
    fault: 'removes a value after it has handed it out',
    breaks: 'hands a value out once',
    breakIt: faulty('records', (sound) => ({
      async take(key) {
        const found = await sound.read(key);
        await elsewhere();
        await sound.remove(key);
        return found?.value;
      },
    })),
  },
  {
    fault: 'holds on to the bytes of its callers',
    breaks: 'keeps what was written, whatever becomes',
    breakIt: faulty('records', (sound) => ({
      async write(key, value, options) {
        await elsewhere();
        return sound.write(key, value, options);
      },
    })),
  },
];

const brokenLeases: BrokenBroker[] = [
  {
    fault: 'takes a lease that has run out for one that was given back',
    breaks: 'gives whoever wants no other a lease that was given back',
    breakIt: faulty('leases', (sound) => ({
      acquire: (name, holder, ttlMs) => sound.acquire(name, holder, ttlMs),
    })),
  },
  {
    fault: 'begins its epochs anew',
    breaks: 'gives a lease to one of many',
    breakIt: faulty('leases', (sound) => ({
      acquire: async (...args) => ((await sound.acquire(...args)) === undefined ? undefined : 1),
    })),
  },
  {
    fault: 'takes a lease away when it has run out',
    breaks: 'leaves a lease that has run out',
    breakIt: faulty('leases', (sound) => ({
      renew: async (name, ...args) =>
        (await sound.find(name)) !== undefined && (await sound.renew(name, ...args)),
    })),
  },
];

const brokenSeats: BrokenBroker[] = [
  {
    fault: 'takes seats one by one',
    breaks: 'takes seats under all limits or under none',
    breakIt: faulty('seats', (sound) => ({
      async take({ limits, ...rest }) {
        for (const limit of limits) {
          const full = await sound.take({ limits: [limit], ...rest });
          if (full !== undefined) return full;
        }
        return undefined;
      },
    })),
  },
  {
    fault: 'counts seats before it takes one instead of at once',
    breaks: 'lets ten of sixty-four sit down',
    breakIt: faulty('seats', (sound) => ({
      async take({ limits, ...rest }) {
        for (const { name, most } of limits) {
          if ((await sound.members(name)).length >= most) return name;
        }
        await elsewhere();
        return sound.take({ limits: limits.map(({ name }) => ({ name, most: FOREVER })), ...rest });
      },
    })),
  },
  {
    fault: 'keeps the seats of the dead',
    breaks: 'frees the seats',
    breakIt: faulty('seats', (sound) => ({
      take: (wish) => sound.take({ ...wish, ttlMs: FOREVER }),
    })),
  },
  {
    fault: 'holds on only to seats that are still there',
    breaks: 'gives whoever holds on the lost seat back',
    breakIt: faulty('seats', (sound) => ({
      async keep(held) {
        const [name = ''] = held.names;
        if ((await sound.members(name)).includes(held.member)) await sound.keep(held);
      },
    })),
  },
];

const brokenCounters: BrokenBroker[] = [
  {
    fault: 'counts for one kind what was counted for another',
    breaks: 'counts as many as may be',
    breakIt: faulty('counters', (sound) => ({
      count: ({ name }, limit) => sound.count({ kind: 'all', name }, limit),
    })),
  },
  {
    fault: 'never ends a window',
    breaks: 'begins to count anew',
    breakIt: faulty('counters', (sound) => ({
      count: (counted, limit) => sound.count(counted, { ...limit, windowMs: FOREVER }),
    })),
  },
];

const brokenBuckets: BrokenBroker[] = [
  {
    fault: 'takes from one bucket after the other',
    breaks: 'takes so many from a bucket at once',
    breakIt: faulty('buckets', (sound) => ({
      async take(all) {
        for (const bucket of all) {
          const waitMs = await sound.take([bucket]);
          if (waitMs !== undefined) return waitMs;
        }
        return undefined;
      },
    })),
  },
  {
    fault: 'takes when it should look',
    breaks: 'takes so many from a bucket at once',
    breakIt: faulty('buckets', (sound) => ({ look: (all) => sound.take(all) })),
  },
  {
    fault: 'never fills a bucket again',
    breaks: 'fills a bucket again',
    breakIt: faulty('buckets', (sound) => ({
      take: (all) => sound.take(all.map((bucket) => ({ ...bucket, everyMs: FOREVER }))),
    })),
  },
];

const brokenStreams: BrokenBroker[] = [
  {
    fault: 'reads the entry itself again',
    breaks: 'reads what was appended after an entry',
    breakIt: faulty('streams', (sound) => ({
      read: (stream, after, most) => sound.read(stream, after - 1, most),
    })),
  },
  {
    fault: 'keeps everything',
    breaks: 'keeps the last entries',
    breakIt: faulty('streams', (sound) => ({
      append: (stream, bytes, options) =>
        sound.append(stream, bytes, { ...options, maxLength: FOREVER }),
    })),
  },
  {
    fault: 'removes nothing by itself',
    breaks: 'removes entries up to one',
    breakIt: faulty('streams', () => ({ trim: async () => undefined })),
  },
  {
    fault: 'removes nothing',
    breaks: 'removes entries up to one',
    breakIt: faulty('streams', (sound) => ({
      append: (stream, bytes, { trimUpTo: _, ...options }) => sound.append(stream, bytes, options),
    })),
  },
  {
    fault: 'keeps streams for good',
    breaks: 'lets a stream go',
    breakIt: faulty('streams', (sound) => ({
      append: (stream, bytes, options) =>
        sound.append(stream, bytes, { ...options, ttlMs: FOREVER }),
    })),
  },
  {
    fault: 'looks at the lease before it appends instead of at the epoch',
    breaks: 'refuses the entries of whoever has lost the lease',
    breakIt: faulty('streams', (sound, { leases }) => ({
      async append(stream, bytes, { fence, ...options }) {
        const isHeld = fence === undefined || (await leases.find(fence.lease)) !== undefined;
        return isHeld ? sound.append(stream, bytes, options) : undefined;
      },
    })),
  },
  {
    fault: 'refuses all that is said in a turn because of one',
    breaks: 'appends what many say in one turn each by itself',
    breakIt: faulty('streams', (sound, { leases }) => {
      let turn: Promise<unknown> | undefined;
      let isRefused = false;
      return {
        async append(stream, bytes, { fence, ...options }) {
          const held = fence && (await leases.find(fence.lease));
          isRefused ||= held?.epoch !== fence?.epoch;
          await (turn ??= elsewhere().then(() => (turn = undefined)));
          return isRefused ? undefined : sound.append(stream, bytes, options);
        },
      };
    }),
  },
  {
    fault: 'appends when all else is done',
    breaks: 'does what is asked in one turn in its order',
    breakIt: faulty('streams', (sound) => ({
      async append(...args) {
        await elsewhere();
        return sound.append(...args);
      },
    })),
  },
  {
    fault: 'appends what is said again',
    breaks: 'appends an entry once',
    breakIt: faulty('streams', (sound) => ({
      append: (stream, bytes, { by: _, ...options }) => sound.append(stream, bytes, options),
    })),
  },
];

/** Replaces the callback of followers by a faulty one. */
function faultyFollow(
  fault: (onEntry: Parameters<Streams['follow']>[2]) => Parameters<Streams['follow']>[2],
): BrokenBroker['breakIt'] {
  return faulty('streams', (sound) => ({
    follow: (stream, after, onEntry) => sound.follow(stream, after, fault(onEntry)),
  }));
}

const brokenFollowing: BrokenBroker[] = [
  {
    fault: 'tells everything twice',
    breaks: 'tells followers each entry once',
    breakIt: faultyFollow((onEntry) => async (entry) => {
      await onEntry(entry);
      await onEntry(entry);
    }),
  },
  {
    fault: 'tells everything from the beginning',
    breaks: 'tells those who follow from now on',
    breakIt: faulty('streams', (sound) => ({
      follow: (stream, _after, onEntry) => sound.follow(stream, 0, onEntry),
    })),
  },
  {
    fault: 'does not wait',
    breaks: 'waits until an entry has been dealt with',
    breakIt: faultyFollow((onEntry) => (entry) => void onEntry(entry)),
  },
  {
    fault: 'does not listen to a stream again that was left',
    breaks: 'tells those who have just left',
    breakIt: faulty('streams', (sound) => {
      const left = new Set<string>();
      return {
        follow(stream, after, onEntry) {
          const stop = sound.follow(stream, after, (entry) =>
            left.has(stream) ? undefined : onEntry(entry),
          );
          return () => {
            left.add(stream);
            stop();
          };
        },
      };
    }),
  },
  {
    fault: 'tells announcements to nobody else',
    breaks: 'tells an announcement to every node',
    breakIt: (broker) => {
      const alone = createEmbeddedBroker({ log: quietLog }).announcements;
      const listen: typeof alone.listen = (...args) => alone.listen(...args);
      return { ...broker, announcements: { ...broker.announcements, listen } };
    },
  },
  {
    fault: 'says nothing of announcements that are gone',
    breaks: 'says that announcements were missed',
    breakIt: faulty('announcements', (sound) => ({
      listen: (topic, onMessage) => sound.listen(topic, onMessage),
    })),
  },
];

export const brokenBrokers: readonly BrokenBroker[] = [
  ...[...brokenRecords, ...brokenLeases, ...brokenSeats],
  ...[...brokenCounters, ...brokenBuckets, ...brokenStreams, ...brokenFollowing],
];
