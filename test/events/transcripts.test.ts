/** Typing and correcting lines in a room, and the transcripts of it. */
import { SaxesParser } from 'saxes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caption } from '../../server/events/captions-store.ts';
import { writeTranscript } from '../../server/events/transcripts.ts';
import { zipText } from '../support/documents/documents.ts';
import {
  startHosted,
  type HostedServer,
  WITHOUT_ENGINES,
} from '../support/product/hosted-server.ts';
import {
  startLibreTranslateServer,
  type LibreTranslateServer,
} from '../support/services/libretranslate-server.ts';
import {
  change,
  keyOf,
  makeRoom,
  readAlong,
  readStream,
  roomKey,
  type,
  untilItTranslates,
} from './room-client.ts';

let translator: LibreTranslateServer;
let server: HostedServer;
beforeAll(async () => {
  translator = await startLibreTranslateServer();
  translator.languages = { en: ['es', 'fr', 'de'], es: ['en'] };
  server = await startHosted({
    ...WITHOUT_ENGINES,
    LIBRETRANSLATE_URL: translator.url,
    TRANSLATION_ENGINES: '*: libretranslate',
    LOG_LEVEL: 'debug',
  });
  await untilItTranslates(server);
});
afterAll(async () => {
  await server.stop();
  await translator.close();
});

const LANGUAGES = { languages: ['es', 'fr'], source_language: 'en' };
const room = (wishes: Record<string, unknown> = {}) =>
  makeRoom(server, { ...LANGUAGES, ...wishes });
const live = (roomId: string, rest: string) => `/v1/rooms/${roomId}/live/${rest}`;

describe('a captioner', () => {
  it('corrects a line, which is translated again for its readers', async () => {
    const { room_id: id } = await room();
    const spanish = await readAlong(server, id, { language: 'es' });
    const line = await type(server, id, { text: 'The hose.' });
    await spanish.shows('La hose.');
    expect(await type(server, id, { text: 'The house.', line })).toBe(line);
    await spanish.shows('La casa.');
    // At the original time.
    expect(new Set(spanish.arrived().map(({ start_time: at }) => at)).size).toBe(1);
    await type(server, id, { text: '', line });
    await spanish.shows();
    spanish.close();
  });

  it('writes a line in one language, which stays when the original is corrected', async () => {
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

  it('replaces and hides words in every language during the event', async () => {
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

describe('the transcript of a room', () => {
  const transcript = async (id: string, query: string) => {
    const response = await server.get(`/v1/rooms/${id}/transcript?${query}`, {
      Authorization: `Service-Auth-Key ${server.apiKey}`,
    });
    expect(response.status).toBe(200);
    return response;
  };

  it('is available in every plain format and language, even one without readers', async () => {
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
        { text: 'La casa es nueva.', language: 'es', by: 'machine' },
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
  });

  it('accepts language tags in any case, as does typing', async () => {
    const { room_id: id } = await makeRoom(server, { languages: ['ES'], keep_hours: 1 });
    await type(server, id, { text: 'Buenas tardes.', language: 'Es' });
    const reader = await readAlong(server, id, { language: 'eS' });
    await reader.shows('Buenas tardes.');
    reader.close();
    const txt = await transcript(id, 'format=txt&language=ES');
    expect(await txt.text()).toBe('Buenas tardes.\n');
    expect(txt.headers.get('content-disposition')).toContain('-es.txt');
  });

  it('places lines typed during speech at their time, shortens overlapping speech, and sets no blanks where none belong', async () => {
    const beganMs = Date.UTC(2026, 0, 1);
    const said = (line: number, text: string, [startS, endS]: [number, number]): Caption => ({
      ...{ sequence: line, line, text, renders: null, language: 'en', author: 'machine' },
      ...{ startMs: beganMs + startS * 1000, endMs: beganMs + endS * 1000 },
    });
    const captions = [
      said(1, '[Applause]', [11, 13]),
      said(2, 'We came here over the hills to see the red house.', [0, 6]),
      said(3, 'And we stayed there for all of the summer.', [6, 12.5]),
      said(4, 'Yes.', [20, 20.4]),
      said(5, 'We did.', [20.4, 21.5]),
      said(6, 'Typed at once', [30, 32]),
      said(7, 'with another', [30, 32]),
      { ...said(8, '好。', [40, 40.4]), language: 'zh' },
      { ...said(9, '谢谢！', [40.4, 41.5]), language: 'zh' },
    ];
    const written = async (format: 'srt' | 'txt') => {
      const pages = (async function* () {
        yield captions;
      })();
      return (await writeTranscript(pages, { roomId: 'r', title: 'Hall', format })).content;
    };
    expect(await written('srt')).toBe(
      [
        '1\n00:00:00,000 --> 00:00:06,000\nWe came here over the\nhills to see the red house.\n',
        '2\n00:00:06,000 --> 00:00:12,500\nAnd we stayed there for all of the summer.\n',
        '3\n00:00:12,500 --> 00:00:13,500\n[Applause]\n',
        '4\n00:00:20,000 --> 00:00:21,500\nYes. We did.\n',
        '5\n00:00:30,000 --> 00:00:32,000\nTyped at once\n',
        '6\n00:00:32,000 --> 00:00:33,000\nwith another\n',
        '7\n00:00:40,000 --> 00:00:41,500\n好。谢谢！\n',
      ].join('\n'),
    );
    // In the order readers saw it.
    expect(await written('txt')).toMatch(/^\[Applause\] We came .*\n好。谢谢！\n$/s);
  });

  it('is a valid Word document for any text, with right-to-left paragraphs where needed', async () => {
    const { room_id: id } = await room({ name: 'Hall' });
    await type(server, id, { text: 'a\ufffeb <c> & d\u{1f600}' });
    await change(server, 'POST', `/v1/rooms/${id}/captions`, {
      ...{ text: 'صباح الخير.', source_language: 'ar' },
    });
    const docx = Buffer.from(await (await transcript(id, 'format=docx')).arrayBuffer());
    const xml = zipText(docx, 'word/document.xml');
    expect(() => new SaxesParser().write(xml).close()).not.toThrow();
    expect(xml).toContain('ab &lt;c&gt; &amp; d\u{1f600}');
    expect(xml).toContain('Hall');
    const [, english, arabic] = xml.split('<w:p>').slice(1);
    expect(english).not.toMatch(/<w:rtl\/>/);
    expect(arabic).toMatch(/<w:bidi\/>.*<w:rtl\/>/s);
  });

  it('is an empty file of every format for a room without lines', async () => {
    const { room_id: id } = await room();
    const written = async (format: string) =>
      Buffer.from(await (await transcript(id, `format=${format}&language=es`)).arrayBuffer());
    const texts = await Promise.all(['txt', 'srt', 'vtt', 'json'].map(written));
    expect(texts.map(String)).toEqual(['', '', 'WEBVTT\n', '{"name":"Main stage","lines":[]}']);
    expect(zipText(await written('docx'), 'word/document.xml')).toContain('Main stage');
  });

  it('stays on the screens when it is no longer to be kept', async () => {
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

  it('disappears from the screens when it is deleted, and new lines follow', async () => {
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

describe('the speech of a line', () => {
  it('is a playable file, and requires an existing line, a language of the room and a voice', async () => {
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
