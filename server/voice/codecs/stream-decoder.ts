/** Everything one stream needs to become samples, chosen by its format. Blocks while it works. */
import { ServiceError } from '../../../shared/errors.ts';
import type { AudioFormat } from '../../../shared/media-type.ts';
import { chunkTooLarge, formatUnsupported, MAX_CHUNK_MS } from './decodable-formats.ts';
import { alawSamples, ulawSamples } from './g711.ts';
import { readOpusFromOgg } from './ogg-opus.ts';
import { OggReader } from './ogg-reader.ts';
import { opusRatesHz } from './opus-decoder.ts';
import { parseOpusHead } from './opus-head.ts';
import { createOpusStream } from './opus-stream.ts';
import { Resampler } from './resampler.ts';
import { createSampleAligner } from './sample-aligner.ts';
import { WebmReader } from './webm-reader.ts';

export interface StreamDecoder {
  /**
   * Decodes a chunk, of any size and cut anywhere.
   *
   * @returns how long the chunk plays, in ms
   * @throws ServiceError audio_format_unsupported, chunk_too_large; the decoder is of no use then
   */
  push(chunk: Uint8Array): number;
  /** Gives what the end of the stream settles. */
  end(): void;
  free(): void;
}

export interface StreamDecoderOptions {
  format: AudioFormat;
  /** Rate of the samples that are wanted. */
  sampleRateHz: number;
  /** Takes decoded samples; they are valid during the call only. */
  write: (samples: Int16Array) => void;
}

export type CreateStreamDecoder = (options: StreamDecoderOptions) => StreamDecoder;

/** A format's own part: bytes in, samples at the rate of the source out. */
interface Source {
  push(chunk: Uint8Array): void;
  free(): void;
}

/** Takes samples, of which those from `start` to before `end` are to be heard: all by default. */
type Emit = (samples: Int16Array, start?: number, end?: number) => void;

/** @throws ServiceError audio_format_unsupported when there is no decoder for the format */
export function createStreamDecoder(options: StreamDecoderOptions): StreamDecoder {
  const { format, sampleRateHz, write } = options;
  const sourceRateHz = sourceRate(format, sampleRateHz);
  const resampler =
    sourceRateHz === sampleRateHz
      ? undefined
      : new Resampler({ fromHz: sourceRateHz, toHz: sampleRateHz });
  const maxSamples = (MAX_CHUNK_MS * sourceRateHz) / 1000;
  let chunkSamples = 0;

  const emit: Emit = (samples, start = 0, end = samples.length) => {
    // What is cut away counts too, and packet by packet: a chunk of tiny packets, or of nothing but
    // beginnings, could take an hour to decode.
    chunkSamples += samples.length;
    if (chunkSamples > maxSamples) throw chunkTooLarge();
    const heard = end - start === samples.length ? samples : samples.subarray(start, end);
    write(resampler?.process(heard) ?? heard);
  };

  const source = createSource(format, sourceRateHz, emit);
  return {
    push(chunk) {
      chunkSamples = 0;
      source.push(chunk);
      return (chunkSamples / sourceRateHz) * 1000;
    },
    end() {
      if (resampler !== undefined) write(resampler.flush());
    },
    free: () => source.free(),
  };
}

/** Opus decodes straight to the rates it knows, so that nothing has to be resampled. */
function sourceRate(format: AudioFormat, wantedHz: number): number {
  return format.sampleRateHz ?? (opusRatesHz.includes(wantedHz) ? wantedHz : 48_000);
}

function createSource(format: AudioFormat, sampleRateHz: number, emit: Emit): Source {
  switch (format.container) {
    case 'pcm':
      return format.codec === 's16le'
        ? createLinearSource(emit)
        : createTableSource(format.codec === 'alaw' ? alawSamples : ulawSamples, emit);
    case 'ogg': {
      const opus = createOpusStream({ sampleRateHz, emit });
      const reader = new OggReader(readOpusFromOgg(opus));
      return { push: (chunk) => reader.push(chunk), free: () => opus.free() };
    }
    case 'webm':
    case 'matroska':
      return createMatroskaSource(sampleRateHz, emit);
    case 'auto':
    case 'flac':
    case 'mpeg':
      throw formatUnsupported(format);
  }
}

function createMatroskaSource(sampleRateHz: number, emit: Emit): Source {
  const opus = createOpusStream({ sampleRateHz, emit });
  const reader = new WebmReader({
    track({ codecId, codecPrivate }) {
      if (codecId !== 'A_OPUS') {
        throw new ServiceError(
          'audio_format_unsupported',
          `The first audio track is ${codecName(codecId)}; Opus (A_OPUS) was expected.`,
        );
      }
      opus.start(parseOpusHead(codecPrivate));
    },
    packet: (packet, discardPaddingNs) => opus.packet(packet, (discardPaddingNs * 48) / 1e6),
  });
  return { push: (chunk) => reader.push(chunk), free: () => opus.free() };
}

/** A codec's name as the sender wrote it, if it looks like one. */
function codecName(codecId: string): string {
  return /^[A-Z0-9_/.]{1,32}$/.test(codecId) ? codecId : 'of an unknown codec';
}

/** A-law and µ-law. */
function createTableSource(table: Int16Array, emit: Emit): Source {
  return {
    push: (chunk) => emit(Int16Array.from(chunk, (code) => table[code] as number)),
    free: () => undefined,
  };
}

/** s16le, on the little-endian machines that Node runs on a matter of alignment. */
function createLinearSource(emit: Emit): Source {
  const align = createSampleAligner();
  return {
    push(chunk) {
      const whole = align(chunk);
      const bytes = whole.byteOffset % 2 === 0 ? whole : whole.slice();
      emit(new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2));
    },
    free: () => undefined,
  };
}
