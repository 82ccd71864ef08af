/** Audio from the caller to the socket: kept until the server has it, and sent at the server's pace. */
import { AudioBuffer } from './audio-buffer.ts';
import { AudioPace } from './audio-pace.ts';
import type { VoiceConnection } from './voice-connection.ts';

export interface AudioSenderOptions {
  contentType: string;
  /** Bytes a second of compressed audio, if they are known. */
  bytesPerSecond: number | undefined;
  maxMs: number;
  maxBytes: number;
  /** Something was sent. */
  onSent: () => void;
  /** Everything was sent. */
  onDrained: () => void;
  /** There may be room for audio again. */
  onRoom: () => void;
}

/**
 * Less than this is never too much: servers tell what has arrived twice a second, when more arrives,
 * so whoever waits for that must have sent that much.
 */
const LEAST_MAX_MS = 2_000;
/** A server that counts says so as soon as it is connected; one that has not by then does not. */
const COUNT_DEADLINE_MS = 3_000;
/** Between looks at a socket that has not sent what it has. */
const SHORTEST_WAIT_MS = 10;
/** Unsent bytes in the socket beyond which audio waits in our buffer, which is bounded. */
const MAX_UNSENT_BYTES = 64 * 1024;

/** The audio of one conversation. */
export class AudioSender {
  readonly #options: AudioSenderOptions;
  readonly #buffer: AudioBuffer;
  readonly #pace: AudioPace;
  /** The server counts what arrives, so nothing may be let go before it has been counted. */
  #isCounted = false;
  #connection: VoiceConnection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When a server that has not counted anything is known not to count. */
  #countDueMs = Infinity;
  #countTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: AudioSenderOptions) {
    this.#options = options;
    this.#buffer = new AudioBuffer(options);
    this.#pace = new AudioPace(options);
  }

  /** No more audio should be pushed for now. */
  get isFull(): boolean {
    return this.#buffer.isFull || this.bufferedMs >= Math.max(this.#options.maxMs, LEAST_MAX_MS);
  }

  /** Audio that was not sent or not counted by the server yet, in ms. */
  get bufferedMs(): number {
    return this.#pace.durationMs(this.#buffer.sizeBytes);
  }

  /** The server counts audio and has not counted all that was sent. */
  get awaitsCount(): boolean {
    return this.#isCounted && this.#buffer.sentBytes > 0;
  }

  /** Takes audio, which is kept and not copied. */
  push(audio: Uint8Array): void {
    this.#buffer.push(this.#pace.wholeSamples(audio));
    this.pump();
  }

  /** Lets go of the oldest audio that waits, while there is too much: for sound that cannot wait. */
  dropOverflow(): void {
    while (this.isFull && !this.#buffer.isDrained) this.#buffer.dropUnsent();
  }

  /** The server has so much of the session's audio; answers whether that is more than before. */
  acknowledge(received: { audioMs: number; sizeBytes: number }): boolean {
    const sentBefore = this.#buffer.sentBytes;
    this.#isCounted = true;
    this.#buffer.acknowledge(received.sizeBytes);
    const isMore = this.#buffer.sentBytes < sentBefore;
    this.#pace.learn(received, performance.now());
    // The wait that was reckoned may be over.
    this.#stopTimer();
    this.pump();
    this.#options.onRoom();
    return isMore;
  }

  /** The next connection goes on after so many bytes; undefined: after those that were sent. */
  resume(receivedBytes: number | undefined): void {
    this.#buffer.resume(receivedBytes);
    this.#options.onRoom();
  }

  /**
   * The next connection begins a new session with what did not arrive, the newest `keptMs` of it. A
   * server that does not count is taken to have heard what was sent.
   */
  restart(keptMs: number): void {
    if (!this.#isCounted) this.#buffer.resume(undefined);
    this.#buffer.restart(this.#pace.sizeBytes(keptMs));
    this.#pace.restart();
    this.#isCounted = false;
    this.#options.onRoom();
  }

  /** Sends over this connection from now on. */
  attach(connection: VoiceConnection): void {
    this.#connection = connection;
    this.#countDueMs = performance.now() + COUNT_DEADLINE_MS;
    // Whoever waits for room must not wait longer for a server that does not count.
    if (!this.#isCounted) this.#countTimer = setTimeout(() => this.pump(), COUNT_DEADLINE_MS + 1);
    this.pump();
  }

  /** Sends nothing more until the next connection. */
  detach(): void {
    this.#connection = undefined;
    clearTimeout(this.#countTimer);
    this.#stopTimer();
  }

  /**
   * Sends what may be sent now. Called for every chunk that arrives, because timers fall to 1 Hz in
   * hidden tabs and messages from the audio thread do not; the timer only speeds up catching up.
   */
  pump(): void {
    const connection = this.#connection;
    if (connection?.isOpen !== true) return;
    // A server that does not count what arrives never asks for any of it again.
    if (this.#isCountOverdue()) this.#expectNoCount();
    const sent = this.#sendDue(connection);
    if (!this.#buffer.isDrained) this.#pumpSoon();
    if (sent) this.#options.onSent();
    if (this.#buffer.isDrained) this.#options.onDrained();
  }

  #sendDue(connection: VoiceConnection): boolean {
    let sent = false;
    while (!this.#buffer.isDrained) {
      const nowMs = performance.now();
      if (connection.unsentBytes >= MAX_UNSENT_BYTES || this.#waitMs(nowMs) > 0) break;
      const data = this.#buffer.take(this.#pace.pieceBytes(this.#buffer.chunkBytes));
      connection.send({ type: 'source_media_chunk', data });
      this.#pace.spend(data.length, nowMs);
      sent = true;
    }
    return sent;
  }

  #waitMs(nowMs: number): number {
    return this.#pace.waitMs(nowMs, this.#isCountOverdue() ? 0 : this.#buffer.sentBytes);
  }

  #isCountOverdue(): boolean {
    return !this.#isCounted && performance.now() > this.#countDueMs;
  }

  #expectNoCount(): void {
    this.#pace.expectNoCount();
    if (!this.isFull) return;
    this.#buffer.forgetSent();
    this.#options.onRoom();
  }

  #pumpSoon(): void {
    const waitMs = Math.max(SHORTEST_WAIT_MS, this.#waitMs(performance.now()));
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.pump();
    }, waitMs);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
