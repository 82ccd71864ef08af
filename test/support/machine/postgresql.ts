/** PostgreSQL for tests: a temporary cluster on a free port that goes when the tests end. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import {
  findPostgresql,
  findPostgresqlOwner,
  freePort,
} from '../../../server/setup/cluster/local-services.mjs';
import { madeOnceLater } from '../suite/made-once.ts';
import type { Machine } from './network.ts';

const run = promisify(execFile);
const START_LIMIT_MS = 90_000;

export interface TestPostgresql {
  /** Creates an empty database; resolves with its URL. */
  createDatabase(): Promise<string>;
  /** Simulates a loss of power: no orderly shutdown, nothing cleaned up. */
  crash(): Promise<void>;
  /** Starts a crashed server again, on the same port. */
  restart(): Promise<void>;
  /** Stops the server and removes everything it wrote. */
  stop(): Promise<void>;
}

/** User that owns the cluster: PostgreSQL refuses to run as root. */
interface Owner {
  uid?: number;
  gid?: number;
}

/**
 * Starts PostgreSQL as Debian installs it, with fsync on.
 *
 * @param options.machine machine on which it runs and listens; its URLs are for other machines of the network
 * @throws Error if it is not installed or does not start
 */
export async function openPostgresql({
  machine,
}: { machine?: Machine } = {}): Promise<TestPostgresql> {
  const programs = findPostgresql();
  const owner: Owner = findPostgresqlOwner();
  const folder = await mkdtemp(path.join(tmpdir(), 'dragoman-postgresql-'));
  if (owner.uid !== undefined && owner.gid !== undefined) await chown(folder, owner.uid, owner.gid);
  const data = path.join(folder, 'data');
  await run('tar', ['-xf', await newCluster(programs, owner), '-C', folder]);
  if (machine !== undefined) {
    await appendFile(path.join(data, 'pg_hba.conf'), 'host all all samenet trust\n');
  }
  const port = await freePort();
  const address = machine?.address('back') ?? '127.0.0.1';
  const urlOf = (database: string) => `postgres://postgres@${address}:${port}/${database}`;
  // Through the Unix socket, because this process is not in the machine's network.
  const connection = { host: folder, port, user: 'postgres', database: 'postgres' };

  const start = async () => {
    const guard = startGuarded({ programs, folder, data, port, owner, address, machine });
    await untilReady(connection, guard);
    return guard;
  };
  let guard = await start();

  return {
    async createDatabase() {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      const client = new pg.Client(connection);
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return urlOf(name);
    },
    crash: () => end(guard, 'keep'),
    async restart() {
      guard = await start();
    },
    async stop() {
      await end(guard, 'remove');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns an archive with a fresh cluster in `data`. Cached, because `initdb` takes a second. */
function newCluster(programs: string, owner: Owner): Promise<string> {
  const initdb = path.join(programs, 'initdb');
  const args = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C'];
  return madeOnceLater([initdb, ...args, owner.uid, owner.gid], 'tar', async (file) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'dragoman-initdb-'));
    if (owner.uid !== undefined && owner.gid !== undefined) {
      await chown(folder, owner.uid, owner.gid);
    }
    await run(initdb, [...args, '-D', path.join(folder, 'data')], { ...owner, cwd: folder });
    await run('tar', ['-cf', file, '-C', folder, 'data']);
    await rm(folder, { recursive: true, force: true });
  });
}

/**
 * Starts the server under a shell that guards it: when this process closes its end of the input, or dies in
 * any way, the server ends at once (`pg_ctl stop -m immediate`) and its folder is removed, unless told to
 * keep it.
 */
function startGuarded({
  programs,
  folder,
  data,
  port,
  owner,
  address,
  machine,
}: {
  programs: string;
  folder: string;
  data: string;
  port: number;
  owner: Owner;
  address: string;
  machine: Machine | undefined;
}): ChildProcess {
  const script = [
    `trap '' INT TERM HUP`,
    '"$1" -D "$2" -p "$3" -k "$4" -h "$5" -c fsync=on -c max_connections=60 </dev/null &',
    'server=$!; read -r wish; kill -QUIT "$server"; wait "$server"',
    '[ "$wish" = keep ] || rm -rf "$4"',
  ].join('\n');
  const args = [path.join(programs, 'postgres'), data, String(port), folder, address];
  const shell = ['/bin/sh', '-c', script, 'sh', ...args];
  const as = owner.uid === undefined ? [] : ['--reuid', `${owner.uid}`, '--regid', `${owner.gid}`];
  // Only root may enter a machine's network namespace.
  const there = machine && [...machine.enter, 'setpriv', ...as, '--clear-groups', ...shell];
  const [program = '', ...command] = there ?? shell;
  return spawn(program, command, {
    ...(there === undefined && owner),
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

async function end(guard: ChildProcess, wish: 'keep' | 'remove'): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  const ended = new Promise((resolve) => void guard.once('exit', resolve));
  guard.stdin?.end(`${wish}\n`);
  await ended;
}

async function untilReady(connection: pg.ClientConfig, guard: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS;
  for (;;) {
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (performance.now() > deadline || guard.exitCode !== null) {
        await end(guard, 'remove');
        throw new Error('PostgreSQL did not start.', { cause: error });
      }
      await delay(20);
    }
  }
}
