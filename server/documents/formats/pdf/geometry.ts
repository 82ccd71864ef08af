/** Points, boxes and the matrices of PDF (ISO 32000-1, 8.3.4). */
import type { Box } from './page-model.ts';

/** `[a b c d e f]`: x' = a·x + c·y + e, y' = b·x + d·y + f. */
export type Matrix = readonly [number, number, number, number, number, number];

/** A place; lengths in points. */
export interface Point {
  x: number;
  y: number;
}

export const identityMatrix: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns the matrix that applies `first`, then `then`. */
export function multiply(first: Matrix, then: Matrix): Matrix {
  const [a, b, c, d, e, f] = first;
  const [p, q, r, s, t, u] = then;
  return [
    a * p + b * r,
    a * q + b * s,
    c * p + d * r,
    c * q + d * s,
    e * p + f * r + t,
    e * q + f * s + u,
  ];
}

/** Returns the inverse; undefined for a singular matrix. */
export function invert([a, b, c, d, e, f]: Matrix): Matrix | undefined {
  const determinant = a * d - b * c;
  if (Math.abs(determinant) < 1e-12) return undefined;
  return [
    d / determinant,
    -b / determinant,
    -c / determinant,
    a / determinant,
    (c * f - d * e) / determinant,
    (b * e - a * f) / determinant,
  ];
}

/** Transforms a point. */
export function apply([a, b, c, d, e, f]: Matrix, { x, y }: Point): Point {
  return { x: a * x + c * y + e, y: b * x + d * y + f };
}

/** Returns the bounding box of a transformed box; pages have thousands, so it allocates nothing else. */
export function applyToBox([a, b, c, d, e, f]: Matrix, { left, bottom, right, top }: Box): Box {
  return {
    left: Math.min(a * left, a * right) + Math.min(c * bottom, c * top) + e,
    right: Math.max(a * left, a * right) + Math.max(c * bottom, c * top) + e,
    bottom: Math.min(b * left, b * right) + Math.min(d * bottom, d * top) + f,
    top: Math.max(b * left, b * right) + Math.max(d * bottom, d * top) + f,
  };
}

/** Returns a counterclockwise rotation around the origin. */
export function turn(degrees: number): Matrix {
  const radians = (degrees * Math.PI) / 180;
  const cos = clean(Math.cos(radians));
  const sin = clean(Math.sin(radians));
  return [cos, sin, -sin, cos, 0, 0];
}

/** Makes right angles exact, for which the sine or cosine would be about 1e-16 instead of 0. */
function clean(value: number): number {
  return Math.abs(value - Math.round(value)) < 1e-12 ? Math.round(value) : value;
}

/** Returns the bounding box of boxes; without boxes it is empty. */
export function union(boxes: readonly Box[]): Box {
  const all = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity };
  for (const { left, bottom, right, top } of boxes) {
    all.left = Math.min(all.left, left);
    all.bottom = Math.min(all.bottom, bottom);
    all.right = Math.max(all.right, right);
    all.top = Math.max(all.top, top);
  }
  return all;
}

/** Returns the width that two boxes share; negative values are the gap between them. */
export function horizontalOverlap(a: Box, b: Box): number {
  return Math.min(a.right, b.right) - Math.max(a.left, b.left);
}

/** Returns the height that two boxes share; negative values are the gap between them. */
export function verticalOverlap(a: Box, b: Box): number {
  return Math.min(a.top, b.top) - Math.max(a.bottom, b.bottom);
}

/**
 * Returns the matrix from a page's content to the page as displayed: cut to its crop box and rotated by its
 * `/Rotate`.
 * @param rotate clockwise, in degrees: 0, 90, 180 or 270
 */
export function viewMatrix({ crop, rotate }: { crop: Box; rotate: number }): Matrix {
  const width = crop.right - crop.left;
  const height = crop.top - crop.bottom;
  const moved: Matrix = [1, 0, 0, 1, -crop.left, -crop.bottom];
  switch (rotate) {
    case 90:
      return multiply(moved, [0, -1, 1, 0, 0, width]);
    case 180:
      return multiply(moved, [-1, 0, 0, -1, width, height]);
    case 270:
      return multiply(moved, [0, 1, -1, 0, height, 0]);
    default:
      return moved;
  }
}

/** In points. */
export function boxWidth({ left, right }: Box): number {
  return right - left;
}

/** In points. */
export function boxHeight({ bottom, top }: Box): number {
  return top - bottom;
}

/** Tests whether the centre of a box lies in another. */
export function hasCentreIn(box: Box, around: Box): boolean {
  const x = (box.left + box.right) / 2;
  const y = (box.bottom + box.top) / 2;
  return x > around.left && x < around.right && y > around.bottom && y < around.top;
}

/** Tests whether two boxes are no further apart than a margin, in both directions. */
export function areNear(a: Box, b: Box, marginPoints: number): boolean {
  return horizontalOverlap(a, b) >= -marginPoints && verticalOverlap(a, b) >= -marginPoints;
}
