/**
 * Reads cells of a table again that were hard to read, or in which something was not. Tesseract reads a
 * row of cells as one line, and doubts words with much more room around them than words of a text have:
 * set one below the other they are lines of one text.
 */
import { around, type OcrLine, type OcrWord, type PixelBox, type RawPixels } from './ocr.ts';
import { paperOf } from './read-bars.ts';
import type { Rule } from './rules.ts';
import type { PlacedLine } from './table-cells.ts';

/** Mean confidence of a cell that is sure; words of clean print have 90 and more. */
const SURE = 86;
/** In heights of letters: what is kept around a cell, and the room between it and the next. */
const PADDING = 0.4;
const ROOM = 1;

/** Confident letters. */
export function worth(words: readonly Pick<OcrWord, 'text' | 'confidence'>[]): number {
  return words.reduce(
    (sum, { text, confidence }) => sum + text.length * Math.max(0, confidence - 40),
    0,
  );
}

/** Mean confidence of letters, from 0 to 100. */
export function meanConfidence(words: readonly OcrWord[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / letters;
}

/**
 * The lines, with others for those in cells, and beside upright rules, that were read better by
 * themselves. Where cells of a row stand at different heights, lines are read across them that none has.
 *
 * @param gray without the rules
 * @param cells what rules close in
 * @param unitPx its pixels to 1/96 inch
 * @param read reads one column of lines
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
  return worth(words) > worth(apartFromEachOther(before.flatMap((line) => line.words)));
}

/** Of words that were read over each other the better ones. */
function apartFromEachOther(words: readonly OcrWord[]): OcrWord[] {
  const kept: OcrWord[] = [];
  for (const word of words.toSorted((a, b) => worth([b]) - worth([a]))) {
    if (!kept.some((other) => isOver(word.box, other.box))) kept.push(word);
  }
  return kept;
}

/** The lines without words that were read better in another, as those of cells at different heights are. */
export function withoutDoubles(lines: readonly OcrLine[]): OcrLine[] {
  const kept: { word: OcrWord; line: OcrLine }[] = [];
  const all = lines.flatMap((line) => line.words.map((word) => ({ word, line })));
  for (const one of all.toSorted((a, b) => worth([b.word]) - worth([a.word]))) {
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

/** Words in lines one below the other share less of their height. */
const SHARED = 0.5;
/** Of the width of the narrower word: places are rough, and those of neighbours touch. */
const TOUCHING = 0.3;

/** Whether two words were read at one place. */
function isOver(a: PixelBox, b: PixelBox): boolean {
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  return (
    width > TOUCHING * Math.min(a.right - a.left, b.right - b.left) &&
    height > SHARED * Math.min(a.bottom - a.top, b.bottom - b.top)
  );
}

/** Whether a line stands in a cell. */
export function isInCell({ words }: PlacedLine, cell: PixelBox): boolean {
  const box = around(words.map((word) => word.box));
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  return x > cell.left && x < cell.right && y > cell.top && y < cell.bottom;
}

/** In 1/96 inch. */
const USUAL_LETTER = 14;
/** Of rules that were erased, and of paper, traces stay; in 1/96 inch. */
const EDGE = 1.5;
const LEAST_LETTER = 4;
/** Levels of gray: what the darkest differs by less is no ink but paper. */
const LEAST_DIFFERENCE = 96;
/** Text fills less of a cell; pictures fill more. */
const MOST_FILLED = 0.4;

/** Where the ink of a cell is that is to be read again; undefined when it was read with certainty. */
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
  const paper = paperOf(gray, inner);
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

/** Where a line is looked at again, up to the rules beside it; undefined where it has none. */
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

/** Where a cell stands in the column: rows from `top` to `bottom`, and how far it was moved. */
interface Place {
  top: number;
  bottom: number;
  byX: number;
  byY: number;
}

/** Cells one below the other, dark on bright. */
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
      // The ground becomes white, as the paper between the cells is.
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
