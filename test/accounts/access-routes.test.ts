import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { LegacyAuth } from '../../server/accounts/api-keys.ts';
import { askDragoman } from '../support/product/command-line.ts';
import {
  startDoorServer,
  TEXT_LIMIT_BYTES,
  type DoorServer,
} from '../support/product/door-server.ts';

const dataFolder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-access-'));
let server: DoorServer;
beforeAll(async () => (server = await startDoorServer({ dataFolder })));
afterAll(async () => {
  await server.close();
  rmSync(dataFolder, { recursive: true });
});

async function get(url: string, authorization?: string) {
  const headers = authorization === undefined ? {} : { Authorization: authorization };
  return read(await fetch(url, { headers }));
}

async function read(response: Response) {
  const body = (await response.json()) as Record<string, unknown> & { message?: string };
  return { status: response.status, headers: response.headers, body };
}

/** Sends a JSON or form body without an Authorization header. */
async function send(url: string, body: Record<string, string>, form = false) {
  return read(
    await fetch(url, {
      method: 'POST',
      ...(form
        ? { body: new URLSearchParams(body) }
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    }),
  );
}

describe('the key in the header', () => {
  it.each(['Service-Auth-Key', 'DeepL-Auth-Key', 'deepl-auth-key', 'SERVICE-AUTH-KEY'])(
    'is accepted with the scheme %s',
    async (scheme) => {
      const { secret } = await server.newcomer();
      expect(await get(`${server.url}/tag`, `${scheme} ${secret}`)).toMatchObject({ status: 200 });
    },
  );

  it.each([
    ['no header', undefined, /missing.*Service-Auth-Key/],
    ['an empty header', '', /missing/],
    ['a scheme alone', 'DeepL-Auth-Key', /missing/],
    ['another scheme', 'Bearer 5f0c7d0e-8f0b-4c39-9d51-3a1f6f2b7c10', /missing/],
    ['the key `invalid`', 'DeepL-Auth-Key invalid', /not valid/],
    ['an unknown key', 'DeepL-Auth-Key 5f0c7d0e-8f0b-4c39-9d51-3a1f6f2b7c10:fx', /not valid/],
    ['a hash', `DeepL-Auth-Key ${'a'.repeat(64)}`, /not valid/],
  ])('%s is answered with 403', async (_case, header, message) => {
    const { status, body } = await get(`${server.url}/v2/usage`, header);
    expect(status).toBe(403);
    expect(body.message).toMatch(message);
  });

  it('is a different key with another suffix', async () => {
    const { secret } = await server.newcomer({ plan: 'free' });
    expect(secret).toMatch(/^[0-9a-f-]{36}:fx$/);
    const withoutEnding = secret.slice(0, -3);
    expect((await get(`${server.url}/tag`, `DeepL-Auth-Key ${secret}`)).status).toBe(200);
    expect((await get(`${server.url}/tag`, `DeepL-Auth-Key ${withoutEnding}`)).status).toBe(403);
    expect((await get(`${server.url}/tag`, `DeepL-Auth-Key ${withoutEnding}:adm`)).status).toBe(
      403,
    );
  });

  it('grants what its kind, plan and features allow', async () => {
    const pro = await server.newcomer();
    const free = await server.newcomer({ plan: 'free', features: ['detection'] });
    const admin = await server.newcomer({ features: ['admin'] }, { kind: 'admin' });
    expect(admin.secret).toMatch(/^[0-9a-f-]{36}:adm$/);
    const statuses = async (secret: string) =>
      Promise.all(
        ['tag', 'pro', 'detection', 'admin'].map(
          async (name) => (await get(`${server.url}/${name}`, `DeepL-Auth-Key ${secret}`)).status,
        ),
      );
    expect(await statuses(pro.secret)).toEqual([200, 200, 403, 403]);
    expect(await statuses(free.secret)).toEqual([200, 403, 200, 403]);
    expect(await statuses(admin.secret)).toEqual([403, 403, 403, 200]);
    await server.accounts.change(admin.account.accountId, { removeFeatures: ['admin'] });
    expect(await statuses(admin.secret)).toEqual([403, 403, 403, 403]);
  });

  it('is rejected as soon as another process deactivates it', async () => {
    const { secret, key } = await server.newcomer();
    const ask = async () => (await get(`${server.url}/tag`, `DeepL-Auth-Key ${secret}`)).status;
    expect(await ask()).toBe(200);
    await askDragoman(['key', 'deactivate', key.keyId], { DATA_DIR: dataFolder });
    expect(await ask()).toBe(403);
    expect(await server.apiKeys.deactivate(key.accountId, key.keyId)).toMatchObject({
      deactivatedAtMs: expect.any(Number) as number,
    });
    expect(await ask()).toBe(403);
  });

  it('is not available to a route that did not ask for one', async () => {
    const { secret } = await server.newcomer();
    expect(await get(`${server.url}/careless`, `DeepL-Auth-Key ${secret}`)).toMatchObject({
      status: 500,
    });
  });
});

describe('the key in query or body', () => {
  const startDoor = (legacyAuth: LegacyAuth) =>
    startDoorServer({ dataFolder, storage: server.storage, legacyAuth });
  /** With the brown-out open. */
  let open: DoorServer;
  beforeAll(async () => (open = await startDoor({ mode: 'brown-out', refusedPercent: 0 })));
  afterAll(() => open.close());

  /** The statuses for a key in the query of a GET, in a JSON body and in a form. */
  async function statuses(door: DoorServer, plan: 'free' | 'pro') {
    const { secret } = await server.newcomer({ plan });
    const answers = [
      await get(`${door.url}/tag?auth_key=${secret}`),
      await send(`${door.url}/text`, { auth_key: secret, text: 'a' }),
      await send(`${door.url}/text`, { auth_key: secret, text: 'a' }, true),
    ];
    for (const stranger of [{ auth_key: 'invalid' }, { text: 'a' }]) {
      expect((await send(`${door.url}/text`, stranger)).status).toBe(403);
    }
    expect((await get(`${door.url}/tag`)).status).toBe(403);
    return answers.map(({ status }) => status);
  }

  it('is refused by default', async () => {
    const { secret } = await server.newcomer();
    const inQuery = await get(`${server.url}/tag?auth_key=${secret}`);
    expect(inQuery).toMatchObject({ status: 403 });
    expect(inQuery.body.message).toMatch(/query or the body is not accepted.*Service-Auth-Key/);
    expect((await send(`${server.url}/text`, { auth_key: secret })).status).toBe(403);
  });

  it('is accepted on the plan pro while the brown-out is open', async () => {
    expect(await statuses(server, 'pro')).toEqual([403, 403, 403]);
    expect(await statuses(open, 'pro')).toEqual([200, 200, 200]);
    expect(await statuses(open, 'free')).toEqual([403, 403, 403]);
    const withdrawn = await startDoor({ mode: 'brown-out', refusedPercent: 100 });
    expect(await statuses(withdrawn, 'pro')).toEqual([403, 403, 403]);
    await withdrawn.close();
  });

  it('limits an unauthenticated body to the size of the route, and reads none when it is off', async () => {
    const tooMuch = { auth_key: 'invalid', text: 'a'.repeat(TEXT_LIMIT_BYTES) };
    expect((await send(`${open.url}/text`, tooMuch)).status).toBe(413);
    expect((await send(`${server.url}/text`, tooMuch)).status).toBe(403);
  });

  it('does not replace an invalid header', async () => {
    const { secret } = await server.newcomer();
    const answer = await get(`${open.url}/tag?auth_key=${secret}`, 'DeepL-Auth-Key invalid');
    expect(answer.status).toBe(403);
  });
});

describe('the rate limit', () => {
  it('counts each key separately, and says when to retry', async () => {
    const own = { dataFolder, storage: server.storage, requestsPerMinute: 3 };
    const door = await startDoorServer(own);
    const [one, other] = [await door.newcomer(), await door.newcomer()];
    const ask = ({ secret }: { secret: string }) =>
      get(`${door.url}/tag`, `DeepL-Auth-Key ${secret}`);
    const statuses = [];
    for (let index = 0; index < 4; index += 1) statuses.push((await ask(one)).status);
    const refused = await ask(one);
    const others = await ask(other);
    const strangers = await Promise.all(
      Array.from({ length: 5 }, () => ask({ secret: 'invalid' })),
    );
    await door.close();
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect(refused.body.message).toMatch(/Too many requests/);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(others.status).toBe(200);
    expect(new Set(strangers.map(({ status }) => status))).toEqual(new Set([403]));
  });

  it('is off by default', async () => {
    const { secret } = await server.newcomer();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => get(`${server.url}/tag`, `DeepL-Auth-Key ${secret}`)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('the reporting tag', () => {
  async function tagOf(headers: Record<string, string>) {
    const { secret } = await server.newcomer();
    const authorization = { Authorization: `DeepL-Auth-Key ${secret}` };
    return read(await fetch(`${server.url}/tag`, { headers: { ...authorization, ...headers } }));
  }

  it.each([
    [{}, null],
    [{ 'X-DeepL-Reporting-Tag': 'Team-A' }, 'team-a'],
    [{ 'X-Service-Reporting-Tag': '  news/2026~x  ' }, 'news/2026~x'],
    [{ 'x-service-reporting-tag': '' }, null],
    [{ 'X-DeepL-Reporting-Tag': 'a'.repeat(100) }, 'a'.repeat(100)],
  ])('of %j is read as %s', async (headers: Record<string, string>, tag) => {
    expect(await tagOf(headers)).toMatchObject({ status: 200, body: { tag } });
  });

  it.each(['a b', 'a\tb', 'größe', 'a'.repeat(101), 'a, b'])(
    '%j is answered with 400',
    async (tag) => {
      const { status, body } = await tagOf({ 'X-DeepL-Reporting-Tag': tag });
      expect(status).toBe(400);
      expect(body.message).toMatch(/reporting tag/);
    },
  );
});
