/** The reader's client against a real server, over a faulty network. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import {
  enterRoom,
  RoomFeed,
  type RoomFeedEvent,
  type RoomFeedOptions,
} from '../../shared/client/room-feed.ts';
import type { SocketClass } from '../../shared/client/socket.ts';
import type { RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';
import { startResetProxy } from '../support/services/reset-proxy.ts';

let server: RunningServer;
const feeds: RoomFeed[] = [];

beforeAll(async () => {
  server = await sharedServer();
});
afterAll(async () => {
  for (const feed of feeds) feed.close();
  await server.stop();
});

interface MadeRoom {
  room_id: string;
  passcode: string;
}

async function makeRoom(wishes: object = {}): Promise<MadeRoom> {
  const made = await server.post('/v1/rooms', { name: 'Main stage', languages: ['es'], ...wishes });
  return (await made.json()) as MadeRoom;
}

async function type(room: MadeRoom, caption: object): Promise<number> {
  const typed = await server.post(`/v1/rooms/${room.room_id}/captions`, caption);
  return ((await typed.json()) as { line: number }).line;
}

/** Opens a feed and records its events. */
function read(room: MadeRoom, options: Partial<RoomFeedOptions> & { origin?: string } = {}) {
  const { origin = server.url, ...more } = options;
  const events: RoomFeedEvent[] = [];
  const feed = new RoomFeed({
    url: `${origin}/v1/rooms/${room.room_id}`,
    WebSocket,
    onEvent: (event) => events.push(event),
    ...more,
  });
  feeds.push(feed);
  return {
    feed,
    events,
    states: () => events.flatMap((event) => (event.type === 'state' ? [event.state] : [])),
    texts: () =>
      events.flatMap((event) =>
        event.type === 'history' || event.type === 'captions'
          ? event.lines.map(({ text }) => text)
          : [],
      ),
  };
}

type Read = ReturnType<typeof read>;

async function untilState(reader: Read, state: RoomFeed['state']): Promise<void> {
  await expect.poll(() => reader.feed.state, { interval: 20 }).toBe(state);
}

async function untilTexts(reader: Read, texts: string[]): Promise<void> {
  await expect.poll(reader.texts, { interval: 20 }).toEqual(texts);
}

/** A socket on a network that blocks WebSockets. */
class BlockedSocket {
  static count = 0;
  readyState = 3;
  bufferedAmount = 0;
  binaryType = '';
  onopen: (() => void) | null = null;
  onmessage: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onclose: (() => void) | null = null;

  constructor() {
    BlockedSocket.count += 1;
    setImmediate(() => this.tell());
  }
  tell(): void {
    this.onclose?.();
  }
  send(): void {}
  close(): void {}
}

/** A socket that a Content-Security-Policy forbids: Chromium reports an error, but no close. */
class ForbiddenSocket extends BlockedSocket {
  override tell(): void {
    this.onerror?.();
  }
}

/** A socket whose messages the test sends. */
class ScriptedSocket implements InstanceType<SocketClass> {
  static readonly all: ScriptedSocket[] = [];
  readyState = 1;
  bufferedAmount = 0;
  binaryType = '';
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onerror: (() => void) | null = null;
  onclose: (() => void) | null = null;
  readonly after: string | null;

  constructor(url: string) {
    this.after = new URL(url).searchParams.get('after');
    ScriptedSocket.all.push(this);
    setImmediate(() => this.onopen?.());
  }
  send(): void {}
  close(): void {}
  says(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

describe('a room feed', () => {
  it('receives the history and then new lines', async () => {
    const room = await makeRoom();
    await type(room, { text: 'Before.' });
    const reader = read(room);
    await untilTexts(reader, ['Before.']);
    // The room is sent again as soon as its reader counts.
    const first = reader.events.slice(0, 4).map(({ type: name }) => name);
    expect(first).toEqual(['entrance', 'state', 'room', 'history']);
    await type(room, { text: 'After.' });
    await untilTexts(reader, ['Before.', 'After.']);
  });

  it('ignores the sequence of lines that precede the history of a new language', async () => {
    const reader = read(await makeRoom(), { WebSocket: ScriptedSocket as unknown as SocketClass });
    await untilState(reader, 'open');
    const [first] = ScriptedSocket.all;
    const told = { language: 'spoken', lines: [] };
    first!.says({ captions: { ...told, sequence: 7, tentative: '' } });
    first!.onclose?.();
    await expect.poll(() => ScriptedSocket.all.length).toBe(2);
    const second = ScriptedSocket.all[1]!;
    expect(second.after).toBeNull();
    await untilState(reader, 'open');
    second.says({ history: { ...told, sequence: 7, replaces: true } });
    second.says({ captions: { ...told, sequence: 8, tentative: '' } });
    second.onclose?.();
    await expect.poll(() => ScriptedSocket.all[2]?.after).toBe('8');
    reader.feed.close();
  });

  it('finds its language in any spelling', async () => {
    const room = await makeRoom();
    await type(room, { text: 'Hola.', language: 'es' });
    const reader = read(room, { language: 'ES' });
    await untilTexts(reader, ['Hola.']);
    for (const language of ['spoken', 'Es']) reader.feed.watch({ language });
    await untilTexts(reader, ['Hola.', 'Hola.']);
    expect(reader.events.some((event) => event.type === 'language')).toBe(false);
  });

  it('changes the language on the same connection, without lines of the previous one', async () => {
    const room = await makeRoom();
    await type(room, { text: 'Ahora.', language: 'es' });
    const reader = read(room);
    await untilState(reader, 'open');
    reader.feed.watch({ language: 'es' });
    await untilTexts(reader, ['Ahora.']);
    await type(room, { text: 'Luego.', language: 'es' });
    await untilTexts(reader, ['Ahora.', 'Luego.']);
    expect(reader.states()).toEqual(['open']);
  });

  it('falls back to what is spoken until the room has the requested language', async () => {
    const room = await makeRoom({ languages: [] });
    const sent: unknown[] = [];
    /** A socket during whose opening the reader wants calm. */
    class CalmedSocket extends WebSocket {
      constructor(url: string) {
        super(url);
        reader.feed.watch({ calmness: 'settled' });
      }
      override send(data: string): void {
        sent.push(JSON.parse(data));
        super.send(data);
      }
    }
    const Socket = CalmedSocket as unknown as SocketClass;
    const reader = read(room, { language: 'es', WebSocket: Socket });
    await untilState(reader, 'open');
    expect(sent).toEqual([{ watch: { calmness: 'settled' } }]);
    expect(reader.feed.language).toBe('spoken');
    expect(reader.events).toContainEqual({ type: 'language', language: 'spoken' });
    await server.send(`/v1/rooms/${room.room_id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ languages: ['es'] }),
    });
    await expect.poll(() => reader.feed.language).toBe('es');
  });

  it('returns after a drop with the missed lines, and repeats none', async () => {
    const room = await makeRoom();
    const proxy = await startResetProxy(server.url);
    const reader = read(room, { origin: proxy.url });
    await untilState(reader, 'open');
    await type(room, { text: 'One.' });
    await untilTexts(reader, ['One.']);
    proxy.reset();
    await type(room, { text: 'Two.' });
    await untilTexts(reader, ['One.', 'Two.']);
    expect(reader.states()).toEqual(['open', 'reconnecting', 'open']);
    reader.feed.close();
    await proxy.close();
  });

  it('falls back to server-sent events when sockets are blocked, and changes the language there', async () => {
    const room = await makeRoom();
    await type(room, { text: 'Spoken.' });
    await type(room, { text: 'Dicho.', language: 'es' });
    BlockedSocket.count = 0;
    const reader = read(room, { WebSocket: BlockedSocket as unknown as SocketClass });
    await untilTexts(reader, ['Spoken.']);
    expect(BlockedSocket.count).toBe(1);
    await type(room, { text: 'More.' });
    await untilTexts(reader, ['Spoken.', 'More.']);
    reader.feed.watch({ language: 'es' });
    // The spoken lines follow, translated.
    await expect.poll(reader.texts).toContain('Dicho.');
    expect(reader.texts().slice(0, 3)).toEqual(['Spoken.', 'More.', 'Dicho.']);
    // Changing the language is not a failure, so no socket is tried again.
    expect(BlockedSocket.count).toBe(1);
    expect(reader.states()).toEqual(['open']);
  });

  it('returns to its language without a pause where server-sent events replace sockets', async () => {
    BlockedSocket.count = 0;
    const asked: (string | null)[] = [];
    let languages: string[] = [];
    let tell = (): void => {};
    const answer = async (url: string): Promise<Response> => {
      const { pathname, searchParams } = new URL(url);
      if (pathname.endsWith('/entry')) {
        return Response.json({ access: 'everyone', may_read: true, languages });
      }
      asked.push(searchParams.get('language'));
      const encoder = new TextEncoder();
      const body = new ReadableStream<Uint8Array>({
        start(stream) {
          tell = () =>
            stream.enqueue(encoder.encode(`data: ${JSON.stringify({ room: { languages } })}\n\n`));
        },
      });
      return new Response(body);
    };
    const fetch: RoomFeedOptions['fetch'] = async (url, { signal }) => {
      const response = await answer(url);
      // An aborted request ends its stream, as with the real fetch.
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      response.body?.pipeTo(writable, signal ? { signal } : {}).catch(() => {});
      return new Response(readable, { headers: response.headers });
    };
    const room = { room_id: 'any', passcode: '' };
    const blocked = BlockedSocket as unknown as SocketClass;
    const reader = read(room, { WebSocket: blocked, fetch, language: 'es', origin: 'http://room' });
    await untilState(reader, 'open');
    languages = ['es'];
    tell();
    await expect.poll(() => asked, { interval: 20 }).toEqual(['spoken', 'es']);
    expect(BlockedSocket.count).toBe(1);
    expect(reader.states()).toEqual(['open']);
    reader.feed.close();
  });

  it("does not wait for the close of a socket that its page's policy forbids", async () => {
    const room = await makeRoom();
    await type(room, { text: 'Spoken.' });
    const reader = read(room, { WebSocket: ForbiddenSocket as unknown as SocketClass });
    await untilTexts(reader, ['Spoken.']);
  });
});

describe('access to a room', () => {
  it('is locked until the passcode is given, and open with the key', async () => {
    const room = await makeRoom({ access: 'passcode', passcode: '4711' });
    await type(room, { text: 'Secret.' });
    const reader = read(room);
    await untilState(reader, 'locked');
    const url = `${server.url}/v1/rooms/${room.room_id}`;
    expect(await enterRoom(url, '1234')).toEqual({ refused: 'wrong' });
    const answer = await enterRoom(url, '4711');
    if (!('key' in answer)) throw new Error('The passcode was refused.');
    reader.feed.setKey(answer.key);
    await untilTexts(reader, ['Secret.']);
    // A room that nobody enters by a passcode any more.
    await server.send(`/v1/rooms/${room.room_id}`, { method: 'DELETE' });
    expect(await enterRoom(url, '4711')).toEqual({ refused: 'unneeded' });
  });

  it('is refused without a link and with a revoked link', async () => {
    const room = await makeRoom({ access: 'link' });
    const stranger = read(room);
    await untilState(stranger, 'refused');
    const made = await server.post(`/v1/rooms/${room.room_id}/links`, { role: 'viewer' });
    const { link_id: linkId, url } = (await made.json()) as { link_id: string; url: string };
    const key = new URLSearchParams(new URL(url).hash.slice(1)).get('key') ?? '';
    const guest = read(room, { key });
    await untilState(guest, 'open');
    await server.send(`/v1/rooms/${room.room_id}/links/${linkId}`, { method: 'DELETE' });
    await untilState(guest, 'refused');
  });

  it('ignores an outdated key in a room that requires none', async () => {
    const reader = read(await makeRoom(), { key: 'viewer.old.0.AAAAAAAAAAAAAAAAAAAAAA' });
    await untilState(reader, 'open');
  });

  it('is gone when the room does not exist or is deleted', async () => {
    await untilState(read({ room_id: 'abcdefghjk', passcode: '' }), 'gone');
    const room = await makeRoom();
    const reader = read(room);
    await untilState(reader, 'open');
    await server.send(`/v1/rooms/${room.room_id}`, { method: 'DELETE' });
    await untilState(reader, 'gone');
    expect(reader.events.some((event) => event.type === 'end')).toBe(true);
  });
});

describe('the server', () => {
  it('answers pages of any site without credentials', async () => {
    const room = await makeRoom();
    const url = `${server.url}/v1/rooms/${room.room_id}/live/entry`;
    const headers = { origin: 'https://somebody.example' };
    const answer = await fetch(url, { headers });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    const asked = await fetch(url, { method: 'OPTIONS', headers });
    expect(asked.headers.get('access-control-allow-headers')).toContain('Authorization');
  });

  it('changes only the given fields of a room', async () => {
    const room = await makeRoom({ access: 'passcode', keep_hours: 5 });
    const changed = await server.send(`/v1/rooms/${room.room_id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ paused: true }),
    });
    expect(await changed.json()).toMatchObject({ access: 'passcode', keep_hours: 5, paused: true });
  });
});
