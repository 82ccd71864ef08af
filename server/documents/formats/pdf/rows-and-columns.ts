/** Which pieces of a page's text stand in one row, and which make up one column. */
import type { Fitting } from './fitted-text.ts';
import { horizontalOverlap, union, verticalOverlap } from './geometry.ts';
import type { Box, PageParagraph } from './page-model.ts';

/** Edges of one row or column differ by no more than this share of the size of the text. */
const ALIGNED_EMS = 0.25;
/** Pieces of one column have this share of the wider one's width in common. */
const COLUMN_SHARE = 0.6;

/** A paragraph and how its translation is set. */
export interface ColumnPiece {
  paragraph: PageParagraph;
  /** Its place in the reading order of the page. */
  order: number;
  fitting: Fitting;
}

/** What a paragraph may take up from left to right: its own place and its room. */
export function spanOf({ paragraph: { box, markerLine }, fitting: { room } }: ColumnPiece): Box {
  const own = markerLine === undefined ? box : union([box, markerLine.box]);
  return { ...box, left: Math.min(own.left, room.left), right: Math.max(own.right, room.right) };
}

/**
 * Rows of tables without rules: pieces beside each other that are read one after the other and
 * begin, have their middle or end at one height. Any other piece is a row of its own. Columns of
 * running text are not: what stands beside a piece is read long before or after it.
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
 * The column of each piece, as a number; a table without rules is one. Text in drawn boxes is in
 * other columns than text outside.
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
  // Labels are as wide as their words.
  const areLabels = a.paragraph.lines.length === 1 && b.paragraph.lines.length === 1;
  const near = ALIGNED_EMS * Math.min(a.fitting.sizePoints, b.fitting.sizePoints);
  return areLabels && Math.abs(one.left - other.left) < near;
}
