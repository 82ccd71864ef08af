/** Behaviour that every route of the interface shares. */
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { askEveryRoute } from '../bench/first-minute.ts';
import { sharedServer, type SharedServer } from '../support/product/shared-server.ts';

interface Operation {
  requestBody?: { content: Record<string, unknown> };
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const AN_ID = '00000000-0000-4000-8000-000000000000';

let server: SharedServer;
let routes: { path: string; place: string; operations: Record<string, Operation> }[];
beforeAll(async () => {
  server = await sharedServer();
  const document = (await (await server.get('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  routes = Object.entries(document.paths).map(([path, operations]) => ({
    path,
    place: path.replaceAll(/\{[^}]+\}/g, AN_ID),
    operations: Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method.toUpperCase(), operation]),
    ),
  }));
});

/** Sends a request without checking it against the document, which does not describe impossible requests. */
function ask(method: string, place: string, headers: Record<string, string> = {}, body?: Buffer) {
  return fetch(server.url + place, {
    method,
    headers: { Authorization: `DeepL-Auth-Key ${server.apiKey}`, ...headers },
    ...(body !== undefined && { body: new Uint8Array(body) }),
  });
}

it('answers an unknown method with 405 and the allowed methods', async () => {
  expect(routes.length).toBeGreaterThan(30);
  for (const [index, { place, operations }] of routes.entries()) {
    const known = Object.keys(operations);
    // A result that can be read only once has no HEAD, which would consume it.
    const isOnce = place.endsWith('/result');
    const allowed = [...known, ...(known.includes('GET') && !isOnce ? ['HEAD'] : [])]
      .sort()
      .join(', ');
    // They are answered alike: one of them is asked.
    const unknown = METHODS.filter((each) => !known.includes(each));
    const method = unknown[index % unknown.length]!;
    const response = await ask(method, place);
    expect([method, place, response.status]).toEqual([method, place, 405]);
    expect(response.headers.get('allow')).toBe(allowed);
    expect(await response.json()).toHaveProperty('message', expect.stringContaining(allowed));
  }
});

describe('a compressed body', () => {
  /** A megabyte compressed to a kilobyte. */
  const packed = gzipSync(Buffer.alloc(1_000_000, 'a'));

  it('is refused by every route without being decompressed', async () => {
    let count = 0;
    for (const { place, operations } of routes) {
      if (place.startsWith('/v2/admin/')) continue;
      for (const [method, { requestBody }] of Object.entries(operations)) {
        for (const type of Object.keys(requestBody?.content ?? {})) {
          const headers = {
            'Content-Type': type.startsWith('multipart/') ? `${type}; boundary=b` : type,
            'Content-Encoding': 'gzip',
          };
          const response = await ask(method, place, headers, packed);
          const { message } = (await response.json()) as { message: string };
          expect([method, place, type, response.status]).toEqual([method, place, type, 415]);
          expect(message).toMatch(/Content-Encoding/);
          expect(response.headers.get('accept-encoding')).toBe('identity');
          count += 1;
        }
      }
    }
    expect(count).toBeGreaterThan(20);
  });

  it('is not reported when there is none, or when the route would not read it', async () => {
    const encoding = { 'Content-Encoding': 'gzip' };
    expect((await ask('GET', '/v2/usage', encoding)).status).toBe(200);
    expect((await ask('POST', '/v2/usage', encoding)).status).toBe(200);
    expect((await ask('PUT', '/v2/usage', encoding, packed)).status).toBe(405);
    expect((await ask('POST', '/v2/nope', encoding, packed)).status).toBe(404);
  });
});

it('matches a route whose path is percent-encoded', async () => {
  expect((await ask('GET', '/v2/us%61ge')).status).toBe(200);
  const wrong = await ask('PUT', '/v2/us%61ge');
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  expect((await ask('PUT', '/v2/%zz')).status).toBeGreaterThanOrEqual(400);
});

it('is documented and covered by the first-minute benchmark', async () => {
  // The benchmark lists routes by hand, so that a route that disappears is noticed as well.
  const measured = new Set(await askEveryRoute(server));
  const all = routes.flatMap(({ path, operations }) =>
    Object.keys(operations).map((method) => `${method} ${path}`),
  );
  const pages = ['GET /', 'GET /console/', 'GET /docs'];
  expect([...all, ...pages].sort()).toEqual([...measured].sort());
});
