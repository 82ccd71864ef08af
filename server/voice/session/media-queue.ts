/** Queue between a session's connections and its voice path: counts, checks and bounds the incoming audio. */
import { ServiceError } from '../../../shared/errors.ts';
import { bytesPerSample, type AudioFormat } from '../../../shared/media-type.ts';
import {
  MEDIA_GAP,
  UTTERANCE_END,
  type MediaPiece,
  type MediaReader,
  type MediaSource,
} from '../audio/media.ts';

/** Longest chunk that the public protocol allows, in ms. */
const MAX_CHUNK_MS = 1_000;
/** Most compressed audio that may wait, in bytes: seconds of the largest formats, a minute of Opus. */
const MAX_COMPRESSED_BYTES = 128 * 1024;
/** Decoded audio after which the byte rate is known, in ms; headers distort it less and less. */
const LEARNT_AFTER_MS = 500;

export interface MediaQueueOptions {
  format: AudioFormat;
  /** Audio that may wait for a slow engine before the client is held back, in ms. */
  maxLagMs: number;
  /** Asks for the client to be held back (true) or released (false). */
  hold: (isHeld: boolean) => void;
  /** Called with every piece, in order. */
  onPiece?: ((piece: MediaPiece) => void) | undefined;
  /** Bytes that another server received before. */
  receivedBytes?: number | undefined;
  /** Clock in ms, of any origin. */
  now?: () => number;
}

/**
 * The audio as received; over after {@link end} once all of it has been taken. One object with plain fields: of
 * a thousand sessions none is in the processor's cache when its next chunk comes, and each object on the way
 * is a wait for memory.
 */
export class MediaQueue implements MediaSource {
  reader: MediaReader | undefined;
  #hasEnded = false;
  #isFull = false;
  readonly #pieces: MediaPiece[] = [];
  #queuedBytes = 0;
  #receivedBytes: number;
  readonly #maxQueuedBytes: number;
  /** Bytes of a PCM sample, and of a second of PCM; undefined for compressed audio. */
  readonly #bytesPerSample: number;
  readonly #bytesPerSecond: number | undefined;
  readonly #onPiece: ((piece: MediaPiece) => void) | undefined;
  readonly #hold: (isHeld: boolean) => void;
  readonly #pace: Pace;
  /** Bytes that another server received before. */
  readonly #bytesBefore: number;
  /**
   * Value of {@link receivedBytes} at the end of the last utterance; 0 after a handover, as the other server may
   * not have kept an end that the client then repeats.
   */
  #saidBytes = 0;

  constructor({ format, maxLagMs, hold, onPiece, receivedBytes = 0, now }: MediaQueueOptions) {
    this.#receivedBytes = this.#bytesBefore = receivedBytes;
    this.#bytesPerSample = bytesPerSample(format.codec);
    this.#bytesPerSecond = format.sampleRateHz && format.sampleRateHz * this.#bytesPerSample;
    this.#pace = new Pace(this.#bytesPerSecond && this.#bytesPerSecond / 1000, now);
    const { bytesPerMs } = this.#pace;
    this.#maxQueuedBytes = bytesPerMs ? bytesPerMs * maxLagMs : MAX_COMPRESSED_BYTES;
    this.#onPiece = onPiece;
    this.#hold = hold;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether the client should be held back. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Bytes received since the session began. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** Number of chunks that wait for the voice path. */
  get size(): number {
    return this.#pieces.length;
  }

  /**
   * Playing time of the waiting audio, in ms. For compressed audio, until half a second is decoded, it is
   * the time over which the audio has arrived, as if sent in real time.
   */
  get waitingMs(): number {
    return this.#queuedBytes === 0 ? 0 : this.#pace.msOf(this.#queuedBytes);
  }

  get isOver(): boolean {
    return this.#hasEnded && this.#pieces.length === 0;
  }

  /**
   * Checks a chunk that is to be pushed.
   *
   * @returns its playing time in ms; 0 for compressed audio
   * @throws ServiceError media_after_end, malformed_message, chunk_too_large
   */
  check({ length }: Uint8Array): number {
    if (this.#hasEnded) {
      throw new ServiceError('media_after_end', 'Audio must not follow end_of_source_media.');
    }
    if (!this.#bytesPerSecond) return 0;
    if (length % this.#bytesPerSample !== 0) {
      throw new ServiceError('malformed_message', 'A PCM chunk must hold whole samples.');
    }
    const durationMs = (length / this.#bytesPerSecond) * 1000;
    if (durationMs <= MAX_CHUNK_MS) return durationMs;
    throw new ServiceError(
      'chunk_too_large',
      `A chunk may last at most ${MAX_CHUNK_MS} ms; 50 to 250 ms are best.`,
    );
  }

  /** Takes a chunk with audio. */
  push(data: Uint8Array): void {
    if (!this.#bytesPerSecond) this.#pace.came();
    this.#queuedBytes += data.length;
    this.#receivedBytes += data.length;
    this.#add(data);
    if (this.#isFull || this.#queuedBytes <= this.#maxQueuedBytes) return;
    this.#isFull = true;
    this.#hold(true);
  }

  take(): MediaPiece | undefined {
    const piece = this.#pieces.shift();
    if (!(piece instanceof Uint8Array)) return piece;
    this.#queuedBytes -= piece.length;
    if (this.#isFull && this.#queuedBytes < this.#maxQueuedBytes / 2) {
      this.#isFull = false;
      this.#hold(false);
    }
    return piece;
  }

  /** Queues audio that another server had received. */
  replay(pieces: readonly MediaPiece[]): void {
    for (const piece of pieces) {
      if (piece instanceof Uint8Array) this.#queuedBytes += piece.length;
      this.#append(piece);
    }
  }

  /** Ends the current utterance. Repeated calls without audio in between count once. */
  endUtterance(): void {
    if (this.#receivedBytes > this.#saidBytes) this.#add(UTTERANCE_END);
    this.#saidBytes = this.#receivedBytes;
  }

  /** Reports the duration of newly decoded compressed audio, in ms, from which the byte rate is learnt. */
  decoded(durationMs: number): void {
    const taken = this.#receivedBytes - this.#bytesBefore - this.#queuedBytes;
    this.#pace.decoded(durationMs, Math.max(0, taken));
  }

  /** Marks a place where bytes may be missing: the client reconnected without knowing what had arrived. */
  markGap(): void {
    this.#add(MEDIA_GAP);
  }

  /** Marks the end of the audio; what is queued is still read. */
  end(): void {
    this.#hasEnded = true;
    this.reader?.arrived();
  }

  #add(piece: MediaPiece): void {
    this.#onPiece?.(piece);
    this.#append(piece);
  }

  #append(piece: MediaPiece): void {
    if (this.#hasEnded) return;
    this.#pieces.push(piece);
    this.reader?.arrived();
  }
}

/** Byte rate of the audio; for compressed audio it is learnt from what has been decoded. */
class Pace {
  bytesPerMs: number | undefined;
  readonly #isToBeLearnt: boolean;
  readonly #now: () => number;
  #decodedMs = 0;
  /** How long audio has been arriving while the byte rate is unknown, in ms. */
  #comingMs = 0;
  #cameAtMs: number | undefined;

  constructor(bytesPerMs: number | undefined, now = performance.now.bind(performance)) {
    this.bytesPerMs = bytesPerMs;
    this.#isToBeLearnt = bytesPerMs === undefined;
    this.#now = now;
  }

  came(): void {
    if (this.bytesPerMs !== undefined) return;
    const atMs = this.#now();
    // Capped at the longest chunk: the client may have been silent or disconnected.
    this.#comingMs += Math.min(atMs - (this.#cameAtMs ?? atMs), MAX_CHUNK_MS);
    this.#cameAtMs = atMs;
  }

  decoded(durationMs: number, takenBytes: number): void {
    this.#decodedMs += durationMs;
    if (!this.#isToBeLearnt || this.#decodedMs < LEARNT_AFTER_MS) return;
    this.bytesPerMs = takenBytes / this.#decodedMs;
  }

  /** Playing time of the waiting bytes, in ms. */
  msOf(bytes: number): number {
    if (this.bytesPerMs !== undefined) return bytes / this.bytesPerMs;
    return Math.max(0, this.#comingMs - this.#decodedMs);
  }
}

// Real-time meter: the pace at which audio may arrive.

/** Highest speed at which audio is accepted, as a multiple of real time. */
const MAX_SPEED = 2;
/** How far a client may be ahead at the start, in ms of audio. */
const HEAD_START_MS = 2_000;
/** Most audio that may arrive at once after a stalled network, in ms: the longest gap that is allowed. */
const MAX_CREDIT_MS = 30_000;

/**
 * Refuses what is sent faster than twice real time. Time earns credit and audio spends it: chunks may bunch up
 * as networks make them, but a steady excess is refused.
 */
export class RealTimeMeter {
  readonly #refusal: string;
  /** What was spent, on a clock that runs at the highest speed, in ms; the rest until now is the credit. */
  #spentMs: number;

  /**
   * @param refusal message for the client
   * @param headStartMs credit at the start, in ms
   * @param nowMs the time now, of any origin
   */
  constructor(refusal: string, headStartMs = HEAD_START_MS, nowMs = performance.now()) {
    this.#refusal = refusal;
    this.#spentMs = nowMs * MAX_SPEED - Math.min(headStartMs, MAX_CREDIT_MS);
  }

  /**
   * Counts the duration of newly received audio, in ms.
   *
   * @throws ServiceError audio_too_fast
   */
  count(durationMs: number, nowMs = performance.now()): void {
    const earnedMs = nowMs * MAX_SPEED;
    this.#spentMs = Math.max(this.#spentMs, earnedMs - MAX_CREDIT_MS) + durationMs;
    if (this.#spentMs > earnedMs) throw new ServiceError('audio_too_fast', this.#refusal);
  }
}

/**
 * Creates the meter of a session. Compressed audio may be ahead as far as after a stalled network: a file
 * sent at its mean bit rate delivers all of the silence at its beginning at once.
 *
 * @param before time elapsed and audio received at another server, in ms
 */
export function createSessionMeter(
  { container }: AudioFormat,
  before = { elapsedMs: 0, receivedMs: 0 },
  nowMs?: number,
): RealTimeMeter {
  const refusal = `Audio may be sent at up to ${MAX_SPEED} times real time. Slow down and open a new session.`;
  const leftMs = Math.max(0, before.elapsedMs * MAX_SPEED - before.receivedMs);
  const headStartMs = container === 'pcm' ? HEAD_START_MS : MAX_CREDIT_MS;
  return new RealTimeMeter(refusal, headStartMs + leftMs, nowMs);
}
