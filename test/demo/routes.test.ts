import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Health } from '../../shared/schemas/health.ts';
import { rawExchange } from '../support/machine/raw-exchange.ts';
import { startHosted, type HostedServer } from '../support/product/hosted-server.ts';
import { startServer } from '../support/product/server.ts';
import { sharedServer, type SharedServer } from '../support/product/shared-server.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { PCM_16K } from '../support/product/voice-client.ts';

const request = { source_media_content_type: PCM_16K, source_language: 'en' };

describe('with the demo on', () => {
  let server: SharedServer;
  beforeAll(async () => (server = await sharedServer('hearing')));

  it('prints which voice speaks which languages at start', async () => {
    const written = await server.written();
    expect(written).toMatch(/Speaks +en en-GB en-US \(flite\)/);
    const [, ownOfEspeak] = /Speaks +(.*) \(espeak-ng\)/.exec(written) ?? [];
    expect(ownOfEspeak).toMatch(/^ar bg cs da /);
    expect(ownOfEspeak).not.toMatch(/\ben\b/);
  });

  it('serves the page under a strict content security policy, without the API key', async () => {
    const response = await server.get('/');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    const page = await response.text();
    expect(page).toContain('<voice-captions');
    const named = [...page.matchAll(/(?:src|href)="([^"#:,]+\.\w+)"/g)].map(
      ([, file = '']) => file,
    );
    expect(named.length).toBeGreaterThanOrEqual(2);
    for (const file of [...named, 'voice-captions.js', 'pcm-capture.worklet.js']) {
      const { status, headers } = await server.get(new URL(file, `${server.url}/`).pathname);
      expect(status, file).toBe(200);
      expect(headers.get('content-type'), file).toMatch(/javascript|css|json/);
    }
    expect(page).not.toContain(server.ownApiKey);
  });

  it('lets pages of other sites load the element', async () => {
    for (const file of ['/voice-captions.js', '/pcm-capture.worklet.js']) {
      const { headers } = await server.get(file);
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it('tells the page what it can offer', async () => {
    expect(await (await server.get('/demo/options')).json()).toEqual({
      source_languages: ['en'],
      better_translations: expect.arrayContaining([
        { source: 'en', target: 'es', models: ['translation-en-es'], size_mb: 20 },
      ]) as unknown,
      target_languages: expect.arrayContaining(['ca', 'es', 'fr', 'it', 'pt']) as string[],
      speech_languages: expect.arrayContaining(['es', 'fr', 'it', 'pt']) as string[],
      voices: expect.objectContaining({ 'pt-BR': 'eSpeak NG, plainly a machine' }) as object,
      sample: true,
      documents: {
        target_languages: expect.objectContaining({
          en: expect.arrayContaining(['es', 'fr']) as string[],
        }) as object,
        formats: expect.arrayContaining([
          { extensions: ['pdf'], outputs: ['pdf', 'docx'], max_bytes: 100_000_000 },
        ]) as object[],
      },
      problems: [],
    });
  });

  it('serves a sample of freshly synthesised speech', async () => {
    const response = await server.get('/demo/sample.wav');
    const wav = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-type')).toBe('audio/wav');
    expect(wav.subarray(0, 4).toString()).toBe('RIFF');
    expect(wav.length).toBeGreaterThan(16_000 * 2 * 3);
  });

  it('issues session tokens to its own page without a key', async () => {
    const origin = { Origin: server.url, 'Sec-Fetch-Site': 'same-origin', Authorization: '' };
    const response = await server.post('/demo/token', request, origin);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ token: expect.any(String) as string });
  });

  it('refuses session tokens under a rebound host name', async () => {
    const body = JSON.stringify(request);
    const head = [
      'POST /demo/token HTTP/1.1',
      ...['Host: rebind.example', 'Origin: http://rebind.example', 'Connection: close'],
      ...['Content-Type: application/json', `Content-Length: ${body.length}`],
    ];
    const answer = await rawExchange(server.url, `${head.join('\r\n')}\r\n\r\n${body}`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  });

  it.each([
    [{ Origin: 'https://elsewhere.example' }],
    [{ Origin: 'null' }],
    [{ 'Sec-Fetch-Site': 'cross-site' }],
    [{ 'Sec-Fetch-Site': 'same-site' }],
  ])('refuses session tokens for %j', async (headers) => {
    const sent = headers as Record<string, string>;
    expect((await server.post('/demo/token', request, sent)).status).toBe(403);
  });
});

describe('without flite', () => {
  it('speaks English with eSpeak NG, including the sample, and suggests a better voice', async () => {
    const programs = temporaryFolder();
    const [espeak = ''] = execFileSync('which', ['espeak-ng'], { encoding: 'utf8' }).split('\n');
    symlinkSync(espeak, path.join(programs, 'espeak-ng'));
    const server = await startServer({ RECOGNISER: 'silent', PATH: programs });
    try {
      expect(server.output()).toMatch(/Speaks .* \(espeak-ng\)/);
      expect(server.output()).not.toMatch(/\((flite|pico)\)|pico/);
      expect(server.output()).toMatch(/\n {2}Missing .*Debian package flite: install it/);
      const { engines } = (await (await server.get('/healthz')).json()) as Health;
      expect(engines.synthesis).toEqual(['espeak-ng']);
      expect(engines.problems.join('\n')).toMatch(/Debian package flite: install it/);
      const request = { target_media_languages: ['en-GB'], source_media_content_type: PCM_16K };
      const session = await server.post('/v3/voice/realtime', {
        ...request,
        source_language: 'en',
      });
      expect(session.status).toBe(200);
      const { headers } = await server.get('/demo/sample.wav');
      expect(headers.get('content-type')).toBe('audio/wav');
    } finally {
      await server.stop();
    }
  });
});

describe('with the demo off', () => {
  let server: HostedServer;
  beforeAll(async () => (server = await startHosted({ RECOGNISER: 'silent', DEMO: 'off' })));
  afterAll(() => server.stop());

  it('serves only the element', async () => {
    for (const path of ['/', '/demo/options', '/demo/sample.wav', '/demo/index.html']) {
      expect((await server.get(path)).status, path).toBe(404);
    }
    expect((await server.post('/demo/token', request)).status).toBe(404);
    expect((await server.get('/voice-captions.js')).status).toBe(200);
  });
});
