import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  AdminKey,
  ConsoleSession,
  ConsoleUsage,
  EngineCondition,
  EngineConditions,
  LiveVoiceSession,
  NewAdminKey,
  StyleRuleCatalogueView,
} from '../../../shared/schemas/console.ts';
import type { Account } from '../../../server/http/door.ts';
import type { Storage } from '../../../server/stores.ts';
import {
  consoleClient,
  entered,
  firstLink,
  GOOD_PASSWORD,
  signedIn,
  type ConsoleClient,
} from '../../support/product/console-client.ts';
import { openEmbedded, platformOver } from '../../support/product/platform.ts';
import { startHosted, type HostedServer } from '../../support/product/hosted-server.ts';
import { until } from '../../support/product/server.ts';
import { sharedServer, type SharedServer } from '../../support/product/shared-server.ts';
import { speech } from '../../support/audio/speech.ts';
import {
  connect,
  connectWith,
  requestSession,
  stream,
} from '../../support/product/voice-client.ts';

/** Nothing listens there: the engine is configured but out of order. */
const NOWHERE = 'http://127.0.0.1:9/v1';

let server: HostedServer;
let operator: ConsoleClient;
let tenant: ConsoleClient;
let tenantAccount: Account;
let storage: Storage;

beforeAll(async () => {
  server = await startHosted({
    RECOGNISER: 'silent',
    CHAT_URL: NOWHERE,
    CHAT_MODEL: 'none',
    CHAT_LANGUAGES: 'en,es',
    TRANSLATION_ENGINES: '*: chat, apertium',
    // A voice without its model.
    SPEECH_URL: NOWHERE,
  });
  operator = await signedIn(server, firstLink(server));
  storage = await openEmbedded(server.dataFolder);
  tenantAccount = await platformOver(storage).accounts.create({ name: 'tenant', plan: 'free' });
  tenant = await entered(server, storage, tenantAccount.accountId);
});
afterAll(async () => {
  await storage.close();
  await server.stop();
});

const translate = (text: string, target_lang = 'es', headers?: Record<string, string>) =>
  server.post('/v2/translate', { text: [text], source_lang: 'en', target_lang }, headers);

describe('the console', () => {
  it('tells its address, with a link while nobody has set the password', () => {
    expect(server.entrance).toMatch(/^\/console\/#set-password=[\w-]{43}$/);
  });

  it('is a page of only its own files, and cannot be framed', async () => {
    const moved = await fetch(`${server.url}/console`, { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([302, './console/']);
    const page = await fetch(`${server.url}/console/`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    const html = await page.text();
    const files = [...html.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, file]) => file);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const response = await fetch(new URL(file ?? '', `${server.url}/console/`));
      expect([file, response.status]).toEqual([file, 200]);
    }
    expect((await fetch(`${server.url}/console/nothing.js`)).status).toBe(404);
  });

  it('can be turned off', async () => {
    const off = await startHosted({ CONSOLE: 'off', RECOGNISER: 'silent' });
    expect(off.entrance).toBe('');
    for (const place of ['/console', '/console/', '/console/api/session']) {
      expect((await fetch(off.url + place)).status).toBe(404);
    }
    await off.stop();
  });

  it('is not part of the documented API', async () => {
    const response = await fetch(`${server.url}/openapi.json`);
    const paths = Object.keys(((await response.json()) as { paths: object }).paths);
    expect(paths).toContain('/v3/glossaries');
    expect(paths.filter((each) => each.includes('console'))).toEqual([]);
  });
});

describe('a signed-in user', () => {
  it('sees its account and can sign out for good', async () => {
    const { status, body, headers } = await tenant.ask<ConsoleSession>('GET', 'session');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({
      account: { name: 'tenant', plan: 'free', features: [], usage_limits: { characters: null } },
      is_operator: false,
    });
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now());
    expect((await operator.ask<ConsoleSession>('GET', 'session')).body.is_operator).toBe(true);

    const other = consoleClient(server);
    const signIn = { account: 'tenant', password: GOOD_PASSWORD };
    expect((await other.ask('POST', 'sign-in', signIn)).status).toBe(200);
    const { cookie } = other;
    expect((await other.ask('POST', 'sign-out', {})).status).toBe(204);
    expect(other.cookie).toBeUndefined();
    other.cookie = cookie;
    expect((await other.ask('GET', 'session')).status).toBe(401);
    expect((await other.ask('POST', 'sign-out', {})).status).toBe(204);
    expect((await tenant.ask('GET', 'session')).status).toBe(200);
  });

  it('changes the password and stays signed in', async () => {
    const changer = { name: 'changer', plan: 'pro' } as const;
    const { accountId } = await platformOver(storage).accounts.create(changer);
    const client = await entered(server, storage, accountId);
    const former = client.cookie;
    const change = (current_password: string, password: string) =>
      client.ask('POST', 'password/change', { current_password, password });
    expect((await change('wrong', 'another good one')).status).toBe(403);
    expect((await change(GOOD_PASSWORD, 'short')).status).toBe(400);
    expect((await change(GOOD_PASSWORD, 'another good one')).status).toBe(200);
    expect(client.cookie).not.toBe(former);
    expect((await client.ask('GET', 'session')).status).toBe(200);
  });

  it('sees what the account used this month', async () => {
    const before = (await operator.ask<ConsoleUsage>('GET', 'usage')).body;
    // No engine is needed for the variant.
    expect((await translate('Good morning', 'en-GB')).status).toBe(200);
    const { body } = await operator.ask<ConsoleUsage>('GET', 'usage');
    expect(body.characters.text_translation - before.characters.text_translation).toBe(12);
    expect(body.characters.used - before.characters.used).toBe(12);
    expect(body.characters.limit).toBeNull();
    expect(body.start_time).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/);
    expect(Date.parse(body.end_time)).toBeGreaterThan(Date.now());
    const { body: theirs } = await tenant.ask<ConsoleUsage>('GET', 'usage');
    expect(theirs.characters.used).toBe(0);
  });

  it('sets the origins and e-mail addresses of the account', async () => {
    const put = (settings: object) => operator.ask('PUT', 'settings', settings);
    const origins = ['https://Example.org/', 'http://localhost:3000'];
    const canonical = ['https://example.org', 'http://localhost:3000'];
    expect(await put({ origins })).toMatchObject({
      status: 200,
      body: { origins: canonical, emails: [] },
    });
    expect(await put({ emails: ['desk@example.org'] })).toMatchObject({
      body: { origins: canonical, emails: ['desk@example.org'] },
    });
    const refused = await put({ origins: ['https://example.org/path'] });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.body['message']).toMatch(/origins\.0/);
    expect((await put({ emails: ['nobody'] })).status).toBe(400);
    expect((await operator.ask('GET', 'settings')).body).toEqual({
      origins: canonical,
      emails: ['desk@example.org'],
    });
    expect((await tenant.ask('GET', 'settings')).body).toEqual({ origins: [], emails: [] });
  });

  it('creates admin keys, which administer until they are deactivated', async () => {
    const { status, body: made } = await operator.ask<NewAdminKey>('POST', 'admin-keys', {
      label: 'deployment',
    });
    expect(status).toBe(200);
    expect(made.key).toMatch(/:adm$/);
    const { key, ...rest } = made;
    expect((await operator.ask<AdminKey[]>('GET', 'admin-keys')).body).toEqual([rest]);
    const administer = async () =>
      (
        await server.get('/v2/admin/developer-keys', {
          Authorization: `Service-Auth-Key ${key}`,
        })
      ).status;
    expect(await administer()).toBe(200);
    const deactivate = (client: ConsoleClient) =>
      client.ask<AdminKey>('PUT', 'admin-keys/deactivate', { key_id: made.key_id });
    expect((await deactivate(tenant)).status).toBe(404);
    expect(await administer()).toBe(200);
    expect(await deactivate(operator)).toMatchObject({
      status: 200,
      body: { is_deactivated: true, label: 'deployment' },
    });
    expect(await administer()).toBe(403);
    expect((await tenant.ask('POST', 'admin-keys', {})).status).toBe(400);
  });

  it('manages developer keys, separately from admin keys', async () => {
    const { body: made } = await tenant.ask<{ key_id: string; key: string }>(
      ...['POST', 'v2/admin/developer-keys', { label: 'web' }],
    );
    const own = { Authorization: `Service-Auth-Key ${made.key}` };
    expect((await translate('Good morning', 'en-GB', own)).status).toBe(200);
    const limits = { key_id: made.key_id, characters: 12 };
    expect(await tenant.ask('PUT', 'v2/admin/developer-keys/limits', limits)).toMatchObject({
      body: { usage_limits: { characters: 12 } },
    });
    const end = { key_id: made.key_id };
    expect((await operator.ask('PUT', 'v2/admin/developer-keys/deactivate', end)).status).toBe(404);
    expect((await tenant.ask('PUT', 'admin-keys/deactivate', end)).status).toBe(404);
    const day = new Date().toISOString().slice(0, 10);
    const report = await tenant.ask<{ usage_report: { total_usage: object } }>(
      ...['GET', `v2/admin/analytics?start_date=${day}&end_date=${day}`],
    );
    expect(report.body.usage_report.total_usage).toMatchObject({ text_translation_characters: 12 });
  });

  it('edits the same glossaries that the API serves', async () => {
    const made = await operator.ask<{ glossary_id: string }>('POST', 'v3/glossaries', {
      name: 'greetings',
      dictionaries: [
        { source_lang: 'en', target_lang: 'es', entries: 'hello\thola', entries_format: 'tsv' },
      ],
    });
    expect(made.status).toBe(201);
    const { glossary_id: id } = made.body;
    const byKey = await server.get(`/v3/glossaries/${id}`, {
      Authorization: `Service-Auth-Key ${server.apiKey}`,
    });
    expect(byKey.status).toBe(200);
    expect((await tenant.ask('GET', `v3/glossaries/${id}`)).status).toBe(404);
    expect((await tenant.ask('DELETE', `v3/glossaries/${id}`)).status).toBe(404);
    expect((await operator.ask('DELETE', `v3/glossaries/${id}`)).status).toBe(204);
    expect((await operator.ask('GET', 'v3/style_rules')).status).toBe(200);
    // Style rules belong to the pro plan.
    expect((await tenant.ask('GET', 'v3/style_rules')).status).toBe(403);
  });

  it('imports translation memories, which the API can only use', async () => {
    const file = 'en,es\r\nGood morning,Buenos días\r\n';
    const made = await operator.ask<{ translation_memory_id: string }>(
      ...(['POST', 'translation-memories?name=desk&format=csv', file] as const),
      { 'Content-Type': 'text/csv' },
    );
    expect(made).toMatchObject({ status: 201, body: { name: 'desk', segment_count: 1 } });
    const { translation_memory_id: id } = made.body;
    const byKey = { headers: { Authorization: `Service-Auth-Key ${server.apiKey}` } };
    const listed = await server.send('/v3/translation_memories', byKey);
    expect(await listed.json()).toMatchObject({ total_count: 1 });
    expect((await tenant.ask('DELETE', `translation-memories/${id}`)).status).toBe(404);
    const renamed = await operator.ask('PATCH', `translation-memories/${id}`, { name: 'news' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'news' } });
    expect((await operator.ask('DELETE', `translation-memories/${id}`)).status).toBe(204);
    for (const place of ['/translation-memories', '/v3/translation-memories']) {
      const sent = await server.send(place, { ...byKey, method: 'POST', body: file });
      expect(sent.status).toBe(404);
    }
  });

  it('sees the style rules, and which languages follow them', async () => {
    const { body } = await operator.ask<StyleRuleCatalogueView>('GET', 'style-rule-catalogue');
    const rules = body.categories.flatMap((category) => category.rules);
    expect(rules).toHaveLength(159);
    const options = rules.flatMap((rule) => rule.options);
    expect(options).toHaveLength(518);
    expect(options.some(({ mechanical }) => mechanical.includes('de'))).toBe(true);
    expect(options.some(({ mechanical }) => mechanical.length === 0)).toBe(true);
    expect(body.follows_instructions).toEqual(['en', 'es']);
  });
});

describe('live voice sessions', () => {
  const list = async (client: ConsoleClient) =>
    (await client.ask<{ sessions: LiveVoiceSession[] }>('GET', 'voice-sessions')).body.sessions;
  const find = async (client: ConsoleClient, id: string) =>
    (await list(client)).find(({ session_id }) => session_id === id);

  /** The shared server that hears, with two accounts. */
  let hearing: SharedServer;
  let owner: ConsoleClient;
  let stranger: ConsoleClient;
  beforeAll(async () => {
    hearing = await sharedServer('hearing');
    const stored = await openEmbedded(hearing.dataFolder);
    const { account } = await platformOver(stored).newcomer();
    owner = await entered(hearing, stored, hearing.accountId);
    stranger = await entered(hearing, stored, account.accountId);
    await stored.close();
  });

  it('are listed with their lag and erasure, and can be ended', async () => {
    const client = await connect(hearing, { target_languages: ['es'], lag_updates: true });
    const id = client.sessionId;
    expect(await find(owner, id)).toMatchObject({
      state: 'connected',
      source_language: 'en',
      target_languages: ['es'],
      origin: 'api',
      audio_ms: 0,
      erasure: { source: null, target: null },
      key_label: expect.any(String) as string,
    });
    const audio = readFileSync(await speech({ text: 'Good morning, everybody.' })).subarray(44);
    await stream(client, audio, { chunkBytes: 6_400, chunkMs: 200 });
    await until(() => client.text('es') !== '');
    const shown = await until(async () => {
      const session = await find(owner, id);
      return session?.erasure.target === null ? undefined : session;
    });
    expect(shown.audio_ms).toBeGreaterThanOrEqual(Math.floor(audio.length / 32));
    expect(shown.lag_ms).toBeLessThanOrEqual(shown.audio_ms);
    for (const share of [shown.erasure.source, shown.erasure.target]) {
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThan(5);
    }

    expect(await find(stranger, id)).toBeUndefined();
    expect((await stranger.ask('DELETE', `voice-sessions/${id}`)).status).toBe(404);
    expect(client.error()).toBeUndefined();
    expect((await owner.ask('DELETE', `voice-sessions/${id}`)).status).toBe(204);
    expect((await client.closed).code).toBe(4403);
    expect(client.error()).toMatchObject({ error_code: 403 });
    expect(await find(owner, id)).toBeUndefined();
    expect((await owner.ask('DELETE', `voice-sessions/${id}`)).status).toBe(404);

    const { engines } = (await owner.ask<EngineConditions>('GET', 'engines')).body;
    expect(engines.find(({ name }) => name === 'moonshine-tiny-en')).toMatchObject({
      kind: 'recognition',
      state: 'running',
      languages: ['en'],
    });
  });

  it('are listed while nobody is connected; ending one invalidates its token', async () => {
    const session = await requestSession(hearing, { target_languages: ['es'] });
    expect(await find(owner, session.session_id)).toMatchObject({ state: 'waiting' });
    await owner.ask('DELETE', `voice-sessions/${session.session_id}`);
    await expect(connectWith(session, 'json')).rejects.toThrow('403');
  });

  it('of the demo page are visible only to the operator', async () => {
    const response = await fetch(`${server.url}/demo/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000' }),
    });
    const { session_id: id } = (await response.json()) as { session_id: string };
    expect(await find(operator, id)).toMatchObject({
      origin: 'demo',
      source_language: null,
      key_label: null,
      key_masked: null,
    });
    expect(await find(tenant, id)).toBeUndefined();
    expect((await tenant.ask('DELETE', `voice-sessions/${id}`)).status).toBe(404);
    expect((await operator.ask('DELETE', `voice-sessions/${id}`)).status).toBe(204);
  });
});

describe('the engines', () => {
  const ask = async (client: ConsoleClient) =>
    (await client.ask<EngineConditions>('GET', 'engines')).body.engines;
  const named = (engines: EngineCondition[], name: string) =>
    engines.find((engine) => engine.name === name && engine.kind === 'translation');

  it('are listed with their statistics and failures', async () => {
    const before = named(await ask(operator), 'apertium');
    expect(before).toMatchObject({ state: 'running', reason: null, breakers: [] });
    expect(before?.pairs.find(({ source }) => source === 'en')?.targets).toContain('es');
    // The breaker of what is out of order opens.
    for (const text of ['Good day', 'Good evening', 'Good night'])
      expect((await translate(text)).status).toBe(200);
    const engines = await ask(operator);
    const apertium = named(engines, 'apertium');
    expect(apertium?.requests).toBeGreaterThan(before?.requests ?? Infinity);
    expect(apertium).toMatchObject({ failures: 0, last_failure_at: null });
    expect(apertium?.latency_ms).toBeGreaterThanOrEqual(0);
    const chat = named(engines, 'chat');
    expect(chat).toMatchObject({
      state: 'impaired',
      latency_ms: null,
      last_failure_at: expect.any(String) as string,
      breakers: [{ name: 'all', state: 'open', retry_in_ms: expect.any(Number) as number }],
    });
    expect(chat?.failures).toBe(chat?.requests);
    const kinds = new Set(engines.map(({ kind }) => kind));
    for (const kind of ['synthesis', 'improvement', 'detection'] as const)
      expect(kinds).toContain(kind);
    for (const { state, reason } of engines) expect(state === 'missing').toBe(reason !== null);
    const speaker = engines.find(({ name }) => name === 'openai-speech');
    expect(speaker).toMatchObject({ kind: 'synthesis', state: 'missing', requests: null });
    expect(speaker?.reason).toContain('SPEECH_MODEL');
    const spoken = engines.filter(({ kind }) => kind === 'synthesis');
    const english = spoken.filter(({ languages }) => languages.includes('en-GB'));
    expect(english.map(({ name }) => name)).toEqual(['flite']);
  });

  it('are listed for other users without statistics', async () => {
    const engines = await ask(tenant);
    expect(named(engines, 'apertium')).toMatchObject({
      state: 'running',
      requests: null,
      failures: null,
      latency_ms: null,
      breakers: [],
    });
    expect(engines.filter(({ state }) => state === 'missing')).toEqual([]);
  });
});
