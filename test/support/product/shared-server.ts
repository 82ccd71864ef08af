/**
 * One server for all files of a process that ask for nothing special, as those of the project `served`
 * do one after the other: each has an account of its own there. Starting one takes seconds of a
 * processor.
 */
import { rmSync } from 'node:fs';
import { newLink } from './console-client.ts';
import { ofProcess } from '../suite/of-process.ts';
import { openEmbedded, platformOver } from './platform.ts';
import { requestsTo, startServer, type TestServer } from './server.ts';

export interface SharedServer extends TestServer {
  accountId: string;
  /** Token of a one-time link with which its account signs in to the console. */
  consoleLink(): Promise<string>;
}

/**
 * The server with the key of a new account, which may all that the first account may. `stop` leaves it
 * to the files after; what it logs and the data folder are common to all.
 */
export async function sharedServer(): Promise<SharedServer> {
  const server = await ofProcess('server', startUntilTheEnd);
  const storage = await openEmbedded(server.dataFolder);
  const features = ['admin' as const, 'detection' as const];
  const { account, secret } = await platformOver(storage).newcomer({ features });
  await storage.close();
  return {
    ...server,
    ...requestsTo(server.url, secret),
    apiKey: secret,
    accountId: account.accountId,
    async consoleLink() {
      const opened = await openEmbedded(server.dataFolder);
      const link = await newLink(opened, account.accountId);
      await opened.close();
      return link;
    },
    stop: async () => undefined,
  };
}

/** Starts a server that ends with this process. */
async function startUntilTheEnd(): Promise<TestServer> {
  const server = await startServer({ RECOGNISER: 'silent' });
  const end = (): void => {
    server.process.kill('SIGKILL');
    rmSync(server.dataFolder, { recursive: true, force: true });
  };
  process.once('exit', end);
  // So vitest ends its processes.
  process.once('SIGTERM', () => {
    end();
    process.kill(process.pid, 'SIGKILL');
  });
  return server;
}
