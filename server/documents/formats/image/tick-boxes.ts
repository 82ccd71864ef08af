/**
 * Tick boxes: erases them, since recognition reads them as letters and is less sure of the text beside them.
 */
import type { PixelBox, RawPixels } from './ocr.ts';
import { inkClassifier } from './read-bars.ts';
import { isMost } from './rules.ts';
import { barsIn, inkLevel } from './struck-text.ts';

/** Range of a box's side, and maximum thickness of its lines, in 1/96 inch. */
const SMALLEST = 6;
const LARGEST = 22;
const THICKEST = 3.5;
/** Maximum difference between height and width, as a share of the width. */
const SQUARE = 0.25;
/**
 * Ink levels that are tried, as shares of the way from the darkest level to paper: thin lines are pale, and
 * lines may be close to other ink.
 */
const INK_SHARES = [0.5, 0.7];
/** How far box-shaped letters bulge beyond the box, as a share of its width. */
const BULGE = 0.25;
/** Maximum distance from a corner to ink, along the diagonal, as a share of the width: letters are round. */
const CORNER = 0.06;
/** Minimum shares of paper within a box, and around it. */
const EMPTY = 0.5;
const CLEAR = 0.9;

/** Erases the tick boxes of a picture with their content; returns the picture itself if it has none. */
export function withoutTickBoxes(gray: RawPixels, unitPx: number): RawPixels {
  const boxes = INK_SHARES.flatMap((share) => tickBoxes(gray, { share, unitPx }));
  if (boxes.length === 0) return gray;
  const data = Uint8Array.from(gray.data);
  const soft = Math.ceil(unitPx / 2);
  for (const box of boxes) {
    const [left, right] = [Math.max(0, box.left - soft), Math.min(gray.width, box.right + soft)];
    const [top, bottom] = [Math.max(0, box.top - soft), Math.min(gray.height, box.bottom + soft)];
    const paper = gray.data[top * gray.width + left] ?? 255;
    for (let y = top; y < bottom; y += 1)
      data.fill(paper, y * gray.width + left, y * gray.width + right);
  }
  return { ...gray, data };
}

function tickBoxes(
  gray: RawPixels,
  { share, unitPx }: { share: number; unitPx: number },
): PixelBox[] {
  const level = inkLevel(gray, share);
  if (level === undefined) return [];
  const isInk = (x: number, y: number): boolean => (gray.data[y * gray.width + x] ?? 255) < level;
  const bars = barsIn(gray, { level, shortestPx: Math.round(SMALLEST * unitPx) }).filter(
    ({ left, right, top, bottom }) =>
      right - left <= LARGEST * unitPx && bottom - top <= THICKEST * unitPx,
  );
  const found: PixelBox[] = [];
  for (const above of bars) {
    const width = above.right - above.left;
    const below = bars.find(
      (bar) =>
        Math.abs(bar.left - above.left) <= unitPx &&
        Math.abs(bar.right - above.right) <= unitPx &&
        Math.abs(bar.bottom - above.top - width) <= SQUARE * width,
    );
    if (below === undefined) continue;
    const box = { ...above, bottom: below.bottom };
    const whole = withBulges(box, isInk);
    if (whole === undefined || !hasCorners(whole, isInk)) continue;
    if (hasSides(box, isInk) && isEmpty(box, { isInk, unitPx }) && isAlone(whole, { gray, unitPx }))
      found.push(whole);
  }
  return found;
}

type IsInk = (x: number, y: number) => boolean;

/** Extends a box by the ink that continues beside it; undefined where that exceeds the bulge of a letter. */
function withBulges(box: PixelBox, isInk: IsInk): PixelBox | undefined {
  const { left, right, top, bottom } = box;
  const most = Math.ceil(BULGE * (right - left));
  const inColumn = (x: number): boolean => isAny(top, bottom, (y) => isInk(x, y));
  const inRow = (y: number): boolean => isAny(left, right, (x) => isInk(x, y));
  const beyond = (from: number, step: 1 | -1, has: (at: number) => boolean): number => {
    let count = 0;
    while (count <= most && has(from + count * step)) count += 1;
    return count;
  };
  const bulges = {
    left: beyond(left - 1, -1, inColumn),
    right: beyond(right, 1, inColumn),
    top: beyond(top - 1, -1, inRow),
    bottom: beyond(bottom, 1, inRow),
  };
  if (Math.max(...Object.values(bulges)) > most) return undefined;
  return {
    left: left - bulges.left,
    right: right + bulges.right,
    top: top - bulges.top,
    bottom: bottom + bulges.bottom,
  };
}

function isAny(from: number, to: number, is: (at: number) => boolean): boolean {
  for (let at = from; at < to; at += 1) if (is(at)) return true;
  return false;
}

function hasCorners({ left, right, top, bottom }: PixelBox, isInk: IsInk): boolean {
  const furthest = Math.floor(CORNER * (right - left) + 0.5);
  const corners = [
    { x: left, y: top, byX: 1, byY: 1 },
    { x: right - 1, y: top, byX: -1, byY: 1 },
    { x: left, y: bottom - 1, byX: 1, byY: -1 },
    { x: right - 1, y: bottom - 1, byX: -1, byY: -1 },
  ];
  return corners.every(({ x, y, byX, byY }) =>
    isAny(0, furthest + 1, (at) => isInk(x + at * byX, y + at * byY)),
  );
}

function hasSides({ left, right, top, bottom }: PixelBox, isInk: IsInk): boolean {
  // Edges are blurred.
  const isUpright = (x: number): boolean => isMost(top, bottom, (y) => isInk(x, y));
  const isLevel = (y: number): boolean => isMost(left, right, (x) => isInk(x, y));
  const from = (edge: number, step: 1 | -1): number[] => [0, 1, 2].map((at) => edge + step * at);
  return (
    from(left, 1).some(isUpright) &&
    from(right - 1, -1).some(isUpright) &&
    from(top, 1).some(isLevel) &&
    from(bottom - 1, -1).some(isLevel)
  );
}

/** Tests for empty space within the sides, where box-shaped letters have strokes. */
function isEmpty(
  { left, right, top, bottom }: PixelBox,
  { isInk, unitPx }: { isInk: IsInk; unitPx: number },
): boolean {
  const edge = Math.ceil(THICKEST * unitPx * 0.6);
  let [paper, count] = [0, 0];
  for (let y = top + edge; y < bottom - edge; y += 1) {
    for (let x = left + edge; x < right - edge; x += 1) {
      count += 1;
      if (!isInk(x, y)) paper += 1;
    }
  }
  return count > 0 && paper >= EMPTY * count;
}

/** Tests for clear space beside, above and below a box. */
function isAlone(
  { left, right, top, bottom }: PixelBox,
  { gray, unitPx }: { gray: RawPixels; unitPx: number },
): boolean {
  const [near, far] = [Math.ceil(unitPx / 2), Math.ceil(1.5 * unitPx)];
  const outer = { left: left - far, right: right + far, top: top - far, bottom: bottom + far };
  if (outer.left < 0 || outer.top < 0 || outer.right > gray.width || outer.bottom > gray.height)
    return false;
  const paper = inkClassifier(gray, outer);
  if (paper === undefined) return false;
  const beside = [
    { ...outer, right: left - near },
    { ...outer, left: right + near },
    { ...outer, bottom: top - near },
    { ...outer, top: bottom + near },
  ];
  return beside.every((side) => {
    let [clear, count] = [0, 0];
    for (let y = side.top; y < side.bottom; y += 1) {
      for (let x = side.left; x < side.right; x += 1) {
        count += 1;
        if (!paper.isInk(x, y)) clear += 1;
      }
    }
    return clear >= CLEAR * count;
  });
}
