/** How a line of text looks: its letters parted from the ground, pixel by pixel. */
import {
  beyondEdges,
  CHANNELS,
  cut,
  distance,
  filled,
  medianColour,
  putColour,
  type Cutting,
} from './ground.ts';
import type { PixelBox } from './ocr.ts';
import type { Picture } from './picture.ts';
import { rulePixels } from './rules.ts';

/** Red, green, blue, opacity; 0 to 255. */
export type Colour = readonly [number, number, number, number];

/** What a pixel is: ground, letters or their halo, or something else that stays. */
export const Stain: Record<'ground' | 'ink' | 'other', number> = { ground: 0, ink: 1, other: 2 };

/** Letters within a box. */
export interface Appearance {
  /** Exactly around the letters. */
  inkBox: PixelBox;
  /** For each pixel of `inkBox` from 0 (ground) to 255 (ink). */
  coverage: Uint8Array;
  ink: Colour;
  ground: Colour;
  /** How much neighbouring pixels of the ground differ: 0 on a plain one. */
  unevenness: number;
  /** What has to go, within a box that is somewhat larger: for each of its pixels a {@link Stain}. */
  stain: { box: PixelBox; mask: Uint8Array };
}

/** Pixels that differ by less of the strongest are edges: part ink, part ground. */
const INK_CORE = 0.97;
/** Around a line, this share of its height is looked at for the ground. */
const MARGIN = 0.35;
/** Differences below this cannot be seen, or come from JPEG. */
const LEAST_DIFFERENCE = 10;
const NOISE_FACTOR = 4;
/** Neighbours differ by no more where a ground is plain or a gradient. */
const SMOOTH = 2;

/** Looks at a line of text; undefined when nothing stands out in the box. What marks it stays. */
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
  for (let at = 0; at < ring.length; at++) {
    if (beyond[at] === 0) differences[at] = distance(cutting.colours, at, ground, at);
  }
  const unevenness = noise(cutting, ring);
  const least = Math.max(LEAST_DIFFERENCE, NOISE_FACTOR * unevenness);
  keepRules(cutting, box, { differences, beyond, least });
  const strongest = strongestIn(cutting, box, differences, least);
  if (strongest === undefined) return undefined;
  const inkBox = tightBox(cutting, box, (at) => (differences[at] ?? 0) > strongest / 2);
  if (inkBox === undefined) return undefined;
  const strong = [...pixelsWithin(cutting, inkBox)].filter(
    (at) => (differences[at] ?? 0) >= INK_CORE * strongest,
  );
  return {
    inkBox,
    coverage: coverageOf(cutting, inkBox, differences, strongest),
    ink: meanColour(cutting.colours, strong),
    ground: meanColour(ground, pixelsWithin(cutting, inkBox)),
    unevenness,
    stain: {
      box: cutting.box,
      mask: stainOf(cutting, box, {
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

/** Takes the rules around a text out of what differs, and counts them as something else. */
function keepRules(
  { width, height }: Cutting,
  box: PixelBox,
  { differences, beyond, least }: { differences: Float32Array; beyond: Uint8Array; least: number },
): void {
  const rules = rulePixels(
    { values: differences, width, height },
    { least: CLEARLY_OTHER * least, pieceWidth: pieceWidthOf(box) },
  );
  for (const [at, one] of rules.entries()) {
    if (one === 0) continue;
    beyond[at] = 1;
    differences[at] = 0;
  }
}

/** Lines are looked at piece by piece, each wider than a letter. */
function pieceWidthOf(box: PixelBox): number {
  return 2 * (box.bottom - box.top) + 8;
}

function margin(box: PixelBox): number {
  return Math.min(40, Math.max(4, Math.round(MARGIN * (box.bottom - box.top))));
}

/** A box that is larger by some pixels on each side, within the picture. */
function widened(box: PixelBox, by: number, picture: Picture): PixelBox {
  const { left, top, right, bottom } = outset(box, by);
  return {
    left: Math.max(0, left),
    top: Math.max(0, top),
    right: Math.min(picture.width, right),
    bottom: Math.min(picture.height, bottom),
  };
}

/** Marks the pixels around the box that belong to the ground: those unlike their neighbours do not. */
function ringOf(cutting: Cutting, box: PixelBox, beyond: Uint8Array): Uint8Array {
  const { width, height } = cutting;
  const ring = new Uint8Array(width * height);
  const clear = Math.max(1, Math.round(margin(box) / 4));
  // Grounds may change along a line: each piece of it is judged by itself.
  const pieceWidth = pieceWidthOf(box);
  for (let from = 0; from < width; from += pieceWidth) {
    const to = Math.min(width, from + pieceWidth);
    const pixels: number[] = [];
    for (let y = 0; y < height; y++) {
      for (let x = from; x < to; x++) {
        const at = y * width + x;
        if (beyond[at] === 0 && !isWithin(cutting, box, { x, y }, clear)) pixels.push(at);
      }
    }
    if (pixels.length === 0) continue;
    const usual = medianColour(cutting.colours, pixels);
    const near = pixels.filter((at) => distance(cutting.colours, at, usual, 0) <= 48);
    for (const at of near) ring[at] = 1;
  }
  return ring;
}

function isWithin(
  cutting: Cutting,
  box: PixelBox,
  { x, y }: { x: number; y: number },
  clear: number,
): boolean {
  const pictureX = cutting.box.left + x;
  const pictureY = cutting.box.top + y;
  return (
    pictureX >= box.left - clear &&
    pictureX < box.right + clear &&
    pictureY >= box.top - clear &&
    pictureY < box.bottom + clear
  );
}

/** How much neighbours of the ground differ, but for the quarter that differs most. */
function noise({ width, colours }: Cutting, ring: Uint8Array): number {
  const differences: number[] = [];
  for (let at = 1; at < ring.length; at++) {
    if (at % width === 0 || ring[at] === 0 || ring[at - 1] === 0) continue;
    differences.push(distance(colours, at, colours, at - 1));
  }
  return percentile(differences, 0.75) ?? 0;
}

function percentile(numbers: number[], share: number): number | undefined {
  const sorted = Float32Array.from(numbers).sort();
  return sorted[Math.floor(share * (sorted.length - 1))];
}

function strongestIn(
  cutting: Cutting,
  box: PixelBox,
  differences: Float32Array,
  least: number,
): number | undefined {
  const found: number[] = [];
  for (const at of pixelsWithin(cutting, box)) {
    const difference = differences[at] ?? 0;
    if (difference > least) found.push(difference);
  }
  return percentile(found, 0.96);
}

/** Indexes of the pixels of a cutting that are in a box of the picture. */
function* pixelsWithin({ box: outer, width }: Cutting, box: PixelBox): Generator<number> {
  for (let y = Math.max(box.top, outer.top); y < Math.min(box.bottom, outer.bottom); y++) {
    for (let x = Math.max(box.left, outer.left); x < Math.min(box.right, outer.right); x++) {
      yield (y - outer.top) * width + (x - outer.left);
    }
  }
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

/** The mean of pixels of which there is at least one. */
function meanColour(colours: Float32Array, pixels: Iterable<number>): Colour {
  const sum = new Float64Array(CHANNELS);
  let count = 0;
  for (const pixel of pixels) {
    count++;
    for (let channel = 0; channel < CHANNELS; channel++) {
      sum[channel] = (sum[channel] ?? 0) + (colours[pixel * CHANNELS + channel] ?? 0);
    }
  }
  const [red = 0, green = 0, blue = 0, alpha = 0] = sum;
  const factor = alpha > 0 ? 255 / alpha : 0;
  const [r, g, b] = [red, green, blue].map((one) => Math.min(255, Math.round(one * factor)));
  return [r ?? 0, g ?? 0, b ?? 0, Math.round(alpha / count)];
}

/** Around letters, scaling and JPEG leave shades of them; a share of the line's height. */
const HALO = 0.07;

/** What stands out in the box, what hangs on it and what stands beside it, with its halo. */
function stainOf(
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
  const mask = new Uint8Array(differences.length);
  const takeFrom = (seed: number): number[] => {
    const taken: number[] = [];
    const take = (at: number): void => {
      if (mask[at] !== 0 || (differences[at] ?? 0) <= least) return;
      mask[at] = 1;
      taken.push(at);
    };
    take(seed);
    // The list grows while it is gone through.
    for (const at of taken) {
      const x = at % cutting.width;
      if (x > 0) take(at - 1);
      if (x < cutting.width - 1) take(at + 1);
      take(at - cutting.width);
      take(at + cutting.width);
    }
    return taken;
  };
  for (const at of pixelsWithin(cutting, box)) takeFrom(at);
  // A full stop that was not read, for one: something small, and no part of something larger.
  for (const at of pixelsWithin(cutting, beside)) {
    const taken = takeFrom(at);
    if (taken.some((one) => isAtEdge(cutting, one))) for (const one of taken) mask[one] = 0;
  }
  const heightPx = box.bottom - box.top;
  const stain = grown(mask, cutting.width, Math.max(2, Math.round(HALO * heightPx)));
  // A rule or a neighbour: it stays, and its colour must not flow into the gap, nor that of its edges.
  const others = differences.map((one, at) => (one > least && mask[at] === 0 ? 1 : 0));
  for (const [at, one] of others.entries()) {
    if (one === 1 && (differences[at] ?? 0) > CLEARLY_OTHER * least) stain[at] = Stain.other;
  }
  for (const [at, one] of grown(Uint8Array.from(others), cutting.width, 1).entries()) {
    if (one === 1 && stain[at] === Stain.ground) stain[at] = Stain.other;
    if (beyond[at] === 1) stain[at] = Stain.other;
  }
  if (!isSmooth) return stain;
  // What JPEG leaves further from letters is faint, but on a plain ground it would be seen.
  for (const at of pixelsWithin(cutting, outset(box, Math.round(margin(box) / 2)))) {
    if (stain[at] === Stain.ground) stain[at] = Stain.ink;
  }
  return stain;
}

function outset({ left, top, right, bottom }: PixelBox, by: number): PixelBox {
  return { left: left - by, top: top - by, right: right + by, bottom: bottom + by };
}

/** Within a halo, what differs by more than this is no shade of the letters but something of its own. */
const CLEARLY_OTHER = 3;

function isAtEdge({ width, height }: Cutting, at: number): boolean {
  const x = at % width;
  const y = Math.floor(at / width);
  return x === 0 || x === width - 1 || y === 0 || y === height - 1;
}

/** A mask that is larger by some pixels on each side: along the rows, then along the columns. */
function grown(mask: Uint8Array, width: number, by: number): Uint8Array {
  return spread(spread(mask, width, by, 1), width, by, width);
}

function spread(mask: Uint8Array, width: number, by: number, step: number): Uint8Array {
  const wide = new Uint8Array(mask.length);
  for (let at = 0; at < mask.length; at++) {
    if (mask[at] === 0) continue;
    for (let offset = -by; offset <= by; offset++) {
      const to = at + offset * step;
      const isInRow = step !== 1 || Math.floor(to / width) === Math.floor(at / width);
      if (isInRow && to >= 0 && to < wide.length) wide[to] = 1;
    }
  }
  return wide;
}

/** Takes letters away: where they were, the ground around them goes on. */
export function erase(picture: Picture, { stain }: Appearance): void {
  const { box, mask } = stain;
  const cutting = cut(picture, box);
  const colours = filled(
    cutting,
    mask.map((one) => (one === Stain.ground ? 1 : 0)),
  );
  for (let y = 0, at = 0; y < cutting.height; y++) {
    for (let x = 0; x < cutting.width; x++, at++) {
      if (mask[at] !== Stain.ink) continue;
      putColour(picture, (box.top + y) * picture.width + box.left + x, colours, at);
    }
  }
}
