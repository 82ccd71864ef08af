/**
 * Counts the Unicode code points of a text; a lone surrogate counts as one. Billing uses this count, and a
 * request may contain 128 KiB, so no list of characters is built.
 */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index += 1) {
    const isPair =
      isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1));
    if (isPair) count -= 1;
  }
  return count;
}

/** Texts in which every code unit is a grapheme: European letters without combining marks. */
const SINGLE_LETTERS = /^[\u0020-\u02ff]*$/;
const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** A user-perceived character with all its combining marks. */
interface Grapheme {
  segment: string;
  /** Start, in UTF-16 units. */
  index: number;
}

/** Returns the graphemes of a text; the slow `Intl.Segmenter` is used only where needed. */
export function graphemesOf(text: string): Iterable<Grapheme> {
  if (!SINGLE_LETTERS.test(text)) return segmenter.segment(text);
  return Array.from(text, (segment, index) => ({ segment, index }));
}

/** Returns the number of letters that are wrong, added, missing, or swapped with the next one. */
export function letterDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      let least = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwapped =
        i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwapped) least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [beforeLast, last] = [last, row];
  }
  return last[other.length] ?? 0;
}

/**
 * Characters forbidden in names, terms and captions: control characters, line and paragraph separators, lone
 * surrogates.
 */
export const FORBIDDEN_CHARACTER = /[\p{Cc}\u2028\u2029\p{Surrogate}]/u;

function isHighSurrogate(codeUnit: number): boolean {
  return (codeUnit & 0xfc00) === 0xd800;
}

function isLowSurrogate(codeUnit: number): boolean {
  return (codeUnit & 0xfc00) === 0xdc00;
}
