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

/** A client's audio in its own format, as it arrives. */
export type MediaPiece = Uint8Array | typeof MEDIA_GAP;
