/** Columns of prose that stand side by side: a table has its gaps one below the other as well. */
import type { OcrWord } from './ocr.ts';

/** What one column has at one height, in reading order; never without words. */
export interface ColumnLine {
  words: readonly OcrWord[];
  /** Where its letters stand, and how high they are. */
  baselinePx: number;
  heightPx: number;
}

/** In heights of letters: lines this long that are full are prose, whatever they say. */
const WIDE = 10;
/** Of the longest line, the usual one takes at least this share. */
const FULLNESS = 0.75;
/** In words: lines of prose are longer than those of a list of words. */
const SHORTEST_LINE = 2;
/** From line to line, in heights of letters; beyond it another text begins. */
const WIDEST_PITCH = 2.1;
/** In heights of letters; edges are ragged, so what fits does so with two of these. */
const BLANK = 0.35;

const SENTENCE_END = /[.!?…:]["'”’»)\]]*$/u;
const FULL_STOP = /\p{L}[.!?…]["'”’»)\]]*$/u;
const HYPHEN = /\p{Ll}[-‐¬]$/u;
const GOES_ON = /^\p{P}*\p{Ll}/u;
const BEGINS = /^\p{P}*[\p{Lu}\p{Lt}]/u;

/** Whether two or more columns are wide and full as prose is. */
export function areWideProse(columns: readonly (readonly ColumnLine[])[]): boolean {
  return columns.filter(isWide).length >= 2;
}

/**
 * Whether the columns have sentences that go on from line to line, so that each is read by itself from
 * its top to its end. Cells of a table begin anew, or end where their next word would have fitted, or
 * are no sentences. Scripts without small letters do not show it.
 */
export function areProse(columns: readonly (readonly ColumnLine[])[]): boolean {
  const several = columns.filter(({ length }) => length > 1);
  const isAll = several.every((column) => isWide(column) || isNarrow(column));
  const ended = several.filter((column) => hasFullStop(column)).length;
  return several.length >= 2 && several.some(isNarrow) && isAll && 2 * ended >= several.length;
}

function isWide(column: readonly ColumnLine[]): boolean {
  const widths = column.map(widthOf).sort((a, b) => a - b);
  const usual = widths[widths.length >> 1] ?? 0;
  const heightPx = column[0]?.heightPx ?? 0;
  return usual > WIDE * heightPx && usual > FULLNESS * (widths.at(-1) ?? 0);
}

function isNarrow(column: readonly ColumnLine[]): boolean {
  const words = column.reduce((sum, line) => sum + line.words.length, 0);
  if (words < SHORTEST_LINE * column.length) return false;
  const longestPx = Math.max(...column.map(widthOf));
  const passages = column.slice(1).flatMap((line, at) => {
    const before = column[at];
    return before === undefined ? [] : [passageBetween(before, line, longestPx)];
  });
  // A heading is no sentence, and shorter than what is below it.
  const [first, ...others] = passages;
  const counted = others.length > 0 && first === 'apart' ? others : passages;
  const count = (kind: Passage): number => counted.filter((passage) => passage === kind).length;
  return count('apart') === 0 && count('on') > 0 && count('on') >= count('anew');
}

/**
 * From one line to the next: a sentence goes `on`; one ended before it (`ended`); it begins `anew` with
 * a capital or figure, as names do; or the two are texts `apart`, as the first word would have fitted.
 */
type Passage = 'on' | 'ended' | 'anew' | 'apart';

function passageBetween(before: ColumnLine, line: ColumnLine, longestPx: number): Passage {
  const [last, next] = [before.words.at(-1), line.words[0]];
  if (last === undefined || next === undefined) return 'apart';
  if (SENTENCE_END.test(last.text)) return 'ended';
  if (line.baselinePx - before.baselinePx > WIDEST_PITCH * before.heightPx) return 'apart';
  const neededPx = next.box.right - next.box.left + 2 * BLANK * before.heightPx;
  if (neededPx < longestPx - widthOf(before)) return 'apart';
  return GOES_ON.test(next.text) || HYPHEN.test(last.text) ? 'on' : 'anew';
}

/** Whether a sentence ends in a column: at its end, or before another begins. */
function hasFullStop(column: readonly ColumnLine[]): boolean {
  const words = column.flatMap((line) => line.words);
  return words.some(({ text }, at) => {
    const next = words[at + 1];
    return FULL_STOP.test(text) && (next === undefined || BEGINS.test(next.text));
  });
}

function widthOf({ words }: ColumnLine): number {
  const lefts = words.map(({ box }) => box.left);
  return Math.max(...words.map(({ box }) => box.right)) - Math.min(...lefts);
}
