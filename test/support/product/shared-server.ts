/**
 * Servers for all files that ask for nothing special, of which a run has one each: every file has an
 * account of its own there. Starting one takes seconds of a processor.
 */
import { inject } from 'vitest';
import type { NewAccount } from '../../../server/accounts/accounts.ts';
import type { AccountAnswer, ServerKind } from '../suite/run-servers.ts';
import { requestsTo, type RunningServer } from './server.ts';

export interface SharedServer extends RunningServer {
  accountId: string;
  /** The key that the server made for itself, with which its own pages ask. */
  ownApiKey: string;
  /** Token of a one-time link with which its account signs in to the console. */
  consoleLink(): Promise<string>;
  /** What it has logged and written so far, for all who use it. */
  written(): Promise<string>;
}

/** The URL of a new database of the PostgreSQL that a run has. */
export const newPostgresqlDatabase = (): Promise<string> => askRun('database');

/** Asks what the run has for all its files. */
export async function askRun(question: string): Promise<string> {
  const answer = await fetch(`${inject('runServers')}/${question}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

/**
 * The server with the key of a new account, which may all that the first account may. `stop` leaves it
 * to the other files; what it logs, its process and the data folder are common to all.
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
