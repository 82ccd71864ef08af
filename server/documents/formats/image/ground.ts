/**
 * The background of a picture: what would be visible without the text before it. Photos and frames that begin
 * near a line do not belong to its background.
 */
import type { PixelBox } from './ocr.ts';
import type { Picture } from './picture.ts';

/**
 * A cutting of a picture. Its colours have one channel if grey, three if opaque, otherwise four, of which the
 * first three are multiplied by the fourth, since transparent pixels have no colour; 0 to 255.
 */
export interface Cutting {
  box: PixelBox;
  width: number;
  height: number;
  channels: 1 | 3 | 4;
  colours: Float32Array;
}

/** Cuts out a box, which lies within the picture. */
export function cut(picture: Picture, box: PixelBox): Cutting {
  const width = box.right - box.left;
  const height = box.bottom - box.top;
  const channels = channelsOf(picture, box);
  const colours = new Float32Array(width * height * channels);
  const { data } = picture;
  for (let y = 0, to = 0; y < height; y++) {
    let from = ((box.top + y) * picture.width + box.left) * picture.channels;
    for (let x = 0; x < width; x++, from += picture.channels, to += channels) {
      const alpha = channels === 4 ? (data[from + 3] ?? 255) : 255;
      for (let channel = 0; channel < Math.min(3, channels); channel++) {
        colours[to + channel] = ((data[from + channel] ?? 0) * alpha) / 255;
      }
      if (channels === 4) colours[to + 3] = alpha;
    }
  }
  return { box, width, height, channels, colours };
}

/**
 * Returns the number of channels that a part of a picture needs: most scans are grey, and each costs time.
 */
function channelsOf({ data, width, channels }: Picture, box: PixelBox): Cutting['channels'] {
  if (channels === 4) return 4;
  for (let y = box.top; y < box.bottom; y++) {
    const end = (y * width + box.right) * channels;
    for (let at = (y * width + box.left) * channels; at < end; at += channels) {
      if (data[at] !== data[at + 1] || data[at] !== data[at + 2]) return 3;
    }
  }
  return 1;
}

/** A picture at one level of the pyramid. */
interface Level {
  width: number;
  height: number;
  channels: number;
  colours: Float32Array;
  /** 1 where the colour is known, 0 where it has to be found. */
  known: Uint8Array;
}

/**
 * Finds the unknown colours of a cutting: the smoothest surface that joins the known ones.
 * @param known for each pixel, 1 or 0
 * @returns a copy of the colours, with the unknown ones filled in
 */
export function filled(cutting: Cutting, known: Uint8Array): Float32Array {
  const { width, height, channels, colours } = cutting;
  const level = { width, height, channels, colours: colours.slice(), known };
  fill(level);
  return level.colours;
}

/** Fills from coarse to fine: at each level, unknown pixels start from the coarser level and are smoothed. */
function fill(level: Level): void {
  if (level.width <= 1 && level.height <= 1) return;
  const unknown = unknownRuns(level);
  if (unknown.length === 0) return;
  const coarse = halved(level);
  fill(coarse);
  takeFrom(level, coarse);
  smooth(level, unknown);
}

/** Adjacent unknown pixels of one row: the first one, and the one after the last. */
interface Run {
  y: number;
  from: number;
  to: number;
}

function unknownRuns({ width, height, known }: Level): Run[] {
  const runs: Run[] = [];
  for (let y = 0; y < height; y++) {
    const end = (y + 1) * width;
    for (let at = y * width; at < end; at++) {
      if (known[at] !== 0) continue;
      const from = at;
      while (at < end && known[at] === 0) at++;
      runs.push({ y, from, to: at });
    }
  }
  return runs;
}

function halved({ width, height, channels, colours, known }: Level): Level {
  const [halfWidth, halfHeight] = [(width + 1) >> 1, (height + 1) >> 1];
  const counts = new Uint8Array(halfWidth * halfHeight);
  const half = new Float32Array(counts.length * channels);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      if (known[at] === 0) continue;
      const to = (y >> 1) * halfWidth + (x >> 1);
      counts[to] = (counts[to] ?? 0) + 1;
      for (let channel = 0; channel < channels; channel++) {
        const sum = to * channels + channel;
        half[sum] = (half[sum] ?? 0) + (colours[at * channels + channel] ?? 0);
      }
    }
  }
  for (let at = 0; at < half.length; at++) {
    const count = counts[Math.floor(at / channels)] ?? 0;
    if (count > 0) half[at] = (half[at] ?? 0) * (1 / count);
  }
  const isKnown = counts.map((count) => Math.min(1, count));
  return { width: halfWidth, height: halfHeight, channels, colours: half, known: isKnown };
}

function takeFrom({ width, height, channels, colours, known }: Level, coarse: Level): void {
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      if (known[at] === 1) continue;
      const from = ((y >> 1) * coarse.width + (x >> 1)) * channels;
      for (let channel = 0; channel < channels; channel++) {
        colours[at * channels + channel] = coarse.colours[from + channel] ?? 0;
      }
    }
  }
}

/**
 * Maximum number of rounds of smoothing: the coarser levels provide the slope, so a few rounds remove the
 * steps.
 */
const ROUNDS = 12;

/**
 * Sets each unknown pixel to the mean of its four neighbours; itself replaces those outside. This took a
 * third of all time on a page of text, so it stops once nothing changes, as on plain paper.
 */
function smooth(level: Level, unknown: readonly Run[]): void {
  for (let round = 0; round < ROUNDS; round++) {
    let isChanged = false;
    for (const run of unknown) {
      if (level.channels === 3) isChanged = smoothColours(level, run) || isChanged;
      else {
        for (let channel = 0; channel < level.channels; channel++) {
          isChanged = smoothChannel(level, run, channel) || isChanged;
        }
      }
    }
    if (!isChanged) return;
  }
}

/** Returns the offsets to the pixels above and below a pixel of a run, and the last pixel of its row. */
function besideRun(
  { width, height, channels }: Level,
  { y }: Run,
): { above: number; below: number; last: number } {
  const above = y > 0 ? -width * channels : 0;
  const below = y < height - 1 ? width * channels : 0;
  return { above, below, last: (y + 1) * width - 1 };
}

/** Adds the pixel before last, since each pixel depends on it. */
function smoothChannel(level: Level, run: Run, channel: number): boolean {
  const { colours, channels, width } = level;
  const { above, below, last } = besideRun(level, run);
  let value = colours[Math.max(run.y * width, run.from - 1) * channels + channel] ?? 0;
  let isChanged = false;
  for (let pixel = run.from; pixel < run.to; pixel++) {
    const at = pixel * channels + channel;
    const right = colours[pixel < last ? at + channels : at] ?? 0;
    value = Math.fround(
      (right + (colours[at + above] ?? 0) + (colours[at + below] ?? 0) + value) / 4,
    );
    isChanged ||= value !== colours[at];
    colours[at] = value;
  }
  return isChanged;
}

/** Smooths three channels of a run at once, which takes half the time. */
function smoothColours(level: Level, run: Run): boolean {
  const { colours, width } = level;
  const { above, below, last } = besideRun(level, run);
  const before = Math.max(run.y * width, run.from - 1) * 3;
  let [red = 0, green = 0, blue = 0] = colours.subarray(before, before + 3);
  let isChanged = false;
  for (let pixel = run.from; pixel < run.to; pixel++) {
    const at = pixel * 3;
    const right = pixel < last ? at + 3 : at;
    const [up, down] = [at + above, at + below];
    red = ((colours[right] ?? 0) + (colours[up] ?? 0) + (colours[down] ?? 0) + red) / 4;
    green =
      ((colours[right + 1] ?? 0) + (colours[up + 1] ?? 0) + (colours[down + 1] ?? 0) + green) / 4;
    blue =
      ((colours[right + 2] ?? 0) + (colours[up + 2] ?? 0) + (colours[down + 2] ?? 0) + blue) / 4;
    [red, green, blue] = [Math.fround(red), Math.fround(green), Math.fround(blue)];
    isChanged ||= red !== colours[at] || green !== colours[at + 1] || blue !== colours[at + 2];
    colours[at] = red;
    colours[at + 1] = green;
    colours[at + 2] = blue;
  }
  return isChanged;
}

/** Returns the median of each channel; there may be no pixels. */
export function medianColour({ channels, colours }: Cutting, pixels: Int32Array): Float32Array {
  const usual = new Float32Array(channels);
  const values = new Float32Array(pixels.length);
  for (let channel = 0; channel < channels; channel++) {
    for (let index = 0; index < pixels.length; index++) {
      values[index] = colours[(pixels[index] ?? 0) * channels + channel] ?? 0;
    }
    usual[channel] = ranked(values, values.length >> 1) ?? 0;
  }
  return usual;
}

const counts = new Uint32Array(256);

/** Returns the number at a rank, for numbers from 0 to 255: counts levels instead of sorting. */
export function ranked(numbers: Float32Array, place: number): number | undefined {
  if (place < 0 || place >= numbers.length) return undefined;
  counts.fill(0);
  let areLevels = true;
  for (let at = 0; at < numbers.length; at++) {
    const value = numbers[at] ?? 0;
    const level = value & 255;
    counts[level] = (counts[level] ?? 0) + 1;
    areLevels &&= level === value;
  }
  let [level, before, count] = [0, 0, counts[0] ?? 0];
  while (before + count <= place) {
    before += count;
    count = counts[++level] ?? 0;
  }
  if (areLevels) return level;
  return numbers.filter((value) => (value & 255) === level).sort()[place - before];
}

/** Returns the greatest difference of two pixels in any channel. */
export function distance(
  channels: number,
  a: Float32Array,
  aPixel: number,
  b: Float32Array,
  bPixel: number,
): number {
  let most = 0;
  for (let channel = 0; channel < channels; channel++) {
    const difference =
      (a[aPixel * channels + channel] ?? 0) - (b[bPixel * channels + channel] ?? 0);
    most = Math.max(most, Math.abs(difference));
  }
  return most;
}

/** Writes a colour of a cutting to a picture. */
export function putColour(
  picture: Picture,
  pixel: number,
  { channels, colours }: Cutting,
  from: number,
): void {
  const alpha = channels === 4 ? (colours[from * channels + 3] ?? 255) : 255;
  const factor = alpha > 0 ? 255 / alpha : 0;
  const at = pixel * picture.channels;
  for (let channel = 0; channel < 3; channel++) {
    const own = from * channels + (channels === 1 ? 0 : channel);
    picture.data[at + channel] = Math.round((colours[own] ?? 0) * factor);
  }
  if (picture.channels === 4) picture.data[at + 3] = Math.round(alpha);
}

/** Minimum difference from the usual colour at which a pixel may belong to something else. */
const ANOTHER_COLOUR = 10;
/** Minimum height of the step at an edge; a gradient has none. */
const EDGE = 24;
/** Limit of noise, as a multiple of its median. */
const NOISE_FACTOR = 3;
/** Minimum share of the pixels of a row or column that lie beyond an edge; letters take less of it. */
const MOST = 0.6;

/** Rows or columns from one side of a cutting, the outermost first. */
interface Strips {
  count: number;
  /** First pixel of the outermost strip, and the offset to that of the next one. */
  start: number;
  inwards: number;
  /** Pixels in a strip, and the offset from one to the next. */
  length: number;
  step: number;
}

/**
 * Marks, with 1, what lies beyond straight edges around a line of text: recognition now and then takes the
 * edge of a photo for part of the letters below it.
 * @param box box of the line, within the cutting
 */
export function beyondEdges(cutting: Cutting, box: PixelBox): Uint8Array {
  const { width, height } = cutting;
  const beyond = new Uint8Array(width * height);
  const mark = (inside: Int32Array, sides: readonly Strips[]): void => {
    const usual = medianColour(cutting, inside);
    const noise = NOISE_FACTOR * medianDistance(cutting, inside, usual);
    for (const strips of sides) {
      const depth = depthOf(cutting, strips, { usual, noise });
      for (let strip = 0; strip < depth; strip++) {
        const first = strips.start + strip * strips.inwards;
        for (let at = 0; at < strips.length; at++) beyond[first + at * strips.step] = 1;
      }
    }
  };
  const [left, top] = [box.left - cutting.box.left, box.top - cutting.box.top];
  const [right, bottom] = [box.right - cutting.box.left, box.bottom - cutting.box.top];
  const middle = (top + bottom) >> 1;
  // A photo may stand above only a part of the line.
  const pieceWidth = 2 * (bottom - top) + 8;
  for (let x = 0; x < width; x += pieceWidth) {
    const end = Math.min(width, x + pieceWidth);
    const row = { length: end - x, step: 1 };
    mark(pixelsIn(cutting, { left: x, right: end, top, bottom }), [
      { ...row, count: middle, start: x, inwards: width },
      { ...row, count: height - middle, start: (height - 1) * width + x, inwards: -width },
    ]);
  }
  const reach = Math.min(bottom - top, (right - left) >> 1);
  const column = { length: bottom - top, step: width };
  mark(pixelsIn(cutting, { left, right: left + reach, top, bottom }), [
    { ...column, count: left + reach, start: top * width, inwards: 1 },
  ]);
  mark(pixelsIn(cutting, { left: right - reach, right, top, bottom }), [
    { ...column, count: width - right + reach, start: top * width + width - 1, inwards: -1 },
  ]);
  return beyond;
}

/** Returns the indexes of the pixels in a box relative to the cutting, row by row. */
export function pixelsIn(
  { width }: { width: number },
  { left, right, top, bottom }: PixelBox,
): Int32Array {
  const pixels = new Int32Array(Math.max(0, right - left) * Math.max(0, bottom - top));
  for (let y = top, to = 0; y < bottom; y++) {
    for (let x = left; x < right; x++) pixels[to++] = y * width + x;
  }
  return pixels;
}

/** Returns the median distance of pixels from a colour: on paper with letters, its noise. */
function medianDistance(
  { channels, colours }: Cutting,
  pixels: Int32Array,
  usual: Float32Array,
): number {
  const distances = new Float32Array(pixels.length);
  for (let at = 0; at < pixels.length; at++) {
    const aPixel = pixels[at] ?? 0;
    distances[at] = distance(channels, colours, aPixel, usual, 0);
  }
  return ranked(distances, distances.length >> 1) ?? 0;
}

/** Returns how many strips lie beyond an edge; 0 without an edge. */
function depthOf(
  { channels, colours }: Cutting,
  { count, start, inwards, length, step }: Strips,
  { usual, noise }: { usual: Float32Array; noise: number },
): number {
  const another = Math.max(ANOTHER_COLOUR, noise);
  const edge = Math.max(EDGE, noise);
  /** Tests whether most pixels of a strip differ from those of another, or from the usual colour. */
  const differs = (strip: number, other: number | undefined, least: number): boolean => {
    const b = other === undefined ? usual : colours;
    let differing = 0;
    for (let at = 0; at < length; at++) {
      const aPixel = start + strip * inwards + at * step;
      const bPixel = other === undefined ? 0 : start + other * inwards + at * step;
      if (distance(channels, colours, aPixel, b, bPixel) > least) differing++;
    }
    return differing >= MOST * length;
  };
  let depth = 0;
  while (depth < count && differs(depth, undefined, another)) depth++;
  // Edges may be blurred by a pixel on each side.
  if (depth < 1 || depth + 1 >= count) return 0;
  return differs(Math.max(0, depth - 2), depth + 1, edge) ? depth : 0;
}
