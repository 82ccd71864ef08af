/** Last stage of translated speech: encodes samples in any target media format. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../shared/errors.ts';
import {
  parseTargetMediaType,
  type TargetMediaFormat,
  targetMediaTypes,
} from '../../../shared/target-media-type.ts';
import { wavHeader } from '../../../shared/wav.ts';
import {
  type Containment,
  createWorkerPool,
  startWorker,
  uncontainedNotice,
  type WorkerPlace,
  type WorkerPool,
} from '../../process/index.ts';
import type { Logger } from '../../process/log.ts';
import { createMatroskaContainer } from './codecs/matroska-container.ts';
import {
  type Container,
  createPieceMaker,
  type EncodeAnswer,
  type EncodedPiece,
  type EncodeRequest,
  type Packet,
  type SpeechEncoder,
  unpackPieces,
} from './codecs/media-pieces.ts';
import { ADTS_HEADER_BYTES, readAdtsHeader } from './codecs/mpeg-audio.ts';
import { createMpegtsContainer } from './codecs/mpegts-container.ts';
import { type FfmpegProgram, findFfmpegProgram } from './ffmpeg.ts';

export interface SpeechEncoders {
  /** Content types, out of `targetMediaTypes`, that can be encoded. */
  readonly contentTypes: readonly string[];
  /** For the operator: what other content types or FFmpeg's containment lack; undefined when complete. */
  readonly problem: string | undefined;
  /** @throws ServiceError synthesis_failed, too_many_sessions, stopping; the signal's reason */
  open(format: TargetMediaFormat, signal: AbortSignal): Promise<SpeechEncoder>;
  close(): Promise<void>;
}

export interface SpeechEncodersOptions {
  log: Logger;
  /** Program that encodes AAC. */
  ffmpeg?: string;
  /** Pending result of {@link findFfmpegProgram} for that program. */
  findingFfmpeg?: Promise<FfmpegProgram | undefined>;
  /** Most streams per worker thread; another thread is started when all are in use. */
  streamsPerWorker?: number;
  maxWorkers?: number;
  /** Time after which an unresponsive worker is terminated, in ms. */
  watchdogMs?: number;
  /** Starts an encoding thread; replaces the default one. */
  startEncodeWorker?: () => Worker;
}

/**
 * Creates the encoders. Encoding blocks, so it runs in worker threads, which are started on demand; AAC
 * is encoded by FFmpeg processes.
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
    shouldRetireAfter({ failure }) {
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
    // A leak ends this thread rather than the process.
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
      // The copy can be transferred, whatever the engine does with its memory.
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

/** Requests of one stream to its worker, one at a time. */
class EncodeCalls {
  readonly #place: WorkerPlace<EncodeRequest>;
  /** The pending call. */
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

  /** @throws ServiceError synthesis_failed, stopping; the reason given to {@link end} in the meantime */
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

  /** Frees the place on the worker; the pending call fails with the reason. */
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

// AAC: one FFmpeg process per segment; the next one is started before it is needed.

const AAC_RATE_HZ = 24_000;
/** Samples in an AAC-LC frame. */
const FRAME_SAMPLES = 1024;
const BIT_RATE = '70k';
/** Time after which an unresponsive process is given up, in ms; it encodes 50 times faster than real time. */
const PATIENCE_MS = 15_000;

const processArguments: readonly string[] = [
  ...['-hide_banner', '-loglevel', 'quiet', '-nostdin'],
  // The header describes the format completely, so probing the sound is unnecessary.
  ...['-f', 'wav', '-probesize', '64', '-analyzeduration', '0', '-i', 'pipe:0'],
  ...['-threads', '1', '-ac', '1', '-ar', `${AAC_RATE_HZ}`, '-c:a', 'aac', '-b:a', BIT_RATE],
  ...['-flush_packets', '1', '-f', 'adts', 'pipe:1'],
];
/** AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1): AAC-LC (2), 24 kHz (6), one channel (1). */
const AUDIO_SPECIFIC_CONFIG = Uint8Array.of(0x13, 0x08);

/**
 * Encodes each segment with a process of its own, as FFmpeg outputs everything only at the end of its
 * input. Segments meet in silence, so the joint is inaudible.
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
        codec: 'aac',
        docType: 'matroska',
        sampleRateHz: AAC_RATE_HZ,
        audioSpecificConfig: AUDIO_SPECIFIC_CONFIG,
      });
  const maker = createPieceMaker({ container, sampleRateHz: AAC_RATE_HZ });
  // Matroska wants packets without ADTS headers; ours have no checksums.
  const bare = ({ data, samples }: Packet) => ({ data: data.subarray(ADTS_HEADER_BYTES), samples });
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
      // A process that ended while it had nothing to do has lost no speech.
      if (!isBegun && segment.hasEnded) segment = new AacProcess(program);
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

/** Encodes one segment as AAC frames. Started ahead, so that no segment waits for its process. */
class AacProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #containment: Containment;
  readonly #closed: Promise<void>;
  /** Start of an incomplete frame. */
  #rest: Buffer = Buffer.alloc(0);
  #frames: Packet[] = [];
  #isBegun = false;
  #failure: { reason: unknown } | undefined;
  #giveUp: (reason: unknown) => void = () => undefined;

  constructor({ path, containment }: FfmpegProgram) {
    const [program, ...args] = containment.wrap([path, ...processArguments]);
    // The environment is not inherited: it contains keys.
    const options = { env: {}, detached: true } as const;
    const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child = child;
    this.#containment = containment;
    child.on('error', () => this.#break());
    // Only the exit code tells whether FFmpeg has taken everything.
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#closed = new Promise((resolve) => {
      child.on('close', (exitCode) => {
        if (exitCode !== 0 || this.#rest.length > 0) this.#break();
        resolve();
      });
    });
  }

  get hasEnded(): boolean {
    const { exitCode, signalCode } = this.#child;
    return this.#failure !== undefined || exitCode !== null || signalCode !== null;
  }

  /**
   * Takes samples at a constant rate; resolves when there is room for more.
   *
   * @throws ServiceError synthesis_failed; the reason given to {@link kill}
   */
  async write(samples: Int16Array, sampleRateHz: number): Promise<void> {
    const { stdin } = this.#child;
    if (!this.#isBegun) stdin.write(wavHeader({ sampleRateHz, dataBytes: Infinity }));
    this.#isBegun = true;
    // A copy, as the engine may reuse its memory before the pipe has taken the samples.
    const { buffer, byteOffset, byteLength } = samples;
    const hasRoom = stdin.write(Uint8Array.from(new Uint8Array(buffer, byteOffset, byteLength)));
    const room = hasRoom ? undefined : new Promise((resolve) => stdin.once('drain', resolve));
    await this.#patiently(room);
  }

  /** Ends the input; resolves when all frames are available. Throws like {@link write}. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    await this.#patiently(this.#closed);
  }

  /** Returns the frames since the last call; the very first is silent, as decoders need one to start. */
  take(): Packet[] {
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }

  /** Ends the process at once; the pending call fails with the reason. */
  kill(reason: unknown): void {
    this.#failure ??= { reason };
    this.#containment.kill(this.#child);
    this.#giveUp(this.#failure.reason);
  }

  #break(): void {
    this.kill(
      new ServiceError(
        'synthesis_failed',
        'The speech could not be encoded: ffmpeg has failed. Please start a new session.',
      ),
    );
  }

  /** Splits the output into frames. */
  #read(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    while (bytes.length - start >= ADTS_HEADER_BYTES) {
      const header = readAdtsHeader(bytes, start);
      if (header === undefined) {
        this.#break();
        return;
      }
      const end = start + header.lengthBytes;
      if (end > bytes.length) break;
      this.#frames.push({ data: bytes.subarray(start, end), samples: FRAME_SAMPLES });
      start = end;
    }
    this.#rest = bytes.subarray(start);
  }

  /** Waits for an event; throws if the process has failed, fails meanwhile or takes too long. */
  async #patiently(event: Promise<unknown> | undefined): Promise<void> {
    if (this.#failure === undefined && event !== undefined) {
      const timer = setTimeout(() => this.#break(), PATIENCE_MS);
      await new Promise<unknown>((resolve, reject) => {
        this.#giveUp = reject;
        event.then(resolve, reject);
      }).finally(() => clearTimeout(timer));
    }
    if (this.#failure !== undefined) throw this.#failure.reason;
  }
}
