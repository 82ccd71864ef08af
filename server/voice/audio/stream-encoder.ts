/** Encodes a stream of speech as media: resampler, encoder and container of one session. */
import { createRateConverter } from '../../../shared/resampler.ts';
import type { TargetMediaFormat } from '../../../shared/target-media-type.ts';
import { createFlacEncoder, flacHeader } from './codecs/flac-encoder.ts';
import { createMatroskaContainer } from './codecs/matroska-container.ts';
import {
  createPieceMaker,
  type Container,
  type EncodedPiece,
  type Packet,
  type PacketEncoder,
} from './codecs/media-pieces.ts';
import { createMpegtsContainer } from './codecs/mpegts-container.ts';
import { createOggContainer } from './codecs/ogg-writer.ts';
import { OpusEncoder } from './codecs/opus.ts';
import { createPcmEncoder } from './codecs/pcm.ts';

export interface StreamEncoder {
  readonly headers: readonly Uint8Array[];
  /** Returns the completed pieces; `sampleRateHz` may change after a flush. */
  encode(samples: Int16Array, sampleRateHz: number): EncodedPiece[];
  /** Returns everything taken in, padded with silence: the end of a segment. */
  flush(): EncodedPiece[];
  free(): void;
}

/** Creates an encoder for any format but AAC, which is encoded in a process of its own. */
export function createStreamEncoder(format: TargetMediaFormat): StreamEncoder {
  const encoder = createPacketEncoder(format);
  const { sampleRateHz: toHz } = encoder;
  const container = createContainer(format, toHz);
  const maker = createPieceMaker({ container, sampleRateHz: toHz });
  const packets: Packet[] = [];
  const toOwnRate = createRateConverter(toHz, (samples) =>
    packets.push(...encoder.encode(samples)),
  );

  return {
    headers: container.headers,
    encode(samples, sampleRateHz) {
      toOwnRate.push(samples, sampleRateHz);
      return maker.add(packets.splice(0));
    },
    flush() {
      toOwnRate.flush();
      packets.push(...encoder.flush());
      return [...maker.add(packets.splice(0)), ...maker.flush()];
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

/** @param sampleRateHz rate of the samples that packets count */
function createContainer({ container, codec }: TargetMediaFormat, sampleRateHz: number): Container {
  switch (container) {
    case 'ogg':
      return createOggContainer(codec === 'flac' ? 'flac' : 'opus', sampleRateHz);
    case 'webm':
    case 'matroska':
      return createMatroskaContainer({
        docType: container,
        sampleRateHz,
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

/** Returns a container without framing: each packet or frame is a piece. */
function bare(headers: Uint8Array[]): Container {
  return {
    headers,
    pieceMs: 0,
    wrap: (packets) => Buffer.concat(packets.map(({ data }) => data)),
  };
}
