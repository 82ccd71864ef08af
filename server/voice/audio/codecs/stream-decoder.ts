/** Everything one stream needs on its worker, chosen by its format. Blocks while it works. */
import type { AudioFormat } from '../../../../shared/media-type.ts';
import type { AudioSink, Coding, AudioSource } from './audio-sink.ts';
import { chunkTooLarge, ffmpegMissing, MAX_CHUNK_MS, notAsDeclared } from './decodable-formats.ts';
import { opusRatesHz } from './opus-decoder.ts';
import { Resampler } from './resampler.ts';
import { alawSamples, ulawSamples } from './g711.ts';
import { createSampleAligner } from './sample-aligner.ts';
import { ServiceError } from '../../../../shared/errors.ts';
import {
  DETECTION_BYTES,
  detectContainer,
  unknownContainer,
  type DetectedContainer,
  type Detection,
} from './container-detection.ts';
import { createContainerSource, type ContainerSourceOptions } from './container-sources.ts';

export interface StreamDecoder {
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
export interface DecoderOutput {
  /** Samples at the rate that is wanted. */
  samples(samples: Int16Array): void;
  /** Frames for FFmpeg follow that have nothing to do with those before. */
  startCoded(coding: Coding): void;
  /** @param hasSound whether they are more than headers */
  coded(bytes: Uint8Array, hasSound: boolean): void;
}

export interface StreamDecoderOptions {
  format: AudioFormat;
  /** Rate of the samples that are wanted. */
  sampleRateHz: number;
  /** Whether there is an FFmpeg for codecs that are not decoded here. */
  hasFfmpeg: boolean;
  output: DecoderOutput;
}

export type CreateStreamDecoder = (options: StreamDecoderOptions) => StreamDecoder;

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
      : createDetectingSource({ format, opusRateHz, sink });
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

/** Changes samples of any rate, one after the other, to one rate. */
function createRateConverter(toHz: number, write: (samples: Int16Array) => void) {
  let resampler: { fromHz: number; filter: Resampler } | undefined;

  function flush(): void {
    if (resampler !== undefined) write(resampler.filter.flush());
    resampler = undefined;
  }
  return {
    push(samples: Int16Array, fromHz: number): void {
      if (fromHz !== (resampler?.fromHz ?? toHz)) {
        flush();
        if (fromHz !== toHz) resampler = { fromHz, filter: new Resampler({ fromHz, toHz }) };
      }
      write(resampler === undefined ? samples : resampler.filter.process(samples));
    },
    /** Gives what is left of the samples so far. */
    flush,
  };
}

// Audio without a container.

function createPcmSource({ codec, sampleRateHz = 0 }: AudioFormat, sink: AudioSink): AudioSource {
  if (codec === 's16le') return createLinearSource(sampleRateHz, sink);
  return createTableSource(codec === 'alaw' ? alawSamples : ulawSamples, sampleRateHz, sink);
}

/** A-law and µ-law. */
function createTableSource(table: Int16Array, sampleRateHz: number, sink: AudioSink): AudioSource {
  return {
    push(chunk) {
      const samples = new Int16Array(chunk.length);
      for (let index = 0; index < samples.length; index += 1) {
        samples[index] = table[chunk[index] as number] as number;
      }
      sink.samples(samples, sampleRateHz);
    },
    gap: () => undefined,
    end: () => undefined,
    free: () => undefined,
  };
}

/** s16le, on the little-endian machines that Node runs on a matter of alignment. */
function createLinearSource(sampleRateHz: number, sink: AudioSink): AudioSource {
  let align = createSampleAligner();
  return {
    push(chunk) {
      const whole = align(chunk);
      const bytes = whole.byteOffset % 2 === 0 ? whole : whole.slice();
      sink.samples(new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2), sampleRateHz);
    },
    // The next byte is the first of a sample.
    gap: () => (align = createSampleAligner()),
    end: () => undefined,
    free: () => undefined,
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

// Audio in a container: looks at its first bytes, and again where bytes are missing.

/** What the containers that can be declared are read as. */
const declared: Record<Exclude<AudioFormat['container'], 'pcm' | 'auto'>, DetectedContainer> = {
  ogg: 'ogg',
  webm: 'matroska',
  matroska: 'matroska',
  flac: 'flac',
  mpeg: 'mpeg',
};

/** @throws ServiceError audio_format_unsupported, from `push`, when it is not of the declared format */
function createDetectingSource(options: ContainerSourceOptions): AudioSource {
  const { format } = options;
  const expected =
    format.container === 'auto' || format.container === 'pcm'
      ? undefined
      : declared[format.container];
  let source: AudioSource | undefined;
  let container: DetectedContainer | undefined;
  /** The first bytes, as long as they are too few; undefined once they have been looked at. */
  let first: Uint8Array | undefined = new Uint8Array();

  function open(found: DetectedContainer): void {
    source?.free();
    container = found;
    source = createContainerSource(found, options);
  }

  /** Goes on with what was begun, unless something else certainly begins here. */
  function choose(detection: Detection): void {
    const found = detection.container;
    if (source !== undefined && (!detection.isCertain || found === container)) return;
    // A stream of MP3 may begin in the middle of a frame.
    const begins = detection === unknownContainer && expected === 'mpeg' ? expected : found;
    if (begins === undefined || (expected !== undefined && begins !== expected)) {
      throw notAsDeclared(format, detection.name);
    }
    open(begins);
  }

  function look(): void {
    if (first === undefined) return;
    const bytes = first;
    first = undefined;
    choose(detectContainer(bytes));
    source?.push(bytes);
  }

  return {
    push(chunk) {
      if (first === undefined) {
        source?.push(chunk);
        return;
      }
      const missing = DETECTION_BYTES - first.length;
      first = Buffer.concat([first, chunk.subarray(0, missing)]);
      if (first.length < DETECTION_BYTES) return;
      look();
      if (chunk.length > missing) source?.push(chunk.subarray(missing));
    },
    gap() {
      source?.gap();
      first = new Uint8Array();
    },
    end() {
      if (first !== undefined && first.length > 0) look();
      source?.end();
    },
    free: () => source?.free(),
  };
}
