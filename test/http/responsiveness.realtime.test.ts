import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { processorMs } from '../../server/process/supervision.ts';
import type { TextTranslationResponse } from '../../shared/schemas/text-translation.ts';
import { startServer, type TestServer } from '../support/product/server.ts';

let server: TestServer;
beforeAll(
  async () =>
    (server = await startServer({ RECOGNISER: 'silent', TEXT_MAX_UNDER_WAY: '10000000' })),
);
afterAll(() => server.stop());

/** Of the server's own processor time, as the engine and other processes take the rest meanwhile. */
const MAX_LATENCY_MS = 4_500;
/** Just below the largest accepted body. */
const TEXT_SIZE_BYTES = 126_000;
/**
 * Texts with letters would keep the engine busy for minutes, but they are segmented first. A request sent at
 * that time is awaited to its end, so that the longest delay counts in full.
 */
const WATCH_MS = 2_000;
/** Pause between requests, so that these cost less than what is measured. */
const PAUSE_MS = 20;

/**
 * Requests the health of the server until the signal; resolves to the count and the most processor time of
 * one answer.
 */
async function watchHealth(until: AbortSignal): Promise<{ worstMs: number; count: number }> {
  let worstMs = 0;
  let count = 0;
  for (; !until.aborted; count++) {
    const startMs = processorMs(server.pid) ?? 0;
    const { status } = await server.get('/healthz');
    expect(status).toBe(200);
    worstMs = Math.max(worstMs, (processorMs(server.pid) ?? 0) - startMs);
    await delay(PAUSE_MS);
  }
  return { worstMs, count };
}

/** Resolves to the translation, or to undefined when the request was aborted. */
async function translate(
  text: string,
  options: object,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    const response = await fetch(`${server.url}/v2/translate`, {
      method: 'POST',
      headers: {
        Authorization: `Service-Auth-Key ${server.apiKey}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ text: [text], source_lang: 'EN', target_lang: 'ES', ...options }),
      ...(signal !== undefined && { signal }),
    });
    expect(response.status).toBe(200);
    const { translations } = (await response.json()) as TextTranslationResponse;
    return translations[0]?.text;
  } catch (error) {
    if (signal?.aborted === true) return undefined;
    throw error;
  }
}

const KINDS: readonly [part: string, options: object][] = [
  ['a? ', {}],
  ['1 ', {}],
  ['<b>a</b> ', { tag_handling: 'html' }],
  ['<b>', { tag_handling: 'html' }],
];

it('answers other requests beside twelve of 126 kB: short sentences, numbers, short elements, and elements that never end', async () => {
  const watching = new AbortController();
  const leaving = new AbortController();
  const timer = setTimeout(() => leaving.abort(), WATCH_MS);
  const requests = Promise.all(
    [...KINDS, ...KINDS, ...KINDS].map(async ([part, options]) => {
      const text = part.repeat(TEXT_SIZE_BYTES / (JSON.stringify(part).length - 2));
      // A text without letters is only segmented: it comes back in full.
      const hasLetters = /[a-z]/.test(part);
      const answer = await translate(text, options, hasLetters ? leaving.signal : undefined);
      return hasLetters || answer === text;
    }),
  );
  const answered = requests.finally(() => {
    clearTimeout(timer);
    watching.abort();
  });
  const [answers, { worstMs, count }] = await Promise.all([answered, watchHealth(watching.signal)]);
  expect(count).toBeGreaterThan(0);
  expect(worstMs).toBeLessThan(MAX_LATENCY_MS);
  expect(answers).not.toContain(false);
});
