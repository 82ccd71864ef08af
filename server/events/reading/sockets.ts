/**
 * Serves readers by WebSocket, `GET /v1/rooms/{room_id}/live` with an upgrade, and by server-sent events, where WebSockets
 * do not get through.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Decoder } from '@msgpack/msgpack';
import WebSocket from 'ws';
import type { ServiceError } from '../../../shared/errors.ts';
import { languageSpelling } from '../../../shared/language.ts';
import { calmnesses, type RoomWatch } from '../../../shared/protocol/room-messages.ts';
import {
  checkHandshake,
  createSocketServer,
  type SocketKind,
  type SocketUpgrade,
} from '../../http/upgrades.ts';
import type { LiveRoom } from '../live-room.ts';
import { anybody, type RoomPass } from '../room-keys.ts';
import type { Encoding, Parcel, Reader } from './fan-out.ts';

/** A reader's request. */
export interface ReaderWish {
  roomId: string;
  key: string | undefined;
  language: string | undefined;
  isSettled: boolean;
  after: number | undefined;
  /** The reader's network address. */
  address: string;
}

/**
 * Admits a reader; `release` gives its place back.
 *
 * @throws ServiceError not_found, forbidden, invalid_request, too_many_sessions, too_many_requests
 */
export type AdmitReader = (wish: ReaderWish) => Promise<AdmittedReader>;

export interface AdmittedReader {
  live: LiveRoom;
  language: string;
  pass: RoomPass;
  release: () => void;
}

/** Maximum size of a reader's message, in bytes; larger ones are refused unread. */
const MAX_MESSAGE_BYTES = 1_024;
/** Changes of language or calmness that a reader may make per period. */
const MAX_CHANGES = 20;
const CHANGES_MS = 10_000;
const PATH = /^\/v1\/rooms\/([^/]+)\/live$/;

const CLOSE = { wrongFrame: 4400, tooMany: 4429 } as const;

export function readerSockets({
  admit,
  trustProxy,
}: {
  admit: AdmitReader;
  trustProxy: boolean;
}): SocketKind {
  const sockets = createSocketServer(ReaderSocket, { maxPayload: MAX_MESSAGE_BYTES });

  async function open(upgrade: SocketUpgrade): Promise<void> {
    const { request, url, socket } = upgrade;
    checkHandshake(request);
    const wish = wishOf(url.searchParams, {
      roomId: PATH.exec(url.pathname)?.[1] ?? '',
      address: addressOf(request, trustProxy),
    });
    const { release, ...admitted } = await admit(wish);
    socket.once('close', release);
    if (socket.destroyed) {
      release();
      return;
    }
    sockets.accept(upgrade, (webSocket) => {
      const encoding = url.searchParams.get('format') === 'msgpack' ? 'msgpack' : 'json';
      webSocket.serve({ ...admitted, socket, encoding, wish });
    });
  }

  return {
    address: '/v1/rooms/{room_id}/live',
    takes: (path) => PATH.test(path),
    open,
  };
}

/** Reads the parameters of an address, ignoring malformed ones. */
export function wishOf(
  parameters: { get(name: string): string | null },
  from: Pick<ReaderWish, 'roomId' | 'address'>,
): ReaderWish {
  const after = parameters.get('after');
  return {
    ...from,
    key: parameters.get('key') ?? undefined,
    language: parameters.get('language') ?? undefined,
    isSettled: parameters.get('calmness') === 'settled',
    after: after !== null && /^\d{1,15}$/.test(after) ? Number(after) : undefined,
  };
}

function addressOf({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  // The nearest proxy wrote the last address; clients may have forged those before.
  const forwarded = trustProxy
    ? headers['x-forwarded-for']?.toString().split(',').at(-1)
    : undefined;
  return forwarded?.trim() ?? socket.remoteAddress ?? '';
}

interface Serving extends Omit<AdmittedReader, 'release'> {
  /** Written to directly, in whole frames, bypassing the library. */
  socket: Duplex;
  encoding: Encoding;
  wish: ReaderWish;
}

/**
 * The socket of one reader. There are thousands, so each is a single object that keeps nothing of the
 * request.
 */
class ReaderSocket extends WebSocket implements Reader {
  encoding: Encoding = 'json';
  pass = anybody;
  isSettled = false;
  sequence = -1;
  isBehind = true;
  lacksHistory = false;
  #socket: Duplex | undefined;
  #live: LiveRoom | undefined;
  #changes = 0;
  #changesSinceMs = 0;

  serve({ live, language, pass, socket, encoding, wish }: Serving): void {
    this.#live = live;
    this.pass = pass;
    this.#socket = socket;
    this.encoding = encoding;
    this.isSettled = wish.isSettled;
    this.on('message', (data: Buffer, isBinary: boolean) => this.#take(data, isBinary));
    this.on('close', () => live.leave(this));
    this.on('error', ignore);
    socket.on('drain', () => {
      if (this.isBehind) void live.catchUp(this);
    });
    live.join(this, language, wish.after);
  }

  get isGone(): boolean {
    return this.readyState !== WebSocket.OPEN;
  }

  get backlogBytes(): number {
    return this.#socket?.writableLength ?? 0;
  }

  get isFull(): boolean {
    return this.#socket?.writableNeedDrain ?? false;
  }

  write(bytes: Uint8Array): void {
    if (!this.isGone) this.#socket?.write(bytes);
  }

  end({ status }: ServiceError, farewell: Parcel): void {
    this.write(farewell.in(this.encoding));
    this.close(4000 + status);
  }

  destroy(): void {
    this.terminate();
  }

  #take(data: Buffer, isBinary: boolean): void {
    // The message was under way when the socket began to close.
    if (this.isGone) return;
    try {
      if (!this.#mayChange()) {
        this.close(CLOSE.tooMany, 'Too many messages.');
        return;
      }
      this.#change(watchOf(data, isBinary));
    } catch {
      this.close(CLOSE.wrongFrame, 'Send only watch, in the format of the address.');
    }
  }

  #mayChange(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#changesSinceMs > CHANGES_MS) {
      this.#changesSinceMs = nowMs;
      this.#changes = 0;
    }
    this.#changes += 1;
    return this.#changes <= MAX_CHANGES;
  }

  #change({ language: wished, calmness, after }: RoomWatch): void {
    const live = this.#live;
    if (live === undefined) return;
    if (calmness !== undefined) this.isSettled = calmness === 'settled';
    if (wished === undefined) return;
    const language = languageSpelling(wished);
    if (!live.offers(language)) {
      this.close(CLOSE.wrongFrame, 'The room has no such language.');
      return;
    }
    live.leave(this);
    live.join(this, language, after);
  }
}

function ignore(): void {}

const unpacker = new Decoder({
  maxStrLength: 64,
  maxMapLength: 4,
  maxArrayLength: 0,
  maxBinLength: 0,
});

/** @throws Error for anything but a `watch` */
function watchOf(data: Buffer, isBinary: boolean): RoomWatch {
  const message: unknown = isBinary ? unpacker.decode(data) : JSON.parse(data.toString());
  const watch = (message as { watch?: unknown } | null)?.watch;
  if (typeof watch !== 'object' || watch === null) throw new TypeError('no watch');
  const { language, calmness, after } = watch as Record<string, unknown>;
  const known = calmnesses.find((each) => each === calmness);
  return {
    ...(typeof language === 'string' && { language }),
    ...(known !== undefined && { calmness: known }),
    ...(typeof after === 'number' && Number.isSafeInteger(after) && after >= 0 && { after }),
  };
}

/** Turns a response into a reader's stream, until either end closes it. */
export function serveEventStream(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  { live, language, pass, release, wish }: AdmittedReader & { wish: ReaderWish },
): void {
  // A client that left while it was being admitted emits no further `close`.
  if (response.destroyed) {
    release();
    return;
  }
  response.writeHead(200, {
    ...headers,
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    // Keeps proxies that buffer responses from holding the stream back.
    'X-Accel-Buffering': 'no',
  });
  const reader = new EventReader(response, pass, wish.isSettled);
  response.on('drain', () => {
    if (reader.isBehind) void live.catchUp(reader);
  });
  response.once('close', () => {
    live.leave(reader);
    release();
  });
  response.on('error', () => response.destroy());
  live.join(reader, language, wish.after);
}

class EventReader implements Reader {
  readonly encoding = 'events';
  readonly pass: RoomPass;
  isSettled: boolean;
  sequence = -1;
  isBehind = true;
  lacksHistory = false;
  readonly #response: ServerResponse;

  constructor(response: ServerResponse, pass: RoomPass, isSettled: boolean) {
    this.#response = response;
    this.pass = pass;
    this.isSettled = isSettled;
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  get backlogBytes(): number {
    return this.#response.writableLength;
  }

  get isFull(): boolean {
    return this.#response.writableNeedDrain;
  }

  write(bytes: Uint8Array): void {
    if (this.isGone) return;
    this.#response.write(bytes);
    // Left corked until the end of the turn, the bytes would count as backlog.
    this.#response.socket?.uncork();
  }

  end(_reason: ServiceError, farewell: Parcel): void {
    this.write(farewell.in(this.encoding));
    this.#response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }
}
