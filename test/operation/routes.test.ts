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

describe('a server without a key for its metrics', () => {
  let server: HostedServer;
  beforeAll(async () => (server = await startHosted({ RECOGNISER: 'silent', HOST: '0.0.0.0' })));
  afterAll(() => server.stop());

  it('lets this machine read them', async () => {
    const { status, headers, text } = await metricsOf(server);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toMatch(/^dragoman_voice_sessions 0$/m);
    expect(text).toMatch(/^process_cpu_seconds_total /m);
  });

  it('counts translations without revealing their text or account', async () => {
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
    'refuses them to a proxied request, as indicated by %s',
    async (name) => {
      const { status, text } = await metricsOf(server, { [name]: '127.0.0.1' });
      expect(status).toBe(403);
      expect(text).toContain('METRICS_KEY');
    },
  );

  it.skipIf(otherAddress === undefined)('refuses them to other machines', async () => {
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

  it('is ready while it accepts work, until it stops', async () => {
    const response = await server.get('/readyz');
    expect(response.status).toBe(200);
    const voice = { takes_sessions: true, load: 0, late_sessions: 0 };
    expect(await response.json()).toEqual({ status: 'ready', voice });
    await server.stop();
    await expect(server.get('/readyz')).rejects.toThrow();
  });
});

describe('a server without engines, with a key for its metrics', () => {
  const nowhere = { MODELS_DIR: '/nowhere', APERTIUM_MODES: '/nowhere' };
  let server: HostedServer;
  beforeAll(async () => (server = await startHosted({ ...nowhere, METRICS_KEY: 'measure-4711' })));
  afterAll(() => server.stop());

  it('serves metrics only to the bearer of the key, from anywhere', async () => {
    const behindProxy = { Authorization: 'Bearer measure-4711', 'X-Forwarded-For': '192.0.2.1' };
    expect((await metricsOf(server, behindProxy)).status).toBe(200);
    for (const given of ['', 'Bearer measure-471', 'Bearer', 'Basic measure-4711', server.apiKey]) {
      const { status, text } = await metricsOf(server, { Authorization: given });
      expect(status, given).toBe(403);
      expect(text).not.toContain('4711');
    }
    expect((await metricsOf(server)).status).toBe(403);
    expect(await server.logs()).not.toContain('measure-4711');
  });

  it('is not ready and names what is missing, and everything else is served', async () => {
    const response = await server.get('/readyz');
    expect(response.status).toBe(503);
    const { message } = (await response.json()) as { message: string };
    expect(message).toMatch(/^Not ready: no speech recogniser and no translator/);
    const health = await server.get('/healthz');
    expect(health.status).toBe(200);
    const { engines } = (await health.json()) as Health;
    expect(engines.recognition).toEqual([]);
    expect(engines.problems.join('\n')).toMatch(/models install moonshine-tiny-en[\s\S]*apertium/);
    expect(await server.logs()).not.toMatch(/"level":50/);
    const session = { source_media_content_type: 'audio/webm', source_language: 'en' };
    expect((await server.post('/v3/voice/realtime', session)).status).toBe(503);
    const text = { text: ['a'], source_lang: 'EN', target_lang: 'ES' };
    expect((await server.post('/v2/translate', text)).status).toBe(400);
  });
});
