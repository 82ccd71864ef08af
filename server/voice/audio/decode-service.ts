/**
 * What a decoding process does: decodes what arrives, stream by stream, listens to it for utterances, and
 * answers each request once.
 */
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
import { RECOGNITION_RATE_HZ, type HeardPiece, type RestMark } from './endpointing.ts';
import { createListener, type Listener } from './listen.ts';
import {
  ALIGNMENT,
  GAP,
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
      // One that could not be opened has nothing to be listened to.
      if (request.kind === 'listen') streams.get(streamId)?.listen(request);
      else streamOf(request).decode(request, durationsMs);
    } catch (error) {
      failure = describe(error);
    }
    const said = { kind, streamId, durationsMs, ...(streams.get(streamId)?.take() ?? NOTHING) };
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

const SAMPLES_PER_MS = RECOGNITION_RATE_HZ / 1000;

const NOTHING = { pieces: [], parts: [], heardMs: 0 };

/** A stream in its format, and who listens to it. */
class HeardStream {
  readonly #decoder: StreamDecoder;
  readonly #listener: Listener;
  readonly #output = new AnswerParts();
  #pieces: (HeardPiece | RestMark)[] = [];
  /** The size of PCM says how long it plays. */
  readonly #isMetered: boolean;
  /** Frames went to FFmpeg, whose samples come back: what is decoded here has to wait for them. */
  #isAround = false;
  readonly #resume: StreamParameters['resume'];
  /** Samples whose place is not known yet. */
  #unplaced: Int16Array[] | undefined;
  /** How long that which they are decoded from plays. */
  #unplacedMs = 0;
  /** Whether what comes is the head of a container, whose sound has been heard long ago. */
  #isHead: boolean;

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
          if (this.#isAround) output.samples(samples);
          else this.#take(samples);
        },
        startCoded: (coding) => {
          this.#isAround = true;
          output.startCoded(coding);
        },
        coded: (bytes, hasSound, playsMs) => {
          if (!this.#isHead || !hasSound) output.coded(bytes, hasSound, playsMs);
        },
      },
    });
  }

  /** @throws ServiceError of the decoder, which is of no use then; what was heard before is there */
  decode({ chunks, isLast }: DecodeRequest, durationsMs: number[]): void {
    for (const chunk of chunks) {
      if (chunk === GAP) {
        this.#decoder.gap();
        // What came before it was the head of a container.
        if (this.#unplaced !== undefined) this.#unplaced = [];
        this.#unplacedMs = 0;
        this.#isHead = false;
      } else if (chunk === ALIGNMENT) this.#align();
      else {
        const durationMs = this.#decoder.push(chunk);
        if (this.#isMetered) durationsMs.push(durationMs);
        this.#unplacedMs += durationMs;
      }
    }
    if (isLast) this.#decoder.end();
  }

  #take(samples: Int16Array): void {
    if (this.#unplaced === undefined) this.#listener.take(samples);
    else this.#unplaced.push(samples.slice());
  }

  /** As many samples have been decoded by now as had been when the stream was heard first. */
  #align(): void {
    const unplaced = this.#unplaced;
    if (this.#resume === undefined || unplaced === undefined) return;
    const { listener, alignSamples } = this.#resume;
    // What FFmpeg decodes comes later.
    const count = this.#isAround
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

  /** What has come about since the last call. */
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

/** Faults of the memory under the decoders, by name: WebAssembly has no types in Node's library. */
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

/** Its buffers stay between answers; what is taken are copies of just the right size. */
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

  /** What was collected since the last call. */
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
   * @returns how long the chunk plays, in ms, as far as that can be told here
   * @throws ServiceError audio_format_unsupported, audio_not_mono, chunk_too_large; the decoder is
   *   of no use then
   */
  push(chunk: Uint8Array): number;
  /** Bytes are missing here, and another file may begin. */
  gap(): void;
  /** Gives what the end of the stream settles. */
  end(): void;
  free(): void;
}

/** Where audio goes; everything is valid during the call only. */
interface DecoderOutput {
  /** Samples at the rate that is wanted. */
  samples(samples: Int16Array): void;
  /** Frames for FFmpeg follow that have nothing to do with those before. */
  startCoded(coding: Coding): void;
  /**
   * @param hasSound whether they are more than headers
   * @param playsMs how long they play, as they say themselves
   */
  coded(bytes: Uint8Array, hasSound: boolean, playsMs: number): void;
}

interface StreamDecoderOptions {
  format: AudioFormat;
  /** Rate of the samples that are wanted. */
  sampleRateHz: number;
  /** Whether there is an FFmpeg for codecs that are not decoded here. */
  hasFfmpeg: boolean;
  output: DecoderOutput;
}

type CreateStreamDecoder = (options: StreamDecoderOptions) => StreamDecoder;

/** Everything one stream needs on its worker, chosen by its format. Blocks while it works. */
export function createStreamDecoder(options: StreamDecoderOptions): StreamDecoder {
  const { format, sampleRateHz, output, hasFfmpeg } = options;
  const toWantedRate = createRateConverter(sampleRateHz, (samples) => output.samples(samples));
  const soundless = createSoundlessLimit();
  let chunkMs = 0;

  function count(durationMs: number): void {
    soundless.sounded(durationMs);
    // What is cut away counts too, and packet by packet: a chunk of tiny packets, or of nothing but
    // beginnings, could take an hour to decode.
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

  // Opus decodes straight to the rates it knows, so that nothing has to be resampled.
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

// How much may come without any sound in it. Headers, tags, padding and the packets of other tracks
// cost time to read, are not counted as audio by anybody, and could go on for ever.

/** Before the first sound, and whenever sound stays away. */
const MAX_BYTES = 2 * 1024 * 1024;
/** What sound pays for: more than FLAC takes at 192 kHz, or a track of video beside the audio. */
const BYTES_PER_MS = 1000;
/** Passing over is next to no work: the largest tag or picture, of 16 MB, counts as one. */
const PASSED_OVER_WEIGHT = 1 / 16;
/** A new FFmpeg takes a tenth of a second: a few may begin in vain, and then one in a quarter of a second. */
const FFMPEG_START_BYTES = 256 * 1024;

interface SoundlessLimit {
  /** Bytes of a tag or a picture, among those of the chunk that is being read, were not looked at. */
  passedOver(sizeBytes: number): void;
  /**
   * Frames begin for which FFmpeg is started anew; a single chunk may have hundreds of beginnings.
   *
   * @throws ServiceError audio_format_unsupported when too many had no sound
   */
  startsFfmpeg(): void;
  /** Sound came, also sound that is cut away. */
  sounded(durationMs: number): void;
  /**
   * A chunk was read.
   *
   * @throws ServiceError audio_format_unsupported when too much came for the sound in it
   */
  tookChunk(sizeBytes: number): void;
}

/** One for all containers and codecs of a stream. */
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
      // Sound pays for what came before and with it, never for what will come.
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
