/**
 * Gaps between cells that are hardly wider than blanks: what parts them is that cells above or below
 * begin or end at the same place.
 */
import { horizontalOverlap } from './geometry.ts';
import { isListMarker } from './list-markers.ts';
import type { Ruling } from './page-model.ts';
import { type ReadLine, WORD_GAP_EMS } from './read-line.ts';

/** The narrowest gap between cells, in ems; blanks are half as wide. */
const MIN_CELL_GAP_EMS = 0.6;
/** … and this many times as wide as the blanks of its line. */
const MIN_RATIO = 2;
/** Cells begin or end at the same place when they differ by less, in ems. */
const SAME_EMS = 0.15;
/** Rows of one table are no further apart, in ems. */
const MAX_ROW_EMS = 3;

interface Gap {
  left: number;
  right: number;
}

interface Row {
  /** From left to right. */
  lines: readonly ReadLine[];
  /** The wide gaps of each. */
  gaps: readonly Gap[][];
}

/** The gaps between cells that stand in one line, as rulings that are not drawn; rows from top to bottom. */
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
      // Shorter rulings are taken for the edges of a word's ground.
      const from = line.baseline - 0.4 * line.sizePoints;
      const to = line.baseline + line.sizePoints;
      return gaps.map(({ left, right }): Ruling => {
        return { isHorizontal: false, at: (left + right) / 2, from, to };
      });
    }),
  );
}

/** The gaps of a line that are far wider than its blanks. */
function wideGaps({ characters, sizePoints }: ReadLine): Gap[] {
  const boxes = characters.map(({ character }) => character.box).sort((a, b) => a.left - b.left);
  const first = characters.findIndex(({ hasSpaceBefore }, at) => at > 0 && hasSpaceBefore);
  const word = characters.slice(0, Math.max(0, first)).map(({ character }) => character.text);
  const gaps = boxes
    .slice(1)
    .map(({ left }, at): Gap => ({ left: boxes[at]?.right ?? left, right: left }))
    .filter(({ left, right }) => right - left > WORD_GAP_EMS * sizePoints);
  const widths = gaps.map(({ left, right }) => right - left).sort((a, b) => a - b);
  const blank = widths[Math.floor((widths.length - 1) / 2)] ?? 0;
  const least = Math.max(MIN_CELL_GAP_EMS * sizePoints, widths.length > 1 ? MIN_RATIO * blank : 0);
  return gaps.filter(({ left, right }, at) => {
    const isAfterMarker = at === 0 && isListMarker(word.join(''));
    return right - left >= least && !isAfterMarker;
  });
}

/** Whether a row has two pieces that are parted where a gap of a line is, and stand as its sides do. */
function hasCells({ lines }: Row, gap: Gap, line: ReadLine): boolean {
  const same = SAME_EMS * line.sizePoints;
  return lines.slice(1).some(({ box }, at) => {
    const before = lines[at]?.box ?? box;
    const between = { ...box, left: before.right, right: box.left };
    if (horizontalOverlap(between, { ...box, ...gap }) < same) return false;
    const areBegun = Math.abs(box.left - gap.right) < same;
    return areBegun || Math.abs(box.right - line.box.right) < same;
  });
}

/** Whether a row has such a gap within a line, with its right side at the same place. */
function hasSameGap(row: Row, gap: Gap, line: ReadLine): boolean {
  const same = SAME_EMS * line.sizePoints;
  return row.gaps.some((gaps) => gaps.some(({ right }) => Math.abs(right - gap.right) < same));
}
