/** Characters that rules of style ask about, and pieces of their patterns. */
import { ELEMENT, WORD } from './masked-text.ts';

/** No-break space: French guillemets and units. */
export const NO_BREAK = '\u00A0';
/** Narrow no-break space: thousands. */
export const NARROW = '\u202F';

/** A blank within a line, or none, as a piece of a pattern. Never more than one: time stays linear. */
export const BLANK = '[ \\u00A0\\u2009\\u202F]?';
/** A blank within a line, as a piece of a pattern. */
export const ONE_BLANK = '[ \\u00A0\\u2009\\u202F]';

/** Han, kana and hangul, as pieces of a pattern of characters. */
export const HAN = '\\p{Script=Han}';
export const KANA = '\\p{Script=Hiragana}\\p{Script=Katakana}ー';
export const HANGUL = '\\p{Script=Hangul}';

const BLANKS = /^[\s\u200B]$/u;
const LETTER = /^[\p{L}\p{M}]$/u;
const FIGURE = /^\p{N}$/u;
const EAST_ASIAN = new RegExp(`^[${HAN}${KANA}${HANGUL}]$`, 'u');

export const isBlank = (character: string | undefined): boolean =>
  character !== undefined && BLANKS.test(character);
/** A letter, or what stands for a word. */
export const isLetter = (character: string | undefined): boolean =>
  character !== undefined && (character === WORD || LETTER.test(character));
export const isFigure = (character: string | undefined): boolean =>
  character !== undefined && FIGURE.test(character);
export const isEastAsian = (character: string | undefined): boolean =>
  character !== undefined && EAST_ASIAN.test(character);

/** The character before a place, whatever formatting begins or ends between. */
export function characterBefore(text: string, at: number): string | undefined {
  let index = at - 1;
  while (text[index] === ELEMENT) index -= 1;
  return index < 0 ? undefined : text[index];
}

/** The character at a place or after the formatting that begins or ends there. */
export function characterFrom(text: string, at: number): string | undefined {
  let index = at;
  while (text[index] === ELEMENT) index += 1;
  return text[index];
}

/** The words of a list as alternatives of a pattern, the longest first. */
export function oneOf(words: Iterable<string>): string {
  return [...words]
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('|');
}

/** A text with new pieces at places, which are in order and do not overlap. */
export function withPieces(
  text: string,
  pieces: readonly { start: number; end: number; text: string }[],
): string {
  if (pieces.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const piece of pieces) {
    parts.push(text.slice(at, piece.start), piece.text);
    at = piece.end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}
