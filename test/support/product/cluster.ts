/** Several servers that share a PostgreSQL and a Redis, on this machine. */
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
  /** Starts one more, or one in the place of one that was killed. */
  add(more?: Record<string, string>): Promise<TestServer>;
  /** Makes an account with a key, in the database. */
  newcomer: Platform['newcomer'];
  stop(): Promise<void>;
}

/** Starts so many servers with these settings. */
export async function startCluster(
  count: number,
  settings: Record<string, string> = {},
): Promise<Cluster> {
  const [url, redis] = await Promise.all([newPostgresqlDatabase(), openRedis()]);
  // The first key is in a file, which all of them have.
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

/** The same server, asked with another key. */
export function withKey(server: TestServer, secret: string): TestServer {
  return { ...server, ...requestsTo(server.url, secret), apiKey: secret };
}
