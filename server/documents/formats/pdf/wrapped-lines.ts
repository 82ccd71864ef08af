/**
 * Detects text that wraps around a picture: some lines stand beside the picture, others fill their column.
 */
import { verticalOverlap } from './geometry.ts';
import type { Box, PageParagraph } from './page-model.ts';

/**
 * Minimum width of the widest line beside a picture, in ems; if all are shorter, they are labels of a
 * drawing.
 */
const MIN_WIDTH_EMS = 12;
/** Minimum width and height of a picture around which text wraps, in ems. */
const MIN_OBSTACLE_EMS = 2;
/** Widest margin between a picture and the text beside it, in ems. */
const MAX_MARGIN_EMS = 2;
/** Widest margins above and below a picture within which it still shortens lines, in ems. */
const MARGIN_ABOVE_EMS = 0.5;
const MARGIN_BELOW_EMS = 1.2;
/** Gap between a picture and the new text around it, in ems. */
const GAP_EMS = 0.3;
/** Widest margin that ragged text keeps from a picture at its right, in ems. */
const RAGGED_EMS = 0.75;
/** Maximum difference of edges that count as aligned, in ems. */
const SAME_EMS = 0.3;
/** Number of paragraphs beside a picture whose wrapping also applies to the other text of their column. */
const MAX_SHARED = 8;

/** A line with its place; lengths in points. */
interface PlacedLine {
  box: Box;
  sizePoints: number;
}

/** A picture around which text wraps, and the column that contains both. */
interface Wrapping {
  obstacle: Box;
  /** The edge of the column at which the picture stands. */
  side: 'left' | 'right';
  /** The edges of the column. */
  left: number;
  right: number;
  /** By how much the picture shortens the lines beside it. */
  cut: number;
  /** The lines beside the picture. */
  beside: ReadonlySet<PlacedLine>;
}

/** The lines of one paragraph, or those of a column, which may hold several. */
type Extent = 'paragraph' | 'column';

/** Returns the pictures that stand beside some of the lines but not all. */
function wrappingsOf(
  lines: readonly PlacedLine[],
  obstacles: readonly Box[],
  extent: Extent,
): Wrapping[] {
  if (lines.length < 2) return [];
  const wrappings: Wrapping[] = [];
  for (const obstacle of obstacles) {
    for (const side of ['left', 'right'] as const) {
      const wrapping = wrappingAt(lines, { obstacle, side, extent });
      if (wrapping !== undefined) wrappings.push(wrapping);
    }
  }
  return wrappings;
}

function wrappingAt(
  lines: readonly PlacedLine[],
  { obstacle, side, extent }: { obstacle: Box; side: 'left' | 'right'; extent: Extent },
): Wrapping | undefined {
  const beside = new Set(lines.filter((line) => isBeside(line, obstacle, side)));
  // A last line is short in any case, and the lines just below a picture are short only because of its
  // margin.
  const last = lines.at(-1);
  const isKept = [...beside].some((line) => {
    const isLevel = verticalOverlap(line.box, obstacle) > 0;
    return isLevel || (extent === 'paragraph' && line !== last);
  });
  if (!isKept || beside.size === lines.length) return undefined;
  const full = lines.filter((line) => !beside.has(line)).map(({ box }) => box);
  const short = [...beside].map(({ box }) => box);
  const size = Math.max(...[...beside].map(({ sizePoints }) => sizePoints));
  if (Math.max(...short.map(({ left, right }) => right - left)) < MIN_WIDTH_EMS * size) {
    return undefined;
  }
  const left = Math.min(...full.map((box) => box.left));
  const right = Math.max(...full.map((box) => box.right));
  const least = side === 'right' ? right - obstacle.left : obstacle.right - left;
  if (least < MIN_OBSTACLE_EMS * size) return undefined;
  const seen =
    side === 'right'
      ? right - Math.max(...short.map((box) => box.right))
      : Math.min(...short.map((box) => box.left)) - left;
  if (side === 'left' && seen > least + MAX_MARGIN_EMS * size) return undefined;
  const cut = Math.min(least + MAX_MARGIN_EMS * size, Math.max(least, seen));
  return { obstacle, side, left, right, cut, beside };
}

function isBeside({ box, sizePoints }: PlacedLine, obstacle: Box, side: 'left' | 'right'): boolean {
  const least = MIN_OBSTACLE_EMS * sizePoints;
  const isLarge = Math.min(obstacle.right - obstacle.left, obstacle.top - obstacle.bottom) > least;
  const isLevel =
    box.bottom < obstacle.top + MARGIN_ABOVE_EMS * sizePoints &&
    box.top > obstacle.bottom - MARGIN_BELOW_EMS * sizePoints;
  const isClear = side === 'right' ? obstacle.left > box.right - 1 : obstacle.right < box.left + 1;
  return isLarge && isLevel && isClear;
}

/** Returns the lines with boxes as wide as they would be without the pictures beside them. */
export function straightened<Line extends PlacedLine>(
  lines: readonly Line[],
  obstacles: readonly Box[],
  extent: Extent,
): readonly Line[] {
  const wrappings = obstacles.length === 0 ? [] : wrappingsOf(lines, obstacles, extent);
  if (wrappings.length === 0) return lines;
  return lines.map((line) => {
    const box = { ...line.box };
    for (const { side, cut, beside } of wrappings) {
      if (!beside.has(line)) continue;
      if (side === 'right') box.right += cut;
      else box.left -= cut;
    }
    return { ...line, box };
  });
}

/** A picture around which text wraps. */
export interface WrappedPicture {
  picture: Box;
  /** The picture with its margins, extended to its edge of the column. */
  kept: Box;
}

/** The pictures around which a paragraph wraps, and the edges of its column. */
export interface Wrap {
  around: readonly WrappedPicture[];
  left: number;
  right: number;
}

/**
 * Finds the pictures around which each paragraph wraps: those beside its own lines, and those around which
 * others in its column wrap, since a longer translation may reach them. Paragraphs without pictures are left
 * out.
 */
export function wrapsOf(
  paragraphs: readonly PageParagraph[],
  obstacles: readonly Box[],
): ReadonlyMap<PageParagraph, Wrap> {
  const wraps = new Map<PageParagraph, Wrap>();
  if (obstacles.length === 0) return wraps;
  const level = paragraphs.filter(({ rotation }) => rotation === 0);
  const known = level.flatMap((paragraph) => {
    const sizePoints = sizeOf(paragraph);
    const lines = paragraph.lines.map(({ box }) => ({ box, sizePoints }));
    const isJustified = paragraph.align === 'justify';
    return wrappingsOf(lines, obstacles, 'paragraph').map((wrapping) => {
      const { obstacle: picture } = wrapping;
      return { paragraph, wrapping, picture, kept: withMargins(wrapping, sizePoints, isJustified) };
    });
  });
  const shared = known.filter(isAmongFirst(({ picture }) => picture, MAX_SHARED));
  const ownOf = new Map<PageParagraph, typeof known>();
  for (const one of known) {
    const own = ownOf.get(one.paragraph);
    if (own === undefined) ownOf.set(one.paragraph, [one]);
    else own.push(one);
  }
  for (const paragraph of level) {
    let wrap: Wrap = { around: [], left: paragraph.box.left, right: paragraph.box.right };
    const candidates = [...shared, ...(ownOf.get(paragraph) ?? [])];
    for (const { paragraph: other, wrapping, picture, kept } of candidates) {
      if (wrap.around.some((one) => one.picture === picture)) continue;
      const edges = other === paragraph ? wrap : columnAround(paragraph, wrapping);
      if (edges === undefined) continue;
      wrap = {
        around: [...wrap.around, { picture, kept }],
        left: Math.min(wrap.left, edges.left),
        right: Math.max(wrap.right, edges.right),
      };
    }
    if (wrap.around.length > 0) wraps.set(paragraph, wrap);
  }
  return wraps;
}

/** Returns a predicate that accepts the first `most` elements with the same key. */
function isAmongFirst<One>(keyOf: (one: One) => unknown, most: number): (one: One) => boolean {
  const counts = new Map<unknown, number>();
  return (one) => {
    const count = (counts.get(keyOf(one)) ?? 0) + 1;
    counts.set(keyOf(one), count);
    return count <= most;
  };
}

/**
 * Returns the edges of a paragraph's column if it is also the column of a wrapping and the paragraph stands
 * above or beside the picture.
 */
function columnAround(
  paragraph: PageParagraph,
  { obstacle, side, left, right, cut }: Wrapping,
): { left: number; right: number } | undefined {
  const { box, align } = paragraph;
  const size = sizeOf(paragraph);
  const isSame = (a: number, b: number): boolean => Math.abs(a - b) < SAME_EMS * size;
  if (box.bottom < obstacle.bottom && verticalOverlap(box, obstacle) <= 0) return undefined;
  if (align !== 'left' && align !== 'justify') return undefined;
  if (box.right > right + SAME_EMS * size) return undefined;
  const isAbove = box.bottom >= obstacle.top - 1;
  if (isAbove) {
    const isWide = side === 'left' || box.right > obstacle.left;
    return isWide && isSame(box.left, left) ? box : undefined;
  }
  if (side === 'right') {
    const isClear = box.right < obstacle.left + 1;
    return isClear && isSame(box.left, left) ? { left, right } : undefined;
  }
  return isSame(box.left, left + cut) ? { left, right: box.right } : undefined;
}

function sizeOf({ lines }: PageParagraph): number {
  return lines[0]?.runs[0]?.style.sizePoints ?? 10;
}

function withMargins(
  { obstacle, side, left, right, cut, beside }: Wrapping,
  sizePoints: number,
  isJustified: boolean,
): Box {
  const gap = GAP_EMS * sizePoints;
  // Short lines above or below the picture show how far its margins extend.
  const lines = [...beside].map((line) => line.box);
  const highest = Math.max(...lines.map(({ bottom }) => bottom));
  const lowest = Math.min(...lines.map(({ top }) => top));
  const box = {
    ...obstacle,
    top: Math.max(obstacle.top, highest) + gap,
    bottom: Math.min(obstacle.bottom, lowest) - gap,
  };
  if (side === 'left') return { ...box, left: -Infinity, right: Math.max(left + cut, box.right) };
  const margin = Math.max(obstacle.left - (right - cut), isJustified ? 0 : gap);
  const most = isJustified ? margin : Math.min(margin, RAGGED_EMS * sizePoints);
  return { ...box, left: obstacle.left - most, right: Infinity };
}

/** Returns the range available to a line of some height, between two edges and beside pictures. */
export function slotAround(
  around: readonly WrappedPicture[],
  { left, right, bottom, top }: Box,
): { left: number; right: number } {
  const slot = { left, right };
  for (const { kept } of around) {
    if (kept.bottom >= top || kept.top <= bottom) continue;
    if (kept.left === -Infinity) slot.left = Math.max(slot.left, kept.right);
    else slot.right = Math.min(slot.right, kept.left);
  }
  return slot;
}

/** Tests whether a drawing is, or is part of, a picture around which text wraps. */
export function isPartOf(box: Box, around: readonly WrappedPicture[]): boolean {
  return around.some(({ picture: { left, right, bottom, top } }) => {
    const isWide = box.left > left - 1 && box.right < right + 1;
    return isWide && box.bottom > bottom - 1 && box.top < top + 1;
  });
}
