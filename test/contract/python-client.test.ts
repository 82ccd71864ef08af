/** Raw requests as the public API's Python client sends them. */
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startContractServer, type ContractServer } from './contract-server.ts';

let contract: ContractServer;
let server: ContractServer['server'];
let proxy: ContractServer['proxy'];
beforeAll(async () => {
  contract = await startContractServer();
  ({ server, proxy } = contract);
});
afterAll(() => contract.stop());

interface Answer {
  status: number;
  type: string;
  body: string;
  json: Record<string, unknown>;
}

/** Sends a request; unlike `fetch`, it can send a GET with a body. */
function send(
  method: string,
  path: string,
  { json, form, headers = {} }: { json?: object; form?: string; headers?: object } = {},
): Promise<Answer> {
  const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
  const content = json === undefined ? form : JSON.stringify(json);
  return new Promise((resolve, reject) => {
    const request = http.request(
      proxy.url + path,
      {
        method,
        headers: {
          Authorization: `DeepL-Auth-Key ${server.apiKey}`,
          'User-Agent': 'deepl-python/1.30.0 (Linux) python/3.11.2',
          ...(content !== undefined && {
            'Content-Type': type,
            'Content-Length': Buffer.byteLength(content),
          }),
          ...headers,
        },
      },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (part: string) => (body += part));
        response.on('end', () => {
          const contentType = response.headers['content-type'] ?? '';
          const isJson = contentType.startsWith('application/json');
          resolve({
            status: response.statusCode ?? 0,
            type: contentType,
            body,
            json: isJson ? (JSON.parse(body) as Record<string, unknown>) : {},
          });
        });
      },
    );
    request.on('error', reject);
    request.end(content);
  });
}

describe('texts', () => {
  it('are translated from JSON that requests the billed characters', async () => {
    const json = {
      text: ['The red car', 'The house'],
      source_lang: 'EN',
      target_lang: 'ES',
      show_billed_characters: true,
      split_sentences: '1',
      preserve_formatting: false,
      outline_detection: true,
      formality: 'prefer_less',
      model_type: 'latency_optimized',
    };
    const { status, json: answer } = await send('POST', '/v2/translate', { json });
    expect(status).toBe(200);
    expect(answer).toEqual({
      translations: [
        {
          detected_source_language: 'EN',
          text: 'El coche rojo',
          billed_characters: 11,
          model_type_used: 'latency_optimized',
        },
        expect.objectContaining({ text: 'La casa', billed_characters: 9 }),
      ],
    });
  });

  it('are translated from forms, with nested and repeated names', async () => {
    const form =
      'text=The+house&text=The+car&target_lang=ES&source_lang=EN&tag_handling=xml&' +
      'ignore_tags=a,b&outline_detection=0&preserve_formatting=1&show_billed_characters=1';
    const { json } = await send('POST', '/v2/translate', { form });
    expect(json['translations']).toHaveLength(2);
  });
});

describe('languages', () => {
  it.each([
    ['query', '/v2/languages?type=target', {}],
    ['form in the body of a GET', '/v2/languages', { form: 'type=target' }],
    ['JSON in the body of a GET', '/v2/languages', { json: { type: 'target' } }],
  ])('are listed by type: %s', async (_, path, content) => {
    const { status, body } = await send('GET', path, content);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toContainEqual({
      language: 'ES',
      name: 'Spanish',
      supports_formality: false,
    });
  });

  it('default to source languages without a type, even if an empty body is announced', async () => {
    for (const headers of [{}, { 'Content-Type': 'application/json' }, { 'Content-Length': 0 }]) {
      const { body } = await send('GET', '/v2/languages', { headers });
      expect(JSON.parse(body)).toContainEqual({ language: 'EN', name: 'English' });
    }
  });

  it('form pairs for glossaries', async () => {
    const { json } = await send('GET', '/v2/glossary-language-pairs');
    expect(json['supported_languages']).toContainEqual({ source_lang: 'en', target_lang: 'es' });
  });
});

describe('glossaries', () => {
  const tsv = { entries: 'house\thogar\ncar\tcarro', entries_format: 'tsv' };

  it('of one language pair are created, read as text and deleted', async () => {
    const json = { name: 'One', source_lang: 'EN', target_lang: 'ES', ...tsv };
    const made = await send('POST', '/v2/glossaries', { json });
    expect(made.status).toBe(201);
    // The client's parser accepts only this format.
    expect(made.json['creation_time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
    const path = `/v2/glossaries/${String(made.json['glossary_id'])}`;
    const headers = { Accept: 'text/tab-separated-values' };
    const entries = await send('GET', `${path}/entries`, { headers });
    expect(entries.type).toMatch(/^text\/tab-separated-values; *charset=utf-8$/i);
    expect(entries.body).toBe(tsv.entries);
    const refused = await send('GET', `${path}/entries`, { headers: { Accept: 'text/csv' } });
    expect(refused.status).toBe(415);
    expect((await send('DELETE', path)).status).toBe(204);
    expect((await send('GET', path)).status).toBe(404);
  });

  it('of several languages are changed with PUT and PATCH, and read back', async () => {
    const dictionary = { source_lang: 'en', target_lang: 'es', ...tsv };
    const json = { name: 'Several', dictionaries: [dictionary] };
    const made = await send('POST', '/v3/glossaries', { json });
    expect(made.status).toBe(201);
    const path = `/v3/glossaries/${String(made.json['glossary_id'])}`;
    const french = { source_lang: 'en', target_lang: 'fr', entries: 'a\tb', entries_format: 'tsv' };
    const put = await send('PUT', `${path}/dictionaries`, { json: french });
    expect(put.json).toMatchObject({ source_lang: 'en', target_lang: 'fr', entry_count: 1 });
    const patch = { name: 'More', dictionaries: [{ ...dictionary, entries: 'house\tcasona' }] };
    expect((await send('PATCH', path, { json: patch })).json).toMatchObject({ name: 'More' });
    const pair = 'source_lang=en&target_lang=es';
    const read = await send('GET', `${path}/entries?${pair}`);
    expect(read.json).toEqual({
      dictionaries: [{ ...dictionary, entries: 'house\tcasona\ncar\tcarro' }],
    });
    expect((await send('DELETE', `${path}/dictionaries?${pair}`)).status).toBe(204);
    expect((await send('DELETE', `${path}/dictionaries?${pair}`)).status).toBe(404);
    expect((await send('DELETE', path)).status).toBe(204);
  });
});

it('answers always as its OpenAPI document says', () => {
  expect(proxy.checkedAnswers()).toBeGreaterThan(20);
  expect(proxy.violations()).toEqual([]);
});
