/** Counts how much of what captions show is taken back: normalised erasure is deleted ÷ final words. */
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import { captionTokens } from './caption-units.ts';
import type { CaptionTrack } from './measures.ts';

/** Words of one message. */
export interface CaptionChange {
  track: CaptionTrack;
  /** Words that were on the screen and are there no more; a word that changes counts once. */
  deleted: number;
  /** Words that will stay. */
  final: number;
}

/** Reads the messages of one session in their order; undefined for those without captions. */
export type ErasureMeter = (message: ServerMessage) => CaptionChange | undefined;

/**
 * Makes the meter of a session. Words are compared from the left: once one differs, it and all that
 * followed it were deleted. Punctuation counts by itself, scripts without blanks by character.
 */
export function createErasureMeter(): ErasureMeter {
  /** Tentative words on the screen, by target language; '' for the source. */
  const shown = new Map<string, readonly string[]>();

  function change(
    key: string,
    { concluded, tentative }: { concluded: readonly Piece[]; tentative: readonly Piece[] },
  ): Omit<CaptionChange, 'track'> {
    const before = shown.get(key) ?? [];
    const final = wordsOf(concluded, key);
    const growing = wordsOf(tentative, key);
    shown.set(key, growing);
    return { deleted: before.length - commonPrefix(before, final, growing), final: final.length };
  }

  return (message) => {
    if (message.type === 'source_transcript_update') {
      return { track: 'source', ...change('', message) };
    }
    if (message.type === 'target_transcript_update') {
      const { language } = message;
      return { track: 'target', ...change(language, message) };
    }
    if (message.type === 'end_of_target_transcript') {
      shown.delete(message.language);
    }
    return undefined;
  };
}

interface Piece {
  text: string;
  /** Of source segments. */
  language?: string;
}

function wordsOf(pieces: readonly Piece[], language: string): string[] {
  return pieces.flatMap(({ text, language: own = language }) => captionTokens(text, own));
}

/** How many words at the start of `before` are still there in `final` followed by `growing`. */
function commonPrefix(
  before: readonly string[],
  final: readonly string[],
  growing: readonly string[],
): number {
  let length = 0;
  while (length < before.length) {
    const now = length < final.length ? final[length] : growing[length - final.length];
    if (before[length] !== now) break;
    length += 1;
  }
  return length;
}
