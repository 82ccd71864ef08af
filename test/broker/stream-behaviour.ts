/** The contract of a broker for reading and writing streams. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Broker } from '../../server/broker/broker.ts';
import {
  type BrokerBehaviour,
  eventually,
  expectChain,
  KEPT,
  LONG,
  many,
  SHORT,
  texts,
} from './behaviour-support.ts';

export const streams: BrokerBehaviour[] = [
  {
    name: 'reads what was appended after an entry, in order, as many as are wished',
    async check({ broker, other }) {
      const stream = randomUUID();
      const ids = await many(20, (index) => broker.streams.append(stream, `${index}`, KEPT));
      const all = await other.streams.read(stream, 0, 100);
      expect(texts(all)).toEqual(Array.from({ length: 20 }, (_, index) => `${index}`));
      expect(all.map(({ id }) => id)).toEqual(ids);
      expectChain(all, 0);
      expect(await other.streams.read(stream, ids[4]!, 3)).toEqual(all.slice(5, 8));
      expect(await other.streams.read(stream, ids[19]!, 3)).toEqual([]);
      expect(await other.streams.read(randomUUID(), 0, 3)).toEqual([]);
      const bytes = Buffer.from([0, 255, 13, 10]);
      await other.streams.append(stream, bytes, KEPT);
      expect((await broker.streams.read(stream, ids[19]!, 3))[0]!.bytes).toEqual(bytes);
    },
  },
  {
    name: 'keeps the last entries, and shows whoever comes late that some are missing',
    async check({ broker, other }) {
      const stream = randomUUID();
      const [first] = await many(10, (index) =>
        broker.streams.append(stream, `${index}`, { ...KEPT, maxLength: 4 }),
      );
      const kept = await other.streams.read(stream, first!, 100);
      expect(texts(kept)).toEqual(['6', '7', '8', '9']);
      expect(kept[0]!.previous).toBeGreaterThan(first!);
      expectChain(kept.slice(1), kept[0]!.id);
    },
  },
  {
    name: 'removes entries up to one, by itself or with the next, or all, and goes on with greater ids',
    async check({ broker, other }) {
      const stream = randomUUID();
      const ids = await many(50, (index) => broker.streams.append(stream, `${index}`, KEPT));
      await other.streams.trim(stream, ids[39]!);
      expect(await broker.streams.read(stream, 0, 100)).toHaveLength(10);
      const trimmed = { ...KEPT, trimUpTo: ids[46]! };
      const last = (await other.streams.append(stream, 'last', trimmed))!;
      expect(texts(await broker.streams.read(stream, 0, 100))).toEqual(['47', '48', '49', 'last']);
      await other.streams.append(stream, 'refused', {
        ...{ ...KEPT, trimUpTo: last },
        fence: { lease: randomUUID(), epoch: 1 },
      });
      expect(await broker.streams.read(stream, 0, 100)).toHaveLength(4);
      await other.streams.drop(stream);
      expect(await broker.streams.read(stream, 0, 100)).toEqual([]);
      const id = await broker.streams.append(stream, 'after', KEPT);
      const [after] = await other.streams.read(stream, last, 100);
      expect(after).toMatchObject({ id, previous: last });
    },
  },
  {
    name: 'lets a stream go to which nothing is appended any more',
    async check(under) {
      const { broker, other } = under;
      const stream = randomUUID();
      await broker.streams.append(stream, 'gone', { ...KEPT, ttlMs: SHORT });
      await eventually(() => other.streams.read(stream, 0, 1), under).toEqual([]);
    },
  },
  {
    name: 'refuses the entries of whoever has lost the lease, and takes them while nobody has taken it',
    async check(under) {
      const { broker, other } = under;
      const [stream, lease] = [randomUUID(), randomUUID()];
      const append = (node: Broker, epoch: number) =>
        node.streams.append(stream, `${epoch}`, { ...KEPT, fence: { lease, epoch } });
      expect(await append(broker, 1)).toBeUndefined();
      const epoch = (await broker.leases.acquire(lease, 'first', SHORT))!;
      await eventually(() => other.leases.find(lease), under).toBeUndefined();
      expect(await append(broker, epoch)).toBeGreaterThan(0);
      const next = (await other.leases.acquire(lease, 'second', LONG))!;
      expect(await append(broker, epoch)).toBeUndefined();
      expect(await append(other, next)).toBeGreaterThan(0);
      await other.leases.release(lease, next);
      expect(await append(other, next)).toBeUndefined();
      expect(texts(await broker.streams.read(stream, 0, 9))).toEqual([`${epoch}`, `${next}`]);
    },
  },
  {
    name: 'appends what many say in one turn each by itself: one that is refused or known touches no other',
    async check({ broker, other }) {
      const [lease, appender] = [randomUUID(), randomUUID()];
      const epoch = (await broker.leases.acquire(lease, 'first', LONG))!;
      const streams = Array.from({ length: 300 }, () => randomUUID());
      const bytes = Buffer.alloc(2_000, 7);
      const first = await broker.streams.append(streams[1]!, 'known', {
        ...{ ...KEPT, by: { appender, number: 1 } },
      });
      const ids = await many(streams.length, (index) =>
        broker.streams.append(streams[index]!, bytes, {
          ...KEPT,
          fence: { lease, epoch: index % 7 === 3 ? epoch - 1 : epoch },
          by: { appender, number: 1 },
        }),
      );
      expect(ids[1]).toBe(first);
      for (const [index, stream] of streams.entries()) {
        const kept = await other.streams.read(stream, 0, 9);
        if (index === 1) expect(texts(kept)).toEqual(['known']);
        else if (index % 7 === 3) expect([ids[index], kept]).toEqual([undefined, []]);
        else {
          expect(kept).toMatchObject([{ id: ids[index], previous: 0 }]);
          expect(kept[0]!.bytes.equals(bytes)).toBe(true);
        }
      }
    },
  },
  {
    name: 'does what is asked in one turn in its order',
    async check({ broker, other }) {
      const [lease, stream, seat] = [randomUUID(), randomUUID(), randomUUID()];
      const epoch = (await broker.leases.acquire(lease, 'first', LONG))!;
      const fence = { lease, epoch };
      const held = { names: [seat], member: 'one' };
      const said = await Promise.all([
        broker.leases.renew(lease, epoch, LONG),
        broker.streams.append(stream, 'before', { ...KEPT, fence }),
        broker.seats.keep({ ...held, ttlMs: LONG }),
        broker.seats.leave(held),
        broker.leases.release(lease, epoch),
        broker.streams.append(stream, 'after', { ...KEPT, fence }),
        broker.leases.renew(lease, epoch, LONG),
      ]);
      expect([said[0], said[5], said[6]]).toEqual([true, undefined, false]);
      expect(texts(await other.streams.read(stream, 0, 9))).toEqual(['before']);
      expect(await other.seats.members(seat)).toEqual([]);
    },
  },
  {
    name: 'appends an entry once, however often its appender says it',
    async check({ broker, other }) {
      const [stream, appender] = [randomUUID(), randomUUID()];
      const say = (node: Broker, number: number) =>
        node.streams.append(stream, `${number}`, { ...KEPT, by: { appender, number } });
      const first = await say(broker, 1);
      expect(await say(broker, 1)).toBe(first);
      const second = await say(broker, 7);
      expect(await say(other, 7)).toBe(second);
      await other.streams.append(stream, 'between', { ...KEPT, by: { appender: 'b', number: 1 } });
      expect(await say(other, 7)).toBe(second);
      expect(texts(await other.streams.read(stream, 0, 9))).toEqual(['1', '7', 'between']);
    },
  },
];
