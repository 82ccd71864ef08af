/** Reads the text of a picture: joins what several recognition passes found, and drops what is no text. */
import type { LanguageTag } from '../../../../shared/language.ts';
import { type IsKnownWord, knownWords } from '../../../text/words/dictionaries.ts';
import { isSettled } from './agreed-reading.ts';
import { better, betterInOrder, numberedAfter } from './better-reading.ts';
import { withKnownWords } from './disputed-words.ts';
import { isInCell, withDoubtfulCellsRead, withoutDoubles } from './doubtful-cells.ts';
import { brightness, contrast, grayOf, readable, type ReadablePicture } from './legibility.ts';
import {
  around,
  type OcrLine,
  type OcrWord,
  type PixelBox,
  type RawPixels,
  recogniseText,
  recogniseTexts,
} from './ocr.ts';
import { type Picture, quarterTurn, type QuarterTurn, turnedLine } from './picture.ts';
import { withPlainWords } from './plain-reading.ts';
import { gapBetween, withBarsRead, WITHOUT_DESCENDERS, withoutRulesRead } from './read-bars.ts';
import { findRules } from './rule-search.ts';
import { closedCells, isParted, rowAround, type Rule, withoutTableRules } from './rules.ts';
import { withoutStrikes } from './struck-text.ts';
import { joined, LINE_CONFIDENCE, type SureLine, sureLines, withoutBullet } from './sure-lines.ts';
import { type PlacedLine, withTableCells } from './table-cells.ts';
import { withoutTickBoxes } from './tick-boxes.ts';
import { wordedText, withMoreKnown } from './worded-lines.ts';

/**
 * A line that is certain to be text. The box and words of a rotated line are given as if the picture were
 * rotated until the line lies level.
 */
export interface ReadLine {
  text: string;
  angle: QuarterTurn;
  words: readonly OcrWord[];
  box: PixelBox;
  /** How far the baseline falls per pixel. */
  slope: number;
  /** Height of the baseline at the left edge of the box. */
  baselinePx: number;
  letterHeightPx: number;
  isRightToLeft: boolean;
  /** Equal for the lines that recognition assigns to one paragraph. */
  paragraph: number;
  /** Whether something other than text stands before it, such as a bullet. */
  isMarked: boolean;
  /** Vertical limits set by a table or box; infinite without any. */
  row: { top: number; bottom: number };
}

const SCREEN_DPI = 96;

/**
 * A page at its scanned resolution and skew: after resampling or rotation, recognition misreads a letter now
 * and then.
 */
interface OriginalPage {
  picture: RawPixels;
  /** How far its lines fall to the right, in degrees. */
  skewDegrees: number;
}

interface ReadingOptions {
  /** Language of the text, if known. */
  language: LanguageTag | undefined;
  /** Resolution of a scanned page, in pixels per inch. */
  paperDpi?: number;
  /** The original of a scanned page if it differs from the picture; it is read as well. */
  original?: OriginalPage | undefined;
}

/**
 * Reads a picture twice, for texts on backgrounds of different colours, and keeps the better reading of each
 * place. A scanned page has one background, and is read in other ways.
 * @throws DocumentError as `recogniseText` does
 */
export async function readText(picture: Picture, options: ReadingOptions): Promise<ReadLine[]> {
  const suited = await readable(picture);
  // The letters of a scan are large enough, however small its page is.
  if (options.paperDpi !== undefined) {
    return readPage({ ...suited, gray: grayOf(suited.picture) }, options);
  }
  const pictures = [await brightness(suited), await contrast(suited)];
  const ruled = pictures.map((each) => ruledPicture(each, SCREEN_DPI));
  const read = await recogniseTexts(
    ruled.map(({ unruled }) => unruled),
    options,
  );
  const [first = [], second = []] = ruled.map((each, at) => screenLines(read[at] ?? [], each));
  return better(first, second);
}

function screenLines(lines: readonly OcrLine[], ruled: RuledPicture): ReadLine[] {
  const gray = ruled.unruled;
  const placed = placedLines(lines, { ...ruled, gray });
  return finished(sureLines(placed.filter(isLevel), gray), ruled);
}

/**
 * Reads a scanned page without its table rules and strike-through lines, and at its original resolution.
 * Where these readings do not settle the text, the page is also read with its rules, and for pieces of text
 * anywhere.
 */
async function readPage(picture: ReadablePicture, options: ReadingOptions): Promise<ReadLine[]> {
  const ruled = ruledPicture(picture, options.paperDpi ?? SCREEN_DPI);
  const { gray, rules, cells, unruled: withStrikes, scale, unitPx } = ruled;
  const { picture: unstruck, strikes } = withoutStrikes(withStrikes, { scale, unitPx });
  const bare = mayHaveTickBoxes(options.language) ? withoutTickBoxes(unstruck, unitPx) : unstruck;
  const inBare = readIn(bare, ruled, options);
  const isOnlyStruck = unstruck !== gray && withStrikes === gray;
  const inCells = inBare.then((lines) =>
    withDoubtfulCellsRead(lines, {
      gray: bare,
      rules,
      cells,
      unitPx,
      read: (column) => recognise(column, { ...options, scale, layout: 'column' }),
    }),
  );
  const inOriginal = readOriginal(ruled, options);
  const isDone =
    options.original === undefined
      ? Promise.resolve(false)
      : Promise.all([inCells, inOriginal]).then(([lines, others]) =>
          isSettled(lines, others, ruled),
        );
  const readPlain = async (): Promise<PlacedLine[]> => {
    if (bare === gray) return inBare;
    // The original includes struck words as well.
    if (isOnlyStruck && options.original !== undefined) return [];
    if (isAlike(options.original, gray)) return inOriginal;
    return (await isDone) ? [] : readIn(gray, ruled, options);
  };
  // Recognition may take lone text, or text in a dark band, for a picture.
  const readScattered = async (): Promise<PlacedLine[]> =>
    (await isDone) ? [] : readIn(gray, ruled, { ...options, layout: 'scattered' });
  const [unruled, plain, scattered, originalReading] = await Promise.all([
    inCells,
    readPlain(),
    readScattered(),
    inOriginal,
  ]);
  return finished(
    await joinedReadings(
      { unruled, plain, scattered, originalReading },
      { ...ruled, strikes, bare },
      options,
    ),
    ruled,
  );
}

/** A page without the rules of its tables; `bare` also lacks strike-through lines and tick boxes. */
interface BarePage extends RuledPicture {
  strikes: readonly PixelBox[];
  bare: RawPixels;
}

/** The readings of a page made in different ways, and of its original. */
interface PageReadings {
  unruled: PlacedLine[];
  plain: PlacedLine[];
  scattered: PlacedLine[];
  originalReading: PlacedLine[];
}

async function joinedReadings(
  { unruled, plain, scattered, originalReading }: PageReadings,
  { gray, rules, strikes, bare }: BarePage,
  { language }: ReadingOptions,
): Promise<SureLine[]> {
  const findKnown = async (): Promise<IsKnownWord | undefined> =>
    language === undefined ? undefined : knownWords(language);
  const worded = await wordedText([unruled, plain, originalReading], findKnown);
  const inBoth = (kind: (line: PlacedLine) => boolean): SureLine[] =>
    betterInOrder(
      sureLines(unruled.filter(kind), bare, worded),
      sureLines(plain.filter(kind), gray, worded),
    );
  // Near a rule, text may have lost a part when the rule was erased, or the rule may be no rule: this text is
  // read from the unchanged page.
  const best = rules.some(({ isUpright }) => isUpright)
    ? inBoth(isLevel)
    : sureLines(unruled.filter(isLevel), bare, worded);
  const onPage = [...plain, ...numberedAfter(plain, scattered)];
  const isPlainOriginal = plain === originalReading;
  const unmarked = [...onPage, ...(isPlainOriginal ? [] : numberedAfter(onPage, originalReading))]
    .filter(isLevel)
    .map((line) => withoutBullet(line, gray));
  const readings = {
    page: [plain.length > 0 && !isPlainOriginal ? plain : unruled, scattered],
    original: originalReading,
  };
  const complete = withPlainWords(best, {
    plain: unmarked,
    rules,
    strikes,
    bare,
    worded,
    ...readings,
  });
  const settled = await withKnownWords(complete, {
    original: originalReading,
    readings: [unruled, plain, scattered],
    findKnown,
  });
  const unsure = sureLines(originalReading.filter(isLevel), gray, worded).filter(({ words }) =>
    words.some((word) => worded.has(word)),
  );
  const isKnown = unsure.length > 0 ? await findKnown() : undefined;
  const level = isKnown === undefined ? settled : withMoreKnown(settled, unsure, isKnown);
  const turned = [scattered, originalReading].reduce<SureLine[]>(
    (found, lines) => better(found, sureLines(lines.filter(isTurned), gray)),
    inBoth(isTurned),
  );
  return better(level, turned);
}

/** Range of ratios between the widths of the original and of the drawn page in which both are read alike. */
const LEAST_ALIKE = 0.68;
const MOST_ALIKE = 1.15;

/** Tests whether the original is the drawn page at about the same resolution. */
function isAlike(original: OriginalPage | undefined, { width }: RawPixels): boolean {
  if (original?.skewDegrees !== 0) return false;
  const ratio = original.picture.width / width;
  return ratio >= LEAST_ALIKE && ratio <= MOST_ALIKE;
}

/** In some scripts, boxes are letters. */
function mayHaveTickBoxes(language: LanguageTag | undefined): boolean {
  return language !== undefined && !/^(?:zh|ja|ko|yue)\b/iu.test(language);
}

/** A grey picture and its rules. */
interface RuledPicture extends ReadablePicture {
  /** Pixels per 1/96 inch. */
  unitPx: number;
  rules: readonly Rule[];
  /** Cells that rules enclose. */
  cells: readonly PixelBox[];
  /** The picture without the rules of its tables. */
  unruled: RawPixels;
}

function ruledPicture({ gray, scale }: ReadablePicture, dpi: number): RuledPicture {
  const unitPx = (scale * dpi) / SCREEN_DPI;
  const rules = findRules(gray, { scale, unitPx });
  const cells = closedCells(rules, unitPx);
  return { gray, scale, unitPx, rules, cells, unruled: withoutTableRules(gray, rules, scale) };
}

function recognise(
  gray: RawPixels,
  {
    language,
    paperDpi,
    scale,
    layout,
  }: ReadingOptions & { scale: number; layout: 'page' | 'column' | 'scattered' },
): Promise<OcrLine[]> {
  return recogniseText(gray, {
    language,
    layout,
    ...(paperDpi !== undefined && { dotsPerInch: scale * paperDpi }),
  });
}

/** Recognises a ruled picture, or one derived from it. */
async function readIn(
  ground: RawPixels,
  { rules, cells, scale }: RuledPicture,
  { layout = 'page', ...options }: ReadingOptions & { layout?: 'page' | 'scattered' },
): Promise<PlacedLine[]> {
  const lines = await recognise(ground, { ...options, scale, layout });
  return placedLines(lines, { gray: ground, rules, cells });
}

async function readOriginal(
  { gray, rules, cells, scale }: RuledPicture,
  { original, language, paperDpi = SCREEN_DPI }: ReadingOptions,
): Promise<PlacedLine[]> {
  if (original === undefined) return [];
  const lines = await recogniseText(original.picture, {
    language,
    dotsPerInch: (original.picture.width / gray.width) * scale * paperDpi,
  });
  return placedLines(onLevelPage(lines, original, gray), { gray, rules, cells });
}

/** Maximum height of a skewed box, as a multiple of the height of its content. */
const MOST_ASKEW = 2;

/** Maps lines of an original page to a page of another size that was deskewed. */
function onLevelPage<Line extends PlacedLine>(
  lines: readonly Line[],
  { picture, skewDegrees }: OriginalPage,
  { width, height }: { width: number; height: number },
): Line[] {
  const [scaleX, scaleY] = [width / picture.width, height / picture.height];
  const angle = (skewDegrees * Math.PI) / 180;
  const [cos, sin, slope] = [Math.cos(angle), Math.sin(angle), Math.tan(angle)];
  const place = (atX: number, atY: number): { x: number; y: number } => {
    const [x, y] = [atX * scaleX - width / 2, atY * scaleY - height / 2];
    return { x: width / 2 + cos * x + sin * y, y: height / 2 - sin * x + cos * y };
  };
  const moved = ({ left, right, top, bottom }: PixelBox, isLevel: boolean): PixelBox => {
    const { x, y } = place((left + right) / 2, (top + bottom) / 2);
    const [w, h] = [(right - left) * scaleX, (bottom - top) * scaleY];
    const across = (one: number, other: number): number =>
      Math.max(one / MOST_ASKEW, one - Math.abs(slope) * other);
    const [ownWidth, ownHeight] = isLevel ? [w, across(h, w)] : [across(w, h), h];
    return {
      left: Math.round(x - ownWidth / 2),
      right: Math.round(x + ownWidth / 2),
      top: Math.round(y - ownHeight / 2),
      bottom: Math.round(y + ownHeight / 2),
    };
  };
  return lines.map((line) => {
    const isLevel = line.angle === 0;
    const words = line.words.map((word): OcrWord => {
      const letters = word.letters?.map(({ text, box }) => ({ text, box: moved(box, isLevel) }));
      return { ...word, box: moved(word.box, isLevel), ...(letters && { letters }) };
    });
    const box = around(words.map((word) => word.box));
    const foot = place(line.box.left, line.baseline.leftPx);
    const fall = line.baseline.slope - slope;
    return {
      ...line,
      words,
      box,
      baseline: { leftPx: foot.y + fall * (box.left - foot.x), slope: fall },
      letterHeightPx: line.letterHeightPx * scaleY,
    };
  });
}

function finished(lines: readonly SureLine[], ruled: RuledPicture): ReadLine[] {
  return inOrderOfCells(lines, ruled.cells).map((line) => readLine(line, ruled));
}

function isLevel({ angle }: OcrLine): boolean {
  return angle === 0;
}

function isTurned({ angle }: OcrLine): boolean {
  return angle !== 0;
}

/** Returns the lines, each in its column or cell. */
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

/** Maximum gap between words of one text, as a multiple of the letter height. */
const WIDEST_GAP = 1.6;

/** Splits a line at buttons, boxes and cells side by side, which recognition reads as one line. */
function apart(line: PlacedLine, rules: readonly Rule[]): PlacedLine[] {
  if (isTurned(line)) return [line];
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

/** The text of an enclosed cell may use all of the cell, whatever stands beside it. */
function placedIn(cells: readonly PixelBox[], line: PlacedLine): PlacedLine {
  if (line.row === undefined) return line;
  const cell = cells.find((one) => isInCell(line, one));
  return cell === undefined ? line : { ...line, row: { top: cell.top, bottom: cell.bottom } };
}

/** Returns the baseline of words: texts side by side do not always share one. */
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

/** Sorts the lines of a cell from top to bottom if they form a column, wherever they were read. */
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
  seen: SureLine,
  { rules, scale, gray }: { rules: readonly Rule[]; scale: number; gray: RawPixels },
): ReadLine {
  const line = turnedLine(seen, gray);
  const ruled = isLevel(line) ? rowAround(line.box, rules) : { top: -Infinity, bottom: Infinity };
  const top = Math.max(ruled.top, line.row?.top ?? -Infinity);
  const bottom = Math.min(ruled.bottom, line.row?.bottom ?? Infinity);
  const words = line.words.map((word) => ({ ...word, box: scaledBox(word.box, scale) }));
  const { leftPx, slope } = isLevel(line) ? line.baseline : baselineOf(line.words, line, line.box);
  return {
    text: joined(words.map((word) => word.text)),
    angle: quarterTurn(line.angle),
    words,
    box: around(words.map(({ box }) => box)),
    slope,
    baselinePx: leftPx / scale,
    letterHeightPx: line.letterHeightPx / scale,
    isRightToLeft: line.isRightToLeft,
    paragraph: line.paragraph,
    isMarked: line.isMarked,
    row: { top: top / scale, bottom: bottom / scale },
  };
}

function scaledBox({ left, top, right, bottom }: PixelBox, scale: number): PixelBox {
  return {
    left: Math.floor(left / scale),
    top: Math.floor(top / scale),
    right: Math.ceil(right / scale),
    bottom: Math.ceil(bottom / scale),
  };
}
