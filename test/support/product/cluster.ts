/** A cluster of servers on this machine that share a PostgreSQL and a Redis. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openStorage } from '../../../server/storage/open-storage.ts';
import { openRedis, type TestRedis } from '../machine/redis.ts';
import { recordLog } from './log-record.ts';
import { type Platform, platformOver } from './platform.ts';
import { newPostgresqlDatabase } from './shared-server.ts';
import { requestsTo, startServer, type TestServer } from './server.ts';

export interface Cluster {
  nodes: readonly TestServer[];
  redis: TestRedis;
  /** Starts another server, also in place of a killed one. */
  add(more?: Record<string, string>): Promise<TestServer>;
  /** Creates an account with a key, in the database. */
  newcomer: Platform['newcomer'];
  stop(): Promise<void>;
}

/** Starts a number of servers with these settings. */
export async function startCluster(
  count: number,
  settings: Record<string, string> = {},
): Promise<Cluster> {
  const [url, redis] = await Promise.all([newPostgresqlDatabase(), openRedis()]);
  // The first API key is in a file, which all servers share.
  const dataFolder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-cluster-'));
  const start = (more: Record<string, string> = {}) =>
    startServer({
      ...{ RECOGNISER: 'silent', DEMO: 'off', DOCUMENT_WORKER: 'off' },
      ...{ STORAGE_URL: url, BROKER_URL: redis.url, DATA_DIR: dataFolder },
      ...settings,
      ...more,
    });
  const first = await start();
  const others = await Promise.all(Array.from({ length: count - 1 }, () => start()));
  const nodes = [first, ...others];
  const storage = await openStorage({ url, dataFolder, log: recordLog() });
  const platform = platformOver(storage);
  return {
    ...{ nodes, redis },
    async add(more) {
      const node = await start(more);
      nodes.push(node);
      return node;
    },
    newcomer: (...wish) => platform.newcomer(...wish),
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      await storage.close();
      await redis.stop();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

/** Returns the same server, with requests that use another key. */
export function withKey(server: TestServer, secret: string): TestServer {
  return { ...server, ...requestsTo(server.url, secret), apiKey: secret };
}
