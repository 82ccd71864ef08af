import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { createSpeechEncoders, type SpeechEncoders } from '../../server/voice/audio/encode.ts';
import type { ServerMessage } from '../../shared/protocol/messages.ts';
import { speechContentTypes, type SpeechPath } from '../../widget/controllers/playback-output.ts';
import { recordLog } from '../support/product/log-record.ts';
import type { ScriptedSession } from '../support/services/scripted-gateway.ts';
import { allChunks, concluded, formatOf, hummingEngine } from '../voice/path/synthesise-support.ts';
import {
  elementPage,
  newestSession,
  pressStart,
  startBench,
  statusText,
  waitForState,
  type WidgetBench,
} from './browser.ts';
import { keepPage } from './kept-page.ts';
import { earScript, heardMs, listen, loudest, type HeardFrame } from './listening.ts';
import { tones, wav } from './sound.ts';

const SENTENCES = ['Nos vemos a las tres en la sala.', ' Traiga el informe.', ' Hasta luego.'];
const paths: SpeechPath[] = ['webcodecs', 'mse', 'pcm'];

let bench: WidgetBench;
let page: Page;
const speech: Partial<Record<SpeechPath, ServerMessage[]>> = {};

beforeAll(async () => {
  const encoders = await createSpeechEncoders({ log: recordLog() });
  for (const path of paths) speech[path] = await hum(path, encoders);
  await encoders.close();
  const attributes = 'source-language="en" target-languages="fr" speech="es" voice="female"';
  bench = await startBench({
    microphone: wav(tones({ 300: 0 }, { sampleRateHz: 16_000, lengthS: 2 }), 16_000),
    pages: {
      ...Object.fromEntries(
        paths.map((path) => [`/${path}`, elementPage(`${attributes} speech-path="${path}"`)]),
      ),
      '/any': elementPage(attributes),
      '/half': elementPage(`${attributes} speech-path="pcm" duplex="half"`),
      '/ear.js': earScript,
      '/autostart.js': 'document.querySelector("voice-captions").start();',
    },
  });
  for (const path of paths) {
    bench.pages[`/early-${path}`] = (bench.pages[`/${path}`] as string).replace(
      '</body>',
      '<script type="module" src="/autostart.js"></script></body>',
    );
  }
});
afterAll(() => bench.close());
const pages = keepPage((address) => listen(bench, address));
/** Opens a bench page in the page left by the previous test. */
async function listenAgain(target: string): Promise<void> {
  page = await pages.openAgain(new URL(target, bench.gateway.origin).href);
  await page.waitForFunction(() => customElements.get('voice-captions') !== undefined);
}
afterEach(async ({ task }) => {
  await page.goto('about:blank');
  await pages.leave(page, task.result?.state !== 'fail');
  bench.gateway.reset();
});

/** Returns the gateway's audio messages for the sentences: humming of the same length. */
async function hum(path: SpeechPath, encoders: SpeechEncoders): Promise<ServerMessage[]> {
  const contentType = speechContentTypes[path];
  const engine = hummingEngine();
  const chunks = await allChunks(concluded(...SENTENCES), {
    ...{ engine, encoders, format: formatOf(contentType) },
  });
  return chunks.map(({ pieces, durationMs, text, headerCount }) => ({
    type: 'target_media_chunk',
    language: 'es',
    data: pieces,
    duration: durationMs,
    ...(text === undefined ? {} : { text }),
    ...(headerCount === undefined ? {} : { content_type: contentType, headers: headerCount }),
  }));
}

function durationMs(messages: readonly ServerMessage[]): number {
  return messages.reduce(
    (sum, message) => sum + (message.type === 'target_media_chunk' ? message.duration : 0),
    0,
  );
}

function written(text: string, tentative = ''): ServerMessage {
  const segments = (words: string) =>
    words === '' ? [] : [{ text: words, start_time: 0, end_time: 100 }];
  return {
    type: 'target_transcript_update',
    language: 'es',
    concluded: segments(text),
    tentative: segments(tentative),
  };
}

async function goLive(target: string): Promise<ScriptedSession> {
  await listenAgain(target);
  await pressStart(page);
  await waitForState(page, 'live');
  return newestSession(bench, { chunks: 2 });
}

/** Sends all sentences as text and as speech. */
function speak(session: ScriptedSession, path: SpeechPath): ServerMessage[] {
  const messages = speech[path]!;
  for (const sentence of SENTENCES) session.send(written(sentence));
  for (const message of messages) session.send(message);
  return messages;
}

interface Told {
  state: string;
  text?: string;
  /** Lines marked at that moment. */
  marked: string[];
}

const told = () => page.evaluate(() => (globalThis as unknown as { told: Told[] }).told);
const heard = () => page.evaluate(() => (globalThis as unknown as { heard: HeardFrame[] }).heard);
const waitForSpeech = (state: string) =>
  page.waitForFunction(
    (wanted) => document.querySelector('voice-captions')!.speechState === wanted,
    state,
    { polling: 20 },
  );
/**
 * Waits until some speech has played to its end since a given event: short speech may pass between two
 * polls.
 */
const waitForWhole = (since = 0) =>
  page.waitForFunction(
    (from) =>
      (globalThis as unknown as { told: Told[] }).told
        .slice(from)
        .some(({ state }) => state === 'playing') &&
      document.querySelector('voice-captions')!.speechState === 'ready',
    since,
    { polling: 20 },
  );
/** A new last line of the spoken language, and the number of sentences heard before it. */
interface SeenLine {
  last: string;
  heardCount: number;
}

/** Records each new last line of the spoken language. */
function watchLines(): Promise<void> {
  return page.evaluate(() => {
    const seen: SeenLine[] = [];
    const { told } = globalThis as unknown as { told: Told[] };
    const root = document.querySelector('voice-captions')!.shadowRoot!;
    const look = () => {
      const lines = root.querySelectorAll('.target [lang="es"].caption');
      const last = lines[lines.length - 1]?.textContent.trim() ?? '';
      if (last === '' || last === seen.at(-1)?.last) return;
      seen.push({ last, heardCount: told.filter(({ text }) => text !== undefined).length });
    };
    new MutationObserver(look).observe(root, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    Object.assign(globalThis, { seen });
  });
}

const seenLines = () => page.evaluate(() => (globalThis as unknown as { seen: SeenLine[] }).seen);
const speechButton = (name: string) => page.getByRole('button', { name, exact: true });

describe.each(paths)('translated speech by %s', (path) => {
  it('is heard completely, once and without a gap, and its captions are marked', async () => {
    const session = await goLive(`/${path}`);
    expect(session.request).toMatchObject({
      target_languages: ['fr', 'es'],
      target_media_languages: ['es'],
      target_media_content_type: speechContentTypes[path],
      target_media_voice: 'female',
    });
    const saidMs = durationMs(speak(session, path));
    await waitForWhole();
    const frames = await heard();
    expect(Math.abs(heardMs(frames) - saidMs)).toBeLessThan(250);
    const texts = (await told()).filter(({ text }) => text !== undefined);
    expect(texts.map(({ text }) => text)).toEqual(SENTENCES);
    expect(texts.map(({ marked }) => marked)).toEqual(SENTENCES.map((text) => [text.trim()]));
    expect(await page.locator('voice-captions .spoken').count()).toBe(0);
    // A new gateway session begins a new stream.
    const before = (await told()).length;
    speak(session, path);
    await waitForWhole(before);
    expect(Math.abs(heardMs(await heard()) - 2 * saidMs)).toBeLessThan(500);
  });
});

describe('captions in step with translated speech', () => {
  const spanish = () => page.locator('voice-captions .target [lang="es"].caption');

  it('wait until their line is heard, except in other languages, without sound or when speech is late, and never go back', async () => {
    const session = await goLive('/pcm');
    await watchLines();
    session.send(written('', SENTENCES[0]));
    await expect.poll(() => spanish().allInnerTexts()).toEqual([SENTENCES[0]]);
    session.send(written(SENTENCES.join('')));
    for (const message of speech.pcm!) session.send(message);
    session.send({
      type: 'target_transcript_update',
      language: 'fr',
      tentative: [],
      concluded: [{ text: 'Rien n’attend.', start_time: 0, end_time: 1 }],
    });
    await page.getByText('Rien n’attend.').first().waitFor();
    await waitForWhole();
    const lines = await seenLines();
    expect(lines.map(({ last }) => last)).toEqual(SENTENCES.map((text) => text.trim()));
    // A line appears when its sentence is heard, so the previous one is marked by then.
    for (const [index, { heardCount }] of lines.entries()) {
      expect(heardCount).toBeGreaterThanOrEqual(index);
    }

    // Without sound they do not wait, and are announced in the spoken language as well.
    await page.evaluate(() => (document.querySelector('voice-captions')!.announce = 'es'));
    for (let times = 0; times < 3; times++) speak(session, 'pcm');
    await waitForSpeech('playing');
    const log = page.locator('voice-captions [role="log"]');
    expect(await log.innerText()).not.toContain('Hasta');
    await speechButton('Mute').click();
    await expect.poll(() => spanish().count(), { interval: 20 }).toBe(12);
    expect(await page.locator('voice-captions .spoken').count()).toBe(0);
    expect(await page.evaluate(() => document.querySelector('voice-captions')!.speechState)).toBe(
      'playing',
    );
    session.send(written(' Uno.'));
    await expect.poll(() => log.innerText()).toContain('Uno.');

    // Nor do they wait for late speech, which is reported.
    await speechButton('Unmute').click();
    for (let times = 0; times < 12; times++) speak(session, 'pcm');
    await waitForSpeech('playing');
    await expect.poll(() => statusText(page)).toContain('a little behind');
    await expect.poll(async () => (await spanish().allInnerTexts()).at(-1)).toBe('Hasta luego.');
    expect(await page.evaluate(() => document.querySelector('voice-captions')!.speechState)).toBe(
      'playing',
    );
  });
});

describe('the controls of translated speech', () => {
  it('mute at once and continue at the current speech, by keyboard as well', async () => {
    const session = await goLive('/webcodecs');
    for (let times = 0; times < 2; times++) speak(session, 'webcodecs');
    await waitForSpeech('playing');
    const width = () =>
      page.locator('voice-captions .button.speech').evaluate((it) => it.clientWidth);
    const before = await width();
    await speechButton('Mute').focus();
    await page.keyboard.press('Enter');
    await speechButton('Unmute').waitFor();
    expect(await width()).toBe(before);
    // A ramp and the latency of the output.
    const quietFrom = await page.evaluate(() => Date.now() + 800);
    const late = async () => (await heard()).filter(({ atMs }) => atMs > quietFrom);
    await expect.poll(async () => (await late()).length).toBeGreaterThan(5);
    await waitForSpeech('ready');
    expect(loudest(await late())).toBeLessThan(0.01);
    const quietCount = (await heard()).length;
    await page.keyboard.press('Enter');
    speak(session, 'webcodecs');
    await expect.poll(async () => loudest((await heard()).slice(quietCount))).toBeGreaterThan(0.1);
  });
});

it.each(['webcodecs', 'mse'] as const)(
  'by %s, blocked audio offers a tap, which plays the current speech',
  async (path) => {
    page = await listen(bench, `/early-${path}`, { isOpen: false });
    // Not by page.evaluate, which counts as a gesture.
    const devtools = await page.context().newCDPSession(page);
    const ask = async (expression: string): Promise<unknown> => {
      const answer = await devtools.send('Runtime.evaluate', { expression, returnByValue: true });
      return answer.result.value;
    };
    const state = () => ask('document.querySelector("voice-captions")?.speechState');
    await expect.poll(state).toBe('blocked');
    await expect.poll(() => bench.gateway.sessions.length).toBe(1);
    const [session] = bench.gateway.sessions;
    await expect.poll(() => session!.chunks.length).toBeGreaterThan(1);
    const messages = speak(session!, path);
    const text = () =>
      ask(
        'document.querySelector("voice-captions").shadowRoot.querySelector("[lang=es].caption:last-child")?.textContent.trim()',
      );
    // Captions do not wait for a tap.
    await expect.poll(text).toBe('Hasta luego.');
    expect(heardMs((await ask('heard')) as HeardFrame[])).toBe(0);
    expect(await statusText(page)).toContain('waits for a tap');
    await speechButton('Tap to hear').click();
    await waitForWhole();
    const newest = messages.findLastIndex(
      (message) => message.type === 'target_media_chunk' && message.text !== undefined,
    );
    const newestMs = durationMs(messages.slice(newest));
    expect(Math.abs(heardMs(await heard()) - newestMs)).toBeLessThan(120);
    await speechButton('Mute').waitFor();
  },
);

describe('translated speech beside the microphone', () => {
  /** Replaces the microphone with a tone that a test turns on and off. */
  async function humAtMicrophone(level: number): Promise<void> {
    await page.evaluate((volume) => {
      const context = new AudioContext();
      const microphone = context.createMediaStreamDestination();
      const gain = new GainNode(context, { gain: volume });
      const tone = new OscillatorNode(context, { frequency: 500 });
      tone.connect(gain).connect(microphone);
      tone.start();
      document.querySelector('voice-captions')!.source = microphone.stream;
      Object.assign(globalThis, { gain });
    }, level);
  }
  const setLevel = (level: number) =>
    page.evaluate((value) => {
      (globalThis as unknown as { gain: GainNode }).gain.gain.value = value;
    }, level);

  it('in half duplex sends silence while it is heard, of the same length', async () => {
    await listenAgain('/half');
    await humAtMicrophone(0.5);
    await pressStart(page);
    await waitForState(page, 'live');
    const session = await newestSession(bench, { chunks: 3 });
    const isSilent = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);
    await expect.poll(() => isSilent(session.chunks.at(-1)!.bytes)).toBe(false);
    const before = session.chunks.length;
    const saidMs = durationMs(speak(session, 'pcm'));
    await waitForWhole();
    await expect.poll(() => isSilent(session.chunks.at(-1)!.bytes)).toBe(false);
    const silent = session.chunks.slice(before).filter(({ bytes }) => isSilent(bytes));
    // Chunks of 100 ms; how promptly the silence begins and ends depends on the machine.
    expect(silent.length * 100).toBeGreaterThan(saidMs / 2);
    const lengths = session.chunks.map(({ bytes }) => bytes.length);
    expect(new Set(lengths)).toEqual(new Set([3200]));
    expect(await statusText(page)).toContain('Let the voice finish');
  });

  it('in full duplex is lowered while the user speaks, who is still captured', async () => {
    await listenAgain('/pcm');
    await humAtMicrophone(0);
    await pressStart(page);
    await waitForState(page, 'live');
    const session = await newestSession(bench, { chunks: 2 });
    const recent = async () => loudest((await heard()).slice(-10));
    const soon = { interval: 20 };
    for (let times = 0; times < 6; times++) speak(session, 'pcm');
    await expect.poll(recent, soon).toBeGreaterThan(0.12);
    await setLevel(0.5);
    await expect.poll(recent, soon).toBeLessThan(0.08);
    expect(await recent()).toBeGreaterThan(0.02);
    await expect.poll(() => session.chunks.at(-1)!.bytes.some((byte) => byte !== 0)).toBe(true);
    await setLevel(0);
    await expect.poll(recent, soon).toBeGreaterThan(0.12);
  });
});

it('undecodable speech is reported, captions continue, and raw samples are requested next', async () => {
  const session = await goLive('/any');
  const [first] = speech.webcodecs!;
  expect(session.request.target_media_content_type).toBe(speechContentTypes.webcodecs);
  if (first?.type !== 'target_media_chunk') throw new Error('Speech begins with a chunk.');
  const data = [new Uint8Array(200).fill(7)];
  session.send({ ...first, data });
  await waitForSpeech('failed');
  expect(await statusText(page)).toContain('Captions go on');
  expect(await speechButton('No sound').getAttribute('aria-disabled')).toBe('true');
  speak(session, 'webcodecs');
  await page.getByText('Hasta luego.').first().waitFor();
  expect(heardMs(await heard())).toBe(0);
  await page.getByRole('button', { name: 'Stop' }).click();
  await waitForState(page, 'ended');
  await pressStart(page);
  await expect
    .poll(() => bench.gateway.sessions.at(-1)?.request.target_media_content_type)
    .toBe(speechContentTypes.pcm);
});

it('the playback pages report no errors', () => {
  expect(bench.pageErrors).toEqual([]);
  expect(bench.gateway.violations).toEqual([]);
});
