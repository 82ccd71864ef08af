/**
 * The ground of a picture: what would be seen if something before it were taken away. Photos and frames
 * that begin near a line are none of its ground.
 */
import type { PixelBox } from './ocr.ts';
import type { Picture } from './picture.ts';

/** Colours have four channels, the first three multiplied by the fourth, as what is unseen has none. */
export const CHANNELS = 4;

/** A cutting of a picture, with colours as {@link CHANNELS} says, 0 to 255. */
export interface Cutting {
  box: PixelBox;
  width: number;
  height: number;
  colours: Float32Array;
}

/** Cuts out a box, which lies within the picture. */
export function cut(picture: Picture, box: PixelBox): Cutting {
  const width = box.right - box.left;
  const height = box.bottom - box.top;
  const colours = new Float32Array(width * height * CHANNELS);
  for (let y = 0, to = 0; y < height; y++) {
    let from = ((box.top + y) * picture.width + box.left) * picture.channels;
    for (let x = 0; x < width; x++, from += picture.channels, to += CHANNELS) {
      const alpha = picture.channels === 4 ? (picture.data[from + 3] ?? 255) : 255;
      colours[to] = ((picture.data[from] ?? 0) * alpha) / 255;
      colours[to + 1] = ((picture.data[from + 1] ?? 0) * alpha) / 255;
      colours[to + 2] = ((picture.data[from + 2] ?? 0) * alpha) / 255;
      colours[to + 3] = alpha;
    }
  }
  return { box, width, height, colours };
}

/** A picture of one level of the pyramid. */
interface Level {
  width: number;
  height: number;
  colours: Float32Array;
  /** 1 where the colour is known, 0 where it is to be found. */
  known: Uint8Array;
}

/**
 * Finds the unknown colours of a cutting: a surface as smooth as can be that joins the known ones.
 *
 * @param known for each pixel, 1 or 0
 * @returns a copy of the colours, with the unknown ones filled in
 */
export function filled({ width, height, colours }: Cutting, known: Uint8Array): Float32Array {
  const level = { width, height, colours: colours.slice(), known };
  fill(level);
  return level.colours;
}

/** Coarse to fine: at each level, what is unknown starts from the level above and is smoothed. */
function fill(level: Level): void {
  if (level.width <= 1 && level.height <= 1) return;
  if (level.known.every((one) => one === 1)) return;
  const coarse = halved(level);
  fill(coarse);
  takeFrom(level, coarse);
  smooth(level);
}

function halved({ width, height, colours, known }: Level): Level {
  const half: Level = emptyLevel((width + 1) >> 1, (height + 1) >> 1);
  const counts = new Uint8Array(half.known.length);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      if (known[at] === 0) continue;
      const to = (y >> 1) * half.width + (x >> 1);
      counts[to] = (counts[to] ?? 0) + 1;
      add(half.colours, to, colours, at);
    }
  }
  for (const [at, count] of counts.entries()) {
    if (count === 0) continue;
    half.known[at] = 1;
    scale(half.colours, at, 1 / count);
  }
  return half;
}

function emptyLevel(width: number, height: number): Level {
  const pixels = width * height;
  return {
    width,
    height,
    colours: new Float32Array(pixels * CHANNELS),
    known: new Uint8Array(pixels),
  };
}

function add(to: Float32Array, toPixel: number, from: Float32Array, fromPixel: number): void {
  for (let channel = 0; channel < CHANNELS; channel++) {
    const at = toPixel * CHANNELS + channel;
    to[at] = (to[at] ?? 0) + (from[fromPixel * CHANNELS + channel] ?? 0);
  }
}

function scale(colours: Float32Array, pixel: number, factor: number): void {
  for (let at = pixel * CHANNELS; at < (pixel + 1) * CHANNELS; at++) {
    colours[at] = (colours[at] ?? 0) * factor;
  }
}

function takeFrom({ width, height, colours, known }: Level, coarse: Level): void {
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      if (known[at] === 1) continue;
      const from = ((y >> 1) * coarse.width + (x >> 1)) * CHANNELS;
      for (let channel = 0; channel < CHANNELS; channel++) {
        colours[at * CHANNELS + channel] = coarse.colours[from + channel] ?? 0;
      }
    }
  }
}

/** The coarser levels have the slope; few rounds take the steps away. */
const ROUNDS = 12;

function smooth({ width, height, colours, known }: Level): void {
  for (let round = 0; round < ROUNDS; round++) {
    for (let y = 0, at = 0; y < height; y++) {
      for (let x = 0; x < width; x++, at++) {
        if (known[at] === 1) continue;
        const left = (x > 0 ? at - 1 : at) * CHANNELS;
        const right = (x < width - 1 ? at + 1 : at) * CHANNELS;
        const above = (y > 0 ? at - width : at) * CHANNELS;
        const below = (y < height - 1 ? at + width : at) * CHANNELS;
        for (let channel = 0; channel < CHANNELS; channel++) {
          colours[at * CHANNELS + channel] =
            ((colours[left + channel] ?? 0) +
              (colours[right + channel] ?? 0) +
              (colours[above + channel] ?? 0) +
              (colours[below + channel] ?? 0)) /
            4;
        }
      }
    }
  }
}

/** Of each channel the value in the middle; for pixels of which there may be none. */
export function medianColour(colours: Float32Array, pixels: readonly number[]): Float32Array {
  const usual = new Float32Array(CHANNELS);
  const values = new Float32Array(pixels.length);
  for (let channel = 0; channel < CHANNELS; channel++) {
    for (const [index, pixel] of pixels.entries()) {
      values[index] = colours[pixel * CHANNELS + channel] ?? 0;
    }
    usual[channel] = values.sort()[values.length >> 1] ?? 0;
  }
  return usual;
}

/** The greatest difference of two pixels in any channel. */
export function distance(a: Float32Array, aPixel: number, b: Float32Array, bPixel: number): number {
  let most = 0;
  for (let channel = 0; channel < CHANNELS; channel++) {
    const difference =
      (a[aPixel * CHANNELS + channel] ?? 0) - (b[bPixel * CHANNELS + channel] ?? 0);
    most = Math.max(most, Math.abs(difference));
  }
  return most;
}

/** Puts a colour into a picture. */
export function putColour(
  picture: Picture,
  pixel: number,
  colours: Float32Array,
  from: number,
): void {
  const alpha = colours[from * CHANNELS + 3] ?? 255;
  const factor = alpha > 0 ? 255 / alpha : 0;
  const at = pixel * picture.channels;
  for (let channel = 0; channel < 3; channel++) {
    picture.data[at + channel] = Math.round((colours[from * CHANNELS + channel] ?? 0) * factor);
  }
  if (picture.channels === 4) picture.data[at + 3] = Math.round(alpha);
}

/** A pixel further from the usual colour may be of something else. */
const ANOTHER_COLOUR = 10;
/** What ends here ends in a step of this height; a gradient has none. */
const EDGE = 24;
/** Noise goes less far than this many times what half of it does. */
const NOISE_FACTOR = 3;
/** Share of the pixels of a row or column that must be beyond; letters take less of it. */
const MOST = 0.6;

/** Rows or columns from one side of a cutting, as indexes of their pixels, the outermost first. */
type Strips = readonly (readonly number[])[];

/**
 * Marks what is beyond straight edges around a line of text, with 1: recognition takes the edge of a photo
 * for part of the letters under it now and then.
 *
 * @param box of the line, within the cutting
 */
export function beyondEdges(cutting: Cutting, box: PixelBox): Uint8Array {
  const { width, height } = cutting;
  const beyond = new Uint8Array(width * height);
  const mark = (strips: Strips, inside: readonly number[]): void => {
    const usual = medianColour(cutting.colours, inside);
    const noise = NOISE_FACTOR * medianDistance(cutting.colours, inside, usual);
    for (const strip of strips.slice(0, depthOf(cutting, strips, { usual, noise }))) {
      for (const at of strip) beyond[at] = 1;
    }
  };
  const [left, top] = [box.left - cutting.box.left, box.top - cutting.box.top];
  const [right, bottom] = [box.right - cutting.box.left, box.bottom - cutting.box.top];
  const rows = (x: number, end: number, from: number, to: number): number[][] =>
    range(from, to).map((y) => range(x, end).map((column) => y * width + column));
  const middle = (top + bottom) >> 1;
  // A photo may be over a part of the line only.
  const pieceWidth = 2 * (bottom - top) + 8;
  for (let x = 0; x < width; x += pieceWidth) {
    const end = Math.min(width, x + pieceWidth);
    const inside = rows(x, end, top, bottom).flat();
    mark(rows(x, end, 0, middle), inside);
    mark(rows(x, end, middle, height).reverse(), inside);
  }
  const columns = (from: number, to: number): number[][] =>
    range(from, to).map((x) => range(top, bottom).map((y) => y * width + x));
  const reach = Math.min(bottom - top, (right - left) >> 1);
  mark(columns(0, left + reach), rows(left, left + reach, top, bottom).flat());
  mark(columns(right - reach, width).reverse(), rows(right - reach, right, top, bottom).flat());
  return beyond;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

/** How far half of the pixels are from a colour: on paper with letters, its noise. */
function medianDistance(
  colours: Float32Array,
  pixels: readonly number[],
  usual: Float32Array,
): number {
  const distances = Float32Array.from(pixels, (at) => distance(colours, at, usual, 0)).sort();
  return distances[distances.length >> 1] ?? 0;
}

/** How many strips are beyond an edge; 0 where there is none. */
function depthOf(
  { colours }: Cutting,
  strips: Strips,
  { usual, noise }: { usual: Float32Array; noise: number },
): number {
  const another = Math.max(ANOTHER_COLOUR, noise);
  const edge = Math.max(EDGE, noise);
  const isMost = (strip: readonly number[], is: (at: number, index: number) => boolean): boolean =>
    strip.filter(is).length >= MOST * strip.length;
  const depth = strips.findIndex(
    (strip) => !isMost(strip, (at) => distance(colours, at, usual, 0) > another),
  );
  // Edges may be soft by a pixel on each side.
  const [before, after] = [strips[depth - 2] ?? strips[0], strips[depth + 1]];
  if (depth < 1 || before === undefined || after === undefined) return 0;
  const isEdge = isMost(
    before,
    (at, index) => distance(colours, at, colours, after[index] ?? at) > edge,
  );
  return isEdge ? depth : 0;
}
