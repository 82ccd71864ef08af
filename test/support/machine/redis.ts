/** Redis for tests, as Debian installs it: on a Unix socket only, and gone when the tests end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RedisClient } from '@redis/client';
import { freePort } from '../../../server/setup/cluster/local-services.mjs';
import { ofProcess } from '../suite/of-process.ts';
import type { Machine } from './network.ts';

/** Created once: building its class of all commands takes 40 ms. */
const createClient = RedisClient.factory({});

const START_LIMIT_MS = 90_000;

export interface TestRedis {
  /** `unix://…`, for `BROKER_URL`. */
  readonly url: string;
  /** TCP port, if one was requested; 0 otherwise. */
  readonly port: number;
  /** Sends a command as an administrator. */
  ask(...command: string[]): Promise<unknown>;
  /** Freezes the server: connections stay open, and nothing is answered. */
  pause(): void;
  resume(): void;
  /** Kills the server; its data and its folder are lost. */
  kill(): Promise<void>;
  /** Starts a killed server at the same address. */
  start(): Promise<void>;
  /** Ends the server for good. */
  stop(): Promise<void>;
}

/**
 * @param options.tcp whether to listen on a port of 127.0.0.1 as well
 * @param options.machine machine on which it runs and listens, on port 6379
 * @param options.args further settings
 */
export async function openRedis({
  tcp = false,
  machine,
  args: more = [] as string[],
}: { tcp?: boolean; machine?: Machine; args?: string[] } = {}): Promise<TestRedis> {
  const folder = mkdtempSync(path.join(tmpdir(), 'dragoman-redis-'));
  const socket = path.join(folder, 'redis.sock');
  const url = `unix://${socket}`;
  const freely = tcp ? await freePort() : 0;
  const port = machine === undefined ? freely : 6379;
  const address = machine?.address('back') ?? '127.0.0.1';
  const args = [
    ...['--port', `${port}`, '--bind', address, '--protected-mode', 'no'],
    ...['--unixsocket', socket, '--dir', folder],
    ...['--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0'],
    ...more,
  ];
  let server: { guard: ChildProcess; pid: number };

  const kill = async (): Promise<void> => {
    const { guard } = server;
    if (guard.exitCode !== null || guard.signalCode !== null) return;
    const ended = once(guard, 'exit');
    guard.stdin?.end();
    await ended;
  };
  const start = async (): Promise<void> => {
    mkdirSync(folder, { recursive: true });
    server = await startGuarded(folder, args, machine?.enter);
    await untilAnswered(socket, server.guard);
  };

  await start();
  return {
    ...{ url, port, kill, start },
    async ask(...command) {
      // Sent once, without a retry on another connection: a server that dies before it answers has refused.
      const client = createClient({
        ...{ url, disableClientInfo: true, maintNotifications: 'disabled' as const },
        ...{ disableOfflineQueue: true, socket: { reconnectStrategy: false as const } },
      }).on('error', () => undefined);
      await client.connect();
      try {
        return await client.sendCommand(command);
      } finally {
        client.destroy();
      }
    },
    pause: () => void process.kill(server.pid, 'SIGSTOP'),
    resume: () => void process.kill(server.pid, 'SIGCONT'),
    stop: kill,
  };
}

/** Returns the server shared by all test files of a process, which ends with the process. */
export function sharedRedis(): Promise<TestRedis> {
  return ofProcess('redis', () => openRedis());
}

/**
 * Starts the server under a shell that guards it: when this process closes its end of the input, or dies in
 * any way, the server ends at once and its folder is removed.
 */
async function startGuarded(
  folder: string,
  args: string[],
  enter: readonly string[] = [],
): Promise<{ guard: ChildProcess; pid: number }> {
  const script = [
    `trap '' INT TERM HUP`,
    'folder=$1; shift; redis-server "$@" </dev/null >/dev/null 2>&1 &',
    'server=$!; echo "$server"; read -r _; kill -KILL "$server"; wait "$server"; rm -rf "$folder"',
  ].join('\n');
  const command = [...enter, '/bin/sh', '-c', script, 'sh', folder, ...args];
  const guard = spawn(command[0] ?? '', command.slice(1), {
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const [pid] = (await once(guard.stdout, 'data')) as [Buffer];
  return { guard, pid: Number(pid) };
}

async function untilAnswered(socket: string, guard: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS;
  while (!(await answers(socket))) {
    if (performance.now() > deadline || guard.exitCode !== null) {
      guard.stdin?.end();
      throw new Error('Redis did not start: apt-get install redis-server');
    }
    await delay(5);
  }
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = net.connect(socket, () => connection.write('PING\r\n'));
    const end = (isUp: boolean) => {
      connection.destroy();
      resolve(isUp);
    };
    connection.once('data', (answer) => end(answer.toString().startsWith('+PONG')));
    connection.once('error', () => end(false));
  });
}
