/**
 * Servers shared by all processes of a run, each started on first request: a server takes seconds of
 * processor time to start, one with a recogniser twice as long, and a PostgreSQL one to be created. They are
 * children of vitest itself, which ends them; test processes request them over HTTP.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import type { NewAccount } from '../../../server/accounts/accounts.ts';
import type { Storage } from '../../../server/stores.ts';
import type { TestPostgresql } from '../machine/postgresql.ts';
import type { TestServer } from '../product/server.ts';
import { ofProcess } from './of-process.ts';

/** Kinds of servers, by their settings. */
const KINDS = {
  /** Recognises nothing, but takes audio in every format. */
  silent: { RECOGNISER: 'silent', FFMPEG: 'ffmpeg' },
  /**
   * With all installed engines; the long idle time suits speakers that wait for captions on a busy machine.
   */
  hearing: { VOICE_IDLE_SECONDS: '300' },
};
export type ServerKind = keyof typeof KINDS;

/** A server, as a new account of it sees it. */
export interface AccountAnswer {
  url: string;
  pid: number;
  dataFolder: string;
  /** The key that the server created for itself, used by its own pages. */
  ownApiKey: string;
  accountId: string;
  apiKey: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Address for `GET /account/silent/pro`, `/link/silent/ACCOUNT`, `/log/silent`, `/database` and `/host`.
     */
    runServers: string;
  }
}

interface RunServer {
  server: TestServer;
  storage: Storage;
}

/** Starts to offer servers; returns a function that ends them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const offer = await ofProcess('run servers', startOffer);
  project.provide('runServers', offer.url);
  return () => offer.close();
}

async function startOffer() {
  const started = new Map<ServerKind, Promise<RunServer>>();
  const running: TestServer[] = [];
  const kill = (): void => {
    for (const { process: child, dataFolder } of running) {
      child.kill('SIGKILL');
      rmSync(dataFolder, { recursive: true, force: true });
    }
  };
  process.once('exit', kill);
  process.once('SIGTERM', () => {
    kill();
    process.kill(process.pid, 'SIGTERM');
  });

  async function start(kind: ServerKind): Promise<RunServer> {
    const [{ startServer }, { openEmbedded }] = await productSupport();
    const server = await startServer(KINDS[kind]);
    running.push(server);
    return { server, storage: await openEmbedded(server.dataFolder) };
  }

  let postgresql: Promise<TestPostgresql> | undefined;
  async function newDatabase(): Promise<string> {
    postgresql ??= import('../machine/postgresql.ts').then((each) => each.openPostgresql());
    return (await postgresql).createDatabase();
  }

  let host: ReturnType<typeof startHost> | undefined;

  /** @param which the plan of a new account, or the account of a link */
  async function answer(what: string, kind: ServerKind, which: string): Promise<string> {
    if (what === 'database') return newDatabase();
    if (what === 'host') return (await (host ??= startHost())).url;
    if (!started.has(kind)) started.set(kind, start(kind));
    const { server, storage } = await started.get(kind)!;
    if (what === 'log') return server.logs() + server.output();
    const [, { platformOver }, { newLink }] = await productSupport();
    if (what === 'link') return newLink(storage, which);
    const features = ['admin' as const, 'detection' as const];
    const { account, secret } = await platformOver(storage).newcomer({
      features,
      plan: which as NewAccount['plan'],
    });
    const { url, pid, dataFolder } = server;
    const told: AccountAnswer = {
      ...{ url, pid, dataFolder, ownApiKey: server.apiKey },
      ...{ accountId: account.accountId, apiKey: secret },
    };
    return JSON.stringify(told);
  }

  const http = createServer((request, response) => {
    const [, what = '', kind = '', which = ''] = (request.url ?? '').split('/');
    answer(what, kind as ServerKind, which).then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  // Only the client closes idle connections: if both sides did, a request could race with a close.
  http.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    /** Called once for each project that vitest has set up. */
    async close() {
      http.close();
      http.closeAllConnections();
      const all = await Promise.allSettled(started.values());
      started.clear();
      for (const each of all) {
        if (each.status === 'fulfilled') await each.value.storage.close();
      }
      await Promise.all(running.splice(0).map((server) => server.stop()));
      (await host)?.child.kill();
      host = undefined;
      await (await postgresql)?.stop();
      postgresql = undefined;
    },
  };
}

/** Starts the process for servers with settings of their own; it ends with this process. */
async function startHost(): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(path.join(import.meta.dirname, '../product/server-host.mjs'));
  const listening = once(child, 'message');
  const ended = once(child, 'exit').then(() => []);
  const [port] = (await Promise.race([listening, ended])) as [number?];
  if (port === undefined) throw new Error('The process of servers has ended.');
  return { child, url: `http://127.0.0.1:${port}` };
}

/** Loaded on demand: most runs of a few files do not need these modules. */
function productSupport() {
  return Promise.all([
    import('../product/server.ts'),
    import('../product/platform.ts'),
    import('../product/console-client.ts'),
  ]);
}
