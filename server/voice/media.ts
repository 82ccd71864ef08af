/**
 * Stands in a session's audio where its sender reconnected without saying what had arrived: bytes
 * may be missing here, and a new file may begin.
 */
export const MEDIA_GAP: unique symbol = Symbol('media gap');

/** A client's audio in its own format, as it arrives. */
export type MediaPiece = Uint8Array | typeof MEDIA_GAP;
