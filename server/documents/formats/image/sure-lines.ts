/**
 * Keeps the lines that are certain to be text; drops patterns, and pictures at the ends of lines. Bullets
 * before lines are found by their shape, whatever they were read as.
 */
import { meanConfidence } from './doubtful-cells.ts';
import { around, type OcrLine, type OcrWord, type PixelBox, type RawPixels } from './ocr.ts';
import { gapBetween } from './read-bars.ts';
import type { PlacedLine } from './table-cells.ts';
import { turnedLine } from './picture.ts';

/** A line that is certain to be text. */
export type SureLine = PlacedLine & {
  /** Whether something other than text stands before it, such as a bullet. */
  isMarked: boolean;
};

/** Mean confidence below which a line is a pattern rather than text. */
export const LINE_CONFIDENCE = 60;
/**
 * Confidence below which something at the end of a line is a picture or rule, unless it stands like a word.
 */
const END_CONFIDENCE = 35;
const LETTERS = /^\p{P}*\p{L}\p{M}*(?:['’-]?\p{L}\p{M}*)+\p{P}*$/u;
/** Maximum gap between words, in letter heights; pictures beside a line are farther away. */
const WIDEST_BLANK = 0.5;
/** How far a word extends above and below the others, in letter heights. */
const OUTSIDE_LINE = 0.15;
const HAS_WORD = /\p{L}\p{M}*\p{L}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
const HAS_LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const NO_LETTERS = /\P{L}/gu;

/** Minimum confidence and number of letters of rotated lines, which are patterns more often. */
const TURNED_CONFIDENCE = 80;
const FEWEST_TURNED = 3;

/** Tests whether words have less confidence than text usually has. */
export function isUnsure(words: readonly OcrWord[]): boolean {
  return meanConfidence(words) < LINE_CONFIDENCE;
}

/**
 * Returns the lines that are certain to be text, without foreign parts at their ends.
 * @param worded words of lines that count as text at any confidence
 */
export function sureLines(
  lines: readonly PlacedLine[],
  gray: RawPixels,
  worded: ReadonlySet<OcrWord> = new Set(),
): SureLine[] {
  return lines.flatMap((line) => {
    const found = withoutBullet(line, gray);
    if (found.words.length === 0) return [];
    const { from, end } = endsOf(turnedLine(found, gray));
    const words = found.words.slice(from, end);
    const text = joined(words.map((word) => word.text));
    const isTurned = line.angle !== 0;
    const least = isTurned ? TURNED_CONFIDENCE : LINE_CONFIDENCE;
    const isSure = words.some((word) => worded.has(word)) || meanConfidence(words) >= least;
    if (!HAS_WORD.test(text) || !isSure) return [];
    if (isTurned && text.replace(NO_LETTERS, '').length < FEWEST_TURNED) return [];
    return [
      {
        ...found,
        words,
        box: around(words.map((word) => word.box)),
        letterHeightPx: isTurned ? line.letterHeightPx : letterHeightOf(line, words),
        isMarked: from > 0 || found.isMarked,
      },
    ];
  });
}

/** Words from descenders to ascenders. */
const HAS_FULL_HEIGHT = /[\p{Lu}bdfhkl].*[gjpqy]|[gjpqy].*[\p{Lu}bdfhkl]/u;

/**
 * Returns the letter height of a line: with few letters, recognition reports a height that none of them has,
 * and words with ascenders and descenders show the real one.
 */
function letterHeightOf({ letterHeightPx }: PlacedLine, words: readonly OcrWord[]): number {
  const heights = words
    .filter(({ text }) => HAS_FULL_HEIGHT.test(text))
    .map(({ box }) => box.bottom - box.top);
  return heights.length === 0 ? letterHeightPx : Math.min(letterHeightPx, Math.max(...heights));
}

/** Drops what was read for a bullet. */
export function withoutBullet(line: PlacedLine, gray: RawPixels): SureLine {
  const bullet = line.angle === 0 ? bulletBefore(gray, line.box, line.isRightToLeft) : undefined;
  if (bullet === undefined) return { ...line, isMarked: false };
  const words = line.words.filter(({ box }) => {
    const middle = (box.left + box.right) / 2;
    return middle < bullet.left || middle > bullet.right;
  });
  return { ...line, words, isMarked: true };
}

/** Distance from the text within which a bullet is sought, in heights of the line. */
const FARTHEST = 3;
/** Range of a bullet's size, and minimum gap beside it, in heights of the line. */
const SMALLEST = 0.1;
const LARGEST = 0.7;
const LEAST_GAP = 0.2;
/**
 * Minimum filled share of a bullet's box: a disc fills 0.79, a diamond 0.5; letters have holes in their
 * middle.
 */
const LEAST_FILLED = 0.45;

/** Returns the bullet at the beginning of a line, within its box or before it; undefined without one. */
function bulletBefore(
  { data, width }: RawPixels,
  line: PixelBox,
  isRightToLeft: boolean,
): PixelBox | undefined {
  const height = line.bottom - line.top;
  const length = Math.round(FARTHEST * height);
  const start = isRightToLeft ? line.right : line.left;
  const left = Math.max(0, start - length);
  const right = Math.min(width, start + length);
  const isInk = inkTest(data, width, { ...line, left, right });
  if (isInk === undefined) return undefined;
  const columns = Array.from({ length: right - left }, (_, index) => {
    const x = isRightToLeft ? right - 1 - index : left + index;
    const rows = { x, top: -1, bottom: -1 };
    for (let y = line.top; y < line.bottom; y++) {
      if (!isInk(x, y)) continue;
      if (rows.top < 0) rows.top = y;
      rows.bottom = y + 1;
    }
    return rows;
  });
  const blank = Math.max(1, Math.round(LEAST_GAP * height));
  const runs = runsOf(columns);
  // The bullet is the one right before the text; anything farther away is something else.
  for (const [index, run] of runs.entries()) {
    const next = runs[index + 1];
    const before = runs[index - 1];
    if (next === undefined || run.from - (before?.to ?? -blank) < blank) continue;
    if (next.from - run.to < blank) continue;
    const box = boxOf(columns.slice(run.from, run.to));
    if (isRound(box, line, isInk)) return box;
    if (startsText(box, start, isRightToLeft)) return undefined;
  }
  return undefined;
}

type InkTest = (x: number, y: number) => boolean;

/** Separates ink from the background, which is most of the pixels. */
function inkTest(data: Uint8Array, width: number, box: PixelBox): InkTest | undefined {
  const counts = new Uint32Array(256);
  for (let y = box.top; y < box.bottom; y++) {
    for (let at = y * width + box.left; at < y * width + box.right; at++) {
      const level = data[at] ?? 0;
      counts[level] = (counts[level] ?? 0) + 1;
    }
  }
  const pixels = counts.reduce((sum, count) => sum + count, 0);
  let before = 0;
  const ground = Math.max(
    0,
    counts.findIndex((count) => (before += count) > pixels >> 1),
  );
  const isSeen = (count: number): boolean => count > 0;
  const darkest = Math.max(0, counts.findIndex(isSeen));
  const brightest = Math.max(0, counts.findLastIndex(isSeen));
  const isDark = ground - darkest > brightest - ground;
  const most = Math.max(ground - darkest, brightest - ground);
  if (most < 40) return undefined;
  return (x, y) => (ground - (data[y * width + x] ?? 0)) * (isDark ? 1 : -1) > most / 2;
}

interface Column {
  x: number;
  top: number;
  bottom: number;
}

/** Returns the runs of adjacent columns with ink. */
function runsOf(columns: readonly Column[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (const [index, { top }] of columns.entries()) {
    const last = runs.at(-1);
    if (top < 0) continue;
    if (last?.to === index) last.to = index + 1;
    else runs.push({ from: index, to: index + 1 });
  }
  return runs;
}

function boxOf(columns: readonly Column[]): PixelBox {
  return {
    left: Math.min(...columns.map(({ x }) => x)),
    right: Math.max(...columns.map(({ x }) => x)) + 1,
    top: Math.min(...columns.map(({ top }) => top)),
    bottom: Math.max(...columns.map(({ bottom }) => bottom)),
  };
}

function startsText(box: PixelBox, start: number, isRightToLeft: boolean): boolean {
  return isRightToLeft ? box.left < start : box.right > start;
}

/** Tests for a shape as wide as high, filled in the middle, and near the middle of the line's height. */
function isRound({ left, right, top, bottom }: PixelBox, line: PixelBox, isInk: InkTest): boolean {
  const [width, height] = [right - left, bottom - top];
  const lineHeight = line.bottom - line.top;
  const size = Math.max(width, height) / lineHeight;
  const middle = ((top + bottom) / 2 - line.top) / lineHeight;
  if (size < SMALLEST || size > LARGEST || middle < 0.25 || middle > 0.8) return false;
  if (Math.max(width, height) > 1.5 * Math.min(width, height) + 1) return false;
  const [x, y] = [(left + right) >> 1, (top + bottom) >> 1];
  for (let at = left + 1; at < right - 1; at++) if (!isInk(at, y)) return false;
  for (let at = top + 1; at < bottom - 1; at++) if (!isInk(x, at)) return false;
  let filled = 0;
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) if (isInk(column, row)) filled++;
  }
  return filled >= LEAST_FILLED * width * height;
}

/** Returns the range of a line's words that are text; those at its ends may not be. */
function endsOf({ words: all, letterHeightPx }: OcrLine): { from: number; end: number } {
  const isWord = ({ text, confidence }: OcrWord): boolean =>
    confidence >= END_CONFIDENCE && HAS_LETTER_OR_DIGIT.test(text);
  let from = Math.max(0, all.findIndex(isWord));
  let to = all.findLastIndex(
    (word) => isWord(word) || (word.confidence >= LINE_CONFIDENCE && /\p{P}/u.test(word.text)),
  );
  const core = all.slice(from, to + 1);
  const isNext = (word: OcrWord | undefined, beside: OcrWord | undefined): boolean =>
    word !== undefined && beside !== undefined && goesOn(word, { beside, core, letterHeightPx });
  while (isNext(all[from - 1], all[from])) from--;
  while (isNext(all[to + 1], all[to])) to++;
  if (isBullet(all.slice(from))) from++;
  return { from, end: to + 1 };
}

/** Tests whether letters read with low confidence stand where the next word of a line would. */
function goesOn(
  { text, box }: OcrWord,
  {
    beside,
    core,
    letterHeightPx,
  }: { beside: OcrWord; core: readonly OcrWord[]; letterHeightPx: number },
): boolean {
  const line = around(core.map((word) => word.box));
  const outside = OUTSIDE_LINE * letterHeightPx;
  const gap = gapBetween(box, beside.box);
  return (
    LETTERS.test(text) &&
    gap >= 0 &&
    gap <= WIDEST_BLANK * letterHeightPx &&
    box.top >= line.top - outside &&
    box.bottom <= line.bottom + outside
  );
}

/** Bullets are read as `e`, `o`, `®`; the space after them is wider than between words. */
const READ_FOR_BULLETS = /^[eoOc0©®@*•·»>+-]$/;
const BULLET_GAP = 1.6;

function isBullet([first, second, ...rest]: readonly OcrWord[]): boolean {
  if (first === undefined || second === undefined || !READ_FOR_BULLETS.test(first.text))
    return false;
  const gaps = rest.map(
    (word, index) => word.box.left - ([second, ...rest][index]?.box.right ?? 0),
  );
  const usual = gaps.sort((a, b) => a - b)[gaps.length >> 1];
  const height = second.box.bottom - second.box.top;
  return second.box.left - first.box.right > BULLET_GAP * (usual ?? height / 3);
}

const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}，。、！？：；（）「」]/u;

/** Joins words or lines, with spaces if the script has them. */
export function joined(parts: readonly string[]): string {
  return parts.reduce((text, part) => {
    const isSpaced = !(UNSPACED.test(text.slice(-1)) && UNSPACED.test(part.slice(0, 1)));
    return text === '' ? part : `${text}${isSpaced ? ' ' : ''}${part}`;
  }, '');
}
