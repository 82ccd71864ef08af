/** Targets and terms that change within a session, over real sockets. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectVoice } from '../../../shared/client/node.ts';
import type { MessageOf } from '../../../shared/protocol/messages.ts';
import {
  startLibreTranslateServer,
  type LibreTranslateServer,
} from '../../support/services/libretranslate-server.ts';
import { pseudoTranslate } from '../../support/documents/pseudo-translation.ts';
import { startHosted, type HostedServer } from '../../support/product/hosted-server.ts';
import { until, type RunningServer } from '../../support/product/server.ts';
import { sharedServer } from '../../support/product/shared-server.ts';
import { silence } from '../../support/audio/speech.ts';
import { inTones } from '../../support/audio/tone-speech.ts';
import { startVoskServer, type VoskServer } from '../../support/services/vosk-server.ts';
import {
  connect,
  connectWith,
  endMarks,
  PCM_16K,
  stream,
  requestSession,
  type SessionAnswer,
  type VoiceClient,
} from '../../support/product/voice-client.ts';

let server: RunningServer;
beforeAll(async () => (server = await sharedServer('hearing')));

type Updated = MessageOf<'session_updated'>;
type Refused = MessageOf<'session_update_refused'>;

const updates = ({ messages }: VoiceClient): Updated[] =>
  messages.flatMap((message) => (message.type === 'session_updated' ? [message] : []));
const refusals = ({ messages }: VoiceClient): Refused[] =>
  messages.flatMap((message) => (message.type === 'session_update_refused' ? [message] : []));

/** Sends an update and waits for its answer. */
async function updated(client: VoiceClient, update: object): Promise<Updated | Refused> {
  const id = randomUUID();
  client.update({ id, ...update });
  return until(() => [...updates(client), ...refusals(client)].find((each) => each.id === id));
}

async function made(
  on: RunningServer,
  path: string,
  body: object,
): Promise<Record<string, string>> {
  const response = await on.post(path, body);
  expect(response.status).toBe(201);
  return (await response.json()) as Record<string, string>;
}

describe.concurrent('an update', () => {
  const open = () => connect(server, { target_languages: ['es'] });

  it.each(['json', 'msgpack'] as const)(
    'in %s is answered with the terms in force, and each removed language gets its end',
    async (message_format) => {
      const client = await connect(server, { message_format, target_languages: ['es'] });
      expect(await updated(client, { target_languages: ['es', 'pt-br'] })).toMatchObject({
        ...{ start_time: 0, target_languages: ['es', 'pt-br'] },
      });
      client.sendAudio(silence(200));
      await updated(client, { target_languages: ['fr', 'pt-br'], whatever: { else: 1 } });
      client.end();
      expect(await client.closed).toMatchObject({ code: 1000 });
      expect(endMarks(client)).toEqual([
        'end_of_target_transcript es',
        'end_of_source_transcript',
        'end_of_target_transcript fr',
        'end_of_target_transcript pt-br',
        'end_of_stream',
      ]);
      expect(updates(client)[1]?.start_time).toBe(200);
    },
  );

  it('may remove all languages and bring one back', async () => {
    const client = await open();
    expect(await updated(client, { target_languages: [] })).toMatchObject({ target_languages: [] });
    await until(() => endMarks(client).includes('end_of_target_transcript es'));
    expect(await updated(client, { target_languages: null })).toMatchObject({
      target_languages: [],
    });
    await updated(client, { target_languages: ['ES'] });
    client.end();
    await client.closed;
    expect(endMarks(client).filter((mark) => mark.endsWith('ES'))).toHaveLength(1);
  });

  it('that removes a language and one that brings it back leave no end after its return', async () => {
    const client = await open();
    const rounds = Array.from({ length: 6 }, (_, round) => round);
    for (const round of rounds) {
      client.update({ id: `without ${round}`, target_languages: [] });
      client.update({ id: `with ${round}`, target_languages: ['es'] });
      if (round % 3 === 0) await until(() => updates(client).length > round * 2 + 1);
    }
    await until(() => updates(client).length === 2 * rounds.length);
    client.end();
    expect((await client.closed).code).toBe(1000);
    let isInForce = true;
    for (const message of client.messages) {
      if (message.type === 'end_of_source_transcript') break;
      if (message.type === 'session_updated') isInForce = message.target_languages.includes('es');
      if (message.type === 'end_of_target_transcript') expect(isInForce).toBe(false);
    }
    expect(endMarks(client).slice(-3)).toEqual([
      'end_of_source_transcript',
      'end_of_target_transcript es',
      'end_of_stream',
    ]);
  });

  it('without a change ends nothing', async () => {
    const client = await open();
    await updated(client, {});
    await updated(client, { target_languages: ['es'] });
    client.end();
    await client.closed;
    expect(endMarks(client)).toHaveLength(3);
  });

  const isNot = (name: string) => `Value for '${name}' not supported`;
  const faults: [what: string, update: object, code: number, message: string][] = [
    ['too many', { target_languages: 'ca es fr it pt pt-BR'.split(' ') }, 400, 'At most 5'],
    ['one twice', { target_languages: ['es', 'ES'] }, 400, 'must not name a language twice'],
    ['one that nobody serves', { target_languages: ['xx'] }, 400, isNot('target_languages')],
    ['what is no list', { target_languages: 'es' }, 400, 'target_languages'],
    ['what is no text', { target_languages: [1] }, 400, 'target_languages'],
    ['a voice for nothing', { target_media_voice: 'male' }, 400, 'target_media_languages'],
    ['a formality that is none', { formality: 'rude' }, 400, isNot('formality')],
    ['a glossary that is not there', { glossary_id: randomUUID() }, 404, 'no glossary'],
    ['what is no glossary', { glossary_id: 'mine' }, 400, 'glossary'],
    ['spoken terms that are not there', { spoken_terms_id: randomUUID() }, 404, 'spoken_terms_id'],
    ['the source language', { source_language: 'de' }, 400, 'source_language cannot change'],
    ['an id that is too long', { id: 'x'.repeat(65) }, 400, 'id'],
  ];

  it('that cannot be served is refused, and the session continues unchanged', async () => {
    const client = await open();
    for (const [what, update, error_code, message] of faults) {
      client.update({ ...update, ...('id' in update ? {} : { id: what }) });
      const refusal = await until(() =>
        refusals(client).find(({ id }) => id === what || 'id' in update),
      );
      expect([what, refusal.error_code]).toEqual([what, error_code]);
      expect(refusals(client).at(-1)?.error_message).toContain(message);
    }
    expect(updates(client)).toEqual([]);
    expect(await updated(client, {})).toMatchObject({ target_languages: ['es'] });
    client.end();
    expect((await client.closed).code).toBe(1000);
    expect(endMarks(client)).toHaveLength(3);
  });

  it('after the end of the audio is refused', async () => {
    const client = await open();
    client.end();
    client.update({ id: 'late', target_languages: ['fr'] });
    expect((await client.closed).code).toBe(1000);
    const late = refusals(client).map(({ id, reason_code }) => ({ id, reason_code }));
    // The session may end before the update arrives.
    expect([[], [{ id: 'late', reason_code: 4000005 }]]).toContainEqual(late);
    expect(endMarks(client)).toContain('end_of_target_transcript es');
  });

  it('that is not an object ends the session, like every malformed message', async () => {
    const client = await open();
    client.update([] as object);
    expect((await client.closed).code).toBe(4400);
    expect(client.error()?.reason_code).toBe(4000002);
  });
});

it.concurrent('answers many successive updates in order while it serves other sessions', async () => {
  const client = await connect(server, { target_languages: ['es'], acknowledgements: true });
  const other = await connect(server, { target_languages: ['es'] });
  const COUNT = 60;
  const startedAt = performance.now();
  for (let number = 0; number < COUNT; number += 1) {
    // The highest rate at which messages may come: two thousand a second.
    const waitMs = startedAt + number / 2 - performance.now();
    if (waitMs > 10) await new Promise((resolve) => setTimeout(resolve, waitMs));
    client.update({ id: String(number), target_languages: [['es'], ['fr'], ['ES']][number % 3] });
  }
  expect(await updated(other, { target_languages: ['fr'] })).toMatchObject({
    target_languages: ['fr'],
  });
  await until(() => updates(client).length === COUNT || client.error(), 180_000);
  expect(client.error()).toBeUndefined();
  expect(updates(client).map(({ id }) => id)).toEqual(
    Array.from({ length: COUNT }, (_, number) => String(number)),
  );
  client.end();
  other.end();
  expect((await client.closed).code).toBe(1000);
  await other.closed;
  const sequences = client.messages.flatMap((message) => {
    return 'sequence' in message ? (message.sequence ?? []) : [];
  });
  expect(sequences).toEqual(sequences.map((_, index) => index + 1));
});

it.concurrent('reports the terms in force at once to clients that asked', async () => {
  const client = await connect(server, { target_languages: ['es'], session_updates: true });
  await until(() => client.messages.length > 0);
  const inForce = { start_time: 0, target_languages: ['es'], formality: 'default' };
  expect(updates(client)).toEqual([{ type: 'session_updated', ...inForce }]);
  client.end();
  await client.closed;
});

it.concurrent('keeps changed terms in a resumed session, and does not lose the answer', async () => {
  const session = await requestSession(server, {
    ...{ target_languages: ['es'], acknowledgements: true },
  });
  const first = await connectWith(session, 'json');
  first.sendAudio(silence(100));
  await updated(first, { target_languages: ['fr'] });
  await until(() => endMarks(first).length === 1);
  first.socket.terminate();
  await first.closed;
  const query = new URLSearchParams({ token: session.token, last_sequence: '0' });
  const again = await server.send(`/v3/voice/realtime?${query.toString()}`, {});
  expect(again.status).toBe(200);
  const second = await connectWith((await again.json()) as SessionAnswer, 'json');
  second.end();
  expect((await second.closed).code).toBe(1000);
  expect(updates(second)).toEqual(updates(first));
  expect(endMarks(second)).toEqual([
    'end_of_target_transcript es',
    'end_of_source_transcript',
    'end_of_target_transcript fr',
    'end_of_stream',
  ]);
});

it.concurrent('refuses the glossary of another account', async () => {
  const dictionaries = [
    { source_lang: 'en', target_lang: 'es', entries: 'a\tb', entries_format: 'tsv' },
  ];
  const { glossary_id } = await made(server, '/v3/glossaries', { name: 'Live', dictionaries });
  const client = await connect(server, { target_languages: ['es'] });
  expect(await updated(client, { glossary_id })).toMatchObject({ glossary_id });
  // Terms stay when languages change, and must suit them.
  expect(await updated(client, { target_languages: ['fr'] })).toMatchObject({ error_code: 400 });
  expect(await updated(client, { target_languages: ['fr'], glossary_id: null })).toEqual(
    expect.not.objectContaining({ glossary_id }),
  );
  client.socket.close(1000);
});

describe.concurrent('an update during speech', () => {
  const { spelling, speech } = inTones([
    'she bought a new house near the river last summer',
    'my brother lives in a small town',
  ]);
  const [FIRST, SECOND] = speech as [Buffer, Buffer];

  /** Translates into German alone, once it is released. */
  let translator: LibreTranslateServer;
  let recogniser: VoskServer;
  let own: HostedServer;
  beforeAll(async () => {
    translator = await startLibreTranslateServer();
    translator.languages = { en: ['de'] };
    recogniser = await startVoskServer({ spelling });
    own = await startHosted({
      ...{ RECOGNISER: 'vosk', VOSK_URL: recogniser.url },
      ...{ LIBRETRANSLATE_URL: translator.url, TRANSLATION_ENGINES: 'en/de: libretranslate' },
    });
    // A busy process may take a while to learn the translator's languages.
    await until(async () => {
      const answer = await own.send('/v2/languages?type=target', {});
      return ((await answer.json()) as { language: string }[]).some(
        (each) => each.language === 'DE',
      );
    });
  });
  afterAll(async () => {
    await own.stop();
    await Promise.all([translator.close(), recogniser.close()]);
  });
  const PACE = { chunkBytes: 3200, chunkMs: 100 };
  const tentative = ({ messages }: VoiceClient) =>
    messages.some(
      (message) => message.type === 'source_transcript_update' && message.tentative.length,
    );

  it('changes languages and voices in the middle of a sentence', async () => {
    const { glossary_id } = await made(own, '/v3/glossaries', {
      name: 'Live',
      dictionaries: [
        {
          source_lang: 'en',
          target_lang: 'fr',
          entries: 'town\tbourgade',
          entries_format: 'tsv',
        },
      ],
    });
    const client = await connect(own, {
      ...{ message_format: 'msgpack', target_languages: ['es'], target_media_languages: ['es'] },
      target_media_content_type: 'audio/ogg;codecs=opus',
    });
    // The rest is sent once the beginning was recognised, however busy the machine is.
    const end = FIRST.length - 48_000;
    await stream(client, FIRST.subarray(0, end), PACE);
    await until(() => tentative(client));
    client.update({ target_languages: ['fr'], target_media_languages: ['fr'], glossary_id });
    await stream(client, FIRST.subarray(end), PACE);
    client.endUtterance();
    await until(() => endMarks(client).length === 2 && client.text('fr') !== '');
    await stream(client, SECOND, PACE);
    client.end();
    expect((await client.closed).code).toBe(1000);

    // The current sentence is sent in both languages, the next one only in the new language.
    expect(client.text('es')).toMatch(/^Compró una casa/);
    expect(client.text('es')).not.toMatch(/hermano/);
    expect(client.text('fr')).toMatch(/^\S.*maison.*frère.*bourgade/);
    expect(endMarks(client).slice(0, 2).sort()).toEqual([
      'end_of_target_media es',
      'end_of_target_transcript es',
    ]);
    expect(endMarks(client).slice(2)).toEqual([
      'end_of_source_transcript',
      'end_of_target_transcript fr',
      'end_of_target_media fr',
      'end_of_stream',
    ]);
    const spoken = client.messages.flatMap((message) =>
      message.type === 'target_media_chunk' ? [message] : [],
    );
    expect(new Set(spoken.map(({ language }) => language))).toEqual(new Set(['fr']));
    // Each voice begins a file of its own.
    expect(spoken[0]).toMatchObject({ content_type: 'audio/ogg;codecs=opus', headers: 2 });
    expect(Buffer.from(spoken[0]!.data[0]!).subarray(0, 4).toString()).toBe('OggS');
  });

  it('continues a returning language after its last sentence, which is still being translated', async () => {
    const client = await connect(own, { target_languages: ['de'], caption_mode: 'settled' });
    let release: () => void = () => undefined;
    translator.hold = new Promise<void>((resolve) => (release = resolve));
    await stream(client, FIRST, PACE);
    client.endUtterance();
    await until(() => translator.translations().length > 0);
    await updated(client, { target_languages: [] });
    await updated(client, { target_languages: ['de'] });
    const heardBefore = client.text().length;
    await stream(client, SECOND, PACE);
    client.endUtterance();
    await until(() => client.text().length > heardBefore);
    release();
    client.end();
    expect((await client.closed).code).toBe(1000);
    expect(client.text('de')).toBe(pseudoTranslate(client.text()));
    expect(endMarks(client)).toEqual([
      'end_of_source_transcript',
      'end_of_target_transcript de',
      'end_of_stream',
    ]);
  });

  it('is available in the client library', async () => {
    const session = connectVoice({
      ...{ server: own.url, apiKey: own.apiKey, contentType: PCM_16K },
      ...{ sourceLanguage: 'en', targetLanguages: ['es'] },
    });
    const texts = new Map<string, string>();
    const terms: (readonly string[])[] = [];
    session.on('terms', ({ targetLanguages }) => terms.push(targetLanguages));
    session.on('caption', ({ kind, language = '', concluded }) => {
      const key = kind === 'source' ? '' : language;
      texts.set(key, (texts.get(key) ?? '') + concluded.map(({ text }) => text).join(''));
    });
    await session.send(FIRST);
    session.endUtterance();
    await until(() => texts.has('es') && texts.get('es') !== '');
    await expect(session.update({ targetLanguages: ['xx'] })).rejects.toMatchObject({
      ...{ code: 'update-refused', status: 400, reasonCode: 4000001 },
    });
    await session.update({ targetLanguages: ['fr'] });
    await session.send(SECOND);
    await session.finish();
    expect(terms).toEqual([['es'], ['fr']]);
    expect(texts.get('es')).not.toMatch(/hermano/);
    expect(texts.get('fr')).toMatch(/^\S.*frère/);
    expect(texts.get('fr')).not.toMatch(/maison/);
    await expect(session.update({ targetLanguages: [] })).rejects.toMatchObject({ code: 'closed' });
  });
});
