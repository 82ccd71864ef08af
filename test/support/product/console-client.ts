/** A browser at the console, as far as requests and cookies go. */
import { createConsoleAccess } from '../../../server/accounts/console/console-access.ts';
import type { Storage } from '../../../server/stores.ts';
import { recordLog } from './log-record.ts';
import type { HostedServer } from './hosted-server.ts';
import type { TestServer } from './server.ts';

export const GOOD_PASSWORD = 'correct horse battery';

export interface ConsoleAnswer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

export type ConsoleClient = ReturnType<typeof consoleClient>;

/** Opens a browser in which nobody is signed in. */
export function consoleClient({ url }: { url: string }) {
  /** What it sends as its cookie: `name=token`. */
  let cookie: string | undefined;

  /** Sends a request as the console's page does; other headers replace its own, empty ones leave them out. */
  async function ask<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ConsoleAnswer<Body>> {
    const sent = {
      'Sec-Fetch-Site': 'same-origin',
      ...(method !== 'GET' && { Origin: new URL(url).origin, 'X-Dragoman-Console': '1' }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(cookie !== undefined && { Cookie: cookie }),
      ...headers,
    };
    const response = await fetch(`${url}/console/api/${path}`, {
      method,
      headers: Object.entries(sent).filter(([, value]) => value !== ''),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    });
    const [set] = response.headers.getSetCookie();
    const [pair = ''] = set?.split(';', 1) ?? [];
    if (set !== undefined) cookie = pair.endsWith('=') ? undefined : pair;
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as Body,
    };
  }

  return {
    ask,
    get cookie() {
      return cookie;
    },
    set cookie(value) {
      cookie = value;
    },
  };
}

/** Token of the one-time link that a server tells when it starts. */
export function firstLink(server: TestServer | HostedServer): string {
  const told = 'entrance' in server ? server.entrance : server.output();
  const [, token] = /#set-password=(\S+)/.exec(told) ?? [];
  if (token === undefined) throw new Error('The server has told no link.');
  return token;
}

/** Token of a new one-time link of an account, past the server. */
export async function newLink(storage: Storage, accountId: string): Promise<string> {
  const { token } = await createConsoleAccess({ ...storage, log: recordLog() }).issueLink(
    accountId,
  );
  return token;
}

/** Signs in an account by a one-time link, with {@link GOOD_PASSWORD}. */
export async function signedIn(
  server: { url: string },
  token: string,
  password: string = GOOD_PASSWORD,
): Promise<ConsoleClient> {
  const client = consoleClient(server);
  const { status, body } = await client.ask('POST', 'password', { token, password });
  if (status !== 200) throw new Error(`The link was refused: ${JSON.stringify(body)}`);
  return client;
}
