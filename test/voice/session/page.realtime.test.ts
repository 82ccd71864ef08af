import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from '../../support/machine/chromium.ts';
import { projectFolder, until } from '../../support/product/server.ts';
import { sharedServer, type SharedServer } from '../../support/product/shared-server.ts';
import { speech } from '../../support/audio/speech.ts';
import { wordErrorRate } from '../../support/audio/word-error-rate.ts';

/** The API that the element offers to a page. */
type Captions = HTMLElement & {
  transcript(language: string): string;
  updateComplete: Promise<boolean>;
};

const TEXT = 'and so my fellow americans ask not what your country can do for you';
const artefacts = path.join(projectFolder, 'artifacts');

let server: SharedServer;
let browser: Browser;
beforeAll(async () => {
  server = await sharedServer('hearing');
  // Chromium repeats the file, so a long silence at its end leaves time to press stop.
  const said = { text: TEXT, sampleRateHz: 48_000, padStartS: 1, padEndS: 30 };
  browser = await launchChromium(await speech(said));
  mkdirSync(artefacts, { recursive: true });
});
afterAll(() => browser.close());

/**
 * Opens the demo page in a Chromium whose microphone plays the speech, and records its errors and traffic.
 */
async function openPage() {
  const page = await browser.newPage({
    viewport: { width: 1366, height: 900 },
    // Screenshots need lines that do not move.
    reducedMotion: 'reduce',
  });
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  const seen: Promise<string>[] = [];
  page.on('request', (request) =>
    seen.push(Promise.resolve(JSON.stringify(request.headers()) + request.url())),
  );
  page.on('response', (response) => seen.push(response.text().catch(() => '')));
  await page.goto(server.url);
  return { page, complaints, seen };
}

const transcript = (page: Page, language: string) =>
  page.evaluate(
    (wanted) => document.querySelector<Captions>('voice-captions')!.transcript(wanted),
    language,
  );

it('captions a microphone in English and Spanish without exposing an API key', async () => {
  const { page, complaints, seen } = await openPage();
  const texts = (part: string) => page.locator(`voice-captions [part~="${part}"]`).allInnerTexts();
  await page.getByRole('button', { name: /start/i }).click();
  await until(async () => /for you/i.test(await transcript(page, 'en')));
  await until(async () => /país/.test(await transcript(page, 'es')));
  await page.screenshot({ path: path.join(artefacts, 'captions.png') });
  // All tentative text has been concluded, so nothing changes any more.
  await until(async () => (await texts('tentative')).join('').trim() === '');
  expect((await texts('concluded')).join(' ')).toMatch(/country[\s\S]*país/);
  await page.getByRole('button', { name: /stop/i }).click();
  await until(() => page.getByRole('button', { name: /start/i }).isVisible());

  const english = await transcript(page, 'en');
  expect(wordErrorRate(TEXT, english), english).toBeLessThanOrEqual(0.25);
  expect(await transcript(page, 'es')).toMatch(/país/);
  expect(complaints).toEqual([]);
  const all = (await Promise.all(seen)).join('\n');
  expect(all).toContain('streaming_url');
  expect(all).not.toContain(server.ownApiKey);
});
