/** First stage of the voice path: decodes audio of any supported format and finds the speech in it. */
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
 * Streams per worker before the next worker is started: what a core decodes at moderate load. When all
 * workers run, they share the streams, up to `DECODERS_PER_WORKER` each.
 */
const COMFORTABLE_STREAMS = 48;
const DECODERS_PER_WORKER = 256;
/** As COMFORTABLE_STREAMS, for PCM streams, which only need listening. */
const COMFORTABLE_PCM_STREAMS = 500;

/** Memory limit of one decoding process: several times what the largest number of streams needs. */
const DECODER_MEMORY_BYTES = 1024 ** 3;

export interface DecodeOptions {
  format: AudioFormat;
  /** Sample rate of the output. */
  sampleRateHz: number;
  /** Ends the stream with its reason. */
  signal: AbortSignal;
  /**
   * Called with the playing time of each chunk of a compressed format before the chunk can be read; a
   * throw ends the stream. Includes sound that the format discards. Not called for PCM, whose duration
   * follows from its size.
   */
  meter?: (durationMs: number) => void;
  /** Endpointing rules, for samples at RECOGNITION_RATE_HZ; without them all audio is one utterance. */
  endpointing?: Endpointing;
  /** Whether speech samples are needed (the default), or only the ends of utterances. */
  wantsSamples?: boolean;
  /** Called with the position heard so far, in ms, once the pieces before it have been read. */
  onHeard?: (positionMs: number) => void;
  /** Called with each resume point, in order with the pieces read. */
  onRest?: ((place: RestPlace) => void) | undefined;
  /** Resume point at which another server stopped; the media are the replayed audio, then the new audio. */
  resume?: RestPlace | undefined;
  /** Number of leading chunks that have been metered before. */
  meteredChunks?: number | undefined;
}

export interface AudioDecoders {
  /** Content types, out of `sourceMediaTypes`, that can be decoded. */
  readonly contentTypes: readonly string[];
  /** Prepares for a stream of this format. */
  prepare(format: AudioFormat): void;
  /**
   * Decodes a stream to s16le samples at `sampleRateHz` and yields its utterances in pieces of any even
   * length. Chunks may be cut anywhere, and the first may carry headers besides audio; the caller must
   * not change a chunk after passing it. After a gap, decoding continues with the file that begins there,
   * or with the next whole packet of the old one. Reads ahead within bounds, so that a slow consumer
   * holds the source back.
   *
   * @throws ServiceError audio_format_unsupported when the format is not supported or the data does not
   *   match it, audio_not_mono; chunk_too_large for more than 20 s in a chunk; too_many_sessions;
   *   decoder_failed; stopping. Also errors of the meter, and the signal's reason
   */
  decode(media: MediaSource, options: DecodeOptions): AsyncIterable<HeardPiece>;
  /** Ends all streams and decoding processes. */
  close(): Promise<void>;
}

export interface AudioDecodersOptions {
  log: Logger;
  /** Containment of decoding processes, from {@link findDecoderContainment}; undefined: uncontained. */
  containment?: Containment | undefined;
  /** FFmpeg, from {@link findFfmpeg}; without it MP3, AAC and Vorbis cannot be decoded. */
  ffmpeg?: FfmpegProgram | undefined;
  /** Most streams that FFmpeg decodes at once; each needs a process of about 50 MB. */
  maxFfmpegProcesses?: number;
  /** Most streams per decoding process of PCM; further processes are started long before. */
  pcmStreamsPerWorker?: number;
  maxWorkers?: number;
  /** Time after which an unresponsive process is killed, in ms; FFmpeg has up to 1.5 times as long. */
  watchdogMs?: number;
  /** Starts a decoding process; replaces the default one. */
  startDecodeWorker?: () => PoolWorker;
}

/** Finds a containment for decoding processes that grants access to nothing but the code they run. */
export function findDecoderContainment(): Promise<Containment> {
  const readable = runtimeFiles(import.meta.url);
  return findContainment([process.execPath, '--version'], { readable });
}

/** Creates the decoders. Decoding blocks, so it runs in processes, which are started on demand. */
export function createAudioDecoders({
  log,
  containment,
  ffmpeg,
  maxFfmpegProcesses = 64,
  watchdogMs = 5000,
  pcmStreamsPerWorker = 2_000,
  ...options
}: AudioDecodersOptions): AudioDecoders {
  const poolOptions = { ...options, log, containment, watchdogMs };
  const pool = createDecodingPool(poolOptions, {
    streamsPerWorker: DECODERS_PER_WORKER,
    comfortableStreams: COMFORTABLE_STREAMS,
  });
  // PCM has processes of its own, out of reach of files that crash a decoder.
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
      // Listed one by one: a rest object has its own shape, which V8 would look up anew for each chunk.
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
    shouldRetireAfter({ failure }) {
      if (failure?.cause === undefined) return false;
      log.error({ cause: failure.cause }, 'A decoder failed.');
      return failure.retires;
    },
  });
}

/** Starts a decoding process. */
export function startDecodeProcess({
  log,
  containment,
}: {
  log: Logger;
  containment: Containment | undefined;
}): PoolWorker {
  const options = {
    ...(containment === undefined ? {} : { containment }),
    // A leak ends this process rather than the server.
    execArgv: ['--max-old-space-size=256', '--max-semi-space-size=16'],
    limits: {
      memoryBytes: DECODER_MEMORY_BYTES,
      processes: CONTAINED_PROCESSES,
      onExceeded: (limit: string) =>
        log.error({ limit }, 'A decoding process exceeded a limit and is terminated.'),
    },
  };
  const wires = { requests: requestWire, answers: answerWire };
  return startWorkerProcess(import.meta.url, './decode-child', options, wires);
}
