/** The appearance of a line of text: separates its letters from the background, pixel by pixel. */
import {
  beyondEdges,
  cut,
  distance,
  filled,
  medianColour,
  pixelsIn,
  putColour,
  ranked,
  type Cutting,
} from './ground.ts';
import type { PixelBox } from './ocr.ts';
import type { Picture } from './picture.ts';
import { rulePixels } from './rules.ts';

/** Red, green, blue, opacity; 0 to 255. */
export type Colour = readonly [number, number, number, number];

/** Kind of a pixel: background; letters or their halo; or anything else, which stays. */
export const EraseMask: Record<'ground' | 'ink' | 'other', number> = {
  ground: 0,
  ink: 1,
  other: 2,
};

/** Letters within a box. */
export interface Appearance {
  /** Box tightly around the letters. */
  inkBox: PixelBox;
  /** For each pixel of `inkBox`, from 0 (background) to 255 (ink). */
  coverage: Uint8Array;
  ink: Colour;
  ground: Colour;
  /** How much adjacent background pixels differ: 0 on a plain background. */
  unevenness: number;
  /** What to erase, within a somewhat larger box: a {@link EraseMask} for each of its pixels. */
  stain: { box: PixelBox; mask: Uint8Array };
}

/**
 * Minimum share of the strongest difference in the core of letters; less is an edge, part ink and part
 * background.
 */
const INK_CORE = 0.97;
/** Width of the surroundings that are examined for the background, as a share of the line's height. */
const MARGIN = 0.35;
/** Minimum significant difference: smaller ones are invisible or come from JPEG. */
const LEAST_DIFFERENCE = 10;
const NOISE_FACTOR = 4;
/** Maximum distance of background from the usual colour around a line. */
const MOST_LIKE_GROUND = 48;
/** Maximum difference between adjacent pixels on a plain background or gradient. */
const SMOOTH = 2;

/**
 * Determines the appearance of a line of text; undefined if nothing stands out in the box. A bullet before
 * the line is not erased.
 */
export function appearanceOf(
  picture: Picture,
  box: PixelBox,
  { isMarked, isRightToLeft }: { isMarked: boolean; isRightToLeft: boolean },
): Appearance | undefined {
  const cutting = cut(picture, widened(box, margin(box), picture));
  const beyond = beyondEdges(cutting, box);
  const ring = ringOf(cutting, box, beyond);
  const ground = filled(cutting, ring);
  const differences = new Float32Array(ring.length);
  const { channels, colours } = cutting;
  for (let at = 0; at < ring.length; at++) {
    if (beyond[at] !== 0) continue;
    differences[at] = distance(channels, colours, at, ground, at);
  }
  const unevenness = noise(cutting, ring);
  const least = Math.max(LEAST_DIFFERENCE, NOISE_FACTOR * unevenness);
  keepRules(cutting, box, { differences, beyond, least });
  const strongest = strongestIn(cutting, box, differences, least);
  if (strongest === undefined) return undefined;
  const inkBox = tightBox(cutting, box, (at) => (differences[at] ?? 0) > strongest / 2);
  if (inkBox === undefined) return undefined;
  const inked = pixelsWithin(cutting, inkBox);
  const strong = inked.filter((at) => (differences[at] ?? 0) >= INK_CORE * strongest);
  return {
    inkBox,
    coverage: coverageOf(cutting, inkBox, differences, strongest),
    ink: meanColour(cutting, strong),
    ground: meanColour({ channels, colours: ground }, inked),
    unevenness,
    stain: {
      box: cutting.box,
      mask: eraseMaskOf(cutting, box, {
        ...{ differences, beyond },
        least,
        isSmooth: unevenness <= SMOOTH,
        // A bullet is as small as a full stop.
        beside: {
          left: isMarked && !isRightToLeft ? box.left : cutting.box.left,
          right: isMarked && isRightToLeft ? box.right : cutting.box.right,
          top: box.top,
          bottom: box.bottom,
        },
      }),
    },
  };
}

/** Removes the rules around a text from the differences, and counts them as something else. */
function keepRules(
  { width, height }: Cutting,
  box: PixelBox,
  { differences, beyond, least }: { differences: Float32Array; beyond: Uint8Array; least: number },
): void {
  const rules = rulePixels(
    { values: differences, width, height },
    { least: CLEARLY_OTHER * least, pieceWidth: pieceWidthOf(box) },
  );
  for (let at = 0; at < rules.length; at++) {
    if (rules[at] === 0) continue;
    beyond[at] = 1;
    differences[at] = 0;
  }
}

/** Returns the width of the pieces in which lines are examined; each is wider than a letter. */
function pieceWidthOf(box: PixelBox): number {
  return 2 * (box.bottom - box.top) + 8;
}

function margin(box: PixelBox): number {
  return Math.min(40, Math.max(4, Math.round(MARGIN * (box.bottom - box.top))));
}

/** Enlarges a box by some pixels on each side, within the picture. */
function widened(box: PixelBox, by: number, picture: Picture): PixelBox {
  const { left, top, right, bottom } = outset(box, by);
  return {
    left: Math.max(0, left),
    top: Math.max(0, top),
    right: Math.min(picture.width, right),
    bottom: Math.min(picture.height, bottom),
  };
}

/** Marks the pixels around the box that belong to the background, except those unlike their surroundings. */
function ringOf(cutting: Cutting, box: PixelBox, beyond: Uint8Array): Uint8Array {
  const { width, height, channels, colours } = cutting;
  const ring = new Uint8Array(width * height);
  const clear = outset(box, Math.max(1, Math.round(margin(box) / 4)));
  const [left, right] = [clear.left - cutting.box.left, clear.right - cutting.box.left];
  const [top, bottom] = [clear.top - cutting.box.top, clear.bottom - cutting.box.top];
  // The background may change along a line, so each piece is judged by itself.
  const pieceWidth = pieceWidthOf(box);
  for (let from = 0; from < width; from += pieceWidth) {
    const to = Math.min(width, from + pieceWidth);
    const pixels = new Int32Array((to - from) * height);
    let count = 0;
    for (let y = 0; y < height; y++) {
      const isBeside = y < top || y >= bottom;
      for (let x = from; x < to; x++) {
        const at = y * width + x;
        if (beyond[at] === 0 && (isBeside || x < left || x >= right)) pixels[count++] = at;
      }
    }
    if (count === 0) continue;
    const around = pixels.subarray(0, count);
    const usual = medianColour(cutting, around);
    for (const at of around) {
      const apart = distance(channels, colours, at, usual, 0);
      if (apart <= MOST_LIKE_GROUND) ring[at] = 1;
    }
  }
  return ring;
}

/** Returns how much adjacent background pixels differ, leaving out the quarter that differs most. */
function noise({ width, channels, colours }: Cutting, ring: Uint8Array): number {
  const differences = new Float32Array(ring.length);
  let count = 0;
  for (let at = 1; at < ring.length; at++) {
    if (ring[at] === 0 || ring[at - 1] === 0 || at % width === 0) continue;
    differences[count++] = distance(channels, colours, at, colours, at - 1);
  }
  return percentile(differences.subarray(0, count), 0.75) ?? 0;
}

function percentile(numbers: Float32Array, share: number): number | undefined {
  return ranked(numbers, Math.floor(share * (numbers.length - 1)));
}

function strongestIn(
  cutting: Cutting,
  box: PixelBox,
  differences: Float32Array,
  least: number,
): number | undefined {
  const found = new Float32Array(differences.length);
  let count = 0;
  for (const at of pixelsWithin(cutting, box)) {
    const difference = differences[at] ?? 0;
    if (difference > least) found[count++] = difference;
  }
  return percentile(found.subarray(0, count), 0.96);
}

/** Returns the indexes of the pixels of a cutting that are in a box of the picture. */
function pixelsWithin(cutting: Cutting, box: PixelBox): Int32Array {
  const { left, top } = cutting.box;
  return pixelsIn(cutting, {
    left: Math.max(0, box.left - left),
    right: Math.min(cutting.width, box.right - left),
    top: Math.max(0, box.top - top),
    bottom: Math.min(cutting.height, box.bottom - top),
  });
}

function tightBox(
  cutting: Cutting,
  box: PixelBox,
  isInk: (at: number) => boolean,
): PixelBox | undefined {
  let found: PixelBox | undefined;
  for (const at of pixelsWithin(cutting, box)) {
    if (!isInk(at)) continue;
    const x = cutting.box.left + (at % cutting.width);
    const y = cutting.box.top + Math.floor(at / cutting.width);
    found ??= { left: x, top: y, right: x, bottom: y };
    found.left = Math.min(found.left, x);
    found.right = Math.max(found.right, x + 1);
    found.bottom = y + 1;
  }
  return found;
}

function coverageOf(
  cutting: Cutting,
  inkBox: PixelBox,
  differences: Float32Array,
  strongest: number,
): Uint8Array {
  const coverage = new Uint8Array((inkBox.right - inkBox.left) * (inkBox.bottom - inkBox.top));
  let to = 0;
  for (const at of pixelsWithin(cutting, inkBox)) {
    coverage[to++] = 255 * Math.min(1, (differences[at] ?? 0) / strongest);
  }
  return coverage;
}

/** Returns the mean colour of at least one pixel. */
function meanColour(
  { channels, colours }: Pick<Cutting, 'channels' | 'colours'>,
  pixels: Int32Array,
): Colour {
  const sums = [0, 0, 0, 0].map((_, channel) => {
    if (channel >= channels) return 0;
    let sum = 0;
    for (const pixel of pixels) sum += colours[pixel * channels + channel] ?? 0;
    return sum;
  });
  const alpha = channels === 4 ? (sums[3] ?? 0) : 255 * pixels.length;
  const factor = alpha > 0 ? 255 / alpha : 0;
  const [r = 0, g = 0, b = 0] = sums.map((sum) => Math.min(255, Math.round(sum * factor)));
  const opacity = Math.round(alpha / pixels.length);
  return channels === 1 ? [r, r, r, opacity] : [r, g, b, opacity];
}

/** Width of the shades that scaling and JPEG leave around letters, as a share of the line's height. */
const HALO = 0.07;

/** Marks what stands out in the box, what is connected to it and what is beside it, with its halo. */
function eraseMaskOf(
  cutting: Cutting,
  box: PixelBox,
  {
    differences,
    beyond,
    least,
    isSmooth,
    beside,
  }: {
    differences: Float32Array;
    beyond: Uint8Array;
    least: number;
    isSmooth: boolean;
    beside: PixelBox;
  },
): Uint8Array {
  const mask = lettersIn(cutting, { differences, least, box, beside });
  const heightPx = box.bottom - box.top;
  const stain = grown(mask, cutting.width, Math.max(2, Math.round(HALO * heightPx)));
  // A rule or a neighbour stays, and neither its colour nor that of its edges must flow into the gap.
  const others = new Uint8Array(mask.length);
  for (let at = 0; at < others.length; at++) {
    const difference = differences[at] ?? 0;
    if (difference <= least || mask[at] !== 0) continue;
    others[at] = 1;
    if (difference > CLEARLY_OTHER * least) stain[at] = EraseMask.other;
  }
  const around = grown(others, cutting.width, 1);
  for (let at = 0; at < around.length; at++) {
    const isOther = around[at] === 1 && stain[at] === EraseMask.ground;
    if (isOther || beyond[at] === 1) stain[at] = EraseMask.other;
  }
  if (!isSmooth) return stain;
  // JPEG leaves faint traces further from letters, which would be visible on a plain background.
  for (const at of pixelsWithin(cutting, outset(box, Math.round(margin(box) / 2)))) {
    if (stain[at] === EraseMask.ground) stain[at] = EraseMask.ink;
  }
  return stain;
}

/** Marks, with 1, the pixels connected to differences in a box, and small things beside it. */
function lettersIn(
  cutting: Cutting,
  {
    differences,
    least,
    box,
    beside,
  }: { differences: Float32Array; least: number; box: PixelBox; beside: PixelBox },
): Uint8Array {
  const { width } = cutting;
  const mask = new Uint8Array(differences.length);
  const isLeft = (at: number): boolean => mask[at] === 0 && (differences[at] ?? 0) > least;
  /** Pixels found by the last search, in order. */
  const taken = new Int32Array(differences.length);
  let count = 0;
  const take = (at: number): void => {
    if (!isLeft(at)) return;
    mask[at] = 1;
    taken[count++] = at;
  };
  const takeFrom = (seed: number): void => {
    count = 0;
    take(seed);
    // The list grows during the loop.
    for (let next = 0; next < count; next++) {
      const at = taken[next] ?? 0;
      const x = at % width;
      if (x > 0) take(at - 1);
      if (x < width - 1) take(at + 1);
      take(at - width);
      take(at + width);
    }
  };
  for (const at of pixelsWithin(cutting, box)) if (isLeft(at)) takeFrom(at);
  // Small things that are no part of something larger, such as a full stop that was not recognised.
  const larger: number[] = [];
  for (const at of pixelsWithin(cutting, beside)) {
    if (!isLeft(at)) continue;
    takeFrom(at);
    const found = taken.subarray(0, count);
    if (!found.some((one) => isAtEdge(cutting, one))) continue;
    for (const one of found) larger.push(one);
  }
  for (const at of larger) mask[at] = 0;
  return mask;
}

function outset({ left, top, right, bottom }: PixelBox, by: number): PixelBox {
  return { left: left - by, top: top - by, right: right + by, bottom: bottom + by };
}

/** Factor above which a difference within a halo is no shade of the letters but something else. */
const CLEARLY_OTHER = 3;

function isAtEdge({ width, height }: Cutting, at: number): boolean {
  const x = at % width;
  const y = Math.floor(at / width);
  return x === 0 || x === width - 1 || y === 0 || y === height - 1;
}

/** Enlarges a mask by some pixels on each side. */
function grown(mask: Uint8Array, width: number, by: number): Uint8Array {
  const height = mask.length / width;
  const wide = new Uint8Array(mask.length);
  for (let y = 0; y < height; y++) {
    let to = 0;
    for (let x = 0; x < width; x++) {
      if (mask[y * width + x] === 0) continue;
      const end = Math.min(width, x + by + 1);
      wide.fill(1, y * width + Math.max(to, x - by), y * width + end);
      to = end;
    }
  }
  const whole = new Uint8Array(mask.length);
  for (let y = 0; y < height; y++) {
    const [top, bottom] = [Math.max(0, y - by), Math.min(height, y + by + 1)];
    for (let at = y * width; at < (y + 1) * width; at++) {
      if (wide[at] === 0) continue;
      const x = at - y * width;
      for (let row = top; row < bottom; row++) whole[row * width + x] = 1;
    }
  }
  return whole;
}

/** Erases letters by continuing the surrounding background in their place. */
export function erase(picture: Picture, { stain }: Appearance): void {
  const { box, mask } = stain;
  const cutting = cut(picture, box);
  const isGround = mask.map((one) => (one === EraseMask.ground ? 1 : 0));
  const ground = { ...cutting, colours: filled(cutting, isGround) };
  for (let y = 0, at = 0; y < cutting.height; y++) {
    for (let x = 0; x < cutting.width; x++, at++) {
      if (mask[at] !== EraseMask.ink) continue;
      putColour(picture, (box.top + y) * picture.width + box.left + x, ground, at);
    }
  }
}
