/** Clients of a room as users would write them: owners, readers and captioners. */
import { decode, encode } from '@msgpack/msgpack';
import { WebSocket } from 'ws';
import type {
  RoomLine,
  RoomMessageOf,
  RoomServerMessage,
} from '../../shared/protocol/room-messages.ts';
import type { RoomInfo } from '../../shared/schemas/rooms.ts';
import { until, type RunningServer } from '../support/product/server.ts';

/** Waits until a server has reached its translator, which it does after it has started; no room has a language before. */
export async function untilItTranslates(
  server: Pick<RunningServer, 'get' | 'apiKey'>,
): Promise<void> {
  const key = { Authorization: `DeepL-Auth-Key ${server.apiKey}` };
  await until(async () =>
    (await (await server.get('/v2/languages?type=target', key)).text()).includes('"ES"'),
  );
}

/** Creates a room. Throws when the server refuses. */
export async function makeRoom(
  server: Pick<RunningServer, 'post'>,
  wishes: Record<string, unknown> = {},
): Promise<RoomInfo> {
  const response = await server.post('/v1/rooms', { name: 'Main stage', ...wishes });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as RoomInfo;
}

/** Sends JSON with the API key; resolves to the status and the body. */
export async function change(
  server: Pick<RunningServer, 'send'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await server.send(path, {
    method,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}

/** Returns what the server tells about a room. */
export async function roomInfo(
  server: Pick<RunningServer, 'send'>,
  roomId: string,
): Promise<{ viewers: Record<string, number>; state: string }> {
  return (await change(server, 'GET', `/v1/rooms/${roomId}`)).body as never;
}

/** Resolves to how a reader was refused; undefined if it was let in. */
export const refusal = (
  opened: Promise<unknown>,
): Promise<{ status?: number; retryAfter?: string } | undefined> =>
  opened.then(
    () => undefined,
    (error: unknown) => error as { status?: number; retryAfter?: string },
  );

/** Types or corrects a line in a room; resolves to its number. */
export async function type(
  server: Pick<RunningServer, 'send'>,
  roomId: string,
  typed: { text: string; language?: string; line?: number },
): Promise<number> {
  const { status, body } = await change(server, 'POST', `/v1/rooms/${roomId}/captions`, typed);
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body['line'] as number;
}

/** The key in the fragment of a link. */
export const keyOf = (url: string | undefined): string => url?.split('#key=')[1] ?? '';
export const roomKey = (key: string) => ({ Authorization: `Room-Key ${key}` });

export interface ReadingWish {
  language?: string;
  calmness?: string;
  after?: number;
  key?: string;
  format?: string;
}

export interface RoomReader {
  /** All messages, in order of arrival. */
  messages: RoomServerMessage[];
  /** The lines on the screen, in order. */
  lines(): RoomLine[];
  texts(): string[];
  /** Every line that arrived, including those that were replaced. */
  arrived(): RoomLine[];
  tentative(): string;
  sequence(): number;
  state(): string | undefined;
  /** Waits until exactly these texts are on the screen. */
  shows(...texts: string[]): Promise<void>;
  close(): void;
}

export interface SocketReader extends RoomReader {
  socket: WebSocket;
  watch(wish: { language?: string; calmness?: string; after?: number }): void;
  closed: Promise<number>;
}

function liveAddress(base: string, roomId: string, wish: ReadingWish): string {
  const query = new URLSearchParams(
    Object.entries(wish).map(([name, value]) => [name, String(value)]),
  );
  return `${base}/v1/rooms/${roomId}/live?${query}`;
}

/** Applies messages to a screen as a page does. */
function screen(): {
  reader: Omit<RoomReader, 'close'>;
  take: (wire: Record<string, object>) => void;
} {
  const messages: RoomServerMessage[] = [];
  const shown = new Map<number, RoomLine>();
  let tentative = '';
  let sequence = 0;
  const show = (lines: readonly RoomLine[]) => {
    for (const line of lines) {
      if (line.text === '') shown.delete(line.line);
      else shown.set(line.line, line);
    }
  };
  const lines = () => [...shown.values()].sort((a, b) => a.line - b.line);
  const texts = () => lines().map(({ text }) => text);
  const reader: Omit<RoomReader, 'close'> = {
    messages,
    lines,
    texts,
    arrived: () => messages.flatMap((message) => ('lines' in message ? message.lines : [])),
    tentative: () => tentative,
    sequence: () => sequence,
    state: () =>
      messages.findLast((each): each is RoomMessageOf<'room'> => each.type === 'room')?.state,
    async shows(...expected) {
      await until(() => JSON.stringify(texts()) === JSON.stringify(expected)).catch(() => {
        throw new Error(`It shows ${JSON.stringify(texts())}, not ${JSON.stringify(expected)}.`);
      });
    },
  };
  const take = (wire: Record<string, object>) => {
    const [[type, payload] = ['', {}]] = Object.entries(wire);
    const message = { type, ...payload } as RoomServerMessage;
    messages.push(message);
    if (message.type === 'history' && message.replaces) shown.clear();
    if ('lines' in message) show(message.lines);
    if (message.type === 'captions') tentative = message.tentative;
    if ('sequence' in message) sequence = message.sequence ?? sequence;
  };
  return { reader, take };
}

/** Reads a room over a WebSocket. @throws Error with the status of a refusal */
export async function readAlong(
  { url }: Pick<RunningServer, 'url'>,
  roomId: string,
  wish: ReadingWish = {},
): Promise<SocketReader> {
  const socket = new WebSocket(liveAddress(url.replace(/^http/, 'ws'), roomId, wish));
  const { take, reader } = screen();
  const isPacked = wish.format === 'msgpack';
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary !== isPacked) throw new Error('a frame of the wrong type');
    take((isBinary ? decode(data) : JSON.parse(data.toString())) as Record<string, object>);
  });
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('unexpected-response', (_request, response) => {
      reject(
        Object.assign(new Error(`refused with ${response.statusCode}`), {
          status: response.statusCode,
          retryAfter: response.headers['retry-after'],
        }),
      );
      response.destroy();
    });
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  await until(
    () => reader.messages.some(({ type }) => type === 'history') || wish.after !== undefined,
  );
  return {
    ...reader,
    socket,
    closed,
    watch: (watch) => socket.send(isPacked ? encode({ watch }) : JSON.stringify({ watch })),
    close: () => socket.close(),
  };
}

/** Reads a room over an event stream. @throws Error with the status of a refusal */
export async function readStream(
  { url }: Pick<RunningServer, 'url'>,
  roomId: string,
  wish: ReadingWish & { lastEventId?: number } = {},
): Promise<RoomReader & { ended: Promise<void>; headers: Headers }> {
  const { lastEventId, ...asked } = wish;
  const stopped = new AbortController();
  const response = await fetch(liveAddress(url, roomId, asked), {
    signal: stopped.signal,
    headers: lastEventId === undefined ? {} : { 'Last-Event-ID': String(lastEventId) },
  });
  if (response.status !== 200) {
    throw Object.assign(new Error(`refused with ${response.status}`), { status: response.status });
  }
  const { take, reader } = screen();
  const read = async () => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      const events = (rest + decoder.decode(piece, { stream: true })).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const data = event.split('\n').find((line) => line.startsWith('data: ')) ?? '';
        take(JSON.parse(data.slice(6)) as Record<string, object>);
      }
    }
  };
  const ended = read().catch(() => undefined);
  return { ...reader, ended, headers: response.headers, close: () => stopped.abort() };
}
