/** The contract of a broker. It runs on every adapter, and on broken ones, which must fail it. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type BrokerBehaviour, eventually, LONG, many, SHORT } from './behaviour-support.ts';
import { following } from './following-behaviour.ts';
import { streams } from './stream-behaviour.ts';

const records: BrokerBehaviour[] = [
  {
    name: 'gives back what was written, until it is removed or its time is up',
    async check(under) {
      const { broker, other } = under;
      const [key, short] = [randomUUID(), randomUUID()];
      const bytes = Buffer.from([0, 255, 13, 10, 0]);
      expect(await broker.records.read(key)).toBeUndefined();
      expect(await broker.records.write(key, bytes, { ttlMs: LONG })).toBe(true);
      expect((await other.records.read(key))?.value).toEqual(bytes);
      expect(await other.records.write(key, 'früher', { ttlMs: LONG })).toBe(true);
      expect((await broker.records.read(key))?.value.toString()).toBe('früher');
      await broker.records.write(short, '', { ttlMs: SHORT });
      await eventually(() => other.records.read(short), under).toBeUndefined();
      await other.records.remove(key);
      expect(await broker.records.read(key)).toBeUndefined();
    },
  },
  {
    name: 'writes over the version that was read, and no other: of many who have read it one',
    async check({ broker, other }) {
      const key = randomUUID();
      await broker.records.write(key, 'first', { ttlMs: LONG });
      const { version: ifVersion = '' } = (await broker.records.read(key)) ?? {};
      const written = await many(40, (index) =>
        (index % 2 === 0 ? broker : other).records.write(key, `${index}`, {
          ttlMs: LONG,
          ifVersion,
        }),
      );
      expect(written.filter(Boolean)).toHaveLength(1);
      const { value, version } = (await other.records.read(key))!;
      expect(value.toString()).toBe(`${written.indexOf(true)}`);
      expect(version).not.toBe(ifVersion);
      await other.records.remove(key);
      expect(await other.records.write(key, 'late', { ttlMs: LONG, ifVersion: version })).toBe(
        false,
      );
    },
  },
  {
    name: 'writes only where there is nothing, if that is wished: of many one',
    async check({ broker, other }) {
      const key = randomUUID();
      const written = await many(40, (index) =>
        (index % 2 === 0 ? broker : other).records.write(key, `${index}`, {
          ...{ ttlMs: LONG, ifAbsent: true },
        }),
      );
      expect(written.filter(Boolean)).toHaveLength(1);
      expect((await broker.records.read(key))?.value.toString()).toBe(`${written.indexOf(true)}`);
    },
  },
  {
    name: 'hands a value out once',
    async check({ broker, other }) {
      const key = randomUUID();
      await broker.records.write(key, 'spent once', { ttlMs: LONG });
      const taken = await many(40, (index) => (index % 2 === 0 ? broker : other).records.take(key));
      expect(taken.flatMap((value) => value?.toString() ?? [])).toEqual(['spent once']);
    },
  },
  {
    name: 'keeps what was written, whatever becomes of the bytes it was given',
    async check({ broker }) {
      const [key, bytes] = [randomUUID(), Buffer.from('before')];
      const writing = broker.records.write(key, bytes, { ttlMs: LONG });
      bytes.write('behind');
      await writing;
      expect((await broker.records.read(key))?.value.toString()).toBe('before');
    },
  },
];

const leases: BrokerBehaviour[] = [
  {
    name: 'gives a lease to one of many, and to the next when it is given back, with a greater epoch',
    async check({ broker, other }) {
      const name = randomUUID();
      const epochs = await many(40, (index) =>
        (index % 2 === 0 ? broker : other).leases.acquire(name, `node ${index}`, LONG),
      );
      const [epoch, ...more] = epochs.filter((each) => each !== undefined);
      expect(more).toEqual([]);
      const holder = `node ${epochs.indexOf(epoch)}`;
      expect(await other.leases.find(name)).toEqual({ holder, epoch });
      expect(await other.leases.acquire(name, holder, LONG)).toBe(epoch);
      expect(await broker.leases.renew(name, epoch!, LONG)).toBe(true);
      await broker.leases.release(name, epoch!);
      expect(await broker.leases.find(name)).toBeUndefined();
      expect(await broker.leases.renew(name, epoch!, LONG)).toBe(false);
      const next = await other.leases.acquire(name, 'next', LONG);
      expect(next).toBeGreaterThan(epoch!);
      await broker.leases.release(name, epoch!);
      expect(await broker.leases.find(name)).toEqual({ holder: 'next', epoch: next });
      await other.leases.release(name, next!);
      expect(await other.leases.acquire(name, 'next', LONG)).toBeGreaterThan(next!);
    },
  },
  {
    name: 'gives whoever wants no other a lease that was given back, none that has run out or never was',
    async check(under) {
      const { broker, other } = under;
      const name = randomUUID();
      const ifGivenBack = () => other.leases.acquire(name, 'next', LONG, { ifGivenBack: true });
      expect(await ifGivenBack()).toBeUndefined();
      await broker.leases.acquire(name, 'first', SHORT);
      await eventually(() => other.leases.find(name), under).toBeUndefined();
      expect(await ifGivenBack()).toBeUndefined();
      const epoch = (await broker.leases.acquire(name, 'first', LONG))!;
      await broker.leases.release(name, epoch);
      const next = await ifGivenBack();
      expect(next).toBeGreaterThan(epoch);
      expect(await ifGivenBack()).toBe(next);
    },
  },
  {
    name: 'leaves a lease that has run out to its holder until another takes it, and not after that',
    async check(under) {
      const { broker, other } = under;
      const name = randomUUID();
      const epoch = (await broker.leases.acquire(name, 'first', SHORT))!;
      await eventually(() => other.leases.find(name), under).toBeUndefined();
      expect(await broker.leases.renew(name, epoch, SHORT)).toBe(true);
      await eventually(() => other.leases.find(name), under).toBeUndefined();
      const next = await other.leases.acquire(name, 'second', LONG);
      expect(next).toBeGreaterThan(epoch);
      expect(await broker.leases.renew(name, epoch, LONG)).toBe(false);
      expect(await broker.leases.acquire(name, 'first', LONG)).toBeUndefined();
      expect(await broker.leases.find(name)).toEqual({ holder: 'second', epoch: next });
    },
  },
];

const seats: BrokerBehaviour[] = [
  {
    name: 'takes seats under all limits or under none, and says which one is full',
    async check({ broker, other }) {
      const [house, room] = [randomUUID(), randomUUID()];
      const wish = (member: string, most: number) => ({
        limits: [
          { name: house, most: 10 },
          { name: room, most },
        ],
        ...{ member, ttlMs: LONG },
      });
      expect(await broker.seats.take(wish('a', 1))).toBeUndefined();
      expect(await other.seats.take(wish('b', 1))).toBe(room);
      expect(await other.seats.take(wish('a', 1))).toBeUndefined();
      expect(await other.seats.members(house)).toEqual(['a']);
      expect(await other.seats.take(wish('b', 2))).toBeUndefined();
      expect((await broker.seats.members(room)).sort()).toEqual(['a', 'b']);
      await other.seats.leave({ names: [house, room], member: 'a' });
      expect(await broker.seats.members(house)).toEqual(['b']);
      expect(await broker.seats.take({ ...wish('c', 2), limits: [{ name: house, most: 0 }] })).toBe(
        house,
      );
    },
  },
  {
    name: 'lets ten of sixty-four sit down at once where there are ten seats',
    async check({ broker, other }) {
      const limits = [
        { name: randomUUID(), most: 100 },
        { name: randomUUID(), most: 10 },
      ];
      const full = await many(64, (index) =>
        (index % 2 === 0 ? broker : other).seats.take({ limits, member: `${index}`, ttlMs: LONG }),
      );
      expect(full.filter((name) => name === undefined)).toHaveLength(10);
      expect(await broker.seats.members(limits[0]!.name)).toHaveLength(10);
    },
  },
  {
    name: 'frees the seats of those that do not hold on to them',
    async check(under) {
      const { broker, other } = under;
      const limits = [{ name: randomUUID(), most: 2 }];
      await broker.seats.take({ limits, member: 'dies', ttlMs: SHORT });
      await broker.seats.take({ limits, member: 'stays', ttlMs: SHORT });
      await broker.seats.keep({ names: [limits[0]!.name], member: 'stays', ttlMs: LONG });
      const sitDown = () => other.seats.take({ limits, member: 'comes', ttlMs: LONG });
      await eventually(sitDown, under).toBeUndefined();
      expect((await other.seats.members(limits[0]!.name)).sort()).toEqual(['comes', 'stays']);
    },
  },
  {
    name: 'gives whoever holds on the lost seat back, though all are taken',
    async check({ broker, other }) {
      const name = randomUUID();
      await broker.seats.take({ limits: [{ name, most: 1 }], member: 'new', ttlMs: LONG });
      await other.seats.keep({ names: [name], member: 'old', ttlMs: LONG });
      expect((await broker.seats.members(name)).sort()).toEqual(['new', 'old']);
    },
  },
];

const counters: BrokerBehaviour[] = [
  {
    name: 'counts as many as may be in a window, also when all come at once, and then says how long it lasts',
    async check({ broker, other }) {
      const counted = { kind: 'requests', name: randomUUID() };
      const limit = { most: 10, windowMs: LONG };
      const left = await many(64, (index) =>
        (index % 2 === 0 ? broker : other).counters.count(counted, limit),
      );
      expect(left.filter((ms) => ms === undefined)).toHaveLength(10);
      for (const ms of left) {
        if (ms === undefined) continue;
        expect(ms).toBeGreaterThan(LONG / 2);
        expect(ms).toBeLessThanOrEqual(LONG);
      }
      const nothing = { most: 0, windowMs: LONG };
      expect(await broker.counters.count({ ...counted, kind: 'other' }, nothing)).toBe(LONG);
      expect(await broker.counters.count({ ...counted, kind: 'other' }, limit)).toBeUndefined();
    },
  },
  {
    name: 'begins to count anew when a window is over',
    async check(under) {
      const { broker, other } = under;
      const counted = { kind: 'requests', name: randomUUID() };
      const limit = { most: 1, windowMs: SHORT };
      await broker.counters.count(counted, limit);
      await eventually(() => other.counters.count(counted, limit), under).toBeUndefined();
    },
  },
];

const buckets: BrokerBehaviour[] = [
  {
    name: 'takes so many from a bucket at once, from all or from none, and then says how long to wait',
    async check({ broker, other }) {
      const house = { kind: 'houses', name: randomUUID(), burst: 20, everyMs: LONG };
      const door = { kind: 'doors', name: randomUUID(), burst: 10, everyMs: LONG };
      const waits = await many(64, (index) =>
        (index % 2 === 0 ? broker : other).buckets.take([house, door]),
      );
      expect(waits.filter((ms) => ms === undefined)).toHaveLength(10);
      for (const ms of waits) {
        if (ms === undefined) continue;
        expect(ms).toBeGreaterThan(LONG / 2);
        expect(ms).toBeLessThanOrEqual(LONG);
      }
      expect(await other.buckets.look([house, door])).toBeGreaterThan(LONG / 2);
      // The full bucket lost nothing because the other was empty, or because it was inspected.
      await many(20, () => other.buckets.look([house]));
      const rest = await many(20, () => broker.buckets.take([house]));
      expect(rest.filter((ms) => ms === undefined)).toHaveLength(10);
    },
  },
  {
    name: 'fills a bucket again, one by one',
    async check(under) {
      const { broker, other } = under;
      const bucket = { kind: 'doors', name: randomUUID(), burst: 2, everyMs: SHORT };
      const slow = { ...bucket, everyMs: LONG };
      await broker.buckets.take([bucket]);
      await broker.buckets.take([bucket]);
      await eventually(() => other.buckets.take([bucket]), under).toBeUndefined();
      expect(await other.buckets.look([slow])).toBeUndefined();
    },
  },
];

export const brokerBehaviours: readonly BrokerBehaviour[] = [
  ...[...records, ...leases, ...seats],
  ...[...counters, ...buckets, ...streams, ...following],
];
