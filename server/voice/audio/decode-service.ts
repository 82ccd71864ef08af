/** Work of a decoding process: decodes streams, finds their utterances, and answers each request once. */
import { ServiceError } from '../../../shared/errors.ts';
import type { AudioFormat } from '../../../shared/media-type.ts';
import { createRateConverter } from '../../../shared/resampler.ts';
import type { FreeRequest, ReadyNotice, WorkerPort } from '../../process/index.ts';
import { createContainedSource } from './codecs/containers.ts';
import {
  chunkTooLarge,
  ffmpegMissing,
  MAX_CHUNK_MS,
  type AudioSink,
  type Coding,
} from './codecs/decodable-formats.ts';
import { opusRatesHz } from './codecs/opus.ts';
import { createPcmSource, samplesOf } from './codecs/pcm.ts';
import { SAMPLES_PER_MS, type HeardPiece, type RestMark } from './endpointing.ts';
import { createListener, type Listener } from './listen.ts';
import {
  ALIGNMENT,
  GAP,
  type Chunk,
  type DecodedPart,
  type DecodeFailure,
  type DecodeRequest,
  type HearingAnswer,
  type HearingRequest,
  type ListenRequest,
  type StreamParameters,
} from './decode-messages.ts';

/** Serves requests on a port until it closes. */
export function serveDecoding(
  port: WorkerPort<HearingRequest | FreeRequest, HearingAnswer | ReadyNotice>,
  createDecoder: CreateStreamDecoder,
): void {
  const streams = new Map<number, HeardStream>();

  function free(streamId: number): void {
    streams.get(streamId)?.free();
    streams.delete(streamId);
  }

  function streamOf({ streamId, open }: DecodeRequest): HeardStream {
    const known = streams.get(streamId);
    if (known !== undefined) return known;
    if (open === undefined) throw new Error('A stream was not opened.');
    const stream = new HeardStream(open, createDecoder);
    streams.set(streamId, stream);
    return stream;
  }

  function answer(request: HearingRequest): HearingAnswer {
    const { kind, streamId } = request;
    const durationsMs: number[] = [];
    let failure: DecodeFailure | undefined;
    try {
      // A stream that failed to open has no listener.
      if (request.kind === 'listen') streams.get(streamId)?.listen(request);
      else streamOf(request).decode(request, durationsMs);
    } catch (error) {
      failure = describe(error);
    }
    const stream = streams.get(streamId);
    const hasMore = kind === 'decode' && failure === undefined && stream?.hasMore === true;
    const said = { kind, streamId, durationsMs, hasMore, ...(stream?.take() ?? NOTHING) };
    return failure === undefined ? said : { ...said, failure };
  }

  port.on('message', (request) => {
    if (request.kind === 'free') {
      free(request.streamId);
      return;
    }
    port.postMessage(answer(request));
    if (request.kind === 'listen' && request.then === 'end') free(request.streamId);
  });
  port.postMessage({ kind: 'ready' });
}

/** Sound after which an answer holds no further chunk, in ms: with the longest chunk it has to fit a frame. */
const ANSWER_MS = 8_000;

const NOTHING = { pieces: [], parts: [], heardMs: 0 };

/** A stream's decoder and its listener. */
class HeardStream {
  readonly #decoder: StreamDecoder;
  readonly #listener: Listener;
  readonly #output = new AnswerParts();
  #pieces: (HeardPiece | RestMark)[] = [];
  /** Whether durations are reported; for PCM they follow from the size. */
  readonly #isMetered: boolean;
  /** Whether samples come back from FFmpeg; samples decoded here must then wait for those. */
  #isDecodedByFfmpeg = false;
  readonly #resume: StreamParameters['resume'];
  /** Samples of a resumed stream whose position is not known yet. */
  #unplaced: Int16Array[] | undefined;
  /** Playing time of the audio behind the unplaced samples, in ms. */
  #unplacedMs = 0;
  /** Whether the current chunks are a container's head, whose sound has been heard before. */
  #isHead: boolean;
  /** Chunks for which the last answer had no room. */
  #waiting: readonly Chunk[] = [];

  constructor(open: StreamParameters, createDecoder: CreateStreamDecoder) {
    const { endpointing, wantsSamples, tellsRests, resume, ...parameters } = open;
    const output = this.#output;
    this.#isMetered = open.format.container !== 'pcm';
    this.#resume = resume;
    this.#isHead = resume !== undefined;
    if (resume !== undefined) this.#unplaced = [];
    const give = (piece: HeardPiece | RestMark): void => {
      if (wantsSamples || piece.kind !== 'samples') this.#pieces.push(piece);
    };
    this.#listener = createListener(endpointing, give, tellsRests);
    this.#decoder = createDecoder({
      ...parameters,
      output: {
        samples: (samples) => {
          if (this.#isDecodedByFfmpeg) output.samples(samples);
          else this.#take(samples);
        },
        startCoded: (coding) => {
          this.#isDecodedByFfmpeg = true;
          output.startCoded(coding);
        },
        coded: (bytes, hasSound, playsMs) => {
          if (!this.#isHead || !hasSound) output.coded(bytes, hasSound, playsMs);
        },
      },
    });
  }

  /**
   * Decodes chunks until the answer is full; the next request continues with the others.
   *
   * @throws ServiceError of the decoder, which is then unusable; earlier results remain available
   */
  decode({ chunks, isLast }: DecodeRequest, durationsMs: number[]): void {
    const waiting = [...this.#waiting, ...chunks];
    let answeredMs = 0;
    let taken = 0;
    for (; taken < waiting.length && answeredMs < ANSWER_MS; taken += 1) {
      const chunk = waiting[taken];
      if (chunk === GAP) {
        this.#decoder.gap();
        // Chunks before the first gap were the container's head.
        if (this.#unplaced !== undefined) this.#unplaced = [];
        this.#unplacedMs = 0;
        this.#isHead = false;
      } else if (chunk === ALIGNMENT) {
        this.#align();
        answeredMs = ANSWER_MS;
      } else {
        const durationMs = this.#decoder.push(chunk);
        if (this.#isMetered) durationsMs.push(durationMs);
        this.#unplacedMs += durationMs;
        answeredMs += durationMs;
      }
    }
    this.#waiting = waiting.slice(taken);
    if (isLast && !this.hasMore) this.#decoder.end();
  }

  /** Whether chunks wait for the next request. */
  get hasMore(): boolean {
    return this.#waiting.length > 0;
  }

  #take(samples: Int16Array): void {
    if (this.#unplaced === undefined) this.#listener.take(samples);
    else this.#unplaced.push(samples.slice());
  }

  /** Aligns a resumed stream: the samples decoded so far end at the recorded position. */
  #align(): void {
    const unplaced = this.#unplaced;
    if (this.#resume === undefined || unplaced === undefined) return;
    const { listener, alignSamples } = this.#resume;
    // FFmpeg's samples arrive later, so their number is computed from their playing time.
    const count = this.#isDecodedByFfmpeg
      ? Math.round(this.#unplacedMs * SAMPLES_PER_MS)
      : unplaced.reduce((sum, { length }) => sum + length, 0);
    this.#unplaced = undefined;
    this.#isHead = false;
    this.#listener.resume(listener, Math.max(0, alignSamples - count));
    for (const samples of unplaced) this.#listener.take(samples);
  }

  listen({ samples, then }: ListenRequest): void {
    this.#take(samplesOf(samples));
    if (then === 'utterance_end') this.#listener.conclude();
    if (then === 'end') this.#listener.finish();
  }

  /** Returns the results since the last call. */
  take(): Pick<HearingAnswer, 'pieces' | 'parts' | 'heardMs'> {
    const pieces = this.#pieces;
    if (pieces.length > 0) this.#pieces = [];
    return { pieces, parts: this.#output.take(), heardMs: this.#listener.heardMs };
  }

  free(): void {
    this.#decoder.free();
    this.#listener.close();
  }
}

/** Names of errors that indicate damaged decoder memory; Node's types have no WebAssembly errors. */
const memoryFaults: ReadonlySet<string> = new Set(['RangeError', 'RuntimeError']);

function describe(error: unknown): DecodeFailure {
  if (error instanceof ServiceError) {
    return { code: error.code, message: error.message, retires: false };
  }
  const name = error instanceof Error ? error.name : typeof error;
  return {
    code: 'decoder_failed',
    message:
      'The audio could not be decoded because of a fault on our side. Please start a new session.',
    cause: error instanceof Error ? `${name}: ${error.message}` : name,
    retires: memoryFaults.has(name),
  };
}

// Collects the audio of an answer.

/** Keeps its buffers between answers and returns copies of the exact size. */
class AnswerParts implements DecoderOutput {
  readonly #parts: DecodedPart[] = [];
  #samples = new Int16Array(0);
  #sampleCount = 0;
  #frames = new Uint8Array(0);
  #framesBytes = 0;
  #soundBytes = 0;
  #playsMs = 0;
  #starts: Coding | undefined;

  samples(samples: Int16Array): void {
    this.#closeFrames();
    const count = this.#sampleCount + samples.length;
    if (count > this.#samples.length) {
      const larger = new Int16Array(2 * count);
      larger.set(this.#samples.subarray(0, this.#sampleCount));
      this.#samples = larger;
    }
    this.#samples.set(samples, this.#sampleCount);
    this.#sampleCount = count;
  }

  startCoded(coding: Coding): void {
    this.#closeFrames();
    this.#starts = coding;
  }

  coded(bytes: Uint8Array, hasSound: boolean, playsMs: number): void {
    this.#closeSamples();
    const length = this.#framesBytes + bytes.length;
    if (length > this.#frames.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#frames.subarray(0, this.#framesBytes));
      this.#frames = larger;
    }
    this.#frames.set(bytes, this.#framesBytes);
    this.#framesBytes = length;
    if (hasSound) this.#soundBytes += bytes.length;
    this.#playsMs += playsMs;
  }

  /** Returns the parts collected since the last call. */
  take(): DecodedPart[] {
    this.#closeSamples();
    this.#closeFrames();
    return this.#parts.splice(0);
  }

  #closeSamples(): void {
    if (this.#sampleCount === 0) return;
    const samples = this.#samples.slice(0, this.#sampleCount);
    this.#parts.push({ kind: 'pcm', bytes: new Uint8Array(samples.buffer) });
    this.#sampleCount = 0;
  }

  #closeFrames(): void {
    if (this.#framesBytes === 0 && this.#starts === undefined) return;
    const bytes = this.#frames.slice(0, this.#framesBytes);
    const starts = this.#starts === undefined ? {} : { starts: this.#starts };
    const [soundBytes, playsMs] = [this.#soundBytes, this.#playsMs];
    this.#parts.push({ kind: 'coded', bytes, soundBytes, playsMs, ...starts });
    this.#framesBytes = 0;
    this.#soundBytes = 0;
    this.#playsMs = 0;
    this.#starts = undefined;
  }
}

// One stream.

interface StreamDecoder {
  /**
   * Decodes a chunk, of any size and cut anywhere.
   *
   * @returns playing time of the chunk in ms, as far as it can be told here
   * @throws ServiceError audio_format_unsupported, audio_not_mono, chunk_too_large; the decoder is then
   *   unusable
   */
  push(chunk: Uint8Array): number;
  /** Reports missing bytes, after which another file may begin. */
  gap(): void;
  /** Delivers what only the end of the stream determines. */
  end(): void;
  free(): void;
}

/** Receives decoded audio; arguments are valid during the call only. */
interface DecoderOutput {
  /** Takes samples at the requested rate. */
  samples(samples: Int16Array): void;
  /** Announces frames for FFmpeg that are independent of earlier ones. */
  startCoded(coding: Coding): void;
  /**
   * @param hasSound whether the bytes are more than headers
   * @param playsMs playing time by the frames' own account, in ms
   */
  coded(bytes: Uint8Array, hasSound: boolean, playsMs: number): void;
}

interface StreamDecoderOptions {
  format: AudioFormat;
  /** Sample rate of the output. */
  sampleRateHz: number;
  /** Whether FFmpeg is available for codecs that are not decoded here. */
  hasFfmpeg: boolean;
  output: DecoderOutput;
}

type CreateStreamDecoder = (options: StreamDecoderOptions) => StreamDecoder;

/** Creates the decoder of one stream according to its format. Its methods block while they work. */
export function createStreamDecoder(options: StreamDecoderOptions): StreamDecoder {
  const { format, sampleRateHz, output, hasFfmpeg } = options;
  const toWantedRate = createRateConverter(sampleRateHz, (samples) => output.samples(samples));
  const soundless = createSoundlessLimit();
  let chunkMs = 0;

  function count(durationMs: number): void {
    soundless.sounded(durationMs);
    // Discarded sound counts too, packet by packet: a chunk of tiny packets, or of nothing but stream
    // starts, could take an hour to decode.
    chunkMs += durationMs;
    if (chunkMs > MAX_CHUNK_MS) throw chunkTooLarge();
  }

  const sink: AudioSink = {
    samples(samples, rateHz, start = 0, end = samples.length) {
      count((samples.length / rateHz) * 1000);
      const isAllHeard = end - start === samples.length;
      toWantedRate.push(isAllHeard ? samples : samples.subarray(start, end), rateHz);
    },
    startCoded(coding) {
      if (!hasFfmpeg) throw ffmpegMissing();
      soundless.startsFfmpeg();
      toWantedRate.flush();
      output.startCoded(coding);
    },
    coded(bytes, durationMs = 0, leastMs = 0) {
      count(durationMs);
      soundless.sounded(leastMs);
      output.coded(bytes, durationMs > 0 || leastMs > 0, durationMs);
    },
    passedOver: (sizeBytes) => soundless.passedOver(sizeBytes),
  };

  // Opus decodes directly to the rates it supports, which saves resampling.
  const opusRateHz = opusRatesHz.includes(sampleRateHz) ? sampleRateHz : 48_000;
  const source =
    format.container === 'pcm'
      ? createPcmSource(format, sink)
      : createContainedSource({ format, opusRateHz, sink });
  return {
    push(chunk) {
      chunkMs = 0;
      source.push(chunk);
      soundless.tookChunk(chunk.length);
      return chunkMs;
    },
    gap: () => source.gap(),
    end() {
      chunkMs = 0;
      source.end();
      toWantedRate.flush();
    },
    free: () => source.free(),
  };
}

// Limit on data without sound. Headers, tags, padding and packets of other tracks take time to read, are
// not counted as audio, and could go on for ever.

/** Most bytes without sound, at the start or later. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Bytes that a millisecond of sound allows: more than FLAC at 192 kHz, or a video track beside the audio. */
const BYTES_PER_MS = 1000;
/** Weight of skipped bytes, which cost next to nothing: the largest tag, of 16 MB, counts as 1 MB. */
const PASSED_OVER_WEIGHT = 1 / 16;
/**
 * Bytes charged for starting FFmpeg, which takes a tenth of a second: allows a few starts without sound,
 * then one per quarter of a second of sound.
 */
const FFMPEG_START_BYTES = 256 * 1024;

interface SoundlessLimit {
  /** Reports that bytes of a tag or picture in the current chunk were skipped unread. */
  passedOver(sizeBytes: number): void;
  /**
   * Reports frames for which FFmpeg is started anew; a single chunk may contain hundreds of such starts.
   *
   * @throws ServiceError audio_format_unsupported when too many had no sound
   */
  startsFfmpeg(): void;
  /** Reports sound, including sound that is discarded. */
  sounded(durationMs: number): void;
  /**
   * Reports that a chunk has been read.
   *
   * @throws ServiceError audio_format_unsupported when too many bytes came for the sound in them
   */
  tookChunk(sizeBytes: number): void;
}

/** Creates the limit shared by all containers and codecs of a stream. */
function createSoundlessLimit(): SoundlessLimit {
  let soundlessBytes = 0;

  function check(): void {
    if (soundlessBytes > MAX_BYTES) throw tooLittleSound();
  }
  return {
    passedOver(sizeBytes) {
      soundlessBytes -= sizeBytes * (1 - PASSED_OVER_WEIGHT);
    },
    startsFfmpeg() {
      soundlessBytes += FFMPEG_START_BYTES;
      check();
    },
    sounded(durationMs) {
      soundlessBytes -= durationMs * BYTES_PER_MS;
    },
    tookChunk(sizeBytes) {
      // Sound offsets earlier and current bytes, never later ones.
      soundlessBytes = Math.max(0, soundlessBytes + sizeBytes);
      check();
    },
  };
}

function tooLittleSound(): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    `More than ${MAX_BYTES} bytes came with no sound in them. Send audio alone, without video, and smaller tags.`,
  );
}
