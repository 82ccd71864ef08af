/** The first stage of the voice path: audio in any supported format to the speech that is in it. */
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
  type WorkerPool,
} from '../../process/index.ts';
import type { Logger } from '../../process/log.ts';
import type { Endpointing, HeardPiece } from './endpointing.ts';
import { decodableContentTypes, formatUnsupported } from './codecs/decodable-formats.ts';
import {
  answerWire,
  requestWire,
  type HearingAnswer,
  type HearingRequest,
} from './decode-messages.ts';
import { decodeOnWorker } from './decode-stream.ts';
import { createFfmpegPool, type FfmpegProgram } from './ffmpeg.ts';
import type { MediaSource, RestPlace } from './media.ts';

export { findFfmpeg, findFfmpegProgram } from './ffmpeg.ts';

/**
 * Streams a worker takes before the next one is started: what a core decodes without getting warm.
 * Beyond it the workers share the streams, up to `decodersPerWorker` each.
 */
const COMFORTABLE_STREAMS = 48;
/** Of streams that need no decoding: next to nothing is to be done but to listen. */
const COMFORTABLE_PCM_STREAMS = 500;

/** Of one decoding process: several times what the most streams take. */
const DECODER_MEMORY_BYTES = 1024 ** 3;

export interface DecodeOptions {
  format: AudioFormat;
  /** Rate of the samples that are wanted. */
  sampleRateHz: number;
  /** Ends the stream with its reason. */
  signal: AbortSignal;
  /**
   * Told how long each chunk of a compressed format plays, before it can be read; what it
   * throws ends the stream. Includes sound that the format has cut away. PCM needs none: its duration follows from its size.
   */
  meter?: (durationMs: number) => void;
  /** How utterances are found; without it, all is one. Needs samples at RECOGNITION_RATE_HZ. */
  endpointing?: Endpointing;
  /** Whether the samples of the speech are wanted, or only where utterances end; they are unless said otherwise. */
  wantsSamples?: boolean;
  /** Told how far the stream was heard, in ms, once what was heard has been read. */
  onHeard?: (positionMs: number) => void;
  /** Told from where another could go on, in its place among what is read. */
  onRest?: ((place: RestPlace) => void) | undefined;
  /** Where another has been: the media are to be what is heard once more, and what is new. */
  resume?: RestPlace | undefined;
  /** Chunks that come first, and were metered before. */
  meteredChunks?: number | undefined;
}

export interface AudioDecoders {
  /** Content types, of `sourceMediaTypes`, that can be decoded. */
  readonly contentTypes: readonly string[];
  /** A stream of this format is about to come. */
  prepare(format: AudioFormat): void;
  /**
   * Decodes a stream to s16le samples at `sampleRateHz`, listens to them, and gives the utterances in
   * pieces of any even length. Chunks are cut anywhere, the first may carry headers besides audio;
   * they must not be changed once given.
   * After a gap it goes on with the file that begins there, or with the next whole piece of the old.
   * Reads ahead of its consumer within bounds, so a slow consumer holds the source back.
   *
   * @throws ServiceError audio_format_unsupported when the format is not supported or the data is
   *   not of it, audio_not_mono; chunk_too_large for more than a second in a chunk; too_many_sessions; decoder_failed;
   *   stopping. Also what the meter threw, and the signal's reason
   */
  decode(media: MediaSource, options: DecodeOptions): AsyncIterable<HeardPiece>;
  /** Ends all streams and the processes that decode them. */
  close(): Promise<void>;
}

export interface AudioDecodersOptions {
  log: Logger;
  /** Of decoding processes, as {@link findDecoderContainment} answers it; without it they are not contained. */
  containment?: Containment | undefined;
  /** As {@link findFfmpeg} answers it; without it MP3, AAC and Vorbis are not decoded. */
  ffmpeg?: FfmpegProgram | undefined;
  /** Streams that FFmpeg decodes at the same time: each takes a process of about 50 MB. */
  maxFfmpegProcesses?: number;
  /** Streams one decoding process takes at most, where they need decoding or none; others are started long before. */
  decodersPerWorker?: number;
  pcmStreamsPerWorker?: number;
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
  watchdogMs = 5000,
  decodersPerWorker = 256,
  pcmStreamsPerWorker = 2_000,
  ...options
}: AudioDecodersOptions): AudioDecoders {
  const poolOptions = { ...options, log, containment, watchdogMs };
  const pool = createDecodingPool(poolOptions, {
    streamsPerWorker: decodersPerWorker,
    comfortableStreams: COMFORTABLE_STREAMS,
  });
  // Processes of their own: what somebody's file does to its decoder is nothing to them.
  const pcmPool = createDecodingPool(poolOptions, {
    streamsPerWorker: pcmStreamsPerWorker,
    comfortableStreams: COMFORTABLE_PCM_STREAMS,
  });
  const ffmpegs = createFfmpegPool({
    program: ffmpeg,
    maxProcesses: maxFfmpegProcesses,
    watchdogMs,
  });
  const hasFfmpeg = ffmpeg !== undefined;
  warnUncontained(log, 'Audio decoders', containment);
  warnUncontained(log, 'FFmpeg', ffmpeg?.containment);
  const contentTypes = decodableContentTypes({ hasFfmpeg });

  const poolFor = ({ container }: AudioFormat) => (container === 'pcm' ? pcmPool : pool);

  return {
    contentTypes,
    prepare: (format) => poolFor(format).prepare(),
    decode(media, options) {
      const { format, sampleRateHz, signal, meter, endpointing, wantsSamples = true } = options;
      const { onHeard, onRest, resume, meteredChunks } = options;
      if (!contentTypes.includes(format.contentType)) throw formatUnsupported(format, contentTypes);
      // One by one: the rest of some options has a shape of its own, which V8 would look up anew for each chunk.
      return decodeOnWorker({
        media,
        format,
        sampleRateHz,
        signal,
        endpointing,
        wantsSamples,
        onHeard,
        onRest,
        resume,
        meteredChunks,
        meter: format.container === 'pcm' ? undefined : meter,
        pool: poolFor(format),
        ffmpegs,
        hasFfmpeg,
      });
    },
    async close() {
      await Promise.all([pool.close(), pcmPool.close(), ffmpegs.close()]);
    },
  };
}

function warnUncontained(log: Logger, name: string, containment: Containment | undefined): void {
  const notice = containment && uncontainedNotice(name, containment);
  if (notice !== undefined) log.warn({}, notice);
}

function createDecodingPool(
  {
    log,
    containment,
    watchdogMs,
    maxWorkers = Math.max(4, availableParallelism()),
    startDecodeWorker = () => startDecodeProcess({ log, containment }),
  }: Pick<AudioDecodersOptions, 'log' | 'containment' | 'maxWorkers' | 'startDecodeWorker'> & {
    watchdogMs: number;
  },
  streams: { streamsPerWorker: number; comfortableStreams: number },
): WorkerPool<HearingRequest, HearingAnswer> {
  return createWorkerPool<HearingRequest, HearingAnswer>({
    ...streams,
    log,
    maxWorkers,
    watchdogMs,
    workerName: 'A decoding process',
    startWorker: startDecodeWorker,
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
}

/** Starts a process that serves decoding. */
export function startDecodeProcess({
  log,
  containment,
}: {
  log: Logger;
  containment: Containment | undefined;
}): PoolWorker {
  const options = {
    ...(containment === undefined ? {} : { containment }),
    // A leak ends this process and not the server.
    execArgv: ['--max-old-space-size=256', '--max-semi-space-size=16'],
    limits: {
      memoryBytes: DECODER_MEMORY_BYTES,
      processes: CONTAINED_PROCESSES,
      onExceeded: (limit: string) =>
        log.error({ limit }, 'A decoding process is ended: it took too much.'),
    },
  };
  const wires = { requests: requestWire, answers: answerWire };
  return startWorkerProcess(import.meta.url, './decode-child', options, wires);
}
