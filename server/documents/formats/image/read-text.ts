/**
 * The text of a picture: what recognition found twice is joined, what is no text is left out. Bullets
 * before lines are found by their shape, whatever they were read for.
 */
import type { LanguageTag } from '../../../../shared/language.ts';
import { meanConfidence, withDoubtfulCellsRead, worth } from './doubtful-cells.ts';
import { brightness, contrast, grayOf, readable, type ReadablePicture } from './legibility.ts';
import {
  around,
  recogniseText,
  type OcrLine,
  type OcrWord,
  type PixelBox,
  type RawPixels,
} from './ocr.ts';
import type { Picture } from './picture.ts';
import { gapBetween, withBarsRead, withoutRulesRead } from './read-bars.ts';
import { findRules } from './rule-search.ts';
import { isParted, rowAround, withoutTableRules, type Rule } from './rules.ts';
import { withTableCells, type PlacedLine } from './table-cells.ts';

/** A line of text that is sure to be text. */
export interface ReadLine {
  text: string;
  words: readonly OcrWord[];
  box: PixelBox;
  /** How much the baseline falls per pixel. */
  slope: number;
  /** Where letters stand, at the left edge of the box. */
  baselinePx: number;
  letterHeightPx: number;
  isRightToLeft: boolean;
  /** Same in lines that recognition takes for one paragraph. */
  paragraph: number;
  /** Something stands before it that is no text, a bullet for example. */
  isMarked: boolean;
  /** Between which heights a table or box confines it; infinite where nothing does. */
  row: { top: number; bottom: number };
}

const SCREEN_DPI = 96;

/**
 * Reads a picture twice, for texts on grounds of different colours, and keeps of each place what was
 * read better.
 *
 * @param paperDpi pixels to the inch of a scanned page: it has one ground, and is read twice only
 *   where it has a table, with its rules and without
 * @throws DocumentError as `recogniseText` does
 */
export async function readText(
  picture: Picture,
  {
    language,
    signal,
    paperDpi,
  }: { language: LanguageTag | undefined; signal?: AbortSignal; paperDpi?: number },
): Promise<ReadLine[]> {
  const recognise = (
    gray: RawPixels,
    { scale, layout }: { scale: number; layout: 'page' | 'column' },
  ): Promise<OcrLine[]> =>
    recogniseText(gray, {
      language,
      signal,
      layout,
      ...(paperDpi !== undefined && { dotsPerInch: scale * paperDpi }),
    });
  const readIn = async (
    gray: RawPixels,
    { rules, scale, isUnruled }: { rules: readonly Rule[]; scale: number; isUnruled: boolean },
  ): Promise<ReadLine[]> => {
    const lines = await recognise(gray, { scale, layout: 'page' });
    const mended = lines
      .map((line) => withoutRulesRead(line, rules))
      .flatMap((line) => withBarsRead(line, gray));
    const placed = withTableCells(mended).flatMap((line) => apart(line, rules));
    const sure =
      paperDpi !== undefined && isUnruled
        ? await withDoubtfulCellsRead(placed, {
            gray,
            rules,
            read: (column) => recognise(column, { scale, layout: 'column' }),
          })
        : placed;
    return sure
      .map((line) => readLine(withoutBullet(line, gray), { rules, scale }))
      .filter((line) => line !== undefined);
  };
  const read = async ({ gray, scale }: ReadablePicture): Promise<ReadLine[]> => {
    const rules = findRules(gray, {
      scale,
      unitPx: (scale * (paperDpi ?? SCREEN_DPI)) / SCREEN_DPI,
    });
    const unruled = await readIn(withoutTableRules(gray, rules, scale), {
      rules,
      scale,
      isUnruled: true,
    });
    if (paperDpi === undefined || !rules.some(({ isUpright }) => isUpright)) return unruled;
    // What stands so close to a rule that it lost a part, or is no rule at all, is read as it is.
    return better(unruled, await readIn(gray, { rules, scale, isUnruled: false }));
  };
  const suited = await readable(picture);
  // Letters of a scan are large enough, however small its page is.
  if (paperDpi !== undefined) return read({ ...suited, gray: grayOf(suited.picture) });
  const first = await read(await brightness(suited));
  const second = await read(await contrast(suited));
  return better(first, second);
}

/** Mean confidence below which a line is a pattern rather than text. */
const LINE_CONFIDENCE = 60;
/** What stands at a line's ends below this and not as a word does is a picture or rule beside it. */
const END_CONFIDENCE = 35;
const LETTERS = /^\p{P}*(?:\p{L}\p{M}*){2,}\p{P}*$/u;
/** In heights of letters: pictures beside a line are farther from it than words from each other. */
const WIDEST_BLANK = 0.5;
/** How far a word goes above and below those beside it, in heights of letters. */
const OUTSIDE_LINE = 0.15;
const HAS_WORD = /\p{L}\p{M}*\p{L}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
const HAS_LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Between words of one text there is less room than this many times the height of its letters. */
const WIDEST_GAP = 1.6;

/** Buttons, boxes and cells that stand side by side are read as one line. */
function apart(line: PlacedLine, rules: readonly Rule[]): PlacedLine[] {
  const parts: OcrWord[][] = [];
  for (const word of line.words) {
    const last = parts.at(-1)?.at(-1);
    const gap = last === undefined ? 0 : gapBetween(last.box, word.box);
    const heightPx = Math.min(line.letterHeightPx, line.box.bottom - line.box.top);
    const isAlone = last === undefined || (!line.isWhole && gap > WIDEST_GAP * heightPx);
    if (isAlone || isParted(last.box, word.box, rules)) parts.push([word]);
    else parts.at(-1)?.push(word);
  }
  return parts.map((words) => ({ ...line, words, box: around(words.map(({ box }) => box)) }));
}

type FoundLine = PlacedLine & { hasBullet: boolean };

/** Leaves out what was read for a bullet. */
function withoutBullet(line: PlacedLine, gray: RawPixels): FoundLine {
  const bullet = line.angle === 0 ? bulletBefore(gray, line.box, line.isRightToLeft) : undefined;
  if (bullet === undefined) return { ...line, hasBullet: false };
  const words = line.words.filter(({ box }) => {
    const middle = (box.left + box.right) / 2;
    return middle < bullet.left || middle > bullet.right;
  });
  return { ...line, words, hasBullet: true };
}

function readLine(
  line: FoundLine,
  { rules, scale }: { rules: readonly Rule[]; scale: number },
): ReadLine | undefined {
  if (line.angle !== 0 || line.words.length === 0) return undefined;
  const { words, isMarked } = withoutEnds(line.words, line);
  const text = joined(words.map((word) => word.text));
  if (!HAS_WORD.test(text) || meanConfidence(words) < LINE_CONFIDENCE) return undefined;
  const ruled = rowAround(around(words.map(({ box }) => box)), rules);
  const top = Math.max(ruled.top, line.row?.top ?? -Infinity);
  const bottom = Math.min(ruled.bottom, line.row?.bottom ?? Infinity);
  const scaled = words.map((word) => ({ ...word, box: scaledBox(word.box, scale) }));
  return {
    text,
    words: scaled,
    box: around(scaled.map(({ box }) => box)),
    slope: line.baseline.slope,
    baselinePx: line.baseline.leftPx / scale,
    letterHeightPx: line.letterHeightPx / scale,
    isRightToLeft: line.isRightToLeft,
    paragraph: line.paragraph,
    isMarked: isMarked || line.hasBullet,
    row: { top: top / scale, bottom: bottom / scale },
  };
}

/** Drops what stands at the ends of a line and is no word of it. */
function withoutEnds(
  all: readonly OcrWord[],
  { letterHeightPx }: OcrLine,
): { words: readonly OcrWord[]; isMarked: boolean } {
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
  return { words: all.slice(from, to + 1), isMarked: from > 0 };
}

/** Whether letters that were hard to read stand where the next word of a line does. */
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

/** Bullets are read as `e`, `o`, `®`; after them comes more space than between words. */
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

/** Words or lines as one text, with blanks where the script has them. */
export function joined(parts: readonly string[]): string {
  return parts.reduce((text, part) => {
    const isSpaced = !(UNSPACED.test(text.slice(-1)) && UNSPACED.test(part.slice(0, 1)));
    return text === '' ? part : `${text}${isSpaced ? ' ' : ''}${part}`;
  }, '');
}

function scaledBox({ left, top, right, bottom }: PixelBox, scale: number): PixelBox {
  return {
    left: Math.floor(left / scale),
    top: Math.floor(top / scale),
    right: Math.ceil(right / scale),
    bottom: Math.ceil(bottom / scale),
  };
}

/** What was read second has to be better by this, as its lines are more often torn or have more in them. */
const CLEARLY_BETTER = 1.15;

function better(first: readonly ReadLine[], second: readonly ReadLine[]): ReadLine[] {
  // So that no number of the second names a paragraph of the first.
  const offset = 1 + Math.max(0, ...first.map(({ paragraph }) => paragraph));
  const kept = new Set(first);
  for (const line of second) {
    const rivals = [...kept].filter((other) => overlap(line.box, other.box) > 0.3);
    const theirs = rivals.reduce((sum, rival) => sum + worth(rival.words), 0);
    if (worth(line.words) <= CLEARLY_BETTER * theirs) continue;
    for (const rival of rivals) kept.delete(rival);
    kept.add({ ...line, paragraph: line.paragraph + offset });
  }
  return [...kept];
}

/** Share of the smaller box that lies in the other. */
function overlap(a: PixelBox, b: PixelBox): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / Math.min(area(a), area(b));
}

function area({ left, top, right, bottom }: PixelBox): number {
  return Math.max(1, (right - left) * (bottom - top));
}

/** So far from the text, in heights of the line, a bullet is looked for. */
const FARTHEST = 3;
/** Sizes and distances in heights of the line. */
const SMALLEST = 0.1;
const LARGEST = 0.7;
const LEAST_GAP = 0.2;
/** A disc fills 0.79 of its square, a diamond 0.5; letters have holes in their middle. */
const LEAST_FILLED = 0.45;

/** The bullet at the beginning of a line, within its box or before it; undefined when there is none. */
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
  // The one whose follower is the text: what is farther away is something else.
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

/** Parts ink from the ground, which most of the pixels are. */
function inkTest(data: Uint8Array, width: number, box: PixelBox): InkTest | undefined {
  const values: number[] = [];
  for (let y = box.top; y < box.bottom; y++) {
    for (let x = box.left; x < box.right; x++) values.push(data[y * width + x] ?? 0);
  }
  const sorted = Uint8Array.from(values).sort();
  const ground = sorted[sorted.length >> 1] ?? 0;
  const [darkest, brightest] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
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

/** From where to where there is ink in every column. */
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

/** As wide as high, full in the middle, and at the middle of the line's height. */
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
