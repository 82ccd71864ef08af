/** `/v1/rooms`, a Dragoman extension, on the built server. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readContract, type ContractCheck } from '../support/product/contract-check.ts';
import type { RunningServer } from '../support/product/server.ts';
import { openEmbedded, platformOver } from '../support/product/platform.ts';
import { sharedServer } from '../support/product/shared-server.ts';
import { upgradeStatus } from '../support/product/voice-client.ts';
import { keyOf } from './room-client.ts';

const PATH = '/v1/rooms';
const MATCHING = (pattern: RegExp) => expect.stringMatching(pattern) as string;
let server: RunningServer;
let check: ContractCheck;
beforeAll(async () => {
  server = await sharedServer();
  check = await readContract(server.url);
});
afterAll(() => server.stop());

type Body = Record<string, unknown> & { room_id: string; message: string };

/** Sends a request, and checks the answer against the server's own OpenAPI document. */
async function ask(method: string, path: string, body?: unknown, secret = server.apiKey) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      Authorization: `Service-Auth-Key ${secret}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const { status } = response;
  const text = await response.text();
  const header = (name: string) => response.headers.get(name) ?? undefined;
  expect(check({ method, url: path, status, header, body: text })).toBeUndefined();
  return { status, body: (text === '' ? {} : JSON.parse(text)) as Body };
}

/** Requests a voice session with the speaker link of a room. */
function requestSession({ room_id: id, speaker_url: url }: Body): Promise<Response> {
  const key = keyOf(url as string);
  return fetch(`${server.url}${PATH}/${id}/live/session`, {
    method: 'POST',
    headers: { Authorization: `Room-Key ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000' }),
  });
}

const create = (given: object = {}) => ask('POST', PATH, { name: 'Main stage', ...given });

describe('a room', () => {
  it('is created with the given values and with links for each role', async () => {
    const made = await create({
      ...{ languages: ['ES', 'es', 'fr'], always: ['es'], source_language: 'en' },
      ...{ keep_hours: 1.5, hidden_words: [' damn '], access: 'everyone' },
      replacements: [{ from: 'Zembler', to: 'Zembla' }],
    });
    const place = `${server.url}/events/${made.body.room_id}`;
    expect(made).toEqual({
      status: 201,
      body: {
        room_id: MATCHING(/^[2-9a-z]{10}$/),
        name: 'Main stage',
        languages: ['es', 'fr'],
        always: ['es'],
        source_language: 'en',
        access: 'everyone',
        keep_hours: 1.5,
        replacements: [{ from: 'Zembler', to: 'Zembla' }],
        hidden_words: ['damn'],
        paused: false,
        state: 'waiting',
        viewers: {},
        viewer_url: place,
        overlay_url: `${place}/overlay`,
        speaker_url: MATCHING(/\/speaker#key=speaker\.\w+\.0\.[\w-]{22}$/),
        captioner_url: MATCHING(/\/captioner#key=captioner\.\w+\.0\.[\w-]{22}$/),
        creation_time: MATCHING(/^\d{4}-.*Z$/),
      },
    });
    const { room_id: id } = made.body;
    expect(await ask('GET', `${PATH}/${id}`)).toEqual({ status: 200, body: made.body });
    expect((await ask('GET', PATH)).body['rooms']).toContainEqual(made.body);
    expect((await ask('DELETE', `${PATH}/${id}`)).status).toBe(204);
    expect((await ask('DELETE', `${PATH}/${id}`)).status).toBe(404);
    expect((await ask('GET', `${PATH}/${id}`)).status).toBe(404);
  });

  it('has a generated passcode by default, and links that bypass it', async () => {
    const { body } = await create({ access: 'passcode' });
    expect(body['passcode']).toMatch(/^\d{6}$/);
    expect(body['viewer_url']).not.toContain('#');
    expect(body['overlay_url']).toMatch(/\/overlay#key=viewer\./);
    expect((await create({ access: 'passcode', passcode: ' Blau-7 ' })).body['passcode']).toBe(
      'Blau-7',
    );
    const { body: closed } = await create({ access: 'link' });
    expect(closed).not.toHaveProperty('passcode');
    expect(closed['viewer_url']).toMatch(/#key=viewer\./);
  });

  it.each([
    [{ name: undefined }, /name/],
    [{ name: '' }, /name/],
    [{ name: 'ä'.repeat(513) }, /name.*1024 bytes/],
    [{ name: 'a\nb' }, /name/],
    [{ languages: { es: true } }, /languages/],
    [{ languages: ['tlh'] }, /languages.*es/],
    [{ languages: [5] }, /languages/],
    [{ languages: Array.from({ length: 31 }, () => 'es') }, /languages.*30/],
    [{ languages: ['es'], always: ['fr'] }, /always.*es/],
    [{ source_language: 'tlh' }, /source_language/],
    [{ access: 'nobody' }, /access.*everyone, passcode, link/],
    [{ access: 'passcode', passcode: 'abc' }, /passcode.*4/],
    [{ passcode: 'Blau-7' }, /passcode.*access/],
    [{ access: 'passcode', passcode: 'x'.repeat(65) }, /passcode/],
    [{ access: 'passcode', passcode: 'a b c d' }, /passcode/],
    [{ keep_hours: -1 }, /keep_hours/],
    [{ keep_hours: 8761 }, /keep_hours.*8760/],
    [{ keep_hours: 'long' }, /keep_hours/],
    [{ glossary_id: 'nonsense' }, /glossary/],
    [{ formality: 'rude' }, /formality/],
    [{ replacements: [{ from: 'a' }] }, /replacements/],
    [{ replacements: [{ from: ' ', to: 'a' }] }, /replacements.*empty/],
    [{ replacements: [{ from: 'a', to: 'x'.repeat(101) }] }, /replacements.*100/],
    [{ hidden_words: [''] }, /hidden_words.*empty/],
    [{ hidden_words: ['a\u0007'] }, /hidden_words.*control/],
    [{ hidden_words: ['x'.repeat(101)] }, /hidden_words.*100/],
    [{ hidden_words: Array.from({ length: 501 }, (_, index) => `w${index}`) }, /hidden_words.*500/],
  ])('%#. is refused with a reason', async (given, reason) => {
    const { status, body } = await create(given);
    expect(status).toBe(400);
    expect(body.message).toMatch(reason);
  });

  it('is refused with an unknown glossary, without JSON, and when too large', async () => {
    expect((await create({ languages: ['es'], glossary_id: randomUUID() })).status).toBe(404);
    expect((await ask('POST', PATH, '{"name":')).status).toBe(400);
    expect((await create({ hidden_words: ['x'.repeat(2_200_000)] })).status).toBe(413);
  });

  it('holds the maximum number of words with any characters', async () => {
    const hidden = Array.from({ length: 500 }, (_, index) => `${index}-(`.padEnd(100, 'ß'));
    const { status, body } = await create({ languages: ['es'], hidden_words: hidden });
    expect(status).toBe(201);
    expect(body['hidden_words']).toEqual(hidden);
    const typed = { text: 'co-op 1-(' };
    expect((await ask('POST', `${PATH}/${body.room_id}/captions`, typed)).status).toBe(201);
  });

  it('changes only the given fields; null resets, and an invalid change has no effect', async () => {
    const { body: made } = await create({
      ...{ languages: ['es', 'fr'], always: ['fr'], source_language: 'en', access: 'passcode' },
    });
    const place = `${PATH}/${made.room_id}`;
    const patch = (change: object) => ask('PATCH', place, change);
    expect(await patch({ name: null, keep_hours: null })).toEqual({ status: 200, body: made });
    const changed = await patch({ name: 'Small stage', paused: true, keep_hours: 2 });
    expect(changed.body).toEqual({
      ...made,
      ...{ name: 'Small stage', paused: true, state: 'paused', keep_hours: 2 },
    });
    const without = await patch({ languages: ['es'], source_language: null, formality: null });
    expect(without.body).toMatchObject({ languages: ['es'], always: [] });
    expect(without.body).not.toHaveProperty('source_language');
    expect(without.body['passcode']).toBe(made['passcode']);
    for (const wrong of [{ languages: ['tlh'] }, { always: ['fr'] }, { paused: 5 }]) {
      expect((await patch(wrong)).status, JSON.stringify(wrong)).toBe(400);
    }
    expect((await ask('GET', place)).body).toEqual(without.body);
    expect((await patch({ access: 'everyone' })).body).not.toHaveProperty('passcode');
  });

  it('applies all of many concurrent changes', async () => {
    const { room_id: id } = (await create({ languages: ['es'] })).body;
    const changes = [
      { paused: true },
      { hidden_words: ['damn'] },
      { replacements: [{ from: 'a', to: 'b' }] },
      { access: 'link' },
      { keep_hours: 3 },
      { languages: ['es', 'fr'] },
    ];
    await Promise.all(changes.map((each) => ask('PATCH', `${PATH}/${id}`, each)));
    expect((await ask('GET', `${PATH}/${id}`)).body).toMatchObject(Object.assign({}, ...changes));
  });

  it('is unknown to other accounts in every operation', async () => {
    const { room_id: id } = (await create()).body;
    const { apiKey: stranger } = await sharedServer();
    const place = `${PATH}/${id}`;
    const attempts = [
      ['GET', place],
      ['PATCH', place, { name: 'mine' }],
      ['DELETE', place],
      ['GET', `${place}/links`],
      ['POST', `${place}/links`, { role: 'speaker' }],
      ['GET', `${place}/code.svg`],
      ['POST', `${place}/captions`, { text: 'Hello.' }],
      ['GET', `${place}/transcript`],
      ['DELETE', `${place}/transcript`],
    ] as const;
    for (const [method, path, body] of attempts) {
      expect(await ask(method, path, body, stranger), `${method} ${path}`).toMatchObject({
        status: 404,
        body: { message: expect.any(String) as string },
      });
      const nonsense = path.replace(id, 'Nonsense-1');
      expect((await ask(method, nonsense, body)).status, `${method} ${nonsense}`).toBe(404);
    }
    const session = {
      source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000',
      room_id: id,
    };
    expect((await ask('POST', '/v3/voice/realtime', session, stranger)).status).toBe(404);
    expect((await ask('GET', PATH, undefined, stranger)).body['rooms']).toEqual([]);
    expect((await ask('GET', place)).status).toBe(200);
  });

  it('belongs to the pro plan, like voice', async () => {
    const { apiKey: secret } = await sharedServer('silent', 'free');
    const { room_id: id } = (await create()).body;
    for (const [method, path, body] of [
      ['POST', PATH, { name: 'x' }],
      ['GET', PATH],
      ['GET', `${PATH}/${id}`],
      ['PATCH', `${PATH}/${id}`, {}],
      ['DELETE', `${PATH}/${id}`],
      ['GET', `${PATH}/${id}/links`],
      ['GET', `${PATH}/${id}/transcript`],
    ] as const) {
      expect(await ask(method, path, body, secret)).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining('pro plan') as string },
      });
    }
    expect((await ask('GET', PATH, undefined, 'nobody')).status).toBe(403);
  });
});

describe('links of a room', () => {
  it('are created, listed and revoked', async () => {
    const { room_id: id } = (await create({ access: 'link' })).body;
    const place = `${PATH}/${id}/links`;
    const wish = { role: 'viewer', label: 'Press', expires_in_hours: 24 };
    const made = await ask('POST', place, wish);
    expect(made).toMatchObject({
      status: 201,
      body: {
        ...{ role: 'viewer', label: 'Press', link_id: MATCHING(/^\w{10}$/) },
        url: MATCHING(new RegExp(`/events/${id}#key=viewer\\.`)),
        expiry_time: MATCHING(/Z$/),
      },
    });
    const inADay = Date.now() + 24 * 3_600_000;
    expect(Math.abs(Date.parse(String(made.body['expiry_time'])) - inADay)).toBeLessThan(60_000);
    const listed = (await ask('GET', place)).body['links'] as { role: string }[];
    expect(listed).toContainEqual(made.body);
    expect(listed.map(({ role }) => role).sort()).toEqual([
      ...['captioner', 'speaker', 'viewer', 'viewer'],
    ]);
    const one = `${place}/${String(made.body['link_id'])}`;
    expect((await ask('DELETE', one)).status).toBe(204);
    expect((await ask('DELETE', one)).status).toBe(404);
  });

  it('disappear from the room when the published one is revoked', async () => {
    const { room_id: id } = (await create()).body;
    const links = (await ask('GET', `${PATH}/${id}/links`)).body['links'] as {
      link_id: string;
      role: string;
    }[];
    const speaker = links.find(({ role }) => role === 'speaker')!;
    await ask('DELETE', `${PATH}/${id}/links/${speaker.link_id}`);
    expect((await ask('GET', `${PATH}/${id}`)).body).not.toHaveProperty('speaker_url');
    const { url } = (await ask('POST', `${PATH}/${id}/links`, { role: 'speaker' })).body;
    expect((await ask('GET', `${PATH}/${id}`)).body['speaker_url']).toBe(url);
  });

  it.each([
    [{}, /role/],
    [{ role: 'owner' }, /role.*viewer, captioner, speaker/],
    [{ role: 'viewer', label: 'a\nb' }, /label/],
    [{ role: 'viewer', expires_in_hours: 0 }, /expires_in_hours/],
    [{ role: 'viewer', expires_in_hours: 9000 }, /expires_in_hours.*8760/],
  ])('%#. are refused with a reason', async (wish, reason) => {
    const { room_id: id } = (await create()).body;
    const { status, body } = await ask('POST', `${PATH}/${id}/links`, wish);
    expect(status).toBe(400);
    expect(body.message).toMatch(reason);
  });

  it('are limited to a hundred', async () => {
    const { room_id: id } = (await create()).body;
    const add = () => ask('POST', `${PATH}/${id}/links`, { role: 'viewer' });
    const added = await Promise.all(Array.from({ length: 100 }, add));
    expect(added.filter(({ status }) => status === 201)).toHaveLength(97);
    expect((await add()).body.message).toMatch(/at most 100 links/);
  });
});

it('limits the sessions of a link: the first one gives way to another', async () => {
  const { body } = await create();
  const statusOf = async (): Promise<() => Promise<number>> => {
    const session = (await (await requestSession(body)).json()) as Record<string, string>;
    return () => upgradeStatus(`${session['streaming_url']}?token=${session['token']}`);
  };
  const sessions = await Promise.all(Array.from({ length: 9 }, statusOf));
  const statuses = await Promise.all(sessions.map((open) => open()));
  expect(statuses.filter((status) => status === 403)).toHaveLength(1);
});

it('keeps a room working after the key that created it was deactivated', async () => {
  const storage = await openEmbedded(server.dataFolder);
  onTestFinished(() => storage.close());
  const platform = platformOver(storage);
  const { account, ...old } = await platform.newcomer();
  const good = await platform.apiKeys.create(account);
  const wishes = { name: 'Main stage', languages: ['es'], source_language: 'en', keep_hours: 1 };
  const made = (await ask('POST', PATH, wishes, old.secret)).body;
  const path = `${PATH}/${made.room_id}`;
  const typed = (text: string) => ask('POST', `${path}/captions`, { text }, good.secret);
  expect((await typed('Before.')).status).toBe(201);
  await platform.apiKeys.deactivate(account.accountId, old.key.keyId);

  expect(await ask('GET', `${path}/transcript`, undefined, good.secret)).toMatchObject({
    status: 200,
    body: { lines: [{ text: 'Before.' }] },
  });
  const viewers = await fetch(`${server.url}${path}/live?language=es`);
  expect(viewers.status).toBe(200);
  await viewers.body?.cancel();
  const speak = async () => (await requestSession(made)).status;
  expect(await speak()).toBe(403);
  const paused = await ask('PATCH', path, { paused: true, keep_hours: 0 }, good.secret);
  expect(paused).toMatchObject({ status: 200, body: { state: 'paused', keep_hours: 0 } });
  // The account of whoever changes it pays from then on.
  expect(await speak()).toBe(200);
  expect((await ask('DELETE', `${path}/transcript`, undefined, good.secret)).status).toBe(204);
});

describe('a typed line', () => {
  it.each([
    [{ text: '' }, 400, /text.*empty/],
    [{ text: ' \n ' }, 400, /text.*empty/],
    [{ text: 'x'.repeat(2001) }, 400, /2000 characters/],
    [{ text: 'a\u0000b' }, 400, /control/],
    [{ text: 5 }, 400, /text/],
    [{ text: 'a', line: 'x' }, 400, /line/],
    [{ text: 'a', language: 'fr' }, 400, /language.*spoken, es/],
    [{ text: 'a', line: 0 }, 400, /line/],
    [{ text: 'a', line: 7 }, 404, /no such line/],
    [{}, 400, /text/],
  ])('%#. is refused with a reason', async (typed, expected, reason) => {
    const { room_id: id } = (await create({ languages: ['es'] })).body;
    const { status, body } = await ask('POST', `${PATH}/${id}/captions`, typed);
    expect(status).toBe(expected);
    expect(body.message).toMatch(reason);
  });

  it('may have two thousand characters of any kind', async () => {
    const { room_id: id } = (await create()).body;
    const text = '🐉'.repeat(2000);
    expect((await ask('POST', `${PATH}/${id}/captions`, { text })).status).toBe(201);
    const { body } = await ask('GET', `${PATH}/${id}/transcript`);
    expect(body['lines']).toMatchObject([{ text, by: 'person', language: 'en' }]);
  });
});

describe('a transcript', () => {
  it.each([
    ['language=tlh', /language.*spoken/],
    ['format=pdf', /format.*txt, srt, vtt, json, docx/],
  ])('is refused with a reason: %s', async (query, reason) => {
    const { room_id: id } = (await create()).body;
    const { status, body } = await ask('GET', `${PATH}/${id}/transcript?${query}`);
    expect(status).toBe(400);
    expect(body.message).toMatch(reason);
  });
});

it("serves the audience's QR code as a picture of the viewer link", async () => {
  const { body } = await create({ access: 'link' });
  const response = await server.get(`${PATH}/${body.room_id}/code.svg`, {
    Authorization: `Service-Auth-Key ${server.apiKey}`,
  });
  expect(response.headers.get('content-type')).toContain('image/svg+xml');
  expect(await response.text()).toMatch(/^<svg[^>]*>/);
  expect(keyOf(String(body['viewer_url']))).not.toBe('');
});

it('documents the extension with examples', async () => {
  const document = (await (await server.get('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { requestBody?: unknown }>>;
  };
  const described = JSON.stringify(document.paths[PATH]?.['post']?.requestBody);
  expect(described).toContain('Our own addition');
  expect(described).toContain('Main stage');
  expect(Object.keys(document.paths[`${PATH}/{room_id}`] ?? {})).toEqual(
    expect.arrayContaining(['get', 'patch', 'delete']),
  );
  expect(Object.keys(document.paths[`${PATH}/{room_id}/live`] ?? {})).toEqual(['get']);
});
