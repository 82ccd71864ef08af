/** A single WebSocket connection of a session: sends and receives messages until it closes. */
import { decodeServerMessage, encodeClientMessage } from '../protocol/codec.ts';
import type { ClientMessage, MessageFormat, ServerMessage } from '../protocol/messages.ts';
import { CLOSED, OPEN, type SocketClass, type SocketLike } from './socket.ts';

/** The close code that browsers report for a connection without a closing handshake. */
const ABNORMAL = 1006;

export interface VoiceConnectionOptions {
  url: string;
  format: MessageFormat;
  WebSocket: SocketClass;
  openDeadlineMs: number;
  onOpen: () => void;
  onMessage: (message: ServerMessage) => void;
}

/** A single connection; create it, then await {@link closed}. */
export class VoiceConnection {
  /** Resolves with the close code; never rejects. */
  readonly closed: Promise<number>;
  readonly #socket: SocketLike;
  readonly #format: MessageFormat;
  readonly #deadline: ReturnType<typeof setTimeout>;
  #isAbandoned = false;
  #settle: (code: number) => void = () => undefined;
  /** Time of the last received data, on the clock of `performance.now()`. */
  lastHeardMs = -Infinity;

  constructor(options: VoiceConnectionOptions) {
    const { url, format, WebSocket, openDeadlineMs, onOpen, onMessage } = options;
    this.#format = format;
    this.closed = new Promise((resolve) => (this.#settle = resolve));
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      clearTimeout(this.#deadline);
      this.lastHeardMs = performance.now();
      onOpen();
    };
    socket.onmessage = ({ data }: { data: string | ArrayBuffer }) => {
      this.lastHeardMs = performance.now();
      onMessage(decodeServerMessage(typeof data === 'string' ? data : new Uint8Array(data)));
    };
    socket.onclose = ({ code }: { code: number }) => this.#end(code);
    // Without a listener, `ws` would throw. Normally a close event follows, but when the page's
    // security policy forbids the connection, Chromium sends none.
    socket.onerror = () => {
      if (socket.readyState === CLOSED) setTimeout(() => this.#end(ABNORMAL));
    };
    this.#socket = socket;
    this.#deadline = setTimeout(() => this.abandon(), openDeadlineMs);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === OPEN;
  }

  /** Whether the connection was refused before it opened; a timeout does not count. */
  get wasRefused(): boolean {
    return this.lastHeardMs === -Infinity && !this.#isAbandoned;
  }

  /** Bytes that the socket has not yet passed to the network. */
  get unsentBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(message: ClientMessage): void {
    const frame = encodeClientMessage(message, this.#format);
    // Callers never pass shared memory, which sockets do not accept.
    this.#socket.send(frame as string | Uint8Array<ArrayBuffer>);
  }

  close(): void {
    this.#socket.close(1000);
  }

  /** Treats the connection as dropped: on a dead network, the closing handshake would take long. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#socket.onopen = this.#socket.onmessage = null;
    this.#socket.close();
    this.#end(ABNORMAL);
  }

  #end(code: number): void {
    clearTimeout(this.#deadline);
    this.#settle(code);
  }
}
