/** Straight thin strokes in a gray picture, solid or of dashes and dots: what rules are found by. */
import type { PixelBox, RawPixels } from './ocr.ts';
import { blurOf, LEAST_DIFFERENCE, median } from './rules.ts';

/** In 1/96 inch. */
export const THICKEST = 3;
/** Share of a rule that stands out; where others cross, it does not. */
const UNBROKEN = 0.85;

/** How large a gray picture is. */
export interface PictureScale {
  /** How much it is enlarged. */
  scale: number;
  /** Its pixels to 1/96 inch of what it shows: as many as it is enlarged for what is seen on screens. */
  unitPx: number;
}

/** In pixels, from within a rule to beyond it. */
export function reachOf(thickest: number, unitPx: number): number {
  return Math.ceil(thickest * unitPx) + 1;
}

/** Of a thicker stroke only a part may be far from others: it goes on beside what was found. */
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

/** Where dots and dashes are as few as this, they may be anything. */
const FEWEST_DASHES = 8;
/** In 1/96 inch: strokes of letters come at equal distances as well, for a word or so. */
const SHORTEST_DASHED = { upright: 56, level: 150 } as const;
/** Share of the dashes, and of the gaps between them, that are alike; letters stand in the way of some. */
const REGULAR = 0.8;

/** Whether ink comes and goes as it does along dashes or dots. */
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

/** Edges are blurred by a pixel or so. */
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
  /** In 1/96 inch. */
  shortest: number;
}

/** Straight thin strokes with nothing close on both sides. */
export function strokesAlong(gray: RawPixels, size: StrokeScale, isUpright: boolean): Stroke[] {
  const strokes: Stroke[] = [];
  // Neighbouring runs are one stroke: in the order of their places across.
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

/** Runs of pixels that are darker, or brighter, than what is on both sides; in the order of `across`. */
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
    // Ink that is seen again within reach goes on.
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

/** Calls for each pixel that is darker, or brighter, than what is within reach on both sides. */
function eachThin(
  { data, width, height }: RawPixels,
  { reach, isUpright }: { reach: number; isUpright: boolean },
  call: (along: number, across: number) => void,
): void {
  // Row by row both ways, as pixels one below the other are far apart in memory; most are paper.
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
