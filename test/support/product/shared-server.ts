/**
 * Servers shared by all test files without special needs, one of each kind per run. Every file gets an
 * account of its own, because starting a server takes seconds of processor time.
 */
import { inject } from 'vitest';
import type { NewAccount } from '../../../server/accounts/accounts.ts';
import type { AccountAnswer, ServerKind } from '../suite/run-servers.ts';
import { requestsTo, type RunningServer } from './server.ts';

export interface SharedServer extends RunningServer {
  accountId: string;
  /** The key that the server created for itself, used by its own pages. */
  ownApiKey: string;
  /** Returns the token of a one-time link with which the account signs in to the console. */
  consoleLink(): Promise<string>;
  /** Returns everything the server has logged and written so far, for all its users. */
  written(): Promise<string>;
}

/** Creates a database in the PostgreSQL of the run; resolves with its URL. */
export const newPostgresqlDatabase = (): Promise<string> => askRun('database');

/** Requests a shared resource of the run. */
export async function askRun(question: string): Promise<string> {
  const answer = await fetch(`${inject('runServers')}/${question}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

/**
 * Returns the shared server with the key of a new account, which has all permissions of the first account.
 * `stop` leaves the server to the other files; its logs, process and data folder are shared.
 */
export async function sharedServer(
  kind: ServerKind = 'silent',
  plan: NewAccount['plan'] = 'pro',
): Promise<SharedServer> {
  const told = JSON.parse(await askRun(`account/${kind}/${plan}`)) as AccountAnswer;
  return {
    ...told,
    ...requestsTo(told.url, told.apiKey),
    consoleLink: () => askRun(`link/${kind}/${told.accountId}`),
    written: () => askRun(`log/${kind}`),
    stop: async () => undefined,
  };
}
