/** Whoever reads along, types or corrects, on a server whose translator counts what it is asked. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encode } from '@msgpack/msgpack';
import { temporaryFolder } from '../../support/machine/temporary-folder.ts';
import { startServer, until, type TestServer } from '../../support/product/server.ts';
import {
  startLibreTranslateServer,
  type LibreTranslateServer,
} from '../../support/services/libretranslate-server.ts';
import { change, keyOf, makeRoom, readAlong, readStream, roomKey, type } from '../room-client.ts';

let translator: LibreTranslateServer;
let server: TestServer;
beforeAll(async () => {
  translator = await startLibreTranslateServer();
  translator.languages = { en: ['es', 'fr', 'de'], es: ['en'] };
  server = await startServer({
    RECOGNISER: 'silent',
    LIBRETRANSLATE_URL: translator.url,
    TRANSLATION_ENGINES: '*: libretranslate',
    LOG_LEVEL: 'debug',
  });
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
/** A word that was never translated before. */
let words = 0;
const newWord = () => `word${(words += 1)}x`;
const info = async (roomId: string) =>
  (await change(server, 'GET', `/v1/rooms/${roomId}`)).body as {
    viewers: Record<string, number>;
    state: string;
  };
const refusal = (opened: Promise<unknown>) =>
  opened.then(
    () => undefined,
    (error: { status?: number; retryAfter?: string }) => error,
  );
const live = (roomId: string, rest: string) => `/v1/rooms/${roomId}/live/${rest}`;

describe.each(['json', 'msgpack', 'events'])('a reader of %s', (format) => {
  const read = (roomId: string, wish = {}) =>
    format === 'events'
      ? readStream(server, roomId, wish)
      : readAlong(server, roomId, { ...wish, format });

  it('gets how the room is, what was said, and then what is said', async () => {
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

  it('gets the last minutes in a language that nobody has read before', async () => {
    const { room_id: id } = await room();
    for (const text of ['Good morning.', 'The house.', 'The river.'])
      await type(server, id, { text });
    const before = performance.now();
    const reader = await read(id, { language: 'es' });
    await reader.shows('Buena mañana.', 'La casa.', 'La río.');
    // Half of it is other tests' turn.
    expect(performance.now() - before).toBeLessThan(2_000);
    await type(server, id, { text: 'The city.' });
    await until(() => reader.texts().at(-1) === 'La ciudad.');
    reader.close();
  });

  it('misses nothing and gets nothing twice when the connection drops while lines come', async () => {
    const { room_id: id } = await room();
    const all = Array.from({ length: 40 }, (_, index) => `Line ${index}.`);
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

  it('is asked to leave when the room is deleted', async () => {
    const { room_id: id } = await room();
    const reader = await read(id);
    await change(server, 'DELETE', `/v1/rooms/${id}`);
    await until(() => reader.messages.at(-1)?.type === 'end');
    if ('closed' in reader) expect(await reader.closed).toBe(4404);
    else await reader.ended;
    expect(await refusal(read(id))).toMatchObject({ status: 404 });
  });
});

describe('a reader at a stream of events', () => {
  it('goes on from Last-Event-ID, as browsers send it', async () => {
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

  it('holds no place when it is gone before it has one, and none is held by HEAD', async () => {
    const { room_id: id } = await room();
    const { port } = new URL(server.url);
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const socket = connectSocket(Number(port), '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(`GET /v1/rooms/${id}/live HTTP/1.1\r\nHost: x\r\n\r\n`);
        await new Promise((resolve) => socket.once('connect', resolve));
        socket.destroy();
      }),
    );
    const head = await fetch(`${server.url}/v1/rooms/${id}/live`, { method: 'HEAD' });
    expect(head.status).toBeGreaterThanOrEqual(400);
    const reader = await readStream(server, id);
    await until(async () => (await info(id)).viewers['spoken'] === 1);
    reader.close();
    await until(async () => Object.keys((await info(id)).viewers).length === 0);
  });
});

describe('a reader at a socket', () => {
  it('changes language and calmness, and the room counts it where it is', async () => {
    const { room_id: id } = await room();
    await type(server, id, { text: 'The house.' });
    for (const format of ['json', 'msgpack']) {
      const reader = await readAlong(server, id, { format });
      await reader.shows('The house.');
      reader.watch({ language: 'es', calmness: 'settled' });
      await reader.shows('La casa.');
      expect((await info(id)).viewers).toEqual({ es: 1 });
      reader.watch({ language: 'spoken' });
      await reader.shows('The house.');
      reader.close();
      await reader.closed;
    }
  });

  const wrong: [string, string | Uint8Array][] = [
    ['no JSON', '{'],
    ['no message', '5'],
    ['another message', '{"captions":{}}'],
    ['a language the room has not', '{"watch":{"language":"tlh"}}'],
    ['many bytes that are no JSON', '🐉'.repeat(200)],
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

  it('that sends more than a message may have is closed with 1009, and one that never stops with 4429', async () => {
    const { room_id: id } = await room();
    const [large, flood] = [await readAlong(server, id), await readAlong(server, id)];
    large.socket.send('x'.repeat(2_000));
    expect(await large.closed).toBe(1009);
    for (let count = 0; count < 100; count += 1) flood.watch({ calmness: 'settled' });
    expect(await flood.closed).toBe(4429);
    await until(async () => Object.keys((await info(id)).viewers).length === 0);
  });

  it('that does not read delays nobody, and has everything once it does', async () => {
    const { room_id: id } = await room();
    const [sleeper, quick] = [await readAlong(server, id), await readAlong(server, id)];
    sleeper.socket.pause();
    const long = 'x'.repeat(1_990);
    // More than the system holds for a socket that nobody reads.
    const count = 300;
    let typed = 0;
    const typing = Array.from({ length: 4 }, async () => {
      while (typed < count) {
        typed += 1;
        await type(server, id, { text: `${long} ${typed}` });
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
    for (const reader of [sleeper, quick]) reader.close();
  });

  it('is refused with a plain answer before it is one', async () => {
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
  it('runs only for what is read, once for however many, and for nobody at all where nobody reads', async () => {
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

  it('runs for languages that are always wanted, from the first word', async () => {
    const { room_id: id } = await room({ always: ['fr'] });
    const word = newWord();
    await type(server, id, { text: word });
    await until(() => asked(word).length > 0);
    expect(asked(word).map(({ target }) => target)).toEqual(['fr']);
  });
});

describe('a person', () => {
  it('corrects what is said, and it is translated anew for those who read', async () => {
    const { room_id: id } = await room();
    const spanish = await readAlong(server, id, { language: 'es' });
    const line = await type(server, id, { text: 'The hose.' });
    await spanish.shows('La hose.');
    expect(await type(server, id, { text: 'The house.', line })).toBe(line);
    await spanish.shows('La casa.');
    // As it was said then.
    expect(new Set(spanish.arrived().map(({ start_time: at }) => at)).size).toBe(1);
    await type(server, id, { text: '', line });
    await spanish.shows();
    spanish.close();
  });

  it('interprets a line in one language, which stays when what was said is corrected', async () => {
    const { room_id: id } = await room();
    const spanish = await readAlong(server, id, { language: 'es' });
    const french = await readAlong(server, id, { language: 'fr' });
    const line = await type(server, id, { text: 'The hose.' });
    await type(server, id, { text: 'Mi casa.', line, language: 'es' });
    await spanish.shows('Mi casa.');
    await french.shows('La hose.');
    await type(server, id, { text: 'The house.', line });
    await french.shows('La casa.');
    expect(spanish.lines()).toMatchObject([{ text: 'Mi casa.', by: 'person', language: 'es' }]);
    await type(server, id, { text: 'Solo en español.', language: 'es' });
    await spanish.shows('Mi casa.', 'Solo en español.');
    expect(french.texts()).toEqual(['La casa.']);
    for (const reader of [spanish, french]) reader.close();
  });

  it('puts words right and hides others while the event goes on, in every language', async () => {
    const { room_id: id } = await room();
    const spanish = await readAlong(server, id, { language: 'es' });
    await type(server, id, { text: 'The horse.' });
    await change(server, 'PATCH', `/v1/rooms/${id}`, {
      replacements: [{ from: 'horse', to: 'house' }],
      hidden_words: ['casa', 'river-bed'],
    });
    await type(server, id, { text: 'The horse at the river-bed.' });
    await spanish.shows('La horse.', 'La ••• at la •••.');
    const spoken = await readAlong(server, id);
    await spoken.shows('The horse.', 'The house at the •••.');
    for (const reader of [spanish, spoken]) reader.close();
  });
});

describe('keys', () => {
  it('let in who has a passcode, for a day, until it is changed', async () => {
    const { room_id: id } = await room({ access: 'passcode', passcode: 'Blau-7' });
    expect(await refusal(readAlong(server, id))).toMatchObject({ status: 403 });
    const entrance = await server.get(live(id, 'entry'));
    expect(await entrance.json()).toEqual({ room_id: id, access: 'passcode', name: 'Main stage' });
    const entered = await server.post(live(id, 'entry'), { passcode: ' blau-7 ' });
    const { key } = (await entered.json()) as { key: string };
    const reader = await readAlong(server, id, { key });
    await change(server, 'PATCH', `/v1/rooms/${id}`, { name: 'Other', passcode: 'Blau-7' });
    await change(server, 'PATCH', `/v1/rooms/${id}`, { passcode: 'Rot-8' });
    expect(await reader.closed).toBe(4403);
    expect(reader.messages.filter(({ type: name }) => name === 'room').length).toBeGreaterThan(1);
    expect(await refusal(readAlong(server, id, { key }))).toMatchObject({ status: 403 });
  });

  it('are wanted from the moment on at which the room is closed, and those who have one stay', async () => {
    const { room_id: id } = await room();
    const open = await readAlong(server, id);
    const { body } = await change(server, 'PATCH', `/v1/rooms/${id}`, { access: 'link' });
    expect(await open.closed).toBe(4403);
    expect(await refusal(readAlong(server, id))).toMatchObject({ status: 403 });
    expect(await (await server.get(live(id, 'entry'))).json()).toEqual({
      room_id: id,
      access: 'link',
    });
    const key = keyOf(String(body['viewer_url']));
    const reader = await readAlong(server, id, { key });
    await change(server, 'PATCH', `/v1/rooms/${id}`, { access: 'everyone' });
    await type(server, id, { text: 'Still here.' });
    await reader.shows('Still here.');
    reader.close();
  });

  it('that are revoked close the door at once behind those who came by them, and nobody else', async () => {
    const { room_id: id } = await room({ access: 'link' });
    const links = [];
    for (const label of ['Press', 'Guests']) {
      const made = await change(server, 'POST', `/v1/rooms/${id}/links`, { role: 'viewer', label });
      links.push(made.body as { link_id: string; url: string });
    }
    const [press, guests] = links as [(typeof links)[0], (typeof links)[0]];
    const [revoked, stays] = await Promise.all(
      [press, guests].map(({ url }) => readAlong(server, id, { key: keyOf(url) })),
    );
    const stream = await readStream(server, id, { key: keyOf(press.url) });
    await change(server, 'DELETE', `/v1/rooms/${id}/links/${press.link_id}`);
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

  it('expire', async () => {
    const { room_id: id } = await room({ access: 'link' });
    const wish = { role: 'viewer', expires_in_hours: 1 / 3600 };
    const { body } = await change(server, 'POST', `/v1/rooms/${id}/links`, wish);
    const key = keyOf(String(body['url']));
    await until(
      async () => (await refusal(readAlong(server, id, { key })))?.status === 403,
      10_000,
    );
  });

  it('of a role do what that may, and not in another room', async () => {
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
    // Nor is a key of a room one of the account.
    const asOwner = await fetch(`${server.url}/v1/rooms`, {
      headers: { Authorization: `Service-Auth-Key ${keys.speaker}` },
    });
    expect(asOwner.status).toBe(403);
  });

  it('for passcodes are guessed only a few times, though all guesses come at once', async () => {
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

  it('and passcodes are never logged', async () => {
    const made = await room({ access: 'passcode', passcode: 'Geheim-4711' });
    const { room_id: id } = made;
    const key = keyOf(made.speaker_url);
    const reader = await readAlong(server, id, { key });
    reader.close();
    await refusal(readAlong(server, id, { key: `${key}x` }));
    await refusal(readStream(server, id, { key, language: 'tlh' }));
    await server.post(live(id, 'entry'), { passcode: 'Geheim-4711' });
    await server.get(`${live(id, 'room')}?key=${key}`);
    expect(server.logs() + server.output()).not.toContain(key);
    expect(server.logs() + server.output()).not.toContain('Geheim-4711');
    expect(server.logs() + server.output()).not.toContain(key.split('.').at(-1));
  });
});

describe('what was said', () => {
  const transcript = async (id: string, query: string) => {
    const response = await server.get(`/v1/rooms/${id}/transcript?${query}`, {
      Authorization: `Service-Auth-Key ${server.apiKey}`,
    });
    expect(response.status).toBe(200);
    return response;
  };

  it('is had as a file of every kind, in every language, also one that nobody has read', async () => {
    const { room_id: id } = await room({ keep_hours: 1 });
    for (const text of ['The house is new.', 'Good morning.']) await type(server, id, { text });
    const line = await type(server, id, { text: 'The river.' });
    await type(server, id, { text: 'Le fleuve.', line, language: 'fr' });
    const removed = await type(server, id, { text: 'Nobody has heard it.' });
    await type(server, id, { text: '', line: removed });

    const json = (await (await transcript(id, 'language=es')).json()) as { lines: object[] };
    expect(json).toMatchObject({
      name: 'Main stage',
      lines: [
        { text: 'La casa es nueva.', language: 'es', by: 'person' },
        { text: 'Buena mañana.' },
        { text: 'La río.' },
      ],
    });
    expect(json.lines).toHaveLength(3);
    const spoken = await transcript(id, 'format=txt');
    expect(await spoken.text()).toBe('The house is new. Good morning. The river.\n');
    expect(spoken.headers.get('content-disposition')).toContain(`transcript-${id}-spoken.txt`);
    const srt = await (await transcript(id, 'format=srt&language=fr')).text();
    expect(srt).toMatch(/^1\n00:00:00,000 --> 00:00:\d\d,\d{3}\nLa casa es nueva\./);
    expect(srt).toContain('Le fleuve.');
    const vtt = await (await transcript(id, 'format=vtt&language=fr')).text();
    expect(vtt).toMatch(/^WEBVTT\n\n/);
    expect(vtt).toContain('Le fleuve.');
    const docx = Buffer.from(await (await transcript(id, 'format=docx&language=es')).arrayBuffer());
    const file = path.join(temporaryFolder(), 'transcript.docx');
    writeFileSync(file, docx);
    const xml = execFileSync('unzip', ['-p', file, 'word/document.xml'], { encoding: 'utf8' });
    expect(xml).toContain('La casa es nueva.');
    expect(xml).toContain('Main stage');
  });

  it('of a room in which nothing was said is an empty file of every kind', async () => {
    const { room_id: id } = await room();
    for (const format of ['txt', 'srt', 'vtt', 'docx', 'json']) {
      await transcript(id, `format=${format}&language=es`);
    }
  });

  it('is still on the screens when it is not to be kept any more', async () => {
    const { room_id: id } = await room({ keep_hours: 1, always: ['es'] });
    const mark = 'Kept';
    const reader = await readAlong(server, id, { language: 'es' });
    await type(server, id, { text: `${mark} house.` });
    await reader.shows(`${mark} casa.`);
    await change(server, 'PATCH', `/v1/rooms/${id}`, { keep_hours: 0 });
    await type(server, id, { text: `${mark} river.` });
    await reader.shows(`${mark} casa.`, `${mark} río.`);
    const late = await readAlong(server, id, { language: 'es' });
    await late.shows(`${mark} casa.`, `${mark} río.`);
    late.close();
    reader.close();
  });

  it('is gone from screens when it is deleted, and what follows is shown', async () => {
    const { room_id: id } = await room({ keep_hours: 1 });
    const mark = 'Deleted';
    const [reader, stream] = [
      await readAlong(server, id, { language: 'es' }),
      await readStream(server, id),
    ];
    await type(server, id, { text: `${mark} house.` });
    await Promise.all([reader.shows(`${mark} casa.`), stream.shows(`${mark} house.`)]);
    await change(server, 'DELETE', `/v1/rooms/${id}/transcript`);
    await Promise.all([reader.shows(), stream.shows()]);
    await type(server, id, { text: 'The city.' });
    await Promise.all([reader.shows('La ciudad.'), stream.shows('The city.')]);
    for (const each of [reader, stream]) each.close();
  });
});

describe('a line as speech', () => {
  it('is a file that browsers play, and takes a line, a language of the room, and a voice', async () => {
    const { room_id: id } = await room({ access: 'link', languages: ['es', 'fr'] });
    const { body } = await change(server, 'GET', `/v1/rooms/${id}`);
    const key = keyOf(String(body['viewer_url']));
    const reader = await readAlong(server, id, { key, language: 'es' });
    const line = await type(server, id, { text: 'Good morning.' });
    await reader.shows('Buena mañana.');
    const hear = (rest: string, headers: Record<string, string> = roomKey(key)) =>
      server.get(live(id, `speech/${rest}`), headers);
    const clips = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const clip = await hear(`es/${line}?format=flac`);
        expect([clip.status, clip.headers.get('content-type')]).toEqual([200, 'audio/flac']);
        return Buffer.from(await clip.arrayBuffer());
      }),
    );
    expect(clips[0]!.subarray(0, 4).toString()).toBe('fLaC');
    expect(clips.every((clip) => clip.equals(clips[0]!))).toBe(true);
    const webm = await hear(`es/${line}?key=${key}`, {});
    expect(webm.headers.get('content-type')).toContain('audio/webm');
    for (const [rest, status] of [
      ['es/5', 404],
      [`tlh/${line}`, 400],
      [`es/${line}?format=mp3`, 400],
      ['es/x', 400],
    ] as const) {
      expect((await hear(rest)).status, rest).toBe(status);
    }
    expect((await hear(`es/${line}`, {})).status).toBe(403);
    reader.close();
  });
});

// The translator is left alone for a while after that: nothing that follows needs it.
it('translation that fails leaves what was said, in its own language', async () => {
  const { room_id: id } = await room();
  const reader = await readAlong(server, id, { language: 'es' });
  translator.always = { status: 500 };
  await type(server, id, { text: 'The house.' });
  await reader.shows('The house.');
  translator.always = undefined;
  expect(reader.lines()[0]).toMatchObject({ language: 'en' });
  reader.close();
});

it('too many readers are refused with 429 and when to try again, and let in once there is room', async () => {
  const small = await startServer({
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
  // Who still reads is told that the server stops.
  const told = readers.at(-1)!;
  await small.stop();
  await until(() => told.messages.at(-1)?.type === 'end');
});
