/** Rooms of a real server, and the pages on which they are read. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { launchChromium } from '../support/machine/chromium.ts';
import { startServer, type TestServer } from '../support/product/server.ts';

export interface TestRoom {
  id: string;
  viewerUrl: string;
  passcode: string;
}

export interface RoomBench {
  /** The server that runs now. */
  server(): TestServer;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
  /** Starts it again, at the same address with the same data. */
  restart(): Promise<void>;
  readonly browser: Browser;
  /** What pages have thrown, and everything their policy has blocked. */
  readonly pageErrors: string[];
  makeRoom(wishes?: object): Promise<TestRoom>;
  changeRoom(room: TestRoom, change: object): Promise<void>;
  /** Types a line. @returns its number */
  say(room: TestRoom, text: string, more?: { language?: string; line?: number }): Promise<number>;
  /** Opens an address of the server in a browser of its own. */
  open(target: string, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

export async function startRoomBench(): Promise<RoomBench> {
  const dataFolder = mkdtempSync(path.join(os.tmpdir(), 'rooms-'));
  const settings = { RECOGNISER: 'silent', DATA_DIR: dataFolder };
  let server = await startServer(settings);
  const { port } = new URL(server.url);
  const browser = await launchChromium(undefined, [
    '--autoplay-policy=document-user-activation-required',
  ]);
  const pageErrors: string[] = [];
  return {
    browser,
    pageErrors,
    server: () => server,
    async kill() {
      server.process.kill('SIGKILL');
      await server.exited;
    },
    async restart() {
      server = await startServer({ ...settings, PORT: port });
    },
    async makeRoom(wishes = {}) {
      const wished = { name: 'Main stage', languages: ['es', 'fr'], source_language: 'en' };
      const made = await server.post('/v1/rooms', { ...wished, ...wishes });
      const room = (await made.json()) as {
        room_id: string;
        viewer_url: string;
        passcode: string;
      };
      return { id: room.room_id, viewerUrl: room.viewer_url, passcode: room.passcode };
    },
    async changeRoom({ id }, change) {
      await server.send(`/v1/rooms/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(change),
      });
    },
    async say({ id }, text, more = {}) {
      const typed = await server.post(`/v1/rooms/${id}/captions`, { text, ...more });
      return ((await typed.json()) as { line: number }).line;
    },
    async open(target, options = {}) {
      const context = await browser.newContext({ locale: 'en-GB', ...options });
      const page = await context.newPage();
      page.on('pageerror', (error) => pageErrors.push(error.message));
      page.on('console', (message) => {
        if (/Content Security Policy|Trusted/i.test(message.text())) {
          pageErrors.push(message.text());
        }
      });
      await page.goto(new URL(target, server.url).href);
      await page.locator('room-captions').waitFor({ state: 'attached' });
      return page;
    },
    async close() {
      await browser.close();
      await server.stop();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

/** The sentences that a page shows, oldest first. */
export function shownLines(page: Page): Promise<string[]> {
  return page.locator('room-captions .caption .words').allInnerTexts();
}

export async function untilShown(page: Page, lines: string[]): Promise<void> {
  await expect.poll(() => shownLines(page), { interval: 50, timeout: 30_000 }).toEqual(lines);
}

export async function untilState(page: Page, state: string): Promise<void> {
  const look = () => page.evaluate(() => document.querySelector('room-captions')?.state);
  await expect.poll(look, { interval: 50, timeout: 40_000 }).toBe(state);
}
