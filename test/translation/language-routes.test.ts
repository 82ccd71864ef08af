import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  resourceDescriptors,
  resourceNames,
  type GlossaryLanguagePairs,
  type Language,
  type LegacyLanguages,
} from '../../shared/schemas/languages.ts';
import type { TextTranslationResponse } from '../../shared/schemas/text-translation.ts';
import type { RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

let server: RunningServer;
let authorization: Record<string, string>;
beforeAll(async () => {
  server = await sharedServer();
  authorization = { Authorization: `DeepL-Auth-Key ${server.apiKey}` };
});
afterAll(() => server.stop());

const get = async (pathname: string) => {
  const response = await server.get(pathname, authorization);
  return { status: response.status, body: (await response.json()) as unknown };
};
const languages = async (query: string) =>
  (await get(`/v3/languages?resource=${query}`)).body as Language[];

/** Sends a GET request with a body, as the Python client does; fetch refuses to. */
async function getWithBody(pathname: string, body: string, contentType: string) {
  const headers = { ...authorization, 'Content-Type': contentType };
  return new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const asked = request(
      server.url + pathname,
      { method: 'GET', headers: { ...headers, 'Content-Length': Buffer.byteLength(body) } },
      (response) => {
        text(response).then(
          (answer) => resolve({ status: response.statusCode ?? 0, body: JSON.parse(answer) }),
          reject,
        );
      },
    );
    asked.once('error', reject).end(body);
  });
}

const form = 'application/x-www-form-urlencoded';

it('answers under the former path of its version', async () => {
  const old = async (pathname: string) => {
    const response = await fetch(`${server.url}/v1${pathname}`, { headers: authorization });
    return { status: response.status, body: (await response.json()) as unknown };
  };
  for (const pathname of ['/languages?type=target', '/glossary-language-pairs']) {
    const answer = await old(pathname);
    expect(answer).toEqual(await get(`/v2${pathname}`));
    expect(answer.status).toBe(200);
  }
  expect((await old('/nothing')).status).toBe(404);
});

describe('GET /v3/languages', () => {
  it('lists languages that are translated', async () => {
    const listed = await languages('translate_text');
    const sources = listed.filter(({ usable_as_source }) => usable_as_source);
    const targets = listed.filter(({ usable_as_target }) => usable_as_target);
    expect(sources.map(({ lang }) => lang)).toEqual(expect.arrayContaining(['ca', 'en', 'es']));
    expect(targets.map(({ lang }) => lang)).toEqual(expect.arrayContaining(['en-GB', 'pt-BR']));

    // Each direction is tried where its engine is tested.
    const body = { text: ['animal'], source_lang: 'en', target_lang: 'es' };
    const response = await server.post('/v2/translate', body);
    const { translations } = (await response.json()) as TextTranslationResponse;
    expect(translations[0]?.text).toMatch(/\S/);
  });

  it('lists no refused language, and refuses unlisted ones', async () => {
    const listed = (await languages('translate_text')).map(({ lang }) => lang);
    expect(listed).not.toContain('ja');
    const body = { text: ['a'], source_lang: 'EN', target_lang: 'JA' };
    expect((await server.post('/v2/translate', body)).status).toBe(400);
  });

  it('lists beta languages on request, with either spelling of two values', async () => {
    expect((await languages('translate_text')).map(({ lang }) => lang)).not.toContain('fr-CA');
    for (const include of ['include=beta&include=external', 'include=beta,external']) {
      const canadian = (await languages(`translate_text&${include}`)).find(
        ({ lang }) => lang === 'fr-CA',
      );
      expect(canadian).toMatchObject({ status: 'beta', usable_as_source: false });
    }
  });

  it.each(resourceNames)('answers for %s', async (resource) => {
    expect(await get(`/v3/languages?resource=${resource}`)).toMatchObject({ status: 200 });
  });

  it.each([
    ['', /resource/],
    ['?product=voice', /'product'.*'resource'/],
    ['?resource=text', /resource.*not supported.*translate_text/],
    ['?resource=voice&include=alpha', /include.*not supported.*beta/],
  ])('answers %s with 400 and the possible values', async (query, message) => {
    const { status, body } = await get(`/v3/languages${query}`);
    expect(status).toBe(400);
    expect((body as { message: string }).message).toMatch(message);
  });

  it('requires a key', async () => {
    expect((await server.get('/v3/languages?resource=voice')).status).toBe(403);
  });
});

describe('GET /v3/languages/resources', () => {
  it('lists the features of each resource, and whether source or target must have them', async () => {
    expect(await get('/v3/languages/resources')).toEqual({
      status: 200,
      body: resourceDescriptors,
    });
    expect(resourceDescriptors[0]?.features).toContainEqual({
      name: 'glossary',
      needs_source_support: true,
      needs_target_support: true,
    });
  });
});

describe('GET /v2/languages', () => {
  it('lists sources, or targets on request', async () => {
    const sources = (await get('/v2/languages')).body as LegacyLanguages;
    expect(sources).toContainEqual({ language: 'EN', name: 'English' });
    const targets = (await get('/v2/languages?type=target')).body as LegacyLanguages;
    expect(targets).toContainEqual({
      language: 'EN-GB',
      name: 'English (British)',
      supports_formality: false,
    });
    expect(targets.map(({ language }) => language)).not.toContain('EN');
  });

  it.each([
    ['type=target', form],
    ['{"type":"target"}', 'application/json'],
  ])('accepts the type in the body of a GET request: %s', async (body, contentType) => {
    const targets = (await get('/v2/languages?type=target')).body;
    expect(await getWithBody('/v2/languages', body, contentType)).toEqual({
      status: 200,
      body: targets,
    });
  });

  it.each([
    ['type=both', form, 400],
    ['{"type":', 'application/json', 400],
    ['type: target', 'text/plain', 415],
    [`type=${'x'.repeat(200_000)}`, form, 413],
  ])('refuses the body %.20s with a message', async (body, contentType, status) => {
    const answer = await getWithBody('/v2/languages', body, contentType);
    expect(answer).toEqual({ status, body: { message: expect.stringMatching(/\S/) as unknown } });
    // The connection and the server still work.
    expect((await get('/v2/languages')).status).toBe(200);
  });

  it('refuses other types', async () => {
    expect((await get('/v2/languages?type=both')).status).toBe(400);
  });
});

describe('GET /v2/glossary-language-pairs', () => {
  it('lists the translatable pairs of glossary languages', async () => {
    const { body } = await get('/v2/glossary-language-pairs');
    const pairs = (body as GlossaryLanguagePairs).supported_languages;
    expect(pairs).toContainEqual({ source_lang: 'en', target_lang: 'es' });
    const codes = pairs.flatMap((pair) => [pair.source_lang, pair.target_lang]);
    expect(codes).not.toContain('ca');
    expect(codes).not.toContain('ja');
  });
});

describe('a listing requested by POST, as older clients do,', () => {
  const post = async (pathname: string, body: string, type: string) => {
    const headers = { ...authorization, 'Content-Type': type };
    const response = await server.send(pathname, { method: 'POST', body, headers });
    return { status: response.status, body: (await response.json()) as unknown };
  };

  it('is answered like a GET request', async () => {
    const targets = await get('/v2/languages?type=target');
    expect(await post('/v2/languages', 'type=target', form)).toEqual(targets);
    expect(await post('/v2/languages', '{"type":"target"}', 'application/json')).toEqual(targets);
    expect(await post('/v2/languages?type=target', '', form)).toEqual(targets);
    expect((await post('/v2/languages', 'type=both', form)).status).toBe(400);
    const pairs = await get('/v2/glossary-language-pairs');
    expect(await post('/v2/glossary-language-pairs', '', form)).toEqual(pairs);
    expect(await post('/v2/glossary-language-pairs', '{}', 'application/json')).toEqual(pairs);
    expect(await post('/v2/glossary-language-pairs', '', 'application/json')).toEqual(pairs);
    const usage = await get('/v2/usage');
    expect(await post('/v2/usage', '', form)).toEqual(usage);
    const stranger = { Authorization: 'DeepL-Auth-Key no' };
    for (const place of ['/v2/usage', '/v2/languages', '/v2/glossary-language-pairs']) {
      const refused = await fetch(server.url + place, { method: 'POST', headers: stranger });
      expect(refused.status).toBe(403);
    }
  });
});

describe('an unsupported method', () => {
  it.each([
    ['GET', '/v2/translate', 'POST'],
    ['PUT', '/v2/usage?x=1', 'GET, HEAD, POST'],
    ['PATCH', `/v2/document/${'A'.repeat(32)}`, 'DELETE, GET, HEAD, POST'],
    ['DELETE', '/v3/glossaries', 'GET, HEAD, POST'],
    ['POST', '/healthz', 'GET, HEAD'],
  ])('%s %s is answered with 405 and the allowed methods', async (method, pathname, allowed) => {
    const response = await fetch(server.url + pathname, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allowed);
    expect(await response.json()).toEqual({
      message: `${method} is not possible here. Possible: ${allowed}.`,
    });
  });

  it.each(['/nope', '/v2/nope', '/v3/voice/realtime/connect', '/widget/x'])(
    'is answered with 404 for an unknown %s',
    async (pathname) => {
      const response = await fetch(server.url + pathname);
      expect(response.status).toBe(404);
      expect(response.headers.get('allow')).toBeNull();
    },
  );
});
