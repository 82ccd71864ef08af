/** Rooms of a real server, and their pages in the system's Chromium. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import type { RoomLine } from '../../shared/protocol/room-messages.ts';
import type { RoomCreation, RoomInfo, RoomLink } from '../../shared/schemas/rooms.ts';
import { calm, newContext, takeChromium } from '../support/machine/chromium.ts';
import { startServer, type RunningServer, type TestServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

export interface EventBench {
  /** The current server, or the last one. */
  readonly server: RunningServer;
  readonly browser: Browser;
  /** Exceptions of pages, and everything that their policy has blocked. */
  readonly pageErrors: string[];
  makeRoom(wishes?: Partial<RoomCreation>): Promise<RoomInfo>;
  changeRoom(room: RoomInfo, change: Partial<RoomCreation> & { paused?: boolean }): Promise<void>;
  /** Revokes the room's lasting link for a role. */
  revoke(room: RoomInfo, role: RoomLink['role']): Promise<void>;
  roomNow(room: RoomInfo): Promise<RoomInfo>;
  /** Types or corrects a caption as the owner; returns its line number. */
  type(
    room: RoomInfo,
    caption: { text: string; language?: string; line?: number },
  ): Promise<number>;
  /**
   * Kills the bench's own server; returns a function that starts another at the same address with the same
   * data.
   */
  kill(): Promise<() => Promise<void>>;
  /** Opens an address, or a path of the server, in its own browser profile. */
  open(url: string | undefined, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/**
 * @param microphone WAV file that the fake microphone loops, or `denied`
 * @param settings of a server of its own; by default the shared server without speech recognition
 */
export async function startEvents({
  microphone,
  settings,
}: { microphone?: string; settings?: Record<string, string> } = {}): Promise<EventBench> {
  const dataFolder = mkdtempSync(path.join(tmpdir(), 'dragoman-events-'));
  let own: TestServer | undefined;
  const start = async (more: Record<string, string> = {}) =>
    (own = await startServer({ ...settings, DATA_DIR: dataFolder, ...more }));
  let server: RunningServer = settings === undefined ? await sharedServer() : await start();
  const { browser, giveBack } = await takeChromium(microphone);
  const pageErrors: string[] = [];
  return {
    get server() {
      return server;
    },
    browser,
    pageErrors,
    async makeRoom(wishes = {}) {
      const wished = { name: 'Main stage', languages: ['es', 'fr'], source_language: 'en' };
      const answer = await server.post('/v1/rooms', { ...wished, ...wishes });
      if (!answer.ok) throw new Error(await answer.text());
      return (await answer.json()) as RoomInfo;
    },
    async changeRoom({ room_id: id }, change) {
      await server.send(`/v1/rooms/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(change),
      });
    },
    async revoke({ room_id: id }, wanted) {
      const answer = await server.send(`/v1/rooms/${id}/links`, { method: 'GET' });
      const { links } = (await answer.json()) as { links: RoomLink[] };
      const { link_id: link } = links.find(({ role }) => role === wanted)!;
      await server.send(`/v1/rooms/${id}/links/${link}`, { method: 'DELETE' });
    },
    async roomNow({ room_id: id }) {
      const answer = await server.send(`/v1/rooms/${id}`, { method: 'GET' });
      return (await answer.json()) as RoomInfo;
    },
    async type({ room_id: id }, caption) {
      const answer = await server.post(`/v1/rooms/${id}/captions`, caption);
      return ((await answer.json()) as { line: number }).line;
    },
    async kill() {
      const PORT = new URL(server.url).port;
      own?.process.kill('SIGKILL');
      await own?.exited;
      return async () => {
        server = await start({ PORT });
      };
    },
    async open(url, options = {}) {
      const context = await newContext(browser, { ...calm, locale: 'en-GB', ...options });
      const page = await context.newPage();
      page.on('pageerror', (error) => pageErrors.push(error.message));
      page.on('console', (message) => {
        if (/Content Security Policy|Trusted/i.test(message.text()))
          pageErrors.push(message.text());
      });
      await page.goto(url === undefined ? 'about:blank' : new URL(url, server.url).href);
      return page;
    },
    async close() {
      await giveBack();
      await server.stop();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

/** Connects a reader of one language; `lines` are the current ones. */
export async function readAlong(
  { server }: Pick<EventBench, 'server'>,
  { room_id: id }: RoomInfo,
  language: string,
): Promise<{ lines: () => RoomLine[]; close: () => void }> {
  const socket = new WebSocket(
    `${server.url.replace('http', 'ws')}/v1/rooms/${id}/live?language=${language}`,
  );
  const lines = new Map<number, RoomLine>();
  socket.on('message', (frame: Buffer) => {
    const message = JSON.parse(frame.toString()) as Record<string, { lines?: RoomLine[] }>;
    for (const { lines: some = [] } of Object.values(message)) {
      for (const line of some) {
        if (line.text === '') lines.delete(line.line);
        else lines.set(line.line, line);
      }
    }
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    lines: () => [...lines.values()].sort((a, b) => a.line - b.line),
    close: () => socket.terminate(),
  };
}

/** Returns the sentences that a page shows, oldest first. */
function shownLines(page: Page): Promise<string[]> {
  return page.locator('room-captions .caption .words').allInnerTexts();
}

export async function untilShown(page: Page, lines: string[]): Promise<void> {
  await expect.poll(() => shownLines(page), { interval: 100 }).toEqual(lines);
}

export async function untilState(page: Page, state: string): Promise<void> {
  const look = () => page.evaluate(() => document.querySelector('room-captions')?.state);
  await expect.poll(look, { interval: 100 }).toBe(state);
}

/** Clears choices and input; data kept for offline use stays, which costs more than all else to make again. */
export async function forgetAll(page: Page): Promise<void> {
  const device = await page.context().newCDPSession(page);
  await device.send('Storage.clearDataForOrigin', {
    origin: new URL(page.url()).origin,
    storageTypes: 'local_storage',
  });
  await device.detach();
}

/** Changes the languages of a page's browser from the next document on; returns how to change them back. */
export async function speakLanguage(page: Page, language: string): Promise<() => Promise<void>> {
  const device = await page.context().newCDPSession(page);
  const userAgent = await page.evaluate(() => navigator.userAgent);
  await device.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: language });
  return () => device.detach();
}

/** Name of the service worker's cache. */
const CACHE = 'dragoman-event-pages';

/** Caches empty pages, as the service worker does. */
export function cachePages(page: Page, count: number): Promise<void> {
  const fill = async ({ name, most }: { name: string; most: number }): Promise<void> => {
    const cache = await caches.open(name);
    for (let at = 0; at < most; at++) await cache.put(`/events/${at}`, new Response());
  };
  return page.evaluate(fill, { name: CACHE, most: count });
}

/** Returns the paths that the service worker has cached. */
export function cachedPaths(page: Page): Promise<string[]> {
  return page.evaluate(async (name) => {
    const keys = await (await caches.open(name)).keys();
    return keys.map(({ url }) => new URL(url).pathname);
  }, CACHE);
}
