/**
 * A cluster in a private network: each server, PostgreSQL, Redis and the clients have a machine of their own.
 */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Machine, openNetwork } from '../machine/network.ts';
import { openPostgresql, type TestPostgresql } from '../machine/postgresql.ts';
import { openRedis, type TestRedis } from '../machine/redis.ts';
import { type Crowd, type CrowdWish, openOutside } from './outside.ts';
import { startServer, type TestServer } from './server.ts';

/** A server and its machine. */
export interface ClusterNode {
  readonly machine: Machine;
  /** The server last started on the machine. */
  readonly server: TestServer;
  /** Starts another server at the same address, once the last one has ended. */
  restart: () => Promise<void>;
}

export interface NetworkCluster {
  readonly nodes: readonly ClusterNode[];
  readonly redis: TestRedis & { machine: Machine };
  readonly postgresql: TestPostgresql & { machine: Machine };
  speak(wish: Omit<CrowdWish, 'servers' | 'audio'> & { audio: Buffer }): Crowd;
  stop(): Promise<void>;
}

/**
 * Starts a number of servers. German is recognised by a stub that answers by the time of tones in the audio.
 *
 * @param settings further settings
 * @throws Error if networks cannot be created here
 */
export async function startNetworkCluster(
  count: number,
  settings: Record<string, string> = {},
): Promise<NetworkCluster> {
  const names = Array.from({ length: count }, (_, index) => `server ${index}`);
  const closing: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closing.reverse()) await close();
  };
  try {
    const network = await openNetwork([...names, 'redis', 'postgresql', 'outside']);
    closing.push(() => network.close());
    const [onRedis, onPostgresql] = [network.machine('redis'), network.machine('postgresql')];
    const redis = { ...(await openRedis({ machine: onRedis })), machine: onRedis };
    closing.push(() => redis.stop());
    const database = await openPostgresql({ machine: onPostgresql });
    const postgresql = { ...database, machine: onPostgresql };
    closing.push(() => postgresql.stop());
    // The first API key is in a file, which all servers share.
    const dataFolder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-cluster-'));
    closing.push(() => rm(dataFolder, { recursive: true, force: true }));
    const outside = await openOutside(network.machine('outside'));
    const common = {
      ...{ DEMO: 'off', DOCUMENT_WORKER: 'off', DATA_DIR: dataFolder, PORT: '8080' },
      STORAGE_URL: await postgresql.createDatabase(),
      BROKER_URL: `redis://${onRedis.address('back')}:${redis.port}`,
      ...{ RECOGNISER: 'vosk', VOSK_URL: `de=${outside.recogniserUrl}` },
      LIBRETRANSLATE_URL: outside.translatorUrl,
      ...{ TRANSLATION_ENGINES: 'de/es: libretranslate', VOICE_RESUME_SECONDS: '60' },
      // Looking for engines that are not asked is a third of a start.
      ...{ APERTIUM_MODES: '/nowhere', FFMPEG: 'none' },
      ...{ VOICE_MAX_SESSIONS_PER_KEY: '1000', VOICE_MAX_SESSIONS: '1000' },
      ...{ RATE_LIMIT_PER_MINUTE: '100000', ...settings },
    };
    const nodeAt = async (name: string): Promise<ClusterNode> => {
      const machine = network.machine(name);
      const node = await startNode(machine, common);
      closing.push(() => node.server.stop());
      return node;
    };
    const first = await nodeAt(names[0] ?? '');
    const nodes = [first, ...(await Promise.all(names.slice(1).map(nodeAt)))];
    closing.push(() => outside.stop());
    return {
      ...{ nodes, redis, postgresql, stop },
      speak: ({ audio, ...wish }) =>
        outside.speak({
          ...{ ...wish, audio: audio.toString('base64') },
          servers: nodes.map(({ server: { url, apiKey } }) => ({ url, apiKey })),
        }),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startNode(machine: Machine, settings: Record<string, string>): Promise<ClusterNode> {
  const start = () =>
    startServer(
      { ...settings, HOST: machine.address('front') },
      [],
      [
        // The server is killed with this process, however this process ends.
        ...['setpriv', '--pdeathsig', 'KILL', '--', ...machine.enter],
      ],
    );
  let server = await start();
  return {
    machine,
    get server() {
      return server;
    },
    restart: async () => {
      await server.exited;
      server = await start();
    },
  };
}
