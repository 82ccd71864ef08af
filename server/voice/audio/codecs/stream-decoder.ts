/** Everything one stream needs on its worker, chosen by its format. Blocks while it works. */
import type { AudioFormat } from '../../../../shared/media-type.ts';
import type { AudioSink, Coding } from './audio-sink.ts';
import { chunkTooLarge, ffmpegMissing, MAX_CHUNK_MS } from './decodable-formats.ts';
import { createDetectingSource } from './detecting-source.ts';
import { opusRatesHz } from './opus-decoder.ts';
import { createPcmSource } from './pcm-sources.ts';
import { Resampler } from './resampler.ts';
import { createSoundlessLimit } from './soundless-limit.ts';

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
