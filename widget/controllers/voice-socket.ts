/** The conversation with the gateway: tokens, connections, and what happens when one drops. */
import { decodeServerMessage, encodeClientMessage } from '../../shared/protocol/codec.ts';
import type { ClientMessage, ServerMessage } from '../../shared/protocol/messages.ts';
import { VoiceFailure } from '../voice-failure.ts';
import { AudioQueue } from './audio-queue.ts';
import type { SessionRequest, TokenAnswer, TokenProvider } from './token-endpoint.ts';

/** How a conversation is made and whom it tells. */
export interface VoiceSocketOptions {
  request: SessionRequest;
  provideToken: TokenProvider;
  chunkMs: number;
  onStatus: (status: 'open' | 'reconnecting' | 'offline') => void;
  onMessage: (message: ServerMessage) => void;
  /** A connection dropped; what was tentative will never be concluded. */
  onDrop: () => void;
}

/**
 * Attempts in a row before giving up: the five pauses between them make 11 to 20 s, and each attempt
 * takes as long as the token does, then {@link OPEN_DEADLINE_MS} at most.
 */
const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** An open connection that held this long was a good one even if nothing was said. */
const STABLE_MS = 15_000;
const OPEN_DEADLINE_MS = 10_000;
/** How long the last words may take after the end of the audio. */
const END_DEADLINE_MS = 10_000;
/** Between looks at a browser that has not sent what it has. */
const SHORTEST_WAIT_MS = 10;
/** Unsent bytes in the browser beyond which audio waits in our queue, which is bounded. */
const MAX_UNSENT_BYTES = 64 * 1024;

/** One conversation over as many connections as it takes. */
export class VoiceSocket {
  /** What the next connection is asked for with. */
  request: SessionRequest;
  readonly #options: VoiceSocketOptions;
  readonly #queue: AudioQueue;
  readonly #abort = new AbortController();
  #socket: WebSocket | undefined;
  #hasBeenOpen = false;
  #isTrying = false;
  /** The connection was a good one: the attempts are counted from nothing again. */
  #wasGood = false;
  #finishing = false;
  #endSent = false;
  #ended = false;
  #pumpTimer: ReturnType<typeof setTimeout> | undefined;
  #endTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: VoiceSocketOptions) {
    this.#options = options;
    this.request = options.request;
    this.#queue = new AudioQueue({ chunkMs: options.chunkMs });
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /**
   * Connects, and again after every drop, until the gateway has said its last word or
   * {@link close} was called.
   *
   * @throws VoiceFailure when it gives up
   */
  async run(): Promise<void> {
    for (let attempt = 1; !this.#isOver(); attempt++) {
      this.#wasGood = false;
      try {
        this.#isTrying = true;
        await this.#converse(await this.#token());
        return;
      } catch (error) {
        this.#isTrying = false;
        const failure = toFailure(error);
        if (this.#isOver()) return;
        // Without a network every attempt fails, so none counts; one is still made now and then,
        // as a gateway on this very machine answers all the same.
        if (this.#hasServed() || !navigator.onLine) attempt = 1;
        if (!this.#mayRetry(failure) || attempt >= MAX_ATTEMPTS) throw failure;
        await this.#pause({ attempt, isUnreachable: failure.code === 'unreachable' });
      }
    }
  }

  /** Takes a chunk of audio; it is sent when there is a connection and the pace allows. */
  push(chunk: Uint8Array): void {
    this.#queue.push(chunk);
    this.#pump();
  }

  /** Sends what is queued, then the end of the audio; {@link run} ends after the last words. */
  finish(): void {
    this.#finishing = true;
    if (this.isOpen) this.#pump();
    else if (this.#isTrying) this.#endTimer = setTimeout(() => this.close(), END_DEADLINE_MS);
    else this.close();
  }

  /** Ends at once. */
  close(): void {
    this.#abort.abort();
    clearTimeout(this.#pumpTimer);
    clearTimeout(this.#endTimer);
    this.#socket?.close(1000);
  }

  /** Nothing more can be concluded: another connection would be of no use. */
  #isOver(): boolean {
    return this.#abort.signal.aborted || this.#finishing || this.#ended;
  }

  #hasServed(): boolean {
    return this.#wasGood;
  }

  #token(): Promise<TokenAnswer> {
    return this.#options.provideToken(this.request, this.#abort.signal);
  }

  #mayRetry(failure: VoiceFailure): boolean {
    // Before the first connection a refusal is an answer to a click: better shown than repeated.
    return failure.retriable && (this.#hasBeenOpen || failure.code !== 'token-refused');
  }

  /** One connection. Resolves after end_of_stream; rejects when it ended in any other way. */
  #converse({ streaming_url, token }: TokenAnswer): Promise<void> {
    if (this.#abort.signal.aborted) return Promise.resolve();
    const url = new URL(streaming_url, document.baseURI);
    url.searchParams.set('token', token);
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    const deadline = setTimeout(() => socket.close(), OPEN_DEADLINE_MS);
    return new Promise((resolve, reject) => {
      let failure: VoiceFailure | undefined;
      let openedAtMs = Infinity;
      socket.onopen = () => {
        clearTimeout(deadline);
        this.#hasBeenOpen = true;
        openedAtMs = performance.now();
        this.#options.onStatus('open');
        this.#pump();
      };
      socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
        const message = decodeServerMessage(typeof data === 'string' ? data : new Uint8Array(data));
        if ('error' in message) failure = serverFailure(message.error);
        else this.#wasGood = true;
        if ('end_of_stream' in message) this.#ended = true;
        this.#options.onMessage(message);
      };
      socket.onclose = ({ code }) => {
        clearTimeout(deadline);
        clearTimeout(this.#pumpTimer);
        clearTimeout(this.#endTimer);
        this.#pumpTimer = undefined;
        if (performance.now() - openedAtMs > STABLE_MS) this.#wasGood = true;
        // A gateway that stops, or ends a long connection, concludes by itself: speech goes on.
        if (this.#ended && code !== 1000 && !this.#endSent) this.#ended = false;
        if (this.#ended) {
          resolve();
          return;
        }
        this.#options.onDrop();
        reject(failure ?? closeFailure(code));
      };
    });
  }

  /**
   * Sends what may be sent now. Called for every chunk that arrives, because timers fall to 1 Hz in
   * hidden tabs and messages from the audio thread do not; the timer only speeds up catching up.
   */
  #pump(): void {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN || this.#endSent) return;
    const now = performance.now();
    const mayGo = socket.bufferedAmount < MAX_UNSENT_BYTES;
    const chunk = mayGo ? this.#queue.take(now) : undefined;
    if (chunk !== undefined) this.#send(socket, { source_media_chunk: { data: chunk } });
    if (!this.#queue.isEmpty) {
      this.#pumpTimer ??= setTimeout(
        () => {
          this.#pumpTimer = undefined;
          this.#pump();
        },
        Math.max(SHORTEST_WAIT_MS, this.#queue.waitMs(now)),
      );
    } else if (this.#finishing) {
      this.#endSent = true;
      this.#send(socket, { end_of_source_media: {} });
      this.#endTimer = setTimeout(() => this.close(), END_DEADLINE_MS);
    }
  }

  #send(socket: WebSocket, message: ClientMessage): void {
    const frame = encodeClientMessage(message, this.request.message_format);
    socket.send(frame as string | Uint8Array<ArrayBuffer>);
  }

  /** Waits before the next attempt: longer each time, never in step with others, at once when the network returns. */
  #pause({ attempt, isUnreachable }: { attempt: number; isUnreachable: boolean }): Promise<void> {
    this.#options.onStatus(isUnreachable ? 'offline' : 'reconnecting');
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
    return new Promise((resolve) => {
      const done = new AbortController();
      const go = (): void => {
        done.abort();
        resolve();
      };
      const once = { signal: done.signal };
      addEventListener('online', go, once);
      this.#abort.signal.addEventListener('abort', go, once);
      const timer = setTimeout(go, pauseMs * (0.7 + 0.6 * Math.random()));
      done.signal.addEventListener('abort', () => clearTimeout(timer));
    });
  }
}

function toFailure(error: unknown): VoiceFailure {
  if (error instanceof VoiceFailure) return error;
  // What fetch() throws when there is no answer; a page's own token provider may let it through.
  if (error instanceof TypeError) return new VoiceFailure('unreachable', { retriable: true });
  const message = error instanceof Error ? error.message : '';
  return new VoiceFailure('token-refused', { message, cause: error });
}

/** Session time-outs and failures of the gateway pass; anything else needs a change first. */
function isPassing(status: number): boolean {
  return status === 408 || status === 500 || status === 503;
}

function serverFailure(error: { error_code: number; error_message: string }): VoiceFailure {
  return new VoiceFailure('server-error', {
    message: error.error_message,
    retriable: isPassing(error.error_code),
  });
}

function closeFailure(closeCode: number): VoiceFailure {
  const isRefusal = closeCode >= 4000 && !isPassing(closeCode - 4000);
  return new VoiceFailure('connection-lost', { retriable: !isRefusal });
}
