/**
 * Ruled lines of tables and boxes: they part texts, and recognition must not take them for letters.
 */
import type { PixelBox, RawPixels } from './ocr.ts';

/** A straight, thin line, exactly upright or level. */
export interface Rule {
  box: PixelBox;
  isUpright: boolean;
  /** Of level ones: whether it is dots or dashes, as those that lead to the number of a page. */
  isDashed: boolean;
}

/** A channel that differs by less on both sides is noise. */
export const LEAST_DIFFERENCE = 24;
/** A scan is not quite level: how far a rule moves from one piece to the next. */
export const MOST_DRIFT = 2;

/** How wide the edges of a picture are that was enlarged, in pixels. */
export function blurOf(scale: number): number {
  return 1 + Math.ceil(scale / 2);
}

/**
 * The picture without its upright rules, which would be read as letters, and without the level ones
 * that meet them: what would stay of a box is taken for a part of the text. Level dots and dashes are
 * read as words, and those beside them are not. Letters that stand close to
 * a rule keep their pixels: its band takes the ground's level where there is ground on either side, and
 * is bridged where strokes cross it.
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
  // Corners and their soft edges go as well.
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

/** Takes a rule away: its band becomes ground, and goes on where strokes cross it. */
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
    /** Where the rule's own edge ends: before it goes dark again, as it does at a letter. */
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

/** In heights of a line: dots that lead on from it begin so near its end and its baseline. */
const NEAR_END = 2;
const NEAR_BASELINE = 0.35;

/**
 * Between which level rules a line of text stands: their heights, infinite where there is none. What
 * ends where the line does is no border of it but underlines it. What leads on from its end, to the
 * number of a page for one, ends its text.
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

/** In 1/96 inch: cells of a table, and boxes around text, are higher. */
const LOWEST_CELL = 8;
/** How far rules end from those they meet. */
const CORNER = 3;

/**
 * What is between rules on all four sides, and nothing of it in others. Above the first row of a table,
 * and below the last, there may be none: where its ground is dark, a rule does not stand out.
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

/** What is looked at: how much each pixel differs from the ground. */
interface Differences {
  values: Float32Array;
  width: number;
  height: number;
}

/** Share of a rule that is seen; scans have it worn. */
const SEEN_SHARE = 0.95;

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

/** Whether nearly all from one place to another are so. */
export function isMost(from: number, to: number, is: (at: number) => boolean): boolean {
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

/** Of numbers, the one in the middle; 0 where there is none. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
}

/** The numbers from one to another, which is not among them. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
