/** What the main thread and an encoding worker say to each other. */
import type { TargetMediaFormat } from '../../../../shared/target-media-type.ts';
import type { EncodedPiece } from './packet.ts';

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
