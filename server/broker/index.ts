/**
 * Opens the broker that the settings ask for: in this process's memory, or in a Redis shared by several
 * servers.
 */
import { type Config, ConfigError } from '../config.ts';
import type { Logger } from '../process/log.ts';
import type { Storage } from '../stores.ts';
import type { Broker } from './broker.ts';
import { createEmbeddedBroker } from './embedded-broker.ts';

export type { Broker } from './broker.ts';

/** @throws ConfigError if `BROKER_URL` is set and cannot be used, with the reason */
export async function openBroker({
  config,
  storage,
  log,
}: {
  config: Pick<Config, 'BROKER_URL' | 'CLUSTER_NAME'>;
  storage: Pick<Storage, 'installation'>;
  log: Logger;
}): Promise<Broker> {
  const { BROKER_URL: url, CLUSTER_NAME: prefix } = config;
  if (url === undefined) return createEmbeddedBroker({ log });
  // Loaded on demand: a server without Redis need not spend the time.
  const [{ openRedisBroker }, { connectionProblem }] = await Promise.all([
    import('./redis-broker.ts'),
    import('./redis-checks.ts'),
  ]);
  const clusterId = await storage.installation.id();
  try {
    return await openRedisBroker({ url, prefix, clusterId, log });
  } catch (error) {
    throw new ConfigError([`BROKER_URL: ${connectionProblem(error, url)}`]);
  }
}
