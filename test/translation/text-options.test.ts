/** The options of `POST /v2/translate`, beyond languages and texts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  TextTranslationRequest,
  type TextTranslationResponse,
} from '../../shared/schemas/text-translation.ts';
import type { RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

let server: RunningServer;
beforeAll(async () => (server = await sharedServer()));
afterAll(() => server.stop());

const ask = async (body: object) => {
  const whole = { source_lang: 'EN', target_lang: 'ES', show_billed_characters: true, ...body };
  const response = await server.post('/v2/translate', whole);
  const answer = (await response.json()) as TextTranslationResponse & { message: string };
  return { status: response.status, ...answer };
};
const translated = async (text: string, options: object = {}) => {
  const { status, translations, message } = await ask({ text: [text], ...options });
  return status === 200 ? (translations[0]?.text ?? '') : message;
};
const uuid = '6f9619ff-8b86-4011-b42d-00cf4fc964ff';

describe('the source language', () => {
  it('is detected for each text', async () => {
    const { translations } = await ask({
      text: ['The children are playing in the garden.', 'Els nens juguen al jardí de casa.', '42'],
      source_lang: undefined,
    });
    expect(translations.map((each) => each.detected_source_language).slice(0, 2)).toEqual([
      'EN',
      'CA',
    ]);
    expect(translations[0]?.text).toMatch(/niños.*jardín/i);
    expect(translations[1]?.text).toMatch(/niños.*jardín/i);
    expect(translations[2]?.text).toBe('42');
  });

  it('of a text without words is that of the other texts', async () => {
    const told = async (text: string[], target_lang: string) =>
      (await ask({ text, source_lang: undefined, target_lang })).translations.map(
        (each) => each.detected_source_language,
      );
    const spanish = 'Los niños juegan hoy en el jardín de la casa.';
    expect(await told(['', spanish, '12:30'], 'EN-US')).toEqual(['ES', 'ES', 'ES']);
    expect(await told([''], 'ES')).toEqual(['EN']);
    expect(await told(['', ' '], 'FR')).toEqual(['EN', 'EN']);
  });

  it('equal to the target leaves the text unchanged, and the text is billed', async () => {
    const { translations } = await ask({ text: ['The colour.'], target_lang: 'EN-US' });
    expect(translations[0]).toMatchObject({ text: 'The colour.', billed_characters: 11 });
  });

  it('is named in the error when no engine serves it', async () => {
    const text = 'Die Kinder spielen heute Nachmittag im Garten hinter dem Haus.';
    const { status, message } = await ask({ text: [text], source_lang: '' });
    expect(status).toBe(400);
    expect(message).toMatch(/DE.*ES/);
  });
});

describe('tag handling', () => {
  it('moves tags with their words and leaves the rest byte for byte', async () => {
    const xml =
      '<?xml version="1.0"?>\n<doc a=\'1\'>\n  <p>I like the <b x="&lt;">red</b> car &amp; the house.</p>\n</doc>';
    expect(await translated(xml, { tag_handling: 'xml' })).toMatch(
      /^<\?xml version="1.0"\?>\n<doc a='1'>\n {2}<p>.*coche <b x="&lt;">rojo<\/b> &amp; la casa\.<\/p>\n<\/doc>$/,
    );
  });

  it('does not count tags', async () => {
    const { translations } = await ask({ text: ['<p>red <b>car</b></p>'], tag_handling: 'xml' });
    expect(translations[0]?.billed_characters).toBe(7);
  });

  it('does not count the context', async () => {
    const { translations } = await ask({ text: ['red car'], context: 'A page about cars.' });
    expect(translations[0]?.billed_characters).toBe(7);
  });

  it('leaves ignored elements unchanged', async () => {
    const xml = 'Open the page <x>The  house &amp; car</x> now.';
    const text = await translated(xml, { tag_handling: 'xml', ignore_tags: 'x,y' });
    expect(text).toContain('<x>The  house &amp; car</x>');
    expect(text).not.toContain('Open');
  });

  it.each([
    ['<p>not closed', 400],
    ['<p>crossed <b></p></b>', 400],
    ['a < b', 400],
  ])('refuses %j', async (text, status) => {
    const answer = await ask({ text: [text], tag_handling: 'xml' });
    expect(answer.status).toBe(status);
    expect(answer.message).toContain('Tag handling parsing failed, please check input.');
  });

  it('in version 1 leaves a lone & or < and references unchanged', async () => {
    const v1 = { tag_handling: 'xml', tag_handling_version: 'v1' };
    const cases: [string, string][] = [
      ['<p>The house & the car.</p>', '<p>La casa & el coche.</p>'],
      ['The house &amp; the car.', 'La casa &amp; el coche.'],
      ['The house & the car &copy; < 5', 'La casa & el coche &copy; < 5'],
      // Both at once are escaped to avoid ambiguity.
      ['The house & the car &amp;lt; <b>red', 'La casa &amp; el coche &amp;lt; <b>rojo'],
    ];
    for (const [text, expected] of cases) expect(await translated(text, v1)).toBe(expected);
  });

  it.each([
    [{ tag_handling: 'xml' }, 'v2'],
    [{ tag_handling: 'html', tag_handling_version: 'v1' }, 'v1'],
    [{ tag_handling: 'xml', model_type: 'latency_optimized' }, 'v1'],
    [{}, undefined],
  ])('reports the version that served %j', async (options, version) => {
    const { translations } = await ask({ text: ['The house'], ...options });
    expect(translations[0]?.tag_handling_version).toBe(version);
  });

  it('splits at the requested tags', async () => {
    const xml = '<par>The firm said it had been </par><par> conducting an investigation.</par>';
    const joined = await translated(xml, { tag_handling: 'xml', non_splitting_tags: ['par'] });
    const split = await translated(xml, { tag_handling: 'xml' });
    for (const text of [joined, split]) expect(text.match(/<par>[^<]*<\/par>/g)).toHaveLength(2);
  });
});

describe('sentences', () => {
  it('end at line breaks only on request; the breaks stay', async () => {
    for (const split_sentences of ['0', '1', 'nonewlines']) {
      const text = await translated('The house.\n\nThe red\ncar.', { split_sentences });
      expect(text.split('\n')).toHaveLength(4);
      expect(text.startsWith('La casa.')).toBe(true);
    }
    expect(await translated('The red\ncar', { split_sentences: 'nonewlines' })).toMatch(
      /coche\s+rojo/,
    );
  });

  it('keep their outer punctuation and first letter on request', async () => {
    const text = await translated('the red car!!', { preserve_formatting: true });
    expect(text).toBe('¡el coche rojo!!');
  });
});

describe('unsupported options', () => {
  it.each([
    [{ formality: 'more' }, 400, /Target language 'ES' doesn't support formality/],
    [{ formality: 'polite' }, 400, /formality.*prefer_more/],
    [{ split_sentences: '2' }, 400, /split_sentences/],
    [{ model_type: 'best' }, 400, /model_type/],
    [{ tag_handling: 'markdown' }, 400, /tag_handling/],
    [{ glossary_id: uuid, source_lang: '' }, 400, /source_lang/],
    [{ glossary_id: uuid }, 404, /glossary/i],
    [{ glossary_id: 'x' }, 400, /glossary/i],
    [{ glossary_id: uuid, glossary_ids: [uuid] }, 400, /exclude/],
    [{ glossary_ids: Array(6).fill(uuid) }, 400, /glossary_ids/],
    [{ style_id: 'x' }, 400, /style_id/],
    [{ style_id: uuid }, 404, /style/],
    [{ translation_memory_id: 'x' }, 400, /translation_memory_id/],
    [{ translation_memory_id: uuid }, 404, /translation memory/],
    [
      { translation_memory_threshold: 101 },
      400,
      /"translation_memory_threshold" must be an integer between 0 and 100/,
    ],
    [{ translation_memory_threshold: 'all' }, 400, /between 0 and 100/],
    [{ custom_instructions: Array(11).fill('a') }, 400, /custom_instructions/],
    [{ custom_instructions: ['a'.repeat(301)] }, 400, /custom_instructions/],
    [{ custom_instructions: ['a'], target_lang: 'PT-BR' }, 400, /PT-BR.*custom_instructions/],
    [{ custom_instructions: ['Be brief.'] }, 400, /no running engine can follow/],
    [
      { model_type: 'latency_optimized', tag_handling: 'xml', tag_handling_version: 'v2' },
      400,
      /latency_optimized/,
    ],
    [{ model_type: 'latency_optimized', style_id: uuid }, 400, /latency_optimized/],
  ])('%j is answered with %d', async (options, status, message) => {
    const answer = await ask({ text: ['The house'], ...options });
    expect(answer.message).toMatch(message);
    expect(answer.status).toBe(status);
  });

  it('fall back when they are only preferences', async () => {
    expect(await translated('The house', { formality: 'prefer_less' })).toBe('La casa');
    const same = { model_type: 'prefer_quality_optimized', context: 'A street.' };
    expect(await translated('The house', same)).toBe('La casa');
    // Fields of a form that were left empty.
    const empty = { style_id: '', translation_memory_id: '', glossary_id: '' };
    const fast = { model_type: 'latency_optimized', ...empty };
    expect(await translated('The house', fast)).toBe('La casa');
  });
});

describe('limits', () => {
  it('refuse a body of more than 128 KiB', async () => {
    const { status, message } = await ask({ text: ['a'.repeat(129 * 1024)] });
    expect(status).toBe(413);
    expect(message).toMatch(/128 KiB/);
  });

  it('refuse other content types, naming the accepted ones', async () => {
    const response = await server.post('/v2/translate', {}, { 'Content-Type': 'text/xml' });
    expect(response.status).toBe(415);
    expect(await response.json()).toHaveProperty('message', expect.stringMatching(/form/));
  });

  it('allow fifty texts, which keep their order', async () => {
    const text = Array.from({ length: 50 }, (_, at) => `The house ${at}.`);
    const { translations } = await ask({ text });
    expect(translations.map((each) => Number(/\d+/.exec(each.text)?.[0]))).toEqual(
      text.map((_, at) => at),
    );
  });
});

describe('a form', () => {
  const send = (body: string, headers: Record<string, string>) =>
    server.send('/v2/translate', { method: 'POST', body, headers });
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

  it('may leave every option empty', async () => {
    const { properties } = TextTranslationRequest;
    const options = Object.keys(properties).filter(
      (name) => name !== 'text' && name !== 'target_lang',
    );
    const empty = options.map((name) => `&${name}=`).join('');
    const response = await send(`text=The+house&target_lang=ES${empty}`, form);
    expect(await response.json()).toEqual({
      translations: [{ detected_source_language: 'EN', text: 'La casa' }],
    });
    expect((await send('text=The+house&target_lang=ES&formality=x', form)).status).toBe(400);
    expect((await send('text=The+house&target_lang=', form)).status).toBe(400);
  });

  it('or JSON may say that it is not compressed', async () => {
    const json = JSON.stringify({ text: ['The house'], target_lang: 'ES' });
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'identity' };
    expect((await send(json, headers)).status).toBe(200);
  });
});

it('enable_beta_languages is documented, accepted and without effect', async () => {
  const document = (await (await server.get('/openapi.json')).json()) as object;
  expect(JSON.stringify(document).match(/"enable_beta_languages"/g)?.length).toBeGreaterThan(2);
  for (const value of [true, false, '1', 0]) {
    expect(await translated('The house', { enable_beta_languages: value })).toBe('La casa');
  }
});
