/** Bullets before lines, found by their shape, whatever they were read for. */
import type { PixelBox, RawPixels } from './ocr.ts';

/** So far from the text, in heights of the line, a bullet is looked for. */
const FARTHEST = 3;
/** Sizes and distances in heights of the line. */
const SMALLEST = 0.1;
const LARGEST = 0.7;
const LEAST_GAP = 0.2;
/** A disc fills 0.79 of its square, a diamond 0.5; letters have holes in their middle. */
const LEAST_FILLED = 0.45;

/** The bullet at the beginning of a line, within its box or before it; undefined when there is none. */
export function bulletBefore(
  { data, width }: RawPixels,
  line: PixelBox,
  isRightToLeft: boolean,
): PixelBox | undefined {
  const height = line.bottom - line.top;
  const length = Math.round(FARTHEST * height);
  const start = isRightToLeft ? line.right : line.left;
  const left = Math.max(0, start - length);
  const right = Math.min(width, start + length);
  const isInk = inkTest(data, width, { ...line, left, right });
  if (isInk === undefined) return undefined;
  const columns = Array.from({ length: right - left }, (_, index) => {
    const x = isRightToLeft ? right - 1 - index : left + index;
    const rows = { x, top: -1, bottom: -1 };
    for (let y = line.top; y < line.bottom; y++) {
      if (!isInk(x, y)) continue;
      if (rows.top < 0) rows.top = y;
      rows.bottom = y + 1;
    }
    return rows;
  });
  const blank = Math.max(1, Math.round(LEAST_GAP * height));
  const runs = runsOf(columns);
  // The one whose follower is the text: what is farther away is something else.
  for (const [index, run] of runs.entries()) {
    const next = runs[index + 1];
    const before = runs[index - 1];
    if (next === undefined || run.from - (before?.to ?? -blank) < blank) continue;
    if (next.from - run.to < blank) continue;
    const box = boxOf(columns.slice(run.from, run.to));
    if (isRound(box, line, isInk)) return box;
    if (startsText(box, start, isRightToLeft)) return undefined;
  }
  return undefined;
}

type InkTest = (x: number, y: number) => boolean;

/** Parts ink from the ground, which most of the pixels are. */
function inkTest(data: Uint8Array, width: number, box: PixelBox): InkTest | undefined {
  const values: number[] = [];
  for (let y = box.top; y < box.bottom; y++) {
    for (let x = box.left; x < box.right; x++) values.push(data[y * width + x] ?? 0);
  }
  const sorted = Uint8Array.from(values).sort();
  const ground = sorted[sorted.length >> 1] ?? 0;
  const [darkest, brightest] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  const isDark = ground - darkest > brightest - ground;
  const most = Math.max(ground - darkest, brightest - ground);
  if (most < 40) return undefined;
  return (x, y) => (ground - (data[y * width + x] ?? 0)) * (isDark ? 1 : -1) > most / 2;
}

interface Column {
  x: number;
  top: number;
  bottom: number;
}

/** From where to where there is ink in every column. */
function runsOf(columns: readonly Column[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (const [index, { top }] of columns.entries()) {
    const last = runs.at(-1);
    if (top < 0) continue;
    if (last?.to === index) last.to = index + 1;
    else runs.push({ from: index, to: index + 1 });
  }
  return runs;
}

function boxOf(columns: readonly Column[]): PixelBox {
  return {
    left: Math.min(...columns.map(({ x }) => x)),
    right: Math.max(...columns.map(({ x }) => x)) + 1,
    top: Math.min(...columns.map(({ top }) => top)),
    bottom: Math.max(...columns.map(({ bottom }) => bottom)),
  };
}

function startsText(box: PixelBox, start: number, isRightToLeft: boolean): boolean {
  return isRightToLeft ? box.left < start : box.right > start;
}

/** As wide as high, full in the middle, and at the middle of the line's height. */
function isRound({ left, right, top, bottom }: PixelBox, line: PixelBox, isInk: InkTest): boolean {
  const [width, height] = [right - left, bottom - top];
  const lineHeight = line.bottom - line.top;
  const size = Math.max(width, height) / lineHeight;
  const middle = ((top + bottom) / 2 - line.top) / lineHeight;
  if (size < SMALLEST || size > LARGEST || middle < 0.25 || middle > 0.8) return false;
  if (Math.max(width, height) > 1.5 * Math.min(width, height) + 1) return false;
  const [x, y] = [(left + right) >> 1, (top + bottom) >> 1];
  for (let at = left + 1; at < right - 1; at++) if (!isInk(at, y)) return false;
  for (let at = top + 1; at < bottom - 1; at++) if (!isInk(x, at)) return false;
  let filled = 0;
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) if (isInk(column, row)) filled++;
  }
  return filled >= LEAST_FILLED * width * height;
}
