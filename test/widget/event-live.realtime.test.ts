/**
 * A complete event: a speaker, an audience in two languages, a late reader, an overlay, and a server that
 * is killed and restarted in the middle.
 */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RoomInfo } from '../../shared/schemas/rooms.ts';
import { inTones, wavFile } from '../support/audio/tone-speech.ts';
import { startVoskServer, type VoskServer } from '../support/services/vosk-server.ts';
import { startEvents, untilState, type EventBench } from './event-browser.ts';

/** Generous, because these tests wait for speech, recognition and translation, whose pace does not matter. */
const PATIENCE_MS = 240_000;
const soon = { timeout: PATIENCE_MS, interval: 250 };

/** In tones: how real speech is recognised does not matter here, and takes half of the processor time. */
const talk = ['the train leaves at nine', 'we meet in the hall'];

let bench: EventBench;
let recogniser: VoskServer;
beforeAll(async () => {
  const { spelling, speech } = inTones(talk);
  recogniser = await startVoskServer({ spelling });
  const settings = { RECOGNISER: 'vosk', VOSK_URL: recogniser.url, FFMPEG: 'none' };
  bench = await startEvents({ microphone: wavFile(Buffer.concat(speech)), settings });
});
afterAll(async () => {
  await bench.close();
  await recogniser.close();
  expect(bench.pageErrors).toEqual([]);
});

/** A reader, and every concluded line that the reader's page has received. */
interface Reader {
  page: Page;
  language: string;
  /** Lines on the page, oldest first. */
  lines: () => Promise<{ line: number; text: string; start_time: number }[]>;
  /** Received lines, including repetitions. */
  received: () => Promise<{ line: number; text: string }[]>;
}

async function readAlong(url: string, language: string): Promise<Reader> {
  const page = await bench.open(undefined, { viewport: { width: 390, height: 844 } });
  await page.addInitScript(() => {
    const received: object[] = [];
    Object.assign(globalThis, { received });
    addEventListener('rc-caption', (event) => {
      received.push(...(event as CustomEvent<{ lines: object[] }>).detail.lines);
    });
  });
  const [address, fragment] = url.split('#');
  await page.goto(`${address}?language=${language}#${fragment}`);
  await page.locator('room-captions').waitFor({ state: 'attached' });
  return {
    page,
    language,
    lines: () =>
      page.evaluate(() => [...(document.querySelector('room-captions')?.transcript ?? [])]),
    received: () =>
      page.evaluate(
        () => (globalThis as unknown as { received: { line: number; text: string }[] }).received,
      ),
  };
}

/** Waits until a page shows that many lines spoken after a given time. */
async function untilRead({ lines }: Reader, count: number, sinceMs = 0): Promise<void> {
  const after = async () => (await lines()).filter(({ start_time: at }) => at > sinceMs).length;
  await expect.poll(after, soon).toBeGreaterThanOrEqual(count);
}

const numbers = (lines: readonly { line: number }[]) => lines.map(({ line }) => line);

/** Waits until a page shows at least the lines that another shows now. */
async function untilAsFarAs(reader: Reader, other: Reader): Promise<void> {
  const wanted = numbers(await other.lines());
  await expect
    .poll(async () => numbers(await reader.lines()), soon)
    .toEqual(expect.arrayContaining(wanted));
}

function untilTitle(speaker: Page, title: string): Promise<void> {
  const heading: Locator = speaker.getByRole('heading', { name: title, exact: true });
  return heading.waitFor({ timeout: PATIENCE_MS });
}

async function transcriptOf(room: RoomInfo, language: string): Promise<string[]> {
  const path = `/v1/rooms/${room.room_id}/transcript?format=json&language=${language}`;
  const answer = await bench.server.send(path, { method: 'GET' });
  const { lines } = (await answer.json()) as { lines: { text: string }[] };
  return lines.map(({ text }) => text);
}

/** Returns the painted area of an overlay page: its bounding box, and the number of opaque text pixels. */
async function painted(page: Page) {
  const png = await page.screenshot({ omitBackground: true, animations: 'disabled' });
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const { width, height } = bitmap;
    const context = new OffscreenCanvas(width, height).getContext('2d')!;
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    const box = { left: width, top: height, right: 0, bottom: 0 };
    let ink = 0;
    for (let at = 0; at < width * height; at++) {
      const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(4 * at, 4 * at + 4);
      if (alpha === 0) continue;
      const [x, y] = [at % width, Math.floor(at / width)];
      box.left = Math.min(box.left, x);
      box.top = Math.min(box.top, y);
      box.right = Math.max(box.right, x + 1);
      box.bottom = Math.max(box.bottom, y + 1);
      // Yellow, as requested in the address.
      if (alpha > 250 && red > 230 && green > 200 && blue < 110) ink += 1;
    }
    return { ...box, ink };
  }, png.toString('base64'));
}

/** Checks that the overlay covers the upper left and nothing else. */
async function checkOverlay(overlay: Page): Promise<void> {
  const { left, top, right, bottom, ink } = await painted(overlay);
  expect(Math.min(left, top)).toBeGreaterThanOrEqual(20);
  expect(right).toBeLessThanOrEqual(20 + 620);
  expect(bottom).toBeLessThanOrEqual(20 + 150);
  expect(right - left).toBeGreaterThan(80);
  expect(bottom - top).toBeGreaterThan(30);
  expect(ink).toBeGreaterThan(100);
}

/** Checks that every line that a reader received is in the transcript once, in order and unchanged. */
async function checkTranscript(room: RoomInfo, reader: Reader): Promise<void> {
  const [lines, received] = [await reader.lines(), await reader.received()];
  const texts = new Map(received.map(({ line, text }) => [line, text]));
  // Concluded text does not change.
  for (const { line, text } of received) expect(text).toBe(texts.get(line));
  expect(numbers(lines)).toEqual([...texts.keys()].sort((a, b) => a - b));
  expect(lines.map(({ text }) => text)).toEqual(await transcriptOf(room, reader.language));
  const shown = await reader.page.locator('room-captions .caption .words').allInnerTexts();
  expect(shown).toEqual(lines.map(({ text }) => text));
}

it(
  'an event is captioned from its first word to its last, through a server that is killed and started again',
  { timeout: 4 * PATIENCE_MS },
  async () => {
    const room = await bench.makeRoom({ access: 'link', languages: ['es'], keep_hours: 24 });
    const viewer = room.viewer_url!;
    const speaker = await bench.open(room.speaker_url);
    const spanish = await readAlong(viewer, 'es');
    const query = 'language=es&position=top-left&size=40&width=620&margin=20&hide=0&color=ffe14d';
    const overlay = await bench.open(room.overlay_url!.replace('#', `?${query}#`), {
      viewport: { width: 800, height: 400 },
    });
    await speaker.getByRole('button', { name: 'Start speaking' }).click();
    await untilTitle(speaker, 'You are live');
    await untilRead(spanish, 1);
    const spoken = await readAlong(viewer, 'spoken');
    await untilAsFarAs(spoken, spanish);
    await speaker.getByText('3 people read along.').waitFor({ timeout: PATIENCE_MS });
    await speaker
      .locator('voice-captions')
      .getByText(/train|hall/i)
      .first()
      .waitFor();
    expect(await speaker.locator('.readers li').allInnerTexts()).toEqual([
      expect.stringMatching(/Español\s+2/),
      expect.stringMatching(/as spoken\s+1/),
    ]);

    await checkOverlay(overlay);

    const startAgain = await bench.kill();
    const killedAtMs = Date.now();
    const readers = [spanish, spoken];
    const before = await Promise.all(readers.map((reader) => reader.lines()));
    await untilTitle(speaker, 'The server cannot be reached');
    await startAgain();
    await untilTitle(speaker, 'You are live');
    for (const reader of readers) await untilRead(reader, 1, killedAtMs);
    // The speaker continues throughout.
    const isSame = async () => {
      const shown = await overlay.locator('room-captions .words').last().innerText();
      return shown === (await spanish.lines()).at(-1)?.text;
    };
    await expect.poll(isSame, soon).toBe(true);

    await speaker.getByRole('button', { name: 'Pause' }).click();
    await untilTitle(speaker, 'Paused');
    for (const { page } of readers) await untilState(page, 'paused');
    // The end of the current utterance arrives after the button is pressed.
    await expect.poll(async () => (await bench.roomNow(room)).session_id, soon).toBeUndefined();
    const isWhole = async () => {
      const said = await transcriptOf(room, 'spoken');
      return (await spoken.lines()).map(({ text }) => text).join('\n') === said.join('\n');
    };
    await expect.poll(isWhole, soon).toBe(true);
    for (const reader of readers) await untilAsFarAs(reader, spoken);
    for (const [index, reader] of readers.entries()) {
      expect(await reader.lines()).toEqual(expect.arrayContaining(before[index]!));
      await checkTranscript(room, reader);
    }
  },
);
