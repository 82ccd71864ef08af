/** Silence, told while it lasts. */
import type { SpeechPiece } from '../../engines/engine.ts';

/**
 * Silence after which a mark is due, in ms, counted from the end of speech: a speaker who pauses for
 * so long has let go of the sentence.
 */
export const SILENCE_MARK_MS = 1_500;

/**
 * There has been silence since the last endpoint, up to `atMs` of the stream. Told again and again
 * while silence lasts, and decided by positions in the stream alone, so that the same audio always
 * has the same marks.
 */
export interface SilenceMark {
  kind: 'silence';
  atMs: number;
}

/** What the gateway has heard of a stream: speech for recognisers, and marks that they do not see. */
export type HeardPiece = SpeechPiece | SilenceMark;
