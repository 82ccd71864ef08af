/**
 * How many Unicode code points a text has; a lone surrogate counts as one. What is billed is counted
 * so, and a request may bring 128 KiB of it: no list of characters is made.
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

/** Letters of which none joins another to one that is seen: European ones, without marks of their own. */
const SINGLE_LETTERS = /^[\u0020-\u02ff]*$/;
const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** A letter as it is seen, with all its marks. */
interface Grapheme {
  segment: string;
  /** Where it begins, in UTF-16 units. */
  index: number;
}

/** What is seen of a text, letter by letter; `Intl.Segmenter`, which takes long, where it is needed. */
export function graphemesOf(text: string): Iterable<Grapheme> {
  if (!SINGLE_LETTERS.test(text)) return segmenter.segment(text);
  return Array.from(text, (segment, index) => ({ segment, index }));
}

/** How many letters of two words are wrong, more, missing, or swapped with the next one. */
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

/** What no name, term or caption has: control characters, line and paragraph separator, halves of characters. */
export const FORBIDDEN_CHARACTER = /[\p{Cc}\u2028\u2029\p{Surrogate}]/u;

function isHighSurrogate(codeUnit: number): boolean {
  return (codeUnit & 0xfc00) === 0xd800;
}

function isLowSurrogate(codeUnit: number): boolean {
  return (codeUnit & 0xfc00) === 0xdc00;
}
