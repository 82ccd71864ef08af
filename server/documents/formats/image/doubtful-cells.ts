/**
 * Reads cells of a table again that were hard to read. Tesseract reads a row of cells as one line, and
 * doubts words with much more room around them than words of a text have: set one below the other they
 * are lines of one text.
 */
import { around, type OcrLine, type OcrWord, type PixelBox, type RawPixels } from './ocr.ts';
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
 * The lines, with other words for those beside upright rules that were read better by themselves.
 *
 * @param gray without the rules
 * @param read reads one column of lines
 */
export async function withDoubtfulCellsRead(
  lines: readonly PlacedLine[],
  {
    gray,
    rules,
    read,
  }: {
    gray: RawPixels;
    rules: readonly Rule[];
    read: (column: RawPixels) => Promise<OcrLine[]>;
  },
): Promise<PlacedLine[]> {
  const doubtful = lines.flatMap((line) => {
    const cell = meanConfidence(line.words) < SURE ? cellAround(line, rules, gray) : undefined;
    return cell === undefined ? [] : [{ line, cell }];
  });
  if (doubtful.length === 0) return [...lines];
  const { column, places } = columnOf(
    gray,
    doubtful.map(({ cell, line }) => ({ cell, heightPx: line.letterHeightPx })),
  );
  const found = (await read(column)).filter(({ angle }) => angle === 0);
  const better = new Map<PlacedLine, PlacedLine>();
  for (const [at, { line }] of doubtful.entries()) {
    const place = places[at];
    if (place === undefined) continue;
    const words = found
      .filter(({ box }) => place.top < (box.top + box.bottom) / 2)
      .filter(({ box }) => place.bottom > (box.top + box.bottom) / 2)
      .flatMap((one) => one.words.map((word) => movedWord(word, place)));
    if (worth(words) <= worth(line.words)) continue;
    better.set(line, { ...line, words });
  }
  return lines.map((line) => better.get(line) ?? line);
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

function movedWord(word: OcrWord, { byX, byY }: Place): OcrWord {
  const moved = ({ left, right, top, bottom }: PixelBox): PixelBox => ({
    left: left - byX,
    right: right - byX,
    top: top - byY,
    bottom: bottom - byY,
  });
  const letters = word.letters?.map(({ text, box }) => ({ text, box: moved(box) }));
  return { ...word, box: moved(word.box), ...(letters && { letters }) };
}
