/** A session's audio between its connections and the voice path: counted, checked and bounded. */
import { ServiceError } from '../../../shared/errors.ts';
import { bytesPerSample, type AudioFormat } from '../../../shared/media-type.ts';
import { MEDIA_GAP, UTTERANCE_END, type MediaPiece, type MediaSource } from '../audio/media.ts';

/** Longest chunk (of the public protocol), in ms. */
const MAX_CHUNK_MS = 1_000;
/** Compressed audio that may wait: seconds of the largest formats, a minute of Opus. */
const MAX_COMPRESSED_BYTES = 128 * 1024;
/** Decoded audio from which the bytes of a second are known; headers weigh less and less. */
const LEARNT_AFTER_MS = 500;

export interface MediaQueueOptions {
  format: AudioFormat;
  /** Audio that may wait for a slow engine before the client is held back, in ms. */
  maxLagMs: number;
  /** Told the duration of PCM audio as it comes, in ms; may throw. */
  meter: (durationMs: number) => void;
  /** Asks for the client to be held back (true) or let go again (false). */
  hold: (isHeld: boolean) => void;
  /** Told all that comes, in its order. */
  onPiece?: ((piece: MediaPiece) => void) | undefined;
  /** Bytes that came to another server before. */
  receivedBytes?: number | undefined;
  /** ms, of any origin. */
  now?: () => number;
}

export interface MediaQueue {
  /** The audio as it came; over after {@link end}. */
  readonly media: MediaSource;
  readonly hasEnded: boolean;
  /** Chunks that wait for the voice path. */
  readonly size: number;
  /**
   * How long what waits plays, in ms. Of compressed audio before half a second was decoded: for how long
   * it has been coming, as if it came as it was spoken.
   */
  readonly waitingMs: number;
  /** Whether the client should be held back. */
  readonly isFull: boolean;
  /** Bytes taken in since the session began. */
  readonly receivedBytes: number;
  /**
   * Takes a chunk; answers whether it holds audio.
   *
   * @throws ServiceError media_after_end, malformed_message, chunk_too_large; what the meter throws
   */
  push(data: Uint8Array): boolean;
  /** Takes audio once more that another server had. */
  replay(pieces: readonly MediaPiece[]): void;
  /** What was said up to here is an utterance; more of these without audio between them are one. */
  endUtterance(): void;
  /** Compressed audio of this length, in ms, has been decoded: shows how many bytes make a second. */
  decoded(durationMs: number): void;
  /** Bytes may be missing here: the client reconnected without saying what had arrived. */
  markGap(): void;
  /** No more audio follows; what is queued is still read. */
  end(): void;
}

export function createMediaQueue(options: MediaQueueOptions): MediaQueue {
  return new BoundedQueue(options);
}

class BoundedQueue implements MediaQueue {
  readonly media: MediaLine;
  readonly #options: MediaQueueOptions;
  readonly #bytesPerSecond: number | undefined;
  readonly #pace: Pace;
  readonly #maxQueuedBytes: number;
  #queuedBytes = 0;
  hasEnded = false;
  isFull = false;
  receivedBytes: number;
  /** Up to where utterances have ended. */
  #saidBytes: number;

  constructor(options: MediaQueueOptions) {
    const { format, maxLagMs, hold, now, receivedBytes = 0 } = options;
    this.#options = options;
    this.receivedBytes = this.#saidBytes = receivedBytes;
    this.#bytesPerSecond = bytesPerSecondOf(format);
    this.#pace = new Pace(this.#bytesPerSecond && this.#bytesPerSecond / 1000, now);
    const { bytesPerMs } = this.#pace;
    this.#maxQueuedBytes = bytesPerMs ? bytesPerMs * maxLagMs : MAX_COMPRESSED_BYTES;
    this.media = new MediaLine((piece) => {
      if (piece instanceof Uint8Array) this.#queuedBytes -= piece.length;
      if (!this.isFull || this.#queuedBytes >= this.#maxQueuedBytes / 2) return;
      this.isFull = false;
      hold(false);
    });
  }

  get size(): number {
    return this.media.size;
  }

  get waitingMs(): number {
    return this.#queuedBytes === 0 ? 0 : this.#pace.msOf(this.#queuedBytes);
  }

  push(data: Uint8Array): boolean {
    if (this.hasEnded) {
      throw new ServiceError('media_after_end', 'Audio must not follow end_of_source_media.');
    }
    const { format, meter, hold } = this.#options;
    const bytesPerSecond = this.#bytesPerSecond;
    if (bytesPerSecond) meter(checkedDurationMs(data.length, format, bytesPerSecond));
    if (data.length === 0) return false;
    this.#pace.came();
    this.#queuedBytes += data.length;
    this.receivedBytes += data.length;
    this.#add(data);
    if (this.isFull || this.#queuedBytes <= this.#maxQueuedBytes) return true;
    this.isFull = true;
    hold(true);
    return true;
  }

  replay(pieces: readonly MediaPiece[]): void {
    for (const piece of pieces) {
      if (piece instanceof Uint8Array) this.#queuedBytes += piece.length;
      this.media.add(piece);
    }
  }

  endUtterance(): void {
    if (this.receivedBytes > this.#saidBytes) this.#add(UTTERANCE_END);
    this.#saidBytes = this.receivedBytes;
  }

  decoded(durationMs: number): void {
    const { receivedBytes: before = 0 } = this.#options;
    const taken = this.receivedBytes - before - this.#queuedBytes;
    this.#pace.decoded(durationMs, Math.max(0, taken));
  }

  markGap(): void {
    this.#add(MEDIA_GAP);
  }

  end(): void {
    this.hasEnded = true;
    this.media.end();
  }

  #add(piece: MediaPiece): void {
    this.#options.onPiece?.(piece);
    this.media.add(piece);
  }
}

/** How many bytes make a ms; of compressed audio that shows when some of it was decoded. */
class Pace {
  bytesPerMs: number | undefined;
  readonly #isToBeLearnt: boolean;
  readonly #now: () => number;
  #decodedMs = 0;
  /** For how long audio has come before that is known. */
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
    // No longer than a chunk may be: a client may have been silent, or away.
    this.#comingMs += Math.min(atMs - (this.#cameAtMs ?? atMs), MAX_CHUNK_MS);
    this.#cameAtMs = atMs;
  }

  decoded(durationMs: number, takenBytes: number): void {
    this.#decodedMs += durationMs;
    if (!this.#isToBeLearnt || this.#decodedMs < LEARNT_AFTER_MS) return;
    this.bytesPerMs = takenBytes / this.#decodedMs;
  }

  /** How long what waits plays. */
  msOf(bytes: number): number {
    if (this.bytesPerMs !== undefined) return bytes / this.bytesPerMs;
    return Math.max(0, this.#comingMs - this.#decodedMs);
  }
}

/** A class: an object with getters of its own is looked up slowly, which each chunk would be for. */
class MediaLine implements MediaSource {
  onArrival = (): void => undefined;
  readonly #onTake: (piece: MediaPiece) => void;
  readonly #pieces: MediaPiece[] = [];
  #hasEnded = false;

  /** @param onTake called with each piece that is taken */
  constructor(onTake: (piece: MediaPiece) => void) {
    this.#onTake = onTake;
  }

  get size(): number {
    return this.#pieces.length;
  }

  get isOver(): boolean {
    return this.#hasEnded && this.#pieces.length === 0;
  }

  /** Ignored after the end. */
  add(piece: MediaPiece): void {
    if (this.#hasEnded) return;
    this.#pieces.push(piece);
    this.onArrival();
  }

  end(): void {
    this.#hasEnded = true;
    this.onArrival();
  }

  take(): MediaPiece | undefined {
    const piece = this.#pieces.shift();
    if (piece !== undefined) this.#onTake(piece);
    return piece;
  }
}

/** Undefined for compressed audio. */
function bytesPerSecondOf({ sampleRateHz, codec }: AudioFormat): number | undefined {
  return sampleRateHz && sampleRateHz * bytesPerSample(codec);
}

/** Duration of a PCM chunk in ms. @throws ServiceError chunk_too_large, malformed_message */
function checkedDurationMs(sizeBytes: number, format: AudioFormat, bytesPerSecond: number): number {
  if (sizeBytes % bytesPerSample(format.codec) !== 0) {
    throw new ServiceError('malformed_message', 'A PCM chunk must hold whole samples.');
  }
  const durationMs = (sizeBytes / bytesPerSecond) * 1000;
  if (durationMs <= MAX_CHUNK_MS) return durationMs;
  throw new ServiceError(
    'chunk_too_large',
    `A chunk may last at most ${MAX_CHUNK_MS} ms; 50 to 250 ms are best.`,
  );
}

// The pace at which audio may come.

/** Audio is accepted at up to this many times real time. */
const MAX_SPEED = 2;
/** What a client may be ahead at the start, in ms of audio. */
const HEAD_START_MS = 2_000;
/** A stalled network may deliver this much at once, in ms of audio: the longest gap that is allowed. */
const MAX_CREDIT_MS = 30_000;

/**
 * Watches that audio does not come faster than twice real time. Time grants credit, audio spends it:
 * single chunks may bunch up as networks make them, a steady excess is refused.
 *
 * @param refusal what the client is told
 * @param before how long audio could come until now, and how much did, in ms: at another server
 * @returns a function that takes the duration of the audio that has just come, in ms
 * @throws ServiceError audio_too_fast, from the returned function
 */
export function createRealTimeMeter(
  refusal = `Audio may be sent at up to ${MAX_SPEED} times real time. Slow down and open a new session.`,
  now: () => number = performance.now.bind(performance),
  before = { elapsedMs: 0, receivedMs: 0 },
) {
  const leftMs = Math.max(0, before.elapsedMs * MAX_SPEED - before.receivedMs);
  let creditMs = Math.min(HEAD_START_MS + leftMs, MAX_CREDIT_MS);
  let countedAtMs = now();
  return (durationMs: number): void => {
    const atMs = now();
    creditMs = Math.min(creditMs + (atMs - countedAtMs) * MAX_SPEED, MAX_CREDIT_MS) - durationMs;
    countedAtMs = atMs;
    if (creditMs < 0) throw new ServiceError('audio_too_fast', refusal);
  };
}

/**
 * The meter of a session.
 *
 * @param openedAtMs ms since the epoch
 * @param receivedMs audio that came to another server before, in ms; undefined: it was at none
 */
export function createSessionMeter(openedAtMs: number, receivedMs: number | undefined) {
  if (receivedMs === undefined) return createRealTimeMeter();
  const before = { elapsedMs: Date.now() - openedAtMs, receivedMs };
  return createRealTimeMeter(undefined, undefined, before);
}
