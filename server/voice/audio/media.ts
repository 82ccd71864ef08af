/** A client's audio in its own format, on its way to the decoder. */
import type { ListenerState } from './endpointing.ts';

/**
 * Marks where the client reconnected without knowing what had arrived: bytes may be missing here, and a
 * new file may begin.
 */
export const MEDIA_GAP: unique symbol = Symbol('media gap');

/**
 * Marks the end of an utterance, as declared by the sender, in the audio and in the decoded samples. It
 * is an empty piece, recognised by identity.
 */
export const UTTERANCE_END = new Uint8Array(0);

/** Marks the point in replayed audio whose position in the stream is known ({@link RestPlace}). */
export const MEDIA_ALIGNMENT: unique symbol = Symbol('media alignment');

/** Marks where replayed audio continues at a byte other than the next. */
export class MediaJump {
  /** Offset among all bytes that the client has sent. */
  readonly toBytes: number;

  constructor(toBytes: number) {
    this.toBytes = toBytes;
  }
}

/** A client's audio in its own format, as it arrives. */
export type MediaPiece = Uint8Array | typeof MEDIA_GAP | typeof MEDIA_ALIGNMENT | MediaJump;

/**
 * A resume point in the audio, from which another server can decode it again. A decoder that starts in
 * mid-stream may only find its way after some bytes, so its first samples are positioned backwards from a
 * later point: at `alignBytes`, `alignSamples` samples of the stream have been decoded.
 */
export interface RestPlace {
  /** Offset of the first byte needed, apart from a container's head. */
  fromBytes: number;
  alignBytes: number;
  alignSamples: number;
  listener: ListenerState;
}

/** Audio as it arrives, for one reader. Callbacks, not promises: each session has ten pieces a second. */
export interface MediaSource {
  /** Returns the next piece, if one is available. */
  take(): MediaPiece | undefined;
  /** Whether all pieces have been taken and no more will arrive. */
  readonly isOver: boolean;
  /** Told when a piece becomes available and at the end. */
  reader: MediaReader | undefined;
}

/** The reader of a {@link MediaSource}. */
export interface MediaReader {
  /** A piece has become available, or the source has ended. */
  arrived(): void;
}

/**
 * Creates a function that turns arbitrarily cut chunks of s16le into chunks of whole samples: an odd byte
 * is carried over to the next chunk. A chunk that needs no change is returned without copying.
 */
export function createSampleAligner(): (chunk: Uint8Array) => Uint8Array {
  let half: number | undefined;
  return (chunk) => {
    if (half === undefined && chunk.length % 2 === 0) return chunk;
    const carried = half === undefined ? [] : [half];
    const whole = new Uint8Array((carried.length + chunk.length) & ~1);
    if (whole.length === 0) {
      half ??= chunk[0];
      return whole;
    }
    whole.set(carried);
    const taken = whole.length - carried.length;
    whole.set(chunk.subarray(0, taken), carried.length);
    half = chunk[taken];
    return whole;
  };
}
