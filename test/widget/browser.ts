/** The built widget in the Chromium of the system, against the scripted gateway. */
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

/** What was built before the tests. */
const builtWidget = path.join(projectFolder, 'dist/widget');

/** What a file of tests shares: one browser, one gateway. */
export interface WidgetBench extends KeptPage {
  readonly browser: Browser;
  readonly gateway: ScriptedGateway;
  /** What the gateway serves besides the built widget, by path; may be changed. */
  readonly pages: Record<string, string | Buffer>;
  /** Opens a page; errors in it fail the test that asks {@link pageErrors}. */
  open(target: string, options?: BrowserContextOptions): Promise<Page>;
  /** What pages have thrown or complained about in their consoles. */
  readonly pageErrors: string[];
  close(): Promise<void>;
}

/** A page that holds nothing but the element. */
export function elementPage(attributes: string): string {
  return `<!doctype html>
    <html lang="en"><head><title>Captions</title><meta name="color-scheme" content="light dark">
    <script type="module" src="/voice-captions.js"></script></head>
    <body><main><h1>Captions</h1>
    <voice-captions token-endpoint="/demo/token" ${attributes}></voice-captions></main></body></html>`;
}

/** What pages of tests remember of their element. */
interface ElementRecord {
  /** States it has gone through, oldest first. */
  states: string[];
  /** Of those, how many were waited for. */
  awaitedCount: number;
  /** Chunks of sound it has captured. */
  chunkCount: number;
}

declare global {
  /** Of the document, from its beginning. */
  var record: ElementRecord | undefined;
}

/** Lets each document of a page remember its element; call it before the page is opened. */
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

/** States the element goes through from now on; the list grows as it does. */
export async function recordStates(page: Page): Promise<() => Promise<string[]>> {
  const before = await page.evaluate(() => globalThis.record!.states.length);
  return () => page.evaluate((from) => globalThis.record!.states.slice(from), before);
}

/** Chunks of sound that the element has captured so far: as many are to be sent. */
export function capturedChunks(page: Page): Promise<number> {
  return page.evaluate(() => globalThis.record!.chunkCount);
}

/**
 * Waits until the element is in a state, or has gone through it since the last one that was waited for:
 * some pass before a busy machine looks again.
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

/** Answer of the demo page's options. */
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
 * Starts everything.
 *
 * @param microphone WAV file that the fake microphone plays round and round, or `denied`
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
      // Nothing of it goes on beside the next test.
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

/** The newest session once it has heard so many chunks. */
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

/** What the element says about its state. */
export function statusText(page: Page): Promise<string> {
  return page.getByRole('status').first().innerText();
}

/** Presses the button that starts. */
export function pressStart(page: Page): Promise<void> {
  return page.getByRole('button', { name: /Start captions|Try again/ }).click();
}

/** A message that concludes words in the source and shows others as tentative. */
export function spoken(text: string, tentative = ''): ServerMessage {
  const segment = (words: string) =>
    words === '' ? [] : [{ language: 'en', text: words, start_time: 0, end_time: 100 }];
  return {
    type: 'source_transcript_update',
    concluded: segment(text),
    tentative: segment(tentative),
  };
}

/** A message about one track; what is said in English is the source. */
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

/** A message as its JSON frame says it: what the element receives from elsewhere. */
export function frameOf(message: ServerMessage): ServerFrame {
  return JSON.parse(encodeServerMessage(message, 'json') as string) as ServerFrame;
}

/** Lets the element receive messages, and waits until it shows them. */
export async function receive(page: Page, ...messages: ServerMessage[]): Promise<void> {
  await page.evaluate(async (frames) => {
    const captions = document.querySelector('voice-captions')!;
    for (const frame of frames) captions.receive(frame);
    await captions.updateComplete;
  }, messages.map(frameOf));
}

/** Far more than a block of captions holds. */
export function longCaption(language: string): ServerFrame {
  return frameOf(
    captionUpdate(language, { concluded: `${'Palabras sencillas. '.repeat(40)}Y más` }),
  );
}

/**
 * Runs in a page with an element: how many pixels of a line are cut off in a block that has been filled,
 * at each size of type. A sliver of a tenth of a pixel is seen by nobody.
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
