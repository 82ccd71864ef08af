/** Data types of encoding: packets, container pieces, and the messages of encoding workers. */
import type { TargetMediaFormat } from '../../../../shared/target-media-type.ts';
import type { SpokenSamples } from '../../../engines/engine.ts';

/** A packet or frame of a codec: the unit that a decoder takes. */
export interface Packet {
  data: Uint8Array;
  /** Number of samples it plays, at the encoder's rate. */
  samples: number;
}

/** Part of a media stream that must not be split: a page, a cluster, a packet or a frame. */
export interface EncodedPiece {
  data: Uint8Array;
  durationMs: number;
}

/** Encodes the samples of one stream as packets; s16, one channel, at the encoder's own rate. */
export interface PacketEncoder {
  readonly sampleRateHz: number;
  /** Returns the completed packets. */
  encode(samples: Int16Array): Packet[];
  /** Pads with silence and returns everything taken in. */
  flush(): Packet[];
  free(): void;
}

/** Wraps packets; each stream needs an instance of its own, as containers count. */
export interface Container {
  /** Pieces that precede all others. */
  readonly headers: readonly Uint8Array[];
  /** Longest playing time of the packets in one piece, in ms. */
  readonly pieceMs: number;
  /**
   * Wraps packets into one piece; each call continues where the previous one ended.
   *
   * @param startSample position of the first packet, at the encoder's rate
   */
  wrap(packets: readonly Packet[], startSample: number): Uint8Array;
}

/** Encoder of one stream; allows one call at a time. */
export interface SpeechEncoder {
  /** Pieces that precede all others; empty in formats without headers. */
  readonly headers: readonly Uint8Array[];
  /**
   * Encodes samples, whose rate must not change within a segment, and resolves to the completed pieces.
   *
   * @throws ServiceError synthesis_failed; the signal's reason when aborted
   */
  encode(spoken: SpokenSamples): Promise<EncodedPiece[]>;
  /** Pads with silence and resolves to everything left: the end of a segment. Throws like {@link encode}. */
  flush(): Promise<EncodedPiece[]>;
  close(): void;
}

/** Combines the packets of one stream into pieces of its container. */
export interface PieceMaker {
  /** Takes packets; returns the pieces that are full. */
  add(packets: readonly Packet[]): EncodedPiece[];
  /** Returns the remaining packets as a piece that may be short. */
  flush(): EncodedPiece[];
}

export function createPieceMaker({
  container,
  sampleRateHz,
}: {
  container: Container;
  sampleRateHz: number;
}): PieceMaker {
  const maxSamples = (container.pieceMs * sampleRateHz) / 1000;
  let waiting: Packet[] = [];
  let waitingSamples = 0;
  let startSample = 0;

  function* flush(): Generator<EncodedPiece> {
    if (waiting.length === 0) return;
    const data = container.wrap(waiting, startSample);
    yield { data, durationMs: (waitingSamples / sampleRateHz) * 1000 };
    startSample += waitingSamples;
    waiting = [];
    waitingSamples = 0;
  }

  function* add(packets: readonly Packet[]): Generator<EncodedPiece> {
    for (const packet of packets) {
      if (waitingSamples + packet.samples > maxSamples) yield* flush();
      waiting.push(packet);
      waitingSamples += packet.samples;
      if (waitingSamples >= maxSamples) yield* flush();
    }
  }

  return { add: (packets) => [...add(packets)], flush: () => [...flush()] };
}

// Messages between the main thread and an encoding worker.

/** Each request gets one answer; a stream has one request in flight at a time. */
export type EncodeRequest =
  | { kind: 'open'; streamId: number; format: TargetMediaFormat }
  /** s16 samples; the buffer is transferred. */
  | { kind: 'encode'; streamId: number; samples: ArrayBuffer; sampleRateHz: number }
  | { kind: 'flush'; streamId: number };

/** Pieces in one buffer of exact size, which is transferred without a shared pool attached to it. */
export interface PackedPieces {
  bytes: ArrayBuffer;
  sizesBytes: number[];
  durationsMs: number[];
}

export interface EncodeAnswer {
  streamId: number;
  /** Output of the request; for `open` the headers, which have no playing time. */
  pieces: PackedPieces;
  /** For the log: why the stream cannot continue. */
  failure?: string;
}

export function packPieces(pieces: readonly EncodedPiece[]): PackedPieces {
  const sizesBytes = pieces.map(({ data }) => data.length);
  const bytes = new Uint8Array(sizesBytes.reduce((sum, size) => sum + size, 0));
  let offset = 0;
  for (const { data } of pieces) {
    bytes.set(data, offset);
    offset += data.length;
  }
  const durationsMs = pieces.map(({ durationMs }) => durationMs);
  return { bytes: bytes.buffer, sizesBytes, durationsMs };
}

export function unpackPieces({ bytes, sizesBytes, durationsMs }: PackedPieces): EncodedPiece[] {
  let offset = 0;
  return sizesBytes.map((size, index) => {
    const data = new Uint8Array(bytes, offset, size);
    offset += size;
    return { data, durationMs: durationsMs[index] ?? 0 };
  });
}
