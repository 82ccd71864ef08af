/** One stream on its way through a worker, and through FFmpeg if need be; bounded everywhere. */
import { ServiceError } from '../../../shared/errors.ts';
import { MEDIA_GAP, UTTERANCE_END, type MediaPiece } from './media.ts';
import type { WorkerPlace, WorkerPool } from '../../process/index.ts';
import { declaredCoding, type Coding } from './codecs/decodable-formats.ts';
import {
  GAP,
  type DecodeAnswer,
  type DecodedPart,
  type DecodeRequest,
  type StreamParameters,
} from './decode-messages.ts';
import type { FfmpegPool, FfmpegStream } from './ffmpeg.ts';

/** Chunks that wait for the request in flight to be answered, and go together in the next one. */
const MAX_WAITING_CHUNKS = 16;
const MAX_WAITING_BYTES = 64 * 1024;
/** Answers the consumer has not read yet; with as many, nothing more is decoded. */
const MAX_UNREAD_PIECES = 4;
/** FFmpeg gives what it has within less than this after its input, in ms. */
const FFMPEG_QUIET_MS = 300;
const BYTES_PER_SAMPLE = 2;

type CodedPart = Extract<DecodedPart, { kind: 'coded' }>;

export interface WorkerDecodingOptions extends StreamParameters {
  media: AsyncIterable<MediaPiece>;
  signal: AbortSignal;
  /** Told how long each chunk plays before its samples can be read; what it throws ends the stream. */
  meter: ((durationMs: number) => void) | undefined;
  pool: WorkerPool<DecodeRequest, DecodeAnswer>;
  ffmpegs: FfmpegPool;
}

/**
 * Decodes a stream on a worker. Reads the source ahead of its consumer, by the bounds above.
 *
 * Written by hand rather than as a generator: with a thousand streams the promises of generators
 * within generators cost more than the work.
 *
 * @throws ServiceError as of the pools and the decoders; what the source, the meter or the signal gave
 */
export function decodeOnWorker(options: WorkerDecodingOptions): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new DecodeFlow(options) };
}

class DecodeFlow implements AsyncIterator<Uint8Array, undefined> {
  readonly #options: WorkerDecodingOptions;
  #source: AsyncIterator<MediaPiece> | undefined;
  #place: WorkerPlace<DecodeRequest> | undefined;
  #isOpened = false;
  #ffmpeg: FfmpegStream | undefined;
  #coding: Coding | undefined;
  /** Decoded, and not yet read. */
  readonly #pieces: Uint8Array[] = [];
  /** Who waits for the next piece. */
  #reader:
    | { resolve(step: IteratorResult<Uint8Array, undefined>): void; reject(error: unknown): void }
    | undefined;
  #failure: { error: unknown } | undefined;
  /** What the worker found wrong: FFmpeg may still have sound from before, and then stumble as well. */
  #verdict: ServiceError | undefined;
  #isStopped = false;
  readonly #waiting: MediaPiece[] = [];
  #waitingBytes = 0;
  #isInFlight = false;
  #isSourceDone = false;
  #isLastSent = false;
  /** Whether an utterance ends with what the worker has been sent. */
  #endsUtterance = false;
  #utteranceEnd: NodeJS.Timeout | undefined;
  #wakePump: (() => void) | undefined;
  readonly #abort = () => this.#fail(this.#options.signal.reason);

  constructor(options: WorkerDecodingOptions) {
    this.#options = options;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#source === undefined && !this.#isStopped) this.#start();
    const piece = this.#pieces.shift();
    if (piece !== undefined) {
      if (this.#pieces.length < MAX_UNREAD_PIECES) this.#ffmpeg?.hold(false);
      this.#proceed();
      return Promise.resolve({ done: false, value: piece });
    }
    if (this.#failure !== undefined) {
      const { error } = this.#failure;
      this.#failure = undefined;
      return rejected(error);
    }
    if (this.#isStopped) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => (this.#reader = { resolve, reject }));
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#pieces.length = 0;
    this.#failure = undefined;
    this.#stop();
    return { done: true, value: undefined };
  }

  #start(): void {
    const { signal, pool, media, format } = this.#options;
    try {
      signal.throwIfAborted();
      this.#place = pool.open({
        answered: (answer) => void this.#receive(answer),
        failed: (error) => this.#fail(error),
      });
      // It takes a tenth of a second to start, which is over when the first audio has come.
      this.#coding = declaredCoding(format);
      if (this.#coding !== undefined) this.#ffmpeg = this.#startFfmpeg(this.#coding);
    } catch (error) {
      this.#fail(error);
      return;
    }
    signal.addEventListener('abort', this.#abort, { once: true });
    this.#source = media[Symbol.asyncIterator]();
    void this.#pump(this.#source);
  }

  async #pump(source: AsyncIterator<MediaPiece>): Promise<void> {
    try {
      for (;;) {
        while (!this.#isStopped && !this.#hasRoom()) {
          await new Promise<void>((resolve) => (this.#wakePump = resolve));
        }
        if (this.#isStopped) return;
        const step = await source.next();
        if (step.done === true) {
          this.#isSourceDone = true;
        } else {
          this.#waiting.push(step.value);
          this.#waitingBytes += sizeOf(step.value);
        }
        this.#proceed();
        if (this.#isSourceDone) return;
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #hasRoom(): boolean {
    return this.#waiting.length < MAX_WAITING_CHUNKS && this.#waitingBytes < MAX_WAITING_BYTES;
  }

  /** Sends what waits when the request before is answered and the consumer keeps up. */
  #proceed(): void {
    const hasWork = this.#waiting.length > 0 || (this.#isSourceDone && !this.#isLastSent);
    if (this.#isStopped || this.#isInFlight || !hasWork) return;
    if (this.#pieces.length >= MAX_UNREAD_PIECES) return;
    const end = this.#waiting.indexOf(UTTERANCE_END);
    this.#endsUtterance = end >= 0;
    const sent = this.#waiting.splice(0, end >= 0 ? end + 1 : Infinity);
    const sizeBytes = sent.reduce((sum, piece) => sum + sizeOf(piece), 0);
    // A buffer of just this size of our own: transferring a view would copy the pool it lies in.
    const bytes = new Uint8Array(sizeBytes);
    const chunkSizesBytes: number[] = [];
    let offset = 0;
    for (const piece of sent) {
      if (piece === UTTERANCE_END) continue;
      if (piece === MEDIA_GAP) {
        chunkSizesBytes.push(GAP);
        continue;
      }
      bytes.set(piece, offset);
      chunkSizesBytes.push(piece.length);
      offset += piece.length;
    }
    this.#waitingBytes -= sizeBytes;
    this.#isInFlight = true;
    this.#isLastSent = this.#isSourceDone && this.#waiting.length === 0;
    this.#ask(bytes.buffer, chunkSizesBytes);
    this.#wakePump?.();
  }

  #ask(bytes: ArrayBuffer, chunkSizesBytes: number[]): void {
    const place = this.#place;
    if (place === undefined) return;
    const { format, sampleRateHz, hasFfmpeg } = this.#options;
    const open = this.#isOpened ? {} : { open: { format, sampleRateHz, hasFfmpeg } };
    this.#isOpened = true;
    const request = {
      kind: 'decode' as const,
      streamId: place.streamId,
      ...open,
      bytes,
      chunkSizesBytes,
      isLast: this.#isLastSent,
    };
    place.ask(request, [bytes]);
  }

  async #receive({ parts, durationsMs, failure }: DecodeAnswer): Promise<void> {
    try {
      const { meter } = this.#options;
      if (meter !== undefined) for (const durationMs of durationsMs) meter(durationMs);
      for (const part of parts) {
        // Not awaited where it is not needed: the usual answer is dealt with in one go.
        const isTaken = this.#take(part);
        if (isTaken !== undefined) await isTaken;
      }
      if (failure !== undefined) this.#verdict = new ServiceError(failure.code, failure.message);
      const isOver = failure !== undefined || this.#isLastSent;
      if (isOver) await this.#ffmpeg?.finish();
      if (this.#verdict !== undefined) throw this.#verdict;
      if (this.#endsUtterance) this.#endUtterance();
      this.#isInFlight = false;
      if (isOver) this.#stop();
      else this.#proceed();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Takes a part in; the promise, if there is one, resolves when the next may follow. */
  #take(part: DecodedPart): Promise<void> | undefined {
    if (this.#isStopped) return undefined;
    if (part.kind === 'coded') return this.#pass(part);
    const samples = new Uint8Array(part.bytes);
    if (this.#ffmpeg === undefined) {
      this.#give(samples);
      return undefined;
    }
    return this.#endFfmpeg().then(() => this.#give(samples));
  }

  /** Gives frames to the process that decodes them, to a new one where a coding starts. */
  async #pass({ bytes, soundBytes, starts }: CodedPart): Promise<void> {
    const frames = new Uint8Array(bytes);
    if (starts !== undefined) {
      const isReady = starts === this.#coding && this.#ffmpeg?.isFresh === true;
      if (!isReady) await this.#endFfmpeg();
      if (this.#isStopped) return;
      this.#coding = starts;
    }
    if (frames.length === 0 || this.#coding === undefined) return;
    this.#ffmpeg ??= this.#startFfmpeg(this.#coding);
    await this.#ffmpeg.write(frames, soundBytes);
  }

  /** FFmpeg does not tell when it has given all: what is quiet for a moment has. */
  #endUtterance(): void {
    if (this.#ffmpeg === undefined) this.#hand(UTTERANCE_END);
    else {
      clearTimeout(this.#utteranceEnd);
      this.#utteranceEnd = setTimeout(() => {
        this.#utteranceEnd = undefined;
        this.#hand(UTTERANCE_END);
      }, FFMPEG_QUIET_MS);
    }
  }

  #startFfmpeg(coding: Coding): FfmpegStream {
    return this.#options.ffmpegs.start({
      coding,
      sampleRateHz: this.#options.sampleRateHz,
      events: {
        samples: (samples) => this.#giveFromFfmpeg(samples),
        failed: (error) => this.#fail(this.#verdict ?? error),
      },
    });
  }

  async #endFfmpeg(): Promise<void> {
    const ffmpeg = this.#ffmpeg;
    await ffmpeg?.finish();
    this.#ffmpeg = undefined;
  }

  #giveFromFfmpeg(samples: Uint8Array): void {
    try {
      // Frames of Vorbis do not tell how long they play.
      if (this.#coding === 'ogg') {
        const samplesPerMs = this.#options.sampleRateHz / 1000;
        this.#options.meter?.(samples.length / BYTES_PER_SAMPLE / samplesPerMs);
      }
      this.#give(samples);
      this.#utteranceEnd?.refresh();
      if (this.#pieces.length >= MAX_UNREAD_PIECES) this.#ffmpeg?.hold(true);
    } catch (error) {
      this.#fail(error);
    }
  }

  #give(samples: Uint8Array): void {
    if (samples.length > 0) this.#hand(samples);
  }

  #hand(samples: Uint8Array): void {
    if (this.#isStopped) return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#pieces.push(samples);
    else reader.resolve({ done: false, value: samples });
  }

  /** The consumer gets what is decoded already, then this error. */
  #fail(error: unknown): void {
    if (this.#isStopped) return;
    this.#failure = { error };
    this.#stop();
  }

  /** Frees everything; nothing more is read or decoded. */
  #stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#options.signal.removeEventListener('abort', this.#abort);
    clearTimeout(this.#utteranceEnd);
    this.#place?.free();
    this.#ffmpeg?.kill();
    this.#waiting.length = 0;
    this.#wakePump?.();
    // Not awaited: a generator that waits for its next chunk returns only when that has come.
    void this.#source?.return?.().catch(() => undefined);
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) return;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure === undefined) reader.resolve({ done: true, value: undefined });
    else reader.reject(failure.error);
  }
}

function sizeOf(piece: MediaPiece): number {
  return piece === MEDIA_GAP ? 0 : piece.length;
}

async function rejected(error: unknown): Promise<never> {
  throw error;
}
