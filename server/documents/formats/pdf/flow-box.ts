/** How boxes of a page lie to each other. */
import { horizontalOverlap, verticalOverlap } from './geometry.ts';
import type { Box } from './page-model.ts';

/** In points. */
export function boxWidth({ left, right }: Box): number {
  return right - left;
}

/** In points. */
export function boxHeight({ bottom, top }: Box): number {
  return top - bottom;
}

/** Whether the centre of a box lies in another. */
export function hasCentreIn(box: Box, around: Box): boolean {
  const x = (box.left + box.right) / 2;
  const y = (box.bottom + box.top) / 2;
  return x > around.left && x < around.right && y > around.bottom && y < around.top;
}

/** Whether boxes are no further from each other than a margin, in both directions. */
export function areNear(a: Box, b: Box, marginPoints: number): boolean {
  return horizontalOverlap(a, b) >= -marginPoints && verticalOverlap(a, b) >= -marginPoints;
}
