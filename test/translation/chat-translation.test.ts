/**
 * `POST /v2/translate` through a chat engine: features that classic engines lack, billing after a shutdown,
 * and fairness between an account with many requests and one with few.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TextTranslationResponse } from '../../shared/schemas/text-translation.ts';
import {
  chatQuestions,
  startChatServer,
  type ChatServer,
} from '../support/services/openai-chat-server.ts';
import { startHosted, type HostedServer } from '../support/product/hosted-server.ts';
import { openEmbedded, platformOver } from '../support/product/platform.ts';
import { until } from '../support/product/server.ts';
import { executeOn } from '../storage/database-access.ts';
import { createAccountTexts } from '../../server/translation/account-texts.ts';

const dataFolder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-chat-'));
let chat: ChatServer;
let server: HostedServer;
const MOST_UNDER_WAY = 250;
beforeAll(async () => {
  chat = await startChatServer();
  server = await startHosted({
    RECOGNISER: 'silent',
    DATA_DIR: dataFolder,
    ...{
      CHAT_URL: chat.apiUrl,
      CHAT_MODEL: 'pseudo',
      TRANSLATION_ENGINES: 'en/ca: apertium; *: chat',
    },
    TEXT_MAX_UNDER_WAY: String(MOST_UNDER_WAY),
    // A short grace period: requests in progress are aborted soon after the server stops.
    STOP_SECONDS: '0.1',
  });
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
/** All that is billed, whatever its month: one may end during a test. */
const used = async () => {
  const sum = 'select coalesce(sum(amount), 0) as sum from usage_days';
  const [row] = (await executeOn({ url: undefined, dataFolder }, sum)) as { sum: number }[];
  return row!.sum;
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

it("an account's text in progress is limited, while other accounts and a single long request are served", async () => {
  const storage = await openEmbedded(dataFolder);
  try {
    const { secret } = await platformOver(storage).newcomer();
    const translate = (text: string, target = 'ES', key = server.apiKey) =>
      server.post(
        '/v2/translate',
        { text: [text], source_lang: 'EN', target_lang: target },
        { Authorization: `DeepL-Auth-Key ${key}` },
      );
    const improve = (text: string) =>
      server.post('/v2/write/rephrase', { text: [text], target_lang: 'en-US' });
    const long = 'The door is open. '.repeat(6);

    // Alone, a request may be longer than the limit.
    let release = (): void => undefined;
    chat.hold = new Promise<void>((resolve) => (release = resolve));
    const first = translate(long.repeat(3));
    await until(() => chat.requests.some(({ path }) => path.endsWith('/completions')));
    const refusals = [translate(long), translate(long), improve(long), improve(long)];
    const other = await translate('The door is open.', 'CA', secret);
    expect(other.status).toBe(200);
    expect(await other.json()).toMatchObject({ translations: [{ text: 'La porta és oberta.' }] });

    const refused = await Promise.all(refusals);
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await refused[0]?.json()).toEqual({
      message: `Too much text of this account is being processed: the limit is ${MOST_UNDER_WAY} characters at a time. Try again in a moment, with fewer requests at once.`,
    });
    release();
    expect((await first).status).toBe(200);
    // Earlier requests, refused or not, leave no text counted.
    const both = [translate(long), translate(long)];
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
  } finally {
    await storage.close();
  }
});

it('a text that finds no room waits a moment for it, unless the client leaves', async () => {
  const texts = createAccountTexts({ maxLength: 2 });
  const caller = { account: { accountId: 'one' } };
  const during = (abort: AbortController, work: () => Promise<string>) =>
    texts.during({ caller, abort }, ['ab'], work);
  const left = new AbortController();
  const answers = [
    during(new AbortController(), () => nextTurn('first')),
    during(new AbortController(), async () => 'second'),
    during(left, async () => 'third').catch(String),
  ];
  left.abort('left');
  expect(await Promise.all(answers)).toEqual(['first', 'second', 'left']);
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
    expect(await used()).toBe(before);
  });
});
