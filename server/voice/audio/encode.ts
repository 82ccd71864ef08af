/** The last stage of translated speech: samples to any target media format. */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import {
  parseTargetMediaType,
  targetMediaTypes,
  type TargetMediaFormat,
} from '../../../shared/target-media-type.ts';
import type { SpokenSamples } from '../../engines/engine.ts';
import { uncontainedNotice, startWorker } from '../../process/index.ts';
import type { Logger } from '../../process/log.ts';
import { createEncodePool, type EncodePool } from './encode/encode-pool.ts';
import type { EncodedPiece, Container, Packet } from './encode/packet.ts';
import { findFfmpegProgram, type FfmpegProgram } from './ffmpeg-program.ts';
import { AAC_RATE_HZ, AacProcess } from './encode/aac-process.ts';
import { withoutAdtsHeader } from './encode/adts-reader.ts';
import { createMatroskaContainer } from './encode/matroska-container.ts';
import { createMpegtsContainer } from './encode/mpegts-container.ts';
import { createPieceMaker } from './encode/piece-maker.ts';

/** One stream being encoded; one call at a time. */
export interface SpeechEncoder {
  /** Pieces that come before everything else; none in formats without headers. */
  readonly headers: readonly Uint8Array[];
  /**
   * Encodes samples, whose rate stays the same within a segment; the pieces that are complete come
   * out.
   *
   * @throws ServiceError synthesis_failed; the signal's reason when aborted
   */
  encode(spoken: SpokenSamples): Promise<EncodedPiece[]>;
  /** Pads with silence so that everything taken in comes out: the end of a segment. Throws likewise. */
  flush(): Promise<EncodedPiece[]>;
  close(): void;
}

export interface SpeechEncoders {
  /** Content types, of `targetMediaTypes`, that can be encoded. */
  readonly contentTypes: readonly string[];
  /** For people: what is missing for the other content types, or for FFmpeg's containment; undefined when nothing is. */
  readonly problem: string | undefined;
  /** @throws ServiceError synthesis_failed, too_many_sessions, stopping; the signal's reason */
  open(format: TargetMediaFormat, signal: AbortSignal): Promise<SpeechEncoder>;
  close(): Promise<void>;
}

export interface SpeechEncodersOptions {
  log: Logger;
  /** Program that encodes AAC. */
  ffmpeg?: string;
  /** Streams one worker thread encodes; a second one is started when they are taken. */
  streamsPerWorker?: number;
  maxWorkers?: number;
  /** A worker that owes an answer for longer than this is ended. */
  watchdogMs?: number;
  /** Starts a thread that serves encoding in place of ours. */
  startEncodeWorker?: () => Worker;
}

/**
 * Encoding blocks, so it happens in worker threads, which are started when streams need them; AAC,
 * for which there is no encoder of ours, in processes of ffmpeg.
 */
export async function createSpeechEncoders({
  log,
  ffmpeg = 'ffmpeg',
  streamsPerWorker = 32,
  maxWorkers = Math.max(4, availableParallelism()),
  watchdogMs = 10_000,
  startEncodeWorker = startOwnWorker,
}: SpeechEncodersOptions): Promise<SpeechEncoders> {
  const program = await findFfmpegProgram(ffmpeg);
  const hasFfmpeg = program !== undefined;
  const pool = createEncodePool({
    ...{ log, streamsPerWorker, maxWorkers, watchdogMs },
    startWorker: startEncodeWorker,
  });
  return {
    contentTypes: targetMediaTypes.filter((type) => hasFfmpeg || !needsFfmpeg(type)),
    problem: problemOf(program),
    async open(format, signal) {
      signal.throwIfAborted();
      if (format.codec !== 'aac' || program === undefined) {
        return openOnWorker({ format, signal, pool });
      }
      return openAacEncoder({ format, signal, program });
    },
    close: () => pool.close(),
  };
}

function problemOf(program: FfmpegProgram | undefined): string | undefined {
  if (program === undefined) return 'Speech as AAC needs the Debian package ffmpeg.';
  return uncontainedNotice('FFmpeg', program.containment);
}

function needsFfmpeg(contentType: string): boolean {
  return parseTargetMediaType(contentType)?.codec === 'aac';
}

function startOwnWorker(): Worker {
  return startWorker(import.meta.url, './encode/encode-worker', {
    name: 'speech-encoder',
    // A leak ends this thread and not the process.
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
}

async function openOnWorker({
  format,
  signal,
  pool,
}: {
  format: TargetMediaFormat;
  signal: AbortSignal;
  pool: EncodePool;
}): Promise<SpeechEncoder> {
  const slot = await pool.open(format);
  const abort = () => slot.free(signal.reason);
  if (signal.aborted) {
    abort();
    throw signal.reason;
  }
  signal.addEventListener('abort', abort, { once: true });
  return {
    headers: slot.headers,
    async encode({ samples, sampleRateHz }) {
      signal.throwIfAborted();
      // A copy of its own can be given away, whatever the engine does with its memory.
      return slot.encode(Int16Array.from(samples).buffer, sampleRateHz);
    },
    async flush() {
      signal.throwIfAborted();
      return slot.flush();
    },
    close() {
      signal.removeEventListener('abort', abort);
      slot.free(new Error('The encoder was closed.'));
    },
  };
}

// A stream of AAC: one process of ffmpeg a segment, the next one started before it is needed.

/** AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1): AAC-LC (2), 24 kHz (6), one channel (1). */
const AUDIO_SPECIFIC_CONFIG = Uint8Array.of(0x13, 0x08);

/**
 * Segments are encoded each on its own, as only the end of its input makes ffmpeg give everything
 * away; silence lies where they meet, so nothing is heard of it.
 */
function openAacEncoder({
  format,
  signal,
  program,
}: {
  format: TargetMediaFormat;
  signal: AbortSignal;
  program: FfmpegProgram;
}): SpeechEncoder {
  const isMpegts = format.container === 'mpegts';
  const container: Container = isMpegts
    ? createMpegtsContainer({ codec: 'aac', sampleRateHz: AAC_RATE_HZ })
    : createMatroskaContainer({
        ...{ codec: 'aac', docType: 'matroska', sampleRateHz: AAC_RATE_HZ },
        audioSpecificConfig: AUDIO_SPECIFIC_CONFIG,
      });
  const maker = createPieceMaker({ container, sampleRateHz: AAC_RATE_HZ });
  const bare = ({ data, samples }: Packet) => ({ data: withoutAdtsHeader(data), samples });
  let segment = new AacProcess(program);
  let isBegun = false;

  const taken = () => {
    const packets = segment.take();
    return maker.add(isMpegts ? packets : packets.map(bare));
  };
  const abort = () => segment.kill(signal.reason);
  signal.addEventListener('abort', abort, { once: true });

  return {
    headers: container.headers,
    async encode({ samples, sampleRateHz }) {
      signal.throwIfAborted();
      isBegun = true;
      await segment.write(samples, sampleRateHz);
      return taken();
    },
    async flush() {
      signal.throwIfAborted();
      if (!isBegun) return [];
      await segment.end();
      const pieces = [...taken(), ...maker.flush()];
      segment = new AacProcess(program);
      isBegun = false;
      return pieces;
    },
    close() {
      signal.removeEventListener('abort', abort);
      segment.kill(new Error('The encoder was closed.'));
    },
  };
}
