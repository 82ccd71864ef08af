/** Finds the scale and layout at which a translated paragraph fits its place. */
import { horizontalOverlap, union, verticalOverlap } from './geometry.ts';
import type { LaidOutLine, MeasuredText } from './laid-out-text.ts';
import type { Box, PageParagraph, Ruling } from './page-model.ts';
import { isPartOf, slotAround, type Wrap, type WrappedPicture } from './wrapped-lines.ts';

/** Minimum scale; smaller text is no longer readable. */
const MIN_SCALE = 0.6;
/** Step between the scales that are tried. */
export const SCALE_STEP = 0.02;
/** Minimum leading, in ems, before letters become smaller. */
const MIN_LEADING_EMS = 1.1;
/** Distance kept from what stands beside and below, in ems. */
const GAP_EMS = 0.3;
/** Factor of that distance for what stands beside. */
const COLUMN_GAP = 2.5;
/** By how much a line is far longer than those of a column, as a multiple of the gap. */
const LONGER_GAPS = 10;

/** The room in which a paragraph may be written, in level coordinates. */
export interface Room {
  left: number;
  right: number;
  /** Baseline of the first line. */
  baseline: number;
  /** Lowest place where the last line's letters may end. */
  bottom: number;
  /** Indent of the first line. */
  firstIndent: number;
  align: PageParagraph['align'];
  /** Pictures around which lines run. */
  around: readonly WrappedPicture[];
}

/** A paragraph to be laid out. */
export interface Fitting {
  text: MeasuredText;
  sizePoints: number;
  /** Leading of the original. */
  leading: number;
  lineCount: number;
  room: Room;
}

/** Returns the largest scale that fits, from 1 down to {@link MIN_SCALE}. */
export function fittingScale(fitting: Fitting): number {
  for (let step = 0; ; step += 1) {
    const scale = 1 - step * SCALE_STEP;
    if (scale <= MIN_SCALE) return MIN_SCALE;
    if (fits(fitting, scale)) return scale;
  }
}

function fits(fitting: Fitting, scale: number): boolean {
  const { sizePoints, lineCount, room } = fitting;
  const { lines, leading } = setText(fitting, scale, false);
  if (areTooWide(fitting, scale, { lines, leading })) return false;
  if (lines.length <= Math.max(1, lineCount) && scale >= 1) return true;
  const lowest = room.baseline - (lines.length - 1) * leading - 0.22 * sizePoints * scale;
  return lowest >= room.bottom - 0.05 * sizePoints;
}

/** Lines, and the distance from baseline to baseline. */
export interface SetText {
  lines: readonly LaidOutLine[];
  leading: number;
}

/**
 * Maximum number of layouts of lines around a picture: a new leading moves other lines beside the picture.
 */
const MAX_TRIES = 4;

/** Lays out the lines at a scale, no closer than necessary. */
export function setText(fitting: Fitting, scale: number, dividesWords: boolean): SetText {
  let leading = leadingAt(fitting, scale, 1);
  for (let tries = 1; ; tries += 1) {
    const lines = linesAt(fitting, { scale, leading, dividesWords });
    const own = leadingAt(fitting, scale, lines.length);
    const isSettled = fitting.room.around.length === 0 || Math.abs(own - leading) < 0.01;
    if (isSettled || tries === MAX_TRIES) return { lines, leading: own };
    leading = own;
  }
}

/** Lays out the lines at a scale and a leading. */
export function linesAt(
  fitting: Fitting,
  { scale, leading, dividesWords }: { scale: number; leading: number; dividesWords: boolean },
): LaidOutLine[] {
  const widthOf = (line: number): number => {
    const { left, right } = slotOf(fitting, { line, scale, leading });
    return (right - left) / (fitting.sizePoints * scale);
  };
  return fitting.text.lines(widthOf, dividesWords);
}

/** Returns the left and right end of a line (the first is 0), without its indent. */
export function slotOf(
  { sizePoints, room }: Fitting,
  { line, scale, leading }: { line: number; scale: number; leading: number },
): { left: number; right: number } {
  const size = sizePoints * scale;
  const baseline = room.baseline - line * leading;
  const { left, right } = slotAround(room.around, {
    left: room.left,
    right: room.right,
    bottom: baseline - 0.22 * size,
    top: baseline + 0.78 * size,
  });
  if (line > 0 || room.firstIndent === 0) return { left, right };
  return room.align === 'right'
    ? { left, right: right - room.firstIndent }
    : { left: left + room.firstIndent, right };
}

function areTooWide(fitting: Fitting, scale: number, { lines, leading }: SetText): boolean {
  return lines.some(({ width }, line) => {
    const { left, right } = slotOf(fitting, { line, scale, leading });
    return width > (right - left) / (fitting.sizePoints * scale) + 0.05;
  });
}

/** Returns the leading: closer than in the original only where the lines would not fit. */
export function leadingAt(
  { sizePoints, leading, room }: Fitting,
  scale: number,
  lines: number,
): number {
  const scaled = leading * Math.max(scale, 0.9) * (scale < 0.9 ? scale / 0.9 : 1);
  if (lines < 2) return scaled;
  const available = room.baseline - 0.22 * sizePoints * scale - room.bottom;
  const least = Math.min(scaled, MIN_LEADING_EMS * sizePoints * scale);
  return Math.max(least, Math.min(scaled, available / (lines - 1)));
}

/** The things on a page that text must not run into, in the paragraph's level coordinates. */
export interface Surroundings {
  /** Boxes of other text and of drawings. */
  boxes: readonly Box[];
  /** The boxes that are drawings, from whose edges text keeps a distance. */
  drawings: ReadonlySet<Box>;
  rulings: readonly Ruling[];
  /** Box around all text of the page. */
  text: Box;
}

/**
 * Returns the room of a paragraph: its own place and the free space at its right and below.
 * @param columns boxes of paragraphs with several lines, which show the width of columns; undefined when the
 * text may leave its column
 * @param wrap the pictures around which it runs
 */
export function roomOf({
  paragraph,
  surroundings: all,
  columns,
  wrap,
}: {
  paragraph: PageParagraph & { box: Box };
  surroundings: Surroundings;
  columns: readonly Box[] | undefined;
  wrap: Wrap | undefined;
}): Room {
  const around = wrap?.around ?? [];
  const surroundings = { ...all, boxes: all.boxes.filter((box) => !isPartOf(box, around)) };
  const { lines, align } = paragraph;
  const size = lines[0]?.runs[0]?.style.sizePoints ?? 10;
  const own = union(paragraph.lines.map(({ box }) => box));
  const gap = GAP_EMS * size;
  const right = freeRight({ own, lineCount: lines.length, gap, surroundings, columns });
  const left = freeLeft({ own, gap, surroundings });
  const room = { left: own.left, right: own.right };
  if (align === 'center') {
    const more = Math.max(0, Math.min(right - own.right, own.left - left));
    room.left -= more;
    room.right += more;
  } else if (align === 'right') {
    if (lines.length === 1) room.left = left;
  } else if (align !== 'justify' || lines.length === 1) {
    room.right = right;
  }
  if (wrap !== undefined) {
    room.left = Math.min(room.left, wrap.left);
    room.right = Math.max(room.right, wrap.right);
  }
  const first = lines[0];
  const edge = slotAround(around, { ...(first?.box ?? own), ...room }).left;
  const isIndented = align !== 'center' && align !== 'right' && lines.length > 1;
  return {
    ...room,
    baseline: first?.baseline ?? own.top,
    bottom: freeBottom({ own, sizePoints: size, surroundings, room }),
    firstIndent: isIndented ? Math.max(0, (first?.box.left ?? edge) - edge) : 0,
    align,
    around,
  };
}

function freeRight({
  own,
  lineCount,
  gap,
  surroundings: { boxes, rulings, text },
  columns,
}: {
  own: Box;
  lineCount: number;
  gap: number;
  surroundings: Surroundings;
  columns: readonly Box[] | undefined;
}): number {
  // Broken lines show the width of their column, apart from their ragged ends.
  const isBroken = lineCount > 1;
  const isSame = (box: Box): boolean =>
    // A line that is far longer, as one above a table, is not in the column of the table's cells.
    Math.abs(box.left - own.left) < gap * 2 && box.right > own.right - gap * LONGER_GAPS;
  const same = columns?.filter(isSame) ?? [];
  const widest = Math.max(own.right, ...same.map((box) => box.right));
  const isWithinColumn = columns !== undefined && (isBroken || same.length > 0);
  let right = isWithinColumn ? widest : text.right;
  for (const box of boxes) {
    const isBeside = verticalOverlap(box, own) > 0.5 && box.left >= own.right - 1;
    if (isBeside) right = Math.min(right, box.left - COLUMN_GAP * gap);
  }
  for (const { isHorizontal, at, from, to } of rulings) {
    if (isHorizontal || at < own.right - 0.5) continue;
    if (from < own.top - 1 && to > own.bottom + 1) right = Math.min(right, at - gap);
  }
  return Math.max(right, own.right);
}

function freeLeft({
  own,
  gap,
  surroundings: { boxes, rulings, text },
}: {
  own: Box;
  gap: number;
  surroundings: Surroundings;
}): number {
  let left = Math.min(own.left, text.left);
  for (const box of boxes) {
    const isBeside = verticalOverlap(box, own) > 0.5 && box.right <= own.left + 1;
    if (isBeside) left = Math.max(left, box.right + COLUMN_GAP * gap);
  }
  for (const { isHorizontal, at, from, to } of rulings) {
    if (isHorizontal || at > own.left + 0.5) continue;
    if (from < own.top - 1 && to > own.bottom + 1) left = Math.max(left, at + gap);
  }
  return Math.min(left, own.left);
}

/**
 * Returns how low letters that end at `bottom` may reach above an edge: they keep a distance unless the
 * original did not.
 */
export function clearOf(edge: number, bottom: number, sizePoints: number): number {
  return Math.min(bottom, edge + GAP_EMS * sizePoints);
}

function freeBottom({
  own,
  sizePoints,
  surroundings: { boxes, drawings, rulings, text },
  room,
}: {
  own: Box;
  sizePoints: number;
  surroundings: Surroundings;
  room: { left: number; right: number };
}): number {
  const gap = GAP_EMS * sizePoints;
  const width = { ...own, ...room };
  let bottom = Math.min(own.bottom, text.bottom);
  for (const box of boxes) {
    if (box.top > own.bottom + gap || horizontalOverlap(box, width) < 1) continue;
    const floor = drawings.has(box) ? clearOf(box.top, own.bottom, sizePoints) : box.top;
    bottom = Math.max(bottom, floor);
  }
  for (const { isHorizontal, at, from, to } of rulings) {
    if (!isHorizontal || at > own.bottom + gap / 3) continue;
    if (Math.min(to, width.right) - Math.max(from, width.left) > 1) {
      bottom = Math.max(bottom, at + gap / 3);
    }
  }
  return Math.min(bottom, own.bottom);
}

/** Returns where a line begins, from its slot and width, in points. */
export function lineStart(
  { left, right }: { left: number; right: number },
  align: Room['align'],
  width: number,
): number {
  if (align === 'center') return (left + right - width) / 2;
  return align === 'right' ? right - width : left;
}
