/** Serves readers by server-sent events, where WebSockets do not get through. */
import type { ServerResponse } from 'node:http';
import type { ServiceError } from '../../../shared/errors.ts';
import type { RoomPass } from '../room-keys.ts';
import type { Parcel, Reader } from './fan-out.ts';
import type { AdmittedReader, ReaderWish } from './sockets.ts';

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
