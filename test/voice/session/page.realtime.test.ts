import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from '../../support/machine/chromium.ts';
import { projectFolder, until } from '../../support/product/server.ts';
import { sharedServer, type SharedServer } from '../../support/product/shared-server.ts';
import { speech } from '../../support/audio/speech.ts';
import { wordErrorRate } from '../../support/audio/word-error-rate.ts';

/** What the element offers a page. */
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
  // The file repeats: a long silence at its end leaves time to press stop.
  const said = { text: TEXT, sampleRateHz: 48_000, padStartS: 1, padEndS: 30 };
  browser = await launchChromium(await speech(said));
  mkdirSync(artefacts, { recursive: true });
});
afterAll(() => browser.close());

/** Opens the demo page in a Chromium whose microphone plays the speech, and notes all it asks and is told. */
async function openPage() {
  const page = await browser.newPage({
    viewport: { width: 1366, height: 900 },
    // Pictures are taken of lines that stand still.
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

it('a voice at the microphone becomes captions in English and Spanish, and no API key is seen', async () => {
  const { page, complaints, seen } = await openPage();
  const texts = (part: string) => page.locator(`voice-captions [part~="${part}"]`).allInnerTexts();
  await page.getByRole('button', { name: /start/i }).click();
  await until(async () => /for you/i.test(await transcript(page, 'en')));
  await until(async () => /país/.test(await transcript(page, 'es')));
  await page.screenshot({ path: path.join(artefacts, 'captions.png') });
  // What was tentative has been concluded: nothing is left that may still change.
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
