/**
 * The voice WebSocket. A token is spent before the upgrade, so refusals are plain HTTP answers; then the
 * socket is joined to its session: frames in, messages out, and every way it can end.
 */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type RawData, WebSocket } from 'ws';
import { ServiceError, toServiceError, toSocket } from '../../../shared/errors.ts';
import {
  decodeClientMessage,
  encodeServerMessage,
  MAX_FRAME_BYTES,
} from '../../../shared/protocol/codec.ts';
import type { MessageFormat } from '../../../shared/protocol/messages.ts';
import { VOICE_CONNECT_PATH } from '../../../shared/schemas/voice-session.ts';
import type { PageOrigin } from '../../http/door.ts';
import {
  checkHandshake,
  createSocketServer,
  type SocketKind,
  type SocketUpgrade,
} from '../../http/upgrades.ts';
import type { Logger, ParentLogger } from '../../process/log.ts';
import { RealTimeMeter } from './media-queue.ts';
import { ForeignPage, type SessionConnection, type SessionIntake } from './session-connection.ts';
import type { VoiceSessions } from './voice-sessions.ts';

interface VoiceSocketOptions {
  voiceSessions: VoiceSessions;
  limits: ConnectionLimits;
  log: ParentLogger;
  /** Whether a proxy in front reports the requested host. */
  trustProxy: boolean;
}

/** Returns the kind of socket that voice sessions use. */
export function voiceSockets({
  voiceSessions,
  limits,
  log,
  trustProxy,
}: VoiceSocketOptions): SocketKind {
  const sockets = createSocketServer(VoiceSocket, { maxPayload: MAX_FRAME_BYTES });

  async function open(upgrade: SocketUpgrade): Promise<void> {
    const { request, url, socket, traceId } = upgrade;
    // A request that cannot become a WebSocket must not cost the client its token.
    checkHandshake(request);
    const page = pageOf(request, trustProxy);
    const session = await voiceSessions.connect(tokenOf(url), page).catch((error: unknown) => {
      if (!(error instanceof ForeignPage)) throw error;
      sockets.accept(upgrade, (webSocket) => refuse(webSocket, error));
    });
    if (session === undefined) return;
    const release = () => session.release(false);
    // Until the handshake is done, only this listener notices that the client has left.
    socket.once('close', release);
    if (socket.destroyed) {
      release();
      return;
    }
    sockets.accept(upgrade, (webSocket) => {
      socket.off('close', release);
      serveConnection({ socket: webSocket, session, limits, log: log.child({ reqId: traceId }) });
    });
  }

  return { address: VOICE_CONNECT_PATH, takes: (path) => path === VOICE_CONNECT_PATH, open };
}

/**
 * Returns the origin of a handshake. Only browsers send one, and no page can forge it. Of several
 * forwarded hosts, the nearest proxy wrote the last one.
 */
function pageOf({ headers }: IncomingMessage, trustProxy: boolean): PageOrigin {
  const forwarded = trustProxy ? headers['x-forwarded-host']?.toString().split(',').at(-1) : '';
  return { origin: headers.origin, host: forwarded?.trim() || headers.host };
}

/** @throws ServiceError invalid_request */
function tokenOf({ searchParams }: URL): string {
  const token = searchParams.get('token') ?? '';
  if (token !== '') return token;
  throw new ServiceError(
    'invalid_request',
    `The token is missing: open ${VOICE_CONNECT_PATH}?token=…`,
  );
}

// One socket joined to one session.

interface ConnectionLimits {
  /** How long the session lives without audio, in ms. */
  idleMs: number;
  /** Longest duration of a connection, in ms; afterwards the client may reconnect. */
  connectionMs: number;
  /** How long a client may leave messages unread before its connection is dropped, in ms; default 30 s. */
  unreadMs?: number;
  /** How long a client that sends no audio may take to answer a ping, in ms; default 5 s. */
  pongMs?: number;
}

interface ConnectionOptions {
  socket: VoiceSocket;
  session: SessionConnection;
  limits: ConnectionLimits;
  log: Logger;
}

/** Close codes besides 4000 + status (RFC 6455 §7.4.1). */
const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  tooLarge: 1009,
  /** Another server has taken the session. */
  moved: 1012,
  /** The connection has reached its longest duration; the session goes on in another one. */
  expired: 4408,
  /** The client has requested another connection. */
  replaced: 4409,
} as const;
/** Close codes by which a client leaves for good; after any other code it may reconnect. */
const LEAVE_CODES: ReadonlySet<number> = new Set([CLOSE.normal, CLOSE.goingAway]);
/** Bytes a client may leave unread before the voice path waits for it. */
const MAX_UNREAD_BYTES = 64 * 1024;
const MAX_UNREAD_MS = 30_000;
/** How long a client may take to answer our close frame, in ms. */
const CLOSE_GRACE_MS = 5_000;
const PONG_MS = 5_000;
/** Time to conclude and translate what an idle client said last, in ms. */
const LAST_WORDS_MS = 5_000;

/**
 * A WebSocket that can report why it closes. The ws library closes a connection by itself when a frame
 * breaks the protocol or is too large, but clients are promised an `error` message before every close.
 */
export class VoiceSocket extends WebSocket {
  /** Called with the close code (RFC 6455 §7.4) just before the library closes the connection by itself. */
  onViolation: ((closeCode: number) => void) | undefined;

  override close(code?: number, reason?: string | Buffer): void {
    const violation = this.onViolation;
    this.onViolation = undefined;
    const isViolation = code !== undefined && code >= 1002 && code <= 1009 && code !== 1005;
    if (isViolation && this.readyState === WebSocket.OPEN) violation?.(code);
    super.close(code, reason);
  }
}

/** Serves a connection until it closes; never throws. */
export function serveConnection(options: ConnectionOptions): void {
  new Connection(options).serve();
}

/** Tells a refused page the reason, and closes. */
function refuse(socket: VoiceSocket, refusal: ForeignPage): void {
  socket.on('error', () => undefined);
  const { message, closeCode } = toSocket(refusal, 'session');
  socket.send(encodeServerMessage(message, refusal.messageFormat));
  socket.close(closeCode);
  terminateSoon(socket);
}

class Connection {
  readonly #socket: VoiceSocket;
  readonly #session: SessionConnection;
  readonly #log: Logger;
  readonly #unreadMs: number;
  readonly #intake: SessionIntake;
  readonly #messageFormat: MessageFormat;
  /** Reading a chunk takes time however short it is, so each message counts as at least one millisecond. */
  readonly #messages = new RealTimeMeter(
    'Too many messages. Send chunks of 50 to 250 ms in a new session.',
  );
  #idle: NodeJS.Timeout;
  /** When the client last began to owe audio, regardless of what the session counted before. */
  #owesAudioSinceMs = performance.now();
  readonly #longest: NodeJS.Timeout;
  /** Aborted with the connection, so that its listeners on the session do not outlive it. */
  readonly #served = new AbortController();
  #isOver = false;
  /** Whether the session ends with this connection, whatever close code the client sends. */
  #isLast = false;
  /** Sequence of the last durable message sent, and of the one that the current ping confirms. */
  #sentSequence = 0;
  #pingedSequence = 0;
  #isPingOut = false;

  constructor({ socket, session, limits, log }: ConnectionOptions) {
    this.#socket = socket;
    this.#session = session;
    this.#log = log;
    this.#unreadMs = limits.unreadMs ?? MAX_UNREAD_MS;
    this.#intake = session.intake;
    this.#messageFormat = session.messageFormat;
    this.#idle = setTimeout(() => this.#onIdle(limits), limits.idleMs);
    this.#longest = setTimeout(() => this.#close(CLOSE.expired), limits.connectionMs);
  }

  serve(): void {
    const { failed, replaced, moved, sessionId } = this.#session;
    const socket = this.#socket;
    socket.on('message', (frame, isBinary) => this.#onFrame(frame, isBinary));
    socket.on('pong', (payload) => this.#onPong(payload));
    socket.onViolation = (code) => this.#onViolation(code);
    // The library closes the socket by itself after an error; 'close' always follows.
    socket.on('error', () => undefined);
    socket.on('close', (code) => this.#release(this.#isLast || LEAVE_CODES.has(code)));
    this.#session.onHold((isHeld) => (isHeld ? socket.pause() : socket.resume()));
    this.#log.info({ sessionId }, 'voice session connected');
    const { signal } = this.#served;
    whenAborted(moved, () => this.#close(CLOSE.moved), signal);
    whenAborted(failed, () => this.#fail(failed.reason, 'session'), signal);
    whenAborted(replaced, () => this.#close(CLOSE.replaced), signal);
    this.#tell().catch((error: unknown) => this.#fail(error, 'session'));
  }

  /**
   * Sends the session's messages as fast as the client reads. A newer tentative update replaces an unsent
   * one; concluded segments always wait their turn.
   */
  async #tell(): Promise<void> {
    const { reader } = this.#session;
    while (!this.#isOver) {
      const next = reader.take();
      if (next !== undefined) {
        const isRead = await this.#send(encodeServerMessage(next.message, this.#messageFormat));
        if (!isRead) this.#drop('nothing is read');
        else if (next.sequence > 0) this.#askForReceipt(next.sequence);
      } else if (reader.isDone) {
        await this.#receipt();
        this.#close(this.#intake.isStopping ? CLOSE.goingAway : CLOSE.normal);
      } else await reader.changed();
    }
  }

  /** Sends a frame; resolves to whether the client still reads, however slowly. */
  async #send(frame: string | Uint8Array): Promise<boolean> {
    const socket = this.#socket;
    if (socket.bufferedAmount < MAX_UNREAD_BYTES) {
      socket.send(frame);
      return true;
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), this.#unreadMs);
      socket.send(frame, () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  /**
   * Asks for a receipt by a ping. Every client answers pings (RFC 6455 §5.5.3) and frames arrive in
   * order, so the pong confirms everything before it without a message of our own.
   */
  #askForReceipt(sequence: number): void {
    this.#sentSequence = sequence;
    if (this.#isPingOut || this.#isOver) return;
    this.#isPingOut = true;
    this.#pingedSequence = sequence;
    this.#socket.ping(String(sequence));
  }

  /** Waits for a client on a slow network, as long as it reads, until it has everything. */
  async #receipt(): Promise<void> {
    try {
      while (this.#isPingOut) {
        const unread = AbortSignal.timeout(this.#unreadMs);
        const signal = AbortSignal.any([unread, this.#served.signal]);
        await once(this.#socket, 'pong', { signal });
      }
    } catch {
      // The client has left, or reads nothing.
    }
  }

  #onPong(payload: Buffer): void {
    if (!this.#isPingOut || payload.toString('latin1') !== String(this.#pingedSequence)) return;
    this.#isPingOut = false;
    this.#session.confirm(this.#pingedSequence);
    if (this.#sentSequence > this.#pingedSequence) this.#askForReceipt(this.#sentSequence);
  }

  #onFrame(frame: RawData, isBinary: boolean): void {
    // While the server stops, the session concludes what it has received and takes no more.
    if (this.#isOver || this.#intake.isStopping) return;
    try {
      this.#take(frame as Buffer, isBinary);
    } catch (error) {
      this.#fail(error, requestTypeOf(error));
    }
  }

  /** @throws ServiceError for anything the contract does not allow; the frame then has no effect */
  #take(frame: Buffer, isBinary: boolean): void {
    const intake = this.#intake;
    if (isBinary !== (this.#messageFormat === 'msgpack')) throw wrongFrameType(this.#messageFormat);
    this.#messages.count(1);
    const message = decodeClientMessage(frame, this.#messageFormat);
    if (message.type === 'source_media_chunk') intake.push(message.data);
    else if (message.type === 'end_of_utterance') intake.endUtterance();
    else if (message.type === 'session_update') intake.update(message.update);
    else {
      intake.endMedia();
      clearTimeout(this.#idle);
    }
  }

  #onIdle(limits: ConnectionLimits, end = () => this.#askForLife(limits)): void {
    if (this.#isOver || this.#intake.hasMediaEnded) return;
    // A client that is held back cannot send, and chunks that wait to be decoded may hold audio.
    if (this.#socket.isPaused || this.#intake.hasMediaWaiting) {
      this.#owesAudioSinceMs = performance.now();
    }
    // Only decoded sound counts, not bytes: a client could send headers for ever.
    const lastAudioMs = Math.max(this.#owesAudioSinceMs, this.#intake.audioCountedAtMs);
    const leftMs = lastAudioMs + limits.idleMs - performance.now();
    if (leftMs > 0) this.#idle = setTimeout(() => this.#onIdle(limits), leftMs);
    else end();
  }

  /**
   * Ends the session of an idle client that answers, and drops one whose network may have died without a
   * word. Before the pong comes whatever a stalled network has held back.
   */
  #askForLife(limits: ConnectionLimits): void {
    const end = (): void => this.#fail(idleError(limits.idleMs), 'session');
    const onPong = (): void => {
      clearTimeout(this.#idle);
      this.#onIdle(limits, () => {
        // What was said last is told before the session ends.
        this.#intake.endUtterance();
        const lastWordsMs = Math.min(limits.idleMs, LAST_WORDS_MS);
        this.#idle = setTimeout(() => this.#onIdle(limits, end), lastWordsMs);
      });
    };
    this.#socket.once('pong', onPong);
    this.#idle = setTimeout(() => {
      this.#socket.off('pong', onPong);
      this.#onIdle(limits, () => this.#drop('a ping is not answered'));
    }, limits.pongMs ?? PONG_MS);
    // A client may answer only the newest of several pings.
    this.#socket.ping(String(this.#pingedSequence));
  }

  /** Tells the client why the library is about to close the socket. */
  #onViolation(closeCode: number): void {
    if (this.#isOver) return;
    const error = violation(closeCode);
    this.#sendError(error, 'frame');
    this.#isLast = true;
    this.#stopServing();
    this.#session.fail(error);
    terminateSoon(this.#socket);
  }

  /** Sends the error to the client, closes, and ends the session. */
  #fail(error: unknown, requestType: string): void {
    if (this.#isOver) return;
    const failure = toServiceError(error);
    const { code, cause } = failure;
    const { sessionId } = this.#session;
    const fields = { sessionId, code, ...(cause !== undefined && { err: cause }) };
    this.#log.info(fields, 'voice session failed');
    this.#isLast = true;
    this.#close(this.#sendError(error, requestType));
    this.#session.fail(failure);
  }

  /** Sends an error to the client; returns the matching close code. */
  #sendError(error: unknown, requestType: string): number {
    const { message, closeCode } = toSocket(error, requestType);
    this.#socket.send(encodeServerMessage(message, this.#messageFormat));
    return closeCode;
  }

  #close(code: number): void {
    if (this.#isOver) return;
    this.#stopServing();
    // A paused socket would not see the client's answer.
    if (this.#socket.isPaused) this.#socket.resume();
    this.#socket.close(code);
    terminateSoon(this.#socket);
  }

  /** Drops a client that does not react, such as a sleeping phone. The client may reconnect to the session. */
  #drop(reason: string): void {
    if (this.#isOver) return;
    this.#log.info({ sessionId: this.#session.sessionId }, `voice session dropped: ${reason}`);
    this.#stopServing();
    this.#socket.terminate();
  }

  #stopServing(): void {
    this.#isOver = true;
    this.#served.abort();
    clearTimeout(this.#idle);
    clearTimeout(this.#longest);
    this.#session.onHold(() => undefined);
  }

  #release(isFinal: boolean): void {
    this.#stopServing();
    this.#session.release(isFinal);
  }
}

function terminateSoon(socket: VoiceSocket): void {
  setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref();
}

/** Names the request type that an error message refers to: the frame, or the message in it. */
function requestTypeOf(error: unknown): string {
  const { code } = toServiceError(error);
  const isMessage = code !== 'malformed_message' && code !== 'unknown_message';
  return isMessage && code !== 'wrong_frame_type' ? 'source_media_chunk' : 'frame';
}

function whenAborted(signal: AbortSignal, act: () => void, until: AbortSignal): void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true, signal: until });
}

function idleError(idleMs: number): ServiceError {
  return new ServiceError(
    'session_idle',
    `No audio came for ${idleMs / 1000} s. Send audio, or silence, at all times.`,
  );
}

function violation(closeCode: number): ServiceError {
  return closeCode === CLOSE.tooLarge
    ? new ServiceError(
        'chunk_too_large',
        'The frame is too large: a chunk may carry 100 kB or 1 s.',
      )
    : new ServiceError('protocol_violation', 'The frame breaks the WebSocket protocol (RFC 6455).');
}

function wrongFrameType(expected: MessageFormat): ServiceError {
  return new ServiceError(
    'wrong_frame_type',
    expected === 'json'
      ? 'This session speaks JSON: send text frames.'
      : 'This session speaks MessagePack: send binary frames.',
  );
}
