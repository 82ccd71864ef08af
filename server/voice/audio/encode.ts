/** The last stage of translated speech: samples to any target media format. */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { parseTargetMediaType, targetMediaTypes } from '../../../shared/target-media-type.ts';
import type { TargetMediaFormat } from '../../../shared/target-media-type.ts';
import type { SpokenSamples } from '../../engines/engine.ts';
import { uncontainedNotice } from '../../process/containment.ts';
import type { Logger } from '../../process/log.ts';
import { startWorker } from '../../process/module.ts';
import { openAacEncoder } from './encode/aac-encoder.ts';
import { createEncodePool, type EncodePool } from './encode/encode-pool.ts';
import type { EncodedPiece } from './encode/packet.ts';
import { findFfmpegProgram, type FfmpegProgram } from './ffmpeg-program.ts';

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
