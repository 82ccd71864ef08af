/**
 * Longer text pushes what follows in its column down, keeping the distances, as long as the page has room at
 * its foot. If there is not enough room, first the distances between paragraphs shrink, then the leading of
 * the column, then its letters.
 */
import {
  type Fitting,
  fittingScale,
  leadingAt,
  linesAt,
  SCALE_STEP,
  setText,
} from './fitted-text.ts';
import { horizontalOverlap } from './geometry.ts';
import type { Box, PageParagraph } from './page-model.ts';
import { hindrancesOf, isTied, panelOf, columnsOf, rowsOf, spanOf } from './push-hindrances.ts';

/** Maximum number of pieces, each of which is compared with all others; a page of more is not pushed. */
const MAX_COMPARED = 1_000;
/** Maximum number of passes; before the last one, all pieces are pinned to their places. */
const MAX_PASSES = 600;
/** Share of the size by which lines and paragraphs may overlap and still count as one below the other. */
const OVERLAP_EMS = 0.25;

/** How closely a column is set. */
interface Tightness {
  /** Maximum distance kept between two paragraphs, in points; `Infinity` keeps all of it. */
  kept: number;
  /** Factor of the leading. */
  leading: number;
  scale: number;
}

/** Settings tried in order in a column without enough room. */
const TIGHTNESS: readonly Tightness[] = [
  ...[Infinity, 36, 20, 10].map((kept) => ({ kept, leading: 1, scale: 1 })),
  ...[0.95, 0.9, 0.85, 0.8].map((leading) => ({ kept: 10, leading, scale: 1 })),
  ...[6, 4].map((kept) => ({ kept, leading: 0.8, scale: 1 })),
  ...Array.from({ length: 19 }, (_, at) => {
    return { kept: 4, leading: 0.8, scale: 1 - (at + 1) * SCALE_STEP };
  }),
];

/** A paragraph to be redrawn; its place and scale are changed. */
interface Pushable {
  paragraph: PageParagraph;
  /** Position in the reading order of the page. */
  order: number;
  /** Whether its list marker is drawn with it. */
  withMarker: boolean;
  /** The layout at its original place, and the scale that fits there. */
  fitting: Fitting;
  scale: number;
}

interface Column {
  /** Index into {@link TIGHTNESS}. */
  step: number;
}

/** A paragraph that may be pushed down. */
interface Piece {
  block: Pushable;
  column: Column;
  /** The panel that contains it. */
  panel: Box | undefined;
  /** Fixed boxes below it. */
  hindrances: readonly Box[];
  /** Whether it belongs to something fixed. */
  isTied: boolean;
  /** Whether it is drawn at its original place, at the scale that fits there. */
  isPinned: boolean;
  /** The largest scale at which no line is too wide. */
  widest: number;
  /** Pieces above it that may push it. */
  above: Piece[];
  /** How far it is pushed, which piece pushes it, and where its letters then end. */
  down: number;
  pusher: Piece | undefined;
  bottom: number;
  /** Distance from baseline to baseline at the current tightness. */
  leading: number;
}

/**
 * Pushes paragraphs down. A paragraph on or beside something fixed does not move, and nothing moves over it;
 * a paragraph in a panel moves within the panel.
 * @param others fixed boxes besides rotated text: drawings, pictures, text that is not redrawn
 * @param panels those of the others that may contain text: cards, filled boxes
 * @param foot lowest place where text may end
 * @param share makes the scales within a column alike; receives the column of each paragraph
 * @returns false, with nothing changed, for a page whose text cannot be pushed
 */
export function pushDown<Block extends Pushable>(
  written: readonly Block[],
  others: readonly Box[],
  {
    panels,
    foot,
    pageHeight,
    share,
  }: {
    panels: readonly Box[];
    foot: number;
    pageHeight: number;
    share: (columns: ReadonlyMap<Block, number>) => void;
  },
): boolean {
  // Rotated text is fixed.
  const placed = written.filter(({ paragraph }) => paragraph.rotation === 0);
  const turned = written.filter(({ paragraph }) => paragraph.rotation !== 0);
  const fixed = [...others, ...turned.map(({ paragraph }) => paragraph.box)];
  if (Math.max(placed.length, fixed.length) > MAX_COMPARED) return false;
  const rows = rowsOf(placed);
  const within = new Map(placed.map((block) => [block, panelOf(block.paragraph, panels)]));
  const numbers = columnsOf(rows, (block) => within.get(block) !== undefined);
  const ties = isTied({ placed, fixed, panels, pageHeight });
  const tied = placed.filter(ties).map(({ paragraph }) => paragraph.box);
  const ordered = rows
    .map((row) => {
      // A row that spans several panels stays in each of them.
      const isParted = row.some((block) => within.get(block) !== within.get(row[0] ?? block));
      return row.map((block) => {
        return pieceOf(block, { fixed, panel: within.get(block), isTied: isParted || ties(block) });
      });
    })
    .sort((a, b) => lowestTop(b) - lowestTop(a));
  const pieces = ordered.flat();
  for (const piece of pieces) piece.above = aboveOf(piece, pieces, [...fixed, ...tied]);
  joinColumns(ordered, ({ block }) => numbers.get(block as Block));
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    if (pass === MAX_PASSES - 1) for (const piece of pieces) piece.isPinned = true;
    if (settle(ordered, foot)) break;
  }
  for (const piece of pieces) if (!piece.isPinned) piece.block.scale = scaleOf(piece);
  share(numbers);
  // Text that became smaller to match other text pushes what follows less.
  for (const piece of pieces) piece.widest = Math.min(piece.widest, piece.block.scale);
  settle(ordered, foot);
  for (const piece of pieces) write(piece);
  return true;
}

/** Returns the largest scale at which no line is too wide. */
function scaleForWidth(fitting: Fitting): number {
  return fittingScale({ ...fitting, room: { ...fitting.room, bottom: -Infinity } });
}

function lowestTop(row: readonly Piece[]): number {
  return Math.min(...row.map(({ block }) => block.paragraph.box.top));
}

function pieceOf(
  block: Pushable,
  {
    fixed,
    panel,
    isTied: tied,
  }: { fixed: readonly Box[]; panel: Box | undefined; isTied: boolean },
): Piece {
  return {
    block,
    column: { step: 0 },
    panel,
    hindrances: hindrancesOf(block, { fixed, panel, span: spanOf(block) }),
    isTied: tied,
    isPinned: false,
    widest: scaleForWidth(block.fitting),
    above: [],
    down: 0,
    pusher: undefined,
    bottom: 0,
    leading: block.fitting.leading,
  };
}

/** Returns the pieces above a piece, except where something fixed stands between them. */
function aboveOf(piece: Piece, pieces: readonly Piece[], staying: readonly Box[]): Piece[] {
  const { box } = piece.block.paragraph;
  const span = spanOf(piece.block);
  const near = staying.filter((other) => {
    return other !== box && other.bottom >= box.top - 1 && horizontalOverlap(other, span) >= 1;
  });
  return pieces.filter(({ block, panel }) => {
    if (panel !== piece.panel) return false;
    const other = block.paragraph.box;
    const overlap =
      OVERLAP_EMS * Math.min(block.fitting.sizePoints, piece.block.fitting.sizePoints);
    if (block === piece.block || other.bottom < box.top - overlap) return false;
    const otherSpan = spanOf(block);
    if (horizontalOverlap(otherSpan, span) < 1) return false;
    return !near.some((between) => {
      const isBelow = between !== other && between.top <= other.bottom + 1;
      return isBelow && horizontalOverlap(between, otherSpan) >= 1;
    });
  });
}

/** Joins the columns of pieces that push each other within one column, so that they are set equally close. */
function joinColumns(
  rows: readonly (readonly Piece[])[],
  numberOf: (piece: Piece) => number | undefined,
): void {
  const pieces = rows.flat();
  const join = (a: Piece, b: Piece): void => {
    if (a.column === b.column || a.isTied || b.isTied) return;
    const from = a.column;
    for (const piece of pieces) if (piece.column === from) piece.column = b.column;
  };
  for (const row of rows) for (const piece of row) if (row[0] !== undefined) join(piece, row[0]);
  for (const piece of pieces) {
    for (const pusher of piece.above) if (numberOf(piece) === numberOf(pusher)) join(piece, pusher);
  }
}

/** Pushes all pieces down once; returns false if some went too far and their columns were tightened. */
function settle(rows: readonly (readonly Piece[])[], foot: number): boolean {
  const reached = new Set<Piece>();
  const failed: Piece[] = [];
  for (const row of rows) {
    let down = 0;
    let first: { piece: Piece; pusher: Piece } | undefined;
    for (const piece of row) {
      for (const pusher of piece.above) {
        if (!reached.has(pusher)) continue;
        const pushed = distancePushed(piece, pusher);
        if (pushed <= down) continue;
        down = pushed;
        first = { piece, pusher };
      }
    }
    const stays = row.some(({ isTied, isPinned }) => isTied || isPinned);
    const isRefused = stays && down > 0.01;
    for (const piece of row) {
      piece.pusher = first?.pusher;
      piece.down = stays ? 0 : down;
      setPiece(piece);
      reached.add(piece);
      if (!isRefused && !piece.isPinned && !isFree(piece, foot)) failed.push(piece);
    }
    if (isRefused && first !== undefined) failed.push(first.piece);
  }
  const tightened = new Set<Column>();
  return !failed.map((piece) => relieve(piece, rows, tightened)).includes(true);
}

function distancePushed({ block, column }: Piece, pusher: Piece): number {
  const { box } = pusher.block.paragraph;
  if (pusher.bottom > box.bottom - 0.01) return 0;
  const kept = Math.min(tightnessOf(column).kept, tightnessOf(pusher.column).kept);
  return (
    block.paragraph.box.top - (pusher.bottom - Math.min(box.bottom - block.paragraph.box.top, kept))
  );
}

function tightnessOf({ step }: Column): Tightness {
  return TIGHTNESS[step] ?? { kept: 4, leading: 0.8, scale: 0 };
}

function scaleOf({ block, isPinned, column, widest }: Piece): number {
  return isPinned ? block.scale : Math.min(tightnessOf(column).scale, widest);
}

/** Lays out a piece at its pushed place: sets its leading and where its letters end. */
function setPiece(piece: Piece): void {
  const { block, isPinned, column, down } = piece;
  const scale = scaleOf(piece);
  const { sizePoints } = block.fitting;
  const baseline = block.fitting.room.baseline - down;
  const fitting = { ...block.fitting, room: { ...block.fitting.room, baseline } };
  const natural = leadingAt(fitting, scale, 1);
  // With no room below the baseline, `leadingAt` returns the closest leading.
  const closest = leadingAt({ ...fitting, room: { ...fitting.room, bottom: baseline } }, scale, 2);
  const tight = Math.max(closest, natural * tightnessOf(column).leading);
  const { lines, leading } = isPinned
    ? setText(fitting, scale, false)
    : { lines: linesAt(fitting, { scale, leading: tight, dividesWords: false }), leading: tight };
  piece.leading = leading;
  piece.bottom = baseline - Math.max(0, lines.length - 1) * leading - 0.22 * sizePoints * scale;
}

function isFree({ block, hindrances, down, bottom }: Piece, foot: number): boolean {
  const { paragraph, fitting } = block;
  const slack = 0.05 * fitting.sizePoints;
  const isLonger = bottom < paragraph.box.bottom - slack;
  if (down < 0.01 && !isLonger) return true;
  if (bottom < Math.min(foot, paragraph.box.bottom) - slack) return false;
  return hindrances.every((box) => box.top <= bottom);
}

/**
 * Makes room for a piece that was pushed too far by tightening the column that grew most among those that
 * pushed it. A piece that grew by itself is pinned to its place; so is a column that would be set smaller
 * than it fits without being pushed. Returns whether anything changed.
 */
function relieve(
  piece: Piece,
  rows: readonly (readonly Piece[])[],
  tightened: Set<Column>,
): boolean {
  if (piece.pusher === undefined && !piece.isPinned) {
    piece.isPinned = true;
    return true;
  }
  const growth = new Map<Column, number>();
  const seen = new Set<Piece>();
  for (let at: Piece | undefined = piece; at !== undefined && !seen.has(at); at = at.pusher) {
    seen.add(at);
    if (at.isPinned) continue;
    const grown = at.block.paragraph.box.bottom - (at.bottom + at.down);
    growth.set(at.column, (growth.get(at.column) ?? 0) + grown);
  }
  const [most] = [...growth].sort(([, a], [, b]) => b - a);
  if (most === undefined) return false;
  const [column] = most;
  if (tightened.has(column)) return true;
  tightened.add(column);
  column.step += 1;
  const members = rows.flat().filter((member) => member.column === column && !member.isPinned);
  const least = Math.min(
    ...members.map(({ block, widest }) => (block.scale < widest ? block.scale : 1)),
  );
  if (tightnessOf(column).scale < least - 0.001)
    for (const member of members) member.isPinned = true;
  return true;
}

function write(piece: Piece): void {
  const { block, isPinned, down, bottom, leading } = piece;
  if (isPinned) return;
  const { fitting } = block;
  block.scale = scaleOf(piece);
  const room = { ...fitting.room, baseline: fitting.room.baseline - down, bottom };
  // Lines around pictures keep their breaks only at the leading for which they were broken.
  block.fitting = { ...fitting, leading: leading / block.scale, room };
}
