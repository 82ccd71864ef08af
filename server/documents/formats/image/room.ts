/** How far text may grow before it meets something else. */
import type { Appearance } from './appearance.ts';
import type { PixelBox } from './ocr.ts';
import type { Picture } from './picture.ts';

/** Further than this many times the height of a line nothing is looked at, or 40 MP take a while. */
const FARTHEST = 60;
/** A channel that differs by more is something else than the ground: a pale hairline is, noise is not. */
const ANOTHER_COLOUR = 16;
const NOISE_FACTOR = 6;
/** How fast the known ground follows what is seen, so that a gradient is no border. */
const FOLLOW = 0.25;

/**
 * The box around a line of text in which there is nothing but its ground, looked for straight from each
 * side of the line.
 */
export function roomAround(
  picture: Picture,
  box: PixelBox,
  { appearance, heightPx }: { appearance: Appearance; heightPx: number },
): PixelBox {
  const difference = Math.max(ANOTHER_COLOUR, NOISE_FACTOR * appearance.unevenness);
  const farthest = Math.round(FARTHEST * heightPx);
  // Shades of letters are just outside their box, and now and then a full stop that was not read.
  const halo = Math.max(3, Math.round(heightPx * 0.3));
  const look = (from: number, limit: number, isColumn: boolean): number =>
    clearUntil(picture, box, { from, limit, isColumn, difference });
  return {
    left: look(box.left - 1 - halo, Math.max(0, box.left - farthest), true) + 1,
    right: look(box.right + halo, Math.min(picture.width - 1, box.right + farthest), true),
    top: look(box.top - 1 - halo, Math.max(0, box.top - farthest), false) + 1,
    bottom: look(box.bottom + halo, Math.min(picture.height - 1, box.bottom + farthest), false),
  };
}

/** The first row or column with something in it, on the way from one to another. */
function clearUntil(
  picture: Picture,
  box: PixelBox,
  {
    from,
    limit,
    isColumn,
    difference,
  }: { from: number; limit: number; isColumn: boolean; difference: number },
): number {
  const step = limit < from ? -1 : 1;
  const length = isColumn ? box.bottom - box.top : box.right - box.left;
  // Each pixel is compared with those before it, as a ground may change along the line.
  const known = new Float32Array(length * picture.channels).fill(Number.NaN);
  for (let at = from; step > 0 ? at <= limit : at >= limit; at += step) {
    if (!isClear(picture, box, { at, isColumn, known, difference })) return at;
  }
  return limit + step;
}

function isClear(
  { data, width, channels }: Picture,
  box: PixelBox,
  {
    at,
    isColumn,
    known,
    difference,
  }: { at: number; isColumn: boolean; known: Float32Array; difference: number },
): boolean {
  const [from, to] = isColumn ? [box.top, box.bottom] : [box.left, box.right];
  // A speck is no border.
  let others = Math.max(1, (to - from) * 0.04);
  for (let along = from, index = 0; along < to; along++) {
    const pixel = (isColumn ? along * width + at : at * width + along) * channels;
    // What is seen through has no colour.
    const isSeen = channels === 3 || (data[pixel + 3] ?? 255) > 8;
    let most = 0;
    for (let channel = 0; channel < channels; channel++, index++) {
      const value = channel < 3 && !isSeen ? 0 : (data[pixel + channel] ?? 0);
      const before = known[index] ?? Number.NaN;
      const expected = Number.isNaN(before) ? value : before;
      most = Math.max(most, Math.abs(value - expected));
      known[index] = expected + (value - expected) * FOLLOW;
    }
    if (most > difference && --others < 0) return false;
  }
  return true;
}
