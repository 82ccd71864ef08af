/** The language API answers any input regularly, and the server survives. */
import fc, { codePoint } from '../support/suite/properties.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedServer, type SharedServer } from '../support/product/shared-server.ts';
import { startContractServer, type ContractServer } from './contract-server.ts';

let contract: ContractServer;
let server: SharedServer;
let proxy: ContractServer['proxy'];
beforeAll(async () => {
  server = await sharedServer();
  contract = await startContractServer(server);
  ({ proxy } = contract);
});
afterAll(() => contract.stop());

const id = '6f9619ff-8b86-4011-b42d-00cf4fc964ff';
const routes: [method: string, path: string][] = [
  ['POST', '/v2/translate'],
  ['POST', '/v3/detect/language'],
  ['POST', '/v2/glossaries'],
  ['POST', '/v3/glossaries'],
  ['PATCH', `/v3/glossaries/${id}`],
  ['PUT', `/v3/glossaries/${id}/dictionaries`],
  ['POST', '/v3/spoken_terms'],
];
const readings: [method: string, path: string][] = [
  ['GET', '/v2/usage'],
  ['GET', '/v2/languages'],
  ['GET', '/v3/languages'],
  ['GET', '/v2/glossary-language-pairs'],
  ['GET', `/v3/glossaries/${id}/entries`],
  ['GET', `/v2/glossaries/${id}/entries`],
  ['DELETE', `/v3/glossaries/${id}/dictionaries`],
  ['GET', `/v3/spoken_terms/${id}`],
  ['GET', '/v3/spoken_terms/%00'],
  ['DELETE', '/v3/spoken_terms/nonsense'],
];

const names = fc.constantFrom(
  ...['text', 'target_lang', 'source_lang', 'tag_handling', 'split_sentences', 'formality'],
  ...['glossary_id', 'glossary_ids', 'context', 'ignore_tags', 'splitting_tags', 'model_type'],
  ...['name', 'dictionaries', 'entries', 'entries_format', 'style_id', 'custom_instructions'],
  ...['terms', 'language'],
  ...['__proto__', 'constructor', 'dictionaries[0].entries', 'resource', 'include', 'type'],
);
const hostile = fc.constantFrom(
  ...['EN', 'ES', 'xml', 'html', 'tsv', 'csv', '<a><b>', '</a>', '<![CDATA[', '&bogus;', '\0', ''],
  ...['[[t:x:1]]', '^a/b$', '\ud800', '{"a":', id, 'a\tb\n', '"', '%s {0} ${x}', '🙂'.repeat(50)],
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  hostile,
  fc.string({ unit: codePoint, maxLength: 60 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(hostile, { maxLength: 4 }),
  fc.dictionary(names, hostile, { maxKeys: 4 }),
);
const bodies = fc.dictionary(names, value, { maxKeys: 8 });

async function answerOf(
  [method, path]: [string, string],
  { body, headers = {} }: { body?: string; headers?: Record<string, string> },
): Promise<number> {
  const response = await fetch(proxy.url + path, {
    method,
    ...(body !== undefined && { body }),
    headers: { Authorization: `Service-Auth-Key ${server.apiKey}`, ...headers },
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  if (response.status !== 204) expect(JSON.parse(text)).toBeTypeOf('object');
  if (response.status >= 400) expect(JSON.parse(text)).toHaveProperty('message');
  return response.status;
}

it('answers JSON of any shape without a 5xx status', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...routes), bodies, async (route, body) => {
      const headers = { 'Content-Type': 'application/json' };
      expect(await answerOf(route, { body: JSON.stringify(body), headers })).toBeLessThan(500);
    }),
    { numRuns: 50 },
  );
});

it('answers texts with any markup without a 5xx status', async () => {
  const texts = fc.array(
    fc.string({
      unit: fc.constantFrom(
        '<',
        '>',
        '/',
        'a',
        ' ',
        '&',
        ';',
        '"',
        '=',
        'b',
        '\n',
        '-',
        '!',
        '[',
        ']',
        'é',
      ),
    }),
    { minLength: 1, maxLength: 5 },
  );
  const options = fc.record({
    text: texts,
    source_lang: fc.constantFrom('EN', undefined),
    target_lang: fc.constantFrom('ES', 'EN'),
    tag_handling: fc.constantFrom('xml', 'html'),
    tag_handling_version: fc.constantFrom('v1', 'v2', undefined),
    outline_detection: fc.boolean(),
    ignore_tags: fc.constantFrom([], ['a'], ['b']),
    splitting_tags: fc.constantFrom([], ['a']),
  });
  await fc.assert(
    fc.asyncProperty(options, async (body) => {
      const headers = { 'Content-Type': 'application/json' };
      expect(
        await answerOf(['POST', '/v2/translate'], { body: JSON.stringify(body), headers }),
      ).toBeLessThan(500);
    }),
    { numRuns: 40 },
  );
});

it('answers forms, broken JSON and other types without a 5xx status', async () => {
  const types = fc.constantFrom(
    ...[
      'application/json',
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data',
    ],
    ...['application/json; charset=utf-16', 'nonsense', ''],
  );
  const raw = fc.oneof(hostile, fc.string({ unit: codePoint, maxLength: 200 }));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...routes), types, raw, async (route, type, body) => {
      expect(await answerOf(route, { body, headers: { 'Content-Type': type } })).toBeLessThan(500);
    }),
    { numRuns: 40 },
  );
});

it('answers queries of any shape without a 5xx status', async () => {
  const query = fc.dictionary(names, hostile, { maxKeys: 5 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...readings), query, async ([method, path], parameters) => {
      const search = new URLSearchParams(parameters).toString();
      expect(await answerOf([method, `${path}?${search}`], {})).toBeLessThan(500);
    }),
    { numRuns: 40 },
  );
});

it('stays healthy, and answers always as its OpenAPI document says', async () => {
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(await server.written()).not.toMatch(/"level":[56]0/);
  expect(proxy.violations()).toEqual([]);
});
