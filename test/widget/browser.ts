/** The built widget in the system's Chromium, against the scripted gateway. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { encodeServerMessage } from '../../shared/protocol/codec.ts';
import type { ServerFrame, ServerMessage } from '../../shared/protocol/messages.ts';
import { keepPage, type KeptPage } from './kept-page.ts';
import { calm, newContext, takeChromium } from '../support/machine/chromium.ts';
import {
  startScriptedGateway,
  type ScriptedGateway,
  type ScriptedSession,
} from '../support/services/scripted-gateway.ts';
import { projectFolder } from '../support/product/server.ts';

/** Built before the tests. */
const builtWidget = path.join(projectFolder, 'dist/widget');

/** A test file's shared browser and gateway. */
export interface WidgetBench extends KeptPage {
  readonly browser: Browser;
  readonly gateway: ScriptedGateway;
  /** Pages that the gateway serves besides the built widget, by path; may be changed. */
  readonly pages: Record<string, string | Buffer>;
  /** Opens a page; its errors fail the test that checks {@link pageErrors}. */
  open(target: string, options?: BrowserContextOptions): Promise<Page>;
  /** Exceptions and console errors of pages. */
  readonly pageErrors: string[];
  close(): Promise<void>;
}

/** Returns a page that contains only the element. */
export function elementPage(attributes: string): string {
  return `<!doctype html>
    <html lang="en"><head><title>Captions</title><meta name="color-scheme" content="light dark">
    <script type="module" src="/voice-captions.js"></script></head>
    <body><main><h1>Captions</h1>
    <voice-captions token-endpoint="/demo/token" ${attributes}></voice-captions></main></body></html>`;
}

/** What a test page records about its element. */
interface ElementRecord {
  /** States that the element has passed through, oldest first. */
  states: string[];
  /** Number of these states that a test has awaited. */
  awaitedCount: number;
  /** Number of captured audio chunks. */
  chunkCount: number;
}

declare global {
  /** Record of the document, from its start. */
  var record: ElementRecord | undefined;
}

/** Makes each document of a page record its element; call it before opening the page. */
export async function recordElement(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const record: ElementRecord = { states: [], awaitedCount: 0, chunkCount: 0 };
    globalThis.record = record;
    addEventListener('vc-statechange', (event) => {
      record.states.push((event as CustomEvent<{ state: string }>).detail.state);
    });
    addEventListener('vc-level', () => record.chunkCount++);
  });
}

/** Returns a function that lists the element's states from now on. */
export async function recordStates(page: Page): Promise<() => Promise<string[]>> {
  const before = await page.evaluate(() => globalThis.record!.states.length);
  return () => page.evaluate((from) => globalThis.record!.states.slice(from), before);
}

/** Returns the number of audio chunks captured so far, all of which are to be sent. */
export function capturedChunks(page: Page): Promise<number> {
  return page.evaluate(() => globalThis.record!.chunkCount);
}

/**
 * Waits until the element is in a state, or has passed through it since the last awaited one: a busy machine
 * may miss short states.
 */
export async function waitForState(page: Page, state: string): Promise<void> {
  await page.waitForFunction(
    (wanted) => {
      const { record } = globalThis;
      const at = record?.states.indexOf(wanted, record.awaitedCount) ?? -1;
      if (record !== undefined && at >= 0) record.awaitedCount = at + 1;
      return at >= 0 || document.querySelector('voice-captions')!.state === wanted;
    },
    state,
    { polling: 50 },
  );
}

/** Response to the demo page's options request. */
export const demoOptions = {
  source_languages: ['en'],
  target_languages: ['ca', 'es', 'fr', 'it', 'pt', 'pt-BR'],
  speech_languages: ['es', 'fr', 'pt', 'pt-BR'],
  voices: { fr: 'somebody with a pleasant voice' },
  sample: true,
  better_translations: [] as object[],
  problems: [] as string[],
};

/**
 * Starts the browser and the gateway.
 *
 * @param microphone WAV file that the fake microphone loops, or `denied`
 */
export async function startBench({
  microphone,
  pages = {},
}: {
  microphone?: Buffer | 'denied';
  pages?: Record<string, string | Buffer>;
}): Promise<WidgetBench> {
  const folder = mkdtempSync(path.join(tmpdir(), 'widget-'));
  const sound = path.join(folder, 'microphone.wav');
  if (microphone instanceof Buffer) writeFileSync(sound, microphone);
  const served = { '/demo/options': JSON.stringify(demoOptions), ...pages };
  const gateway = await startScriptedGateway({ folder: builtWidget, pages: served });
  const { browser, giveBack } = await takeChromium(
    microphone === 'denied' ? microphone : microphone && sound,
  );
  const pageErrors: string[] = [];
  async function open(target: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await newContext(browser, { ...calm, ...options });
    const page = await context.newPage();
    page.on('pageerror', (error) => pageErrors.push(error.message));
    await recordElement(page);
    await page.goto(new URL(target, gateway.origin).href);
    await untilDefined(page);
    return page;
  }
  const { openAgain, leave } = keepPage(open);
  return {
    browser,
    gateway,
    pages: served,
    pageErrors,
    open,
    async leave(page, hasPassed) {
      if (page.isClosed()) return;
      // Stops its activity before the next test.
      await page.goto('about:blank');
      await leave(page, hasPassed);
    },
    async openAgain(target) {
      const page = await openAgain(new URL(target, gateway.origin).href);
      await untilDefined(page);
      return page;
    },
    async close() {
      await giveBack();
      await gateway.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilDefined(page: Page): Promise<void> {
  await page.waitForFunction(() => customElements.get('voice-captions') !== undefined);
}

/** Returns the newest session once it has received that many chunks. */
export async function newestSession(
  { gateway }: WidgetBench,
  { chunks = 0 } = {},
): Promise<ScriptedSession> {
  const newest = () => gateway.sessions.at(-1);
  await expect
    .poll(() => newest()?.chunks.length ?? -1, { interval: 50 })
    .toBeGreaterThanOrEqual(chunks);
  return newest()!;
}

/** Returns the element's status text. */
export function statusText(page: Page): Promise<string> {
  return page.getByRole('status').first().innerText();
}

/** Presses the start button. */
export function pressStart(page: Page): Promise<void> {
  return page.getByRole('button', { name: /Start captions|Try again/ }).click();
}

/** Returns a message that concludes words in the source and shows others as tentative. */
export function spoken(text: string, tentative = ''): ServerMessage {
  const segment = (words: string) =>
    words === '' ? [] : [{ language: 'en', text: words, start_time: 0, end_time: 100 }];
  return {
    type: 'source_transcript_update',
    concluded: segment(text),
    tentative: segment(tentative),
  };
}

/** Returns a message about one track; English is the source. */
export function captionUpdate(
  language: string,
  { concluded = '', tentative = '' }: { concluded?: string; tentative?: string },
): ServerMessage {
  const segments = (text: string) =>
    text === '' ? [] : [{ text, language, start_time: 0, end_time: 0 }];
  const lists = { concluded: segments(concluded), tentative: segments(tentative) };
  return language === 'en'
    ? { type: 'source_transcript_update', ...lists }
    : { type: 'target_transcript_update', language, ...lists };
}

/** Converts a message to its JSON frame, as the element receives it. */
export function frameOf(message: ServerMessage): ServerFrame {
  return JSON.parse(encodeServerMessage(message, 'json') as string) as ServerFrame;
}

/** Delivers messages to the element, and waits until it shows them. */
export async function receive(page: Page, ...messages: ServerMessage[]): Promise<void> {
  await page.evaluate(async (frames) => {
    const captions = document.querySelector('voice-captions')!;
    for (const frame of frames) captions.receive(frame);
    await captions.updateComplete;
  }, messages.map(frameOf));
}

/** Returns far more text than a block of captions holds. */
export function longCaption(language: string): ServerFrame {
  return frameOf(
    captionUpdate(language, { concluded: `${'Palabras sencillas. '.repeat(40)}Y más` }),
  );
}

/**
 * Runs in a page with an element: measures how many pixels of a line are cut off in a filled block, at each
 * font size. A tenth of a pixel is invisible.
 */
export async function sliversOfLines(frame: ServerFrame): Promise<number[]> {
  const captions = document.querySelector('voice-captions')!;
  const usual = captions.fontScale;
  captions.receive(frame);
  const found: number[] = [];
  for (const scale of [0.75, 1, 1.25, 1.5, 1.75]) {
    captions.fontScale = scale;
    await captions.updateComplete;
    const block = captions.shadowRoot!.querySelector('.target .lines')!;
    const tops = [...block.querySelectorAll('.caption')].map(
      (line) => line.getBoundingClientRect().top,
    );
    const linePx = (tops.at(-1)! - tops[0]!) / (tops.length - 1);
    const inLines = block.getBoundingClientRect().height / linePx;
    found.push(Math.abs(inLines - Math.round(inLines)) * linePx);
  }
  captions.fontScale = usual;
  await captions.updateComplete;
  return found;
}
