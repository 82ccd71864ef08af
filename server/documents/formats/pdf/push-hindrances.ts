/**
 * Finds what keeps text on a page from being pushed down, and which pieces form one row or column and are
 * pushed together.
 */
import { clearOf, type Fitting } from './fitted-text.ts';
import { horizontalOverlap, union, verticalOverlap } from './geometry.ts';
import type { Box, PageParagraph } from './page-model.ts';
import { isPartOf } from './wrapped-lines.ts';

/**
 * Distance to the side, in ems, within which a drawing may belong to a text: a sign, the bar of a quotation.
 */
const BESIDE_EMS = 2;
/** Height of a sign, as a multiple of the text size; a higher drawing is none. */
const SIGN_EMS = 3;
/** How far the edge of a panel may cut into the boxes of its text. */
const PANEL_TOLERANCE_POINTS = 1;
/** A thinner drawing is a rule. */
const RULE_POINTS = 3;
/** Footers stand in this share of the page at its foot. */
const FOOTER_SHARE = 1 / 8;
/** Maximum number of lines of a footer's paragraph, and the minimum distance to all other text. */
const FOOTER_LINES = 3;
const FOOTER_GAP_POINTS = 18;

interface Hindered {
  paragraph: PageParagraph;
  withMarker: boolean;
  fitting: Fitting;
}

/**
 * Returns the smallest panel that contains a paragraph, such as a card or filled box; undefined outside of
 * panels.
 */
export function panelOf({ box }: PageParagraph, panels: readonly Box[]): Box | undefined {
  let smallest: Box | undefined;
  for (const panel of panels) {
    if (!isWithin(box, panel)) continue;
    if (smallest === undefined || areaOf(panel) < areaOf(smallest)) smallest = panel;
  }
  return smallest;
}

function isWithin(box: Box, { left, right, bottom, top }: Box): boolean {
  return (
    box.left > left - PANEL_TOLERANCE_POINTS &&
    box.right < right + PANEL_TOLERANCE_POINTS &&
    box.bottom > bottom - PANEL_TOLERANCE_POINTS &&
    box.top < top + PANEL_TOLERANCE_POINTS
  );
}

function areaOf({ left, right, bottom, top }: Box): number {
  return (right - left) * (top - bottom);
}

/** Returns a panel's box with its top as low as the text inside may end. */
export function panelFloor({ box, lines }: PageParagraph, panel: Box): Box {
  const size = lines[0]?.runs[0]?.style.sizePoints ?? 10;
  return { ...panel, top: clearOf(panel.bottom, box.bottom, size) };
}

/** Returns the drawings and texts below a paragraph that it must not reach, and the edge of its panel. */
export function hindrancesOf(
  { paragraph, fitting }: Hindered,
  { fixed, panel, span }: { fixed: readonly Box[]; panel: Box | undefined; span: Box },
): Box[] {
  const { bottom } = paragraph.box;
  const below = fixed.filter((box) => {
    if (verticalOverlap(box, paragraph.box) > 0.5) return false;
    if (isPartOf(box, fitting.room.around)) return false;
    return box.top <= bottom + 0.5 && horizontalOverlap(box, span) >= 1;
  });
  const clear = below.map((box) => {
    return { ...box, top: clearOf(box.top, bottom, fitting.sizePoints) };
  });
  return panel === undefined ? clear : [...clear, panelFloor(paragraph, panel)];
}

/** Returns a predicate for paragraphs that belong to something fixed and therefore do not move. */
export function isTied({
  placed,
  fixed,
  panels,
  pageHeight,
}: {
  placed: readonly Hindered[];
  fixed: readonly Box[];
  /** Drawings within which text may be moved. */
  panels: readonly Box[];
  pageHeight: number;
}): (one: Hindered) => boolean {
  const texts = placed.map(({ paragraph }) => paragraph.box);
  const parting = new Set(fixed.filter((box) => isBetweenColumns(box, texts)));
  const footers = footersOf(placed, pageHeight);
  const roomy = new Set(panels);
  return (one) => {
    const { paragraph, withMarker } = one;
    if (footers.has(one)) return true;
    // Its marker stays on the page, so the text must stay beside it.
    if (paragraph.markerLine !== undefined && !withMarker) return true;
    return fixed.some((box) => {
      const holdsIt = roomy.has(box) && isWithin(paragraph.box, box);
      const isAround = isPartOf(box, one.fitting.room.around);
      return !holdsIt && !isAround && !parting.has(box) && belongsTo(one, box);
    });
  };
}

/** Tests whether a paragraph stands on a drawing or text, or has a sign or bar beside it. */
function belongsTo({ paragraph: { box, lines }, fitting }: Hindered, other: Box): boolean {
  if (verticalOverlap(other, box) <= 0.5) return false;
  const apart = -horizontalOverlap(other, box);
  if (apart < 0) return true;
  const isSign = other.top - other.bottom < SIGN_EMS * fitting.sizePoints;
  if (isSign && lines.length === 1) return true;
  const isBar = other.right - other.left < RULE_POINTS;
  return apart < BESIDE_EMS * fitting.sizePoints && (isSign || isBar || lines.length === 1);
}

/** Tests whether a drawing is a vertical rule with text on both sides. */
function isBetweenColumns(box: Box, texts: readonly Box[]): boolean {
  if (box.right - box.left >= RULE_POINTS || box.top - box.bottom < 2 * RULE_POINTS) return false;
  const beside = texts.filter((text) => verticalOverlap(text, box) > 0.5);
  return (
    beside.some(({ right }) => right <= box.left + 1) &&
    beside.some(({ left }) => left >= box.right - 1)
  );
}

/** Returns short text at the foot of the page, far below all other text. */
function footersOf(placed: readonly Hindered[], pageHeight: number): Set<Hindered> {
  const low = placed.filter(({ paragraph }) => paragraph.box.top < pageHeight * FOOTER_SHARE);
  const rest = placed.filter((one) => !low.includes(one));
  const lines = low.reduce((sum, { paragraph }) => sum + paragraph.lines.length, 0);
  if (low.length === 0 || lines > FOOTER_LINES * 3) return new Set();
  if (low.some(({ paragraph }) => paragraph.lines.length > FOOTER_LINES)) return new Set();
  const { top } = union(low.map(({ paragraph }) => paragraph.box));
  const isFar = rest.every(({ paragraph }) => paragraph.box.bottom - top > FOOTER_GAP_POINTS);
  return isFar ? new Set(low) : new Set();
}

/** Maximum difference between edges that count as aligned in a row or column, as a share of the text size. */
const ALIGNED_EMS = 0.25;
/** Minimum overlap of pieces in one column, as a share of the wider one's width. */
const COLUMN_SHARE = 0.6;

/** A paragraph and the layout of its translation. */
interface ColumnPiece {
  paragraph: PageParagraph;
  /** Position in the reading order of the page. */
  order: number;
  fitting: Fitting;
}

/** Returns the horizontal range that a paragraph may occupy: its original place and its room. */
export function spanOf({ paragraph: { box, markerLine }, fitting: { room } }: ColumnPiece): Box {
  const own = markerLine === undefined ? box : union([box, markerLine.box]);
  return { ...box, left: Math.min(own.left, room.left), right: Math.max(own.right, room.right) };
}

/**
 * Groups pieces into rows of tables without rules: pieces side by side that are adjacent in reading order and
 * share a baseline, middle or bottom. Any other piece is a row of its own, as in columns of running text,
 * where pieces side by side are far apart in reading order.
 */
export function rowsOf<Piece extends ColumnPiece>(pieces: readonly Piece[]): Piece[][] {
  const rows: Piece[][] = [];
  for (const piece of [...pieces].sort((a, b) => a.order - b.order)) {
    const row = rows.at(-1);
    const last = row?.at(-1);
    const isNext = last !== undefined && piece.order === last.order + 1;
    if (isNext && row?.every((other) => areInOneRow(piece, other))) row.push(piece);
    else rows.push([piece]);
  }
  return rows;
}

function areInOneRow(a: ColumnPiece, b: ColumnPiece): boolean {
  const [one, other] = [a.paragraph.box, b.paragraph.box];
  if (horizontalOverlap(one, other) > 0 || verticalOverlap(one, other) < 0.5) return false;
  const near = ALIGNED_EMS * Math.max(a.fitting.sizePoints, b.fitting.sizePoints);
  const isNear = (x: number, y: number): boolean => Math.abs(x - y) < near;
  return (
    isNear(a.fitting.room.baseline, b.fitting.room.baseline) ||
    isNear(one.top + one.bottom, other.top + other.bottom) ||
    isNear(one.bottom, other.bottom)
  );
}

/**
 * Numbers the column of each piece; a table without rules is one column. Text inside panels is never in one
 * column with text outside.
 */
export function columnsOf<Piece extends ColumnPiece>(
  rows: readonly (readonly Piece[])[],
  isBoxed: (piece: Piece) => boolean,
): Map<Piece, number> {
  const pieces = rows.flat();
  const columns = new Map(pieces.map((piece, at) => [piece, at]));
  const join = (a: Piece, b: Piece): void => {
    const [from, to] = [columns.get(a), columns.get(b)];
    if (from === undefined || to === undefined || from === to) return;
    for (const [piece, column] of columns) if (column === from) columns.set(piece, to);
  };
  for (const [first, ...others] of rows) {
    for (const other of others) if (first !== undefined) join(other, first);
  }
  for (const [at, piece] of pieces.entries()) {
    for (const other of pieces.slice(at + 1)) {
      if (isBoxed(piece) === isBoxed(other) && areInOneColumn(piece, other)) join(other, piece);
    }
  }
  return columns;
}

function areInOneColumn(a: ColumnPiece, b: ColumnPiece): boolean {
  const [one, other] = [spanOf(a), spanOf(b)];
  const widest = Math.max(one.right - one.left, other.right - other.left);
  if (horizontalOverlap(one, other) > COLUMN_SHARE * widest) return true;
  // Labels are only as wide as their words.
  const areLabels = a.paragraph.lines.length === 1 && b.paragraph.lines.length === 1;
  const near = ALIGNED_EMS * Math.min(a.fitting.sizePoints, b.fitting.sizePoints);
  return areLabels && Math.abs(one.left - other.left) < near;
}
