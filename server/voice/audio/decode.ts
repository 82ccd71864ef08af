/** The first stage of the voice path: audio in any supported format to samples of one channel. */
import { availableParallelism } from 'node:os';
import { ServiceError } from '../../../shared/errors.ts';
import type { AudioFormat } from '../../../shared/media-type.ts';
import {
  CONTAINED_PROCESSES,
  findContainment,
  uncontainedNotice,
  type Containment,
  runtimeFiles,
  startWorkerProcess,
  createWorkerPool,
  type PoolWorker,
} from '../../process/index.ts';
import type { Logger } from '../../process/log.ts';
import {
  chunkTooLarge,
  decodableContentTypes,
  formatUnsupported,
  MAX_CHUNK_MS,
} from './codecs/decodable-formats.ts';
import type { DecodeAnswer, DecodeRequest } from './decode-messages.ts';
import { decodeOnWorker } from './decode-stream.ts';
import { createFfmpegPool, type FfmpegProgram } from './ffmpeg.ts';
import { createSampleAligner, MEDIA_GAP, UTTERANCE_END, type MediaPiece } from './media.ts';

export { findFfmpeg, findFfmpegProgram } from './ffmpeg.ts';

/**
 * Streams a worker takes before the next one is started: what a core decodes without getting warm.
 * Beyond it the workers share the streams, up to `decodersPerWorker` each.
 */
const COMFORTABLE_STREAMS = 48;

/** Of one decoding process: several times what the most streams take. */
const DECODER_MEMORY_BYTES = 1024 ** 3;

export interface DecodeOptions {
  format: AudioFormat;
  /** Rate of the samples that are wanted. */
  sampleRateHz: number;
  /** Ends the stream with its reason. */
  signal: AbortSignal;
  /**
   * Told how long each chunk of a compressed format plays, before its samples can be read; what it
   * throws ends the stream. Includes sound that the format has cut away. PCM needs none: its duration follows from its size.
   */
  meter?: (durationMs: number) => void;
}

export interface AudioDecoders {
  /** Content types, of `sourceMediaTypes`, that can be decoded. */
  readonly contentTypes: readonly string[];
  /**
   * Decodes a stream to s16le samples at `sampleRateHz`, in pieces of any even length. Chunks are
   * cut anywhere, the first may carry headers besides audio; they must not be changed once given.
   * After a gap it goes on with the file that begins there, or with the next whole piece of the old.
   * Reads ahead of its consumer within bounds, so a slow consumer holds the source back.
   *
   * @throws ServiceError audio_format_unsupported when the format is not supported or the data is
   *   not of it, audio_not_mono; chunk_too_large for more than a second in a chunk; too_many_sessions; decoder_failed;
   *   stopping. Also what the source or the meter threw, and the signal's reason
   */
  decode(media: AsyncIterable<MediaPiece>, options: DecodeOptions): AsyncIterable<Uint8Array>;
  /** Ends all streams and the processes that decode them. */
  close(): Promise<void>;
}

export interface AudioDecodersOptions {
  log: Logger;
  /** Of decoding processes, as {@link findDecoderContainment} answers it; without it they are not contained. */
  containment?: Containment;
  /** As {@link findFfmpeg} answers it; without it MP3, AAC and Vorbis are not decoded. */
  ffmpeg?: FfmpegProgram | undefined;
  /** Streams that FFmpeg decodes at the same time: each takes a process of about 50 MB. */
  maxFfmpegProcesses?: number;
  /** Streams one decoding process takes at most; others are started long before. */
  decodersPerWorker?: number;
  maxWorkers?: number;
  /** A process that owes an answer and hangs for longer than this is ended; FFmpeg has up to 1.5 times as long. */
  watchdogMs?: number;
  /** Starts what serves decoding in place of ours. */
  startDecodeWorker?: () => PoolWorker;
}

/** What a decoding process may have: nothing but the code that it runs. */
export function findDecoderContainment(): Promise<Containment> {
  const readable = runtimeFiles(import.meta.url);
  return findContainment([process.execPath, '--version'], { readable });
}

/** Decoding blocks, so it happens in processes, which are started when streams need them. */
export function createAudioDecoders({
  log,
  containment,
  ffmpeg,
  maxFfmpegProcesses = 64,
  decodersPerWorker = 256,
  maxWorkers = Math.max(4, availableParallelism()),
  watchdogMs = 5000,
  startDecodeWorker = () => startDecodeProcess({ log, containment }),
}: AudioDecodersOptions): AudioDecoders {
  const pool = createWorkerPool<DecodeRequest, DecodeAnswer>({
    log,
    maxWorkers,
    watchdogMs,
    workerName: 'A decoding process',
    startWorker: startDecodeWorker,
    streamsPerWorker: decodersPerWorker,
    comfortableStreams: COMFORTABLE_STREAMS,
    full: () =>
      new ServiceError('too_many_sessions', 'No audio decoder is free. Please try again.'),
    broken: () =>
      new ServiceError(
        'decoder_failed',
        'The audio decoder stopped working. Please start a new session.',
      ),
    isLastStraw({ failure }) {
      if (failure?.cause === undefined) return false;
      log.error({ cause: failure.cause }, 'A decoder failed.');
      return failure.retires;
    },
  });
  const ffmpegs = createFfmpegPool({
    program: ffmpeg,
    maxProcesses: maxFfmpegProcesses,
    watchdogMs,
  });
  const hasFfmpeg = ffmpeg !== undefined;
  for (const [name, contained] of [
    ['Audio decoders', containment],
    ['FFmpeg', ffmpeg?.containment],
  ] as const) {
    const notice = contained === undefined ? undefined : uncontainedNotice(name, contained);
    if (notice !== undefined) log.warn({}, notice);
  }
  const contentTypes = decodableContentTypes({ hasFfmpeg });

  return {
    contentTypes,
    decode(media, { format, sampleRateHz, signal, meter }) {
      if (!contentTypes.includes(format.contentType)) throw formatUnsupported(format, contentTypes);
      if (format.codec === 's16le' && format.sampleRateHz === sampleRateHz) {
        return passThrough({ media, sampleRateHz, signal });
      }
      const stream = { media, format, sampleRateHz, signal, pool, ffmpegs, hasFfmpeg };
      return decodeOnWorker({ ...stream, meter: format.container === 'pcm' ? undefined : meter });
    },
    async close() {
      await Promise.all([pool.close(), ffmpegs.close()]);
    },
  };
}

/** Starts a process that serves decoding. */
export function startDecodeProcess({
  log,
  containment,
}: {
  log: Logger;
  containment: Containment | undefined;
}): PoolWorker {
  return startWorkerProcess(import.meta.url, './decode-child', {
    ...(containment === undefined ? {} : { containment }),
    // A leak ends this process and not the server.
    execArgv: ['--max-old-space-size=256'],
    limits: {
      memoryBytes: DECODER_MEMORY_BYTES,
      processes: CONTAINED_PROCESSES,
      onExceeded: (limit) => log.error({ limit }, 'A decoding process is ended: it took too much.'),
    },
  });
}

// Samples that are what is wanted already.

const BYTES_PER_SAMPLE = 2;

interface PcmStreamOptions {
  media: AsyncIterable<MediaPiece>;
  sampleRateHz: number;
  signal: AbortSignal;
}

/**
 * Hands chunks on, and copies none unless it ends inside a sample.
 *
 * @throws ServiceError chunk_too_large; what the source gave; the signal's reason, even while the
 *   next chunk is awaited
 */
function passThrough(options: PcmStreamOptions): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new PcmStream(options) };
}

type Step = IteratorResult<Uint8Array, undefined>;
const done: Step = { done: true, value: undefined };

/** Written by hand: one promise a chunk instead of the eight of nested generators. */
class PcmStream implements AsyncIterator<Uint8Array, undefined> {
  readonly #options: PcmStreamOptions;
  readonly #maxBytes: number;
  #source: AsyncIterator<MediaPiece> | undefined;
  #align = createSampleAligner();
  #isOver = false;
  #resolve: ((step: Step) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;
  // Made once: they are called for every chunk.
  readonly #arrived = (step: IteratorResult<MediaPiece>) => this.#take(step);
  readonly #failed = (error: unknown) => this.#end(error);
  readonly #abort = () => this.#end(this.#options.signal.reason);
  readonly #await = (resolve: (step: Step) => void, reject: (error: unknown) => void) => {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#ask();
  };

  constructor(options: PcmStreamOptions) {
    this.#options = options;
    this.#maxBytes = (MAX_CHUNK_MS * BYTES_PER_SAMPLE * options.sampleRateHz) / 1000;
  }

  next(): Promise<Step> {
    if (this.#isOver) return Promise.resolve(done);
    return new Promise(this.#await);
  }

  async return(): Promise<Step> {
    this.#close();
    this.#resolve?.(done);
    return done;
  }

  #ask(): void {
    const { media, signal } = this.#options;
    if (signal.aborted) {
      this.#end(signal.reason);
      return;
    }
    if (this.#source === undefined) {
      signal.addEventListener('abort', this.#abort, { once: true });
      this.#source = media[Symbol.asyncIterator]();
    }
    this.#source.next().then(this.#arrived, this.#failed);
  }

  #take(step: IteratorResult<MediaPiece>): void {
    if (this.#isOver) return;
    if (step.done === true) {
      this.#close();
      this.#resolve?.(done);
      return;
    }
    if (step.value === MEDIA_GAP) {
      // The next byte is the first of a sample.
      this.#align = createSampleAligner();
      this.#ask();
      return;
    }
    if (step.value === UTTERANCE_END) {
      this.#resolve?.({ done: false, value: UTTERANCE_END });
      return;
    }
    if (step.value.length > this.#maxBytes) {
      this.#end(chunkTooLarge());
      return;
    }
    const samples = this.#align(step.value);
    if (samples.length > 0) this.#resolve?.({ done: false, value: samples });
    else this.#ask();
  }

  #end(error: unknown): void {
    this.#close();
    this.#reject?.(error);
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.signal.removeEventListener('abort', this.#abort);
    // Not awaited: a generator that waits for its next chunk returns only when that has come.
    void this.#source?.return?.().catch(() => undefined);
  }
}
