/**
 * Rows of tables without rules: decides which lines of a column are separate cells, not lines of one text.
 */
import { horizontalOverlap } from './geometry.ts';
import { isRightAligned } from './alignment.ts';
import { type ReadLine, textOfLine } from './read-line.ts';
import type { Ruling } from './page-model.ts';

/** Widest line of a cell in such a table, in ems; columns of text are wider. */
export const MAX_CELL_EMS = 13;
/** Minimum distance of rows, as a multiple of the leading within a cell. */
const ROW_RATIO = 1.15;
/** Leading within a cell, in ems, where no text of the page shows it. */
const USUAL_LEADING_EMS = 1.27;
/** Maximum difference between baselines of one row, in ems. */
const SAME_ROW_EMS = 0.25;
/** Where the line for filling in a form runs, relative to the baseline, in ems. */
const BLANK_LINE = { from: -0.6, to: 0.2 } as const;
/** Minimum share of lines in a text column whose sentence continues in the next line. */
const PROSE_SHARE = 0.4;
/** Minimum width of the widest line of such a column, in ems. */
const MIN_PROSE_EMS = 9;
/** Free width beside a line that could have held the next one, in ems. */
const MIN_ROOM_EMS = 3;
/** A line that may go on in the next one: its last word is no name and no number, or is broken. */
export const UNENDED = /(?:^|\s)\p{Ll}\S*$|[-\u00AD\u2010]$/u;
/** Maximum number of pieces of a row; a row of more is no table. */
const MAX_CELLS = 60;

/** Another piece in the row of a line. */
interface Cell {
  box: { left: number; right: number; bottom: number; top: number };
  /** Whether it is a number with its unit, or has no letters: such text is never broken into lines. */
  isFigure: boolean;
}

/** Returns the indexes of the lines of a column, from top to bottom, that begin a row. */
export type RowStarts = (chain: readonly ReadLine[]) => ReadonlySet<number>;

/**
 * Analyses the rows of a page's lines.
 * @param level the horizontal rulings; forms have them to write on
 * @param next maps each line to the one below it in its column
 */
export function rowStarts({
  lines,
  level,
  next,
}: {
  lines: readonly ReadLine[];
  level: readonly Ruling[];
  next: ReadonlyMap<ReadLine, ReadLine>;
}): RowStarts {
  const rows = rowsByLine(lines);
  const tightest = tightestLeading(next);
  const cellsOf = (line: ReadLine): Cell[] => {
    const others = (rows.get(line) ?? []).filter((other) => other !== line);
    const blanks = level.filter((rule) => isBlankFor(line, rule));
    return [
      ...others.map((other) => ({ box: other.box, isFigure: isFigure(other) })),
      ...blanks.map(({ from, to }) => {
        return { box: { ...line.box, left: from, right: to }, isFigure: true };
      }),
    ].slice(0, MAX_CELLS);
  };
  return (chain) => {
    const starts = new Set<number>();
    const goOn = chain.filter((line, at) => goesOn(line, chain[at + 1])).length;
    const isProse = goOn > PROSE_SHARE * (chain.length - 1);
    if (isProse && chain.some((line) => isWide(line, MIN_PROSE_EMS))) return starts;
    const isRight = isRightAligned(chain);
    for (const [before, line] of chain.slice(1).entries()) {
      const previous = chain[before];
      if (previous === undefined) continue;
      const [above, own] = [cellsOf(previous), cellsOf(line)];
      const pairs = own.flatMap((cell) =>
        above.filter(({ box }) => horizontalOverlap(box, cell.box) > 0).map((one) => [one, cell]),
      );
      const leading = previous.baseline - line.baseline;
      const isFar = leading > ROW_RATIO * tightest(line) * line.sizePoints;
      // The last line of a cell that is higher than the others of its row.
      const isAlone = above.length === 0 && own.length > 0 && !goesOn(previous, line);
      const haveFigures = pairs.some((pair) => pair.every((cell) => cell.isFigure));
      // Figures below the heads of their columns.
      const isBelowHead =
        pairs.some(([head, cell]) => head?.isFigure === false && cell?.isFigure === true) &&
        !goesOn(previous, line) &&
        !(isWide(previous, MIN_PROSE_EMS) && UNENDED.test(textOfLine(previous)));
      const hasRoom = isRight && pairs.length > 0 && hasRoomBefore(previous, line, above);
      const isRow =
        haveFigures || isBelowHead || hasRoom || (isFar && (isAlone || pairs.length > 0));
      if (isRow && !(isWide(previous, MAX_CELL_EMS) && goesOn(previous, line)))
        starts.add(before + 1);
    }
    return starts;
  };
}

function rowsByLine(lines: readonly ReadLine[]): Map<ReadLine, ReadLine[]> {
  const rows = new Map<ReadLine, ReadLine[]>();
  let row: ReadLine[] = [];
  for (const line of [...lines].sort((a, b) => b.baseline - a.baseline)) {
    const [first] = row;
    const isSame =
      first !== undefined && first.baseline - line.baseline < SAME_ROW_EMS * line.sizePoints;
    if (isSame) row.push(line);
    else row = [line];
    rows.set(line, row);
  }
  return rows;
}

/** Returns the smallest leading, in ems, among broken lines of the same size as a line. */
function tightestLeading(next: ReadonlyMap<ReadLine, ReadLine>): (line: ReadLine) => number {
  const known = new Map<number, number>();
  const key = ({ sizePoints }: ReadLine): number => Math.round(sizePoints * 2);
  for (const [line, below] of next) {
    const leading = (line.baseline - below.baseline) / line.sizePoints;
    if (leading < 0.95 || !goesOn(line, below)) continue;
    known.set(key(line), Math.min(known.get(key(line)) ?? USUAL_LEADING_EMS, leading));
  }
  return (line) => known.get(key(line)) ?? USUAL_LEADING_EMS;
}

/** Tests whether a sentence continues in the next line, as far as its letters show. */
function goesOn(line: ReadLine, below: ReadLine | undefined): boolean {
  if (below === undefined || isFigure(line)) return false;
  return /[\p{L}\p{N},\-\u2010]$/u.test(textOfLine(line)) && /^\p{Ll}/u.test(textOfLine(below));
}

/** Tests whether a right-aligned line could have held all of the next one. */
function hasRoomBefore(previous: ReadLine, line: ReadLine, cells: readonly Cell[]): boolean {
  const { left } = previous.box;
  const before = cells.map(({ box }) => box.right).filter((right) => right <= left);
  const width = line.box.right - line.box.left;
  const room = left - Math.max(-Infinity, ...before);
  return room > width + MIN_ROOM_EMS * line.sizePoints && !goesOn(previous, line);
}

function isWide({ box, sizePoints }: ReadLine, ems: number): boolean {
  return box.right - box.left > ems * sizePoints;
}

function isFigure(line: ReadLine): boolean {
  const text = textOfLine(line);
  // Two expressions, since a combined one would search a long row of figures again and again.
  const number = text.replace(/^\p{L}{1,12}/u, '').replace(/\p{L}{1,12}\.?$/u, '');
  const isNumber = /\d/.test(number) && !/\p{L}/u.test(number);
  return isNumber || !/\p{L}/u.test(text);
}

function isBlankFor({ box, baseline, sizePoints }: ReadLine, { at, from }: Ruling): boolean {
  const height = (at - baseline) / sizePoints;
  return from >= box.right && height > BLANK_LINE.from && height < BLANK_LINE.to;
}
