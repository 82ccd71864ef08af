/** What a decoding process does: decodes what arrives, stream by stream, and answers each request once. */
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
import { createPcmSource } from './codecs/pcm.ts';
import {
  GAP,
  type DecodeAnswer,
  type DecodeFailure,
  type DecodeRequest,
  type DecodedPart,
} from './decode-messages.ts';

/** Serves requests on a port until it closes. */
export function serveDecoding(
  port: WorkerPort<DecodeRequest | FreeRequest, DecodeAnswer | ReadyNotice>,
  createDecoder: CreateStreamDecoder,
): void {
  const decoders = new Map<number, StreamDecoder>();
  /** One for all streams: a request is decoded and its audio is taken in one go. */
  const output = new AnswerParts();

  function free(streamId: number): void {
    decoders.get(streamId)?.free();
    decoders.delete(streamId);
  }

  function decoderOf({ streamId, open }: DecodeRequest): StreamDecoder {
    const known = decoders.get(streamId);
    if (known !== undefined) return known;
    if (open === undefined) throw new Error('A stream was not opened.');
    const decoder = createDecoder({ ...open, output });
    decoders.set(streamId, decoder);
    return decoder;
  }

  function decode(request: DecodeRequest): DecodeAnswer {
    const durationsMs: number[] = [];
    let failure: DecodeFailure | undefined;
    try {
      const decoder = decoderOf(request);
      let offset = 0;
      for (const sizeBytes of request.chunkSizesBytes) {
        if (sizeBytes === GAP) {
          decoder.gap();
          continue;
        }
        durationsMs.push(decoder.push(new Uint8Array(request.bytes, offset, sizeBytes)));
        offset += sizeBytes;
      }
      if (request.isLast) decoder.end();
    } catch (error) {
      failure = describe(error);
    }
    if (request.isLast || failure !== undefined) free(request.streamId);
    const { streamId } = request;
    const answer = { kind: 'decoded' as const, streamId, parts: output.take(), durationsMs };
    return failure === undefined ? answer : { ...answer, failure };
  }

  port.on('message', (request) => {
    if (request.kind === 'free') {
      free(request.streamId);
      return;
    }
    const answer = decode(request);
    port.postMessage(
      answer,
      answer.parts.map(({ bytes }) => bytes),
    );
  });
  port.postMessage({ kind: 'ready' });
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
  #samples = new Int16Array(16_000);
  #sampleCount = 0;
  #frames = new Uint8Array(16 * 1024);
  #framesBytes = 0;
  #soundBytes = 0;
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

  coded(bytes: Uint8Array, hasSound: boolean): void {
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
  }

  /** What was collected since the last call. */
  take(): DecodedPart[] {
    this.#closeSamples();
    this.#closeFrames();
    return this.#parts.splice(0);
  }

  #closeSamples(): void {
    if (this.#sampleCount === 0) return;
    this.#parts.push({ kind: 'pcm', bytes: this.#samples.slice(0, this.#sampleCount).buffer });
    this.#sampleCount = 0;
  }

  #closeFrames(): void {
    if (this.#framesBytes === 0 && this.#starts === undefined) return;
    const bytes = this.#frames.slice(0, this.#framesBytes).buffer;
    const starts = this.#starts === undefined ? {} : { starts: this.#starts };
    this.#parts.push({ kind: 'coded', bytes, soundBytes: this.#soundBytes, ...starts });
    this.#framesBytes = 0;
    this.#soundBytes = 0;
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
  /** @param hasSound whether they are more than headers */
  coded(bytes: Uint8Array, hasSound: boolean): void;
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
      output.coded(bytes, durationMs > 0 || leastMs > 0);
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
