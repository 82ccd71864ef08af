/**
 * A conversation with the gateway across as many connections as necessary, in terms of protocol
 * messages. Whatever a dropped connection lost in either direction is sent again on the next one.
 */
import type { ServerMessage } from '../protocol/messages.ts';
import { AudioSender } from './audio-sender.ts';
import { isOffline, retryPause } from './retry.ts';
import { SessionUpdates, withChanges, type SessionChanges } from './session-updates.ts';
import type { SocketClass } from './socket.ts';
import {
  isReconnect,
  type SessionAnswer,
  type SessionRequest,
  type TokenProvider,
} from './token-provider.ts';
import { VoiceConnection } from './voice-connection.ts';
import { isPassingStatus, toVoiceError, VoiceError } from './voice-error.ts';

/** Options and callbacks of a conversation. */
export interface VoiceLinkOptions {
  request: SessionRequest;
  provideToken: TokenProvider;
  WebSocket: SocketClass;
  /** Consecutive attempts before giving up: for the first connection, and after a drop. */
  attempts: { toBegin: number; toResume: number };
  /** Limits on audio that is kept because it was not sent or not acknowledged. */
  buffer: { maxMs: number; maxBytes: number };
  /** Byte rate of compressed audio, if known. */
  bytesPerSecond?: number | undefined;
  /**
   * Begins a new session when the old one is gone, with at most `keptMs` of the waiting audio.
   * Never with audio that can be decoded only from its beginning.
   */
  restart: false | { keptMs: number };
  /** Longest silence of the server after the end of the audio, in ms. */
  endDeadlineMs: number;
  onStatus: (status: LinkStatus) => void;
  /** Receives every message once, in order. */
  onMessage: (message: ServerMessage) => void;
  /** The session is gone: its tentative text will never be concluded, and times start at zero again. */
  onRestart: () => void;
  /** The buffer may accept audio again. */
  onRoom: () => void;
}

export type LinkStatus = 'open' | 'reconnecting' | 'offline';

/** Duration after which an open connection counts as good even without a message, in ms. */
const STABLE_MS = 15_000;
/**
 * Silence after which a connection counts as lost, in ms. A server that counts audio acknowledges
 * it twice a second while audio arrives, and every 1.5 s otherwise.
 */
const STALLED_MS = 4_000;
const WATCH_EVERY_MS = 500;
/**
 * Time limits for a token request, in ms: for a new session, for resuming one, and for an attempt that no
 * other follows, which must not be given up while a busy machine is only slow.
 */
const TOKEN_DEADLINES_MS = { toBegin: 10_000, toResume: 5_000, only: 60_000 };
/** Time limits for opening a socket, in ms. */
const OPEN_DEADLINES_MS = { usual: 10_000, only: 60_000 };
const NORMAL_CLOSURE = 1000;
/**
 * Consecutive refused sockets before giving up. Browsers do not reveal why a socket was refused. If
 * the server issues tokens but sockets never open, something in between, or the server itself,
 * refuses sockets from here.
 */
const MOST_REFUSALS = 3;

/** A single conversation. */
export class VoiceLink {
  /** The request for the next session. */
  request: SessionRequest;
  readonly #options: VoiceLinkOptions;
  readonly #audio: AudioSender;
  readonly #updates: SessionUpdates;
  readonly #abort = new AbortController();
  #connection: VoiceConnection | undefined;
  /** The server's last answer for the session; undefined when a new session must be requested. */
  #session: SessionAnswer | undefined;
  #lastSequence = 0;
  #hasBeenOpen = false;
  /** Whether this session was ever connected; before that, nothing of it can be lost. */
  #hasBegun = false;
  /** Whether the connection was good, so that attempts are counted from the start again. */
  #wasGood = false;
  /** Number of consecutive refused sockets. */
  #refusals = 0;
  #finishing = false;
  #endSent = false;
  #ended = false;
  #isOver = false;
  /** The session is gone, and no new one may replace it. */
  #isLost = false;
  #failure: VoiceError | undefined;
  #endTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: VoiceLinkOptions) {
    this.#options = options;
    this.request = options.request;
    this.#audio = new AudioSender({
      contentType: options.request.source_media_content_type,
      bytesPerSecond: options.bytesPerSecond,
      ...options.buffer,
      onSent: () => this.#watchEnd(),
      onDrained: () => this.#sendEnd(),
      onRoom: options.onRoom,
    });
    this.#updates = new SessionUpdates({
      send: (update) => this.#connection?.send({ type: 'session_update', update }),
      onTaken: (changes) => (this.request = withChanges(this.request, changes)),
    });
  }

  get isOpen(): boolean {
    return this.#connection?.isOpen ?? false;
  }

  /** Whether {@link update} will reach a server that supports it. */
  get takesUpdates(): boolean {
    return this.#updates.areSupported;
  }

  get isFinishing(): boolean {
    return this.#finishing;
  }

  /** Audio on its way to the server. */
  get audio(): Pick<AudioSender, 'push' | 'dropOverflow' | 'isFull' | 'bufferedMs'> {
    return this.#audio;
  }

  /**
   * Connects, and reconnects after every drop, until the gateway has sent its last message or
   * {@link close} is called.
   *
   * @throws VoiceError when it gives up
   */
  async run(): Promise<void> {
    try {
      await this.#connectUntilOver();
    } catch (error) {
      this.#failure ??= toVoiceError(error);
    }
    clearTimeout(this.#endTimer);
    this.#isOver = true;
    this.#updates.fail(this.#failure ?? new VoiceError('closed'));
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #connectUntilOver(): Promise<void> {
    for (let attempt = 1; !this.#isAborted(); attempt++) {
      this.#wasGood = false;
      try {
        await this.#converse(await this.#ask());
        return;
      } catch (error) {
        if (this.#isAborted()) break;
        const failure = toVoiceError(error);
        if (failure.code !== 'connection-lost') this.#refusals = 0;
        // Without a network, every attempt fails, so none is counted. Attempts continue, because a
        // gateway on this machine may still answer.
        if (this.#hasServed() || isOffline()) attempt = 1;
        if (!this.#mayRetry(failure, attempt)) throw failure;
        this.#options.onStatus(failure.code === 'unreachable' ? 'offline' : 'reconnecting');
        await retryPause({ attempt, signal: this.#abort.signal });
      }
    }
  }

  /**
   * Changes targets or terms of this session and of later ones. Resolves when they are in force.
   *
   * @throws VoiceError update-refused, update-unsupported, closed, or the reason why the session
   *   ended
   */
  update(changes: SessionChanges): Promise<void> {
    return this.#isOver ? Promise.reject(new VoiceError('closed')) : this.#updates.add(changes);
  }

  /** Ends the current utterance, after the queued audio. */
  endUtterance(): void {
    this.#audio.endUtterance();
  }

  /** Sends the queued audio, then its end; {@link run} resolves after the last message. */
  finish(): void {
    this.#finishing = true;
    this.#watchEnd();
    this.#audio.pump();
  }

  /** Ends at once. */
  close(): void {
    this.#isOver = true;
    this.#abort.abort();
    clearTimeout(this.#endTimer);
    this.#audio.detach();
    this.#connection?.close();
  }

  #isAborted(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Whether no other attempt follows when the present one fails. */
  #isOnlyAttempt(): boolean {
    return !this.#hasBeenOpen && this.#options.attempts.toBegin === 1;
  }

  #hasServed(): boolean {
    return this.#wasGood;
  }

  #mayRetry(failure: VoiceError, attempt: number): boolean {
    if (this.#isLost) return false;
    if (!this.#hasBeenOpen && this.#refusals >= MOST_REFUSALS) return false;
    const { toBegin, toResume } = this.#options.attempts;
    if (attempt >= (this.#hasBeenOpen ? toResume : toBegin)) return false;
    // Before the first connection, a refusal answers a user's action: it is shown rather than retried.
    return failure.isPassing && (this.#hasBeenOpen || failure.code !== 'token-refused');
  }

  /** Requests a token for the session, or for a new one when it is gone. */
  async #ask(): Promise<SessionAnswer> {
    const known = this.#session;
    if (known === undefined) return this.#begin();
    const answer = await this.#reconnect(known).catch((error: unknown) => {
      const failure = toVoiceError(error);
      if (failure.isPassing) throw failure;
      return undefined;
    });
    if (answer !== undefined && isSameSession(answer, known)) {
      this.#audio.resume(answer.received_audio_bytes);
      this.#endSent = false;
      return (this.#session = answer);
    }
    this.#lose();
    // A page's own provider may not support reconnection and answer every call with a new session.
    return answer === undefined ? this.#begin() : this.#begin(answer);
  }

  #reconnect({ token }: SessionAnswer): Promise<SessionAnswer> {
    return this.#provide({ token, last_sequence: this.#lastSequence });
  }

  /** @throws VoiceError unreachable when no answer arrives in time */
  async #provide(request: Parameters<TokenProvider>[0]): Promise<SessionAnswer> {
    const waiting = new AbortController();
    const stop = (): void => waiting.abort();
    const kind = this.#isOnlyAttempt() ? 'only' : isReconnect(request) ? 'toResume' : 'toBegin';
    const timer = setTimeout(stop, TOKEN_DEADLINES_MS[kind]);
    this.#abort.signal.addEventListener('abort', stop);
    // A page's own provider may ignore the signal.
    const overdue = new Promise<never>((_, reject) => {
      const give = (): void => reject(new VoiceError('unreachable', { isPassing: true }));
      waiting.signal.addEventListener('abort', give, { once: true });
    });
    try {
      return await Promise.race([overdue, this.#options.provideToken(request, waiting.signal)]);
    } finally {
      clearTimeout(timer);
      this.#abort.signal.removeEventListener('abort', stop);
    }
  }

  async #begin(given?: SessionAnswer): Promise<SessionAnswer> {
    const request = given === undefined ? this.#updates.applied(this.request) : this.request;
    const asked = given ?? (await this.#provideUnlessRefused(request));
    // A refused change would prevent the session. It starts unchanged, and the update then reports
    // the refusal.
    const answer = asked ?? (await this.#provide(this.request));
    const isApplied = given === undefined && asked !== undefined;
    if (isApplied) this.request = request;
    this.#updates.restart(isApplied);
    const { restart } = this.#options;
    this.#audio.restart(restart === false ? Infinity : restart.keptMs);
    this.#lastSequence = 0;
    this.#hasBegun = this.#endSent = false;
    return (this.#session = answer);
  }

  /** Returns undefined if a request with changes was refused. */
  async #provideUnlessRefused(request: SessionRequest): Promise<SessionAnswer | undefined> {
    try {
      return await this.#provide(request);
    } catch (error) {
      const failure = toVoiceError(error);
      if (failure.isPassing || !this.#updates.isWaiting) throw failure;
      return undefined;
    }
  }

  /** Handles the loss of the session. @throws VoiceError unless a new one may begin */
  #lose(reason?: VoiceError): void {
    const hadBegun = this.#hasBegun;
    this.#session = undefined;
    this.#hasBegun = false;
    if (!hadBegun) return;
    if (this.#options.restart === false || !beginsAnywhere(this.request)) {
      this.#isLost = true;
      throw reason ?? new VoiceError('session-lost');
    }
    this.#options.onRestart();
  }

  /** Runs one connection. Resolves after end_of_stream; rejects when it ends in any other way. */
  async #converse({ streaming_url, token }: SessionAnswer): Promise<void> {
    this.#abort.signal.throwIfAborted();
    let failure: VoiceError | undefined;
    let openedAtMs = Infinity;
    const connection = new VoiceConnection({
      url: connectUrl(streaming_url, token),
      format: this.request.message_format,
      WebSocket: this.#options.WebSocket,
      openDeadlineMs: OPEN_DEADLINES_MS[this.#isOnlyAttempt() ? 'only' : 'usual'],
      onOpen: () => {
        this.#hasBeenOpen = this.#hasBegun = true;
        openedAtMs = performance.now();
        this.#options.onStatus('open');
        this.#audio.attach(connection);
        this.#updates.open();
      },
      onMessage: (message) => {
        if (message.type === 'error') failure = serverFailure(message);
        else this.#wasGood = true;
        this.#receive(message);
      },
    });
    this.#connection = connection;
    const watch = setInterval(() => this.#dropIfStalled(connection), WATCH_EVERY_MS);
    const code = await connection.closed;
    clearInterval(watch);
    this.#audio.detach();
    this.#updates.dropped();
    this.#refusals = connection.wasRefused ? this.#refusals + 1 : 0;
    if (performance.now() - openedAtMs > STABLE_MS) this.#wasGood = true;
    this.#settle(code, failure);
  }

  /** Evaluates the end of a connection. @throws VoiceError unless everything was said */
  #settle(code: number, failure: VoiceError | undefined): void {
    if (this.#isAborted()) return;
    if (failure !== undefined) {
      this.#lose(failure);
      throw failure;
    }
    // A server that stops, or limits the length of connections, concludes what it has; audio that
    // it has not taken continues on another connection.
    const isAllTaken = this.#endSent && !this.#audio.awaitsCount;
    if (this.#ended && (code === NORMAL_CLOSURE || isAllTaken)) return;
    const lost = closeFailure(code);
    if (this.#ended || !lost.isPassing) this.#lose();
    this.#ended = false;
    throw lost;
  }

  #receive(message: ServerMessage): void {
    if (this.#isKnown(message)) return;
    if (message.type === 'source_media_acknowledgement') {
      const { received_audio_ms, received_audio_bytes } = message;
      const isNews = this.#audio.acknowledge({
        audioMs: received_audio_ms,
        sizeBytes: received_audio_bytes,
      });
      // A repeated acknowledgement shows that the server is there, but not that it makes progress.
      if (isNews) this.#watchEnd();
    } else this.#watchEnd();
    this.#updates.receive(message);
    if (message.type === 'end_of_stream') this.#ended = true;
    this.#options.onMessage(message);
  }

  /** Whether a message is a duplicate; otherwise records its sequence. */
  #isKnown(message: ServerMessage): boolean {
    const sequence = 'sequence' in message ? message.sequence : undefined;
    if (sequence === undefined) return false;
    if (sequence <= this.#lastSequence) return true;
    this.#lastSequence = sequence;
    return false;
  }

  /** Called whenever all audio was sent. */
  #sendEnd(): void {
    if (!this.isOpen || !this.#finishing || this.#endSent) return;
    this.#endSent = true;
    this.#connection?.send({ type: 'end_of_source_media' });
  }

  /**
   * Restarts the timeout for the end of the session: after the audio, the server must keep sending
   * until everything is said.
   */
  #watchEnd(): void {
    if (!this.#finishing || this.#isOver) return;
    clearTimeout(this.#endTimer);
    this.#endTimer = setTimeout(() => {
      this.#failure = new VoiceError('end-overdue');
      this.close();
    }, this.#options.endDeadlineMs);
  }

  /**
   * On a network that died silently, a socket may seem open for many minutes, also while there is nothing
   * to send: after the end of the audio, the last words would be waited for in vain.
   */
  #dropIfStalled(connection: VoiceConnection): void {
    if (!this.#audio.isCounted) return;
    if (performance.now() - connection.lastHeardMs > STALLED_MS) connection.abandon();
  }
}

/** Whether decoding can start anywhere in the audio; not in a container. */
function beginsAnywhere({ source_media_content_type: type }: SessionRequest): boolean {
  return /^audio\/(?:pcm|mpeg)\b/.test(type);
}

function isSameSession(answer: SessionAnswer, known: SessionAnswer): boolean {
  return answer.session_id === known.session_id && answer.session_id !== '';
}

function connectUrl(streamingUrl: string, token: string): string {
  const { document } = globalThis as unknown as { document?: { baseURI: string } };
  const url = new URL(streamingUrl, document?.baseURI);
  url.searchParams.set('token', token);
  return url.href;
}

function serverFailure(error: {
  error_code: number;
  reason_code: number;
  error_message: string;
}): VoiceError {
  return new VoiceError('server-error', {
    message: error.error_message,
    isPassing: error.error_code !== 429 && isPassingStatus(error.error_code),
    status: error.error_code,
    reasonCode: error.reason_code,
  });
}

function closeFailure(closeCode: number): VoiceError {
  const status = closeCode - 4000;
  const isRefusal = status >= 0 && (status === 429 || !isPassingStatus(status));
  return new VoiceError('connection-lost', { isPassing: !isRefusal });
}
