/**
 * The text of a picture: what recognition found twice is joined, what is no text is left out. Bullets
 * before lines are found by their shape, whatever they were read for.
 */
import type { LanguageTag } from '../../../../shared/language.ts';
import { bulletBefore } from './bullets.ts';
import {
  isInCell,
  meanConfidence,
  withDoubtfulCellsRead,
  withoutDoubles,
  worth,
} from './doubtful-cells.ts';
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
import { withPlainWords } from './plain-reading.ts';
import { gapBetween, WITHOUT_DESCENDERS, withBarsRead, withoutRulesRead } from './read-bars.ts';
import { findRules } from './rule-search.ts';
import { closedCells, isParted, rowAround, withoutTableRules, type Rule } from './rules.ts';
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
 * @param paperDpi pixels to the inch of a scanned page: it has one ground, and is read without the rules
 *   of its tables, with them, and for bits of text anywhere
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
    { scale, layout }: { scale: number; layout: 'page' | 'column' | 'scattered' },
  ): Promise<OcrLine[]> =>
    recogniseText(gray, {
      language,
      signal,
      layout,
      ...(paperDpi !== undefined && { dotsPerInch: scale * paperDpi }),
    });
  const unitOf = (scale: number): number => (scale * (paperDpi ?? SCREEN_DPI)) / SCREEN_DPI;
  const read = async ({ gray, scale }: ReadablePicture): Promise<ReadLine[]> => {
    const unitPx = unitOf(scale);
    const rules = findRules(gray, { scale, unitPx });
    const cells = closedCells(rules, unitPx);
    const readIn = async (
      ground: RawPixels,
      layout: 'page' | 'scattered' = 'page',
    ): Promise<PlacedLine[]> =>
      placedLines(await recognise(ground, { scale, layout }), { gray: ground, rules, cells });
    const bare = withoutTableRules(gray, rules, scale);
    const inBare = readIn(bare);
    const finished = (lines: readonly SureLine[]): ReadLine[] =>
      inOrderOfCells(lines, cells).map((line) => readLine(line, { rules, scale }));
    if (paperDpi === undefined) return finished(sureLines(await inBare, bare));
    const [unruled, plain, scattered] = await Promise.all([
      inBare.then((lines) =>
        withDoubtfulCellsRead(lines, {
          gray: bare,
          rules,
          cells,
          unitPx,
          read: (column) => recognise(column, { scale, layout: 'column' }),
        }),
      ),
      bare === gray ? inBare : readIn(gray),
      // What stands alone on a page, or in a dark band of it, may be taken for a picture.
      readIn(gray, 'scattered'),
    ]);
    // What stands so close to a rule that it lost a part, or is no rule at all, is read as it is.
    const best = rules.some(({ isUpright }) => isUpright)
      ? better(sureLines(unruled, bare), sureLines(plain, gray))
      : sureLines(unruled, bare);
    const onPage = [...plain, ...numberedAfter(plain, scattered)];
    const unmarked = onPage.map((line) => withoutBullet(line, gray));
    return finished(withPlainWords(best, { plain: unmarked, rules, bare }));
  };
  const suited = await readable(picture);
  // Letters of a scan are large enough, however small its page is.
  if (paperDpi !== undefined) return read({ ...suited, gray: grayOf(suited.picture) });
  const first = await read(await brightness(suited));
  const second = await read(await contrast(suited));
  return better(first, second);
}

/** The lines, each in its column or cell. */
function placedLines(
  lines: readonly OcrLine[],
  { gray, rules, cells }: { gray: RawPixels; rules: readonly Rule[]; cells: readonly PixelBox[] },
): PlacedLine[] {
  const mended = lines
    .map((line) => withoutRulesRead(line, rules))
    .flatMap((line) => withBarsRead(line, gray));
  return withTableCells(withoutDoubles(mended))
    .flatMap((line) => apart(line, rules))
    .map((line) => placedIn(cells, line));
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
  const isWholeLine = parts.length === 1 && line.row === undefined && line.isWhole !== true;
  return parts.map((words) => {
    const box = around(words.map((word) => word.box));
    const baseline = isWholeLine ? line.baseline : baselineOf(words, line, box);
    return { ...line, words, box, baseline };
  });
}

/** The text of a cell that rules close in goes on in all of it, whatever stands beside it. */
function placedIn(cells: readonly PixelBox[], line: PlacedLine): PlacedLine {
  if (line.row === undefined) return line;
  const cell = cells.find((one) => isInCell(line, one));
  return cell === undefined ? line : { ...line, row: { top: cell.top, bottom: cell.bottom } };
}

/** Texts side by side do not always stand at one height. */
function baselineOf(
  words: readonly OcrWord[],
  line: PlacedLine,
  { left }: PixelBox,
): OcrLine['baseline'] {
  const { leftPx, slope } = line.baseline;
  const feet = words
    .filter(({ text, confidence }) => WITHOUT_DESCENDERS.test(text) && confidence > LINE_CONFIDENCE)
    .map(({ box }) => box.bottom - slope * (box.left - left))
    .toSorted((a, b) => a - b);
  return { leftPx: feet[feet.length >> 1] ?? leftPx + slope * (left - line.box.left), slope };
}

type SureLine = PlacedLine & Pick<ReadLine, 'isMarked'>;

/** The lines that are sure to be text, without what is none at their ends. */
function sureLines(lines: readonly PlacedLine[], gray: RawPixels): SureLine[] {
  return lines.flatMap((line) => {
    const found = withoutBullet(line, gray);
    if (line.angle !== 0 || found.words.length === 0) return [];
    const { words, isMarked } = withoutEnds(found.words, found);
    const text = joined(words.map((word) => word.text));
    if (!HAS_WORD.test(text) || meanConfidence(words) < LINE_CONFIDENCE) return [];
    return [
      {
        ...found,
        words,
        box: around(words.map((word) => word.box)),
        letterHeightPx: letterHeightOf(line, words),
        isMarked: isMarked || found.isMarked,
      },
    ];
  });
}

/** From descenders to ascenders. */
const HAS_FULL_HEIGHT = /[\p{Lu}bdfhkl].*[gjpqy]|[gjpqy].*[\p{Lu}bdfhkl]/u;

/** Of few letters a height is given that none of them has: those that go up and down show it. */
function letterHeightOf({ letterHeightPx }: PlacedLine, words: readonly OcrWord[]): number {
  const heights = words
    .filter(({ text }) => HAS_FULL_HEIGHT.test(text))
    .map(({ box }) => box.bottom - box.top);
  return heights.length === 0 ? letterHeightPx : Math.min(letterHeightPx, Math.max(...heights));
}

/** Leaves out what was read for a bullet. */
function withoutBullet(line: PlacedLine, gray: RawPixels): SureLine {
  const bullet = line.angle === 0 ? bulletBefore(gray, line.box, line.isRightToLeft) : undefined;
  if (bullet === undefined) return { ...line, isMarked: false };
  const words = line.words.filter(({ box }) => {
    const middle = (box.left + box.right) / 2;
    return middle < bullet.left || middle > bullet.right;
  });
  return { ...line, words, isMarked: true };
}

/** The lines of a cell that stand one below the other from its top on, wherever they were read. */
function inOrderOfCells(lines: readonly SureLine[], cells: readonly PixelBox[]): SureLine[] {
  const byCell = new Map<PixelBox | SureLine, SureLine[]>();
  for (const line of lines) {
    const place = cells.find((cell) => isInCell(line, cell)) ?? line;
    byCell.set(place, [...(byCell.get(place) ?? []), line]);
  }
  return [...byCell.values()].flatMap((inCell) => {
    const fromTop = inCell.toSorted((a, b) => a.box.top - b.box.top);
    const isColumn = fromTop.every(({ box }, at) => {
      const above = fromTop[at - 1]?.box;
      return (
        above === undefined ||
        ((box.top + box.bottom) / 2 > above.bottom &&
          box.left < above.right &&
          box.right > above.left)
      );
    });
    return isColumn ? fromTop : inCell;
  });
}

function readLine(
  line: SureLine,
  { rules, scale }: { rules: readonly Rule[]; scale: number },
): ReadLine {
  const ruled = rowAround(line.box, rules);
  const top = Math.max(ruled.top, line.row?.top ?? -Infinity);
  const bottom = Math.min(ruled.bottom, line.row?.bottom ?? Infinity);
  const words = line.words.map((word) => ({ ...word, box: scaledBox(word.box, scale) }));
  return {
    text: joined(words.map((word) => word.text)),
    words,
    box: around(words.map(({ box }) => box)),
    slope: line.baseline.slope,
    baselinePx: line.baseline.leftPx / scale,
    letterHeightPx: line.letterHeightPx / scale,
    isRightToLeft: line.isRightToLeft,
    paragraph: line.paragraph,
    isMarked: line.isMarked,
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

function better<Line extends Pick<ReadLine, 'words' | 'box' | 'paragraph'>>(
  first: readonly Line[],
  second: readonly Line[],
): Line[] {
  const kept = new Set(first);
  for (const line of numberedAfter(first, second)) {
    const rivals = [...kept].filter((other) => overlap(line.box, other.box) > 0.3);
    const theirs = rivals.reduce((sum, rival) => sum + worth(rival.words), 0);
    if (worth(line.words) <= CLEARLY_BETTER * theirs) continue;
    for (const rival of rivals) kept.delete(rival);
    kept.add(line);
  }
  return [...kept];
}

/** The second lines with numbers of paragraphs that none of the first has. */
function numberedAfter<Line extends Pick<ReadLine, 'paragraph'>>(
  first: readonly Line[],
  second: readonly Line[],
): Line[] {
  const offset = 1 + Math.max(0, ...first.map(({ paragraph }) => paragraph));
  return second.map((line) => ({ ...line, paragraph: line.paragraph + offset }));
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
