/** Readers of a room, on a server whose translator counts its requests. */
import { connect as connectSocket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encode } from '@msgpack/msgpack';
import { startHosted, type HostedServer } from '../../support/product/hosted-server.ts';
import { until } from '../../support/product/server.ts';
import {
  startLibreTranslateServer,
  type LibreTranslateServer,
} from '../../support/services/libretranslate-server.ts';
import {
  change,
  keyOf,
  makeRoom,
  readAlong,
  readStream,
  refusal,
  roomInfo,
  type,
  untilItTranslates,
  type RoomReader,
} from '../room-client.ts';

let translator: LibreTranslateServer;
let server: HostedServer;
/** Readers with an expiring link, which read while the other tests run. */
let guests: RoomReader[];
beforeAll(async () => {
  translator = await startLibreTranslateServer();
  translator.languages = { en: ['es', 'fr', 'de'], es: ['en'] };
  server = await startHosted({
    RECOGNISER: 'silent',
    LIBRETRANSLATE_URL: translator.url,
    TRANSLATION_ENGINES: '*: libretranslate',
    LOG_LEVEL: 'debug',
  });
  await untilItTranslates(server);
  guests = await readForSeconds();
});
afterAll(async () => {
  await server.stop();
  await translator.close();
});

const LANGUAGES = { languages: ['es', 'fr'], source_language: 'en' };
const room = (wishes: Record<string, unknown> = {}) =>
  makeRoom(server, { ...LANGUAGES, ...wishes });
const asked = (word: string) =>
  translator.translations().filter(({ q }) => q.some((text) => text.includes(word)));
/** Returns a word that was never translated before. */
let words = 0;
const newWord = () => `word${(words += 1)}x`;
const info = (roomId: string) => roomInfo(server, roomId);
/** Readers of every kind, whose link is valid for ten seconds. */
async function readForSeconds(): Promise<RoomReader[]> {
  const { room_id: id } = await room({ access: 'link' });
  const path = `/v1/rooms/${id}/links`;
  const wish = { role: 'viewer', expires_in_hours: 10 / 3600 };
  const { url } = (await change(server, 'POST', path, wish)).body as { url: string };
  const key = keyOf(url);
  return Promise.all([
    readAlong(server, id, { key }),
    readAlong(server, id, { key, format: 'msgpack' }),
    readStream(server, id, { key }),
  ]);
}

describe.each(['msgpack', 'events'])('a reader of %s', (format) => {
  const read = (roomId: string, wish = {}) =>
    format === 'events'
      ? readStream(server, roomId, wish)
      : readAlong(server, roomId, { ...wish, format });

  it('receives the state of the room, the history, and then new lines', async () => {
    const { room_id: id } = await room();
    await type(server, id, { text: 'Good morning.' });
    const reader = await read(id);
    await reader.shows('Good morning.');
    await type(server, id, { text: 'The house is new.' });
    await reader.shows('Good morning.', 'The house is new.');
    expect(reader.messages.map(({ type: name }) => name)).toEqual(['room', 'history', 'captions']);
    expect(reader.messages[0]).toMatchObject({
      ...{ name: 'Main stage', state: 'waiting', languages: ['es', 'fr'], source_language: 'en' },
    });
    const [line] = reader.lines();
    expect(line).toMatchObject({ language: 'en', by: 'person' });
    expect(Math.abs(line!.start_time - Date.now())).toBeLessThan(60_000);
    reader.close();
    await until(async () => Object.keys((await info(id)).viewers).length === 0);
  });

  it('receives the last minutes in a language that had no reader before', async () => {
    const { room_id: id } = await room();
    for (const text of ['Good morning.', 'The house.', 'The river.'])
      await type(server, id, { text });
    const before = performance.now();
    const reader = await read(id, { language: 'es' });
    await reader.shows('Buena mañana.', 'La casa.', 'La río.');
    // Half of this limit allows for other tests.
    expect(performance.now() - before).toBeLessThan(2_000);
    await type(server, id, { text: 'The city.' });
    await until(() => reader.texts().at(-1) === 'La ciudad.');
    reader.close();
  });

  it('misses and repeats nothing when the connection drops while lines come', async () => {
    const { room_id: id } = await room();
    const all = Array.from({ length: 20 }, (_, index) => `Line ${index}.`);
    const first = await read(id);
    const typing = (async () => {
      for (const text of all) await type(server, id, { text });
    })();
    await until(() => first.lines().length > 5);
    first.close();
    const got = first.arrived();
    const after = first.sequence();
    const second = await read(id, { after });
    await typing;
    await until(() => second.texts().at(-1) === all.at(-1));
    const texts = [...got, ...second.arrived()].map(({ text }) => text);
    expect(texts).toEqual(all);
    expect(second.messages.some((each) => each.type === 'history' && each.replaces)).toBe(false);
    second.close();
  });

  it('is ended when the room is deleted', async () => {
    const { room_id: id } = await room();
    const reader = await read(id);
    await change(server, 'DELETE', `/v1/rooms/${id}`);
    await until(() => reader.messages.at(-1)?.type === 'end');
    if ('closed' in reader) expect(await reader.closed).toBe(4404);
    else await reader.ended;
    expect(await refusal(read(id))).toMatchObject({ status: 404 });
  });
});

describe('a reader of an event stream', () => {
  it('continues from Last-Event-ID, as browsers send it', async () => {
    const { room_id: id } = await room();
    await type(server, id, { text: 'One.' });
    const first = await readStream(server, id);
    await first.shows('One.');
    first.close();
    await type(server, id, { text: 'Two.' });
    const second = await readStream(server, id, { lastEventId: first.sequence() });
    await second.shows('Two.');
    expect(second.headers.get('cache-control')).toContain('no-store');
    expect(second.headers.get('content-type')).toContain('text/event-stream');
    second.close();
  });

  it('holds no seat when it is gone before it has one, and none for HEAD', async () => {
    const { room_id: id } = await room();
    const { port } = new URL(server.url);
    await Promise.all(
      Array.from({ length: 30 }, async () => {
        const socket = connectSocket(Number(port), '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(`GET /v1/rooms/${id}/live HTTP/1.1\r\nHost: x\r\n\r\n`);
        await new Promise((resolve) => socket.once('connect', resolve));
        socket.destroy();
      }),
    );
    const head = await fetch(`${server.url}/v1/rooms/${id}/live`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([
      ...[200, 'text/event-stream; charset=utf-8'],
    ]);
    const reader = await readStream(server, id);
    await until(async () => (await info(id)).viewers['spoken'] === 1);
    reader.close();
    await until(async () => Object.keys((await info(id)).viewers).length === 0);
  });
});

describe('a reader at a socket', () => {
  it('changes language and calmness, and the room counts it accordingly', async () => {
    const { room_id: id } = await room();
    await type(server, id, { text: 'The house.' });
    const reader = await readAlong(server, id, { format: 'msgpack' });
    await reader.shows('The house.');
    // Language tags are case-insensitive, as everywhere.
    reader.watch({ language: 'ES', calmness: 'settled' });
    await reader.shows('La casa.');
    expect((await info(id)).viewers).toEqual({ es: 1 });
    reader.watch({ language: 'spoken' });
    await reader.shows('The house.');
    reader.close();
  });

  const wrong: [string, string | Uint8Array][] = [
    ['no JSON', '{'],
    ['no message', '5'],
    ['another message', '{"captions":{}}'],
    ['a language the room has not', '{"watch":{"language":"tlh"}}'],
    ['no MessagePack', Uint8Array.of(0xc1)],
    ['MessagePack of another shape', encode([1, 2, 3])],
    ['MessagePack that claims to be large', Uint8Array.of(0xdd, 0xff, 0xff, 0xff, 0xff)],
  ];
  it.each(wrong)('that sends %s is closed with 4400', async (_, frame) => {
    const { room_id: id } = await room();
    const reader = await readAlong(server, id);
    reader.socket.send(frame);
    expect(await reader.closed).toBe(4400);
  });

  it('that sends an oversized message is closed with 1009, and one that floods with 4429', async () => {
    const { room_id: id } = await room();
    const [large, flood] = [await readAlong(server, id), await readAlong(server, id)];
    large.socket.send('x'.repeat(2_000));
    expect(await large.closed).toBe(1009);
    for (let count = 0; count < 100; count += 1) flood.watch({ calmness: 'settled' });
    expect(await flood.closed).toBe(4429);
    await until(async () => Object.keys((await info(id)).viewers).length === 0);
  });

  it('that does not read delays no other, and receives everything once it reads', async () => {
    const { room_id: id } = await room();
    const [sleeper, quick] = [await readAlong(server, id), await readAlong(server, id)];
    sleeper.socket.pause();
    // More than the operating system buffers for an unread socket.
    const long = '🐉'.repeat(1_990);
    const count = 700;
    const place = `${server.url}/v1/rooms/${id}/captions`;
    const headers = {
      Authorization: `Service-Auth-Key ${server.apiKey}`,
      'Content-Type': 'application/json',
    };
    let typed = 0;
    const typing = Array.from({ length: 4 }, async () => {
      while (typed < count) {
        typed += 1;
        // Without a look into the contract and a new connection for each: it would cost more than the server.
        const body = JSON.stringify({ text: `${long} ${typed}` });
        const answer = await fetch(place, { method: 'POST', headers, body });
        expect(answer.status).toBe(201);
        await answer.arrayBuffer();
      }
    });
    await Promise.all(typing);
    await until(() => quick.arrived().length === count);
    const last = quick.sequence();
    expect(sleeper.arrived().length).toBeLessThan(count);
    sleeper.socket.resume();
    await until(() => sleeper.sequence() === last);
    const shown = sleeper.texts();
    expect(shown).toEqual(quick.texts().slice(-shown.length));
    expect(shown.length).toBeGreaterThanOrEqual(100);
    const histories = sleeper.messages.filter(({ type: name }) => name === 'history');
    expect(histories.length).toBeGreaterThan(1);
    for (const reader of [sleeper, quick]) reader.close();
  });

  it('is refused with a plain HTTP answer before the upgrade', async () => {
    const { room_id: id } = await room();
    for (const [wish, status] of [
      [{ language: 'tlh' }, 400],
      [{ key: 'nonsense' }, 403],
    ] as const) {
      expect(await refusal(readAlong(server, id, wish))).toMatchObject({ status });
      expect(await refusal(readStream(server, id, wish))).toMatchObject({ status });
    }
    expect(await refusal(readAlong(server, 'nonsense'))).toMatchObject({ status: 404 });
    expect(await refusal(readAlong(server, '%ff'))).toMatchObject({ status: 404 });
  });
});

describe('translation', () => {
  it('runs only for languages with readers, and once for any number of them', async () => {
    const { room_id: id } = await room();
    const [unread, read] = [newWord(), newWord()];
    await type(server, id, { text: unread });
    const spoken = await readAlong(server, id);
    await spoken.shows(unread);
    expect(asked(unread)).toEqual([]);
    const readers = await Promise.all(
      Array.from({ length: 5 }, () => readAlong(server, id, { language: 'es' })),
    );
    await type(server, id, { text: read });
    await Promise.all(readers.map((reader) => reader.shows(unread, read)));
    expect(asked(read).map(({ target }) => target)).toEqual(['es']);
    expect(asked(unread)).toHaveLength(1);
    for (const reader of [...readers, spoken]) reader.close();
  });

  it('runs for permanent languages from the first word', async () => {
    const { room_id: id } = await room({ always: ['fr'] });
    const word = newWord();
    await type(server, id, { text: word });
    await until(() => asked(word).length > 0);
    expect(asked(word).map(({ target }) => target)).toEqual(['fr']);
  });
});

// The translator is avoided for a while after this test; nothing that follows needs it.
it('shows what was said in its own language when translation fails', async () => {
  const { room_id: id } = await room();
  const reader = await readAlong(server, id, { language: 'es' });
  translator.always = { status: 500 };
  await type(server, id, { text: 'The house.' });
  await reader.shows('The house.');
  translator.always = undefined;
  expect(reader.lines()[0]).toMatchObject({ language: 'en' });
  reader.close();
});

it('sends keep-alives to readers of every kind, and ends them when their link expires', async () => {
  for (const { messages } of guests) {
    const end = await until(() => messages.find(({ type: name }) => name === 'end'));
    expect(end).toMatchObject({ message: expect.stringContaining('expired') as string });
    expect(messages.filter(({ type: name }) => name === 'keep_alive')).not.toHaveLength(0);
  }
});

it('refuses too many readers with 429 and Retry-After, and admits them once there is room', async () => {
  const small = await startHosted({
    RECOGNISER: 'silent',
    EVENTS_MAX_VIEWERS_PER_ROOM: '2',
    EVENTS_MAX_VIEWERS_PER_ADDRESS: '3',
  });
  const [one, other] = [await makeRoom(small), await makeRoom(small)];
  const readers = [await readAlong(small, one.room_id), await readStream(small, one.room_id)];
  const refused = await refusal(readAlong(small, one.room_id));
  expect(refused).toMatchObject({ status: 429, retryAfter: '5' });
  const stream = await fetch(`${small.url}/v1/rooms/${one.room_id}/live`);
  expect([stream.status, stream.headers.get('retry-after')]).toEqual([429, '5']);
  readers.push(await readAlong(small, other.room_id));
  expect(await refusal(readAlong(small, other.room_id))).toMatchObject({ status: 429 });
  readers[0]!.close();
  await until(async () => (await refusal(readAlong(small, one.room_id))) === undefined);
  // A reader is told when the server stops.
  const told = readers.at(-1)!;
  await small.stop();
  await until(() => told.messages.at(-1)?.type === 'end');
});
