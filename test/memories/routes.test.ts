/** Translation memories: listing, and translation with an engine that takes no examples. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TextTranslationResponse } from '../../shared/schemas/text-translation.ts';
import type { TranslationMemoryList } from '../../shared/schemas/translation-memories.ts';
import { signedIn, type ConsoleClient } from '../support/product/console-client.ts';
import { documentClient } from '../support/product/document-client.ts';
import type { RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';
import { tmxFile, uploadMemory } from '../support/product/translation-memories.ts';

let server: RunningServer;
let owner: ConsoleClient;
/** English into Spanish, and some of it into Latin American Spanish. */
let memoryId: string;

const units = [
  { en: 'The red car.', es: 'El auto colorado.' },
  { en: 'The red car.', es: 'El automóvil rojo.' },
  {
    en: 'Close the <bpt i="1"/>big<ept i="1"/> door.',
    es: 'Cierre la puerta <bpt i="1"/>grandota<ept i="1"/>.',
  },
  {
    en: 'We close the big green door at 9 in the evening.',
    es: 'A las 9 de la noche queda cerrado el portón.',
  },
  { en: 'Yes & no', 'es-419': 'Sí y no, che' },
  { en: 'Hello {name}, write to {0}@host.', es: 'Qué tal {name}: {0}@host.' },
  { en: 'Good evening {name}', es: 'Noches {name}', 'es-419': 'Noches {otro}' },
].map((texts) =>
  Object.fromEntries(
    Object.entries(texts).map(([language, text]) => [language, text.replace('&', '&amp;')]),
  ),
);

beforeAll(async () => {
  const shared = await sharedServer();
  server = shared;
  owner = await signedIn(shared, await shared.consoleLink());
  const file = { name: 'harbour.tmx', content: tmxFile(units) };
  memoryId = (await uploadMemory(owner, file)).translation_memory_id;
});
afterAll(() => server.stop());

const ask = async (body: object) => {
  const response = await server.post('/v2/translate', {
    ...{ source_lang: 'EN', target_lang: 'ES', translation_memory_id: memoryId },
    ...body,
  });
  const answer = (await response.json()) as TextTranslationResponse & { message: string };
  return { status: response.status, ...answer };
};
const translated = async (text: string | string[], body: object = {}) => {
  const { translations } = await ask({ text: [text].flat(), ...body });
  const texts = translations.map((each) => each.text);
  return Array.isArray(text) ? texts : texts[0];
};
const without = (text: string) => translated(text, { translation_memory_id: undefined });

describe('an exact match in a memory', () => {
  it('is used unchanged; the newest of several wins', async () => {
    expect(await without('The red car.')).toBe('El coche rojo.');
    expect(await translated('The red car.')).toBe('El automóvil rojo.');
  });

  it('takes the placeholders of the text, which may differ', async () => {
    expect(await translated('Hello {name}, write to {0}@host.')).toBe('Qué tal {name}: {0}@host.');
    expect(await translated('Hello %s, write to {1}@host.')).toBe('Qué tal %s: {1}@host.');
    expect(await translated('Good evening {user}')).toBe('Noches {user}');
  });

  it('is used among translated sentences', async () => {
    expect(await translated('The blue house.  The red car.\nThe house.')).toBe(
      'La casa azul.  El automóvil rojo.\nLa casa.',
    );
    expect(await translated(['The house.', 'The red car.', 'The house.'])).toEqual([
      ...['La casa.', 'El automóvil rojo.', 'La casa.'],
    ]);
  });

  it('keeps the tags of the text', async () => {
    const text = '<p>Close the <b class="x">big</b> door.</p>';
    expect(await translated(text, { tag_handling: 'html' })).toBe(
      '<p>Cierre la puerta <b class="x">grandota</b>.</p>',
    );
  });

  it('works without a source language', async () => {
    const { translations } = await ask({ text: ['The red car.'], source_lang: undefined });
    expect(translations).toEqual([{ detected_source_language: 'EN', text: 'El automóvil rojo.' }]);
    // A text in another language is translated as without a memory.
    const french = 'Nous fermons la grande porte verte ce soir.';
    const other = await ask({ text: [french], source_lang: undefined });
    expect(other.translations[0]?.detected_source_language).toBe('FR');
  });

  it('is billed like any translation', async () => {
    const used = async () => {
      const headers = { Authorization: `Service-Auth-Key ${server.apiKey}` };
      const answer = (await (await server.get('/v2/usage', headers)).json()) as {
        character_count: number;
      };
      return answer.character_count;
    };
    const before = await used();
    const { translations } = await ask({ text: ['The red car.'], show_billed_characters: true });
    expect(translations[0]?.billed_characters).toBe(12);
    expect(await used()).toBe(before + 12);
  });

  it('counts as the quality model', async () => {
    const { translations } = await ask({
      text: ['The red car.'],
      model_type: 'prefer_quality_optimized',
    });
    expect(translations[0]?.model_type_used).toBe('quality_optimized');
    const refused = await ask({ text: ['The red car.'], model_type: 'latency_optimized' });
    expect(refused.status).toBe(400);
    expect(refused.message).toContain('translation_memory_id');
  });
});

describe('a text similar to one in a memory', () => {
  // One word of eleven differs: score 90.
  const similar = 'We close the big blue door at 9 in the evening.';
  const remembered = 'A las 9 de la noche queda cerrado el portón.';

  it('gets the translation of the similar text, from a threshold of 75 by default', async () => {
    expect(await translated(similar)).toBe(remembered);
    expect(await translated(similar, { translation_memory_threshold: 90 })).toBe(remembered);
    expect(await translated(similar, { translation_memory_threshold: '90' })).toBe(remembered);
    const plain = await without(similar);
    expect(plain).not.toBe(remembered);
    expect(await translated(similar, { translation_memory_threshold: 91 })).toBe(plain);
    expect(await translated(similar, { translation_memory_threshold: 100 })).toBe(plain);
    // Four words of eleven differ: score 63.
    const distant = 'They shut the big blue gate at 9 in the evening.';
    expect(await translated(distant)).toBe(await without(distant));
    expect(await translated(distant, { translation_memory_threshold: 63 })).toBe(remembered);
    expect(await translated(distant, { translation_memory_threshold: 0 })).toBe(remembered);
  });

  it('does not when a number differs', async () => {
    const other = similar.replace('9', '8');
    expect(await translated(other)).toBe(await without(other));
  });

  it('does not when the meaning of a number differs', async () => {
    const pairs = [
      ['Gate B12 closes at night, says the port.', 'Gate B13 closes at night, says the port.'],
      ['Set the freezer to -5 degrees.', 'Set the freezer to 5 degrees.'],
      ['The ratio must be <5.', 'The ratio must be >5.'],
      ['The ticket costs 5 dollars today.', 'The ticket costs €5 today.'],
      ['The small ticket costs 5 USD here.', 'The small ticket costs 5 EUR here.'],
    ] as const;
    const content = pairs.map(([source], index) => `"${source}",Recordado ${index}`).join('\n');
    const file = { name: 'numbers.csv', content: `en,es\n${content}` };
    const { translation_memory_id } = await uploadMemory(owner, file);
    const asked = pairs.map(([, text]) => text);
    for (const translation_memory_threshold of [75, 0]) {
      const wish = { translation_memory_id, translation_memory_threshold };
      const texts = await translated(asked, wish);
      expect(texts).toEqual(await translated(asked, { translation_memory_id: undefined }));
    }
    const [kept] = pairs[0];
    const like = kept.replace('port', 'city');
    expect(await translated(like, { translation_memory_id })).toBe('Recordado 0');
  });

  it('does not when the best match does not fit, even if another one would', async () => {
    const content = [
      'en,es',
      'We close the big blue door at 8 in the evening.,Azul a las 8',
      'We close the big green door at 9 in the evening.,Verde a las 9',
    ].join('\n');
    const file = { name: 'second.csv', content };
    const { translation_memory_id } = await uploadMemory(owner, file);
    expect(await translated(similar, { translation_memory_id })).toBe(await without(similar));
  });

  it('does not when tags differ in kind or place', async () => {
    const elsewhere = { text: 'Close the big <b>door</b>.', tag_handling: 'html' };
    expect((await ask({ ...elsewhere, text: [elsewhere.text] })).translations[0]?.text).toMatch(
      /<b>puerta<\/b> grande/,
    );
    const text = 'We close the <b>big</b> green door at 9 in the evening.';
    const asXml = { tag_handling: 'xml' };
    expect(await translated(text, asXml)).toBe(
      await translated(text, { ...asXml, translation_memory_id: undefined }),
    );
    expect(await translated('Close the big door.')).toBe(await without('Close the big door.'));
  });
});

describe('the languages of a memory', () => {
  it('match between a base language and its variants in both directions', async () => {
    expect(await translated('The red car.', { target_lang: 'es-419' })).not.toBe(
      'El automóvil rojo.',
    );
    expect(await translated('Yes & no', { target_lang: 'ES-419' })).toBe('Sí y no, che');
    const { translation_memory_id } = await uploadMemory(owner, {
      name: 'variant.csv',
      content: 'en-GB,es-419\nThe red car.,El carro rojo.\n',
    });
    expect(await translated('The red car.', { translation_memory_id })).toBe('El carro rojo.');
  });

  it.each([
    ['another target language', { target_lang: 'FR' }, /target language FR.*ES/],
    ['another source language', { source_lang: 'FR' }, /source language FR.*EN/],
  ])('refuse %s than the memory’s', async (_case, body, message) => {
    const { status, message: told } = await ask({ text: ['The red car.'], ...body });
    expect([status, told]).toEqual([404, expect.stringMatching(message)]);
  });

  it('are listed for the resource and the feature', async () => {
    const headers = { Authorization: `Service-Auth-Key ${server.apiKey}` };
    const list = async (resource: string) => {
      const response = await server.get(`/v3/languages?resource=${resource}`, headers);
      return (await response.json()) as {
        lang: string;
        usable_as_source: boolean;
        usable_as_target: boolean;
        features: object;
      }[];
    };
    const found = new Map((await list('translation_memory')).map((each) => [each.lang, each]));
    expect(found.get('en')).toMatchObject({ usable_as_source: true, usable_as_target: true });
    expect(found.get('es-419')).toMatchObject({ usable_as_source: false, usable_as_target: true });
    expect(found.has('ca')).toBe(false);
    const texts = new Map((await list('translate_text')).map((each) => [each.lang, each]));
    expect(texts.get('es')?.features).toHaveProperty('translation_memory');
    expect(texts.get('ca')?.features).not.toHaveProperty('translation_memory');
  });
});

describe('an invalid use of a memory', () => {
  it.each([
    ['an id that is none', { translation_memory_id: 'mine' }, 400, 'UUID'],
    ['an unknown id', { translation_memory_id: randomUUID() }, 404, 'no translation memory'],
    ['a threshold above 100', { translation_memory_threshold: 101 }, 400, 'between 0 and 100'],
    ['a threshold below 0', { translation_memory_threshold: -1 }, 400, 'between 0 and 100'],
    ['a part of a percent', { translation_memory_threshold: 75.5 }, 400, 'between 0 and 100'],
    ['a word', { translation_memory_threshold: 'most' }, 400, 'between 0 and 100'],
  ])('is refused: %s', async (_case, body, status, message) => {
    const answer = await ask({ text: ['The red car.'], ...body });
    expect([answer.status, answer.message]).toEqual([status, expect.stringContaining(message)]);
  });
});

describe('a document with a memory', () => {
  const text = 'The red car.\nWe close the big blue door at 9 in the evening.\nThe house.\n';
  const file = { name: 'harbour.txt', content: text };

  it('is translated with and without its source language, as its threshold says', async () => {
    const client = documentClient(server);
    const toSpanish = { target_lang: 'ES', translation_memory_id: memoryId };
    const result = await client.translate(file, toSpanish);
    expect(result.toString()).toBe(
      'El automóvil rojo.\nA las 9 de la noche queda cerrado el portón.\nLa casa.\n',
    );
    const strict = { ...toSpanish, source_lang: 'EN', translation_memory_threshold: '100' };
    const lines = (await client.translate(file, strict)).toString().split('\n');
    expect(lines[0]).toBe('El automóvil rojo.');
    expect(lines[1]).not.toBe('A las 9 de la noche queda cerrado el portón.');
  });

  it.each([
    [{ translation_memory_id: 'mine' }, 400],
    [{ translation_memory_id: randomUUID() }, 404],
    [{ translation_memory_threshold: '101' }, 400],
    [{ target_lang: 'FR' }, 404],
  ])('is refused at once with %j', async (fields, status) => {
    const own = { target_lang: 'ES', source_lang: 'EN', translation_memory_id: memoryId };
    const response = await documentClient(server).upload(file, { ...own, ...fields });
    expect(response.status).toBe(status);
  });
});

describe('the listing of memories', () => {
  const list = async (query = '') => {
    const headers = { Authorization: `Service-Auth-Key ${server.apiKey}` };
    const response = await server.get(`/v3/translation_memories${query}`, headers);
    return { status: response.status, ...((await response.json()) as TranslationMemoryList) };
  };

  it('contains their attributes, with languages in lower case', async () => {
    const { translation_memories: found, total_count } = await list();
    expect(total_count).toBe(found.length);
    expect(found[0]).toEqual({
      ...{ translation_memory_id: memoryId, name: 'harbour', source_language: 'en' },
      ...{ target_languages: ['es', 'es-419'], segment_count: 8 },
    });
  });

  it('has pages of 10 by default, or of 1 to 25', async () => {
    const { total_count: before } = await list();
    const content = 'en,es\nThe red car.,El auto.\n';
    const last = await uploadMemory(owner, { name: 'last.csv', content });
    expect(await list(`?page=${before}&page_size=1`)).toMatchObject({
      ...{ status: 200, total_count: before + 1 },
      translation_memories: [{ translation_memory_id: last.translation_memory_id }],
    });
    expect(await list(`?page=${before + 1}&page_size=1`)).toMatchObject({
      ...{ status: 200, total_count: before + 1, translation_memories: [] },
    });
    for (const query of ['page=-1', 'page_size=0', 'page_size=26', 'page=x', 'page_size=1.5']) {
      expect([query, (await list(`?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('loses a deleted memory, and so does translation', async () => {
    const content = 'en,es\nThe red car.,El auto.\n';
    const { translation_memory_id: id } = await uploadMemory(owner, { name: 'x.csv', content });
    expect(await translated('The red car.', { translation_memory_id: id })).toBe('El auto.');
    expect((await owner.ask('DELETE', `translation-memories/${id}`)).status).toBe(204);
    const ids = (await list('?page_size=25')).translation_memories.map(
      (each) => each.translation_memory_id,
    );
    expect(ids).not.toContain(id);
    const { status } = await ask({ text: ['The red car.'], translation_memory_id: id });
    expect(status).toBe(404);
  });
});
