/** Text that belongs to a picture or drawing: labels of axes at its edges, captions. */
import { horizontalOverlap, union, verticalOverlap } from './geometry.ts';
import type { Box, PageParagraph } from './page-model.ts';

/** Labels are no longer than this, in ems; lines of running text are. */
const MAX_LABEL_EMS = 12;
/** Labels are no further from their drawing, captions from their picture, in ems. */
const MAX_GAP_EMS = 1;
/** Lines of one text are no further apart, in ems, … */
const MAX_LEADING_EMS = 1.6;
/** … and their sizes differ by no more than this share. */
const SAME_SIZE = 0.04;
/** Longer text below a picture is no caption. */
const MAX_CAPTION_LINES = 8;
/** How many lines are compared with one: a page has fewer within two lines' height. */
const MAX_COMPARED = 100;

/** A line of text with how it looks. */
export interface LabelLine {
  box: Box;
  baseline: number;
  sizePoints: number;
  isBold: boolean;
  isItalic: boolean;
}

/** The lines of level paragraphs. */
export function labelLinesOf(paragraphs: readonly PageParagraph[]): LabelLine[] {
  return paragraphs.flatMap(({ lines, rotation }) => {
    if (rotation !== 0) return [];
    return lines.flatMap(({ box, baseline, runs: [first] }) => {
      if (first === undefined) return [];
      const { sizePoints, isBold, isItalic } = first.style;
      return [{ box, baseline, sizePoints, isBold, isItalic }];
    });
  });
}

/** Pictures and drawings with the labels and the caption of each: text runs around all of it. */
export function withLabels(pictures: readonly Box[], lines: readonly LabelLine[]): Box[] {
  if (pictures.length === 0) return [];
  const sorted = [...lines].sort((a, b) => b.baseline - a.baseline);
  return pictures.map((picture) => {
    const isOwn = (line: LabelLine, at: number): boolean => !runsOn(line, { at, sorted, picture });
    const labels = sorted.filter((line, at) => isLabel(line, picture) && isOwn(line, at));
    let whole = union([picture, ...labels.map(({ box }) => box)]);
    let last: LabelLine | undefined;
    let count = 0;
    for (const [at, line] of sorted.entries()) {
      if (count === MAX_CAPTION_LINES || line.box.top < whole.bottom - 2 * line.sizePoints) break;
      if (!isBelow(line, { picture, whole, last }) || !isOwn(line, at)) continue;
      whole = union([whole, line.box]);
      last = line;
      count += 1;
    }
    return whole;
  });
}

function isLabel({ box, sizePoints }: LabelLine, picture: Box): boolean {
  if (box.right - box.left > MAX_LABEL_EMS * sizePoints) return false;
  const level = verticalOverlap(box, picture);
  const beside = horizontalOverlap(box, picture);
  const gap = MAX_GAP_EMS * sizePoints;
  return (level > 0 && beside > -gap) || (beside > 0 && level > -gap);
}

/** Whether a line is the next of a caption: below the picture, and no wider. */
function isBelow(
  { box, baseline, sizePoints }: LabelLine,
  { picture, whole, last }: { picture: Box; whole: Box; last: LabelLine | undefined },
): boolean {
  const isWithin = box.left > picture.left - 1 && box.right < picture.right + 1;
  if (!isWithin || box.top > picture.bottom + 0.5 * sizePoints) return false;
  if (last === undefined) return whole.bottom - box.top < MAX_GAP_EMS * sizePoints;
  const isNext = last.baseline - baseline < MAX_LEADING_EMS * sizePoints;
  return isNext && Math.abs(last.sizePoints / sizePoints - 1) < SAME_SIZE;
}

/** Whether a line is one of the text beside a picture: that goes beyond it and looks the same. */
function runsOn(
  line: LabelLine,
  { at, sorted, picture }: { at: number; sorted: readonly LabelLine[]; picture: Box },
): boolean {
  const reach = MAX_LEADING_EMS * line.sizePoints;
  const isText = (other: LabelLine | undefined): boolean => {
    if (other === undefined) return false;
    const { left, right } = other.box;
    const isLong = right - left > MAX_LABEL_EMS * other.sizePoints;
    const isBeyond = left < picture.left - 1 || right > picture.right + 1;
    const isSame = other.isBold === line.isBold && other.isItalic === line.isItalic;
    return (
      isLong && isBeyond && isSame && Math.abs(other.sizePoints / line.sizePoints - 1) < SAME_SIZE
    );
  };
  for (const step of [-1, 1]) {
    for (let next = at + step; Math.abs(next - at) <= MAX_COMPARED; next += step) {
      const other = sorted[next];
      if (other === undefined || Math.abs(other.baseline - line.baseline) > reach) break;
      if (isText(other)) return true;
    }
  }
  return false;
}
