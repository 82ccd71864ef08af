/** How a broker behaves when its Redis fails in various ways. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { AppendOptions, Broker, StreamEntry } from '../../server/broker/broker.ts';
import { openRedis, type TestRedis } from '../support/machine/redis.ts';
import {
  AWAY,
  messagesOf,
  newPrefix,
  openRedisNode,
  openRedisProxy,
  POLLING,
  socketOf,
  untilDone,
} from './redis-nodes.ts';

const LONG = 600_000;
const LONGER_THAN_AN_ANSWER_MS = 2_100;
const KEPT: AppendOptions = { maxLength: 1_000, ttlMs: LONG };
const COUNTED = { kind: 'requests', name: 'a' };
const BUCKET = { kind: 'doors', name: 'a', burst: 1, everyMs: LONG };

let redis: TestRedis;
beforeAll(async () => {
  redis = await openRedis({ tcp: true });
});
afterAll(() => redis.stop());

const openNode = ({ url = redis.url, prefix = undefined as string | undefined } = {}) =>
  openRedisNode({ url, ...(prefix !== undefined && { prefix }) });
const openProxy = (target: number | string = socketOf(redis)) => openRedisProxy(target);

/** Collects what a node receives of a stream. */
function heardBy(broker: Broker, stream: string): StreamEntry[] {
  const heard: StreamEntry[] = [];
  onTestFinished(broker.streams.follow(stream, 0, (entry) => void heard.push(entry)));
  return heard;
}

const texts = (entries: readonly StreamEntry[]) => entries.map(({ bytes }) => bytes.toString());

it('reports a suspended Redis as unavailable within seconds, and then resumes', async () => {
  const { broker } = await openNode();
  const heard = heardBy(broker, 'stream');
  await broker.streams.append('stream', 'before', KEPT);
  redis.pause();
  onTestFinished(() => redis.resume());
  const asked = [
    broker.records.read('key'),
    broker.counters.count(COUNTED, { most: 1, windowMs: LONG }),
    broker.streams.append('stream', 'unknown', { ...KEPT, by: { appender: 'a', number: 1 } }),
  ];
  for (const asking of asked) await expect(asking).rejects.toMatchObject(AWAY);
  await expect(broker.records.read('key')).rejects.toMatchObject(AWAY);
  redis.resume();
  // The suspended Redis may or may not have appended it after it resumed.
  await untilDone(() =>
    broker.streams.append('stream', 'unknown', { ...KEPT, by: { appender: 'a', number: 1 } }),
  );
  await broker.streams.append('stream', 'after', KEPT);
  await expect.poll(() => texts(heard), POLLING).toEqual(['before', 'unknown', 'after']);
});

it('keeps answers that arrived while the node itself was suspended', async () => {
  const { broker, log } = await openNode();
  // In one of these turns the command is in transit.
  for (const turns of [0, 1, 2, 3]) {
    const asked = broker.streams.append('stream', 'line', KEPT);
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    standStill(LONGER_THAN_AN_ANSWER_MS);
    await asked;
  }
  expect(messagesOf(log)).not.toContain('the connection to the broker is lost');
});

/** Blocks this thread, and with it all timers and sockets of the process. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it('appends an entry once when its answer was lost and it is sent again', async () => {
  const proxy = await openProxy();
  const { broker, log } = await openNode({ url: proxy.url });
  const { broker: other } = await openNode();
  const heard = heardBy(broker, 'stream');
  await broker.streams.append('stream', 'before', KEPT);
  proxy.loseAnswers();
  const told = ['0', '1', '2', '3', '4'];
  const appending = Promise.all(told.map((text) => broker.streams.append('stream', text, KEPT)));
  // A command that must not run twice is not repeated.
  const taking = expect(broker.records.take('key')).rejects.toMatchObject(AWAY);
  await other.records.read('key');
  proxy.cut();
  const ids = await appending;
  await taking;
  await expect.poll(() => texts(heard), POLLING).toEqual(['before', ...told]);
  expect(heard.slice(1).map(({ id }) => id)).toEqual(ids);
  expect(log.lines.map(({ message }) => message)).toContain('the broker is back');
});

it('keeps the order of calls made at the moment Redis comes back', async () => {
  const proxy = await openProxy();
  const { broker, log } = await openNode({ url: proxy.url });
  const heard = heardBy(broker, 'stream');
  await broker.streams.append('stream', 'before', KEPT);
  const told: Promise<unknown>[] = [];
  const tell = (text: string) => void told.push(broker.streams.append('stream', text, KEPT));
  const record = { ...log };
  log.warn = (fields: object, message: string) => {
    record.warn(fields, message);
    if (message === 'the connection to the broker is lost') tell('waits');
  };
  log.info = (fields: object, message: string) => {
    record.info(fields, message);
    if (message === 'the broker is back') tell('younger');
  };
  proxy.cut();
  await expect.poll(() => told.length, POLLING).toBe(2);
  await Promise.all(told);
  await expect.poll(() => texts(heard), POLLING).toEqual(['before', 'waits', 'younger']);
});

it('delivers every entry once and in the same order to all nodes under any faults', async () => {
  const prefix = newPrefix();
  const proxies = await Promise.all(Array.from({ length: 3 }, () => openProxy()));
  const nodes = await Promise.all(
    proxies.map(async ({ url }) => (await openNode({ url, prefix })).broker),
  );
  const heard = nodes.map((node) => heardBy(node, 'stream'));
  const faults: ((turn: number) => unknown)[] = [
    (turn) => proxies[turn % 3]!.cut(),
    (turn) => {
      const proxy = proxies[turn % 3]!;
      proxy.loseAnswers();
      // Puts a command in transit.
      void nodes[turn % 3]!.records.read('key').catch(() => undefined);
      setImmediate(() => proxy.cut());
    },
    () => redis.ask('CLIENT', 'KILL', 'TYPE', 'pubsub'),
    () => redis.ask('SCRIPT', 'FLUSH'),
  ];
  const said = (node: Broker, number: number) =>
    untilDone(() =>
      node.streams.append('stream', `${node.node} ${number}`, {
        ...{ ...KEPT, by: { appender: node.node, number } },
      }),
    );
  for (let number = 1; number <= 16; number += 1) {
    const saying = nodes.map((node) => said(node, number));
    await faults[number % faults.length]!(number);
    await Promise.all(saying);
  }
  await expect.poll(() => heard.map(({ length }) => length), POLLING).toEqual([48, 48, 48]);
  expect(heard[1]).toEqual(heard[0]);
  expect(heard[2]).toEqual(heard[0]);
  for (const { node } of nodes) {
    const own = texts(heard[0]!).filter((text) => text.startsWith(node));
    expect(own).toEqual(Array.from({ length: 16 }, (_, index) => `${node} ${index + 1}`));
  }
});

it('reloads its scripts into a Redis that has lost them', async () => {
  const { broker } = await openNode();
  await broker.streams.append('stream', 'before', KEPT);
  await redis.ask('SCRIPT', 'FLUSH');
  await broker.streams.append('stream', 'after', KEPT);
  expect(texts(await broker.streams.read('stream', 0, 9))).toEqual(['before', 'after']);
});

it('waits for a Redis that briefly pauses all clients', async () => {
  const { broker, log } = await openNode();
  await redis.ask('CLIENT', 'PAUSE', '300', 'ALL');
  expect(await broker.records.write('key', 'value', { ttlMs: LONG })).toBe(true);
  expect(log.lines).toEqual([]);
});

it('uses a Redis again that comes back empty, and shows followers the gap', async () => {
  const own = await openRedis();
  onTestFinished(() => own.stop());
  const { broker, prefix } = await openNode({ url: own.url });
  const heard = heardBy(broker, 'stream');
  const lost = (await broker.streams.append('stream', 'lost', KEPT))!;
  const epoch = (await broker.leases.acquire('lease', 'a', LONG))!;
  await own.kill();
  await expect(broker.records.take('key')).rejects.toMatchObject(AWAY);
  await own.start();
  expect(await untilDone(() => broker.leases.renew('lease', epoch, LONG))).toBe(false);
  expect(await broker.leases.acquire('lease', 'b', LONG)).toBeGreaterThan(epoch);
  const id = await broker.streams.append('stream', 'kept', KEPT);
  expect(id).toBeGreaterThan(lost);
  await expect.poll(() => texts(heard), POLLING).toEqual(['lost', 'kept']);
  expect(heard[1]!.previous).not.toBe(lost);
  expect(await own.ask('EXISTS', `${prefix}:cluster`)).toBe(1);
});

it('reports the error of one command in a pipeline to that command alone', async () => {
  const { broker, prefix, log } = await openNode();
  const epoch = (await broker.leases.acquire('lease', 'a', LONG))!;
  await redis.ask('SET', `${prefix}:stream:strange`, 'no stream');
  await redis.ask('SET', `${prefix}:lease:strange`, 'no lease');
  const [before, strange, after, lease, strangeLease] = await Promise.allSettled([
    broker.streams.append('stream', 'before', KEPT),
    broker.streams.append('strange', 'lost', KEPT),
    broker.streams.append('stream', 'after', KEPT),
    broker.leases.renew('lease', epoch, LONG),
    broker.leases.renew('strange', epoch, LONG),
  ]);
  expect([strange, strangeLease]).toMatchObject([
    { status: 'rejected', reason: { code: 'internal' } },
    { status: 'rejected', reason: { code: 'internal' } },
  ]);
  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  expect(lease).toMatchObject({ value: true });
  expect([before, after].map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  expect(texts(await broker.streams.read('stream', 0, 9))).toEqual(['before', 'after']);
});

it('refuses writes to a full Redis, but still releases things', async () => {
  const own = await openRedis();
  onTestFinished(() => own.stop());
  const { broker, log } = await openNode({ url: own.url });
  const seat = { names: ['seats'], member: 'a' };
  const limits = [{ name: 'seats', most: 1 }];
  await broker.seats.take({ limits, member: 'a', ttlMs: LONG });
  await broker.records.write('key', 'value', { ttlMs: LONG });
  const first = (await broker.streams.append('stream', 'text', KEPT))!;
  const epoch = (await broker.leases.acquire('lease', 'a', LONG))!;
  await own.ask('CONFIG', 'SET', 'maxmemory', '1');
  for (const refused of [
    broker.records.write('key', 'other', { ttlMs: LONG }),
    broker.streams.append('stream', 'more', KEPT),
    broker.seats.take({ limits: [{ name: 'others', most: 1 }], member: 'b', ttlMs: LONG }),
    broker.leases.acquire('other', 'b', LONG),
    broker.counters.count(COUNTED, { most: 1, windowMs: LONG }),
    broker.buckets.take([BUCKET]),
    // Otherwise the caller would learn which of the two it was.
    broker.buckets.look([BUCKET]),
  ]) {
    await expect(refused).rejects.toMatchObject(AWAY);
  }
  // Logged once, not for every call.
  expect(log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    'warn: the broker cannot accept writes',
  ]);
  // Over a new connection as well.
  await own.ask('CLIENT', 'KILL', 'TYPE', 'normal');
  const { value, version: ifVersion } = (await broker.records.read('key'))!;
  expect(value.toString()).toBe('value');
  expect(await broker.records.write('key', 'other', { ttlMs: LONG, ifVersion })).toBe(true);
  expect((await broker.records.read('key'))?.value.toString()).toBe('other');
  expect(await broker.leases.renew('lease', epoch, LONG)).toBe(true);
  await broker.seats.keep({ ...seat, ttlMs: LONG });
  await broker.seats.leave(seat);
  expect(await broker.seats.members('seats')).toEqual([]);
  await broker.leases.release('lease', epoch);
  await broker.streams.drop('stream');
  await broker.records.remove('key');
  await own.ask('CONFIG', 'SET', 'maxmemory', '0');
  expect(await broker.streams.append('stream', 'more', KEPT)).toBeGreaterThan(first);
});

it('follows a failover to a replica at the same address, and repeats nothing', async () => {
  const [first, second] = [await openRedis({ tcp: true }), await openRedis({ tcp: true })];
  onTestFinished(async () => {
    await first.stop();
    await second.stop();
  });
  const proxy = await openProxy(first.port);
  const { broker } = await openNode({ url: proxy.url });
  const heard = heardBy(broker, 'stream');
  await second.ask('REPLICAOF', '127.0.0.1', `${first.port}`);
  await expect.poll(() => second.ask('INFO', 'replication'), POLLING).toMatch(/link_status:up/);
  await broker.streams.append('stream', 'before', KEPT);
  const hasAll = async () => String(await second.ask('KEYS', '*:stream:*'));
  await expect.poll(hasAll, POLLING).toContain('stream');
  await second.ask('REPLICAOF', 'NO', 'ONE');
  proxy.leadTo(second.port);
  // The old primary is demoted later; clients still connected to it must not write there.
  await first.ask('REPLICAOF', '127.0.0.1', `${second.port}`);
  await untilDone(() =>
    broker.streams.append('stream', 'after', { ...KEPT, by: { appender: 'a', number: 1 } }),
  );
  await expect.poll(() => texts(heard), POLLING).toEqual(['before', 'after']);
  expect(heard[1]!.previous).toBe(heard[0]!.id);
});

it('does not use the Redis of another cluster at the same address', async () => {
  const foreign = await openRedis({ tcp: true });
  onTestFinished(() => foreign.stop());
  const proxy = await openProxy(redis.port);
  const { broker, log, prefix } = await openNode({ url: proxy.url });
  await foreign.ask('SET', `${prefix}:cluster`, 'dragoman 1 another-database');
  proxy.leadTo(foreign.port);
  proxy.cut();
  await expect(broker.records.write('key', 'value', { ttlMs: LONG })).rejects.toMatchObject(AWAY);
  expect(await foreign.ask('KEYS', '*')).toEqual([`${prefix}:cluster`]);
  const said = log.lines.map(({ fields }) => JSON.stringify(fields)).join('\n');
  expect(said).toContain('another database');
  proxy.leadTo(redis.port);
  await untilDone(() => broker.records.write('key', 'value', { ttlMs: LONG }));
});

it('receives the announcements it missed while it was cut off', async () => {
  const proxy = await openProxy();
  const { broker, prefix } = await openNode({ url: proxy.url });
  const { broker: other } = await openNode({ prefix });
  const heard: string[] = [];
  onTestFinished(broker.announcements.listen('keys', (message) => void heard.push(message)));
  await broker.announcements.tell('keys', 'one');
  await expect.poll(() => heard, POLLING).toEqual(['one']);
  const cutOff = () => {
    proxy.leadTo('/nowhere');
    proxy.cut();
  };
  cutOff();
  await other.announcements.tell('keys', 'two');
  proxy.leadTo(socketOf(redis));
  await expect.poll(() => heard, POLLING).toEqual(['one', 'two']);
  cutOff();
  // Announced during the outage; all nodes, including this one, receive it afterwards.
  const telling = broker.announcements.tell('keys', 'three');
  await expect(broker.records.take('key')).rejects.toMatchObject(AWAY);
  proxy.leadTo(socketOf(redis));
  await telling;
  await expect.poll(() => heard, POLLING).toEqual(['one', 'two', 'three']);
});

it('gives everything it stores a time to live, except the cluster mark', async () => {
  const { broker, prefix } = await openNode();
  await broker.records.write('key', 'value', { ttlMs: LONG });
  await broker.leases.acquire('lease', 'a', LONG);
  await broker.seats.take({ limits: [{ name: 'seats', most: 1 }], member: 'a', ttlMs: LONG });
  await broker.seats.keep({ names: ['kept'], member: 'a', ttlMs: LONG });
  await broker.counters.count(COUNTED, { most: 1, windowMs: LONG });
  await broker.buckets.take([BUCKET]);
  await broker.streams.append('stream', 'text', KEPT);
  await broker.announcements.tell('topic', 'message');
  const keys = (await redis.ask('KEYS', `${prefix}:*`)) as string[];
  const lasting: string[] = [];
  for (const key of keys) if (Number(await redis.ask('PTTL', key)) < 0) lasting.push(key);
  expect(keys.length).toBeGreaterThan(9);
  expect(lasting).toEqual([`${prefix}:cluster`]);
});

it('does not wait for an unavailable Redis when it closes', async () => {
  const { broker } = await openNode();
  broker.streams.follow('stream', 0, () => undefined);
  redis.pause();
  onTestFinished(() => redis.resume());
  const asking = broker.records.read('key');
  asking.catch(() => undefined);
  await broker.close();
  await expect(asking).rejects.toMatchObject({ code: 'stopping' });
  await expect(broker.records.read('key')).rejects.toMatchObject({ code: 'stopping' });
});
