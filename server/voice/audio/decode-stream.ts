/** One stream on its way through a worker, and through FFmpeg if need be, until it is heard; bounded everywhere. */
import { ServiceError } from '../../../shared/errors.ts';
import {
  MEDIA_ALIGNMENT,
  MediaJump,
  UTTERANCE_END,
  type MediaPiece,
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
import { RECOGNITION_RATE_HZ } from './endpointing.ts';
import type { FfmpegPool, FfmpegStream } from './ffmpeg.ts';

/** Chunks that go together, those that have come since the request before. */
const MAX_CHUNKS = 256;
const MAX_CHUNKS_BYTES = 64 * 1024;
/** Pieces the consumer has not read yet, and how far they go; with as many, nothing more is decoded. */
const MAX_UNREAD_PIECES = 8;
/** Pieces of FFmpeg that nobody has listened to yet; with as many, it is held. */
const MAX_UNHEARD_PIECES = 4;
/** To say something where there is nothing more to listen to. */
const NO_SAMPLES = new Uint8Array(0);

type CodedPart = Extract<DecodedPart, { kind: 'coded' }>;

export interface WorkerDecodingOptions extends Omit<StreamParameters, 'resume' | 'tellsRests'> {
  media: MediaSource;
  signal: AbortSignal;
  /** Told how long each chunk plays before it can be read; what it throws ends the stream. */
  meter: ((durationMs: number) => void) | undefined;
  /** Told how far the stream was heard, in ms, when its pieces up to there have been read. */
  onHeard: ((positionMs: number) => void) | undefined;
  /** Told from where another could go on, in its place among the pieces. */
  onRest: ((place: RestPlace) => void) | undefined;
  /** Where another has been. */
  resume: RestPlace | undefined;
  /** Chunks that come first, and were metered before. */
  meteredChunks: number | undefined;
  pool: WorkerPool<HearingRequest, HearingAnswer>;
  ffmpegs: FfmpegPool;
}

/**
 * Decodes a stream on a worker, which listens to it. Reads ahead of its consumer by the bounds above; the
 * rest stays with the source.
 *
 * Written by hand rather than as a generator: with a thousand streams the promises of generators
 * within generators cost more than the work.
 *
 * @throws ServiceError as of the pools and the decoders; what the meter or the signal gave
 */
export function decodeOnWorker(options: WorkerDecodingOptions): AsyncIterable<HeardPiece> {
  return { [Symbol.asyncIterator]: () => new DecodeFlow(options) };
}

/** Everything up to a position has been heard. */
interface Heard {
  kind: 'heard';
  atMs: number;
}

/** From there another could go on. */
interface Rest {
  kind: 'place';
  place: RestPlace;
}

/** How far the stream was heard with so many of its bytes, and to how much they were decoded. */
interface Milestone {
  bytes: number;
  samples: number;
  decodedSamples: number;
}

/**
 * A rest is told with audio from so long before it, in ms: what its listener looks back on, and what it
 * takes a reader of containers to find its way in.
 */
const LEAD_MS = { pcm: 2_000, contained: 12_000 } as const;
const SAMPLES_PER_MS = RECOGNITION_RATE_HZ / 1000;

type Step = IteratorResult<HeardPiece, undefined>;
const DONE: Step = { done: true, value: undefined };

class DecodeFlow implements AsyncIterator<HeardPiece, undefined> {
  readonly #options: WorkerDecodingOptions;
  #hasStarted = false;
  #place: WorkerPlace<HearingRequest> | undefined;
  #isOpened = false;
  #ffmpeg: FfmpegStream | undefined;
  #coding: Coding | undefined;
  /** Heard, and not yet read. */
  readonly #pieces: (HeardPiece | Heard | Rest)[] = [];
  /** Who waits for the next piece. */
  #reader: { resolve(step: Step): void; reject(error: unknown): void } | undefined;
  #failure: { error: unknown } | undefined;
  /** What the worker found wrong: FFmpeg may still have sound from before, and then stumble as well. */
  #verdict: ServiceError | undefined;
  #isStopped = false;
  #isInFlight = false;
  #isLastSent = false;
  /** Pieces on their way to who listens. */
  #unheard = 0;
  /** Called when everything was listened to. */
  #onEnd: (() => void) | undefined;
  /** Whether an utterance ends with what the worker has been sent. */
  #endsUtterance = false;
  /** Bytes that the worker has been sent. */
  #sentBytes = 0;
  #unmeteredChunks: number;
  /** The latest, as far back as a rest may have to reach. */
  readonly #milestones: Milestone[] = [];
  /** How long what was decoded plays, in ms of the stream. */
  #decodedMs = 0;
  /** Chunks that have gone to the worker, and how many of those lead up to where another has been. */
  #sentChunks = 0;
  #leadingChunks = 0;
  #decodedChunks = 0;
  readonly #abort = () => this.#fail(this.#options.signal.reason);

  constructor(options: WorkerDecodingOptions) {
    this.#options = options;
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
      this.#proceed();
      return piece;
    }
  }

  #start(): void {
    const { signal, pool, media, format } = this.#options;
    this.#hasStarted = true;
    try {
      signal.throwIfAborted();
      this.#place = pool.open({
        answered: (answer) => this.#answered(answer),
        failed: (error) => this.#fail(error),
      });
      // It takes a tenth of a second to start, which is over when the first audio has come.
      this.#coding = declaredCoding(format);
      if (this.#coding !== undefined) this.#ffmpeg = this.#startFfmpeg(this.#coding);
    } catch (error) {
      this.#fail(error);
      return;
    }
    signal.addEventListener('abort', this.#abort, { once: true });
    media.onArrival = () => this.#proceed();
    this.#proceed();
  }

  /** Sends what has come when the request before is answered and the consumer keeps up. */
  #proceed(): void {
    if (this.#isStopped || this.#isInFlight || this.#isLastSent) return;
    if (this.#pieces.length >= MAX_UNREAD_PIECES) return;
    const { media } = this.#options;
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
    const { streamId } = place;
    place.ask({ kind: 'decode', streamId, open, chunks, isLast: this.#isLastSent });
  }

  #opening(): StreamParameters {
    const { format, sampleRateHz, hasFfmpeg, endpointing, wantsSamples } = this.#options;
    const { onRest, resume } = this.#options;
    return {
      ...{ format, sampleRateHz, hasFfmpeg, endpointing, wantsSamples },
      ...(onRest !== undefined && { tellsRests: true }),
      ...(resume !== undefined && {
        resume: { alignSamples: resume.alignSamples, listener: resume.listener },
      }),
    };
  }

  /** Has the worker listen to what was decoded elsewhere. */
  #listen(samples: Uint8Array, then: ListenRequest['then'] = 'more'): void {
    const place = this.#place;
    if (place === undefined || this.#isStopped) return;
    this.#unheard += 1;
    place.ask({ kind: 'listen', streamId: place.streamId, samples, then });
  }

  #answered(answer: HearingAnswer): void {
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
    const { parts, durationsMs, failure } = answer;
    try {
      const { meter } = this.#options;
      for (const durationMs of meter === undefined ? [] : durationsMs) {
        this.#countDecoded(durationMs);
        if (this.#unmeteredChunks > 0) this.#unmeteredChunks -= 1;
        else meter?.(durationMs);
      }
      this.#hear(answer);
      if (this.#options.onRest !== undefined) this.#note(answer.heardMs);
    } catch (error) {
      this.#fail(error);
      return;
    }
    // The usual answer is dealt with in one go.
    const isUsual = parts.length === 0 && failure === undefined && !this.#isLastSent;
    if (isUsual) this.#goOn();
    else void this.#receive(answer);
  }

  #goOn(): void {
    if (this.#endsUtterance) this.#endUtterance();
    this.#isInFlight = false;
    this.#proceed();
  }

  /** What was heard, for the consumer. */
  #hear({ pieces, heardMs }: HearingAnswer): void {
    // Marks wait for the pieces before them; without such, nobody comes to read them.
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
    if (mark.kind === 'place') this.#options.onRest?.(mark.place);
    else this.#options.onHeard?.(mark.atMs);
  }

  #countDecoded(durationMs: number): void {
    this.#decodedMs += durationMs;
    this.#decodedChunks += 1;
    if (this.#decodedChunks !== this.#leadingChunks) return;
    this.#decodedMs = (this.#options.resume?.alignSamples ?? 0) / SAMPLES_PER_MS;
  }

  #note(heardMs: number): void {
    // Of a stream that is resumed, nothing is known before its place is.
    if (heardMs === 0) return;
    const milestones = this.#milestones;
    const samples = Math.round(heardMs * SAMPLES_PER_MS);
    // What FFmpeg has been given is heard later.
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
      if (failure !== undefined || this.#isLastSent) await this.#conclude();
      else this.#goOn();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Everything was decoded, or nothing more can be: what was heard until then is handed on. */
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

  /** Takes a part in; resolves when the next may follow. */
  async #take(part: DecodedPart): Promise<void> {
    if (this.#isStopped) return;
    if (part.kind === 'coded') await this.#pass(part);
    else {
      await this.#endFfmpeg();
      this.#listen(part.bytes);
    }
  }

  /** Gives frames to the process that decodes them, to a new one where a coding starts. */
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
    return this.#options.ffmpegs.start({
      coding,
      sampleRateHz: this.#options.sampleRateHz,
      events: {
        samples: (samples, unsaidMs) => this.#giveFromFfmpeg(samples, unsaidMs),
        marked: () => this.#listen(NO_SAMPLES, 'utterance_end'),
        failed: (error) => this.#fail(this.#verdict ?? error),
      },
    });
  }

  async #endFfmpeg(): Promise<void> {
    const ffmpeg = this.#ffmpeg;
    await ffmpeg?.finish();
    this.#ffmpeg = undefined;
  }

  #giveFromFfmpeg(samples: Uint8Array, unsaidMs: number): void {
    try {
      // Frames are their sender's, and may say what they like: what is heard is what counts.
      if (unsaidMs > 0) this.#options.meter?.(unsaidMs);
      if (samples.length > 0) this.#listen(samples);
      this.#holdOrLetGo();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** FFmpeg waits for who listens, and who listens for the consumer. */
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

  /** The consumer gets what is decoded already, then this error. */
  #fail(error: unknown): void {
    if (this.#isStopped) return;
    this.#failure = { error };
    this.#stop();
  }

  /** Frees everything; nothing more is read or decoded. */
  #stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#options.signal.removeEventListener('abort', this.#abort);
    this.#place?.free();
    this.#ffmpeg?.kill();
    this.#options.media.onArrival = () => undefined;
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
