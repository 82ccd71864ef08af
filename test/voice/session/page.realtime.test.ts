/** What Chromium sends from a microphone: through the demo page, and as a MediaRecorder writes it. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseSourceMediaType } from '../../../shared/media-type.ts';
import { createAudioDecoders } from '../../../server/voice/audio/decode.ts';
import { correlate, decodedByFfmpeg, fileOf, samplesOf } from '../../support/audio/audio-files.ts';
import { mediaOf, samplesIn } from '../../support/audio/heard.ts';
import { launchChromium } from '../../support/machine/chromium.ts';
import { recordLog } from '../../support/product/log-record.ts';
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

/** Records Chromium's fake microphone twice in succession; returns the chunks of each recording in order. */
async function recordTwice(): Promise<Uint8Array[][]> {
  const page = await browser.newPage();
  // getUserMedia requires a secure context; a local file is one.
  await page.goto(`file://${fileOf(Buffer.from('<title>Recorder</title>'), 'html')}`);
  const recordings = await page.evaluate(async () => {
    const media = await navigator.mediaDevices.getUserMedia({ audio: true });
    const record = async () => {
      const chunks: number[][] = [];
      const recorder = new MediaRecorder(media, { mimeType: 'audio/webm;codecs=opus' });
      const pending: Promise<unknown>[] = [];
      recorder.ondataavailable = ({ data }) => {
        pending.push(data.arrayBuffer().then((bytes) => chunks.push([...new Uint8Array(bytes)])));
        if (pending.length === 10) recorder.stop();
      };
      const stopped = new Promise((resolve) => (recorder.onstop = resolve));
      recorder.start(100);
      await stopped;
      await Promise.all(pending);
      return chunks;
    };
    return [await record(), await record()];
  });
  return recordings.map((chunks) => chunks.map((chunk) => Uint8Array.from(chunk)));
}

it('decodes the chunks of a MediaRecorder and goes on when the recorder is restarted', async () => {
  const recordings = await recordTwice();
  const decoders = createAudioDecoders({ log: recordLog() });
  const pieces: Uint8Array[] = [];
  async function* media() {
    for (const chunks of recordings) yield* chunks;
  }
  const heard = decoders.decode(mediaOf(media()), {
    format: parseSourceMediaType('audio/webm;codecs=opus')!,
    sampleRateHz: 16_000,
    signal: new AbortController().signal,
  });
  for await (const piece of samplesIn(heard)) pieces.push(piece);
  await decoders.close();

  const ours = samplesOf(Buffer.concat(pieces));
  const theirs = recordings.flatMap((chunks) => [
    ...decodedByFfmpeg(fileOf(Buffer.concat(chunks), 'webm'), 16_000),
  ]);
  expect(theirs.length).toBeGreaterThan(1.5 * 16_000);
  expect(Math.abs(ours.length - theirs.length)).toBeLessThan(320);
  expect(correlate(ours, Int16Array.from(theirs)).correlation).toBeGreaterThan(0.99);
});
