import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

let server: RunningServer;
beforeAll(async () => (server = await sharedServer()));
afterAll(() => server.stop());

interface Answer {
  status: number;
  body: Record<string, unknown> & { glossary_id: string; message: string; detail?: string };
}

async function request(
  method: string,
  pathname: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const isForm = body instanceof URLSearchParams;
  const response = await fetch(server.url + pathname, {
    method,
    headers: {
      Authorization: `DeepL-Auth-Key ${server.apiKey}`,
      ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Answer['body'] };
}

const dictionary = (entries: string, target_lang = 'es', entries_format = 'tsv') => ({
  ...{ source_lang: 'en', target_lang, entries, entries_format },
});

async function newGlossary(...dictionaries: object[]): Promise<string> {
  const { status, body } = await request('POST', '/v3/glossaries', { name: 'T', dictionaries });
  expect(status).toBe(201);
  return body.glossary_id;
}

describe('a glossary', () => {
  it('is created, read, changed and deleted with the statuses of the contract', async () => {
    const id = await newGlossary(dictionary('a\tb'), dictionary('"c, d",e', 'FR', 'csv'));
    const place = `/v3/glossaries/${id}`;
    expect(await request('GET', place)).toMatchObject({
      status: 200,
      body: {
        name: 'T',
        dictionaries: [
          { source_lang: 'en', target_lang: 'es', entry_count: 1 },
          { source_lang: 'en', target_lang: 'fr', entry_count: 1 },
        ],
      },
    });
    expect(await request('GET', `${place}/entries?source_lang=EN&target_lang=fr`)).toEqual({
      status: 200,
      body: { dictionaries: [dictionary('c, d\te', 'fr')] },
    });
    expect(
      await request('PATCH', place, { name: 'U', dictionaries: [dictionary('f\tg')] }),
    ).toMatchObject({
      status: 200,
      body: { name: 'U', dictionaries: [{ entry_count: 2 }, { entry_count: 1 }] },
    });
    expect(await request('PUT', `${place}/dictionaries`, dictionary('x\ty'))).toEqual({
      status: 200,
      body: { source_lang: 'en', target_lang: 'es', entry_count: 1 },
    });
    const pair = 'source_lang=en&target_lang=fr';
    expect((await request('DELETE', `${place}/dictionaries?${pair}`)).status).toBe(204);
    expect((await request('DELETE', `${place}/dictionaries?${pair}`)).status).toBe(404);
    expect((await request('DELETE', place)).status).toBe(204);
    expect((await request('GET', place)).status).toBe(404);
    expect((await request('GET', '/v3/glossaries/nonsense')).status).toBe(400);
  });

  it('may be created without dictionaries, which are added later', async () => {
    for (const body of [{ name: 'T' }, new URLSearchParams({ name: 'T', dictionaries: '' })]) {
      const made = await request('POST', '/v3/glossaries', body);
      expect(made).toMatchObject({ status: 201, body: { dictionaries: [] } });
      const place = `/v3/glossaries/${made.body.glossary_id}`;
      expect(await request('GET', place)).toMatchObject({ body: { dictionaries: [] } });
      const put = await request('PUT', `${place}/dictionaries`, dictionary('a\tb'));
      expect(put).toMatchObject({ status: 200, body: { entry_count: 1 } });
    }
    expect((await request('POST', '/v3/glossaries', {})).status).toBe(400);
  });

  it('is created and changed by forms with nested names', async () => {
    const form = (more: Record<string, string> = {}) =>
      new URLSearchParams({
        name: 'Form',
        'dictionaries[0].source_lang': 'en',
        'dictionaries[0].target_lang': 'es',
        'dictionaries[0].entries': 'a b\tc\nd\té',
        'dictionaries[0].entries_format': 'tsv',
        ...more,
      });
    const made = await request('POST', '/v3/glossaries', form());
    expect(made).toMatchObject({ status: 201, body: { dictionaries: [{ entry_count: 2 }] } });
    const place = `/v3/glossaries/${made.body.glossary_id}`;
    const changed = await request('PATCH', place, form({ 'dictionaries[0].entries': 'g\th' }));
    expect(changed).toMatchObject({ status: 200, body: { dictionaries: [{ entry_count: 3 }] } });
    const put = new URLSearchParams(dictionary('i\tj'));
    expect((await request('PUT', `${place}/dictionaries`, put)).status).toBe(200);
  });

  it('with a repeated phrase is refused with the positions of both', async () => {
    const body = { name: 'T', dictionaries: [dictionary('Hello\tGuten!\nHello\tHallo')] };
    const detail =
      'Key with the index 1 (starting at position 13) duplicates key with the index 0 (starting at position 0)';
    expect(await request('POST', '/v3/glossaries', body)).toEqual({
      status: 400,
      body: { message: 'Invalid glossary entries provided', detail },
    });
  });

  it('of 10 MiB is accepted, and a larger one refused, whatever the body', async () => {
    // Long phrases: parsing many is shown below the routes.
    const line = (index: number) => `source ${index}\tZiel ${'"😀"'.repeat(30)}`.padEnd(940, 'x');
    const entries = Array.from({ length: 10_400 }, (_, index) => line(index)).join('\n');
    const place = `/v3/glossaries/${await newGlossary()}/dictionaries`;
    const form = new URLSearchParams(dictionary(entries));
    const put = await request('PUT', place, form);
    expect(put).toMatchObject({ status: 200, body: { entry_count: 10_400 } });
    // The dictionary is what is too large, not the JSON around it.
    const tooLarge = dictionary(`${entries}${'\n'.repeat(100_000)}`);
    const refused = await request('PUT', place, tooLarge);
    expect(refused.status).toBe(413);
    expect(refused.body.message).toMatch(/10 MiB/);
  });
});

describe('the v2 glossary interface', () => {
  it('knows glossaries of one dictionary until v3 changes them', async () => {
    const made = await request('POST', '/v2/glossaries', { name: 'Old', ...dictionary('a\tb') });
    expect(made).toMatchObject({ status: 201, body: { source_lang: 'en', entry_count: 1 } });
    const id = made.body.glossary_id;
    expect((await request('GET', `/v3/glossaries/${id}`)).status).toBe(200);
    await request('PATCH', `/v3/glossaries/${id}`, { name: 'New' });
    const deletion = await request('DELETE', `/v2/glossaries/${id}`);
    expect(deletion).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/v3/) as string },
    });
    expect((await request('DELETE', `/v3/glossaries/${id}`)).status).toBe(204);
    const several = await newGlossary(dictionary('a\tb'), dictionary('a\tb', 'fr'));
    expect((await request('GET', `/v2/glossaries/${several}`)).status).toBe(404);
    const { body } = await request('GET', '/v2/glossaries');
    expect(JSON.stringify(body)).not.toContain(several);
  });

  it('has its entries as TSV for whoever accepts them', async () => {
    const made = await request('POST', '/v2/glossaries', {
      name: 'X',
      ...dictionary('a\tb\nc\td'),
    });
    const entriesFor = (accept?: string) =>
      fetch(`${server.url}/v2/glossaries/${made.body.glossary_id}/entries`, {
        headers: {
          Authorization: `DeepL-Auth-Key ${server.apiKey}`,
          ...(accept !== undefined && { Accept: accept }),
        },
      });
    for (const accept of [
      undefined,
      'text/tab-separated-values',
      'application/json, text/*;q=0.5',
    ]) {
      const response = await entriesFor(accept);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/tab-separated-values; charset=UTF-8');
      expect(await response.text()).toBe('a\tb\nc\td');
    }
    expect((await entriesFor('application/json, text/*;q=0')).status).toBe(415);
  });
});

describe('a glossary in a translation', () => {
  const translate = async (text: string, more: object) => {
    const { body } = await request('POST', '/v2/translate', {
      ...{ text: [text], source_lang: 'EN', target_lang: 'ES' },
      ...more,
    });
    const [only] = (body['translations'] ?? []) as { text: string }[];
    return only?.text ?? body.message;
  };

  it.each([
    ['The data centre is closed.', {}, 'El centro de cómputo está cerrado.'],
    ['Data centre closed.', {}, 'Centro de cómputo cerrado.'],
    ['The red cars and the red car.', {}, 'Los coches rojos y el bólido.'],
    [
      'The <b>data</b> centre is closed.',
      { tag_handling: 'xml' },
      /^El <b>centro de cómputo<\/b> está/,
    ],
    [
      'The <b>new data</b> centre.',
      { tag_handling: 'html' },
      /^<?.*<b>.*centro de cómputo.*<\/b>\.$/,
    ],
  ])('places its terms where Apertium places the phrase: %s', async (text, more, expected) => {
    const glossary_id = await newGlossary(
      dictionary('data centre\tcentro de cómputo\nred car\tbólido'),
    );
    const translated = await translate(text, { glossary_id, ...more });
    if (typeof expected === 'string') expect(translated).toBe(expected);
    else expect(translated).toMatch(expected);
  });

  it('yields to an earlier glossary, and is refused without the pair', async () => {
    const first = await newGlossary(dictionary('house\thogar'));
    const second = await newGlossary(dictionary('house\tcasona\ngarden\tvergel'));
    const german = await newGlossary(dictionary('house\tHaus', 'de'));
    const glossary_ids = [first, second];
    for (const listed of [glossary_ids, glossary_ids.join(',')]) {
      expect(await translate('The house and the garden.', { glossary_ids: listed })).toMatch(
        /hogar.*vergel/,
      );
    }
    expect(await translate('The house.', { glossary_id: german })).toMatch(
      /No dictionary found for language pair en-es in glossary/i,
    );
  });
});
