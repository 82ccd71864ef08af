/**
 * Columns that are nearer to each other than the words of a stretched line: what parts them is that
 * line after line the right one begins at the same place.
 */
import type { Ruling } from './page-model.ts';
import { WORD_GAP_EMS } from './read-line.ts';
import type { ReadLine } from './read-line.ts';

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
/** A gap that is as wide as the next one in its row, to so many ems, may be a stretched blank … */
const SAME_BLANK_EMS = 0.06;
/** … and what is one in more of its rows than this is no gutter. */
const MAX_BLANK_SHARE = 0.5;
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
  /** Of the rows that begin here, those in which its gap may be a stretched blank. */
  blanks: number;
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
  /** Whether the next gap between words, before or after it, is as wide. */
  isBlank: boolean;
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
    if (gutter.blanks > MAX_BLANK_SHARE * starts) return;
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
      still.push({ at: right, left, end: left, top, bottom, ...counts, ...sides });
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
  /** Of all gaps between words: how wide they are, and which are wide enough. */
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
