/** Brokers for the tests of what works over them: each adapter, with a place of its own. */
import { onTestFinished } from 'vitest';
import type { Broker } from '../../server/broker/broker.ts';
import { createEmbeddedBroker } from '../../server/broker/embedded-broker.ts';
import { openRedisBroker } from '../../server/broker/redis-broker.ts';
import { quietLog } from '../storage/samples.ts';
import { sharedRedis } from '../support/machine/redis.ts';
import { settledPrefix } from './redis-nodes.ts';

/** What keeps things, for the names of tests. */
export const brokerNames = ['embedded', 'Redis'] as const;
export type BrokerName = (typeof brokerNames)[number];

/** Two nodes over one new place, which in the memory of one process are the same; the test closes them. */
export async function openBrokers(name: BrokerName): Promise<[broker: Broker, other: Broker]> {
  const [broker, other] = name === 'Redis' ? await openNodes(2) : [openEmbedded()];
  onTestFinished(async () => {
    await broker?.close();
    await other?.close();
  });
  return [broker!, other ?? broker!];
}

/** A broker in this process' memory; the caller closes it. */
export function openEmbedded(): Broker {
  return createEmbeddedBroker({ log: quietLog });
}

/** Nodes of a new cluster; the caller closes them. */
export async function openNodes(count: number): Promise<Broker[]> {
  const redis = await sharedRedis();
  const prefix = await settledPrefix(redis);
  const node = { url: redis.url, prefix, clusterId: 'tests', log: quietLog };
  return Promise.all(Array.from({ length: count }, () => openRedisBroker(node)));
}

/** A broker whose streams do some things in another way. */
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
