/** One voice socket joined to one session: frames in, messages out, and every way it can end. */
import type { RawData } from 'ws';
import { ServiceError, toServiceError, toSocket } from '../../shared/errors.ts';
import { encodeServerMessage } from '../../shared/protocol/codec.ts';
import type { Logger } from '../process/log.ts';
import type { ClaimedSession } from '../services/voice-sessions.ts';
import { createRealTimeMeter } from '../voice/real-time-meter.ts';
import { createMediaIntake, type MediaIntake } from './media-intake.ts';
import type { VoiceSocket } from './socket.ts';

export interface ConnectionLimits {
  /** Without audio for this long the session is ended. */
  idleMs: number;
  /** Longest connection; then what was heard is concluded and the socket closed. */
  connectionMs: number;
}

export interface ConnectionOptions {
  socket: VoiceSocket;
  session: ClaimedSession;
  limits: ConnectionLimits;
  log: Logger;
}

/** Close codes besides 4000 + status (RFC 6455 §7.4.1). */
const CLOSE = { normal: 1000, goingAway: 1001, tooLarge: 1009, expired: 4408 } as const;
/** Bytes a client may leave unread before the voice path waits for it. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** A client that reads nothing for this long is let go. */
const MAX_UNREAD_MS = 30_000;
/** After our close frame a client has this long to answer it. */
const CLOSE_GRACE_MS = 5_000;

/** Serves a connection until it is over; never throws. */
export function serveConnection(options: ConnectionOptions): void {
  new Connection(options).serve();
}

class Connection {
  readonly #socket: VoiceSocket;
  readonly #session: ClaimedSession;
  readonly #log: Logger;
  readonly #meter = createRealTimeMeter();
  readonly #intake: MediaIntake;
  #idle: NodeJS.Timeout;
  /** Cheaper to note for each frame than to set a timer anew. */
  #lastAudioMs = performance.now();
  readonly #longest: NodeJS.Timeout;
  #isOver = false;
  /** What the socket closes with once the session has said everything. */
  #closeCode: number = CLOSE.normal;

  constructor({ socket, session, limits, log }: ConnectionOptions) {
    this.#socket = socket;
    this.#session = session;
    this.#log = log;
    this.#intake = createMediaIntake({
      format: session.format,
      messageFormat: session.messageFormat,
      meter: this.#meter,
      hold: (isHeld) => (isHeld ? socket.pause() : socket.resume()),
    });
    this.#idle = setTimeout(() => this.#onIdle(limits.idleMs), limits.idleMs);
    this.#longest = setTimeout(() => this.#conclude(CLOSE.expired), limits.connectionMs);
  }

  serve(): void {
    const { ended, stopping, id } = this.#session;
    this.#socket.on('message', (frame, isBinary) => this.#onFrame(frame, isBinary));
    this.#socket.onViolation = (code) => this.#onViolation(code);
    // The library closes the socket by itself after an error; 'close' always follows.
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => this.#release());
    this.#log.info({ sessionId: id }, 'voice session connected');
    whenAborted(ended, () => this.#fail(ended.reason, 'session'));
    whenAborted(stopping, () => this.#conclude(CLOSE.goingAway));
    this.#tell().then(
      () => this.#close(this.#closeCode),
      (error: unknown) => this.#fail(error, 'session'),
    );
  }

  /**
   * Sends what the session says. A client that reads slowly holds this loop back: the voice path
   * then conflates, so tentative updates are dropped and concluded segments wait.
   */
  async #tell(): Promise<void> {
    for await (const message of this.#session.run(this.#intake.media, this.#meter)) {
      await send(this.#socket, encodeServerMessage(message, this.#session.messageFormat));
    }
  }

  #onFrame(frame: RawData, isBinary: boolean): void {
    if (this.#isOver || this.#closeCode !== CLOSE.normal) return;
    try {
      const isAudio = this.#intake.take(frame as Buffer, isBinary);
      if (this.#intake.hasEnded) clearTimeout(this.#idle);
      else if (isAudio) this.#lastAudioMs = performance.now();
    } catch (error) {
      this.#fail(error, requestTypeOf(error));
    }
  }

  #onIdle(idleMs: number): void {
    // A client that we hold back cannot send.
    if (this.#socket.isPaused) this.#lastAudioMs = performance.now();
    const leftMs = this.#lastAudioMs + idleMs - performance.now();
    if (leftMs > 0) this.#idle = setTimeout(() => this.#onIdle(idleMs), leftMs);
    else this.#fail(idleError(idleMs), 'session');
  }

  /** The library is about to close the socket: the client is told why. */
  #onViolation(closeCode: number): void {
    if (this.#isOver) return;
    this.#sendError(violation(closeCode), 'frame');
    this.#release();
    this.#terminateSoon();
  }

  /** Takes no more audio, lets the session say everything, then closes with a code. */
  #conclude(closeCode: number): void {
    if (this.#closeCode === CLOSE.normal) this.#closeCode = closeCode;
    clearTimeout(this.#idle);
    this.#intake.end();
  }

  #fail(error: unknown, requestType: string): void {
    if (this.#isOver) return;
    const { code, cause } = toServiceError(error);
    const fields = {
      sessionId: this.#session.id,
      code,
      ...(cause !== undefined && { err: cause }),
    };
    this.#log.info(fields, 'voice session failed');
    this.#close(this.#sendError(error, requestType));
  }

  /** Tells the client of a failure; answers the close code that fits. */
  #sendError(error: unknown, requestType: string): number {
    const { message, closeCode } = toSocket(error, requestType);
    this.#socket.send(encodeServerMessage(message, this.#session.messageFormat));
    return closeCode;
  }

  #close(code: number): void {
    if (this.#isOver) return;
    this.#release();
    // A paused socket would not see the client's answer.
    if (this.#socket.isPaused) this.#socket.resume();
    this.#socket.close(code);
    this.#terminateSoon();
  }

  #terminateSoon(): void {
    setTimeout(() => this.#socket.terminate(), CLOSE_GRACE_MS).unref();
  }

  #release(): void {
    this.#isOver = true;
    clearTimeout(this.#idle);
    clearTimeout(this.#longest);
    this.#intake.end();
    this.#session.release();
  }
}

/** What a client did wrong: a frame that is no message, or the message it is. */
function requestTypeOf(error: unknown): string {
  const { code } = toServiceError(error);
  const isMessage = code !== 'malformed_message' && code !== 'unknown_message';
  return isMessage && code !== 'wrong_frame_type' ? 'source_media_chunk' : 'frame';
}

async function send(socket: VoiceSocket, frame: string | Uint8Array): Promise<void> {
  if (socket.bufferedAmount < MAX_UNREAD_BYTES) {
    socket.send(frame);
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(readerTooSlow()), MAX_UNREAD_MS);
    socket.send(frame, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
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

function readerTooSlow(): ServiceError {
  return new ServiceError('reader_too_slow', 'The captions were not read for too long.');
}
