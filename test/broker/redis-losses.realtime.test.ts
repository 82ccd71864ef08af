/** Recovery of the shared state after Redis has lost it, or after an answer was lost. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { Broker } from '../../server/broker/broker.ts';
import { SessionSeats } from '../../server/voice/session/session-seats.ts';
import { createSessionTokens } from '../../server/voice/session/session-tokens.ts';
import { openRedis, type TestRedis } from '../support/machine/redis.ts';
import {
  AWAY,
  messagesOf,
  openRedisNode,
  POLLING,
  settledPrefix,
  untilDone,
} from './redis-nodes.ts';

const LONG = 600_000;

const codeOf = (error: unknown) => (error as { code: string }).code;

let redis: TestRedis;
beforeEach(async () => {
  redis = await openRedis({ tcp: true, args: ['--enable-debug-command', 'yes'] });
  onTestFinished(async () => {
    redis.resume();
    await redis.stop();
  });
});

const openNode = (wish: { prefix?: string; clusterId?: string; url?: string } = {}) =>
  openRedisNode({ url: redis.url, ...wish });

async function openNodes(count: number): Promise<Broker[]> {
  const prefix = await settledPrefix(redis);
  return Promise.all(
    Array.from({ length: count }, async () => (await openNode({ prefix })).broker),
  );
}

const openSeats = (broker: Broker) => new SessionSeats({ broker, most: 100, mostOfKey: 10 });
const openTokens = (broker: Broker) => createSessionTokens({ broker, rememberMs: LONG });

/** Tries to take a seat until the outcome is known. */
async function sitDown(seats: ReturnType<typeof openSeats>): Promise<string> {
  let outcome = '';
  const attempt = () =>
    seats.take(randomUUID(), 'key').then(
      () => (outcome = 'taken'),
      (error: unknown) => {
        const code = codeOf(error);
        return (outcome = code === AWAY.code ? '' : code);
      },
    );
  await expect.poll(attempt, POLLING).not.toBe('');
  return outcome;
}

/** The longest time that Redis or this process takes to answer while `work` runs, in ms. */
async function slowestAnswerMs(work: Promise<unknown>): Promise<number> {
  const trial = { isOver: false };
  const end = () => (trial.isOver = true);
  work.then(end, end);
  let slowestMs = 0;
  for (let askedMs = performance.now(); !trial.isOver;) {
    const answer = await redis.ask('PING').catch(() => undefined);
    await delay(POLLING.interval);
    slowestMs = Math.max(slowestMs, performance.now() - askedMs);
    // While Redis is away there is no answer yet.
    if (answer !== undefined) askedMs = performance.now();
  }
  return slowestMs;
}

/** @returns restores the current state of Redis later, like a snapshot or a lagging replica */
async function takeSnapshot(nodes: readonly Broker[]): Promise<() => Promise<void>> {
  await redis.ask('SAVE');
  const [mark = ''] = (await redis.ask('KEYS', '*:cluster')) as string[];
  const saved = await redis.ask('GET', mark);
  return async () => {
    // A node notices the rollback once it has seen a later mark, as every node that reconnects has; the first
    // one then tells the others.
    await expect.poll(() => redis.ask('GET', mark), POLLING).not.toBe(saved);
    await redis.ask('CLIENT', 'KILL', 'TYPE', 'normal');
    for (const { records } of nodes) await untilDone(() => records.read('key'));
    await redis.ask('DEBUG', 'RELOAD', 'NOSAVE');
    await redis.ask('CLIENT', 'KILL', 'TYPE', 'normal');
  };
}

/** Makes seats expire as if Redis had been suspended for a minute. */
const RUN_OUT = `
for _, key in ipairs(redis.call('KEYS', '*:seats:*')) do
  for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do redis.call('ZADD', key, 1, member) end
end
for _, key in ipairs(redis.call('KEYS', '*:cluster')) do
  local mark, claimed = string.match(redis.call('GET', key), '^(.* )(%d+)$')
  redis.call('SET', key, mark .. string.format('%.0f', claimed - 70000))
end`;

it.each(
  Object.entries({
    'comes back empty': async () => {
      await redis.kill();
      await redis.start();
    },
    'is emptied': () => redis.ask('FLUSHALL'),
    'comes back as it once was': async (goBack: () => Promise<void>) => goBack(),
    'stood still for a minute': () => redis.ask('EVAL', RUN_OUT, '0'),
  }),
)('gives nobody the seats of present sessions when Redis %s', async (_how, lose) => {
  const loseSeats = async () => {
    await redis.ask('FLUSHALL');
    const nodes = await openNodes(3);
    const goBack = await takeSnapshot(nodes);
    const seats = nodes.map(openSeats);
    for (let index = 0; index < 10; index += 1) await seats[index % 3]!.take(`${index}`, 'key');
    const sitting = lose(goBack).then(() =>
      Promise.all(Array.from({ length: 30 }, (_, index) => sitDown(seats[index % 3]!))),
    );
    const slowestMs = await slowestAnswerMs(sitting);
    const members = await nodes[0]!.seats.members('sessions of key');
    await Promise.all(nodes.map((node) => node.close()));
    return { outcomes: [...new Set(await sitting)], memberCount: members.length, slowestMs };
  };
  let last = await loseSeats();
  // Nodes restore their seats within seconds; slow answers make the result meaningless.
  for (let times = 1; times < 5 && last.slowestMs > 1_000; times += 1) last = await loseSeats();
  expect(last).toMatchObject({ outcomes: ['too_many_sessions'], memberCount: 10 });
});

it('gives no seats to a node that has just started, even if it first finds an empty Redis', async () => {
  const { broker, prefix } = await openNode({ prefix: await settledPrefix(redis) });
  const seats = openSeats(broker);
  for (let index = 0; index < 10; index += 1) await seats.take(`${index}`, 'key');
  await redis.ask('FLUSHALL');
  const { broker: fresh } = await openNode({ prefix });
  expect(await sitDown(openSeats(fresh))).toBe('too_many_sessions');
});

it('frees seats that were taken without an answer once Redis is back', async () => {
  const [node, other] = (await openNodes(2)) as [Broker, Broker];
  const seats = openSeats(node);
  await seats.take('there', 'key');
  redis.pause();
  const taking = Array.from({ length: 9 }, (_, index) => seats.take(`${index}`, 'key'));
  for (const each of taking) await expect(each).rejects.toMatchObject(AWAY);
  // A session that ends meanwhile frees its seat.
  seats.leave('there');
  redis.resume();
  await untilDone(() => seats.take('after', 'key'));
  expect(await other.seats.members('sessions of key')).toEqual(['after']);
});

it('lets a node join its cluster after the mark was lost, but not a node of another cluster', async () => {
  const { broker, prefix } = await openNode();
  await broker.records.write('key', 'value', { ttlMs: LONG });
  await redis.ask('DEL', `${prefix}:cluster`);
  const { broker: joined } = await openNode({ prefix });
  expect((await joined.records.read('key'))?.value.toString()).toBe('value');
  await redis.ask('DEL', `${prefix}:cluster`);
  await expect(openNode({ prefix, clusterId: 'other' })).rejects.toThrow('another database');
});

it('restores a lost cluster mark, unless another cluster has claimed the name', async () => {
  const { broker, prefix, log } = await openNode();
  const marker = `${prefix}:cluster`;
  await redis.ask('FLUSHALL');
  await expect.poll(() => redis.ask('EXISTS', marker), POLLING).toBe(1);
  await redis.ask('SET', marker, 'dragoman 1 another-database');
  const away = () => broker.records.read('key').then(() => '', codeOf);
  await expect.poll(away, POLLING).toBe(AWAY.code);
  const said = () => JSON.stringify(log.lines);
  await expect.poll(said, POLLING).toContain('another database');
});

it('keeps session tokens valid, and those of ended sessions invalid, when Redis is emptied', async () => {
  const { broker } = await openNode();
  const tokens = openTokens(broker);
  const issue = (sessionId: string) => tokens.issue({ sessionId, accountId: 'a' }, LONG);
  const [unused, used, over] = [await issue('unused'), await issue('used'), await issue('over')];
  await tokens.spend(used);
  await tokens.revoke('over');
  await redis.ask('FLUSHALL');
  expect(await untilDone(() => tokens.spend(unused))).toMatchObject({ outcome: 'spent' });
  expect(await tokens.spend(used)).toEqual({ outcome: 'reused', sessionId: 'used' });
  const next = await tokens.rotate(used, 'a', { ttlMs: LONG, mayRepeat: false });
  expect(next).toMatchObject({ outcome: 'rotated' });
  expect(await tokens.spend(over)).toEqual({ outcome: 'refused' });
});

it('restores tokens to their latest state when Redis comes back with an old snapshot', async () => {
  const { broker } = await openNode();
  const tokens = openTokens(broker);
  const issue = (sessionId: string) => tokens.issue({ sessionId, accountId: 'a' }, LONG);
  const [first, second] = [await issue('first'), await issue('second')];
  const goBack = await takeSnapshot([broker]);
  await tokens.spend(first);
  const next = await tokens.rotate(second, 'a', { ttlMs: LONG, mayRepeat: false });
  if (next.outcome !== 'rotated') throw new Error(next.outcome);
  const kept = async () => (await broker.records.read('tokens first'))?.value.toString();
  const before = await kept();
  await goBack();
  // Effective at once on this server, and soon on others.
  expect(await tokens.spend(next.token)).toMatchObject({ outcome: 'spent' });
  await expect.poll(kept, POLLING).toBe(before);
  expect(await openTokens(broker).spend(first)).toMatchObject({ outcome: 'reused' });
});

it('treats a Redis that accepts no writes as away, without flapping', async () => {
  const { broker, log } = await openNode();
  await redis.ask('CLIENT', 'PAUSE', '60000', 'WRITE');
  await expect(broker.records.write('key', 'value', { ttlMs: LONG })).rejects.toMatchObject(AWAY);
  // The broker is away since that command.
  await expect(broker.records.read('key')).rejects.toMatchObject(AWAY);
  await expect.poll(() => messagesOf(log), POLLING).toContain('the broker is away');
  expect(messagesOf(log)).not.toContain('the broker is back');
  await redis.ask('CLIENT', 'UNPAUSE');
  await untilDone(() => broker.records.write('key', 'value', { ttlMs: LONG }));
});

it('does not reconnect constantly to a Redis that denies subscriptions', async () => {
  const user = ['ACL', 'SETUSER', 'limited', 'on', '>right', '~*', '&*', '+@all'];
  await redis.ask(...user);
  const { broker, log } = await openNode({ url: `redis://limited:right@127.0.0.1:${redis.port}` });
  onTestFinished(broker.streams.follow('stream', 0, () => undefined));
  await broker.records.read('key');
  await redis.ask(...user, '-subscribe');
  await redis.ask('CLIENT', 'KILL', 'USER', 'limited');
  await expect.poll(() => messagesOf(log), POLLING).toContain('the broker is away');
  expect(messagesOf(log)).not.toContain('the broker is back');
  expect(JSON.stringify(log.lines)).toContain('subscribe');
  await redis.ask(...user, '+subscribe');
  await untilDone(() => broker.records.read('key'));
});

it('reconnects with backoff when connections never last', async () => {
  const { log } = await openNode();
  const back = () => log.lines.filter(({ message }) => message === 'the broker is back');
  const longestMs = () =>
    Math.max(0, ...back().map(({ fields }) => (fields as { awayMs: number }).awayMs));
  // About twenty ms, doubled each time, except when a connection happens to last.
  for (let times = 1; times <= 60 && longestMs() < 200; times += 1) {
    await redis.ask('CLIENT', 'KILL', 'TYPE', 'normal');
    await expect.poll(() => back().length, POLLING).toBe(times);
  }
  expect(longestMs()).toBeGreaterThanOrEqual(200);
});
