/**
 * Columns that are nearer to each other than the words of a stretched line: what parts them is that
 * line after line the right one begins at the same place.
 */
import type { Ruling } from './page-model.ts';
import type { ReadLine } from './text-lines.ts';

/** The narrowest gutter, in ems; blanks of typewritten text are wider than others. */
const MIN_GUTTER_EMS = 0.45;
const MIN_TYPED_GUTTER_EMS = 1;
/** Lines begin at the same place when they differ by less, in ems. */
const SAME_EMS = 0.15;
/** So many lines that begin at one place are no chance … */
const MIN_ROWS = 4;
/** … nor so many if those before them end at one place as well … */
const MIN_JUSTIFIED_ROWS = 3;
/** … when they are so much of the lines beside a gutter: first lines may be indented. */
const MIN_SHARE = 0.6;
/** A gutter ends where rows are further apart, in ems. */
const MAX_LEADING_EMS = 3;
/** Columns have lines of at least so many letters; markers, numbers and labels are shorter. */
const MIN_CHARACTERS = 10;

/** A gutter that may still grow downwards; `at` is where the column to its right begins. */
interface Gutter {
  at: number;
  /** Its narrowest so far. */
  left: number;
  /** Where the line before it ended in its first row, and how many more did. */
  end: number;
  ends: number;
  top: number;
  bottom: number;
  /** Rows of which the right column begins here, and rows that have text on both sides. */
  starts: number;
  rows: number;
  /** Letters on either side, of all of these rows. */
  before: number;
  after: number;
}

/** A gap within a row. */
interface Gap {
  left: number;
  right: number;
  /** Letters of the row before it. */
  before: number;
}

/** The gutters between columns, as rulings that are not drawn; rows from top to bottom. */
export function guttersBetween(rows: readonly (readonly ReadLine[])[]): Ruling[] {
  const gutters: Ruling[] = [];
  let open: Gutter[] = [];
  const close = (gutter: Gutter): void => {
    const { at, left, bottom, top, starts, ends, before, after } = gutter;
    const isText = Math.min(before, after) >= MIN_CHARACTERS * gutter.rows;
    const least = ends === starts ? MIN_JUSTIFIED_ROWS : MIN_ROWS;
    if (starts < least || starts < MIN_SHARE * gutter.rows || !isText) return;
    gutters.push({ isHorizontal: false, at: (left + at) / 2, from: bottom, to: top });
  };
  for (const row of rows) {
    const [first] = row;
    if (first === undefined) continue;
    const { gaps, letters, top, bottom, size } = gapsOf(row, first);
    const still: Gutter[] = [];
    for (const gutter of open) {
      const isNear = gutter.bottom - top < MAX_LEADING_EMS * size;
      const gap = gaps.find(
        ({ left, right }) => left < gutter.at && right > gutter.at - SAME_EMS * size,
      );
      const left = Math.max(gutter.left, gap?.left ?? Infinity);
      if (!isNear || gap === undefined || gutter.at - left < MIN_GUTTER_EMS * size) {
        close(gutter);
        continue;
      }
      still.push(gutter);
      const after = letters - gap.before;
      if (gap.before === 0 || after === 0) continue;
      const isStart = Math.abs(gap.right - gutter.at) < SAME_EMS * size;
      if (isStart) {
        gutter.left = left;
        gutter.bottom = bottom;
        if (Math.abs(gap.left - gutter.end) < SAME_EMS * size) gutter.ends += 1;
      }
      gutter.starts += isStart ? 1 : 0;
      gutter.rows += 1;
      gutter.before += gap.before;
      gutter.after += after;
    }
    for (const { left, right, before } of gaps) {
      if (before === 0 || before === letters) continue;
      if (still.some(({ at }) => Math.abs(at - right) < SAME_EMS * size)) continue;
      const counts = { end: left, ends: 1, starts: 1, rows: 1, before, after: letters - before };
      still.push({ at: right, left, top, bottom, ...counts });
    }
    open = still;
  }
  open.forEach(close);
  return gutters;
}

/** The gaps of a row that are wide enough, from left to right, with those at its ends. */
function gapsOf(
  row: readonly ReadLine[],
  first: ReadLine,
): { gaps: Gap[]; letters: number; top: number; bottom: number; size: number } {
  const characters = row
    .flatMap((line) => line.characters.map(({ character }) => character))
    .sort((a, b) => a.box.left - b.box.left);
  const size = first.sizePoints;
  const gaps: Gap[] = [];
  let right = -Infinity;
  let isTyped = false;
  for (const [before, { box, look }] of characters.entries()) {
    const most = look.isMonospaced && isTyped ? MIN_TYPED_GUTTER_EMS : MIN_GUTTER_EMS;
    if (box.left - right > most * size) gaps.push({ left: right, right: box.left, before });
    right = Math.max(right, box.right);
    isTyped = look.isMonospaced;
  }
  gaps.push({ left: right, right: Infinity, before: characters.length });
  return {
    gaps,
    letters: characters.length,
    top: Math.max(...row.map(({ box }) => box.top)),
    bottom: Math.min(...row.map(({ box }) => box.bottom)),
    size,
  };
}
