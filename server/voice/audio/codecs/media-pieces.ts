/** What encoders make, containers wrap, threads pass on, and clients get. */
import type { TargetMediaFormat } from '../../../../shared/target-media-type.ts';
import type { SpokenSamples } from '../../../engines/engine.ts';

/** A packet or frame of a codec: what a decoder takes in one go. */
export interface Packet {
  data: Uint8Array;
  /** How many samples it plays, at the rate of its encoder. */
  samples: number;
}

/** Part of a stream that must not be cut: a page, a cluster, a packet or a frame. */
export interface EncodedPiece {
  data: Uint8Array;
  durationMs: number;
}

/** Samples of one stream to packets; s16, one channel, at the encoder's own rate. */
export interface PacketEncoder {
  readonly sampleRateHz: number;
  /** Packets that are complete. */
  encode(samples: Int16Array): Packet[];
  /** Pads with silence until everything taken in has come out. */
  flush(): Packet[];
  free(): void;
}

/** How packets are wrapped; one for each stream, as it counts. */
export interface Container {
  /** Pieces that come before everything else. */
  readonly headers: readonly Uint8Array[];
  /** Packets go together as long as they play no longer than this. */
  readonly pieceMs: number;
  /**
   * One piece with some packets; each call goes on where the one before ended.
   *
   * @param startSample of the first packet, at the encoder's rate
   */
  wrap(packets: readonly Packet[], startSample: number): Uint8Array;
}

/** One stream being encoded; one call at a time. */
export interface SpeechEncoder {
  /** Pieces that come before everything else; none in formats without headers. */
  readonly headers: readonly Uint8Array[];
  /**
   * Encodes samples, whose rate stays the same within a segment; the pieces that are complete come
   * out.
   *
   * @throws ServiceError synthesis_failed; the signal's reason when aborted
   */
  encode(spoken: SpokenSamples): Promise<EncodedPiece[]>;
  /** Pads with silence so that everything taken in comes out: the end of a segment. Throws likewise. */
  flush(): Promise<EncodedPiece[]>;
  close(): void;
}

/** Packets of one stream to pieces of its container. */
export interface PieceMaker {
  /** Takes packets; answers the pieces that are full. */
  add(packets: readonly Packet[]): EncodedPiece[];
  /** What is left, as a piece that may be short. */
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

// What the main thread and an encoding worker say to each other.

/** Each is answered once; a stream has one request at a time in flight. */
export type EncodeRequest =
  | { kind: 'open'; streamId: number; format: TargetMediaFormat }
  /** s16 samples; transferred. */
  | { kind: 'encode'; streamId: number; samples: ArrayBuffer; sampleRateHz: number }
  | { kind: 'flush'; streamId: number };

/** Pieces one after the other in one buffer, which is transferred: none drags a pool along. */
export interface PackedPieces {
  bytes: ArrayBuffer;
  sizesBytes: number[];
  durationsMs: number[];
}

export interface EncodeAnswer {
  streamId: number;
  /** What has come out; of `open` the headers, which play for no time. */
  pieces: PackedPieces;
  /** For our log: why the stream cannot go on. */
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
