/** Style rule lists with engines that follow no instructions: mechanical rules are applied all the same. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StyleRuleList } from '../../shared/schemas/style-rules.ts';
import { signedIn } from '../support/product/console-client.ts';
import { documentClient } from '../support/product/document-client.ts';
import { sharedServer, type SharedServer } from '../support/product/shared-server.ts';
import { uploadMemory } from '../support/product/translation-memories.ts';

const uuid = '6f9619ff-8b86-4011-b42d-00cf4fc964ff';
const guillemets = { punctuation: { quotation_mark: 'use_guillemets' } };
const instructions = [{ label: 'A', prompt: 'Be kind.' }];

let server: SharedServer;
beforeAll(async () => (server = await sharedServer()));
afterAll(() => server.stop());

async function newList(content: object): Promise<StyleRuleList> {
  const response = await server.post('/v3/style_rules', {
    name: 'House',
    language: 'es',
    ...content,
  });
  expect(response.status).toBe(201);
  return (await response.json()) as StyleRuleList;
}

const ofEngine = '¿Dices "hola" a la casa?';
const translate = async (options: object) => {
  const body = { text: ['He says "hello" to the house.'], source_lang: 'EN', target_lang: 'ES' };
  const response = await server.post('/v2/translate', { ...body, ...options });
  const answer = (await response.json()) as {
    translations?: { text: string }[];
    message: string;
  };
  return { status: response.status, text: answer.translations?.[0]?.text ?? answer.message };
};

it('mechanical rules are applied, and others ignored', async () => {
  const { style_id } = await newList({
    configured_rules: { ...guillemets, style_and_tone: { formality: 'use_formal_tone' } },
  });
  expect((await translate({})).text).toMatch(/"[^"«»]+"/);
  const { status, text } = await translate({ style_id, model_type: 'quality_optimized' });
  expect(status).toBe(200);
  expect(text).toMatch(/«[^"«»]+»/);
  expect(text).not.toContain('"');
});

it('a changed rule applies from the next translation', async () => {
  const { style_id } = await newList({ configured_rules: guillemets });
  expect((await translate({ style_id })).text).toMatch(/«.+»/);
  const curly = { punctuation: { quotation_mark: 'use_curly_quotation_marks' } };
  await server.send(`/v3/style_rules/${style_id}/configured_rules`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(curly),
  });
  expect((await translate({ style_id })).text).toMatch(/“.+”/);
});

it('tags, code and addresses stay unchanged', async () => {
  const { style_id } = await newList({ configured_rules: guillemets });
  const { text } = await translate({
    text: [
      '<p title="a">The "house" at <a href="/x?y=&quot;">"https://a.org/?q="</a><code>x = "y";</code></p>',
    ],
    style_id,
    tag_handling: 'html',
  });
  expect(text).toContain('<p title="a">');
  expect(text).toContain('<a href="/x?y=&quot;">');
  expect(text).toContain('<code>x = "y";</code>');
  expect(text).toMatch(/«casa»/);
});

it('a list with instructions is refused, except for sources that they do not concern', async () => {
  const { style_id } = await newList({ custom_instructions: instructions });
  const refused = await translate({ style_id });
  expect(refused.status).toBe(400);
  expect(refused.text).toMatch(/custom_instructions.*no running engine.*EN to ES.*CHAT_URL/);
  const foreign = await newList({
    configured_rules: guillemets,
    custom_instructions: instructions.map((each) => ({ ...each, source_language: 'de' })),
  });
  expect((await translate({ style_id: foreign.style_id })).text).toMatch(/«.+»/);
});

it('a list of another language is refused, and one of the base language serves its variants', async () => {
  const { style_id } = await newList({ configured_rules: guillemets });
  expect(await translate({ style_id, target_lang: 'FR' })).toMatchObject({
    status: 400,
    text: expect.stringContaining(
      'Style rule language does not match the translate request target language',
    ) as string,
  });
  expect((await translate({ style_id, target_lang: 'ES-419' })).text).toMatch(/«.+»/);
});

it('a text already in the target language stays unchanged', async () => {
  const { style_id } = await newList({
    configured_rules: guillemets,
    custom_instructions: instructions,
  });
  const same = await translate({ text: [ofEngine], source_lang: 'ES', style_id });
  expect(same).toEqual({ status: 200, text: ofEngine });
});

it('documents are written in the style, and refused as texts are', async () => {
  const { style_id } = await newList({ configured_rules: guillemets });
  const instructed = await newList({ custom_instructions: instructions });
  const client = documentClient(server);
  const file = { name: 'a.txt', content: 'He says "hello" to the house.' };
  const fields = { source_lang: 'EN', target_lang: 'ES' };
  const translated = await client.translate(file, { ...fields, style_id });
  expect(translated.toString('utf8')).toMatch(/«[^"]+»/);
  const status = async (more: Record<string, string>) =>
    (await client.upload(file, { ...fields, ...more })).status;
  expect(await status({ style_id: 'nonsense' })).toBe(400);
  expect(await status({ style_id: uuid })).toBe(404);
  expect(await status({ style_id, target_lang: 'FR' })).toBe(400);
  expect(await status({ style_id: instructed.style_id })).toBe(400);
});

it('an exact match of a translation memory is used unchanged', async () => {
  const owner = await signedIn(server, await server.consoleLink());
  const content = 'en,es\n"The ""door"" is red.","La ""puerta"" es colorada."\n';
  const file = { name: 'memory.csv', content };
  const { translation_memory_id } = await uploadMemory(owner, file);
  const { style_id } = await newList({ configured_rules: guillemets });
  const response = await server.post('/v2/translate', {
    text: ['The "door" is red.', 'The "house" is red.'],
    source_lang: 'EN',
    target_lang: 'ES',
    style_id,
    translation_memory_id,
    translation_memory_threshold: 100,
  });
  const { translations } = (await response.json()) as { translations: { text: string }[] };
  expect(translations.map(({ text }) => text)).toEqual([
    'La "puerta" es colorada.',
    expect.stringMatching(/«casa»/),
  ]);
});

it('the listings and the OpenAPI document describe the supported rules', async () => {
  const languages = async (resource: string) => {
    const headers = { Authorization: `DeepL-Auth-Key ${server.apiKey}` };
    const response = await server.get(`/v3/languages?resource=${resource}`, headers);
    return (await response.json()) as { lang: string; features: object }[];
  };
  const listed = (await languages('style_rules')).map(({ lang }) => lang);
  expect(listed).toEqual(expect.arrayContaining(['en', 'es', 'fr']));
  for (const lang of listed)
    expect(['de', 'en', 'es', 'fr', 'it', 'ja', 'ko', 'zh']).toContain(lang);
  const spanish = (await languages('translate_text')).find(({ lang }) => lang === 'es');
  expect(Object.keys(spanish?.features ?? {})).not.toContain('style_rules');
  const document = (await (await server.get('/openapi.json')).json()) as {
    paths: Record<string, { get: { description: string } }>;
  };
  const { description = '' } = document.paths['/v3/style_rules']?.get ?? {};
  expect(description).toMatch(/No running engine follows instructions/);
  expect(description).toMatch(
    /No option of these rules is applied[\s\S]*`style_and_tone`: .*`anglicisms`/,
  );
  expect(description).toMatch(/- `range_indicator`: .*`use_spanish_words_de_a`/);
});
