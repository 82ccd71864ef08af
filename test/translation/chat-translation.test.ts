/**
 * `POST /v2/translate` through a chat engine: features that classic engines lack, and billing after a
 * shutdown.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TextTranslationResponse } from '../../shared/schemas/text-translation.ts';
import {
  chatQuestions,
  startChatServer,
  type ChatServer,
} from '../support/services/openai-chat-server.ts';
import { startHosted, type HostedServer } from '../support/product/hosted-server.ts';
import { until } from '../support/product/server.ts';

const dataFolder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-chat-'));
let chat: ChatServer;
let server: HostedServer;
const start = () =>
  startHosted({
    RECOGNISER: 'silent',
    DATA_DIR: dataFolder,
    CHAT_URL: chat.apiUrl,
    CHAT_MODEL: 'pseudo',
    // A short grace period: requests in progress are aborted soon after the server stops.
    STOP_SECONDS: '0.1',
  });
beforeAll(async () => {
  chat = await startChatServer();
  server = await start();
});
afterEach(() => chat.reset());
afterAll(async () => {
  await server.stop();
  await chat.close();
  rmSync(dataFolder, { recursive: true, force: true });
});

const ask = async (body: object, signal?: AbortSignal) => {
  const whole = { text: ['The house'], source_lang: 'EN', show_billed_characters: true, ...body };
  const response = await fetch(`${server.url}/v2/translate`, {
    method: 'POST',
    headers: {
      Authorization: `Service-Auth-Key ${server.apiKey}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(whole),
    ...(signal !== undefined && { signal }),
  });
  const answer = (await response.json()) as TextTranslationResponse & { message: string };
  return { status: response.status, ...answer };
};
const used = async () => {
  const headers = { Authorization: `Service-Auth-Key ${server.apiKey}` };
  const response = await server.get('/v2/usage', headers);
  return ((await response.json()) as { character_count: number }).character_count;
};

describe('a chat engine', () => {
  it('receives context, formality and instructions', async () => {
    const { status, translations } = await ask({
      target_lang: 'DE',
      context: 'A letter to a friend.',
      formality: 'less',
      custom_instructions: ['Keep it short.'],
      model_type: 'quality_optimized',
    });
    expect(status).toBe(200);
    expect(translations[0]).toMatchObject({ model_type_used: 'quality_optimized' });
    expect(chatQuestions(chat)[0]).toMatchObject({
      context: 'A letter to a friend.',
      formality: expect.stringMatching(/inform/i) as string,
      wishes: ['Keep it short.'],
    });
  });

  it('keeps markup, and beta variants are not billed', async () => {
    const before = await used();
    const { translations } = await ask({
      text: ['<p>The <b>old</b> house</p>'],
      target_lang: 'de-CH',
      tag_handling: 'xml',
    });
    expect(translations[0]?.text).toMatch(/^<p>.*<b>.*<\/b>.*<\/p>$/);
    expect(translations[0]?.billed_characters).toBe(0);
    expect(await used()).toBe(before);
    expect((await ask({ target_lang: 'DE' })).translations[0]?.billed_characters).toBe(9);
    expect(await used()).toBe(before + 9);
  });

  it('is listed with its features', async () => {
    const headers = { Authorization: `Service-Auth-Key ${server.apiKey}` };
    const response = await server.get('/v3/languages?resource=translate_text', headers);
    const german = ((await response.json()) as { lang: string; features: object }[]).find(
      ({ lang }) => lang === 'de',
    );
    expect(Object.keys(german?.features ?? {})).toEqual(
      expect.arrayContaining(['formality', 'glossary', 'tag_handling']),
    );
  });
});

describe('an unanswered request is not billed', () => {
  it('when the engine fails', async () => {
    const before = await used();
    chat.always = { status: 500 };
    expect((await ask({ target_lang: 'JA' })).status).toBe(503);
    expect(await used()).toBe(before);
    // Until then the circuit breaker keeps the engine unused.
    chat.always = undefined;
    await until(async () => (await ask({ text: ['a'], target_lang: 'JA' })).status === 200);
  });

  it('when the client disconnects', async () => {
    const before = await used();
    chat.always = 'hang';
    const client = new AbortController();
    const asked = ask({ target_lang: 'NL' }, client.signal).catch(() => undefined);
    await until(async () => chat.requests.length > 0 && (await used()) > before);
    client.abort();
    await asked;
    await until(async () => (await used()) === before);
  });

  it('when the server stops in the meantime', async () => {
    const before = await used();
    chat.always = 'hang';
    const asked = Promise.allSettled(Array.from({ length: 10 }, () => ask({ target_lang: 'NL' })));
    await until(async () => chat.requests.length > 0 && (await used()) > before);
    await server.stop();
    await asked;
    server = await start();
    expect(await used()).toBe(before);
  });
});
