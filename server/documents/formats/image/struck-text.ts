/**
 * Finds and erases strike-through lines, which recognition would read together with the letters they cross.
 */
import type { PixelBox, RawPixels } from './ocr.ts';
import { blurOf, eraseBand } from './rules.ts';

/** Minimum length and maximum thickness of such a line, in 1/96 inch: strokes of letters are shorter. */
const SHORTEST = 24;
const THICKEST = 3;
/** Maximum break in a line, in pixels; specks interrupt it. */
const WIDEST_BREAK = 2;
/** Range of the shares of a line's length at which letters continue above it and below it. */
const LEAST_CROSSED = 0.14;
const MOST_CROSSED = 0.8;
/** Distance from a line at which letters are sought, in pixels, beyond its blurred edges. */
const BEYOND = 2;
/** Minimum contrast of print. */
const LEAST_CONTRAST = 64;
/** Share of a page that is its darkest part. */
const DARKEST = 0.01;

/**
 * Erases the rules that pass through words; returns these rules, and the picture itself if there are none.
 */
export function withoutStrikes(
  gray: RawPixels,
  { scale, unitPx }: { scale: number; unitPx: number },
): { picture: RawPixels; strikes: readonly PixelBox[] } {
  const level = inkLevel(gray);
  if (level === undefined) return { picture: gray, strikes: [] };
  const isInk = (x: number, y: number): boolean => (gray.data[y * gray.width + x] ?? 255) < level;
  const bars = barsIn(gray, { level, shortestPx: Math.round(SHORTEST * unitPx) }).filter(
    ({ top, bottom }) => bottom - top <= THICKEST * unitPx,
  );
  const crossed = bars.filter((bar) => isCrossed(bar, { height: gray.height, isInk }));
  if (crossed.length === 0) return { picture: gray, strikes: [] };
  const data = Uint8Array.from(gray.data);
  for (const bar of crossed) {
    eraseBand({ ...gray, data }, bar, { blur: blurOf(scale), isUpright: false });
  }
  return { picture: { ...gray, data }, strikes: crossed };
}

/**
 * Returns the grey level below which pixels are ink, for dark print on bright paper; undefined without print.
 * @param share of the way from the darkest level to paper: thin lines are pale
 */
export function inkLevel(gray: RawPixels, share = 0.5): number | undefined {
  const { counts, total } = levelsOf(gray);
  const levelAt = (part: number): number => {
    let left = part * total;
    return counts.findIndex((count) => (left -= count) < 0);
  };
  const [dark, paper] = [levelAt(DARKEST), levelAt(0.5)];
  return paper - dark < LEAST_CONTRAST ? undefined : dark + share * (paper - dark);
}

interface Levels {
  counts: Uint32Array;
  total: number;
}

/** Cache: the levels of a picture are needed repeatedly, and its pixels do not change. */
const levelsOfPictures = new WeakMap<RawPixels, Levels>();

/** Returns the number of pixels at each level. */
function levelsOf(gray: RawPixels): Levels {
  const known = levelsOfPictures.get(gray);
  if (known !== undefined) return known;
  const { data } = gray;
  // Adjacent pixels are mostly alike; with two counters their increments do not wait for each other.
  const [even, odd] = [new Uint32Array(256), new Uint32Array(256)];
  for (let at = 0; at + 1 < data.length; at += 2) {
    const [one, next] = [data[at] ?? 0, data[at + 1] ?? 0];
    even[one] = (even[one] ?? 0) + 1;
    odd[next] = (odd[next] ?? 0) + 1;
  }
  const last = data.length % 2 === 0 ? undefined : data.at(-1);
  const counts = even.map((count, level) => count + (odd[level] ?? 0) + (level === last ? 1 : 0));
  const levels = { counts, total: data.length };
  levelsOfPictures.set(gray, levels);
  return levels;
}

/** Finds long horizontal runs of ink; runs that touch from row to row form one bar. */
export function barsIn(
  { data, width, height }: RawPixels,
  { level, shortestPx }: { level: number; shortestPx: number },
): PixelBox[] {
  const bars: PixelBox[] = [];
  let open: PixelBox[] = [];
  /** Tests for a gap too wide for a bar to continue. */
  const isPaper = (from: number, end: number): boolean => {
    for (let at = from; at <= from + WIDEST_BREAK; at += 1) {
      if (at < end && (data[at] ?? 255) < level) return false;
    }
    return true;
  };
  for (let y = 0; y < height; y += 1) {
    const next: PixelBox[] = [];
    for (let x = 0, row = y * width; x < width; x += 1) {
      // A bar that begins here needs ink at `beyond`; most of a page is paper, so this skips most of it.
      const beyond = x + shortestPx - 1 - WIDEST_BREAK;
      if (beyond >= x && isPaper(row + beyond, row + width)) {
        x = beyond + WIDEST_BREAK;
        continue;
      }
      if ((data[row + x] ?? 255) >= level) continue;
      const left = x;
      let last = x;
      while (x < width && x - last <= WIDEST_BREAK) {
        if ((data[row + x] ?? 255) < level) last = x;
        x += 1;
      }
      if (last + 1 - left < shortestPx) continue;
      const bar = { left, right: last + 1, top: y, bottom: y + 1 };
      const touching = open.filter((one) => one.left < bar.right && one.right > bar.left);
      for (const one of touching) {
        bar.left = Math.min(bar.left, one.left);
        bar.right = Math.max(bar.right, one.right);
        bar.top = Math.min(bar.top, one.top);
      }
      open = open.filter((one) => !touching.includes(one));
      next.push(bar);
    }
    bars.push(...open);
    open = next;
  }
  return [...bars, ...open];
}

function isCrossed(
  { left, right, top, bottom }: PixelBox,
  { height, isInk }: { height: number; isInk: (x: number, y: number) => boolean },
): boolean {
  const [above, below] = [top - 1 - BEYOND, bottom + BEYOND];
  if (above < 0 || below >= height) return false;
  return [above, below].every((y) => {
    let count = 0;
    for (let x = left; x < right; x += 1) if (isInk(x, y)) count += 1;
    const share = count / (right - left);
    return share >= LEAST_CROSSED && share <= MOST_CROSSED;
  });
}
