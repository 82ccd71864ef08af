/** Finds the ruled lines of tables and boxes in a grey picture: solid, dashed and dotted ones. */
import { around, type PixelBox, type RawPixels } from './ocr.ts';
import { isMost, LEAST_DIFFERENCE, median, MOST_DRIFT, range, type Rule } from './rules.ts';
import {
  areDashes,
  type PictureScale,
  reachOf,
  type Stroke,
  strokesAlong,
  THICKEST,
} from './strokes.ts';
import { barsIn, inkLevel } from './struck-text.ts';

/**
 * Minimum length of a rule, in 1/96 inch: upright strokes of letters are shorter or thicker, rows are higher.
 */
const SHORTEST = 28;
/** Maximum thickness of a rule between two horizontal rules, in 1/96 inch; no letter touches both. */
const THICKEST_SIDE = 5;
/** Minimum ratio of length to thickness; strokes of letters reach 15. */
const SLENDER = 20;

/** Finds rules in a grey picture. */
export function findRules(gray: RawPixels, size: PictureScale): Rule[] {
  const thick = thickBars(gray, size.unitPx);
  const strokes = strokesAlong(gray, { ...size, shortest: SHORTEST_SIDE }, false);
  const isLong = (box: PixelBox): boolean => isSlender(box.right - box.left, box, size.unitPx);
  const long = strokesAlong(gray, { ...size, shortest: SHORTEST }, true)
    .filter((box) => isSlender(box.bottom - box.top, box, size.unitPx))
    .map((box) => wholeRule(gray, box, reachOf(THICKEST, size.unitPx)));
  const { level, sides } = boxesBetween(gray, { strokes, thick, isLong, unitPx: size.unitPx });
  const upright = joinedPieces([...long, ...sides]);
  const across = sides.length === 0 ? [] : levelBetween(gray, upright, size.unitPx);
  return [
    ...upright.map((box) => ({ box, isUpright: true, isDashed: false })),
    ...[true, false].flatMap((isDashed) =>
      joinedPieces([
        ...level.filter((one) => one.isDashed === isDashed),
        ...(isDashed ? [] : across),
      ]).map((box) => ({
        box,
        isUpright: false,
        isDashed,
      })),
    ),
  ];
}

function isSlender(
  length: number,
  { left, right, top, bottom }: PixelBox,
  unitPx: number,
): boolean {
  const thickness = Math.min(right - left, bottom - top);
  return length >= SHORTEST * unitPx && length >= SLENDER * thickness;
}

/** Minimum length of a thick rule, in 1/96 inch. */
const SHORTEST_THICK = 100;

/** Finds horizontal rules that are too thick to be found by their surroundings. */
function thickBars(gray: RawPixels, unitPx: number): Stroke[] {
  const level = inkLevel(gray);
  if (level === undefined) return [];
  return barsIn(gray, { level, shortestPx: Math.round(SHORTEST_THICK * unitPx) })
    .filter(({ top, bottom }) => bottom - top > THICKEST * unitPx)
    .filter(({ top, bottom }) => bottom - top <= THICKEST_SIDE * unitPx)
    .map((box) => ({ ...box, isDashed: false }));
}

/** Minimum height of boxes around text and minimum length of their horizontal sides, in 1/96 inch. */
const LOWEST_BOX = 8;
const SHORTEST_SIDE = 14;
/** Minimum ratio of width to height of small boxes: some letters are boxes themselves. */
const WIDE_BOX = 1.3;
/** Tolerance for the corners of a box, in pixels. */
const SAME_CORNER = 3;

/**
 * Finds the horizontal rules, including those of small boxes, and the vertical rules from one of them to the
 * next. Sides of boxes and cells may be short and close to letters, but no letter touches both rules.
 */
function boxesBetween(
  gray: RawPixels,
  {
    strokes,
    thick,
    isLong,
    unitPx,
  }: {
    strokes: readonly Stroke[];
    /** Thick bars, which count as rules only where others meet them. */
    thick: readonly Stroke[];
    isLong: (box: PixelBox) => boolean;
    unitPx: number;
  },
): { level: Stroke[]; sides: PixelBox[] } {
  const reachPx = reachOf(THICKEST_SIDE, unitPx);
  const byTop = [...strokes, ...thick].toSorted((a, b) => a.top - b.top);
  const level = new Set(strokes.filter(isLong));
  const sides: PixelBox[] = [];
  const dashed: PixelBox[][] = [];
  for (const [at, above] of byTop.entries()) {
    for (const below of byTop.slice(at + 1)) {
      const height = below.top - above.bottom;
      if (height > SHORTEST * unitPx) break;
      if (height < LOWEST_BOX * unitPx) continue;
      const areLong = isLong(above) && isLong(below);
      if (!areLong && !areSmallBox(above, below)) continue;
      const { solid: between, dashes } = sidesBetween(gray, { above, below, unitPx });
      if (between.length === 0) dashed.push(dashes);
      if (!areLong && !hasSidesAtEnds(between, above)) continue;
      if (between.length === 0 && (thick.includes(above) || thick.includes(below))) continue;
      // A rule continues beside letters so close that a horizontal rule was not found there.
      sides.push(...between.map((box) => wholeRule(gray, { ...box, isDashed: false }, reachPx)));
      level.add(above).add(below);
    }
  }
  return { level: [...level], sides: [...sides, ...inMost(dashed, SHORTEST * unitPx)] };
}

/**
 * Minimum share and number of the rows of a table in which a dashed rule is found; letters that look like
 * dashes occur in one row.
 */
const SEEN_IN_ROWS = 0.6;
const FEWEST_ROWS = 3;
/** Minimum number of dashes between two horizontal rules. */
const FEWEST_IN_ROW = 3;

/** Keeps what is found at one place in most rows, and extends it through rows where it was not found. */
function inMost(rows: readonly (readonly PixelBox[])[], rowPx: number): PixelBox[] {
  const isAt = (row: readonly PixelBox[], { left, right }: PixelBox): boolean =>
    row.some((other) => other.left <= right && other.right >= left);
  const least = Math.max(FEWEST_ROWS, SEEN_IN_ROWS * rows.length);
  const found = rows.flatMap((row) =>
    row.filter((side) => rows.filter((other) => isAt(other, side)).length >= least),
  );
  const whole: PixelBox[] = [];
  for (const side of found.toSorted((a, b) => a.top - b.top)) {
    const above = whole.find((one) => isAt([one], side) && side.top - one.bottom <= rowPx);
    if (above === undefined) whole.push({ ...side });
    else above.bottom = Math.max(above.bottom, side.bottom);
  }
  return whole;
}

function areSmallBox(above: PixelBox, below: PixelBox): boolean {
  return (
    Math.abs(above.left - below.left) <= SAME_CORNER &&
    Math.abs(above.right - below.right) <= SAME_CORNER &&
    above.right - above.left >= WIDE_BOX * (below.top - above.bottom)
  );
}

function hasSidesAtEnds(sides: readonly PixelBox[], { left, right }: PixelBox): boolean {
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 2 * SAME_CORNER;
  return (
    sides.some((box) => isNear(box.left, left)) && sides.some((box) => isNear(box.right, right))
  );
}

/** Heights at which the background between two rules is sampled; another rule may be at one of them. */
const SAMPLED = [0.15, 0.3, 0.5, 0.7, 0.85];
/** Sampling interval along a row, in pixels; so few pixels suffice. */
const EVERY = 4;

function sidesBetween(
  { data, width, height }: RawPixels,
  { above, below, unitPx }: { above: Stroke; below: Stroke; unitPx: number },
): { solid: PixelBox[]; dashes: PixelBox[] } {
  const reach = reachOf(THICKEST_SIDE, unitPx);
  const from = Math.max(0, Math.max(above.left, below.left) - reach);
  const to = Math.min(width, Math.min(above.right, below.right) + reach);
  if (from >= to) return { solid: [], dashes: [] };
  const sampled = range(0, Math.ceil((to - from) / EVERY)).map((at) => from + at * EVERY);
  const levelsAlong = (y: number): number[] => sampled.map((x) => data[y * width + x] ?? 0);
  const [top, bottom] = [above.bottom, Math.min(height, below.top)];
  const rows = SAMPLED.map((share) => Math.round(top + share * (bottom - top)));
  const ground = median(rows.flatMap(levelsAlong));
  const along = levelsAlong((above.top + above.bottom) >> 1);
  const ink = inkAmong(along, ground);
  if (Math.abs(ink - ground) <= LEAST_DIFFERENCE) return { solid: [], dashes: [] };
  const isInk = (x: number, y: number): boolean =>
    Math.abs((data[y * width + x] ?? 0) - ground) > Math.abs(ink - ground) / 2;
  const sidesOf = (isSide: (x: number) => boolean, thickest: number): PixelBox[] => {
    const sides: PixelBox[] = [];
    for (let x = from; x < to; x += 1) {
      const left = x;
      while (x < to && isSide(x)) x += 1;
      if (x === left || x - left > thickest * unitPx) continue;
      sides.push({ left, right: x, top: above.top, bottom: Math.min(height, below.bottom) });
    }
    return sides;
  };
  const dashesAt = (x: number): boolean =>
    areDashes(top, bottom, { isInk: (y) => isInk(x, y), fewest: FEWEST_IN_ROW });
  const solid = sidesOf((x) => isMost(top, bottom, (y) => isInk(x, y)), THICKEST_SIDE);
  if (solid.length > 0) return { solid, dashes: [] };
  const dashes = sidesOf(dashesAt, THICKEST).filter(({ left, right }) =>
    areNarrow({ left, right, top, bottom }, { isInk, reach: 1 + Math.round(unitPx / 2) }),
  );
  return { solid, dashes };
}

/** Minimum share of the ink of dashes that ends on both sides: strokes of `e`, `s` and `z` go on. */
const NARROW = 0.7;

function areNarrow(
  { left, right, top, bottom }: PixelBox,
  { isInk, reach }: { isInk: (x: number, y: number) => boolean; reach: number },
): boolean {
  const middle = (left + right) >> 1;
  const inked = range(top, bottom).filter((y) => isInk(middle, y));
  const ended = inked.filter((y) => !isInk(left - reach, y) && !isInk(right - 1 + reach, y));
  return ended.length >= NARROW * inked.length;
}

/**
 * Extends a vertical rule from where its ink begins to where it ends. Between letters, as in tight cells, it
 * does not stand out, and a remaining piece would be read as `l`, `i` or `!`.
 */
function wholeRule(
  { data, width, height }: RawPixels,
  { left, right, top, bottom, isDashed }: Stroke,
  reach: number,
): PixelBox {
  const widestGap = isDashed ? reach : 0;
  const middle = (left + right) >> 1;
  const levelAt = (x: number, y: number): number => data[y * width + x] ?? 0;
  const rows = range(top, bottom);
  const sides = [Math.max(0, left - reach), Math.min(width, right + reach) - 1];
  const ground = median(rows.flatMap((y) => sides.map((x) => levelAt(x, y))));
  const along = rows.map((y) => levelAt(middle, y));
  const ink = inkAmong(along, ground);
  const isInk = (x: number, y: number): boolean =>
    Math.abs(levelAt(x, y) - ground) > Math.abs(ink - ground) / 2;
  const isFilled = (x: number, y: number): boolean =>
    isAllOf(Math.max(0, x - reach), x, (at) => isInk(at, y)) ||
    isAllOf(x, Math.min(width, x + reach), (at) => isInk(at, y));
  /** Returns how far ink continues, through other rules but not into or along anything else. */
  const end = (from: number, step: 1 | -1): number => {
    let [x, thin, last] = [middle, from, from];
    for (let y = from + step; y >= 0 && y < height; y += step) {
      const next = [x, x - 1, x + 1].find((at) => isInk(at, y));
      if (next === undefined || Math.abs(next - middle) > MOST_DRIFT) {
        if (Math.abs(y - last) > widestGap) return last;
        continue;
      }
      [x, last] = [next, y];
      if (!isFilled(x, y)) thin = y;
      else if (Math.abs(y - thin) > reach) break;
    }
    return thin;
  };
  return { left, right, top: end(top, -1), bottom: end(bottom - 1, 1) + 1 };
}

function isAllOf(from: number, to: number, is: (at: number) => boolean): boolean {
  for (let at = from; at < to; at += 1) if (!is(at)) return false;
  return true;
}

/** Finds the horizontal rules from one vertical rule to the next, however close letters are. */
function levelBetween(
  { data, width }: RawPixels,
  upright: readonly PixelBox[],
  unitPx: number,
): PixelBox[] {
  const levels: PixelBox[] = [];
  for (const side of upright) {
    const [next] = upright
      .filter(({ left }) => left - side.right >= SHORTEST_SIDE * unitPx)
      .filter(({ top, bottom }) => top < side.bottom && bottom > side.top)
      .toSorted((a, b) => a.left - b.left);
    if (next === undefined) continue;
    const [top, bottom] = [Math.max(side.top, next.top), Math.min(side.bottom, next.bottom)];
    const rows = range(top, bottom);
    const columns = SAMPLED.map((share) =>
      Math.round(side.right + share * (next.left - side.right)),
    );
    const ground = median(rows.flatMap((y) => columns.map((x) => data[y * width + x] ?? 0)));
    const ink = median(rows.map((y) => data[y * width + ((side.left + side.right) >> 1)] ?? 0));
    if (Math.abs(ink - ground) <= LEAST_DIFFERENCE) continue;
    const isInk = (x: number, y: number): boolean =>
      Math.abs((data[y * width + x] ?? 0) - ground) > Math.abs(ink - ground) / 2;
    const isRule = (y: number): boolean =>
      isMost(side.right + 1, next.left - 1, (x) => isInk(x, y));
    for (let y = top; y < bottom; y += 1) {
      const from = y;
      while (y < bottom && isRule(y)) y += 1;
      if (y === from || y - from > THICKEST_SIDE * unitPx) continue;
      levels.push({ left: side.left, right: next.right, top: from, bottom: y });
    }
  }
  return levels;
}

/** Joins the pieces of one rule, which were found between the letters beside it. */
function joinedPieces(pieces: readonly PixelBox[]): PixelBox[] {
  const joined: PixelBox[] = [];
  for (const piece of pieces) {
    const { left, right, top, bottom } = piece;
    const touching = joined.filter(
      (box) => left <= box.right && right >= box.left && top <= box.bottom && bottom >= box.top,
    );
    for (const one of touching) joined.splice(joined.indexOf(one), 1);
    joined.push(around([piece, ...touching]));
  }
  return joined;
}

/** Returns the level of a rule's ink along it, ignoring the gaps between dashes. */
function inkAmong(levels: readonly number[], ground: number): number {
  const byInk = levels.toSorted((a, b) => Math.abs(b - ground) - Math.abs(a - ground));
  return byInk[levels.length >> 2] ?? ground;
}
