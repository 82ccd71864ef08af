/** A client's audio in its own format, on its way to the decoder. */
import type { ListenerState } from './endpointing.ts';

/**
 * Stands in a session's audio where its sender reconnected without saying what had arrived: bytes
 * may be missing here, and a new file may begin.
 */
export const MEDIA_GAP: unique symbol = Symbol('media gap');

/**
 * Stands in a session's audio, and in the samples it is decoded to, where its sender says that an
 * utterance is over: an empty piece, known by being this one.
 */
export const UTTERANCE_END = new Uint8Array(0);

/** Stands in a session's audio that is heard once more, where its place is known ({@link RestPlace}). */
export const MEDIA_ALIGNMENT: unique symbol = Symbol('media alignment');

/** Stands in a session's audio that is heard once more, where it goes on with another byte than the next. */
export class MediaJump {
  /** Of all bytes that the client has sent. */
  readonly toBytes: number;

  constructor(toBytes: number) {
    this.toBytes = toBytes;
  }
}

/** A client's audio in its own format, as it arrives. */
export type MediaPiece = Uint8Array | typeof MEDIA_GAP | typeof MEDIA_ALIGNMENT | MediaJump;

/**
 * From where the audio of a session can be heard again, by another server too. Where a decoder finds
 * its way into bytes only later, the first of its samples is placed from the end: at `alignBytes` it
 * has come as far as the decoder before it had.
 */
export interface RestPlace {
  /** Before these bytes of a client's audio nothing is needed but, in a container, its head. */
  fromBytes: number;
  alignBytes: number;
  alignSamples: number;
  listener: ListenerState;
}

/** Audio as it arrives, for one reader. Calls and no promises: there are ten pieces a second of each session. */
export interface MediaSource {
  /** The next piece, if one is there. */
  take(): MediaPiece | undefined;
  /** Nothing is there, and nothing will be. */
  readonly isOver: boolean;
  /** Called when there is something to take, or when it is over. */
  onArrival: () => void;
}

/**
 * Makes chunks of s16le cut anywhere into chunks of whole samples: a byte that is left over goes in
 * front of the next chunk. A chunk that is whole already is returned as it is, not copied.
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
