/** The endpoints for operators: metrics and readiness. */
import http from 'node:http';
import os from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Health } from '../../shared/schemas/health.ts';
import { startHosted, type HostedServer } from '../support/product/hosted-server.ts';

const metricsOf = async (server: HostedServer, headers: Record<string, string> = {}) => {
  const response = await server.get('/metrics', headers);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

/** A non-loopback address of this machine, if it has any. */
const otherAddress = Object.values(os.networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

describe('the metrics without a key', () => {
  let server: HostedServer;
  beforeAll(async () => (server = await startHosted({ RECOGNISER: 'silent', HOST: '0.0.0.0' })));
  afterAll(() => server.stop());

  it('are readable from this machine', async () => {
    const { status, headers, text } = await metricsOf(server);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toMatch(/^dragoman_voice_sessions 0$/m);
    expect(text).toMatch(/^process_cpu_seconds_total /m);
  });

  it('count translations without revealing their text or account', async () => {
    const body = { text: ['The red house'], source_lang: 'EN', target_lang: 'ES' };
    expect((await server.post('/v2/translate', body)).status).toBe(200);
    const { text } = await metricsOf(server);
    expect(text).toMatch(/^dragoman_translated_characters_total\{engine="apertium"\} 13$/m);
    expect(text).toMatch(
      /_latency_seconds_count\{kind="translation",engine="apertium",outcome="ok"\} 1$/m,
    );
    expect(text).not.toContain(server.apiKey);
    expect(text).not.toContain('house');
  });

  it.each(['X-Forwarded-For', 'Forwarded', 'Via', 'X-Real-IP'])(
    'are refused to a proxied request, as indicated by %s',
    async (name) => {
      const { status, text } = await metricsOf(server, { [name]: '127.0.0.1' });
      expect(status).toBe(403);
      expect(text).toContain('METRICS_KEY');
    },
  );

  it.skipIf(otherAddress === undefined)('are refused to other machines', async () => {
    const { port: listening } = new URL(server.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const options = { host: otherAddress, port: listening, path: '/metrics' };
      http
        .get(options, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
        .on('error', reject);
    });
    expect(status).toBe(403);
  });
});

it('serves metrics with a key only to its bearer, from anywhere', async () => {
  const server = await startHosted({ RECOGNISER: 'silent', METRICS_KEY: 'measure-4711' });
  try {
    const behindProxy = { Authorization: 'Bearer measure-4711', 'X-Forwarded-For': '192.0.2.1' };
    expect((await metricsOf(server, behindProxy)).status).toBe(200);
    for (const given of ['', 'Bearer measure-471', 'Bearer', 'Basic measure-4711', server.apiKey]) {
      const { status, text } = await metricsOf(server, { Authorization: given });
      expect(status, given).toBe(403);
      expect(text).not.toContain('4711');
    }
    expect((await metricsOf(server)).status).toBe(403);
    expect(await server.logs()).not.toContain('measure-4711');
  } finally {
    await server.stop();
  }
});

describe('readiness', () => {
  it('is reported while the server accepts work, and ends when it stops', async () => {
    const server = await startHosted({ RECOGNISER: 'silent', TRUST_PROXY: 'on' });
    try {
      const response = await server.get('/readyz');
      expect(response.status).toBe(200);
      const voice = { takes_sessions: true, load: 0, late_sessions: 0 };
      expect(await response.json()).toEqual({ status: 'ready', voice });
      // Behind a proxy no request counts as local, so the metrics need a key.
      expect((await metricsOf(server)).status).toBe(403);
    } finally {
      await server.stop();
    }
    await expect(server.get('/readyz')).rejects.toThrow();
  });

  it('names what is missing when no engine runs, and everything else is served', async () => {
    const server = await startHosted({
      MODELS_DIR: '/nowhere',
      APERTIUM_MODES: '/nowhere',
    });
    try {
      const response = await server.get('/readyz');
      expect(response.status).toBe(503);
      const { message } = (await response.json()) as { message: string };
      expect(message).toMatch(/^Not ready: no speech recogniser and no translator/);
      const health = await server.get('/healthz');
      expect(health.status).toBe(200);
      const { engines } = (await health.json()) as Health;
      expect(engines.recognition).toEqual([]);
      expect(engines.problems.join('\n')).toMatch(
        /models install moonshine-tiny-en[\s\S]*apertium/,
      );
      expect(await server.logs()).not.toMatch(/"level":50/);
      const session = { source_media_content_type: 'audio/webm', source_language: 'en' };
      expect((await server.post('/v3/voice/realtime', session)).status).toBe(503);
      const text = { text: ['a'], source_lang: 'EN', target_lang: 'ES' };
      expect((await server.post('/v2/translate', text)).status).toBe(400);
    } finally {
      await server.stop();
    }
  });
});
