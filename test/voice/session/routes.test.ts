import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { securityHeaders } from '../../../server/http/upgrades.ts';
import { rawExchange } from '../../support/machine/raw-exchange.ts';
import { startHosted, WITHOUT_ENGINES } from '../../support/product/hosted-server.ts';
import type { RunningServer } from '../../support/product/server.ts';
import { sharedServer } from '../../support/product/shared-server.ts';
import { connectWith, PCM_16K, type SessionAnswer } from '../../support/product/voice-client.ts';

const PATH = '/v3/voice/realtime';
const spoken = { target_media_languages: ['es'] };
const request = { source_media_content_type: PCM_16K, source_language: 'en' };

async function answer(pending: Response | Promise<Response>) {
  const response = await pending;
  const body = (await response.json()) as Record<string, string>;
  return { status: response.status, headers: response.headers, body };
}

let server: RunningServer;
beforeAll(async () => (server = await sharedServer()));
afterAll(() => server.stop());

describe('a session request', () => {
  it('is answered with an address, a token and an id', async () => {
    const { status, headers, body } = await answer(
      server.post(PATH, {
        ...request,
        target_languages: ['es', 'pt-br'],
        message_format: 'msgpack',
      }),
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      streaming_url: `${server.url.replace('http', 'ws')}/v3/voice/realtime/connect`,
      token: expect.stringMatching(/^[\w-]{20,}$/) as string,
      session_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
    });
    expect(headers.get('x-trace-id')).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each(['Service-Auth-Key', 'DeepL-Auth-Key', 'service-auth-key', 'DEEPL-AUTH-KEY'])(
    'accepts the authorization scheme %s',
    async (scheme) => {
      const headers = { Authorization: `${scheme} ${server.apiKey}` };
      expect((await server.post(PATH, request, headers)).status).toBe(200);
    },
  );

  it.each(['', 'Service-Auth-Key', 'Service-Auth-Key invalid', 'Bearer KEY', 'Basic KEY', 'KEY'])(
    'with the authorization %j is forbidden',
    async (header) => {
      const Authorization = header.replace('KEY', server.apiKey);
      const { status, body } = await answer(server.post(PATH, request, { Authorization }));
      expect(status).toBe(403);
      expect(body['message']).toBeTruthy();
      expect(JSON.stringify(body)).not.toContain(server.apiKey);
    },
  );

  it.each([
    [{ source_media_content_type: undefined }, /source_media_content_type/],
    [{ source_media_content_type: 'audio/pcm' }, /source_media_content_type.*s16le;rate=16000/],
    [{ message_format: 'xml' }, /message_format.*json, msgpack/],
    [{ source_language: 'xx' }, /source_language.*en/],
    [{ source_language: undefined, source_language_mode: 'fixed' }, /source_language/],
    [{ source_language_mode: 'guess' }, /source_language_mode.*auto, fixed/],
    [{ target_languages: ['tlh'] }, /target_languages.*es/],
    [{ target_languages: ['../es'] }, /target_languages/],
    [{ target_languages: ['es', 'ES'] }, /twice/],
    [{ target_languages: ['es', 'ca', 'fr', 'pt', 'it', 'en'] }, /at most 5/i],
    [{ target_languages: [5] }, /target_languages/],
    [{ target_media_languages: ['es', 'fr'] }, /at most 1/],
    [{ target_media_languages: ['th'] }, /target_(media_)?languages/],
    [
      { target_media_languages: ['es'], target_languages: ['ca', 'fr', 'pt', 'it', 'en'] },
      /most 5/,
    ],
    [{ target_media_content_type: 'audio/webm' }, /only with target_media_languages/],
    [{ target_media_voice: 'male' }, /only with target_media_languages/],
    [{ ...spoken, target_media_content_type: 'audio/midi' }, /audio\/webm;codecs=opus/],
    [{ ...spoken, target_media_voice: 'robot' }, /male, female/],
    [{ glossary_id: 'nonsense' }, /glossary_id/],
    [{ spoken_terms_id: 'b8bb1b5e-62f2-4e39-9e07-6ee8c3c2c1e4' }, /spoken_terms_id/],
    [{ formality: 'more', target_languages: ['es'] }, /formality/],
    [{ formality: 'rude' }, /formality.*informal/],
    [{ caption_mode: 'frantic' }, /instant, balanced, settled/],
    [{ acknowledgements: 'often' }, /acknowledgements/],
  ])('with %j gives a 400 that lists the possible values', async (part, message) => {
    const { status, body } = await answer(server.post(PATH, { ...request, ...part }));
    expect(status).toBe(400);
    expect(body['message']).toMatch(message);
  });

  it('may contain nulls, unknown fields, and blanks in its media type', async () => {
    const body = {
      ...request,
      ...{ source_media_content_type: 'audio/pcm; encoding=s16le; rate=16000' },
      ...{ spoken_terms_id: null, glossary_id: null, formality: null, whatever: { a: 1 } },
    };
    expect((await server.post(PATH, body)).status).toBe(200);
  });

  it.each([
    ['no JSON', '{', 'application/json', 400],
    ['a list', '[]', 'application/json', 400],
    ['nothing', '', 'application/json', 400],
    ['text', 'hello', 'text/plain', 415],
    ['too much', JSON.stringify({ a: 'x'.repeat(140_000) }), 'application/json', 413],
  ])('of %s is refused', async (_what, body, type, expected) => {
    const { status, headers, ...rest } = await answer(
      fetch(server.url + PATH, {
        method: 'POST',
        body,
        headers: { 'Content-Type': type, Authorization: `Service-Auth-Key ${server.apiKey}` },
      }),
    );
    expect(status).toBe(expected);
    expect(rest.body['message']).toBeTruthy();
    expect(headers.get('x-trace-id')).toMatch(/^[0-9a-f]{32}$/);
  });

  it('with another method or path gives 404', async () => {
    for (const pathname of ['/v3/voice', '/v3/voice/realtime/connect', '/%2e%2e/etc/passwd']) {
      const { status, body } = await answer(server.get(pathname));
      expect(status).toBe(404);
      expect(body['message']).toBeTruthy();
    }
  });
});

it('answers malformed HTTP and malformed addresses like any other mistake', async () => {
  for (const line of ['GET /%zz HTTP/1.1', 'HELLO', 'GET / HTTP/9.9']) {
    const answer = await rawExchange(server.url, `${line}\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer, line).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer, line).toMatch(/x-trace-id: [0-9a-f]{32}/i);
    expect(answer, line).toMatch(/\{"message":".+"\}$/);
    // Security headers as in every other answer.
    for (const [name, value] of Object.entries(securityHeaders(false))) {
      expect(answer.toLowerCase(), line).toContain(`\r\n${name}: ${value}\r\n`.toLowerCase());
    }
  }
});

it('answers an upgrade to another protocol as a plain request', async () => {
  const upgrade =
    'Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk';
  const health = await rawExchange(server.url, `GET /healthz HTTP/1.1\r\n${upgrade}\r\n\r\n`);
  expect(health).toMatch(/^HTTP\/1\.1 200 /);
  const body = JSON.stringify({ text: ['The house'], source_lang: 'EN', target_lang: 'ES' });
  const head = [
    'POST /v2/translate HTTP/1.1',
    upgrade,
    `Authorization: Service-Auth-Key ${server.apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const answer = await rawExchange(server.url, `${head.join('\r\n')}\r\n\r\n${body}`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*casa/i);
});

it('answers oversized headers, expectations and a missing host regularly', async () => {
  const ask = (head: string) => rawExchange(server.url, `${head}\r\nConnection: close\r\n\r\n`);
  const large = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}`;
  expect(await ask(large)).toMatch(/^HTTP\/1\.1 413 [\s\S]*"message"/);
  expect(await ask('GET /healthz HTTP/1.1')).toMatch(/^HTTP\/1\.1 200 [\s\S]*x-trace-id/i);
  expect(await ask('GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: tea')).toMatch(/^HTTP\/1\.1 200 /);
});

describe('settings', () => {
  // A scheme may be in capitals.
  const forwarded = { 'X-Forwarded-Proto': 'HTTPS', 'X-Forwarded-Host': 'live.example.org' };

  it('limit the sessions of the server; the streaming address follows PUBLIC_URL', async () => {
    const own = await startHosted({
      ...{ ...WITHOUT_ENGINES, VOICE_MAX_SESSIONS: '2' },
      PUBLIC_URL: 'https://live.example.org/gateway/',
    });
    try {
      const answers = await Promise.all([1, 2, 3].map(() => own.post(PATH, request)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
      const refused = answers.find(({ status }) => status === 429);
      expect(refused?.headers.get('retry-after')).toBeTruthy();
      for (const granted of answers.filter(({ status }) => status === 200)) {
        const { streaming_url } = (await granted.json()) as SessionAnswer;
        expect(streaming_url).toBe('wss://live.example.org/gateway/v3/voice/realtime/connect');
      }
    } finally {
      await own.stop();
    }
  });

  it('trust the nearest proxy: the streaming address follows it, and a page is let in by the last of several hosts', async () => {
    const own = await startHosted({ ...WITHOUT_ENGINES, TRUST_PROXY: 'on' });
    /** Opens a socket from a page of that host. @returns its first message, or undefined */
    const openFrom = async (host: string) => {
      const { token } = (await (await own.post(PATH, request)).json()) as SessionAnswer;
      const url = `${own.url.replace('http', 'ws')}${PATH}/connect?token=${token}`;
      const socket = new WebSocket(url, {
        headers: { 'X-Forwarded-Host': 'forged.example.org, live.example.org' },
        origin: `https://${host}`,
      });
      // A refusal comes at once, before the answer to a ping.
      const refusal = once(socket, 'message').then(([data]) => String(data));
      await once(socket, 'open');
      socket.ping();
      const first = await Promise.race([refusal, once(socket, 'pong').then(() => 'open')]);
      socket.terminate();
      return first;
    };
    try {
      const asked = await own.post(PATH, request, forwarded);
      const { streaming_url } = (await asked.json()) as SessionAnswer;
      expect(streaming_url).toBe('wss://live.example.org/v3/voice/realtime/connect');
      expect(await openFrom('live.example.org')).toBe('open');
      expect(await openFrom('forged.example.org')).toContain('"error"');
    } finally {
      await own.stop();
    }
  });

  it('are required for a streaming address that follows a proxy', async () => {
    const answer = await server.post(PATH, request, forwarded);
    const { streaming_url } = (await answer.json()) as SessionAnswer;
    expect(streaming_url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/v3\/voice/);
  });
});

it('serves HTTPS and secure WebSockets with a certificate, and with its renewal', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-tls-'));
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-days', '1', '-nodes'];
  const certify = () => {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    const request = ['req', '-x509', ...curve, '-keyout', key, '-out', cert];
    execFileSync('openssl', [...request, ...subject], { stdio: 'ignore' });
    return new X509Certificate(readFileSync(cert)).fingerprint256;
  };
  const first = certify();
  const server = await startHosted({
    ...WITHOUT_ENGINES,
    HOST: 'localhost',
    TLS_CERT_FILE: cert,
    TLS_KEY_FILE: key,
  });
  try {
    // The name of the certificate.
    expect(server.url).toMatch(/^https:\/\/localhost:/);
    const session = await new Promise<SessionAnswer>((resolve, reject) => {
      const headers = {
        'Content-Type': 'application/json',
        Authorization: `Service-Auth-Key ${server.apiKey}`,
      };
      const options = { method: 'POST', headers, rejectUnauthorized: false };
      https
        .request(server.url + PATH, options, (response) => {
          let text = '';
          response.on('data', (part: Buffer) => (text += part.toString()));
          response.on('end', () => resolve(JSON.parse(text) as SessionAnswer));
        })
        .on('error', reject)
        .end(JSON.stringify(request));
    });
    expect(session.streaming_url).toMatch(/^wss:/);
    const client = await connectWith(session, 'json');
    client.end();
    expect((await client.closed).code).toBe(1000);

    const presented = () =>
      new Promise<string>((resolve, reject) => {
        const { hostname: host, port } = new URL(server.url);
        const socket = tls.connect({ host, port: Number(port), rejectUnauthorized: false });
        socket.once('error', reject).once('secureConnect', () => {
          resolve(socket.getPeerCertificate().fingerprint256);
          socket.destroy();
        });
      });
    expect(await presented()).toBe(first);
    const renewed = certify();
    expect(await presented()).toBe(renewed);

    // Unusable at first; what makes it usable changes neither its size nor its time, as `chmod`.
    const last = certify();
    const [whole, { mtime }] = [readFileSync(cert), statSync(cert)];
    const write = (bytes: Uint8Array) => {
      const { ctimeMs } = statSync(cert);
      while (statSync(cert).ctimeMs === ctimeMs) {
        writeFileSync(cert, bytes);
        utimesSync(cert, mtime, mtime);
      }
    };
    write(whole.map((byte, index) => (index < 500 ? byte : 10)));
    expect(await presented()).toBe(renewed);
    write(whole);
    expect(await presented()).toBe(last);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
