/** Finds straight thin strokes in a grey picture, solid or dashed: the candidates for rules. */
import type { PixelBox, RawPixels } from './ocr.ts';
import { blurOf, LEAST_DIFFERENCE, median } from './rules.ts';

/** Maximum thickness of a stroke, in 1/96 inch. */
export const THICKEST = 3;
/** Minimum share of a rule that stands out; it does not where others cross it. */
const UNBROKEN = 0.85;

/** The scale of a grey picture. */
export interface PictureScale {
  /** Enlargement of the picture. */
  scale: number;
  /** Pixels per 1/96 inch of the original, which equals the enlargement for pictures of screens. */
  unitPx: number;
}

/** Returns the distance from within a rule to beyond it, in pixels. */
export function reachOf(thickest: number, unitPx: number): number {
  return Math.ceil(thickest * unitPx) + 1;
}

/** Tests for clear space on both sides: a thicker shape continues beside the stroke that was found. */
function isClearOnBothSides(
  { data, width, height }: RawPixels,
  { left, right, top, bottom, isDashed }: Stroke,
  { blur, isUpright }: { blur: number; isUpright: boolean },
): boolean {
  const breadth = isUpright ? width : height;
  const places = [
    Math.max(0, left - blur),
    (left + right) >> 1,
    Math.min(breadth, right + blur) - 1,
  ];
  let [clear, seen] = [0, 0];
  for (let along = top; along < bottom; along++) {
    const [before = 0, value = 0, after = 0] = places.map(
      (across) => data[isUpright ? along * width + across : across * width + along],
    );
    const apart = [Math.abs(value - before), Math.abs(value - after)];
    if (Math.min(...apart) > LEAST_DIFFERENCE) clear++;
    if (Math.max(...apart) > LEAST_DIFFERENCE) seen++;
  }
  return clear >= UNBROKEN * (isDashed ? seen : bottom - top);
}

interface Run {
  across: number;
  from: number;
  to: number;
  isDashed: boolean;
}

/** Minimum number of dashes or dots of a rule; fewer may be anything. */
const FEWEST_DASHES = 8;
/** Minimum length of a dashed rule, in 1/96 inch: the strokes of about one word are evenly spaced as well. */
const SHORTEST_DASHED = { upright: 56, level: 150 } as const;
/** Minimum share of equal dashes, and of equal gaps between them; letters cover some. */
const REGULAR = 0.8;

/** Tests whether ink alternates as along dashes or dots. */
export function areDashes(
  from: number,
  to: number,
  { isInk, fewest }: { isInk: (along: number) => boolean; fewest: number },
): boolean {
  const lengths: Record<'ink' | 'gap', number[]> = { ink: [], gap: [] };
  let begin = from;
  for (let along = from + 1; along <= to; along++) {
    if (along < to && isInk(along) === isInk(along - 1)) continue;
    lengths[isInk(along - 1) ? 'ink' : 'gap'].push(along - begin);
    begin = along;
  }
  return (
    lengths.ink.length >= fewest && areAlike(lengths.ink.slice(1, -1)) && areAlike(lengths.gap)
  );
}

/** Edges are blurred by about a pixel. */
function areAlike(lengths: readonly number[]): boolean {
  const usual = median(lengths);
  const alike = lengths.filter((length) => Math.abs(length - usual) <= 0.3 * usual + 1.5);
  return alike.length >= REGULAR * lengths.length;
}

/** A straight thin line that may be a rule. */
export interface Stroke extends PixelBox {
  isDashed: boolean;
}

interface StrokeScale extends PictureScale {
  /** Minimum length, in 1/96 inch. */
  shortest: number;
}

/** Finds straight thin strokes with clear space on both sides. */
export function strokesAlong(gray: RawPixels, size: StrokeScale, isUpright: boolean): Stroke[] {
  const strokes: Stroke[] = [];
  // Adjacent runs form one stroke; they are ordered by `across`.
  const open: Stroke[] = [];
  for (const { across, from, to, isDashed } of runsAlong(gray, size, isUpright)) {
    const same = open.findLast(
      ({ right, top, bottom }) => across - right <= 1 && top < to && bottom > from,
    );
    if (same === undefined) {
      const box = { left: across, right: across + 1, top: from, bottom: to, isDashed };
      open.push(box);
      strokes.push(box);
    } else {
      same.right = across + 1;
      same.top = Math.min(same.top, from);
      same.bottom = Math.max(same.bottom, to);
      same.isDashed ||= isDashed;
    }
  }
  return strokes
    .filter((box) => isClearOnBothSides(gray, box, { blur: blurOf(size.scale), isUpright }))
    .map((stroke) => {
      const { left, right, top, bottom } = stroke;
      return isUpright ? stroke : { ...stroke, left: top, right: bottom, top: left, bottom: right };
    });
}

/** Finds runs of pixels that are darker, or brighter, than both sides, in the order of `across`. */
function runsAlong(gray: RawPixels, size: StrokeScale, isUpright: boolean): Run[] {
  const { data, width, height } = gray;
  const unitPx = Math.max(1, size.unitPx);
  const breadth = isUpright ? width : height;
  const [step, stepAcross] = isUpright ? [width, 1] : [1, width];
  const reach = reachOf(THICKEST, unitPx);
  const starts = new Int32Array(breadth).fill(-1);
  const ends = new Int32Array(breadth);
  const hits = new Int32Array(breadth);
  const runs: Run[] = [];
  const isThinAt = (along: number, across: number): boolean => {
    const at = along * step + across * stepAcross;
    const value = data[at] ?? 0;
    const before = value - (data[at - reach * stepAcross] ?? 0);
    const after = value - (data[at + reach * stepAcross] ?? 0);
    return (
      (before > LEAST_DIFFERENCE && after > LEAST_DIFFERENCE) ||
      (before < -LEAST_DIFFERENCE && after < -LEAST_DIFFERENCE)
    );
  };
  const close = (across: number): void => {
    const [from = 0, to = 0] = [starts[across], ends[across]];
    starts[across] = -1;
    if (to - from < size.shortest * unitPx) return;
    const isSolid = (hits[across] ?? 0) >= UNBROKEN * (to - from);
    const mayBeDashed = to - from >= SHORTEST_DASHED[isUpright ? 'upright' : 'level'] * unitPx;
    if (
      isSolid ||
      (mayBeDashed &&
        areDashes(from, to, { isInk: (at) => isThinAt(at, across), fewest: FEWEST_DASHES }))
    ) {
      runs.push({ across, from, to, isDashed: !isSolid });
    }
  };
  const add = (along: number, across: number): void => {
    const isOpen = starts[across] !== -1;
    // Ink that reappears within reach continues the run.
    const goesOn = isOpen && along - (ends[across] ?? 0) <= reach + 1;
    if (isOpen && !goesOn) close(across);
    if (!goesOn) {
      starts[across] = along;
      hits[across] = 0;
    }
    ends[across] = along + 1;
    hits[across] = (hits[across] ?? 0) + 1;
  };
  eachThin(gray, { reach, isUpright }, add);
  for (let across = 0; across < breadth; across++) if (starts[across] !== -1) close(across);
  return runs.sort((a, b) => a.across - b.across);
}

/** Calls back for each pixel that is darker, or brighter, than the pixels at `reach` on both sides. */
function eachThin(
  { data, width, height }: RawPixels,
  { reach, isUpright }: { reach: number; isUpright: boolean },
  call: (along: number, across: number) => void,
): void {
  // Both directions go row by row, since vertical neighbours are far apart in memory; most pixels are paper.
  const [edgeX, edgeY, away] = isUpright ? [reach, 0, reach] : [0, reach, reach * width];
  for (let y = edgeY; y < height - edgeY; y++) {
    for (let x = edgeX; x < width - edgeX; x++) {
      const at = y * width + x;
      const value = data[at] ?? 0;
      const before = value - (data[at - away] ?? 0);
      if (before <= LEAST_DIFFERENCE && before >= -LEAST_DIFFERENCE) continue;
      const after = value - (data[at + away] ?? 0);
      if (before > 0 ? after <= LEAST_DIFFERENCE : after >= -LEAST_DIFFERENCE) continue;
      if (isUpright) call(y, x);
      else call(x, y);
    }
  }
}
