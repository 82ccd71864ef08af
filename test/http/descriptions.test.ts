import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import { Ajv } from 'ajv';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { descriptionRoutes, publishDescriptions } from '../../server/http/descriptions.ts';
import type { RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

let server: RunningServer;
beforeAll(async () => (server = await sharedServer()));
afterAll(() => server.stop());

/** All `$ref`s of a document with their targets. */
function references(document: unknown): [string, unknown][] {
  const found: [string, unknown][] = [];
  JSON.stringify(document, (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') {
      const steps = value.slice(2).split('/');
      const target = steps.reduce<unknown>(
        (at, step) => (at as Record<string, unknown> | undefined)?.[step],
        document,
      );
      found.push([value, target]);
    }
    return value;
  });
  return found;
}

it('serves an OpenAPI description of its HTTP interface', async () => {
  const document = (await (await server.get('/openapi.json')).json()) as {
    openapi: string;
    paths: Record<string, Record<string, { responses: object; requestBody?: object }>>;
  };
  expect(document.openapi).toMatch(/^3\.1/);
  const body = JSON.stringify(document.paths['/v3/voice/realtime']?.['post']?.requestBody);
  for (const field of ['source_media_content_type', 'message_format', 'target_languages']) {
    expect(body).toContain(field);
  }
  for (const [reference, target] of references(document)) expect(target, reference).toBeDefined();
});

it('has only schemas that compile, as the first request that needs one does', async () => {
  const document = (await (await server.get('/openapi.json')).json()) as object;
  const ajv = new Ajv({ strict: false }).addFormat('uuid', true).addFormat('date-time', true);
  const compileResponse = SerializerSelector()();
  let compiled = 0;
  JSON.stringify(document, (key, value: unknown) => {
    if (key !== 'schema') return value;
    const schema = value as object;
    expect(ajv.compile(schema)).toBeInstanceOf(Function);
    const route = { method: 'GET', url: '/', httpStatus: '200', schema };
    expect(compileResponse(route)).toBeInstanceOf(Function);
    compiled += 1;
    return value;
  });
  expect(compiled).toBeGreaterThan(100);
});

it('serves readable documentation of the interface', async () => {
  const page = await server.get('/docs');
  expect(page.headers.get('content-type')).toMatch(/^text\/html/);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const text = await page.text();
  const document = (await (await server.get('/openapi.json')).json()) as { paths: object };
  for (const path of Object.keys(document.paths)) expect(text).toContain(`<code>${path}</code>`);
  // As in the description of the style rules.
  expect(text).toMatch(/<li><code>numbers<\/code>: /);
  expect(text).not.toMatch(/^\s*- /m);
  expect((await server.get('/docs/style.css')).headers.get('content-type')).toMatch(/^text\/css/);
});

it('has an example of each call that the interface takes', async () => {
  const document = (await (await server.get('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { requestBody?: { content: object } }>>;
  };
  const page = (await (await server.get('/docs')).text()).replaceAll(/&#(\d+);/g, (_, code) =>
    String.fromCharCode(Number(code)),
  );
  const ajv = new Ajv({ strict: false }).addFormat('uuid', true).addFormat('date-time', true);
  let checked = 0;
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const { 'application/json': json } = (requestBody?.content ?? {}) as Record<
        string,
        { schema: object }
      >;
      if (json === undefined) continue;
      const call = page.split(`curl -X ${method.toUpperCase()} '${server.url}${path}'`)[1] ?? '';
      const body: unknown = JSON.parse(/^[^<]*? -d '(.*)'<\/code>/.exec(call)?.[1] ?? '');
      expect(ajv.validate(json.schema, body), `${path}: ${ajv.errorsText()}`).toBe(true);
      checked += 1;
    }
  }
  expect(checked).toBeGreaterThan(20);
  expect(page).toMatch(/\/v3\/languages\?resource=translate_text'/);
  expect(page).toMatch(/\/v2\/document' [^<]* -F 'target_lang=ES' \\\s+-F 'file=@FILE'<\/code>/);
  expect(page).toMatch(/\/live\/state' \\\s+-H 'Authorization: Room-Key YOUR_KEY'/);
  expect(page).toContain('"access":"passcode","passcode":"482913"');
});

it('describes a server below a path of its public address', async () => {
  const base = 'https://live.example.org/base';
  const app = Fastify();
  await publishDescriptions(app, { publicUrl: `${base}/` });
  app.get('/v2/usage', {}, async () => ({}));
  await app.register(descriptionRoutes, { publicUrl: `${base}/` });
  const openApi = (await app.inject('/openapi.json')).json<{ servers: object[] }>();
  expect(openApi.servers).toEqual([{ url: base }]);
  const asyncApi = (await app.inject('/asyncapi.json')).json<{ servers: object }>();
  expect(asyncApi.servers).toMatchObject({ here: { protocol: 'wss', pathname: '/base' } });
  expect((await app.inject('/docs')).body).toContain(`${base}/v2/usage`);
});

it('reports running engines in its health', async () => {
  const response = await server.get('/healthz');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    status: 'ok',
    voice_sessions: expect.any(Number) as number,
    engines: {
      ...{ recognition: ['silent'], translation: ['apertium'], problems: [] },
      synthesis: expect.arrayContaining(['flite', 'espeak-ng']) as string[],
    },
  });
});
