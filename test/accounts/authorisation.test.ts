/**
 * Who may call what: every operation of the interface with every kind of key and account, the console and
 * strangers. Resources of another account are never found.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Feature, Plan } from '../../server/http/door.ts';
import type { Storage } from '../../server/stores.ts';
import { beforeSignIn, openRoutes, ruleOf, operatorOnly } from '../support/product/access-rules.ts';
import { belongings, type Belonging } from '../support/product/belongings.ts';
import { entered } from '../support/product/console-client.ts';
import { readConsoleRoutes } from '../support/product/console-routes.ts';
import { openEmbedded, platformOver, type Platform } from '../support/product/platform.ts';
import { sharedServer, type SharedServer } from '../support/product/shared-server.ts';

interface Operation {
  method: string;
  path: string;
}

let server: SharedServer;
let storage: Storage;
let platform: Pick<Platform, 'accounts' | 'apiKeys' | 'newcomer'>;
let operations: Operation[];

beforeAll(async () => {
  // A recogniser that supports spoken terms, so that their routes have something to refuse.
  server = await sharedServer('hearing');
  storage = await openEmbedded(server.dataFolder);
  platform = platformOver(storage);
  const description = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
});
afterAll(() => storage.close());

/** Calls an operation with random ids that do not exist. */
async function statusOf({ method, path }: Operation, headers: Record<string, string>) {
  const address = path.replaceAll(/\{[^}]+\}/g, () => randomUUID());
  const isBodied = method !== 'GET' && method !== 'DELETE';
  const response = await fetch(server.url + address, {
    method,
    headers: { ...headers, ...(isBodied && { 'Content-Type': 'application/json' }) },
    ...(isBodied && { body: '{}' }),
  });
  await response.arrayBuffer();
  return response.status;
}

const authorisation = (secret: string) => ({ Authorization: `Service-Auth-Key ${secret}` });

interface Kind {
  plan: Plan;
  kind: 'developer' | 'admin';
  features: Feature[];
}

/** Each pair of a kind, a plan and a feature that decides something is in one of them. */
const kinds: Kind[] = [
  { plan: 'free', kind: 'developer', features: ['admin', 'detection'] },
  { plan: 'pro', kind: 'developer', features: [] },
  { plan: 'pro', kind: 'admin', features: ['admin', 'detection'] },
];

describe('every operation of the interface', () => {
  it('has an access rule', () => {
    expect(operations.length).toBeGreaterThan(45);
    const without = operations.filter(({ path }) => ruleOf(path) === undefined);
    expect(without).toEqual([]);
  });

  it.each(kinds)(
    'admits a $kind key of the plan $plan with features $features only where its rule allows it',
    async ({ plan, kind, features }) => {
      // Admin keys can only be created for accounts with that feature.
      const { secret } = await platform.newcomer({ plan, features }, { kind });
      for (const operation of operations) {
        const rule = ruleOf(operation.path);
        if (rule === undefined || rule === 'open') continue;
        const isAllowed =
          kind === (rule.kind ?? 'developer') &&
          (rule.plan === undefined || rule.plan === plan) &&
          (rule.feature === undefined || features.includes(rule.feature));
        const status = await statusOf(operation, authorisation(secret));
        const where = `${operation.method} ${operation.path}: ${status}`;
        if (isAllowed) expect([401, 403, 500], where).not.toContain(status);
        else expect(status, where).toBe(403);
      }
    },
  );

  it('admits an admin key of the plan free', async () => {
    const { secret } = await platform.newcomer(
      { plan: 'free', features: ['admin'] },
      { kind: 'admin' },
    );
    for (const operation of operations.filter(({ path }) => path.startsWith('/v2/admin/'))) {
      expect([401, 403, 500]).not.toContain(await statusOf(operation, authorisation(secret)));
    }
  });

  it('refuses strangers, unknown keys and deactivated keys', async () => {
    const { account, secret, key } = await platform.newcomer();
    await platform.apiKeys.deactivate(account.accountId, key.keyId);
    // All have the same door: that of each is tried with one of these.
    const callers: Record<string, string>[] = [
      {},
      authorisation(randomUUID()),
      authorisation(secret),
      { Authorization: `Bearer ${server.ownApiKey}` },
    ];
    for (const [index, operation] of operations.entries()) {
      if (ruleOf(operation.path) === 'open') continue;
      const status = await statusOf(operation, callers[index % callers.length]!);
      expect(status, `${operation.method} ${operation.path}`).toBe(403);
    }
  });

  it('that needs no key reveals nothing about accounts', async () => {
    for (const path of openRoutes) {
      const text = await (await fetch(server.url + path)).text();
      expect(text).not.toContain(server.ownApiKey);
    }
  });
});

/** The headers a browser sends with a request of the console's own page. */
const ownPage = () => ({
  'X-Dragoman-Console': '1',
  'Sec-Fetch-Site': 'same-origin',
  Origin: server.url,
});

describe('the console API', () => {
  let routes: Operation[];
  beforeAll(async () => {
    routes = (await readConsoleRoutes()).filter(
      ({ method, path }) => !beforeSignIn.includes(`${method} ${path}`),
    );
  });

  it('is closed to strangers, to invented sessions and to API keys of every kind', async () => {
    expect(routes.length).toBeGreaterThan(38);
    const features: Feature[] = ['admin', 'detection'];
    const keys = await Promise.all(
      (['developer', 'admin'] as const).map((kind) => platform.newcomer({ features }, { kind })),
    );
    const callers: Record<string, string>[] = [
      {},
      { Cookie: `dragoman-console-${new URL(server.url).port}=${'A'.repeat(43)}` },
      ...keys.map(({ secret }) => authorisation(secret)),
    ];
    for (const [index, operation] of routes.entries()) {
      const headers = callers[index % callers.length]!;
      const status = await statusOf(operation, { ...ownPage(), ...headers });
      expect(status, `${operation.method} ${operation.path}`).toBe(401);
    }
  });

  it('is open to a session', async () => {
    const { account } = await platform.newcomer({ features: ['admin', 'detection'] });
    const client = await entered(server, storage, account.accountId);
    const headers = { ...ownPage(), Cookie: client.cookie ?? '' };
    for (const operation of routes) {
      const status = await statusOf(operation, headers);
      const where = `${operation.method} ${operation.path}: ${status}`;
      if (operatorOnly.test(operation.path)) {
        expect(status, where).toBe(403);
        continue;
      }
      // The wrong password in a change is refused with 403.
      if (!operation.path.endsWith('/password/change')) {
        expect([401, 403, 500], where).not.toContain(status);
      }
    }
  });
});

describe('the resources of another account', () => {
  let owned: Belonging[];
  let headers: Record<string, string>;
  let adminHeaders: Record<string, string>;
  let consoleHeaders: Record<string, string>;
  beforeAll(async () => {
    const owner = await platform.newcomer({ features: ['admin', 'detection'] });
    const admin = await platform.apiKeys.create(owner.account, { kind: 'admin' });
    owned = await belongings({ server, storage, owner, adminSecret: admin.secret });
    const other = await platform.newcomer({ features: ['admin', 'detection'] });
    const otherAdmin = await platform.apiKeys.create(other.account, { kind: 'admin' });
    headers = authorisation(other.secret);
    adminHeaders = authorisation(otherAdmin.secret);
    const client = await entered(server, storage, other.account.accountId);
    consoleHeaders = { ...ownPage(), Cookie: client.cookie ?? '' };
  });

  it('are used by their owner', async () => {
    for (const { name, ask, own, admin, inConsole, isSpent, ownStatus = 200 } of owned) {
      // What can be read again is found below, after others have asked for it.
      const isReadBelow = ask.method === 'GET' && isSpent !== true;
      if (inConsole === 'only' || isReadBelow || !['GET', 'POST'].includes(ask.method)) continue;
      // A document that is taken is translated, which takes time.
      if (ask.path === '/v2/document' && ownStatus === 200) continue;
      const response = await send(ask, admin === true ? own.admin : own.developer);
      expect(response.status, name).toBe(ownStatus);
    }
  });

  it('are not found by others on any route, and remain unchanged', async () => {
    for (const { name, ask, admin, inConsole, otherStatus = 404 } of owned) {
      const ways =
        inConsole === 'only'
          ? [{ ask, who: consoleHeaders }]
          : [{ ask, who: admin === true ? adminHeaders : headers }];
      if (inConsole === 'too') {
        ways.push({ ask: { ...ask, path: `/console/api${ask.path}` }, who: consoleHeaders });
      }
      for (const way of ways) {
        const response = await send(way.ask, way.who);
        const text = await response.text();
        expect(response.status, `${name} (${way.ask.path}): ${text}`).toBe(otherStatus);
        expect(text).not.toContain('of the owner');
      }
    }
    for (const { name, ask, own, admin, isSpent, ownStatus = 200 } of owned) {
      if (ask.method !== 'GET' || isSpent === true) continue;
      const response = await send(ask, admin === true ? own.admin : own.developer);
      expect(response.status, name).toBe(ownStatus);
    }
  });

  function send({ method, path, body }: Belonging['ask'], who: Record<string, string>) {
    if (body instanceof FormData) return server.send(path, { method, headers: who, body });
    return server.send(path, {
      method,
      headers: { ...who, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
});
