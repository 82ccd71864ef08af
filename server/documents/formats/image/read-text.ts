/** The text of a picture: what recognition found twice is joined, what is no text is left out. */
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
 * A line of text that is sure to be text. Where that of a turned line is, and where its words are, is
 * given as if the picture were turned until it lies level.
 */
export interface ReadLine {
  text: string;
  angle: QuarterTurn;
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
 * A page in the resolution it was scanned in, and as it lies: drawn in another resolution, or turned back,
 * now and then a letter of it is read for another.
 */
interface OriginalPage {
  picture: RawPixels;
  /** How far its lines fall to the right. */
  skewDegrees: number;
}

interface ReadingOptions {
  /** Where it is known. */
  language: LanguageTag | undefined;
  signal?: AbortSignal;
  /** Pixels to the inch of a scanned page. */
  paperDpi?: number;
  /** Of a scanned page, where it is another picture: it is read as well. */
  original?: OriginalPage | undefined;
}

/**
 * Reads a picture twice, for texts on grounds of different colours, and keeps of each place what was
 * read better. A scanned page has one ground, and is read in other ways.
 *
 * @throws DocumentError as `recogniseText` does
 */
export async function readText(picture: Picture, options: ReadingOptions): Promise<ReadLine[]> {
  const suited = await readable(picture);
  // Letters of a scan are large enough, however small its page is.
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
 * A scanned page is read without the rules of its tables, and what strikes its words, and as it was
 * scanned; where these do not say all of it, also with its rules, and for bits of text anywhere.
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
    // The original has struck words as well.
    if (isOnlyStruck && options.original !== undefined) return [];
    if (isAlike(options.original, gray)) return inOriginal;
    return (await isDone) ? [] : readIn(gray, ruled, options);
  };
  // What stands alone on a page, or in a dark band of it, may be taken for a picture.
  const readScattered = async (): Promise<PlacedLine[]> =>
    (await isDone) ? [] : readIn(gray, ruled, { ...options, layout: 'scattered' });
  const [unruled, plain, scattered, asItIs] = await Promise.all([
    inCells,
    readPlain(),
    readScattered(),
    inOriginal,
  ]);
  return finished(
    await joinedReadings(
      { unruled, plain, scattered, asItIs },
      { ...ruled, strikes, bare },
      options,
    ),
    ruled,
  );
}

/** A page without the rules of its tables, and with what strikes its words or without. */
interface BarePage extends RuledPicture {
  strikes: readonly PixelBox[];
  bare: RawPixels;
}

/** What was read of a page, in different ways and as it was scanned. */
interface PageReadings {
  unruled: PlacedLine[];
  plain: PlacedLine[];
  scattered: PlacedLine[];
  asItIs: PlacedLine[];
}

async function joinedReadings(
  { unruled, plain, scattered, asItIs }: PageReadings,
  { gray, rules, strikes, bare }: BarePage,
  { language }: ReadingOptions,
): Promise<SureLine[]> {
  const findKnown = async (): Promise<IsKnownWord | undefined> =>
    language === undefined ? undefined : knownWords(language);
  const worded = await wordedText([unruled, plain, asItIs], findKnown);
  const inBoth = (kind: (line: PlacedLine) => boolean): SureLine[] =>
    betterInOrder(
      sureLines(unruled.filter(kind), bare, worded),
      sureLines(plain.filter(kind), gray, worded),
    );
  // What stands so close to a rule that it lost a part, or is no rule at all, is read as it is.
  const best = rules.some(({ isUpright }) => isUpright)
    ? inBoth(isLevel)
    : sureLines(unruled.filter(isLevel), bare, worded);
  const onPage = [...plain, ...numberedAfter(plain, scattered)];
  const isPlainOriginal = plain === asItIs;
  const unmarked = [...onPage, ...(isPlainOriginal ? [] : numberedAfter(onPage, asItIs))]
    .filter(isLevel)
    .map((line) => withoutBullet(line, gray));
  const readings = {
    page: [plain.length > 0 && !isPlainOriginal ? plain : unruled, scattered],
    original: asItIs,
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
    original: asItIs,
    readings: [unruled, plain, scattered],
    findKnown,
  });
  const unsure = sureLines(asItIs.filter(isLevel), gray, worded).filter(({ words }) =>
    words.some((word) => worded.has(word)),
  );
  const isKnown = unsure.length > 0 ? await findKnown() : undefined;
  const level = isKnown === undefined ? settled : withMoreKnown(settled, unsure, isKnown);
  const turned = [scattered, asItIs].reduce<SureLine[]>(
    (found, lines) => better(found, sureLines(lines.filter(isTurned), gray)),
    inBoth(isTurned),
  );
  return better(level, turned);
}

/** Widths of a page drawn and as it was scanned, one in the other, where both are read alike. */
const LEAST_ALIKE = 0.68;
const MOST_ALIKE = 1.15;

/** Whether a page as it was scanned is what was drawn of it, in about its resolution. */
function isAlike(original: OriginalPage | undefined, { width }: RawPixels): boolean {
  if (original?.skewDegrees !== 0) return false;
  const ratio = original.picture.width / width;
  return ratio >= LEAST_ALIKE && ratio <= MOST_ALIKE;
}

/** Of some scripts boxes are letters. */
function mayHaveTickBoxes(language: LanguageTag | undefined): boolean {
  return language !== undefined && !/^(?:zh|ja|ko|yue)\b/iu.test(language);
}

/** A gray picture and what rules it. */
interface RuledPicture extends ReadablePicture {
  /** Its pixels to 1/96 inch. */
  unitPx: number;
  rules: readonly Rule[];
  /** What rules close in. */
  cells: readonly PixelBox[];
  /** Without the rules of its tables. */
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
    signal,
    paperDpi,
    scale,
    layout,
  }: ReadingOptions & { scale: number; layout: 'page' | 'column' | 'scattered' },
): Promise<OcrLine[]> {
  return recogniseText(gray, {
    language,
    signal,
    layout,
    ...(paperDpi !== undefined && { dotsPerInch: scale * paperDpi }),
  });
}

/** Reads what is a ruled picture, or was made of one. */
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
  { original, language, signal, paperDpi = SCREEN_DPI }: ReadingOptions,
): Promise<PlacedLine[]> {
  if (original === undefined) return [];
  const lines = await recogniseText(original.picture, {
    language,
    signal,
    dotsPerInch: (original.picture.width / gray.width) * scale * paperDpi,
  });
  return placedLines(onLevelPage(lines, original, gray), { gray, rules, cells });
}

/** A box that stands askew is higher than what is in it, at most so many times. */
const MOST_ASKEW = 2;

/** Lines of an original page, where they are on one of another size that was turned back. */
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

/** Between words of one text there is less room than this many times the height of its letters. */
const WIDEST_GAP = 1.6;

/** Buttons, boxes and cells that stand side by side are read as one line. */
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
