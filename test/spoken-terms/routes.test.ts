/** `/v3/spoken_terms`, an extension of the contract, on a real server. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readContract, type ContractCheck } from '../support/product/contract-check.ts';
import type { RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

const PATH = '/v3/spoken_terms';
let server: RunningServer;
let check: ContractCheck;
beforeAll(async () => {
  server = await sharedServer();
  check = await readContract(server.url);
});
afterAll(() => server.stop());

type Body = Record<string, unknown> & { spoken_terms_id: string; terms: string[]; message: string };

/** Sends a request, and validates the answer by the server's OpenAPI document. */
async function ask(method: string, path: string, body?: unknown, secret = server.apiKey) {
  const isForm = body instanceof URLSearchParams;
  const response = await fetch(server.url + path, {
    method,
    headers: {
      Authorization: `Service-Auth-Key ${secret}`,
      ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  const { status } = response;
  const text = await response.text();
  const header = (name: string) => response.headers.get(name) ?? undefined;
  expect(check({ method, url: path, status, header, body: text })).toBeUndefined();
  return { status, body: (text === '' ? {} : JSON.parse(text)) as Body };
}

const create = (given: object = {}) =>
  ask('POST', PATH, { name: 'Products', terms: ['Dragoman', 'Zembla Quartz'], ...given });

describe('a list of spoken terms', () => {
  it('is created, listed, read and deleted', async () => {
    const made = await create({ language: 'EN' });
    expect(made).toEqual({
      status: 201,
      body: {
        spoken_terms_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        ...{ name: 'Products', language: 'en', term_count: 2 },
        terms: ['Dragoman', 'Zembla Quartz'],
        creation_time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      },
    });
    const place = `${PATH}/${made.body.spoken_terms_id}`;
    expect(await ask('GET', place)).toEqual({ status: 200, body: made.body });
    expect(await ask('GET', place.toUpperCase().replace(PATH.toUpperCase(), PATH))).toEqual({
      status: 200,
      body: made.body,
    });
    const info = Object.fromEntries(Object.entries(made.body).filter(([name]) => name !== 'terms'));
    const { body } = await ask('GET', PATH);
    expect(body['spoken_terms']).toContainEqual(info);
    expect((await ask('DELETE', place)).status).toBe(204);
    expect((await ask('DELETE', place)).status).toBe(404);
    expect((await ask('GET', place)).status).toBe(404);
  });

  it('has its terms normalised, trimmed and deduplicated', async () => {
    const { body } = await create({ terms: [' Café ', 'Cafe\u0301', 'café', '  Kō  Ltd', 'Café'] });
    expect(body.terms).toEqual(['Café', 'café', 'Kō  Ltd']);
    expect(body['term_count']).toBe(3);
    expect(body).not.toHaveProperty('language');
  });

  it('may be sent as a form', async () => {
    const form = new URLSearchParams([
      ['name', 'Form'],
      ['terms', 'one'],
      ['terms', 'two'],
    ]);
    expect(await ask('POST', PATH, form)).toMatchObject({
      status: 201,
      body: { terms: ['one', 'two'] },
    });
  });

  it('accepts a thousand terms of a hundred characters, whatever their bytes', async () => {
    const terms = Array.from({ length: 1000 }, (_, index) => `${index}`.padEnd(50, 'ß'));
    expect((await create({ terms })).status).toBe(201);
    const wide = '🐉'.repeat(100);
    expect((await create({ terms: [wide] })).body.terms).toEqual([wide]);
  });

  it.each([
    [{ name: undefined }, /name/],
    [{ name: '' }, /name/],
    [{ name: 'ä'.repeat(513) }, /name.*1024 bytes/],
    [{ name: 'a\nb' }, /name/],
    [{ terms: undefined }, /terms/],
    [{ terms: [] }, /terms/],
    [{ terms: 5 }, /terms/],
    [{ terms: [5] }, /terms/],
    [{ terms: ['ok', ' '] }, /terms\.1.*empty/],
    [{ terms: ['a\u0007b'] }, /terms\.0.*control/],
    [{ terms: ['a\nb'] }, /terms\.0.*control/],
    [{ terms: ['a\ud800'] }, /terms\.0.*control/],
    [{ terms: ['x'.repeat(101)] }, /terms\.0.*100 characters/],
    [{ terms: ['🐉'.repeat(101)] }, /terms\.0.*100 characters/],
    [{ terms: ['x'.repeat(100_000)] }, /terms\.0.*100 characters/],
    [{ terms: Array.from({ length: 1001 }, (_, index) => `t${index}`) }, /terms.*1000/],
    [{ language: 'tlh' }, /language.*en/],
    [{ language: 'en-GB' }, /language/],
  ])('%#. is refused with a reason', async (given, reason) => {
    const { status, body } = await create(given);
    expect(status).toBe(400);
    expect(body.message).toMatch(reason);
  });

  it('of more than 256 KiB is refused unread', async () => {
    const terms = Array.from({ length: 3000 }, () => 'x'.repeat(100));
    expect((await create({ terms })).status).toBe(413);
  });

  it('has a UUID as its id, and is unknown to other accounts', async () => {
    expect((await ask('GET', `${PATH}/nonsense`)).status).toBe(400);
    expect((await ask('DELETE', `${PATH}/nonsense`)).status).toBe(400);
    expect((await ask('GET', `${PATH}/${randomUUID()}`)).status).toBe(404);
    const place = `${PATH}/${(await create()).body.spoken_terms_id}`;
    const { apiKey: stranger } = await sharedServer();
    expect((await ask('GET', place, undefined, stranger)).status).toBe(404);
    expect((await ask('DELETE', place, undefined, stranger)).status).toBe(404);
    expect((await ask('GET', PATH, undefined, stranger)).body['spoken_terms']).toEqual([]);
    expect((await ask('GET', place)).status).toBe(200);
  });

  it('requires the pro plan, as voice does', async () => {
    const { spoken_terms_id: id } = (await create()).body;
    const { apiKey: secret } = await sharedServer('silent', 'free');
    for (const [method, path] of [
      ['GET', PATH],
      ['GET', `${PATH}/${id}`],
      ['DELETE', `${PATH}/${id}`],
    ] as const) {
      expect(await ask(method, path, undefined, secret)).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining('pro plan') as string },
      });
    }
    expect((await ask('POST', PATH, { name: 'x', terms: ['y'] }, secret)).status).toBe(403);
    expect((await ask('GET', PATH, undefined, 'nobody')).status).toBe(403);
  });
});

it('the OpenAPI document marks the extension, with examples', async () => {
  const document = (await (await server.get('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { requestBody?: unknown }>>;
  };
  const described = JSON.stringify(document.paths[PATH]?.['post']?.requestBody);
  expect(described).toContain('Our own addition');
  expect(described).toContain('Zembla Quartz');
  expect(Object.keys(document.paths[`${PATH}/{spoken_terms_id}`] ?? {})).toEqual(
    expect.arrayContaining(['get', 'delete']),
  );
});
