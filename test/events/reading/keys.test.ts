/** Who may enter a room, on the built server. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHosted, WITHOUT_ENGINES } from '../../support/product/hosted-server.ts';
import { until } from '../../support/product/server.ts';
import { sharedServer, type SharedServer } from '../../support/product/shared-server.ts';
import {
  change,
  keyOf,
  makeRoom,
  readAlong,
  readStream,
  refusal,
  roomInfo,
  roomKey,
  type,
} from '../room-client.ts';

let server: SharedServer;
beforeAll(async () => (server = await sharedServer()));
afterAll(() => server.stop());

const room = (wishes: Record<string, unknown> = {}) => makeRoom(server, wishes);
const info = (roomId: string) => roomInfo(server, roomId);
const live = (roomId: string, rest: string) => `/v1/rooms/${roomId}/live/${rest}`;

it('lets in with a passcode for a day, until the passcode is changed', async () => {
  const { room_id: id } = await room({ access: 'passcode', passcode: 'Blau-7' });
  expect(await refusal(readAlong(server, id))).toMatchObject({ status: 403 });
  const entrance = await server.get(live(id, 'entry'));
  expect(await entrance.json()).toEqual({
    room_id: id,
    access: 'passcode',
    may_read: false,
    name: 'Main stage',
  });
  const entered = await server.post(live(id, 'entry'), { passcode: ' blau-7 ' });
  const { key } = (await entered.json()) as { key: string };
  const reader = await readAlong(server, id, { key });
  await change(server, 'PATCH', `/v1/rooms/${id}`, { name: 'Other', passcode: 'Blau-7' });
  await change(server, 'PATCH', `/v1/rooms/${id}`, { passcode: 'Rot-8' });
  expect(await reader.closed).toBe(4403);
  expect(reader.messages.filter(({ type: name }) => name === 'room').length).toBeGreaterThan(1);
  expect(await refusal(readAlong(server, id, { key }))).toMatchObject({ status: 403 });
});

it('requires a key once the room is closed, and keeps readers that have one', async () => {
  const { room_id: id } = await room();
  const open = await readAlong(server, id);
  const { body } = await change(server, 'PATCH', `/v1/rooms/${id}`, { access: 'link' });
  expect(await open.closed).toBe(4403);
  expect(await refusal(readAlong(server, id))).toMatchObject({ status: 403 });
  expect(await (await server.get(live(id, 'entry'))).json()).toEqual({
    room_id: id,
    access: 'link',
    may_read: false,
  });
  const key = keyOf(String(body['viewer_url']));
  const reader = await readAlong(server, id, { key });
  await change(server, 'PATCH', `/v1/rooms/${id}`, { access: 'everyone' });
  await type(server, id, { text: 'Still here.' });
  await reader.shows('Still here.');
  reader.close();
});

it('closes all readers of a revoked key at once, and no others', async () => {
  const { room_id: id } = await room({ access: 'link' });
  const links: { id: string; url: string }[] = [];
  for (const label of ['Press', 'Guests']) {
    const made = await change(server, 'POST', `/v1/rooms/${id}/links`, { role: 'viewer', label });
    links.push({ id: String(made.body['link_id']), url: String(made.body['url']) });
  }
  const [press, guests] = [links[0]!, links[1]!];
  const [revoked, stays] = await Promise.all(
    [press, guests].map(({ url }) => readAlong(server, id, { key: keyOf(url) })),
  );
  const stream = await readStream(server, id, { key: keyOf(press.url) });
  await change(server, 'DELETE', `/v1/rooms/${id}/links/${press.id}`);
  expect(await revoked!.closed).toBe(4403);
  expect(revoked!.messages.at(-1)).toEqual({ type: 'end', message: 'The link was revoked.' });
  await stream.ended;
  await type(server, id, { text: 'Still here.' });
  await stays!.shows('Still here.');
  expect(await refusal(readAlong(server, id, { key: keyOf(press.url) }))).toMatchObject({
    status: 403,
  });
  stays!.close();
});

it('lets keys expire', async () => {
  const { room_id: id } = await room({ access: 'link' });
  const wish = { role: 'viewer', expires_in_hours: 1 / 3600 };
  const { body } = await change(server, 'POST', `/v1/rooms/${id}/links`, wish);
  const key = keyOf(String(body['url']));
  await until(async () => (await refusal(readAlong(server, id, { key })))?.status === 403);
});

it("allows each role's key only its own actions, and only in its own room", async () => {
  const [here, there] = [await room({ access: 'link' }), await room({ access: 'link' })];
  const { room_id: id } = here;
  const keys = {
    viewer: keyOf(here.viewer_url),
    captioner: keyOf(here.captioner_url),
    speaker: keyOf(here.speaker_url),
    foreign: keyOf(there.speaker_url),
    none: undefined,
  };
  const session = { source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000' };
  const deeds: [method: string, rest: string, body: unknown, allowed: (keyof typeof keys)[]][] = [
    ['POST', 'captions', { text: 'Hello.' }, ['captioner', 'speaker']],
    ['GET', 'room', undefined, ['captioner', 'speaker']],
    ['GET', 'code.svg', undefined, ['captioner', 'speaker']],
    ['POST', 'state', { paused: true }, ['speaker']],
    ['POST', 'session', session, ['speaker']],
  ];
  for (const [name, key] of Object.entries(keys)) {
    for (const [method, rest, body, allowed] of deeds) {
      const response = await fetch(server.url + live(id, rest), {
        method,
        headers: {
          ...(key !== undefined && roomKey(key)),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const isAllowed = (allowed as string[]).includes(name);
      expect(response.ok, `${name} ${rest} ${response.status}`).toBe(isAllowed);
      if (!isAllowed) expect(response.status).toBe(403);
      const text = await response.text();
      if (rest === 'room' && isAllowed) {
        expect(JSON.parse(text)).not.toHaveProperty('speaker_url');
        expect(JSON.parse(text)).toMatchObject({ viewer_url: here.viewer_url });
      }
    }
  }
  expect((await info(id)).state).toBe('paused');
  expect((await info(there.room_id)).state).toBe('waiting');
  // The key of a room is not an API key of the account.
  const asOwner = await fetch(`${server.url}/v1/rooms`, {
    headers: { Authorization: `Service-Auth-Key ${keys.speaker}` },
  });
  expect(asOwner.status).toBe(403);
});

it('limits passcode guesses even if all come at once', async () => {
  const { room_id: id } = await room({ access: 'passcode', passcode: '482913' });
  const guesses = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      server.post(live(id, 'entry'), { passcode: String(1000 + index) }),
    ),
  );
  const statuses = guesses.map(({ status }) => status);
  expect(statuses.filter((status) => status === 403).length).toBeLessThanOrEqual(11);
  expect(statuses).toContain(429);
  const late = await server.post(live(id, 'entry'), { passcode: '482913' });
  expect([late.status, late.headers.get('retry-after')]).toEqual([429, '5']);
});

it('limits guesses per client behind a proxy, and gives a page a socket at its own origin', async () => {
  const proxied = await startHosted({
    ...WITHOUT_ENGINES,
    TRUST_PROXY: 'on',
    PUBLIC_URL: 'https://live.example.org/here/',
  });
  const { room_id: id, speaker_url: link } = await makeRoom(proxied, {
    access: 'passcode',
    passcode: 'Blau-7',
  });
  // A client's own header value precedes the one the proxy appends.
  const guess = async (claimed: number) => {
    const from = `203.0.113.${claimed}, 198.51.100.7`;
    const body = { passcode: 'Rot-8' };
    return (await proxied.post(live(id, 'entry'), body, { 'X-Forwarded-For': from })).status;
  };
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => guess(index)));
  expect(answers.filter((status) => status === 403)).toHaveLength(10);
  expect(answers.filter((status) => status === 429)).toHaveLength(10);
  const streamingUrl = async (origin: string) => {
    const wish = { source_media_content_type: 'audio/webm;codecs=opus' };
    const headers = { ...roomKey(keyOf(link)), Origin: origin };
    const answer = await proxied.post(live(id, 'session'), wish, headers);
    return ((await answer.json()) as { streaming_url: string }).streaming_url;
  };
  const path = '/v3/voice/realtime/connect';
  for (const origin of ['https://live.example.org', 'https://elsewhere.example.org']) {
    expect(await streamingUrl(origin)).toBe(`wss://live.example.org/here${path}`);
  }
  expect(await streamingUrl(proxied.url)).toBe(`${proxied.url.replace('http', 'ws')}${path}`);
  await proxied.stop();
});

it('never logs keys or passcodes', async () => {
  const made = await room({ access: 'passcode', passcode: 'Geheim-4711' });
  const { room_id: id } = made;
  const key = keyOf(made.speaker_url);
  const reader = await readAlong(server, id, { key });
  reader.close();
  await refusal(readAlong(server, id, { key: `${key}x` }));
  await refusal(readStream(server, id, { key, language: 'tlh' }));
  await server.post(live(id, 'entry'), { passcode: 'Geheim-4711' });
  await server.get(`${live(id, 'room')}?key=${key}`);
  const written = await server.written();
  expect(written).not.toContain(key);
  expect(written).not.toContain('Geheim-4711');
  expect(written).not.toContain(key.split('.').at(-1));
});
