/** `/v3/style_rules`: creating, reading, changing and deleting lists and their instructions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AddedStyleInstruction, StyleRuleList } from '../../shared/schemas/style-rules.ts';
import { openEmbedded, platformOver } from '../support/product/platform.ts';
import type { RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

const uuid = '6f9619ff-8b86-4011-b42d-00cf4fc964ff';
const guillemets = { punctuation: { quotation_mark: 'use_guillemets' } };

let server: RunningServer;
beforeAll(async () => (server = await sharedServer()));
afterAll(() => server.stop());

type Body = StyleRuleList &
  AddedStyleInstruction & { style_rules: StyleRuleList[]; message: string };
interface Answer {
  status: number;
  body: Body;
}

/** Sends a request with the first account's key or another; validates the answer by the OpenAPI document. */
async function ask(
  method: string,
  place: string,
  body?: unknown,
  key = server.apiKey,
): Promise<Answer> {
  const response = await server.send(`/v3/style_rules${place}`, {
    method,
    headers: {
      Authorization: `DeepL-Auth-Key ${key}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
}

async function newList(more: object = {}): Promise<StyleRuleList> {
  const { status, body } = await ask('POST', '', { name: 'House', language: 'es', ...more });
  expect(body.message).toBeUndefined();
  expect(status).toBe(201);
  return body;
}

/** Returns the key of a new account. */
async function newKey(): Promise<string> {
  const storage = await openEmbedded(server.dataFolder);
  const { secret } = await platformOver(storage).newcomer();
  await storage.close();
  return secret;
}

const instruction = (label: string, more: object = {}) => ({ label, prompt: 'Be kind.', ...more });
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));

describe('a style rule list', () => {
  it('is created as version 1 with its content, and can be read', async () => {
    const before = Date.now();
    const made = await newList({
      language: 'EN',
      configured_rules: {
        dates_and_times: { calendar_era: 'use_bc_and_ad' },
        punctuation: { periods_in_academic_degrees: 'do_not_use', apostrophe: null },
        style_and_tone: { short_vs_long_words: 'use_short_words' },
      },
      custom_instructions: [instruction('A'), instruction('B', { source_language: 'DE' })],
      something_new: 1,
    });
    expect(made).toEqual({
      style_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      name: 'House',
      language: 'en',
      version: 1,
      updated_time: made.creation_time,
      creation_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      configured_rules: {
        dates_and_times: { calendar_era: 'use_bc_and_ad' },
        punctuation: { periods_in_academic_degrees: 'do_not_use' },
        style_and_tone: { short_vs_long_words: 'use_short_words' },
      },
      custom_instructions: [
        { id: expect.any(String) as string, label: 'A', prompt: 'Be kind.' },
        { id: expect.any(String) as string, ...instruction('B', { source_language: 'de' }) },
      ],
    });
    expect(Date.parse(made.creation_time)).toBeGreaterThanOrEqual(before);
    expect(await ask('GET', `/${made.style_id.toUpperCase()}`)).toEqual({
      status: 200,
      body: made,
    });
  });

  it('gets a new version with every change', async () => {
    const { style_id, creation_time } = await newList({ configured_rules: guillemets });
    const place = `/${style_id}`;
    const renamed = await ask('PATCH', place, { name: 'New', something_new: 1 });
    expect(renamed).toMatchObject({
      status: 200,
      body: { name: 'New', version: 2, creation_time },
    });
    const added = await ask('POST', `${place}/custom_instructions`, instruction('A'));
    expect(added.status).toBe(201);
    // The list, and the instruction itself.
    const { id } = added.body;
    expect(added.body).toMatchObject({
      style_id,
      version: 3,
      ...instruction('A'),
      configured_rules: guillemets,
      custom_instructions: [{ id, ...instruction('A') }],
    });
    const rules = { punctuation: { dash: 'use_em_dash' } };
    const replaced = await ask('PUT', `${place}/configured_rules`, rules);
    expect(replaced).toMatchObject({
      status: 200,
      body: { version: 4, configured_rules: rules, custom_instructions: [{ id }] },
    });
    const one = `${place}/custom_instructions/${id}`;
    const sourced = instruction('B', { source_language: 'en' });
    expect(await ask('PUT', one, sourced)).toEqual({ status: 200, body: { id, ...sourced } });
    expect((await ask('GET', place)).body.version).toBe(5);
    // An omitted field is removed.
    expect((await ask('PUT', one, instruction('B'))).body).toEqual({ id, ...instruction('B') });
    expect((await ask('GET', one)).body).toEqual({ id, ...instruction('B') });
    expect(await ask('DELETE', one)).toEqual({ status: 204, body: {} });
    expect((await ask('DELETE', one)).status).toBe(404);
    const cleared = await ask('PUT', `${place}/configured_rules`, {});
    expect(cleared.body).toMatchObject({
      version: 8,
      configured_rules: {},
      custom_instructions: [],
    });
    expect(cleared.body.updated_time >= creation_time).toBe(true);
    expect(await ask('DELETE', place)).toEqual({ status: 204, body: {} });
    for (const method of ['GET', 'DELETE']) expect((await ask(method, place)).status).toBe(404);
  });

  it.each([
    ['without a name', { language: 'en' }, /name/],
    ['with an empty name', { name: ' ', language: 'en' }, /name/],
    ['with a name of 1,025 characters', { name: '😀'.repeat(1025), language: 'en' }, /1024/],
    ['with a control character', { name: 'a\u0000', language: 'en' }, /control/],
    ['without a language', { name: 'a' }, /language/],
    ['of a variant', { name: 'a', language: 'en-GB' }, /language.*de, en, es, fr, it, ja, ko, zh/],
    ['of another language', { name: 'a', language: 'pt' }, /language/],
    [
      'with a category nobody knows',
      { configured_rules: { spelling: { a: 'b' } } },
      /there is no 'spelling'.*punctuation/,
    ],
    [
      'with a rule nobody knows',
      { configured_rules: { punctuation: { constructor: 'b' } } },
      /punctuation.*'constructor'.*apostrophe/,
    ],
    [
      'with an option nobody knows',
      { configured_rules: { punctuation: { apostrophe: 'toString' } } },
      /punctuation\.apostrophe.*use_curly_apostrophes, use_straight_apostrophes/,
    ],
    ['with rules that are a list', { configured_rules: [] }, /configured_rules/],
    ['with an option that is a number', { configured_rules: { numbers: { a: 1 } } }, /numbers/],
    ['with 201 instructions', { custom_instructions: times(201, () => instruction('a')) }, /200/],
    ['with an instruction without a label', { custom_instructions: [{ prompt: 'a' }] }, /label/],
    [
      'with a label of 101 characters',
      { custom_instructions: [instruction('é'.repeat(101))] },
      /custom_instructions\.0\.label.*100/,
    ],
    [
      'with a prompt of 301 characters',
      { custom_instructions: [instruction('a'), { label: 'a', prompt: '😀'.repeat(301) }] },
      /custom_instructions\.1\.prompt.*300/,
    ],
    [
      'with a language that is none',
      { custom_instructions: [instruction('a', { source_language: 'english' })] },
      /source_language/,
    ],
  ])('%s is refused with a reason', async (_, body, message) => {
    const whole =
      'name' in body || 'language' in body ? body : { name: 'a', language: 'en', ...body };
    const answer = await ask('POST', '', whole);
    expect(answer.body.message).toMatch(message);
    expect(answer.status).toBe(400);
  });

  it('may be as large as the limits', async () => {
    const made = await newList({
      name: '名'.repeat(1024),
      custom_instructions: times(200, (index) => ({
        label: index % 2 === 0 ? '😀'.repeat(100) : 'ü'.repeat(100),
        prompt: '\u00e9'.repeat(300),
      })),
    });
    expect(made.custom_instructions).toHaveLength(200);
    const place = `/${made.style_id}`;
    const more = await ask('POST', `${place}/custom_instructions`, instruction('a'));
    expect(more.status).toBe(400);
    expect(more.body.message).toMatch(/at most 200 custom_instructions/);
    expect((await ask('GET', place)).body.version).toBe(1);
    await ask('DELETE', `${place}/custom_instructions/${made.custom_instructions[0]?.id}`);
    expect((await ask('POST', `${place}/custom_instructions`, instruction('a'))).status).toBe(201);
  });

  it('loses nothing in concurrent changes', async () => {
    const { style_id } = await newList();
    const adding = times(24, (index) =>
      ask('POST', `/${style_id}/custom_instructions`, instruction(`${index}`)),
    );
    const renaming = times(6, (index) => ask('PATCH', `/${style_id}`, { name: `n${index}` }));
    const answers = await Promise.all([...adding, ...renaming]);
    const versions = answers.map(({ body }) => body.version).sort((one, two) => one - two);
    expect(versions).toEqual(times(30, (index) => index + 2));
    const { body } = await ask('GET', `/${style_id}`);
    const labels = body.custom_instructions.map(({ label }) => Number(label));
    expect(labels.sort((one, two) => one - two)).toEqual(times(24, (index) => index));
  });

  it.each([
    ['GET', '/nonsense', 400],
    ['GET', `/${uuid}`, 404],
    ['PATCH', `/${uuid}`, 404],
    ['PUT', `/${uuid}/configured_rules`, 404],
    ['DELETE', '/nonsense', 400],
    ['DELETE', `/${uuid}`, 404],
    ['POST', `/nonsense/custom_instructions`, 400],
    ['POST', `/${uuid}/custom_instructions`, 404],
    ['GET', `/${uuid}/custom_instructions/${uuid}`, 404],
    ['PUT', `/${uuid}/custom_instructions/nonsense`, 400],
    ['PUT', `/${uuid}/custom_instructions/${uuid}`, 404],
    ['DELETE', `/${uuid}/custom_instructions/${uuid}`, 404],
  ])('answers %s of the unknown %s with %i', async (method, place, status) => {
    const bodies: Record<string, object> = { PATCH: { name: 'a' }, POST: instruction('a') };
    bodies['PUT'] = place.endsWith('rules') ? guillemets : instruction('a');
    expect((await ask(method, place, bodies[method])).status).toBe(status);
  });
});

describe('the style rule lists of an account', () => {
  it('have pages of 10 by default and at most 25, oldest first, with contents on request', async () => {
    const key = await newKey();
    const body = { language: 'es', configured_rules: guillemets };
    for (let index = 0; index < 12; index += 1) {
      await ask('POST', '', { ...body, name: `${index}` }, key);
    }
    const page = async (query: string) => {
      const { status, body: answer } = await ask('GET', query, undefined, key);
      expect(status).toBe(200);
      return answer.style_rules;
    };
    const names = (lists: StyleRuleList[]) => lists.map(({ name }) => Number(name));
    expect(names(await page(''))).toEqual(times(10, (index) => index));
    expect(names(await page('?page=1'))).toEqual([10, 11]);
    expect(names(await page('?page=2&page_size=5'))).toEqual([10, 11]);
    expect(names(await page('?page_size=25'))).toHaveLength(12);
    expect(await page('?page=99')).toEqual([]);
    const [plain] = await page('?detailed=false');
    expect(Object.keys(plain ?? {})).toEqual([
      ...['style_id', 'name', 'language', 'creation_time', 'updated_time', 'version'],
    ]);
    for (const detailed of ['true', '1']) {
      const [whole] = await page(`?detailed=${detailed}&page_size=1`);
      expect(whole).toMatchObject({ configured_rules: guillemets, custom_instructions: [] });
    }
    expect(await page('?page=0')).toHaveLength(10);
    for (const query of [
      '?page=-1',
      '?page=a',
      '?page_size=0',
      '?page_size=26',
      '?detailed=maybe',
    ]) {
      expect((await ask('GET', query, undefined, key)).status, query).toBe(400);
    }
  });

  it('are hidden from other accounts, and unavailable on the free plan', async () => {
    const { style_id } = await newList();
    const stranger = await newKey();
    expect((await ask('GET', '', undefined, stranger)).body.style_rules).toEqual([]);
    for (const method of ['GET', 'DELETE']) {
      expect((await ask(method, `/${style_id}`, undefined, stranger)).status).toBe(404);
    }
    const free = (await sharedServer('silent', 'free')).apiKey;
    expect((await ask('GET', '', undefined, free)).status).toBe(403);
    expect((await ask('POST', '', { name: 'a', language: 'en' }, free)).status).toBe(403);
    const text = { text: ['a'], source_lang: 'EN', target_lang: 'ES', style_id };
    const translate = (key: string) =>
      server.post('/v2/translate', text, { Authorization: `DeepL-Auth-Key ${key}` });
    expect((await translate(stranger)).status).toBe(404);
    expect((await translate(free)).status).toBe(403);
  });
});
