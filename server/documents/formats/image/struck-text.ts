/** Rules through words, which recognition reads together with the letters they cross. */
import type { PixelBox, RawPixels } from './ocr.ts';
import { blurOf, eraseBand } from './rules.ts';

/** In 1/96 inch: letters have no level strokes so long, and rules of texts are no thicker. */
const SHORTEST = 24;
const THICKEST = 3;
/** Specks break a rule for so many pixels. */
const WIDEST_BREAK = 2;
/** Of a rule's length letters go on above it, and below it, in no less and no more than these shares. */
const LEAST_CROSSED = 0.14;
const MOST_CROSSED = 0.8;
/** In pixels: beyond the soft edges of a rule. */
const BEYOND = 2;
/** Less contrast is no print. */
const LEAST_CONTRAST = 64;
/** Share of a page that is the darkest of it. */
const DARKEST = 0.01;

/** The picture without the rules that go through its words, itself where there are none; and these rules. */
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
 * Below which level of gray print is, dark on bright; undefined where there is none.
 *
 * @param share of the way from the darkest to paper: thin lines are pale
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

/** They are asked for again and again, and pixels do not change. */
const levelsOfPictures = new WeakMap<RawPixels, Levels>();

/** How many pixels have each level. */
function levelsOf(gray: RawPixels): Levels {
  const known = levelsOfPictures.get(gray);
  if (known !== undefined) return known;
  const { data } = gray;
  // Neighbours are mostly alike: counted side by side they need not wait for each other.
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

/** Where ink goes on for long; what touches from row to row is one. */
export function barsIn(
  { data, width, height }: RawPixels,
  { level, shortestPx }: { level: number; shortestPx: number },
): PixelBox[] {
  const bars: PixelBox[] = [];
  let open: PixelBox[] = [];
  /** Whether there is a gap that no bar goes on after. */
  const isPaper = (from: number, end: number): boolean => {
    for (let at = from; at <= from + WIDEST_BREAK; at += 1) {
      if (at < end && (data[at] ?? 255) < level) return false;
    }
    return true;
  };
  for (let y = 0; y < height; y += 1) {
    const next: PixelBox[] = [];
    for (let x = 0, row = y * width; x < width; x += 1) {
      // What is long enough and begins from here on has ink there, and most of a page is paper.
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
