/** Queue between a session's connections and its voice path: counts, checks and bounds the incoming audio. */
import { ServiceError } from '../../../shared/errors.ts';
import { bytesPerSample, type AudioFormat } from '../../../shared/media-type.ts';
import { MEDIA_GAP, UTTERANCE_END, type MediaPiece, type MediaSource } from '../audio/media.ts';

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
  /** Called with the duration of PCM audio as it arrives, in ms; may throw. */
  meter: (durationMs: number) => void;
  /** Asks for the client to be held back (true) or released (false). */
  hold: (isHeld: boolean) => void;
  /** Called with every piece, in order. */
  onPiece?: ((piece: MediaPiece) => void) | undefined;
  /** Bytes that another server received before. */
  receivedBytes?: number | undefined;
  /** Clock in ms, of any origin. */
  now?: () => number;
}

export interface MediaQueue {
  /** The audio as received; over after {@link end} once all of it has been read. */
  readonly media: MediaSource;
  readonly hasEnded: boolean;
  /** Number of chunks that wait for the voice path. */
  readonly size: number;
  /**
   * Playing time of the waiting audio, in ms. For compressed audio, until half a second is decoded, it is
   * the time over which the audio has arrived, as if sent in real time.
   */
  readonly waitingMs: number;
  /** Whether the client should be held back. */
  readonly isFull: boolean;
  /** Bytes received since the session began. */
  readonly receivedBytes: number;
  /**
   * Takes a chunk; returns whether it holds audio.
   *
   * @throws ServiceError media_after_end, malformed_message, chunk_too_large; errors of the meter
   */
  push(data: Uint8Array): boolean;
  /** Queues audio that another server had received. */
  replay(pieces: readonly MediaPiece[]): void;
  /** Ends the current utterance. Repeated calls without audio in between count once. */
  endUtterance(): void;
  /** Reports the duration of newly decoded compressed audio, in ms, from which the byte rate is learnt. */
  decoded(durationMs: number): void;
  /** Marks a place where bytes may be missing: the client reconnected without knowing what had arrived. */
  markGap(): void;
  /** Marks the end of the audio; what is queued is still read. */
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
  /**
   * Value of `receivedBytes` at the end of the last utterance; 0 after a handover, as the other server may
   * not have kept an end that the client then repeats.
   */
  #saidBytes = 0;

  constructor(options: MediaQueueOptions) {
    const { format, maxLagMs, hold, now, receivedBytes = 0 } = options;
    this.#options = options;
    this.receivedBytes = receivedBytes;
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

/** A class because an object literal with getters is slow to look up, which every chunk would pay for. */
class MediaLine implements MediaSource {
  onArrival = (): void => undefined;
  readonly #onTake: (piece: MediaPiece) => void;
  readonly #pieces: MediaPiece[] = [];
  #hasEnded = false;

  /** @param onTake called with each piece taken from the queue */
  constructor(onTake: (piece: MediaPiece) => void) {
    this.#onTake = onTake;
  }

  get size(): number {
    return this.#pieces.length;
  }

  get isOver(): boolean {
    return this.#hasEnded && this.#pieces.length === 0;
  }

  /** Adds a piece; ignored after the end. */
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

/** Byte rate of PCM audio; undefined for compressed audio. */
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

// Real-time meter: the pace at which audio may arrive.

/** Highest speed at which audio is accepted, as a multiple of real time. */
const MAX_SPEED = 2;
/** How far a client may be ahead at the start, in ms of audio. */
const HEAD_START_MS = 2_000;
/** Most audio that may arrive at once after a stalled network, in ms: the longest gap that is allowed. */
const MAX_CREDIT_MS = 30_000;

/**
 * Creates a meter that refuses what is sent faster than twice real time. Time earns credit and audio
 * spends it: chunks may bunch up as networks make them, but a steady excess is refused.
 *
 * @param refusal message for the client
 * @param headStartMs credit at the start, in ms
 * @returns a function that takes the duration of newly received audio, in ms
 * @throws ServiceError audio_too_fast, from the returned function
 */
export function createRealTimeMeter(
  refusal: string,
  now: () => number = performance.now.bind(performance),
  headStartMs = HEAD_START_MS,
) {
  let creditMs = Math.min(headStartMs, MAX_CREDIT_MS);
  let countedAtMs = now();
  return (durationMs: number): void => {
    const atMs = now();
    creditMs = Math.min(creditMs + (atMs - countedAtMs) * MAX_SPEED, MAX_CREDIT_MS) - durationMs;
    countedAtMs = atMs;
    if (creditMs < 0) throw new ServiceError('audio_too_fast', refusal);
  };
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
  now?: () => number,
) {
  const refusal = `Audio may be sent at up to ${MAX_SPEED} times real time. Slow down and open a new session.`;
  const leftMs = Math.max(0, before.elapsedMs * MAX_SPEED - before.receivedMs);
  const headStartMs = container === 'pcm' ? HEAD_START_MS : MAX_CREDIT_MS;
  return createRealTimeMeter(refusal, now, headStartMs + leftMs);
}
