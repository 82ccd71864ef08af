/**
 * Reads doubtful table cells again. Tesseract reads a row of cells as one line, and is unsure of words with
 * more room around them than in running text; arranged in one column, the cells are lines of one text.
 */
import { around, type OcrLine, type OcrWord, type PixelBox, type RawPixels } from './ocr.ts';
import { inkClassifier } from './read-bars.ts';
import type { Rule } from './rules.ts';
import type { PlacedLine } from './table-cells.ts';

/** Mean confidence of a certain cell; words of clean print have 90 and more. */
const SURE = 86;
/** Margin kept around a cell, and gap between cells in the column, in letter heights. */
const PADDING = 0.4;
const ROOM = 1;

/** Returns the value of words: their letters, weighted by confidence. */
export function confidenceWeight(words: readonly Pick<OcrWord, 'text' | 'confidence'>[]): number {
  return words.reduce(
    (sum, { text, confidence }) => sum + text.length * Math.max(0, confidence - 40),
    0,
  );
}

/** Returns the mean confidence per letter, from 0 to 100. */
export function meanConfidence(words: readonly OcrWord[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / letters;
}

/**
 * Replaces lines in cells, and beside vertical rules, that are read better separately. Where the cells of a
 * row stand at different heights, recognition reads lines across them that exist in none.
 * @param gray the picture without the rules
 * @param cells cells that rules enclose
 * @param unitPx pixels per 1/96 inch
 * @param read recognises one column of lines
 */
export async function withDoubtfulCellsRead(
  lines: readonly PlacedLine[],
  {
    gray,
    rules,
    cells,
    unitPx,
    read,
  }: {
    gray: RawPixels;
    rules: readonly Rule[];
    cells: readonly PixelBox[];
    unitPx: number;
    read: (column: RawPixels) => Promise<OcrLine[]>;
  },
): Promise<PlacedLine[]> {
  const closed = cells.map((cell) => ({
    cell,
    lines: lines.filter((line) => isInCell(line, cell)),
  }));
  const inClosed = new Set(closed.flatMap((one) => one.lines));
  const beside = lines
    .filter((line) => !inClosed.has(line) && meanConfidence(line.words) < SURE)
    .map((line) => ({ cell: cellAround(line, rules, gray), lines: [line] }));
  const doubtful = [
    ...closed.map((one) => ({ ...one, cell: doubtfulPart(one, { gray, unitPx }) })),
    ...beside,
  ].flatMap(({ cell, lines: read }) => (cell === undefined ? [] : [{ cell, lines: read }]));
  if (doubtful.length === 0) return [...lines];
  const { column, places } = columnOf(
    gray,
    doubtful.map(({ cell, lines: [line] }) => ({
      cell,
      heightPx: line?.letterHeightPx ?? USUAL_LETTER * unitPx,
    })),
  );
  const found = (await read(column)).filter(({ angle }) => angle === 0);
  const paragraphs = Math.max(0, ...[...lines, ...found].map(({ paragraph }) => paragraph)) + 1;
  const replaced = new Map<PlacedLine, readonly PlacedLine[]>();
  const added: PlacedLine[] = [];
  for (const [at, { lines: before }] of doubtful.entries()) {
    const place = places[at];
    if (place === undefined) continue;
    const after = found
      .filter(({ box }) => place.top < (box.top + box.bottom) / 2)
      .filter(({ box }) => place.bottom > (box.top + box.bottom) / 2)
      .map((line) => movedLine(line, place))
      .map((line) => ({ ...line, paragraph: line.paragraph + (at + 1) * paragraphs }));
    if (!isBetter(after, before)) continue;
    const [first, ...others] = before;
    if (first === undefined) added.push(...after);
    else replaced.set(first, after);
    for (const line of others) replaced.set(line, []);
  }
  return [...lines.flatMap((line) => replaced.get(line) ?? [line]), ...added];
}

function isBetter(after: readonly PlacedLine[], before: readonly PlacedLine[]): boolean {
  const words = after.flatMap((line) => line.words);
  if (words.length === 0) return false;
  if (before.length === 0) return meanConfidence(words) >= SURE;
  return (
    confidenceWeight(words) >
    confidenceWeight(apartFromEachOther(before.flatMap((line) => line.words)))
  );
}

/** Of overlapping words, keeps the better ones. */
function apartFromEachOther(words: readonly OcrWord[]): OcrWord[] {
  const kept: OcrWord[] = [];
  for (const word of words.toSorted((a, b) => confidenceWeight([b]) - confidenceWeight([a]))) {
    if (!kept.some((other) => isOver(word.box, other.box))) kept.push(word);
  }
  return kept;
}

/** Removes words that another line has in a better reading, as happens with cells at different heights. */
export function withoutDoubles(lines: readonly OcrLine[]): OcrLine[] {
  const kept: { word: OcrWord; line: OcrLine }[] = [];
  const all = lines.flatMap((line) => line.words.map((word) => ({ word, line })));
  for (const one of all.toSorted(
    (a, b) => confidenceWeight([b.word]) - confidenceWeight([a.word]),
  )) {
    const isDouble = kept.some(
      ({ word, line }) => line !== one.line && isOver(word.box, one.word.box),
    );
    if (!isDouble) kept.push(one);
  }
  const words = new Set(kept.map(({ word }) => word));
  return lines
    .map((line) => ({ ...line, words: line.words.filter((word) => words.has(word)) }))
    .filter((line) => line.words.length > 0);
}

/** Overlap of heights, as a share; words in adjacent lines share less. */
const SHARED = 0.5;
/** Overlap of widths, as a share of the narrower word; boxes are inexact, and those of neighbours touch. */
const TOUCHING = 0.3;

/** Tests whether two words were read at one place. */
function isOver(a: PixelBox, b: PixelBox): boolean {
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  return (
    width > TOUCHING * Math.min(a.right - a.left, b.right - b.left) &&
    height > SHARED * Math.min(a.bottom - a.top, b.bottom - b.top)
  );
}

/** Tests whether a line stands in a cell. */
export function isInCell({ words }: PlacedLine, cell: PixelBox): boolean {
  const box = around(words.map((word) => word.box));
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  return x > cell.left && x < cell.right && y > cell.top && y < cell.bottom;
}

/** Usual letter height, in 1/96 inch. */
const USUAL_LETTER = 14;
/** Margin in which traces of erased rules and of paper remain, and minimum size of a letter, in 1/96 inch. */
const EDGE = 1.5;
const LEAST_LETTER = 4;
/** Minimum contrast of ink, in grey levels. */
const LEAST_DIFFERENCE = 96;
/** Maximum share of a cell that text fills; pictures fill more. */
const MOST_FILLED = 0.4;

/** Returns the box of a cell's ink if it has to be read again; undefined if it was read with certainty. */
function doubtfulPart(
  { cell, lines }: { cell: PixelBox; lines: readonly PlacedLine[] },
  { gray, unitPx }: { gray: RawPixels; unitPx: number },
): PixelBox | undefined {
  if (lines.some(({ angle }) => angle !== 0)) return undefined;
  const edge = Math.ceil(EDGE * unitPx);
  const inner = {
    left: cell.left + edge,
    right: Math.min(gray.width, cell.right - edge),
    top: cell.top + edge,
    bottom: Math.min(gray.height, cell.bottom - edge),
  };
  const [width, height] = [inner.right - inner.left, inner.bottom - inner.top];
  if (Math.min(width, height) < LEAST_LETTER * unitPx) return undefined;
  const words = lines.flatMap((line) => line.words);
  const paper = inkClassifier(gray, inner);
  if (paper === undefined || paper.contrast < LEAST_DIFFERENCE) return undefined;
  const read = words.map(({ box }) => box);
  const isRead = (x: number, y: number): boolean =>
    read.some(
      ({ left, right, top, bottom }) =>
        x >= left - edge && x < right + edge && y >= top - edge && y < bottom + edge,
    );
  let [ink, unread] = [0, 0];
  const box = { left: inner.right, right: inner.left, top: inner.bottom, bottom: inner.top };
  for (let y = inner.top; y < inner.bottom; y++) {
    for (let x = inner.left; x < inner.right; x++) {
      if (!paper.isInk(x, y)) continue;
      ink++;
      if (!isRead(x, y)) unread++;
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x + 1);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y + 1);
    }
  }
  if (ink === 0 || ink > MOST_FILLED * width * height) return undefined;
  const isSure = words.length > 0 && meanConfidence(words) >= SURE;
  if (isSure && unread < (LEAST_LETTER * unitPx) ** 2) return undefined;
  if (box.bottom - box.top < LEAST_LETTER * unitPx) return undefined;
  const padding = Math.round(PADDING * USUAL_LETTER * unitPx);
  return {
    left: Math.max(cell.left, box.left - padding),
    right: Math.min(cell.right, box.right + padding),
    top: Math.max(cell.top, box.top - padding),
    bottom: Math.min(cell.bottom, box.bottom + padding),
  };
}

/** Returns the box in which to read a line again, up to the rules beside it; undefined without such rules. */
function cellAround(
  { words, letterHeightPx, angle }: PlacedLine,
  rules: readonly Rule[],
  { width, height }: RawPixels,
): PixelBox | undefined {
  const { left, right, top, bottom } = around(words.map(({ box }) => box));
  const middle = (top + bottom) / 2;
  const beside = rules.filter(
    ({ box, isUpright }) => isUpright && box.top < middle && box.bottom > middle,
  );
  if (beside.length === 0 || angle !== 0 || right <= left) return undefined;
  const padding = Math.round(PADDING * letterHeightPx);
  const centre = (left + right) / 2;
  const before = beside.filter(({ box }) => box.right <= centre).map(({ box }) => box.right);
  const after = beside.filter(({ box }) => box.left >= centre).map(({ box }) => box.left);
  return {
    left: Math.max(0, left - padding, ...before),
    right: Math.min(width, right + padding, ...after),
    top: Math.max(0, top - padding),
    bottom: Math.min(height, bottom + padding),
  };
}

/** The place of a cell in the column: its rows from `top` to `bottom`, and how far it was moved. */
interface Place {
  top: number;
  bottom: number;
  byX: number;
  byY: number;
}

/** Arranges cells in one column, dark on bright. */
function columnOf(
  gray: RawPixels,
  cells: readonly { cell: PixelBox; heightPx: number }[],
): { column: RawPixels; places: Place[] } {
  const room = Math.round(ROOM * Math.max(...cells.map(({ heightPx }) => heightPx)));
  const width = 2 * room + Math.max(...cells.map(({ cell }) => cell.right - cell.left));
  const places: Place[] = [];
  let height = room;
  for (const { cell } of cells) {
    const bottom = height + cell.bottom - cell.top;
    places.push({ top: height, bottom, byX: room - cell.left, byY: height - cell.top });
    height = bottom + room;
  }
  const data = new Uint8Array(width * height).fill(255);
  for (const [at, { cell }] of cells.entries()) {
    const place = places[at];
    if (place === undefined) continue;
    const rows = Array.from({ length: cell.bottom - cell.top }, (_, row) => {
      const from = (cell.top + row) * gray.width;
      return gray.data.subarray(from + cell.left, from + cell.right);
    });
    const levels = Uint8Array.from(rows.flatMap((row) => [...row])).sort();
    const ground = levels[levels.length >> 1] ?? 255;
    const isDark = ground < 128;
    for (const [row, values] of rows.entries()) {
      // The background becomes white like the space between the cells.
      const shown = values.map((value) =>
        Math.min(255, isDark ? 255 - (value - ground) : value + (255 - ground)),
      );
      data.set(shown, (place.top + row) * width + room);
    }
  }
  return { column: { data, width, height, channels: 1 }, places };
}

function movedLine(line: OcrLine, { byX, byY }: Place): PlacedLine {
  const moved = ({ left, right, top, bottom }: PixelBox): PixelBox => ({
    left: left - byX,
    right: right - byX,
    top: top - byY,
    bottom: bottom - byY,
  });
  const words = line.words.map((word) => {
    const letters = word.letters?.map(({ text, box }) => ({ text, box: moved(box) }));
    return { ...word, box: moved(word.box), ...(letters && { letters }) };
  });
  const { leftPx, slope } = line.baseline;
  return { ...line, words, box: moved(line.box), baseline: { leftPx: leftPx - byY, slope } };
}
