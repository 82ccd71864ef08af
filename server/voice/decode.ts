/** The first stage of the voice path: audio in any supported format to samples of one channel. */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { AudioFormat } from '../../shared/media-type.ts';
import type { Logger } from '../process/log.ts';
import { startWorker } from '../process/module.ts';
import {
  chunkTooLarge,
  decodableContentTypes,
  formatUnsupported,
  isDecodable,
  MAX_CHUNK_MS,
} from './codecs/decodable-formats.ts';
import { decodeOnWorker } from './codecs/decode-stream.ts';
import { createDecodeWorkerPool } from './codecs/decode-worker-pool.ts';
import { createSampleAligner } from './codecs/sample-aligner.ts';

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
   * Reads ahead of its consumer within bounds, so a slow consumer holds the source back.
   *
   * @throws ServiceError audio_format_unsupported when the format is not supported or the data is
   *   not of it; chunk_too_large for more than a second in a chunk; too_many_sessions; decoder_failed;
   *   stopping. Also what the source or the meter threw, and the signal's reason
   */
  decode(media: AsyncIterable<Uint8Array>, options: DecodeOptions): AsyncIterable<Uint8Array>;
  /** Ends all streams and worker threads. */
  close(): Promise<void>;
}

export interface AudioDecodersOptions {
  log: Logger;
  /** Streams one worker thread decodes; a second one is started when they are taken. */
  decodersPerWorker?: number;
  maxWorkers?: number;
  /** A worker that owes an answer for longer than this (up to 1.5 times as long) is ended. */
  watchdogMs?: number;
  /** Starts a thread that serves decoding in place of ours. */
  startDecodeWorker?: () => Worker;
}

/** Decoding blocks, so it happens in worker threads, which are started when streams need them. */
export function createAudioDecoders({
  log,
  decodersPerWorker = 48,
  maxWorkers = Math.max(4, availableParallelism()),
  watchdogMs = 5000,
  startDecodeWorker = startOwnWorker,
}: AudioDecodersOptions): AudioDecoders {
  const pool = createDecodeWorkerPool({
    log,
    decodersPerWorker,
    maxWorkers,
    watchdogMs,
    startWorker: startDecodeWorker,
  });

  return {
    contentTypes: decodableContentTypes,
    decode(media, { format, sampleRateHz, signal, meter }) {
      if (!isDecodable(format)) throw formatUnsupported(format);
      if (format.codec === 's16le' && format.sampleRateHz === sampleRateHz) {
        return passThrough(media, sampleRateHz, signal);
      }
      const isPcm = format.container === 'pcm';
      const stream = { media, format, sampleRateHz, signal, pool };
      return decodeOnWorker({ ...stream, meter: isPcm ? undefined : meter });
    },
    close: () => pool.close(),
  };
}

function startOwnWorker(): Worker {
  return startWorker(import.meta.url, './codecs/decode-worker', {
    name: 'audio-decoder',
    // A leak ends this thread and not the process.
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
}

/** Samples that are what is wanted already: not copied, unless a chunk ends inside a sample. */
async function* passThrough(
  media: AsyncIterable<Uint8Array>,
  sampleRateHz: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const align = createSampleAligner();
  const maxBytes = (MAX_CHUNK_MS * 2 * sampleRateHz) / 1000;
  for await (const chunk of untilAborted(media, signal)) {
    if (chunk.length > maxBytes) throw chunkTooLarge();
    const samples = align(chunk);
    if (samples.length > 0) yield samples;
  }
}

/** The same chunks, until the signal ends them, even while the next one is awaited. */
async function* untilAborted<T>(media: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  signal.throwIfAborted();
  const source = media[Symbol.asyncIterator]();
  // Not Promise.race with one promise of the abort: that would remember every chunk of the stream.
  let rejectNext: (reason: unknown) => void = () => undefined;
  const abort = () => rejectNext(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      const step = await new Promise<IteratorResult<T>>((resolve, reject) => {
        rejectNext = reject;
        source.next().then(resolve, reject);
      });
      signal.throwIfAborted();
      if (step.done === true) return;
      yield step.value;
      signal.throwIfAborted();
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // Not awaited: a generator that waits for its next chunk returns only when that has come.
    void source.return?.().catch(() => undefined);
  }
}
