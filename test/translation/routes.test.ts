import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TextTranslationResponse } from '../../shared/schemas/text-translation.ts';
import type { RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

let server: RunningServer;
beforeAll(async () => (server = await sharedServer()));
afterAll(() => server.stop());

const translate = async (body: unknown) => {
  const response = await server.post('/v2/translate', body);
  const answer = (await response.json()) as TextTranslationResponse & { message: string };
  return { status: response.status, ...answer };
};

describe('POST /v2/translate', () => {
  it('translates texts in order, including several sentences and blanks', async () => {
    const text = ['The house is white. The sky is blue.', '', ' Good morning ', 'The red car'];
    const { status, translations } = await translate({
      text,
      source_lang: 'EN',
      target_lang: 'ES',
    });
    expect(status).toBe(200);
    expect(translations).toHaveLength(4);
    expect(translations[0]?.text.toLowerCase()).toMatch(/casa.*blanca.*cielo.*azul/);
    expect(translations[1]?.text).toBe('');
    expect(translations[2]?.text).toMatch(/^ \S.* $/);
    expect(translations[3]?.text.toLowerCase()).toMatch(/coche rojo/);
    expect(translations[0]?.detected_source_language).toBe('EN');
  });

  it.each([
    ['pt-BR', /casa/],
    ['en-GB', /house/],
  ])('translates into %s', async (target_lang, expected) => {
    const body = { text: ['The house is white.'], source_lang: 'en', target_lang };
    expect((await translate(body)).translations[0]?.text).toMatch(expected);
  });

  it('accepts forms, with a text given once or repeatedly', async () => {
    const houses = 'text[]=The+house&text[]=The+car';
    for (const form of ['text=The+house', 'text=The+house&text=The+car', houses]) {
      const response = await fetch(`${server.url}/v2/translate`, {
        method: 'POST',
        headers: { Authorization: `DeepL-Auth-Key ${server.apiKey}` },
        body: new URLSearchParams(
          `${form}&source_lang=EN&target_lang=ES&show_billed_characters=${form === houses ? 'True' : 1}`,
        ),
      });
      const { translations } = (await response.json()) as TextTranslationResponse;
      expect(translations).toHaveLength(form.split('text').length - 1);
      expect(translations[0]).toMatchObject({ billed_characters: 9 });
    }
  });

  it('counts code points of the source', async () => {
    const body = {
      text: ['🙂é'],
      source_lang: 'EN',
      target_lang: 'ES',
      show_billed_characters: true,
    };
    expect((await translate(body)).translations[0]?.billed_characters).toBe(2);
  });

  it.each([
    [{ source_lang: 'EN', target_lang: 'ES' }, /'text' not specified/],
    [{ text: ['a'], source_lang: 'EN' }, /'target_lang' not specified/],
    [
      { text: ['a'], source_lang: 'EN', target_lang: 'XX' },
      /target_lang.*not supported.*ES.*npm run dragoman/,
    ],
    [{ text: ['a'], target_lang: 'Spanish' }, /target_lang.*not supported.*GET \/v2\/languages/],
    [{ text: ['a'], source_lang: 'XX', target_lang: 'ES' }, /source_lang.*not supported.*EN/],
    [{ text: [5], source_lang: 'EN', target_lang: 'ES' }, /text/],
    [{ text: Array(51).fill('a'), source_lang: 'EN', target_lang: 'ES' }, /text/],
    [{ text: [], source_lang: 'EN', target_lang: 'ES' }, /text/],
  ])('answers %j with 400 and the remedy', async (body, message) => {
    const answer = await translate(body);
    expect(answer.status).toBe(400);
    expect(answer.message).toMatch(message);
  });

  it('refuses requests without a key', async () => {
    const response = await server.post('/v2/translate', { text: ['a'] }, { Authorization: '' });
    expect(response.status).toBe(403);
  });

  it('answers each hostile text in its place', async () => {
    const text = ['[[t:b:1]]x[[/]]', '^a/b<n>$', '\\', 'a\0b', '{}[]@<>~*#+', '\n\n', '日本語 😀'];
    const { status, translations } = await translate({
      text,
      source_lang: 'EN',
      target_lang: 'ES',
    });
    expect(status).toBe(200);
    expect(translations).toHaveLength(text.length);
  });
});

it.each<[string, string, BodyInit]>([
  ['application/x-www-form-urlencoded', 'JSON as a form', '{ "text": ["house"] }'],
  ['application/x-www-form-urlencoded', 'a list as a form', '["house"]'],
  ['application/json', 'JSON', Buffer.from('{"text":["caf\xe9"],"target_lang":"ES"}', 'latin1')],
  ['application/x-www-form-urlencoded', 'a form', 'text=caf%E9&target_lang=ES'],
  ['application/x-www-form-urlencoded', 'bytes of a form', Buffer.from('text=\xe9', 'latin1')],
])('answers %s in another form or encoding with the remedy: %s', async (type, _name, body) => {
  const headers = { 'Content-Type': type, Authorization: `DeepL-Auth-Key ${server.apiKey}` };
  const response = await fetch(`${server.url}/v2/translate`, { method: 'POST', headers, body });
  expect([response.status, await response.json()]).toEqual([
    400,
    { message: expect.stringMatching(/UTF-8|Content-Type: application\/json/) as string },
  ]);
});

it.each(['/v1/languages', '//v2/languages', '//v1/languages?type=target'])(
  'answers under %s, as old clients and those with a slash too many ask',
  async (path) => {
    const headers = { Authorization: `DeepL-Auth-Key ${server.apiKey}` };
    expect((await fetch(server.url + path, { headers })).status).toBe(200);
  },
);

it('tells a request without a body, such as one with a query alone, that it needs one', async () => {
  const response = await fetch(`${server.url}/v2/translate?text=house&target_lang=ES`, {
    method: 'POST',
    headers: { Authorization: `DeepL-Auth-Key ${server.apiKey}` },
  });
  expect([response.status, await response.json()]).toEqual([
    400,
    { message: expect.stringContaining('no body') as string },
  ]);
});
