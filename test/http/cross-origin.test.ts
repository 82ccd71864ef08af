/** What pages of other sites may do, and the security headers of every answer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Storage } from '../../server/stores.ts';
import { openEmbedded, platformOver, type Platform } from '../support/product/platform.ts';
import { until, type RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';
import { requestSession, sessionCount } from '../support/product/voice-client.ts';

const SITE = 'https://captions.example.org';
const OTHER_SITE = 'https://elsewhere.example.net';

let server: RunningServer;
let storage: Storage;
let platform: Pick<Platform, 'accounts' | 'newcomer'>;
beforeAll(async () => {
  server = await sharedServer();
  storage = await openEmbedded(server.dataFolder);
  platform = platformOver(storage);
});
afterAll(async () => {
  await storage.close();
  await server.stop();
});

async function customer(origins: string[] = []) {
  const { account, secret } = await platform.newcomer();
  await platform.accounts.change(account.accountId, { origins });
  return { account, headers: { Authorization: `DeepL-Auth-Key ${secret}` } };
}

/** The preflight request that a browser sends before a request with a key. */
function preflight(pathname: string, origin: string) {
  return fetch(server.url + pathname, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type',
    },
  });
}

/** Opens a socket as a page would; resolves to `open`, or to the close code and the messages. */
function openSocket(url: string, origin?: string): Promise<string> {
  const socket = new WebSocket(url, origin === undefined ? {} : { origin });
  return new Promise((resolve) => {
    let told = '';
    socket.on('message', (data: Buffer) => {
      told += data.toString();
      if (!told.includes('error')) finish('open');
    });
    socket.on('error', ({ message }) => finish(message));
    socket.on('close', (code) => finish(`${code} ${told}`));

    function finish(outcome: string): void {
      socket.terminate();
      resolve(outcome);
    }
  });
}

async function socketAddress(headers: Record<string, string>): Promise<string> {
  const { streaming_url, token } = await requestSession(
    server,
    { acknowledgements: true },
    headers,
  );
  return `${streaming_url}?token=${token}`;
}

describe('calls from pages of other sites', () => {
  it('are denied unless an account lists the site', async () => {
    const { headers } = await customer();
    const asked = await preflight('/v2/translate', OTHER_SITE);
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
    const answered = await server.get('/v2/usage', { ...headers, Origin: OTHER_SITE });
    expect(answered.status).toBe(200);
    expect(answered.headers.get('access-control-allow-origin')).toBeNull();
    expect(answered.headers.get('vary')).toBe('Origin');
  });

  it('are allowed for the sites of the account whose key they send, errors included', async () => {
    const { headers } = await customer([SITE]);
    // Changed origins take effect within five seconds.
    const asked = await until(async () => {
      const answer = await preflight('/v3/glossaries', SITE);
      return answer.headers.get('access-control-allow-origin') === SITE && answer;
    });
    expect(asked.headers.get('access-control-allow-headers')).toMatch(
      /Authorization.*Content-Type/,
    );
    expect(asked.headers.get('access-control-allow-methods')).toMatch(/POST/);
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
    const answered = await server.get('/v2/usage', { ...headers, Origin: SITE });
    expect(answered.headers.get('access-control-allow-origin')).toBe(SITE);
    expect(answered.headers.get('access-control-expose-headers')).toMatch(/X-Trace-ID/);
    const failed = await server.get('/v3/glossaries/nonsense', { ...headers, Origin: SITE });
    expect(failed.status).toBe(400);
    expect(failed.headers.get('access-control-allow-origin')).toBe(SITE);
  });

  it('are not allowed by the list of another account', async () => {
    await customer([SITE]);
    const { headers } = await customer();
    const answered = await server.get('/v2/usage', { ...headers, Origin: SITE });
    expect(answered.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('reach only the public API', async () => {
    await customer(['*']);
    for (const pathname of ['/demo/token', '/console/api/session', '/metrics']) {
      const asked = await preflight(pathname, SITE);
      expect(asked.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('voice sockets', () => {
  it.each([
    ['programs', undefined],
    ['pages of the server itself', 'own'],
    ['pages of the same machine', 'http://localhost:5173'],
    ['pages of a listed site', SITE],
  ])('are open to %s', async (_who, origin) => {
    const { headers } = await customer([SITE]);
    const page = origin === 'own' ? server.url : origin;
    expect(await openSocket(await socketAddress(headers), page)).toBe('open');
  });

  it.each([OTHER_SITE, 'null', 'https://captions.example.org.evil.example', 'nonsense'])(
    'are closed to %s, with instructions',
    async (origin) => {
      const { headers } = await customer([SITE]);
      const before = await sessionCount(server);
      const refusal = await openSocket(await socketAddress(headers), origin);
      expect(refusal).toMatch(/^4403 /);
      expect(refusal).toContain('--add-origin');
      expect(await sessionCount(server)).toBe(before);
    },
  );

  it('are open to every site when the account allows it', async () => {
    const { headers } = await customer(['*']);
    expect(await openSocket(await socketAddress(headers), OTHER_SITE)).toBe('open');
  });
});

describe('every answer', () => {
  it.each([
    '/v2/usage',
    '/v3/languages?resource=voice',
    '/healthz',
    '/metrics',
    '/openapi.json',
    '/no/such/thing',
    '/%zz',
  ])('for %s allows no scripts, no content sniffing and no referrer', async (path) => {
    const { headers } = await fetch(server.url + path);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('x-trace-id')).toMatch(/^[0-9a-f]{32}$/);
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it.each(['/', '/docs'])(
    'that is a page, such as %s, allows scripts of no other site',
    async (path) => {
      const policy = (await fetch(server.url + path)).headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toMatch(/frame-ancestors '(?:self|none)'/);
      expect(policy).not.toMatch(/unsafe|\*/);
    },
  );
});
