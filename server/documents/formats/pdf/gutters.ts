/**
 * Gutters: detects columns that are nearer to each other than the words of a stretched line, from lines of
 * the right column that begin at the same place row after row. Also finds gaps between cells that are hardly
 * wider than spaces.
 */
import type { Ruling } from './page-model.ts';
import { WORD_GAP_EMS, type ReadLine, isListMarker } from './read-line.ts';
import { horizontalOverlap } from './geometry.ts';

/** Narrowest gutter, in ems; monospaced text has wider spaces. */
const MIN_GUTTER_EMS = 0.45;
const MIN_TYPED_GUTTER_EMS = 1;
/** Maximum difference of line starts that count as the same place, in ems. */
const SAME_EMS = 0.15;
/** Minimum number of lines that begin at one place, which is no coincidence. */
const MIN_ROWS = 4;
/** The same where the lines before the gutter also end at one place. */
const MIN_JUSTIFIED_ROWS = 3;
/** Minimum share of these lines among the rows beside a gutter: first lines may be indented. */
const MIN_SHARE = 0.6;
/** Maximum difference between a gap and the next one in its row, in ems, for both to be stretched spaces. */
const SAME_BLANK_EMS = 0.06;
/** Maximum share of the rows of a gutter in which its gap may be a stretched space. */
const MAX_BLANK_SHARE = 0.5;
/** Maximum indent after a gutter, in ems; a line that begins further in belongs to another column. */
const MAX_INDENT_EMS = 4;
/** Maximum distance between the rows of a gutter, in ems. */
const MAX_LEADING_EMS = 3;
/** Minimum mean number of letters in the lines of columns; markers, numbers and labels are shorter. */
const MIN_CHARACTERS = 10;

/** A gutter that may still grow downwards; `at` is where the column to its right begins. */
interface Gutter {
  at: number;
  /** Left edge at its narrowest down to `bottom`, and including the rows since. */
  left: number;
  leftSince: number;
  /** End of the left column's line in the first row, and the number of rows that end there. */
  end: number;
  ends: number;
  top: number;
  bottom: number;
  /** Rows whose right column begins here, and rows with text on both sides. */
  starts: number;
  rows: number;
  /** Rows that begin here in which its gap may be a stretched space. */
  blanks: number;
  /** Letters on either side, summed over all of these rows. */
  before: number;
  after: number;
}

/** The gaps of a row. */
interface RowGaps {
  /** From left to right, including the margins at both ends. */
  gaps: Gap[];
  letters: number;
  top: number;
  bottom: number;
  size: number;
}

/** A gap within a row. */
interface Gap {
  left: number;
  right: number;
  /** Number of letters of the row before it. */
  before: number;
  /** Whether the adjacent gap between words, before or after it, is as wide. */
  isBlank: boolean;
}

/** Returns the gutters between columns, as invisible rulings; rows go from top to bottom. */
export function guttersBetween(rows: readonly (readonly ReadLine[])[]): Ruling[] {
  const read = rows.flatMap((row) => (row[0] === undefined ? [] : [gapsOf(row, row[0])]));
  const gutters = provenGutters(read).map((gutter) => extended(gutter, read));
  return gutters.map(({ at, left, bottom, top }): Ruling => {
    return { isHorizontal: false, at: (left + at) / 2, from: bottom, to: top };
  });
}

/** Returns the gutters beside which enough lines begin at one place to rule out coincidence. */
function provenGutters(rows: readonly RowGaps[]): Gutter[] {
  const gutters: Gutter[] = [];
  let open: Gutter[] = [];
  const close = (gutter: Gutter): void => {
    const { starts, ends, before, after } = gutter;
    const isText = Math.min(before, after) >= MIN_CHARACTERS * gutter.rows;
    const least = ends === starts ? MIN_JUSTIFIED_ROWS : MIN_ROWS;
    if (starts < least || starts < MIN_SHARE * gutter.rows || !isText) return;
    if (gutter.blanks > MAX_BLANK_SHARE * starts) return;
    gutters.push(gutter);
  };
  for (const { gaps, letters, top, bottom, size } of rows) {
    const still: Gutter[] = [];
    for (const gutter of open) {
      const isNear = gutter.bottom - top < MAX_LEADING_EMS * size;
      const gap = gaps.find(
        ({ left, right }) => left < gutter.at && right > gutter.at - SAME_EMS * size,
      );
      const left = Math.max(gutter.leftSince, gap?.left ?? Infinity);
      if (!isNear || gap === undefined || gutter.at - left < MIN_GUTTER_EMS * size) {
        close(gutter);
        continue;
      }
      still.push(gutter);
      gutter.leftSince = left;
      const after = letters - gap.before;
      if (gap.before === 0 || after === 0) continue;
      // A line of a column further to the right proves nothing about this gutter.
      if (gap.right - gutter.at > MAX_INDENT_EMS * size) continue;
      const isStart = Math.abs(gap.right - gutter.at) < SAME_EMS * size;
      if (isStart) {
        gutter.left = left;
        gutter.bottom = bottom;
        if (Math.abs(gap.left - gutter.end) < SAME_EMS * size) gutter.ends += 1;
        if (gap.isBlank) gutter.blanks += 1;
      }
      gutter.starts += isStart ? 1 : 0;
      gutter.rows += 1;
      gutter.before += gap.before;
      gutter.after += after;
    }
    for (const { left, right, before, isBlank } of gaps) {
      if (before === 0 || before === letters) continue;
      if (still.some(({ at }) => Math.abs(at - right) < SAME_EMS * size)) continue;
      const counts = { ends: 1, starts: 1, rows: 1, blanks: isBlank ? 1 : 0 };
      const sides = { before, after: letters - before };
      still.push({ at: right, left, leftSince: left, end: left, top, bottom, ...counts, ...sides });
    }
    open = still;
  }
  open.forEach(close);
  return gutters;
}

/**
 * Extends a gutter to the rows above and below that leave it free, where columns are too short to prove it.
 */
function extended(gutter: Gutter, rows: readonly RowGaps[]): Gutter {
  const above = rows.filter(({ bottom }) => bottom >= gutter.top).toReversed();
  const below = rows.filter(({ top }) => top <= gutter.bottom);
  const top = Math.max(gutter.top, ...freeRows(gutter, above).map((row) => row.top));
  const bottom = Math.min(gutter.bottom, ...freeRows(gutter, below).map((row) => row.bottom));
  return { ...gutter, top, bottom };
}

/** Returns the adjacent rows that leave a gutter free, up to the last one with text on both sides. */
function freeRows(gutter: Gutter, rows: readonly RowGaps[]): RowGaps[] {
  const free: RowGaps[] = [];
  let last: Pick<RowGaps, 'top' | 'bottom'> = gutter;
  let parted = 0;
  for (const row of rows) {
    const same = SAME_EMS * row.size;
    const apart = Math.max(last.bottom - row.top, row.bottom - last.top);
    if (apart > MAX_LEADING_EMS * row.size) break;
    const gap = row.gaps.find(
      ({ left, right }) => left < gutter.left + same && right > gutter.at - same,
    );
    if (gap === undefined) break;
    last = row;
    free.push(row);
    const isBetween = gap.before > 0 && gap.before < row.letters;
    if (!isBetween || gap.right - gutter.at > MAX_INDENT_EMS * row.size) continue;
    const isStart = Math.abs(gap.right - gutter.at) < same;
    if (!isStart && Math.abs(gap.left - gutter.end) >= same) break;
    parted = free.length;
  }
  return free.slice(0, parted);
}

/** Returns the gaps of a row that are wide enough for a gutter. */
function gapsOf(row: readonly ReadLine[], first: ReadLine): RowGaps {
  const characters = row
    .flatMap((line) => line.characters.map(({ character }) => character))
    .sort((a, b) => a.box.left - b.box.left);
  const size = first.sizePoints;
  const gaps: Gap[] = [];
  /** All gaps between words, with their width; `gap` is set if one is wide enough. */
  const words: { width: number; gap: Gap | undefined }[] = [];
  let right = -Infinity;
  let isTyped = false;
  for (const [before, { box, look }] of characters.entries()) {
    const most = look.isMonospaced && isTyped ? MIN_TYPED_GUTTER_EMS : MIN_GUTTER_EMS;
    const width = box.left - right;
    const isWide = width > most * size;
    const gap = isWide ? { left: right, right: box.left, before, isBlank: false } : undefined;
    if (gap !== undefined) gaps.push(gap);
    if (width > WORD_GAP_EMS * size) words.push({ width, gap });
    right = Math.max(right, box.right);
    isTyped = look.isMonospaced;
  }
  for (const [at, { width, gap }] of words.entries()) {
    const isSame = (other = Infinity): boolean => Math.abs(other - width) < SAME_BLANK_EMS * size;
    if (gap !== undefined)
      gap.isBlank = isSame(words[at - 1]?.width) || isSame(words[at + 1]?.width);
  }
  gaps.push({ left: right, right: Infinity, before: characters.length, isBlank: false });
  return {
    gaps,
    letters: characters.length,
    top: Math.max(...row.map(({ box }) => box.top)),
    bottom: Math.min(...row.map(({ box }) => box.bottom)),
    size,
  };
}

/** Narrowest gap between cells, in ems; spaces are half as wide. */
const MIN_CELL_GAP_EMS = 0.6;
/** Minimum ratio of such a gap to the spaces of its line. */
const MIN_RATIO = 2;
/** Maximum distance between rows of one table, in ems. */
const MAX_ROW_EMS = 3;

/** A gap within a line. */
type CellGap = Pick<Gap, 'left' | 'right'>;

interface Row {
  /** From left to right. */
  lines: readonly ReadLine[];
  /** The wide gaps of each line. */
  gaps: readonly CellGap[][];
}

/** Returns the gaps between cells within one line, as invisible rulings; rows go from top to bottom. */
export function cellGapsIn(rows: readonly (readonly ReadLine[])[]): Ruling[] {
  const read = rows.map((row): Row => {
    const lines = row.toSorted((a, b) => a.box.left - b.box.left);
    return { lines, gaps: lines.map(wideGaps) };
  });
  return read.flatMap((row, at) =>
    row.lines.flatMap((line, place) => {
      const near = [read[at - 1], read[at + 1]].filter((other) => other !== undefined);
      const beside = near.filter(({ lines: [other] }) => {
        const apart = Math.abs((other?.baseline ?? Infinity) - line.baseline);
        return apart < MAX_ROW_EMS * line.sizePoints;
      });
      const gaps = (row.gaps[place] ?? []).filter((gap) =>
        beside.some((other) => hasCells(other, gap, line) || hasSameGap(other, gap, line)),
      );
      // Shorter rulings would count as edges of a word's background.
      const from = line.baseline - 0.4 * line.sizePoints;
      const to = line.baseline + line.sizePoints;
      return gaps.map(({ left, right }): Ruling => {
        return { isHorizontal: false, at: (left + right) / 2, from, to };
      });
    }),
  );
}

/** Returns the gaps of a line that are far wider than its spaces. */
function wideGaps({ characters, sizePoints }: ReadLine): CellGap[] {
  const boxes = characters.map(({ character }) => character.box).sort((a, b) => a.left - b.left);
  const first = characters.findIndex(({ hasSpaceBefore }, at) => at > 0 && hasSpaceBefore);
  const word = characters.slice(0, Math.max(0, first)).map(({ character }) => character.text);
  const gaps = boxes
    .slice(1)
    .map(({ left }, at): CellGap => ({ left: boxes[at]?.right ?? left, right: left }))
    .filter(({ left, right }) => right - left > WORD_GAP_EMS * sizePoints);
  const widths = gaps.map(({ left, right }) => right - left).sort((a, b) => a - b);
  const blank = widths[Math.floor((widths.length - 1) / 2)] ?? 0;
  const least = Math.max(MIN_CELL_GAP_EMS * sizePoints, widths.length > 1 ? MIN_RATIO * blank : 0);
  return gaps.filter(({ left, right }, at) => {
    const isAfterMarker = at === 0 && isListMarker(word.join(''));
    return right - left >= least && !isAfterMarker;
  });
}

/** Tests whether a row has two pieces separated at the gap of a line and aligned with its sides. */
function hasCells({ lines }: Row, gap: CellGap, line: ReadLine): boolean {
  const same = SAME_EMS * line.sizePoints;
  return lines.slice(1).some(({ box }, at) => {
    const before = lines[at]?.box ?? box;
    const between = { ...box, left: before.right, right: box.left };
    if (horizontalOverlap(between, { ...box, ...gap }) < same) return false;
    const areBegun = Math.abs(box.left - gap.right) < same;
    return areBegun || Math.abs(box.right - line.box.right) < same;
  });
}

/** Tests whether a row has a wide gap within a line that ends at the same place. */
function hasSameGap(row: Row, gap: CellGap, line: ReadLine): boolean {
  const same = SAME_EMS * line.sizePoints;
  return row.gaps.some((gaps) => gaps.some(({ right }) => Math.abs(right - gap.right) < same));
}
