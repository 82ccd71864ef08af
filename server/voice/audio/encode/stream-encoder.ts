/** A stream of speech to a stream of media: resampler, encoder and container of one session. */
import type { TargetMediaFormat } from '../../../../shared/target-media-type.ts';
import { Resampler } from '../codecs/resampler.ts';
import { createFlacEncoder } from './flac-encoder.ts';
import { flacHeader } from './flac-header.ts';
import { createMatroskaContainer } from './matroska-container.ts';
import { createMpegtsContainer } from './mpegts-container.ts';
import { createOggContainer } from './ogg-container.ts';
import { OpusEncoder } from './opus-encoder.ts';
import type { Container, EncodedPiece, PacketEncoder } from './packet.ts';
import { createPcmEncoder } from './pcm-encoder.ts';
import { createPieceMaker } from './piece-maker.ts';

export interface StreamEncoder {
  readonly headers: readonly Uint8Array[];
  /** Pieces that are complete; `sampleRateHz` may change after a flush. */
  encode(samples: Int16Array, sampleRateHz: number): EncodedPiece[];
  /** Everything taken in, padded with silence: the end of a segment. */
  flush(): EncodedPiece[];
  free(): void;
}

/** For all formats but AAC, which has an encoder in a process of its own. */
export function createStreamEncoder(format: TargetMediaFormat): StreamEncoder {
  const encoder = createPacketEncoder(format);
  const { sampleRateHz: toHz } = encoder;
  const container = createContainer(format, toHz);
  const maker = createPieceMaker({ container, sampleRateHz: toHz });
  let resampler: { fromHz: number; filter: Resampler } | undefined;

  function resampled(samples: Int16Array, fromHz: number): Int16Array {
    if (fromHz === toHz) return samples;
    resampler ??= { fromHz, filter: new Resampler({ fromHz, toHz }) };
    if (resampler.fromHz !== fromHz) throw new Error('The rate has changed within a segment.');
    return resampler.filter.process(samples);
  }

  return {
    headers: container.headers,
    encode(samples, sampleRateHz) {
      return maker.add(encoder.encode(resampled(samples, sampleRateHz)));
    },
    flush() {
      const rest = resampler?.filter.flush() ?? new Int16Array();
      resampler = undefined;
      const packets = encoder.encode(rest);
      packets.push(...encoder.flush());
      return [...maker.add(packets), ...maker.flush()];
    },
    free: () => encoder.free(),
  };
}

function createPacketEncoder({ codec, sampleRateHz }: TargetMediaFormat): PacketEncoder {
  if (codec === 'opus') return new OpusEncoder();
  if (codec === 'flac') return createFlacEncoder();
  if (codec === 'aac') throw new Error('AAC is not encoded here.');
  return createPcmEncoder(codec, sampleRateHz);
}

/** @param sampleRateHz of the samples that packets count */
function createContainer({ container, codec }: TargetMediaFormat, sampleRateHz: number): Container {
  switch (container) {
    case 'ogg':
      return createOggContainer(codec === 'flac' ? 'flac' : 'opus', sampleRateHz);
    case 'webm':
    case 'matroska':
      return createMatroskaContainer({
        ...{ docType: container, sampleRateHz },
        codec: codec === 'flac' ? 'flac' : 'opus',
      });
    case 'mpegts':
      return createMpegtsContainer({ codec: 'opus', sampleRateHz });
    case 'flac':
      return bare([flacHeader(sampleRateHz)]);
    case 'pcm':
      return bare([]);
  }
}

/** No container: each packet or frame is a piece. */
function bare(headers: Uint8Array[]): Container {
  return {
    headers,
    pieceMs: 0,
    wrap: (packets) => Buffer.concat(packets.map(({ data }) => data)),
  };
}
