import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { parseSourceMediaType } from '../../../shared/media-type.ts';
import { decodeServerMessage, encodeClientMessage } from '../../../shared/protocol/codec.ts';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import { RunningSession } from '../../../server/voice/session/running-session.ts';
import {
  UTTERANCE_END,
  type MediaPiece,
  type MediaSource,
} from '../../../server/voice/audio/media.ts';
import { serveConnection, VoiceSocket } from '../../../server/voice/session/connection.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { until } from '../../support/product/server.ts';
import { noMeasures } from './no-measures.ts';

/** More than the operating system buffers for an unread socket, and less than a session keeps. */
const SEGMENTS = 60;
const SEGMENT_BYTES = 125_000;
/** How long a reader may read nothing, in ms: only the first one sleeps. */
let unreadMs = 1_500;
let idleMs = 60_000;
let pongMs = 500;

let session: RunningSession;
/** The server's end of the latest connection. */
let served: WebSocket;
let failures = 0;
const log = recordLog();
const server = http.createServer();
beforeAll(async () => {
  const sockets = new WebSocketServer({ server, WebSocket: VoiceSocket });
  sockets.on('connection', (socket) => {
    served = socket;
    const limits = { idleMs, connectionMs: 60_000, unreadMs, pongMs };
    serveConnection({ socket, session: session.connect(), limits, log });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  session.end();
  server.closeAllConnections();
  server.close();
});

function startSession(run: (media: MediaSource) => AsyncIterable<ServerMessage>): RunningSession {
  const format = parseSourceMediaType('audio/pcm;encoding=s16le;rate=16000');
  if (format === undefined) throw new Error('no such format');
  return new RunningSession(
    {
      id: 'sleeper',
      origin: {
        key: undefined,
        openedAtMs: Date.now(),
        sourceLanguage: undefined,
        recogniser: undefined,
      },
      format,
      messageFormat: 'msgpack',
      acknowledges: true,
      tellsLag: false,
      tellsTerms: false,
      maxLagMs: 60_000,
      resumeMs: 60_000,
      measures: noMeasures,
      charge: undefined,
      mayConnect: () => true,
      onOver: () => undefined,
      room: undefined,
      run: ({ media }) => ({
        messages: run(media),
        captions: async function* () {},
        change: () => false,
        tell: () => undefined,
      }),
      terms: {
        request: { source_media_content_type: format.contentType },
        path: { targets: [], speech: undefined },
        check: () => Promise.reject(new Error('nothing changes here')),
      },
    },
    60_000,
  );
}

async function open(options = {}): Promise<{
  socket: WebSocket;
  sequences: number[];
  acknowledgements: number;
}> {
  const { port } = server.address() as AddressInfo;
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, options);
  const opened = { socket, sequences: [] as number[], acknowledgements: 0 };
  socket.on('message', (data) => {
    const message = decodeServerMessage(data as Buffer);
    if (message.type === 'error') failures += 1;
    if (message.type === 'source_media_acknowledgement') opened.acknowledgements += 1;
    if (message.type === 'source_transcript_update') {
      opened.sequences.push(message.sequence ?? 0);
    }
  });
  await new Promise((resolve) => socket.once('open', resolve));
  return opened;
}

const segment = (text: string): ServerMessage => ({
  type: 'source_transcript_update',
  concluded: [{ text, language: 'en', start_time: 0, end_time: 1 }],
  tentative: [],
});

/** Keeps a stream open for as long as the tests last. */
const untilClosed = () => new Promise((resolve) => server.once('close', resolve));

it('drops the connection of a reader that stops reading, and delivers everything when it returns', async () => {
  session = startSession(async function* () {
    for (let count = 0; count < SEGMENTS; count += 1) {
      yield segment('a'.repeat(SEGMENT_BYTES));
      await Promise.resolve();
    }
  });
  const asleep = await open();
  asleep.socket.pause();
  await until(() => !session.isConnected);
  expect(session.isOver).toBe(false);
  session.awaitReconnection(60_000, 0);
  unreadMs = 60_000;
  const awake = await open();
  await until(() => awake.sequences.length >= SEGMENTS);
  expect(awake.sequences.slice(0, SEGMENTS)).toEqual(
    Array.from({ length: SEGMENTS }, (_, index) => index + 1),
  );
  expect(failures).toBe(0);
  asleep.socket.terminate();
  awake.socket.terminate();
});

it('keeps the session of a client whose network has died without a word, and ends that of an idle one', async () => {
  session.end();
  session = startSession(async function* () {
    yield segment('Good morning.');
    await untilClosed();
  });
  idleMs = 500;
  const lost = await open();
  lost.socket.pause();
  await until(() => !session.isConnected);
  expect(session.isOver).toBe(false);
  pongMs = 60_000;
  const idle = await open();
  idleMs = 60_000;
  await until(() => failures === 1);
  expect(session.isOver).toBe(true);
  lost.socket.terminate();
  idle.socket.terminate();
});

it('tells an idle client what it said last before the session ends', async () => {
  session.end();
  session = startSession(async function* (media) {
    await new Promise<void>((resolve) => {
      media.reader = {
        arrived() {
          if (media.take() === UTTERANCE_END) resolve();
        },
      };
    });
    yield segment('Good night.');
    await untilClosed();
  });
  idleMs = 500;
  const idle = await open();
  idleMs = 60_000;
  const message = { type: 'source_media_chunk', data: new Uint8Array(3_200) } as const;
  idle.socket.send(encodeClientMessage(message, 'msgpack'));
  const before = failures;
  await until(() => failures > before);
  expect(idle.sequences).toEqual([1]);
  idle.socket.terminate();
});

it('does not cut speech that a stalled network delivers before the answer to a ping', async () => {
  session.end();
  const heard: (MediaPiece | undefined)[] = [];
  session = startSession(async function* (media) {
    let count = 0;
    media.reader = {
      arrived() {
        count += 1;
        if (count === 2) heard.push(media.take(), media.take());
      },
    };
    await untilClosed();
  });
  idleMs = 500;
  const { socket } = await open({ autoPong: false });
  idleMs = 60_000;
  const message = { type: 'source_media_chunk', data: new Uint8Array(3_200) } as const;
  const speech = encodeClientMessage(message, 'msgpack');
  socket.once('ping', (payload) => {
    socket.send(speech);
    socket.pong(payload);
    socket.send(speech);
  });
  await until(() => heard.length === 2);
  expect(heard).not.toContain(UTTERANCE_END);
  socket.terminate();
});

it('hands a session over only while it is not over', async () => {
  session.end();
  session = startSession(async function* () {});
  expect(await session.handOver()).toBe(true);
  expect(await session.handOver()).toBe(false);
});

it('leaks nothing in a session whose reader reconnects often', async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error) => void warnings.push(message);
  process.on('warning', note);
  session.end();
  session = startSession(async function* () {
    yield segment('Good morning.');
    await untilClosed();
  });
  for (let count = 0; count < 15; count += 1) {
    const { socket } = await open();
    socket.terminate();
    await until(() => !session.isConnected);
  }
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

/** Starts a session that says its last words when told to. */
function startLastWords(onEnd?: () => void): () => void {
  session.end();
  let sayLastWords: () => void = () => undefined;
  const lastWords = new Promise<void>((resolve) => (sayLastWords = resolve));
  session = startSession(async function* () {
    await lastWords;
    yield segment('Good night.');
    onEnd?.();
  });
  return sayLastWords;
}

it('sends a sign of life to a client that waits for the last words', async () => {
  const sayLastWords = startLastWords();
  const client = await open();
  session.conclude();
  const before = client.acknowledgements;
  await until(() => client.acknowledgements >= before + 2);
  sayLastWords();
  await until(() => client.sequences.length === 1);
  client.socket.terminate();
});

it('closes when the client has read the last words, however slowly', async () => {
  const onEnd = vi.fn<() => void>();
  const sayLastWords = startLastWords(onEnd);
  const client = await open();
  client.socket.pause();
  session.conclude();
  sayLastWords();
  await until(() => onEnd.mock.calls.length > 0);
  await new Promise((resolve) => setImmediate(resolve));
  expect(served.readyState).toBe(WebSocket.OPEN);
  client.socket.resume();
  const [code] = (await once(client.socket, 'close')) as [number];
  expect({ code, read: client.sequences.length }).toEqual({ code: 1001, read: 1 });
});
