/** Ruled lines of tables and boxes: they separate texts, and recognition must not take them for letters. */
import type { PixelBox, RawPixels } from './ocr.ts';

/** A straight, thin line, exactly vertical (`isUpright`) or horizontal. */
export interface Rule {
  box: PixelBox;
  isUpright: boolean;
  /** For horizontal rules: whether it consists of dots or dashes, like the leader before a page number. */
  isDashed: boolean;
}

/** Difference of a channel below which it is noise. */
export const LEAST_DIFFERENCE = 24;
/** How far a rule drifts from one piece to the next, since a scan is not quite level. */
export const MOST_DRIFT = 2;

/** Returns the width of blurred edges in an enlarged picture, in pixels. */
export function blurOf(scale: number): number {
  return 1 + Math.ceil(scale / 2);
}

/**
 * Erases the vertical rules, which would be read as letters, and the horizontal ones that meet them, since
 * the rest of a box would count as part of the text. Also erases horizontal dots and dashes, which are read
 * as words and hide those beside them. Letters close to a rule keep their pixels: its band takes the
 * background level where there is background on either side, and is bridged where strokes cross it.
 */
export function withoutTableRules(
  gray: RawPixels,
  rules: readonly Rule[],
  scale: number,
): RawPixels {
  const upright = rules.filter(({ isUpright }) => isUpright);
  if (upright.length === 0 && !rules.some(({ isDashed }) => isDashed)) return gray;
  const blur = blurOf(scale);
  const data = Uint8Array.from(gray.data);
  const meets = (level: PixelBox): boolean =>
    upright.some(
      ({ box }) =>
        box.left <= level.right + blur &&
        box.right >= level.left - blur &&
        box.top <= level.bottom + blur &&
        box.bottom >= level.top - blur,
    );
  // Corners and their blurred edges go as well.
  for (const { box } of upright) {
    const whole = { ...box, top: Math.max(0, box.top - blur), bottom: box.bottom + blur };
    eraseBand({ ...gray, data }, whole, { blur, isUpright: true });
  }
  for (const { box, isUpright, isDashed } of rules) {
    if (!isUpright && (isDashed || meets(box)))
      eraseBand({ ...gray, data }, box, { blur, isUpright });
  }
  return { ...gray, data };
}

/** Erases a rule: its band becomes background, and is bridged where strokes cross it. */
export function eraseBand(
  { data, width, height }: RawPixels,
  box: PixelBox,
  { blur, isUpright }: { blur: number; isUpright: boolean },
): void {
  const [breadth, step, stepAcross] = isUpright ? [width, width, 1] : [height, 1, width];
  const [from, to] = isUpright ? [box.left, box.right] : [box.top, box.bottom];
  const [first, end] = isUpright ? [box.top, Math.min(height, box.bottom)] : [box.left, box.right];
  const levelAt = (along: number, across: number): number =>
    data[along * step + Math.min(breadth - 1, Math.max(0, across)) * stepAcross] ?? 0;
  const all = range(first, end);
  const beside = [from - 2 * blur, to - 1 + 2 * blur];
  const paper = median(all.flatMap((at) => beside.map((across) => levelAt(at, across))));
  // Between dots there is no ink.
  const ink =
    all
      .map((along) => levelAt(along, (from + to) >> 1))
      .toSorted((a, b) => Math.abs(b - paper) - Math.abs(a - paper))[all.length >> 3] ?? 0;
  for (const along of all) {
    const fromInk = (across: number): number => Math.abs(levelAt(along, across) - ink);
    /** Returns where the rule's own edge ends: before it becomes dark again, as at a letter. */
    const edge = (start: number, by: 1 | -1): number => {
      let at = start;
      for (let steps = 1; steps <= 2 * blur; steps++) {
        const least = fromInk(at) - (steps <= blur ? LEAST_DIFFERENCE : 0);
        if (at + by < 0 || at + by >= breadth || fromInk(at + by) <= least) break;
        at += by;
      }
      return at;
    };
    const [before, after] = [edge(Math.max(0, from - 1), -1), edge(Math.min(breadth - 1, to), 1)];
    const [low, high] = [levelAt(along, before), levelAt(along, after)];
    const isBeside = Math.abs(low - high) > LEAST_DIFFERENCE;
    const ground = Math.abs(low - ink) > Math.abs(high - ink) ? low : high;
    for (let across = before + 1; across < after; across++) {
      const bridged = low + ((high - low) * (across - before)) / (after - before);
      data[along * step + across * stepAcross] = isBeside ? ground : bridged;
    }
  }
}

/** Tests for a vertical rule between two boxes of a line of text. */
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

/** Maximum distance of a leader from the end of a line and from its baseline, in heights of the line. */
const NEAR_END = 2;
const NEAR_BASELINE = 0.35;

/**
 * Returns the heights of the horizontal rules above and below a line of text; infinite without one. A rule
 * that ends with the line underlines it, and is no border. A leader at its end, as before a page number, ends
 * its text.
 */
export function rowAround(line: PixelBox, rules: readonly Rule[]): { top: number; bottom: number } {
  const height = line.bottom - line.top;
  const middle = (line.top + line.bottom) / 2;
  const row = { top: -Infinity, bottom: Infinity };
  for (const { box, isUpright } of rules) {
    const isLeader =
      !isUpright &&
      Math.abs(box.left - line.right) < NEAR_END * height &&
      Math.abs(box.bottom - line.bottom) < NEAR_BASELINE * height;
    if (isLeader) row.bottom = Math.min(row.bottom, line.bottom);
    const [before, after] = [line.left - box.left, box.right - line.right];
    if (isUpright || Math.min(before, after) < -0.3 * height || before + after < height) continue;
    const at = (box.top + box.bottom) / 2;
    if (at < middle) row.top = Math.max(row.top, at);
    else row.bottom = Math.min(row.bottom, at);
  }
  return row;
}

/** Minimum height of a table cell or of a box around text, in 1/96 inch. */
const LOWEST_CELL = 8;
/** Maximum gap between rules that meet, in 1/96 inch. */
const CORNER = 3;

/**
 * Returns the cells with rules on all four sides and no smaller cell inside. The rule above the first row of
 * a table, or below the last, may be missing: it does not stand out from a dark background.
 */
export function closedCells(rules: readonly Rule[], unitPx: number): PixelBox[] {
  const corner = CORNER * unitPx;
  const isNear = (a: PixelBox, b: PixelBox): boolean =>
    a.top <= b.bottom + corner && a.bottom >= b.top - corner;
  const upright = rules.filter(({ isUpright }) => isUpright).map(({ box }) => box);
  const level = rules
    .filter(({ isUpright }) => !isUpright)
    .map(({ box }) => box)
    .toSorted((a, b) => a.top - b.top);
  const cells = upright.flatMap((side) => {
    const meeting = level.filter(
      ({ left, right, top, bottom }) =>
        left <= side.right + corner &&
        right >= side.right + LOWEST_CELL * unitPx &&
        bottom >= side.top - corner &&
        top <= side.bottom + corner,
    );
    const ends = [side.top, side.bottom].map((y) => ({
      ...side,
      right: Infinity,
      top: y,
      bottom: y,
    }));
    const [first, last] = ends.map((end) => (meeting.some((one) => isNear(one, end)) ? [] : [end]));
    const edges = [...(first ?? []), ...meeting, ...(last ?? [])];
    return edges.slice(1).flatMap((below, at) => {
      const above = edges[at];
      if (above === undefined || below.top - above.bottom < LOWEST_CELL * unitPx) return [];
      const right = Math.min(
        ...upright
          .filter(({ left }) => left > side.right)
          .filter(({ top, bottom }) => top <= above.bottom + corner && bottom >= below.top - corner)
          .map(({ left }) => left),
      );
      const isClosed = Math.min(above.right, below.right) >= right - corner;
      return isClosed ? [{ left: side.right, right, top: above.bottom, bottom: below.top }] : [];
    });
  });
  return cells.filter((cell) => !cells.some((other) => other !== cell && isInside(other, cell)));
}

function isInside(inner: PixelBox, outer: PixelBox): boolean {
  return (
    inner.left >= outer.left &&
    inner.right <= outer.right &&
    inner.top >= outer.top &&
    inner.bottom <= outer.bottom
  );
}

/** The difference of each pixel from the background. */
interface Differences {
  values: Float32Array;
  width: number;
  height: number;
}

/** Minimum visible share of a rule; in scans, rules are worn. */
const SEEN_SHARE = 0.95;

/**
 * Marks, with 1, the rules that cross a cutting from side to side or from top to bottom, with their blurred
 * edges. Neither letters nor underlines do so.
 * @param least maximum difference of the background
 * @param pieceWidth width of the pieces in which horizontal rules are followed; wider than letters
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

/** Tests whether nearly all positions of a range satisfy a predicate. */
export function isMost(from: number, to: number, is: (at: number) => boolean): boolean {
  let most = (1 - SEEN_SHARE) * (to - from);
  for (let at = from; at < to; at += 1) if (!is(at) && --most < 0) return false;
  return true;
}

/** Returns the rows of each piece that continue through all other pieces. */
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

/** Returns the median of numbers; 0 without numbers. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
}

/** Returns the integers of a range; `to` is exclusive. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
