/** Detects tables without rules: rows of short texts aligned in columns. */
import { boxHeight, horizontalOverlap, union } from './geometry.ts';
import type { FlowCell } from './flow-model.ts';
import { flowText, type ParagraphPlace } from './flow-text.ts';
import type { PlacedTable } from './flow-tables.ts';
import type { Box, Page, PageParagraph, TextLine } from './page-model.ts';

/** A line and its paragraph. */
interface Member {
  line: TextLine;
  paragraph: PageParagraph;
}

/** The lines on one baseline, from left to right. */
interface Row {
  baseline: number;
  height: number;
  members: Member[];
}

/** A table that is being assembled. */
interface Candidate {
  columns: Box[];
  rows: Row[];
}

/** Minimum number of rows with several texts; fewer may be a coincidence. */
const MIN_ROWS = 3;
/** Mean length of lines, in characters, above which a column is prose. */
const PROSE_CHARACTERS = 26;
/** Maximum distance between rows of one table, in line heights. */
const MAX_ROW_GAP = 3;
/** Maximum difference of edges that count as aligned. */
const EDGE_POINTS = 3;

/** Finds tables among the lines that belong to no other table. */
export function alignedTables(
  page: Page,
  place: ParagraphPlace,
  isFree: (line: TextLine) => boolean,
): PlacedTable[] {
  const tables: PlacedTable[] = [];
  let candidate: Candidate | undefined;
  for (const row of rowsOf(page, isFree)) {
    if (candidate !== undefined && joins(candidate, row)) continue;
    if (candidate !== undefined && isTable(candidate)) tables.push(placed(candidate, place));
    const columns = row.members.map(({ line }) => ({ ...line.box }));
    candidate = row.members.length > 1 ? { columns, rows: [row] } : undefined;
  }
  if (candidate !== undefined && isTable(candidate)) tables.push(placed(candidate, place));
  return tables;
}

/** Groups lines by baseline, top first. */
function rowsOf(page: Page, isFree: (line: TextLine) => boolean): Row[] {
  const members = page.paragraphs
    .filter(({ rotation, listMarker }) => rotation === 0 && listMarker === undefined)
    .flatMap((paragraph) => paragraph.lines.map((line) => ({ line, paragraph })))
    .filter(({ line }) => isFree(line))
    .sort((a, b) => b.line.baseline - a.line.baseline);
  const rows: Row[] = [];
  for (const member of members) {
    const { baseline, box } = member.line;
    const last = rows.at(-1);
    if (last !== undefined && last.baseline - baseline < 0.3 * last.height)
      last.members.push(member);
    else rows.push({ baseline, height: boxHeight(box), members: [member] });
  }
  for (const row of rows) row.members.sort((a, b) => a.line.box.left - b.line.box.left);
  return rows;
}

/** Adds a row to a table if each of its texts stands in one column. */
function joins({ columns, rows }: Candidate, row: Row): boolean {
  const last = rows.at(-1);
  if (last === undefined || last.baseline - row.baseline > MAX_ROW_GAP * row.height) return false;
  const grown = columns.map((box) => ({ ...box }));
  for (const { line } of row.members) {
    const touched = grown.filter((box) => horizontalOverlap(box, line.box) > -1);
    const [column] = touched;
    if (touched.length > 1) return false;
    if (column === undefined) {
      grown.push({ ...line.box });
    } else {
      column.left = Math.min(column.left, line.box.left);
      column.right = Math.max(column.right, line.box.right);
    }
  }
  grown.sort((a, b) => a.left - b.left);
  const areApart = grown.every((box, at) => {
    const next = grown[at + 1];
    return next === undefined || next.left - box.right > 1;
  });
  // A single text below the last row that continues no cell is the next paragraph.
  const isParagraph = row.members.length === 1 && !isContinuation(last, row);
  if (!areApart || isParagraph) return false;
  columns.splice(0, columns.length, ...grown);
  rows.push(row);
  return true;
}

/** Tests whether a single text continues a cell above it. */
function isContinuation(above: Row, row: Row): boolean {
  const [member] = row.members;
  if (member === undefined || above.baseline - row.baseline > 1.5 * row.height) return false;
  return above.members.some(
    ({ line }) => Math.abs(line.box.left - member.line.box.left) < EDGE_POINTS,
  );
}

function isTable({ columns, rows }: Candidate): boolean {
  const full = rows.filter(({ members }) => members.length > 1);
  if (columns.length < 2 || full.length < MIN_ROWS) return false;
  const texts = columns.map((column) =>
    rows.flatMap(({ members }) =>
      members.filter(({ line }) => horizontalOverlap(line.box, column) > 0),
    ),
  );
  const prose = texts.filter((members) => meanLength(members) > PROSE_CHARACTERS);
  if (prose.length > 1) return false;
  const crooked = texts.filter((members) => !isStraight(members));
  return crooked.length <= columns.length / 3 && texts.every(({ length }) => length > 1);
}

function meanLength(members: readonly Member[]): number {
  const characters = members
    .flatMap(({ line }) => line.runs)
    .reduce((n, { text }) => n + text.length, 0);
  return characters / Math.max(1, members.length);
}

/** Tests whether most texts of a column share an edge or their middle. */
function isStraight(members: readonly Member[]): boolean {
  const boxes = members.map(({ line }) => line.box);
  const edges = [
    boxes.map(({ left }) => left),
    boxes.map(({ right }) => right),
    boxes.map(({ left, right }) => (left + right) / 2),
  ];
  return edges.some((values) => {
    const middle = [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
    const near = values.filter((value) => Math.abs(value - middle) < EDGE_POINTS);
    return near.length >= 0.7 * values.length;
  });
}

function placed({ columns, rows }: Candidate, place: ParagraphPlace): PlacedTable {
  const box = union(rows.flatMap(({ members }) => members.map(({ line }) => line.box)));
  const tableRows: Map<number, Member[]>[] = [];
  const threshold = continuationGap(rows);
  for (const [at, row] of rows.entries()) {
    const above = rows[at - 1];
    const gap = above === undefined ? Infinity : above.baseline - row.baseline;
    const cells = gap < threshold ? tableRows.at(-1) : undefined;
    const target = cells ?? new Map<number, Member[]>();
    if (cells === undefined) tableRows.push(target);
    for (const member of row.members) {
      const column = columns.findIndex((of) => horizontalOverlap(member.line.box, of) > 0);
      target.set(column, [...(target.get(column) ?? []), member]);
    }
  }
  return {
    table: {
      kind: 'table',
      box,
      columnWidths: columnWidths(columns, box),
      rows: tableRows.map((cells) =>
        columns.map((_, column) => cellOf({ column, members: cells.get(column) ?? [], place })),
      ),
      padding: { top: 0, bottom: 0 },
      border: undefined,
    },
    lines: new Set(rows.flatMap(({ members }) => members.map(({ line }) => line))),
    rules: [],
  };
}

/** Returns the distance below which a row continues the cells of the row above it. */
function continuationGap(rows: readonly Row[]): number {
  const gaps = rows.slice(1).map((row, at) => (rows[at]?.baseline ?? 0) - row.baseline);
  const least = Math.min(...gaps);
  const most = Math.max(...gaps);
  if (most > 1.3 * least) return (least + most) / 2;
  return 0;
}

/** Extends each column to the middle of the gap before the next one. */
function columnWidths(columns: readonly Box[], box: Box): number[] {
  const starts = columns.map((column, at) =>
    at === 0 ? box.left : ((columns[at - 1]?.right ?? 0) + column.left) / 2,
  );
  return starts.map((start, at) => (starts[at + 1] ?? box.right + 6) - start);
}

function cellOf({
  column,
  members,
  place,
}: {
  column: number;
  members: readonly Member[];
  place: ParagraphPlace;
}): FlowCell {
  const [first] = members;
  const cell = { column, columnSpan: 1, rowSpan: 1, shading: undefined, box: undefined };
  if (first === undefined) return { ...cell, items: [] };
  const lines = members.map(({ line }) => line);
  const text = flowText(first.paragraph, place, lines);
  const align = text.align === 'justify' ? 'left' : text.align;
  return { ...cell, items: [{ ...text, headingLevel: undefined, align }] };
}
