/** Nodes on a Redis of which a test does what it likes. */
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { openRedisBroker } from '../../server/broker/redis-broker.ts';
import type { TestRedis } from '../support/machine/redis.ts';
import { type LogRecord, recordLog } from '../support/product/log-record.ts';
import { startRedisProxy } from '../support/services/redis-proxy.ts';

export const POLLING = { timeout: 90_000, interval: 60 };
export const AWAY = { code: 'broker_unavailable', status: 503 };

export const newPrefix = (): string => randomUUID();
export const socketOf = ({ url }: TestRedis) => url.slice('unix://'.length);

/** A node of a cluster of its own, unless a prefix is given. */
export async function openRedisNode({
  url,
  prefix = newPrefix(),
  clusterId = 'tests',
}: {
  url: string;
  prefix?: string;
  /** Of its database. */
  clusterId?: string;
}) {
  const log: LogRecord = recordLog();
  const broker = await openRedisBroker({ url, prefix, clusterId, log });
  onTestFinished(() => broker.close());
  return { broker, log, prefix };
}

export async function openRedisProxy(target: number | string) {
  const proxy = await startRedisProxy(target);
  onTestFinished(() => proxy.close());
  return proxy;
}

/** The name of a cluster that has been there for long: those who come are not waited for. */
export async function settledPrefix(redis: TestRedis): Promise<string> {
  const prefix = newPrefix();
  await redis.ask('SET', `${prefix}:cluster`, `dragoman 1 tests 1 ${Date.now()}`);
  return prefix;
}

/** What was logged, without what it was about. */
export const messagesOf = ({ lines }: LogRecord) => lines.map(({ message }) => message);

/** Asks until there is an answer, as one does that must get something done. */
export async function untilDone<Result>(ask: () => Promise<Result>): Promise<Result> {
  let result: { value: Result } | undefined;
  const attempt = () =>
    ask().then(
      (value) => (result = { value }),
      () => undefined,
    );
  await expect.poll(attempt, POLLING).toBeDefined();
  return result!.value;
}
