/** Photos, frames and other grounds that begin near a line of text: they are none of its ground. */
import { distance, medianColour, type Cutting } from './ground.ts';
import type { PixelBox } from './ocr.ts';

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
