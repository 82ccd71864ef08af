/** One WebSocket of a session: messages out, messages in, until it closes. */
import { decodeServerMessage, encodeClientMessage } from '../protocol/codec.ts';
import type { ClientMessage, MessageFormat, ServerMessage } from '../protocol/messages.ts';
import { CLOSED, OPEN, type SocketClass, type SocketLike } from './socket.ts';

const OPEN_DEADLINE_MS = 10_000;
/** What a browser reports when a connection ended without a closing handshake. */
const ABNORMAL = 1006;

export interface VoiceConnectionOptions {
  url: string;
  format: MessageFormat;
  WebSocket: SocketClass;
  onOpen: () => void;
  onMessage: (message: ServerMessage) => void;
}

/** One connection; make it, then wait for {@link closed}. */
export class VoiceConnection {
  /** Resolves with the close code; never rejects. */
  readonly closed: Promise<number>;
  readonly #socket: SocketLike;
  readonly #format: MessageFormat;
  readonly #deadline: ReturnType<typeof setTimeout>;
  #isAbandoned = false;
  #settle: (code: number) => void = () => undefined;
  /** When something last arrived, in the time of `performance.now()`. */
  lastHeardMs = -Infinity;

  constructor({ url, format, WebSocket, onOpen, onMessage }: VoiceConnectionOptions) {
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
    // Without a listener `ws` would throw. The close event follows, but for a socket that the policy of the page
    // forbids: Chromium then tells of none.
    socket.onerror = () => {
      if (socket.readyState === CLOSED) setTimeout(() => this.#end(ABNORMAL));
    };
    this.#socket = socket;
    this.#deadline = setTimeout(() => this.abandon(), OPEN_DEADLINE_MS);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === OPEN;
  }

  /** Whether it was turned away before it was open; one that nobody has answered in time was not. */
  get wasRefused(): boolean {
    return this.lastHeardMs === -Infinity && !this.#isAbandoned;
  }

  /** Bytes that the socket has not handed to the network. */
  get unsentBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(message: ClientMessage): void {
    const frame = encodeClientMessage(message, this.#format);
    // Nobody hands over shared memory: sockets do not take it.
    this.#socket.send(frame as string | Uint8Array<ArrayBuffer>);
  }

  close(): void {
    this.#socket.close(1000);
  }

  /** Counts as dropped from now on: a dead network would let the closing handshake wait for long. */
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
