/**
 * Determines how text is aligned: from the lines of a paragraph, and from the surroundings of a single line.
 */
import { horizontalOverlap } from './geometry.ts';
import type { Box, PageParagraph, Ruling } from './page-model.ts';
import type { ReadLine } from './read-line.ts';

/**
 * Returns the alignment of a paragraph from its lines, top to bottom.
 * @param peers full lines of other paragraphs in its column
 */
export function alignOf({
  lines,
  peers,
  pageWidth,
}: {
  lines: readonly ReadLine[];
  peers: readonly ReadLine[];
  pageWidth: number;
}): PageParagraph['align'] {
  const [first] = lines;
  if (first === undefined) return 'left';
  const size = first.sizePoints;
  if (lines.length === 1) {
    const middle = (first.box.left + first.box.right) / 2;
    const isMiddle = Math.abs(middle - pageWidth / 2) < 0.4 * size;
    if (isMiddle && first.box.left > pageWidth * 0.15) return 'center';
    return first.isRightToLeft ? 'right' : 'left';
  }
  if (isCentered(lines)) return 'center';
  // Two lines alone prove little: in a justified column, equal right edges do not mean right alignment.
  const isColumnJustified =
    peers.length > 0 && haveStretchedBlanks([...lines.slice(0, -1), ...peers]);
  if (isRightAligned(lines) && !(lines.length === 2 && isColumnJustified)) return 'right';
  // The last line of justified text is short, and the first may be indented.
  const isEven = (edges: readonly number[]): boolean => spread(edges) < 0.2 * size;
  const body = lines.slice(0, -1);
  const areFilled =
    isEven(body.map(({ box }) => box.right)) && isEven(lines.slice(1).map(({ box }) => box.left));
  const isJustified = areFilled && (haveStretchedBlanks(lines) || isColumnJustified);
  if (isJustified) return 'justify';
  return first.isRightToLeft ? 'right' : 'left';
}

/** Tests whether lines share their middle and nothing else. */
export function isCentered(lines: readonly ReadLine[]): boolean {
  const [first] = lines;
  if (first === undefined || lines.length < 2) return false;
  const middle = (first.box.left + first.box.right) / 2;
  const isSameMiddle = lines.every(
    ({ box, sizePoints }) => Math.abs((box.left + box.right) / 2 - middle) < 0.35 * sizePoints,
  );
  return isSameMiddle && spread(lines.map(({ box }) => box.left)) > 0.7 * first.sizePoints;
}

/** Tests whether lines share only their right edge. */
export function isRightAligned(lines: readonly ReadLine[]): boolean {
  const [first] = lines;
  if (first === undefined || lines.length < 2) return false;
  const lefts = lines.map(({ box }) => box.left);
  const hasEdge = spread(lines.map(({ box }) => box.right)) < 0.25 * first.sizePoints;
  if (!hasEdge || spread(lefts) < first.sizePoints || first.isRightToLeft) return false;
  // In justified text whose last line is full, only the first line begins elsewhere.
  const margin = Math.min(...lefts);
  const flush = lefts.filter((left) => left - margin < 0.25 * first.sizePoints).length;
  return lines.length === 2 ? !haveStretchedBlanks(lines) : flush <= lines.length / 2;
}

/** Tests whether no two adjacent lines share an edge or their middle. */
export function isScattered(lines: readonly ReadLine[]): boolean {
  if (lines.length < 3) return false;
  return lines.slice(1).every(({ box, sizePoints }, at) => {
    const above = lines[at]?.box ?? box;
    const [left, right] = [box.left - above.left, box.right - above.right];
    return [left, right, (left + right) / 2].every((apart) => Math.abs(apart) > sizePoints);
  });
}

/**
 * Tests whether the spaces differ in width, unlike those of ragged text. Without enough spaces to measure,
 * more than three lines count as justified.
 */
function haveStretchedBlanks(lines: readonly ReadLine[]): boolean {
  const means = lines.map(meanBlank).filter((mean) => mean !== undefined);
  const size = lines[0]?.sizePoints ?? 1;
  if (means.length < 2) return lines.length > 3;
  return spread(means) > 0.025 * size;
}

function meanBlank({ characters }: ReadLine): number | undefined {
  let sum = 0;
  let count = 0;
  for (const [at, { character, hasSpaceBefore }] of characters.entries()) {
    const previous = characters[at - 1]?.character;
    if (!hasSpaceBefore || previous === undefined) continue;
    sum += -horizontalOverlap(previous.box, character.box);
    count += 1;
  }
  return count > 2 ? sum / count : undefined;
}

/** Returns the difference of the largest and the smallest value. */
export function spread(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values);
}

/** Maximum number of lines of its column with which a paragraph is compared. */
const MAX_PEERS = 20;

/**
 * Returns a function that finds, for the lines of a paragraph, full lines of others in its column: lines that
 * begin where its last line does and end where its first does.
 */
export function columnPeers(
  groups: readonly (readonly ReadLine[])[],
): (lines: readonly ReadLine[]) => ReadLine[] {
  const byEdges = new Map<string, ReadLine[]>();
  const key = (left: number, right: number): string => `${Math.round(left)}|${Math.round(right)}`;
  for (const line of groups.flat()) {
    const edges = key(line.box.left, line.box.right);
    const known = byEdges.get(edges);
    if (known === undefined) byEdges.set(edges, [line]);
    else if (known.length < MAX_PEERS) known.push(line);
  }
  return (lines) => {
    const [left, right] = [lines.at(-1)?.box.left ?? 0, lines[0]?.box.right ?? 0];
    const size = lines[0]?.sizePoints ?? 0;
    const baselines = new Set(lines.map(({ baseline }) => baseline));
    return [-1, 0, 1]
      .flatMap((dx) => [-1, 0, 1].flatMap((dy) => byEdges.get(key(left + dx, right + dy)) ?? []))
      .filter(
        ({ box, baseline, sizePoints }) =>
          !baselines.has(baseline) &&
          Math.abs(sizePoints - size) < 0.05 * size &&
          Math.max(Math.abs(box.left - left), Math.abs(box.right - right)) < 0.1 * size,
      );
  };
}

// Single lines: their cell or their neighbours show how they are aligned.

/** Maximum difference of edges that count as the same. */
const SAME_POINTS = 1.5;
/** The same for lines that end together: edges that agree by coincidence rarely agree so exactly. */
const SAME_END_POINTS = 0.5;
/** Largest vertical distance between such lines, in line heights, and how many other lines must end there. */
const MAX_END_DISTANCE_EMS = 8;
const MIN_ENDS = 2;

/** Returns the paragraphs, with single lines aligned as their cell or the text above and below suggests. */
export function alignSingleLines(
  paragraphs: readonly PageParagraph[],
  rulings: readonly Ruling[],
): PageParagraph[] {
  const upright = rulings.filter(({ isHorizontal }) => !isHorizontal);
  const lefts = new Map<number, number>();
  const flush = new Map<number, number>();
  const ends = new Map<number, Box[]>();
  for (const { box, lines, align } of paragraphs) {
    const key = Math.round(box.left);
    lefts.set(key, (lefts.get(key) ?? 0) + lines.length);
    if (align !== 'center') flush.set(key, (flush.get(key) ?? 0) + lines.length);
    const end = Math.round(box.right);
    if (lines.length === 1) ends.set(end, [...(ends.get(end) ?? []), box]);
  }
  const broken = paragraphs.filter(({ lines, rotation }) => lines.length > 1 && rotation === 0);
  return paragraphs.map((paragraph) => {
    const isOne = paragraph.lines.length === 1 && paragraph.rotation === 0;
    if (!isOne || paragraph.listMarker !== undefined) return paragraph;
    const { box, align } = paragraph;
    const inCell = alignInCell(box, upright);
    if (inCell !== undefined) return { ...paragraph, align: inCell };
    // A line that begins where others do is not centred, even if its middle is that of the page.
    const isFlush = (flush.get(Math.round(box.left)) ?? 0) > 1;
    if (align === 'center' && isFlush) return { ...paragraph, align: 'left' };
    if (align !== 'left') return paragraph;
    const sharesLeft = (lefts.get(Math.round(box.left)) ?? 0) > 1;
    const endsWithText = broken.some(
      (other) =>
        Math.abs(other.box.right - box.right) < SAME_POINTS && other.box.left < box.left - 10,
    );
    if (sharesLeft) return paragraph;
    if (endsWithText || endsWithOthers(box, ends)) return { ...paragraph, align: 'right' };
    return broken.some((other) => isInMiddleOf(box, other.box))
      ? { ...paragraph, align: 'center' }
      : paragraph;
  });
}

/** Tests whether single lines nearby end where a line does, but begin elsewhere. */
function endsWithOthers(box: Box, ends: ReadonlyMap<number, readonly Box[]>): boolean {
  const end = Math.round(box.right);
  const others = [end - 1, end, end + 1].flatMap((at) => ends.get(at) ?? []);
  const near = others.filter(
    (other) =>
      Math.abs(other.right - box.right) < SAME_END_POINTS &&
      Math.abs(other.left - box.left) > SAME_POINTS &&
      Math.abs(other.bottom - box.bottom) < MAX_END_DISTANCE_EMS * (box.top - box.bottom),
  );
  return near.length >= MIN_ENDS;
}

/** Tests whether a line stands in the middle of a column that is far wider, judging by its full lines. */
function isInMiddleOf(line: Box, column: Box): boolean {
  const size = line.top - line.bottom;
  const [before, after] = [line.left - column.left, column.right - line.right];
  return Math.abs(before - after) < size && Math.min(before, after) > 4 * size;
}

/** Returns the alignment between the rulings left and right of a box; undefined without both. */
function alignInCell(box: Box, upright: readonly Ruling[]): PageParagraph['align'] | undefined {
  const y = (box.bottom + box.top) / 2;
  let left = -Infinity;
  let right = Infinity;
  for (const { at, from, to } of upright) {
    if (from > y || to < y) continue;
    if (at <= box.left + 0.5) left = Math.max(left, at);
    if (at >= box.right - 0.5) right = Math.min(right, at);
  }
  if (!Number.isFinite(left) || !Number.isFinite(right)) return undefined;
  const before = box.left - left;
  const after = right - box.right;
  const size = box.top - box.bottom;
  if (Math.abs(before - after) < SAME_POINTS && before > 0.4 * size) return 'center';
  return after < before - size && after < size ? 'right' : 'left';
}
