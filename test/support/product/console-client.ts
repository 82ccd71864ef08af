/** A browser at the console, limited to requests and cookies. */
import {
  createConsoleAccess,
  createPasswordHashing,
} from '../../../server/accounts/console/console-access.ts';
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

/** Opens a browser that is not signed in. */
export function consoleClient({ url }: { url: string }) {
  /** The cookie it sends: `name=token`. */
  let cookie: string | undefined;

  /** Sends a request as the console's page does. `headers` override its own; an empty value removes one. */
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

/** Returns the token of the one-time link that a server prints when it starts. */
export function firstLink(server: TestServer | HostedServer): string {
  const told = 'entrance' in server ? server.entrance : server.output();
  const [, token] = /#set-password=(\S+)/.exec(told) ?? [];
  if (token === undefined) throw new Error('The server has told no link.');
  return token;
}

/** Issues a one-time link for an account directly in its storage, and returns the token. */
export async function newLink(storage: Storage, accountId: string): Promise<string> {
  const { token } = await createConsoleAccess({ ...storage, log: recordLog() }).issueLink(
    accountId,
  );
  return token;
}

/** Signs in an account with a one-time link, by default with {@link GOOD_PASSWORD}. */
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

/** Stored passwords carry what they cost to check: these cost next to nothing. */
const passwords = createPasswordHashing({ logN: 8, r: 8, p: 1 });

/** Signs in an account with {@link GOOD_PASSWORD} directly in the storage of the server. */
export async function entered(
  server: { url: string },
  storage: Storage,
  accountId: string,
): Promise<ConsoleClient> {
  const access = createConsoleAccess({ ...storage, passwords, log: recordLog() });
  const { token: link } = await access.issueLink(accountId);
  const by = { token: link, password: GOOD_PASSWORD, address: '192.0.2.1' };
  const { token } = await access.setPassword(by);
  const client = consoleClient(server);
  client.cookie = `dragoman-console-${new URL(server.url).port}=${token}`;
  return client;
}
