/**
 * Finds lines of a scanned page that are text although recognition is unsure of them. Small type is often
 * read with low confidence while most of its words are right, whereas patterns hardly ever yield several
 * words of a language in one line.
 */
import type { IsKnownWord } from '../../../text/words/dictionaries.ts';
import { betterInOrder, SURE } from './better-reading.ts';
import { meanConfidence } from './doubtful-cells.ts';
import type { OcrWord } from './ocr.ts';
import { isUnsure } from './sure-lines.ts';
import type { PlacedLine } from './table-cells.ts';

/** Minimum mean confidence, of 100: patterns are usually below it, lines of text hardly ever. */
const LEAST_SURE = 20;
/** Minimum number of letters of a word that counts; shorter words are in dictionaries by coincidence. */
const FEWEST_LETTERS = 4;
/** The same where two readings of a line are compared, both of which are text. */
const FEWEST_COMPARED = 2;
/** Minimum number of known words of a line, or of each line of its block on average. */
const FEWEST_KNOWN = 3;
const FEWEST_KNOWN_IN_EACH = 2;
/** Minimum share of known words among those of at least `FEWEST_LETTERS` letters. */
const MOST_KNOWN = 1 / 3;
const LETTERS = /^[^\p{L}\p{N}]*((?:\p{L}\p{M}*)+(?:['’](?:\p{L}\p{M}*)+)*)[^\p{L}\p{N}]*$/u;

/**
 * Returns the words of lines with low confidence that are text, judging by their own words or by those of
 * their block.
 * @param readings different readings of a page
 * @param findKnown called only if a line is in doubt, since reading a dictionary takes time
 */
export async function wordedText(
  readings: readonly (readonly PlacedLine[])[],
  findKnown: () => Promise<IsKnownWord | undefined>,
): Promise<ReadonlySet<OcrWord>> {
  const isKnown = readings.some(mayBeWorded) ? await findKnown() : undefined;
  if (isKnown === undefined) return new Set();
  const lines = readings.flatMap((read) => wordedLines(read, isKnown));
  return new Set(lines.flatMap(({ words }) => words));
}

/**
 * Replaces lines by those of the original scan that contain more of the language.
 * @param original lines of low confidence that are text
 */
export function withMoreKnown<Line extends PlacedLine>(
  lines: readonly Line[],
  original: readonly Line[],
  isKnown: IsKnownWord,
): Line[] {
  const known = ({ words }: PlacedLine): number =>
    wordsOf(words, FEWEST_COMPARED)
      .filter((word) => isKnown(word))
      .reduce((sum, { length }) => sum + length, 0);
  return betterInOrder(
    lines,
    original,
    (line, rivals) => known(line) > rivals.reduce((sum, rival) => sum + known(rival), 0),
  );
}

function mayBeWorded(lines: readonly PlacedLine[]): boolean {
  return lines.some(
    ({ angle, words }) => angle === 0 && isUnsure(words) && longWords(words).length > 0,
  );
}

function wordedLines(lines: readonly PlacedLine[], isKnown: IsKnownWord): PlacedLine[] {
  const isWorded = (words: readonly OcrWord[], least: number): boolean => {
    const long = longWords(words);
    const known = long.filter((word) => isKnown(word));
    return known.length >= least && known.length >= MOST_KNOWN * long.length;
  };
  const level = lines.filter(({ angle }) => angle === 0);
  return level.filter(isHardlySure).filter((line) => {
    if (isWorded(line.words, FEWEST_KNOWN)) return true;
    if (!longWords(line.words).some((word) => isKnown(word))) return false;
    const beside = level.filter(({ block }) => block === line.block);
    const least = Math.max(FEWEST_KNOWN, FEWEST_KNOWN_IN_EACH * beside.length);
    return isWorded(
      beside.flatMap(({ words }) => words),
      least,
    );
  });
}

function isHardlySure({ words }: PlacedLine): boolean {
  const confidence = meanConfidence(words);
  return confidence >= LEAST_SURE && confidence < SURE;
}

function longWords(words: readonly OcrWord[]): string[] {
  return wordsOf(words, FEWEST_LETTERS);
}

function wordsOf(words: readonly OcrWord[], fewestLetters: number): string[] {
  return words.flatMap(({ text }) => {
    const [, letters = ''] = LETTERS.exec(text) ?? [];
    return letters.length < fewestLetters ? [] : [letters];
  });
}
