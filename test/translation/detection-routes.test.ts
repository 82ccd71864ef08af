import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DetectionResponse } from '../../shared/schemas/detection.ts';
import type { TextTranslationResponse } from '../../shared/schemas/text-translation.ts';
import { openEmbedded, platformOver } from '../support/product/platform.ts';
import type { RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

let server: RunningServer;
beforeAll(async () => (server = await sharedServer()));
afterAll(() => server.stop());

const path = '/v3/detect/language';
const detect = async (body: unknown) => {
  const response = await server.post(path, body);
  const answer = (await response.json()) as DetectionResponse & { message: string };
  return { status: response.status, ...answer };
};
const german = { detection_status: 'success', detected_language: 'de' };

describe('a translation without a source language', () => {
  const translate = async (text: string) => {
    const body = { text: [text], target_lang: 'ES', show_billed_characters: true };
    const response = await server.post('/v2/translate', body);
    const answer = (await response.json()) as TextTranslationResponse & { message: string };
    return { status: response.status, ...answer };
  };

  it.each([
    ...['Guten Morgen', 'Wie geht es dir?', 'Protonenstrahl', 'Goedemiddag'],
    ...['mi-e frig', 'unde este cheia?'],
  ])('refuses %s, naming the detected language', async (text) => {
    const [found] = (await detect({ text: [text] })).results;
    const { status, message } = await translate(text);
    expect({ found, status }).toEqual({ found: expect.anything() as unknown, status: 400 });
    expect(message).toContain(`The text is in ${found?.detected_language?.toUpperCase()}:`);
  });

  it.each([
    ['proton beam', 'EN'],
    ['ganivet de cuina', 'CA'],
  ])('takes %s for %s', async (text, language) => {
    const { translations } = await translate(text);
    expect(translations).toMatchObject([{ detected_source_language: language }]);
    const { results } = await detect({ text: [text] });
    // The contract does not include Catalan among detected languages.
    const told = language === 'CA' ? {} : { detected_language: language.toLowerCase() };
    expect(results).toMatchObject([told]);
    expect(results[0]?.detection_status).not.toBe('insufficient_confidence');
  });

  it('names the text among several that no engine translates', async () => {
    const text = ['The garden is very large.', 'Los niños juegan.', 'Guten Morgen', 'the house'];
    const answer = await server.post('/v2/translate', { text, target_lang: 'FR' });
    expect(answer.status).toBe(400);
    const { message } = (await answer.json()) as { message: string };
    expect(message).toMatch(/^Text 3 of 4 is in DE: /);
  });

  it.each(['otevřené okno', 'płetwal błękitny', 'öppet fönster', 'kobbertråd'])(
    'does not take %s, with letters foreign to all served languages, for one of them',
    async (text) => {
      const answer = await server.post('/v2/translate', { text: [text], target_lang: 'ES' });
      expect(answer.status).toBe(400);
    },
  );

  it('does not take a name for another language', async () => {
    for (const [text, target_lang] of [
      [['Dear Mr. Müller', 'Zürich Airport'], 'ES'],
      [['Hola, Łukasz'], 'EN-US'],
    ]) {
      const answer = await server.post('/v2/translate', { text, target_lang });
      expect(answer.status).toBe(200);
    }
  });

  it('takes an ambiguous text for the likeliest served language', async () => {
    // An account that usually writes in no language yet.
    const newcomer = await sharedServer();
    const text = ['sopa deliciosa'];
    expect(await (await newcomer.post(path, { text })).json()).toEqual({
      results: [{ detection_status: 'insufficient_confidence' }],
    });
    const response = await newcomer.post('/v2/translate', { text, target_lang: 'EN' });
    const { translations } = (await response.json()) as TextTranslationResponse;
    expect(['ES', 'CA', 'PT']).toContain(translations[0]?.detected_source_language);
  });
});

describe('POST /v3/detect/language', () => {
  it('answers each text with one of four statuses, in order', async () => {
    const { status, results } = await detect({
      text: [
        'Die Kinder spielen im Garten.',
        'Hotel',
        'Els nens aprenen a llegir i a escriure el primer any d’escola.',
        '12:30',
      ],
    });
    expect(status).toBe(200);
    expect(results).toEqual([
      german,
      { detection_status: 'insufficient_confidence' },
      { detection_status: 'unsupported_language' },
      { detection_status: 'no_language_detected' },
    ]);
  });

  it('accepts a single text, and forms', async () => {
    expect((await detect({ text: 'Guten Tag' })).results).toEqual([german]);
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { Authorization: `DeepL-Auth-Key ${server.apiKey}` },
      body: new URLSearchParams('text=Guten+Tag&text=Guten+Morgen'),
    });
    expect(await response.json()).toEqual({ results: [german, german] });
  });

  it('accepts 50 texts and no more', async () => {
    expect((await detect({ text: Array(50).fill('Guten Tag') })).results).toHaveLength(50);
    const refused = await detect({ text: Array(51).fill('Guten Tag') });
    expect(refused).toMatchObject({
      status: 400,
      message: expect.stringContaining('text') as unknown,
    });
  });

  it.each([{}, { text: [] }, { text: null }])('answers %j with 400', async (body) => {
    expect(await detect(body)).toEqual({ status: 400, message: 'Missing parameter text.' });
  });

  it('answers other content types with 415 and the accepted ones', async () => {
    const response = await server.post(path, 'a', { 'Content-Type': 'text/plain' });
    expect(response.status).toBe(415);
    expect(await response.json()).toEqual({
      message: expect.stringMatching(
        /application\/json.*application\/x-www-form-urlencoded/,
      ) as unknown,
    });
  });

  it('refuses requests without a key, and accounts without the feature', async () => {
    const anonymous = await fetch(server.url + path, { method: 'POST' });
    expect(anonymous.status).toBe(403);

    const storage = await openEmbedded(server.dataFolder);
    const { secret } = await platformOver(storage).newcomer({ plan: 'pro', features: [] });
    await storage.close();
    const headers = { Authorization: `DeepL-Auth-Key ${secret}` };
    const response = await server.post(path, { text: ['Guten Tag'] }, headers);
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({
      message: expect.stringContaining('detection') as unknown,
    });
  });
});
