/** Client side of decoding: takes one stream through a worker, and FFmpeg if needed; bounded throughout. */
import { ServiceError } from '../../../shared/errors.ts';
import {
  MEDIA_ALIGNMENT,
  MediaJump,
  UTTERANCE_END,
  type MediaPiece,
  type MediaReader,
  type MediaSource,
  type RestPlace,
} from './media.ts';
import type { WorkerPlace, WorkerPool } from '../../process/index.ts';
import { declaredCoding, type Coding } from './codecs/decodable-formats.ts';
import type { HeardPiece, RestMark } from './endpointing.ts';
import {
  ALIGNMENT,
  GAP,
  type Chunk,
  type DecodedPart,
  type HearingAnswer,
  type HearingRequest,
  type ListenRequest,
  type StreamParameters,
} from './decode-messages.ts';
import { SAMPLES_PER_MS } from './endpointing.ts';
import type { FfmpegPool, FfmpegStream } from './ffmpeg.ts';

/** Most chunks, and most bytes of them, to send in one request. */
const MAX_CHUNKS = 256;
const MAX_CHUNKS_BYTES = 64 * 1024;
/** Most pieces the consumer has not read; at this limit decoding pauses. */
const MAX_UNREAD_PIECES = 8;
/** Most pieces of FFmpeg that the worker has not listened to; at this limit FFmpeg is held. */
const MAX_UNHEARD_PIECES = 4;
/** Empty samples, for requests that carry only a mark. */
const NO_SAMPLES = new Uint8Array(0);

type CodedPart = Extract<DecodedPart, { kind: 'coded' }>;

export interface WorkerDecodingOptions extends Omit<StreamParameters, 'resume' | 'tellsRests'> {
  media: MediaSource;
  signal: AbortSignal;
  /** Called with the playing time of each chunk before the chunk can be read; a throw ends the stream. */
  meter: ((durationMs: number) => void) | undefined;
  /** Called with the position heard so far, in ms, once the pieces before it have been read. */
  onHeard: ((positionMs: number) => void) | undefined;
  /** Called with each resume point, in order with the pieces. */
  onRest: ((place: RestPlace) => void) | undefined;
  /** Resume point at which another server stopped. */
  resume: RestPlace | undefined;
  /** Number of leading chunks that have been metered before. */
  meteredChunks: number | undefined;
  pool: WorkerPool<HearingRequest, HearingAnswer>;
  ffmpegs: FfmpegPool;
}

/**
 * Decodes a stream on a worker, which also listens to it. Reads ahead within the bounds above and leaves
 * the rest with the source.
 *
 * Written by hand rather than as a generator: with a thousand streams, the promises of nested generators
 * cost more than the work.
 *
 * @throws ServiceError of the pools and the decoders; errors of the meter; the signal's reason
 */
export function decodeOnWorker(options: WorkerDecodingOptions): AsyncIterable<HeardPiece> {
  return { [Symbol.asyncIterator]: () => new DecodeFlow(options) };
}

/** Everything up to a position has been heard. */
interface Heard {
  kind: 'heard';
  atMs: number;
}

/** A resume point. */
interface Rest {
  kind: 'place';
  place: RestPlace;
}

/** Number of bytes sent at some time, with the samples heard and decoded by then. */
interface Milestone {
  bytes: number;
  samples: number;
  decodedSamples: number;
}

/**
 * How long before a resume point its audio must begin, in ms: what the listener looks back on, and what a
 * container reader needs to find its way.
 */
const LEAD_MS = { pcm: 2_000, contained: 12_000 } as const;

type Step = IteratorResult<HeardPiece, undefined>;
const DONE: Step = { done: true, value: undefined };

/** Reads the source and the worker itself, rather than through functions: each would be an object more. */
class DecodeFlow implements AsyncIterator<HeardPiece, undefined>, MediaReader {
  readonly #options: WorkerDecodingOptions;
  // Those that each chunk needs.
  readonly #media: MediaSource;
  readonly #meter: WorkerDecodingOptions['meter'];
  readonly #onHeard: WorkerDecodingOptions['onHeard'];
  readonly #onRest: WorkerDecodingOptions['onRest'];
  #hasStarted = false;
  #place: WorkerPlace<HearingRequest> | undefined;
  #isOpened = false;
  #ffmpeg: FfmpegStream | undefined;
  #coding: Coding | undefined;
  /** Results that have not been read. */
  readonly #pieces: (HeardPiece | Heard | Rest)[] = [];
  /** The pending read, if any. */
  #reader: { resolve(step: Step): void; reject(error: unknown): void } | undefined;
  #failure: { error: unknown } | undefined;
  /** Error found by the worker; it prevails over the one that FFmpeg may then report for the same data. */
  #verdict: ServiceError | undefined;
  #isStopped = false;
  #isInFlight = false;
  #isLastSent = false;
  /** Whether the worker still has chunks of the last request, for which its answer had no room. */
  #hasMore = false;
  /** Number of pieces sent to the worker for listening and not answered. */
  #unheard = 0;
  /** Called when the worker has listened to everything. */
  #onEnd: (() => void) | undefined;
  /** Whether an utterance ends with the chunks in flight. */
  #endsUtterance = false;
  /** Number of bytes sent to the worker. */
  #sentBytes = 0;
  #unmeteredChunks: number;
  /** Latest milestones, as far back as a resume point may reach. */
  readonly #milestones: Milestone[] = [];
  /** Playing time of everything decoded, as a position in the stream, in ms. */
  #decodedMs = 0;
  /** Number of chunks sent to the worker, and how many of them precede the alignment of a resumed stream. */
  #sentChunks = 0;
  #leadingChunks = 0;
  #decodedChunks = 0;
  readonly #abort = () => this.failed(this.#options.signal.reason);

  constructor(options: WorkerDecodingOptions) {
    this.#options = options;
    this.#media = options.media;
    this.#meter = options.meter;
    this.#onHeard = options.onHeard;
    this.#onRest = options.onRest;
    this.#unmeteredChunks = options.meteredChunks ?? 0;
  }

  next(): Promise<Step> {
    if (!this.#hasStarted && !this.#isStopped) this.#start();
    const piece = this.#nextPiece();
    if (piece !== undefined) return Promise.resolve({ done: false, value: piece });
    if (this.#failure !== undefined) {
      const { error } = this.#failure;
      this.#failure = undefined;
      return rejected(error);
    }
    if (this.#isStopped) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => (this.#reader = { resolve, reject }));
  }

  async return(): Promise<Step> {
    this.#pieces.length = 0;
    this.#failure = undefined;
    this.#stop();
    return DONE;
  }

  #nextPiece(): HeardPiece | undefined {
    if (this.#pieces.length === 0) return undefined;
    for (let piece = this.#pieces.shift(); ; piece = this.#pieces.shift()) {
      if (piece?.kind === 'heard' || piece?.kind === 'place') {
        this.#tell(piece);
        continue;
      }
      this.#holdOrLetGo();
      this.arrived();
      return piece;
    }
  }

  #start(): void {
    const { signal, pool, format } = this.#options;
    this.#hasStarted = true;
    try {
      signal.throwIfAborted();
      this.#place = pool.open(this);
      // FFmpeg takes a tenth of a second to start, which has passed when the first audio arrives.
      this.#coding = declaredCoding(format);
      if (this.#coding !== undefined) this.#ffmpeg = this.#startFfmpeg(this.#coding);
    } catch (error) {
      this.failed(error);
      return;
    }
    signal.addEventListener('abort', this.#abort, { once: true });
    this.#media.reader = this;
    this.arrived();
  }

  /** Sends new chunks once the previous request is answered and the consumer keeps up. */
  arrived(): void {
    if (this.#isStopped || this.#isInFlight || (this.#isLastSent && !this.#hasMore)) return;
    if (this.#pieces.length >= MAX_UNREAD_PIECES) return;
    if (this.#hasMore) {
      this.#isInFlight = true;
      this.#decode([]);
      return;
    }
    const media = this.#media;
    let piece = media.take();
    if (piece === undefined && !media.isOver) return;
    const chunks: Chunk[] = [];
    let bytes = 0;
    this.#endsUtterance = false;
    for (; piece !== undefined; piece = media.take()) {
      if (piece === UTTERANCE_END) {
        this.#endsUtterance = true;
        break;
      }
      chunks.push(chunkOf(piece));
      if (piece instanceof Uint8Array) {
        bytes += piece.length;
        this.#sentBytes += piece.length;
        this.#sentChunks += 1;
      } else if (piece === MEDIA_ALIGNMENT) {
        this.#leadingChunks = this.#sentChunks;
      } else if (piece instanceof MediaJump) {
        this.#sentBytes = piece.toBytes;
      }
      if (chunks.length >= MAX_CHUNKS || bytes >= MAX_CHUNKS_BYTES) break;
    }
    this.#isLastSent = media.isOver;
    this.#isInFlight = true;
    this.#decode(chunks);
  }

  #decode(chunks: readonly Chunk[]): void {
    const place = this.#place;
    if (place === undefined) return;
    const open = this.#isOpened ? undefined : this.#opening();
    this.#isOpened = true;
    place.ask({ kind: 'decode', streamId: place.streamId, open, chunks, isLast: this.#isLastSent });
  }

  #opening(): StreamParameters {
    const { format, sampleRateHz, hasFfmpeg, endpointing, wantsSamples, resume } = this.#options;
    return {
      ...{ format, sampleRateHz, hasFfmpeg, endpointing, wantsSamples },
      ...(this.#onRest !== undefined && { tellsRests: true }),
      ...(resume !== undefined && {
        resume: { alignSamples: resume.alignSamples, listener: resume.listener },
      }),
    };
  }

  /** Makes the worker listen to samples that FFmpeg has decoded. */
  #listen(samples: Uint8Array, then: ListenRequest['then'] = 'more'): void {
    const place = this.#place;
    if (place === undefined || this.#isStopped) return;
    this.#unheard += 1;
    place.ask({ kind: 'listen', streamId: place.streamId, samples, then });
  }

  answered(answer: HearingAnswer): void {
    if (answer.kind === 'decode') {
      this.#decoded(answer);
      return;
    }
    this.#unheard -= 1;
    this.#hear(answer);
    this.#holdOrLetGo();
    if (this.#unheard === 0) this.#onEnd?.();
  }

  #decoded(answer: HearingAnswer): void {
    const { parts, durationsMs, hasMore, failure } = answer;
    this.#hasMore = hasMore;
    try {
      for (const durationMs of this.#meter === undefined ? [] : durationsMs) {
        this.#countDecoded(durationMs);
        if (this.#unmeteredChunks > 0) this.#unmeteredChunks -= 1;
        else this.#meter?.(durationMs);
      }
      this.#hear(answer);
      // With chunks left over, the position is not that of the bytes sent.
      if (this.#onRest !== undefined && !hasMore) this.#note(answer.heardMs);
    } catch (error) {
      this.failed(error);
      return;
    }
    // The usual answer is handled synchronously.
    const isUsual = parts.length === 0 && failure === undefined && !this.#isLastSent;
    if (isUsual) this.#goOn();
    else void this.#receive(answer);
  }

  #goOn(): void {
    if (this.#endsUtterance && !this.#hasMore) this.#endUtterance();
    this.#isInFlight = false;
    this.arrived();
  }

  /** Passes the results to the consumer. */
  #hear({ pieces, heardMs }: HearingAnswer): void {
    // A mark waits for the pieces before it to be read. Without such pieces it is reported at once.
    let isRead = this.#pieces.length === 0;
    for (const piece of pieces) {
      if (piece.kind === 'rest') {
        this.#mark({ kind: 'place', place: this.#placeOf(piece) }, isRead);
        continue;
      }
      this.#hand(piece);
      isRead = false;
    }
    this.#mark({ kind: 'heard', atMs: heardMs }, isRead);
  }

  #mark(mark: Heard | Rest, isRead: boolean): void {
    if (this.#isStopped) return;
    if (isRead) this.#tell(mark);
    else this.#pieces.push(mark);
  }

  #tell(mark: Heard | Rest): void {
    if (mark.kind === 'place') this.#onRest?.(mark.place);
    else this.#onHeard?.(mark.atMs);
  }

  #countDecoded(durationMs: number): void {
    this.#decodedMs += durationMs;
    this.#decodedChunks += 1;
    if (this.#decodedChunks !== this.#leadingChunks) return;
    this.#decodedMs = (this.#options.resume?.alignSamples ?? 0) / SAMPLES_PER_MS;
  }

  #note(heardMs: number): void {
    // Positions in a resumed stream are unknown until it is aligned.
    if (heardMs === 0) return;
    const milestones = this.#milestones;
    const samples = Math.round(heardMs * SAMPLES_PER_MS);
    // Frames given to FFmpeg are heard later.
    const decodedSamples =
      this.#ffmpeg === undefined ? samples : Math.round(this.#decodedMs * SAMPLES_PER_MS);
    milestones.push({ bytes: this.#sentBytes, samples, decodedSamples });
    const earliest = samples - 2 * this.#leadSamples;
    while ((milestones[1]?.samples ?? Infinity) <= earliest) milestones.shift();
  }

  get #leadSamples(): number {
    const { container } = this.#options.format;
    return LEAD_MS[container === 'pcm' ? 'pcm' : 'contained'] * SAMPLES_PER_MS;
  }

  #placeOf({ atMs, listener }: RestMark): RestPlace {
    const latest = atMs * SAMPLES_PER_MS - this.#leadSamples;
    const from = this.#milestones.findLast(({ samples }) => samples <= latest);
    if (from === undefined && this.#options.resume !== undefined) {
      const { fromBytes, alignBytes, alignSamples } = this.#options.resume;
      return { fromBytes, alignBytes, alignSamples, listener };
    }
    if (from === undefined) return { fromBytes: 0, alignBytes: 0, alignSamples: 0, listener };
    const { bytes: alignBytes, decodedSamples: alignSamples } = this.#milestones.at(-1) ?? from;
    return { fromBytes: from.bytes, alignBytes, alignSamples, listener };
  }

  async #receive({ parts, failure }: HearingAnswer): Promise<void> {
    try {
      for (const part of parts) await this.#take(part);
      if (failure !== undefined) this.#verdict = new ServiceError(failure.code, failure.message);
      const isOver = this.#isLastSent && !this.#hasMore;
      if (failure !== undefined || isOver) await this.#conclude();
      else this.#goOn();
    } catch (error) {
      this.failed(error);
    }
  }

  /** Ends the stream after decoding has ended or failed; delivers what was heard until then. */
  async #conclude(): Promise<void> {
    await this.#ffmpeg?.finish();
    if (this.#isStopped) return;
    await new Promise<void>((resolve) => {
      this.#onEnd = resolve;
      this.#listen(NO_SAMPLES, 'end');
    });
    if (this.#verdict !== undefined) throw this.#verdict;
    this.#stop();
  }

  /** Takes a part; resolves when the next may follow. */
  async #take(part: DecodedPart): Promise<void> {
    if (this.#isStopped) return;
    if (part.kind === 'coded') await this.#pass(part);
    else {
      await this.#endFfmpeg();
      this.#listen(part.bytes);
    }
  }

  /** Passes frames to FFmpeg, starting a new process for a new coding. */
  async #pass({ bytes: frames, soundBytes, playsMs, starts }: CodedPart): Promise<void> {
    if (starts !== undefined) {
      const isReady = starts === this.#coding && this.#ffmpeg?.isFresh === true;
      if (!isReady) await this.#endFfmpeg();
      if (this.#isStopped) return;
      this.#coding = starts;
    }
    if (frames.length === 0 || this.#coding === undefined) return;
    this.#ffmpeg ??= this.#startFfmpeg(this.#coding);
    await this.#ffmpeg.write(frames, { soundBytes, playsMs });
  }

  #endUtterance(): void {
    if (this.#ffmpeg === undefined) this.#listen(NO_SAMPLES, 'utterance_end');
    else this.#ffmpeg.mark();
  }

  #startFfmpeg(coding: Coding): FfmpegStream {
    const ffmpeg = this.#options.ffmpegs.start({
      coding,
      sampleRateHz: this.#options.sampleRateHz,
      events: {
        samples: (samples, unsaidMs) => this.#giveFromFfmpeg(samples, unsaidMs),
        marked: () => this.#listen(NO_SAMPLES, 'utterance_end'),
        failed: (error) => {
          // One that ended before it had anything to do has lost no sound: the first frames start another.
          if (ffmpeg.isFresh && this.#ffmpeg === ffmpeg) this.#ffmpeg = undefined;
          else this.failed(this.#verdict ?? error);
        },
      },
    });
    return ffmpeg;
  }

  async #endFfmpeg(): Promise<void> {
    await this.#ffmpeg?.finish();
    this.#ffmpeg = undefined;
  }

  #giveFromFfmpeg(samples: Uint8Array, unsaidMs: number): void {
    try {
      // Frames may misstate their length, so the decoded sound is what counts.
      if (unsaidMs > 0) this.#meter?.(unsaidMs);
      if (samples.length > 0) this.#listen(samples);
      this.#holdOrLetGo();
    } catch (error) {
      this.failed(error);
    }
  }

  /** Applies back-pressure: FFmpeg waits for the listener, and the listener for the consumer. */
  #holdOrLetGo(): void {
    const isFull = this.#pieces.length >= MAX_UNREAD_PIECES || this.#unheard >= MAX_UNHEARD_PIECES;
    this.#ffmpeg?.hold(isFull);
  }

  #hand(piece: HeardPiece): void {
    if (this.#isStopped) return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#pieces.push(piece);
    else reader.resolve({ done: false, value: piece });
  }

  /** Fails the stream: the consumer gets what is already decoded, then this error. */
  failed(error: unknown): void {
    if (this.#isStopped) return;
    this.#failure = { error };
    this.#stop();
  }

  /** Releases everything and stops reading and decoding. */
  #stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#options.signal.removeEventListener('abort', this.#abort);
    this.#place?.free();
    this.#ffmpeg?.kill();
    this.#media.reader = undefined;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) return;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure === undefined) reader.resolve(DONE);
    else reader.reject(failure.error);
  }
}

function chunkOf(piece: MediaPiece): Chunk {
  if (piece instanceof Uint8Array) return piece;
  return piece === MEDIA_ALIGNMENT ? ALIGNMENT : GAP;
}

async function rejected(error: unknown): Promise<never> {
  throw error;
}
