/** Rooms of a real server, and their pages in the Chromium of the system. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { WebSocket } from 'ws';
import type { RoomLine } from '../../shared/protocol/room-messages.ts';
import type { RoomCreation, RoomInfo } from '../../shared/schemas/rooms.ts';
import { launchChromium } from '../support/machine/chromium.ts';
import { startServer, type TestServer } from '../support/product/server.ts';

export interface EventBench {
  readonly server: TestServer;
  readonly browser: Browser;
  /** What pages have thrown, and everything their policy has blocked. */
  readonly pageErrors: string[];
  makeRoom(wishes?: Partial<RoomCreation>): Promise<RoomInfo>;
  roomNow(room: RoomInfo): Promise<RoomInfo>;
  /** Types a caption, as the owner; answers its number. */
  type(room: RoomInfo, caption: { text: string; language?: string }): Promise<number>;
  /** Opens an address of its own browser profile. */
  open(url: string | undefined, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/** @param microphone WAV file that the fake microphone plays round and round, or `denied` */
export async function startEvents({
  microphone,
  settings = {},
}: { microphone?: string; settings?: Record<string, string> } = {}): Promise<EventBench> {
  const server = await startServer(settings);
  const browser = await launchChromium(microphone);
  const pageErrors: string[] = [];
  return {
    server,
    browser,
    pageErrors,
    async makeRoom(wishes = {}) {
      const wished = { name: 'Main stage', languages: ['es', 'fr'], source_language: 'en' };
      const answer = await server.post('/v1/rooms', { ...wished, ...wishes });
      if (!answer.ok) throw new Error(await answer.text());
      return (await answer.json()) as RoomInfo;
    },
    async roomNow({ room_id: id }) {
      const answer = await server.send(`/v1/rooms/${id}`, { method: 'GET' });
      return (await answer.json()) as RoomInfo;
    },
    async type({ room_id: id }, caption) {
      const answer = await server.post(`/v1/rooms/${id}/captions`, caption);
      return ((await answer.json()) as { line: number }).line;
    },
    async open(url, options = {}) {
      const context = await browser.newContext({ locale: 'en-GB', ...options });
      const page = await context.newPage();
      page.on('pageerror', (error) => pageErrors.push(error.message));
      page.on('console', (message) => {
        if (/Content Security Policy/i.test(message.text())) pageErrors.push(message.text());
      });
      await page.goto(url ?? 'about:blank');
      return page;
    },
    async close() {
      await browser.close();
      await server.stop();
    },
  };
}

/** Somebody who reads along in one language; `lines` are those that stand now. */
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
