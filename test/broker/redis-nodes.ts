/** Nodes on a Redis that the test controls. */
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

/** Opens a node of a new cluster, or of the one with the given prefix. */
export async function openRedisNode({
  url,
  prefix = newPrefix(),
  clusterId = 'tests',
}: {
  url: string;
  prefix?: string;
  /** Id of the cluster's database. */
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

/** The prefix of a cluster that exists for long, so that a node does not wait for others to restore. */
export async function settledPrefix(redis: TestRedis): Promise<string> {
  const prefix = newPrefix();
  await redis.ask('SET', `${prefix}:cluster`, `dragoman 1 tests 1 ${Date.now()}`);
  return prefix;
}

/** The logged messages without their fields. */
export const messagesOf = ({ lines }: LogRecord) => lines.map(({ message }) => message);

/** Retries until there is an answer. */
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
