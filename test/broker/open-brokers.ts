/** Opens brokers of each adapter for the tests of code that works over them. */
import { onTestFinished } from 'vitest';
import type { Broker } from '../../server/broker/broker.ts';
import { createEmbeddedBroker } from '../../server/broker/embedded-broker.ts';
import { openRedisBroker } from '../../server/broker/redis-broker.ts';
import { quietLog } from '../storage/samples.ts';
import { sharedRedis } from '../support/machine/redis.ts';
import { settledPrefix } from './redis-nodes.ts';

/** The adapters, as named in test titles. */
export const brokerNames = ['embedded', 'Redis'] as const;
export type BrokerName = (typeof brokerNames)[number];

/**
 * Opens two nodes over one new storage, which are the same object for the embedded broker. The test closes
 * them.
 */
export async function openBrokers(name: BrokerName): Promise<[broker: Broker, other: Broker]> {
  const [broker, other] = name === 'Redis' ? await openNodes(2) : [openEmbedded()];
  onTestFinished(async () => {
    await broker?.close();
    await other?.close();
  });
  return [broker!, other ?? broker!];
}

/** Opens a broker in the memory of this process; the caller closes it. */
export function openEmbedded(now?: () => number): Broker {
  return createEmbeddedBroker({ log: quietLog, ...(now && { now }) });
}

/** Opens a broker in the memory of this process; the test closes it. */
export function embeddedBroker(now?: () => number): Broker {
  const broker = openEmbedded(now);
  onTestFinished(() => broker.close());
  return broker;
}

/** Opens the nodes of a new cluster; the caller closes them. */
export async function openNodes(count: number): Promise<Broker[]> {
  const redis = await sharedRedis();
  const prefix = await settledPrefix(redis);
  const node = { url: redis.url, prefix, clusterId: 'tests', log: quietLog };
  return Promise.all(Array.from({ length: count }, () => openRedisBroker(node)));
}

/** Wraps a broker with some stream methods replaced. */
export function withStreams(broker: Broker, others: Partial<Broker['streams']>): Broker {
  const { streams } = broker;
  return {
    ...broker,
    streams: {
      append: (...wish) => streams.append(...wish),
      read: (...wish) => streams.read(...wish),
      follow: (...wish) => streams.follow(...wish),
      trim: (...wish) => streams.trim(...wish),
      drop: (...wish) => streams.drop(...wish),
      ...others,
    },
  };
}
