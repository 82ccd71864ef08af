/** Attacks on the console: request forgery, guessing, replay, session fixation and disclosure. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleSession } from '../../../shared/schemas/console.ts';
import { executeOn } from '../../storage/database-access.ts';
import {
  consoleClient,
  entered,
  firstLink,
  GOOD_PASSWORD,
  newLink,
  signedIn,
  type ConsoleClient,
} from '../../support/product/console-client.ts';
import { openEmbedded, platformOver } from '../../support/product/platform.ts';
import { startHosted, type HostedServer } from '../../support/product/hosted-server.ts';
import { spendTries, triesAt } from '../../../server/accounts/console/console-access.ts';
import type { Storage } from '../../../server/stores.ts';

let server: HostedServer;
let storage: Storage;
let owner: ConsoleClient;
let usedLink: string;

beforeAll(async () => {
  // Behind a proxy, whose headers tell the origin of requests.
  server = await startHosted({ RECOGNISER: 'silent', TRUST_PROXY: 'on' });
  storage = await openEmbedded(server.dataFolder);
  usedLink = firstLink(server);
  const first = await signedIn(server, usedLink);
  const { account } = (await first.ask<ConsoleSession>('GET', 'session')).body;
  owner = await entered(server, storage, account.account_id);
});
afterAll(async () => {
  await storage.close();
  await server.stop();
});

const execute = (sql: string) => executeOn({ url: undefined, dataFolder: server.dataFolder }, sql);

/** Creates an account and resolves to its id. */
const newAccount = async (name: string) =>
  (await platformOver(storage).accounts.create({ name, plan: 'pro' })).accountId;

/** Counter for client addresses that no other test uses. */
let addresses = 0;
const elsewhere = () => ({ 'X-Forwarded-For': `198.51.100.${(addresses += 1)}` });

it('finds no metrics, as every request comes from this machine behind a proxy', async () => {
  expect((await server.get('/metrics')).status).toBe(403);
});

describe('a request from another page', () => {
  const own = (url: string) => new URL(url).origin;

  it.each<[string, (url: string) => Record<string, string>]>([
    [
      'from another site',
      () => ({ Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }),
    ],
    [
      'from another port of this host',
      () => ({ Origin: 'http://127.0.0.1:1', 'Sec-Fetch-Site': '' }),
    ],
    ['from a sibling', (url) => ({ Origin: own(url), 'Sec-Fetch-Site': 'same-site' })],
    ['from a sandbox', () => ({ Origin: 'null', 'Sec-Fetch-Site': '' })],
    ['without the header', () => ({ 'X-Dragoman-Console': '' })],
    ['with the header empty of sense', () => ({ 'X-Dragoman-Console': '0' })],
    ['that does not say where from', () => ({ Origin: '', 'Sec-Fetch-Site': '' })],
  ])("%s changes nothing in the session's account", async (_case, headersFor) => {
    const headers = headersFor(server.url);
    const settings = { origins: ['https://evil.example'] };
    for (const [method, path, body] of [
      ['PUT', 'settings', settings],
      ['POST', 'admin-keys', {}],
      ['POST', 'sign-out', {}],
      ['POST', 'v3/glossaries', { name: 'x' }],
      ['DELETE', 'v3/glossaries/5f0c7d0e-8f0b-4c39-9d51-3a1f6f2b7c10', undefined],
      ['POST', 'translation-memories?name=x&format=tmx', '<tmx/>'],
      ['POST', 'sign-in', { account: 'default', password: GOOD_PASSWORD }],
    ] as const) {
      const { status, headers: answered } = await owner.ask(method, path, body, headers);
      expect([path, status]).toEqual([path, 403]);
      expect(answered.getSetCookie()).toEqual([]);
    }
    expect((await owner.ask('GET', 'settings')).body).toEqual({ origins: [], emails: [] });
    expect((await owner.ask('GET', 'admin-keys')).body).toEqual([]);
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data'])(
    'that is a form of %s changes nothing either',
    async (type) => {
      const headers = {
        'Content-Type': type,
        'X-Dragoman-Console': '',
        Origin: 'https://evil.example',
      };
      const body = 'origins=https%3A%2F%2Fevil.example';
      expect((await owner.ask('POST', 'admin-keys', body, headers)).status).toBe(403);
      expect((await owner.ask('PUT', 'settings', body, headers)).status).toBe(403);
    },
  );

  it('reads nothing: not from a sibling, and not from a site allowed in the public API', async () => {
    await owner.ask('PUT', 'settings', { origins: ['https://allowed.example'] });
    const answer = await owner.ask('GET', 'session', undefined, {
      Origin: 'https://allowed.example',
      'Sec-Fetch-Site': 'cross-site',
    });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const sibling = await owner.ask('GET', 'usage', undefined, { 'Sec-Fetch-Site': 'same-site' });
    expect(sibling.status).toBe(403);
    const question = await fetch(`${server.url}/console/api/settings`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://allowed.example',
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'x-dragoman-console',
      },
    });
    expect(question.headers.get('access-control-allow-origin')).toBeNull();
    expect(question.ok).toBe(false);
    await owner.ask('PUT', 'settings', { origins: [] });
  });
});

describe('the session cookie', () => {
  const signIn = { account: 'default', password: GOOD_PASSWORD };
  const nameOfCookie = () => `dragoman-console-${new URL(server.url).port}`;

  it('is inaccessible to scripts and to other sites', async () => {
    const { headers } = await consoleClient(server).ask('POST', 'sign-in', signIn);
    const [cookie = ''] = headers.getSetCookie();
    const [pair, ...attributes] = cookie.split('; ');
    // Other servers on the same host have cookies of their own.
    expect(pair?.split('=')[0]).toBe(nameOfCookie());
    expect(pair).toMatch(/=[\w-]{43}$/);
    expect(attributes).toEqual(
      expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Strict']) as string[],
    );
    expect(cookie).not.toMatch(/Domain|Secure/);
  });

  it('has the __Host- prefix over HTTPS, so that others cannot plant one', async () => {
    const https = { 'X-Forwarded-Proto': 'https', Origin: server.url.replace('http:', 'https:') };
    const client = consoleClient(server);
    const { headers } = await client.ask('POST', 'sign-in', signIn, https);
    expect(headers.getSetCookie()[0]).toMatch(/^__Host-dragoman-console-\d+=[\w-]{43}; .*Secure/);
    expect((await client.ask('GET', 'session', undefined, https)).status).toBe(200);
    // A cookie without the prefix may come from anywhere in the domain.
    client.cookie = client.cookie?.replace('__Host-', '');
    expect((await client.ask('GET', 'session', undefined, https)).status).toBe(401);
  });

  it('is always replaced at sign-in, so that a planted one is worthless', async () => {
    const victim = consoleClient(server);
    for (const planted of ['A'.repeat(43), owner.cookie?.split('=')[1] ?? '']) {
      victim.cookie = `${nameOfCookie()}=${planted}`;
      // The session of an existing cookie ends at sign-in.
      await victim.ask('POST', 'sign-in', signIn);
      expect(victim.cookie).toBeDefined();
      expect(victim.cookie).not.toContain(planted);
      const attacker = consoleClient(server);
      attacker.cookie = `${nameOfCookie()}=${planted}`;
      expect((await attacker.ask('GET', 'session')).status).toBe(401);
    }
    owner = victim;
  });

  it('gives access only to the console', async () => {
    const { cookie = '' } = owner;
    for (const place of [
      '/v2/usage',
      '/v3/glossaries',
      '/v2/admin/developer-keys',
      '/v2/languages',
    ]) {
      const response = await fetch(server.url + place, {
        headers: { Cookie: cookie, 'X-Dragoman-Console': '1', 'Sec-Fetch-Site': 'same-origin' },
      });
      expect([place, response.status]).toEqual([place, 403]);
    }
    const key = { Authorization: `Service-Auth-Key ${server.apiKey}` };
    const byKey = await consoleClient(server).ask('GET', 'session', undefined, key);
    expect(byKey.status).toBe(401);
  });

  it.each([
    ['is empty', ''],
    ['is a guess', 'B'.repeat(43)],
    ['is no token', "' or 1=1; --"],
    ['is very long', 'C'.repeat(8_000)],
  ])('that %s gives no access', async (_case, token) => {
    const client = consoleClient(server);
    client.cookie = `${nameOfCookie()}=${token}`;
    expect((await client.ask('GET', 'session')).status).toBe(401);
  });
});

describe('a session', () => {
  it.each(['idle_until_ms', 'expires_at_ms'])('expires at %s', async (column) => {
    expect((await owner.ask('GET', 'session')).status).toBe(200);
    const { cookie } = owner;
    const end = (atMs: number) => execute(`update console_sessions set ${column} = ${atMs}`);
    await end(Date.now() - 1);
    for (const [method, path] of [
      ['GET', 'session'],
      ['POST', 'admin-keys'],
    ] as const) {
      expect((await owner.ask(method, path, method === 'GET' ? undefined : {})).status).toBe(401);
    }
    expect(owner.cookie).toBe(cookie);
    await end(Date.now() + 3_600_000);
    expect((await owner.ask('GET', 'session')).status).toBe(200);
  });

  it('is not prolonged by automatic requests of its page', async () => {
    const latest = 'select max(idle_until_ms) as ms from console_sessions';
    const idleUntil = async () => ((await execute(latest)) as { ms: number }[])[0]?.ms;
    const soonMs = Date.now() + 60_000;
    await execute(`update console_sessions set idle_until_ms = ${soonMs}`);
    const poll = { 'X-Dragoman-Poll': '1' };
    expect((await owner.ask('GET', 'voice-sessions', undefined, poll)).status).toBe(200);
    expect(await idleUntil()).toBe(soonMs);
    expect((await owner.ask('GET', 'voice-sessions')).status).toBe(200);
    expect(await idleUntil()).toBeGreaterThan(soonMs);
  });

  it('reaches only its own account', async () => {
    const accountId = await newAccount('neighbour');
    const neighbour = await entered(server, storage, accountId);
    const { body } = await neighbour.ask<ConsoleSession>('GET', 'session');
    expect(body).toMatchObject({ account: { name: 'neighbour' }, is_operator: false });
    const { body: glossary } = await owner.ask<{ glossary_id: string }>('POST', 'v3/glossaries', {
      name: 'private',
    });
    const { body: key } = await owner.ask<{ key_id: string }>(
      'POST',
      'v2/admin/developer-keys',
      {},
    );
    const { body: style } = await owner.ask<{ style_id: string }>('POST', 'v3/style_rules', {
      name: 'private',
      language: 'de',
    });
    for (const [method, path, sent] of [
      ['GET', `v3/glossaries/${glossary.glossary_id}`, undefined],
      ['DELETE', `v3/glossaries/${glossary.glossary_id}`, undefined],
      ['GET', `v3/style_rules/${style.style_id}`, undefined],
      ['DELETE', `v3/style_rules/${style.style_id}`, undefined],
      ['PUT', 'v2/admin/developer-keys/deactivate', { key_id: key.key_id }],
      ['PUT', 'v2/admin/developer-keys/label', { key_id: key.key_id, label: 'mine' }],
      ['PUT', 'admin-keys/deactivate', { key_id: key.key_id }],
    ] as const) {
      const { status } = await neighbour.ask(method, path, sent);
      expect([path, status]).toEqual([path, 404]);
    }
    expect((await owner.ask('GET', `v3/glossaries/${glossary.glossary_id}`)).status).toBe(200);
  });

  it('refuses requests of a page that shows another account, such as a second tab', async () => {
    const shown = { 'X-Dragoman-Account': await newAccount('shown in a tab') };
    const refused = await owner.ask('POST', 'v3/glossaries', { name: 'astray' }, shown);
    expect(refused.status).toBe(401);
    expect(refused.body['message']).toMatch(/^Somebody else has signed in in this browser\./);
    const { body } = await owner.ask<ConsoleSession>('GET', 'session');
    const own = { 'X-Dragoman-Account': body.account.account_id };
    const listed = await owner.ask('GET', 'v3/glossaries', undefined, own);
    expect(listed.status).toBe(200);
    expect(JSON.stringify(listed.body)).not.toContain('astray');
  });
});

describe('a one-time link', () => {
  const set = (token: string) =>
    consoleClient(server).ask('POST', 'password', { token, password: GOOD_PASSWORD }, elsewhere());

  it('that was used, has expired or was invented sets no password', async () => {
    expect((await set(usedLink)).status).toBe(403);
    expect((await set('A'.repeat(43))).status).toBe(403);
    const late = await newLink(storage, await newAccount('late'));
    await execute(`update console_links set expires_at_ms = ${Date.now() - 1}`);
    const refused = await set(late);
    expect(refused.status).toBe(403);
    expect(refused.headers.getSetCookie()).toEqual([]);
  });
});

describe('guessing', () => {
  it('is stopped after ten wrong passwords, with the time to wait', async () => {
    const accountId = await newAccount('target');
    await entered(server, storage, accountId);
    const guess = (password: string) =>
      consoleClient(server).ask('POST', 'sign-in', { account: 'target', password }, elsewhere());
    // Nine attempts at another server with the same database.
    const limits = [triesAt('password', accountId)];
    for (let count = 0; count < 9; count += 1)
      await spendTries(storage.consoleCredentials, limits, Date.now());
    expect((await guess('wrong')).status).toBe(403);
    const refused = await guess(GOOD_PASSWORD);
    expect(refused.status).toBe(429);
    const waitS = Number(refused.headers.get('retry-after'));
    expect(waitS).toBeGreaterThan(600);
    expect(waitS).toBeLessThanOrEqual(900);
    expect(refused.headers.getSetCookie()).toEqual([]);
    // The operator can still let the owner in with a link.
    const client = await signedIn(server, await newLink(storage, accountId), 'another good one');
    expect((await client.ask('GET', 'session')).status).toBe(200);
  });

  it('is stopped after thirty attempts per address, as reported by the proxy and not by the client', async () => {
    const guess = (forwarded: string) =>
      consoleClient(server).ask(
        ...(['POST', 'password', { token: 'guessed', password: GOOD_PASSWORD }] as const),
        { 'X-Forwarded-For': forwarded },
      );
    const statuses = [];
    for (let count = 0; count < 31; count += 1) {
      // Everything before the last address comes from the client.
      statuses.push((await guess(`10.1.2.${count}, 203.0.113.9`)).status);
    }
    expect(statuses).toEqual([...Array<number>(30).fill(403), 429]);
    expect((await guess('203.0.113.10')).status).toBe(403);
  });

  it.each([
    ['no body', undefined],
    ['no password', { account: 'default' }],
    ['a list', { account: 'default', password: [GOOD_PASSWORD, 'x'] }],
    ['an object', { account: { $ne: '' }, password: GOOD_PASSWORD }],
    ['a book', { account: 'default', password: 'x'.repeat(1_001) }],
    ['nonsense', '{'],
  ])('with %s is a bad request', async (_case, body) => {
    const { status } = await consoleClient(server).ask('POST', 'sign-in', body, elsewhere());
    expect(status).toBe(400);
  });
});

it('logs no password, link or cookie', async () => {
  const logs = await server.logs();
  expect(logs).toContain('console: sign-in refused');
  for (const secret of [GOOD_PASSWORD, usedLink, owner.cookie?.split('=')[1] ?? 'missing']) {
    expect(logs).not.toContain(secret);
  }
});
