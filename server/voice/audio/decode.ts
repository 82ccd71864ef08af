/** The first stage of the voice path: audio in any supported format to samples of one channel. */
import { availableParallelism } from 'node:os';
import type { AudioFormat } from '../../../shared/media-type.ts';
import {
  CONTAINED_PROCESSES,
  findContainment,
  uncontainedNotice,
  type Containment,
  runtimeFiles,
  type PoolWorker,
  startWorkerProcess,
} from '../../process/index.ts';
import type { Logger } from '../../process/log.ts';
import { decodableContentTypes, formatUnsupported } from './codecs/decodable-formats.ts';
import { decodeOnWorker } from './codecs/decode-stream.ts';
import { createDecodeWorkerPool } from './codecs/decode-worker-pool.ts';
import { createFfmpegPool } from './codecs/ffmpeg-pool.ts';
import { passThrough } from './codecs/pcm-stream.ts';
import type { FfmpegProgram } from './ffmpeg-program.ts';
import type { MediaPiece } from './media.ts';

export { findFfmpeg } from './codecs/ffmpeg.ts';

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
  const pool = createDecodeWorkerPool({
    log,
    decodersPerWorker,
    maxWorkers,
    watchdogMs,
    startWorker: startDecodeWorker,
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
  return startWorkerProcess(import.meta.url, './codecs/decode-child', {
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
