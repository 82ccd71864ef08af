/**
 * Ruled lines of tables and boxes: they part texts, and recognition must not take them for letters.
 * Rules close to letters stay when these are taken away.
 */
import type { PixelBox, RawPixels } from './ocr.ts';

/** A straight, thin line, exactly upright or level. */
export interface Rule {
  box: PixelBox;
  isUpright: boolean;
}

/** In 1/96 inch: letters have no upright strokes so long and thin, rows are higher. */
const SHORTEST = 28;
const THICKEST = 3;
/** So many times as long as thick: the strokes of letters are up to 15 times. */
const SLENDER = 20;
/** A channel that differs by less on both sides is noise. */
const LEAST_DIFFERENCE = 24;
/** Share of a rule that stands out; where others cross, it does not. */
const UNBROKEN = 0.85;

/** How large a gray picture is. */
interface PictureScale {
  /** How much it is enlarged. */
  scale: number;
  /** Its pixels to 1/96 inch of what it shows: as many as it is enlarged for what is seen on screens. */
  unitPx: number;
}

/** Finds rules in a gray picture. */
export function findRules(gray: RawPixels, size: PictureScale): Rule[] {
  return [...rulesAlong(gray, size, true), ...rulesAlong(gray, size, false)];
}

/** Enlarging has blurred the edges. */
function blurOf(scale: number): number {
  return 1 + Math.ceil(scale / 2);
}

/** Of a thicker stroke only a part may be far from others: it goes on beside what was found. */
function isClearOnBothSides(
  { data, width, height }: RawPixels,
  { left, right, top, bottom }: PixelBox,
  { blur, isUpright }: { blur: number; isUpright: boolean },
): boolean {
  const breadth = isUpright ? width : height;
  const places = [
    Math.max(0, left - blur),
    (left + right) >> 1,
    Math.min(breadth, right + blur) - 1,
  ];
  let clear = 0;
  for (let along = top; along < bottom; along++) {
    const [before = 0, value = 0, after = 0] = places.map(
      (across) => data[isUpright ? along * width + across : across * width + along],
    );
    const least = Math.min(Math.abs(value - before), Math.abs(value - after));
    if (least > LEAST_DIFFERENCE) clear++;
  }
  return clear >= UNBROKEN * (bottom - top);
}

interface Run {
  across: number;
  from: number;
  to: number;
}

function rulesAlong(gray: RawPixels, { scale, unitPx }: PictureScale, isUpright: boolean): Rule[] {
  const rules: PixelBox[] = [];
  // Neighbouring runs are one rule: in the order of their places across.
  const open: PixelBox[] = [];
  for (const { across, from, to } of runsAlong(gray, Math.max(1, unitPx), isUpright)) {
    const same = open.findLast(
      ({ right, top, bottom }) => across - right <= 1 && top < to && bottom > from,
    );
    if (same === undefined) {
      const box = { left: across, right: across + 1, top: from, bottom: to };
      open.push(box);
      rules.push(box);
    } else {
      same.right = across + 1;
      same.top = Math.min(same.top, from);
      same.bottom = Math.max(same.bottom, to);
    }
  }
  return rules
    .filter(({ left, right, top, bottom }) => bottom - top >= SLENDER * (right - left))
    .filter((box) => isClearOnBothSides(gray, box, { blur: blurOf(scale), isUpright }))
    .map(({ left, right, top, bottom }) => ({
      box: isUpright
        ? { left, right, top, bottom }
        : { left: top, right: bottom, top: left, bottom: right },
      isUpright,
    }));
}

/** Runs of pixels that are darker, or brighter, than what is on both sides; in the order of `across`. */
function runsAlong({ data, width, height }: RawPixels, unitPx: number, isUpright: boolean): Run[] {
  const [length, breadth] = isUpright ? [height, width] : [width, height];
  const [step, stepAcross] = isUpright ? [width, 1] : [1, width];
  const reach = Math.ceil(THICKEST * unitPx) + 1;
  const starts = new Int32Array(breadth).fill(-1);
  const ends = new Int32Array(breadth);
  const hits = new Int32Array(breadth);
  const runs: Run[] = [];
  const close = (across: number): void => {
    const [from = 0, to = 0] = [starts[across], ends[across]];
    if ((hits[across] ?? 0) >= UNBROKEN * (to - from) && to - from >= SHORTEST * unitPx) {
      runs.push({ across, from, to });
    }
    starts[across] = -1;
  };
  for (let along = 0; along < length; along++) {
    for (let across = reach; across < breadth - reach; across++) {
      const at = along * step + across * stepAcross;
      const value = data[at] ?? 0;
      const before = value - (data[at - reach * stepAcross] ?? 0);
      const after = value - (data[at + reach * stepAcross] ?? 0);
      const isThin =
        (before > LEAST_DIFFERENCE && after > LEAST_DIFFERENCE) ||
        (before < -LEAST_DIFFERENCE && after < -LEAST_DIFFERENCE);
      if (isThin) {
        if (starts[across] === -1) {
          starts[across] = along;
          hits[across] = 0;
        }
        ends[across] = along + 1;
        hits[across] = (hits[across] ?? 0) + 1;
      } else if (starts[across] !== -1 && along - (ends[across] ?? 0) > reach) close(across);
    }
  }
  for (let across = 0; across < breadth; across++) if (starts[across] !== -1) close(across);
  return runs.sort((a, b) => a.across - b.across);
}

/** The picture without its upright rules, which would be read as letters; level ones are no trouble. */
export function withoutUprightRules(
  gray: RawPixels,
  rules: readonly Rule[],
  scale: number,
): RawPixels {
  const upright = rules.filter(({ isUpright }) => isUpright);
  if (upright.length === 0) return gray;
  const { width } = gray;
  const data = Uint8Array.from(gray.data);
  const blur = blurOf(scale);
  for (const { box } of upright) {
    const left = Math.max(0, box.left - blur);
    const right = Math.min(width - 1, box.right + blur);
    for (let y = box.top; y < box.bottom; y++) {
      const [from = 0, to = 0] = [data[y * width + left], data[y * width + right]];
      for (let x = left + 1; x < right; x++) {
        data[y * width + x] = from + ((to - from) * (x - left)) / (right - left);
      }
    }
  }
  return { ...gray, data };
}

/** Whether an upright rule stands between two boxes of a line of text. */
export function isParted(a: PixelBox, b: PixelBox, rules: readonly Rule[]): boolean {
  const [left, right] = a.left < b.left ? [a, b] : [b, a];
  const middle = (left.top + left.bottom) / 2;
  const tolerance = 0.2 * (left.bottom - left.top);
  return rules.some(
    ({ box, isUpright }) =>
      isUpright &&
      box.top < middle - tolerance &&
      box.bottom > middle + tolerance &&
      box.left >= left.right - tolerance &&
      box.right <= right.left + tolerance,
  );
}

/**
 * Between which level rules a line of text stands: their heights, infinite where there is none. What
 * ends where the line does is no border of it but underlines it.
 */
export function rowAround(line: PixelBox, rules: readonly Rule[]): { top: number; bottom: number } {
  const height = line.bottom - line.top;
  const middle = (line.top + line.bottom) / 2;
  const row = { top: -Infinity, bottom: Infinity };
  for (const { box, isUpright } of rules) {
    const [before, after] = [line.left - box.left, box.right - line.right];
    if (isUpright || Math.min(before, after) < -0.3 * height || before + after < height) continue;
    const at = (box.top + box.bottom) / 2;
    if (at < middle) row.top = Math.max(row.top, at);
    else row.bottom = Math.min(row.bottom, at);
  }
  return row;
}

/** What is looked at: how much each pixel differs from the ground. */
interface Differences {
  values: Float32Array;
  width: number;
  height: number;
}

/** Share of a rule that is seen; scans have it worn. */
const SEEN_SHARE = 0.95;
/** A scan is not quite level: how far a rule moves from one piece to the next. */
const MOST_DRIFT = 2;

/**
 * Marks the pixels, with their soft edges, of rules that go through a cutting from side to side or from
 * top to bottom, with 1. No letter does, nor does what underlines the text.
 *
 * @param least what differs by more is no ground
 * @param pieceWidth level rules are followed piece by piece; longer than letters are wide
 */
export function rulePixels(
  differences: Differences,
  { least, pieceWidth }: { least: number; pieceWidth: number },
): Uint8Array {
  const { values, width, height } = differences;
  const marked = new Uint8Array(values.length);
  const isOther = (x: number, y: number): boolean => (values[y * width + x] ?? 0) > least;
  const mark = (x: number, y: number): void => {
    if (x >= 0 && x < width && y >= 0 && y < height) marked[y * width + x] = 1;
  };
  const count = Math.max(1, Math.floor(width / pieceWidth));
  const pieces = Array.from({ length: count }, (_, piece) => ({
    from: Math.round((piece * width) / count),
    to: Math.round(((piece + 1) * width) / count),
  }));
  const rows = pieces.map(({ from, to }) =>
    range(0, height).filter((y) => isMost(from, to, (x) => isOther(x, y))),
  );
  const through = throughAll(rows);
  for (const [piece, { from, to }] of pieces.entries()) {
    for (const y of through[piece] ?? []) {
      for (let x = from; x < to; x += 1) for (const by of [-1, 0, 1]) mark(x, y + by);
    }
  }
  for (const x of range(0, width)) {
    if (!isMost(0, height, (y) => isOther(x, y))) continue;
    for (let y = 0; y < height; y += 1) for (const by of [-1, 0, 1]) mark(x + by, y);
  }
  return marked;
}

function isMost(from: number, to: number, is: (at: number) => boolean): boolean {
  let most = (1 - SEEN_SHARE) * (to - from);
  for (let at = from; at < to; at += 1) if (!is(at) && --most < 0) return false;
  return true;
}

/** Of the rows in each piece, those that go on in all of the others. */
function throughAll(rows: readonly (readonly number[])[]): (readonly number[])[] {
  const follow = (all: readonly (readonly number[])[]): number[][] => {
    const kept: number[][] = [];
    for (const [piece, own] of all.entries()) {
      const before = kept[piece - 1];
      kept.push(
        own.filter((y) => before?.some((other) => Math.abs(other - y) <= MOST_DRIFT) ?? true),
      );
    }
    return kept;
  };
  return follow(follow(rows).toReversed()).toReversed();
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
