/** The last stage of translated speech: samples to any target media format. */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../shared/errors.ts';
import {
  parseTargetMediaType,
  targetMediaTypes,
  type TargetMediaFormat,
} from '../../../shared/target-media-type.ts';
import {
  uncontainedNotice,
  startWorker,
  createWorkerPool,
  type WorkerPlace,
  type WorkerPool,
} from '../../process/index.ts';
import type { Logger } from '../../process/log.ts';
import { openAacEncoder } from './aac-encoder.ts';
import {
  unpackPieces,
  type EncodeAnswer,
  type EncodedPiece,
  type EncodeRequest,
  type SpeechEncoder,
} from './codecs/media-pieces.ts';
import { findFfmpegProgram, type FfmpegProgram } from './ffmpeg.ts';

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
  /** What {@link findFfmpegProgram} answers for it. */
  findingFfmpeg?: Promise<FfmpegProgram | undefined>;
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
  findingFfmpeg = findFfmpegProgram(ffmpeg),
  streamsPerWorker = 32,
  maxWorkers = Math.max(4, availableParallelism()),
  watchdogMs = 10_000,
  startEncodeWorker = startOwnWorker,
}: SpeechEncodersOptions): Promise<SpeechEncoders> {
  const program = await findingFfmpeg;
  const hasFfmpeg = program !== undefined;
  const pool = createWorkerPool<EncodeRequest, EncodeAnswer>({
    log,
    maxWorkers,
    watchdogMs,
    workerName: 'An encoding worker',
    startWorker: startEncodeWorker,
    streamsPerWorker,
    comfortableStreams: streamsPerWorker,
    full: () =>
      new ServiceError('too_many_sessions', 'No speech encoder is free. Please try again.'),
    broken: failed,
    isLastStraw({ failure }) {
      if (failure !== undefined) log.error({ failure }, 'A speech encoder failed.');
      return false;
    },
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
  return startWorker(import.meta.url, './encode-worker', {
    name: 'speech-encoder',
    // A leak ends this thread and not the process.
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
}

// A stream that is encoded on a worker.

async function openOnWorker({
  format,
  signal,
  pool,
}: {
  format: TargetMediaFormat;
  signal: AbortSignal;
  pool: WorkerPool<EncodeRequest, EncodeAnswer>;
}): Promise<SpeechEncoder> {
  const calls = new EncodeCalls(pool);
  const { streamId } = calls;
  const headers = await calls.ask({ kind: 'open', streamId, format });
  const abort = () => calls.end(signal.reason);
  if (signal.aborted) {
    abort();
    throw signal.reason;
  }
  signal.addEventListener('abort', abort, { once: true });
  return {
    headers: headers.map(({ data }) => data),
    async encode({ samples, sampleRateHz }) {
      signal.throwIfAborted();
      // A copy of its own can be given away, whatever the engine does with its memory.
      const { buffer } = Int16Array.from(samples);
      return calls.ask({ kind: 'encode', streamId, samples: buffer, sampleRateHz }, [buffer]);
    },
    async flush() {
      signal.throwIfAborted();
      return calls.ask({ kind: 'flush', streamId });
    },
    close() {
      signal.removeEventListener('abort', abort);
      calls.end(new Error('The encoder was closed.'));
    },
  };
}

/** What a stream asks of its worker, answer by answer. */
class EncodeCalls {
  readonly #place: WorkerPlace<EncodeRequest>;
  /** The call that is under way. */
  #call: { answered(pieces: EncodedPiece[]): void; failed(reason: unknown): void } | undefined;
  #isOver = false;

  constructor(pool: WorkerPool<EncodeRequest, EncodeAnswer>) {
    this.#place = pool.open({
      answered: ({ pieces, failure }) => {
        if (failure === undefined) this.#call?.answered(unpackPieces(pieces));
        else this.end(failed());
      },
      failed: (error) => this.end(error),
    });
  }

  get streamId(): number {
    return this.#place.streamId;
  }

  /** @throws ServiceError synthesis_failed, stopping; what {@link end} was given meanwhile */
  async ask(request: EncodeRequest, transfer: ArrayBuffer[] = []): Promise<EncodedPiece[]> {
    if (this.#isOver) throw failed();
    try {
      return await new Promise<EncodedPiece[]>((answered, reject) => {
        this.#call = { answered, failed: reject };
        this.#place.ask(request, transfer);
      });
    } finally {
      this.#call = undefined;
    }
  }

  /** Frees the place; the call under way fails with the reason. */
  end(reason: unknown): void {
    this.#isOver = true;
    this.#place.free();
    this.#call?.failed(reason);
  }
}

function failed(): ServiceError {
  return new ServiceError(
    'synthesis_failed',
    'The speech could not be encoded because of a fault on our side. Please start a new session.',
  );
}
