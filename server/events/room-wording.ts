/** What becomes of words on their way into a room: misheard ones are put right, some are hidden. */
import type { RoomWishes } from './store.ts';

/** Changes a text by the wishes of a room. */
export interface RoomWording {
  /** What was said, before it is translated. */
  spoken(text: string): string;
  /** What is shown in another language. */
  translated(text: string): string;
}

const HIDDEN = '•••';

/** Words are found whatever their case, and only whole, where their script has blanks between words. */
export function createRoomWording({
  replacements,
  hiddenWords,
}: Pick<RoomWishes, 'replacements' | 'hiddenWords'>): RoomWording {
  const right = new Map(replacements.map(({ from, to }) => [folded(from), to]));
  const misheard = wordsPattern(replacements.map(({ from }) => from));
  const hidden = wordsPattern(hiddenWords);
  const hide = (text: string) => (hidden === undefined ? text : text.replace(hidden, HIDDEN));
  return {
    spoken: (text) =>
      hide(
        misheard === undefined
          ? text
          : text.replace(misheard, (found) => right.get(folded(found)) ?? found),
      ),
    translated: hide,
  };
}

/** The longest first: of two that begin alike, that one is meant. */
function wordsPattern(words: readonly string[]): RegExp | undefined {
  if (words.length === 0) return undefined;
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map(wholeWord).join('|'), 'giu');
}

const LETTER = String.raw`[\p{L}\p{M}\p{N}]`;
const UNSPACED = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

function wholeWord(word: string): string {
  const escaped = word
    .replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    .replace(/ +/g, String.raw`\s+`);
  const before = /^[\p{L}\p{M}\p{N}]/u.test(word) && !UNSPACED.test(word) ? `(?<!${LETTER})` : '';
  const after = /[\p{L}\p{M}\p{N}]$/u.test(word) && !UNSPACED.test(word) ? `(?!${LETTER})` : '';
  return before + escaped + after;
}

function folded(word: string): string {
  return word.toLowerCase().replace(/\s+/g, ' ');
}
