/**
 * Longer text pushes what follows it down a page that has room at its foot: else the letters of the
 * whole page would get smaller while half of it is empty.
 */
import {
  type Fitting,
  fittingScale,
  leadingAt,
  linesAt,
  MIN_SCALE,
  SCALE_STEP,
} from './fitted-text.ts';
import { horizontalOverlap, verticalOverlap } from './geometry.ts';
import type { Box, PageParagraph } from './page-model.ts';

/** What is kept of the distance between two paragraphs, in points: all of it if it can be. */
const KEPT_POINTS = [Infinity, 10];
/** All are compared with all others; pages of so many pieces are no text to be pushed. */
const MAX_COMPARED = 300;

/** A paragraph that is written; its place and scale are changed. */
export interface Pushable {
  paragraph: PageParagraph;
  /** Whether its list marker is written with it. */
  withMarker: boolean;
  fitting: Fitting;
  scale: number;
}

/**
 * Pushes paragraphs down where that lets them be written larger than they fit now. What stands on or
 * beside something that stays where it is, is not moved, and nothing is moved over it.
 *
 * @param fixed what stays: drawings, pictures, text that is not written anew
 * @param foot where the lowest text may end
 */
export function pushDown(placed: readonly Pushable[], fixed: readonly Box[], foot: number): void {
  if (Math.max(placed.length, fixed.length) > MAX_COMPARED) return;
  if (placed.some(({ paragraph }) => paragraph.rotation !== 0)) return;
  const ordered = [...placed].sort((a, b) => b.paragraph.box.top - a.paragraph.box.top);
  const widest = new Map(ordered.map((one) => [one, scaleForWidth(one.fitting)]));
  const cramped = ordered.filter((one) => one.scale < (widest.get(one) ?? 1));
  const least = Math.min(1, ...cramped.map(({ scale }) => scale));
  for (let step = 0; 1 - step * SCALE_STEP > Math.max(least, MIN_SCALE) + 0.001; step += 1) {
    const most = 1 - step * SCALE_STEP;
    const scaleOf = (one: Pushable): number => Math.min(most, widest.get(one) ?? 1);
    const moves = KEPT_POINTS.reduce<Move[] | undefined>(
      (found, kept) => found ?? movesAt({ ordered, fixed, foot, kept, scaleOf }),
      undefined,
    );
    if (moves === undefined) continue;
    for (const { one, down, bottom } of moves) {
      const { fitting } = one;
      one.scale = scaleOf(one);
      one.fitting = {
        ...fitting,
        room: { ...fitting.room, baseline: fitting.room.baseline - down, bottom },
      };
    }
    return;
  }
}

/** The largest scale at which no line is too wide. */
function scaleForWidth(fitting: Fitting): number {
  return fittingScale({ ...fitting, room: { ...fitting.room, bottom: -Infinity } });
}

interface Move {
  one: Pushable;
  /** How far it is pushed. */
  down: number;
  /** Where its letters end then. */
  bottom: number;
}

/** Where paragraphs come to, from the top of the page on; undefined when they do not fit. */
function movesAt({
  ordered,
  fixed,
  foot,
  kept,
  scaleOf,
}: {
  ordered: readonly Pushable[];
  fixed: readonly Box[];
  foot: number;
  kept: number;
  scaleOf: (one: Pushable) => number;
}): Move[] | undefined {
  const moves: Move[] = [];
  for (const one of ordered) {
    const { box } = one.paragraph;
    let down = 0;
    // Also by what is in another column: rows of tables without rules stay rows.
    for (const { one: other, bottom } of moves) {
      const gap = other.paragraph.box.bottom - box.top;
      if (gap < -1 || bottom > other.paragraph.box.bottom - 0.01) continue;
      down = Math.max(down, box.top - (bottom - Math.min(gap, kept)));
    }
    const bottom = bottomAt(one.fitting, scaleOf(one)) - down;
    const move = { one, down, bottom };
    if (!isFree(move, fixed, foot)) return undefined;
    moves.push(move);
  }
  return moves;
}

/** Where a paragraph's letters end at a scale, with its lines as far apart as they were. */
function bottomAt(fitting: Fitting, scale: number): number {
  const count = linesAt(fitting, scale, false).length;
  const free = { ...fitting, room: { ...fitting.room, bottom: -Infinity } };
  const height = (Math.max(1, count) - 1) * leadingAt(free, scale, count);
  return fitting.room.baseline - height - 0.22 * fitting.sizePoints * scale;
}

function isFree({ one, down, bottom }: Move, fixed: readonly Box[], foot: number): boolean {
  const { paragraph, withMarker, fitting } = one;
  const { box } = paragraph;
  const isMoved = down > 0.01;
  const isLonger = bottom < box.bottom - 0.05 * fitting.sizePoints;
  if (!isMoved && !isLonger) return true;
  // A marker that stays on the page would be left behind.
  if (isMoved && paragraph.markerLine !== undefined && !withMarker) return false;
  if (bottom < Math.min(foot, box.bottom) - 0.05 * fitting.sizePoints) return false;
  const { left, right } = fitting.room;
  return fixed.every((other) => {
    if (verticalOverlap(other, box) > 0.5) return !isMoved;
    const isBelow = other.top <= box.bottom + 0.5;
    return !isBelow || other.top <= bottom || horizontalOverlap(other, { ...box, left, right }) < 1;
  });
}
