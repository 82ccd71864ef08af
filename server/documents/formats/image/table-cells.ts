/** Tables without rules: gaps that stand one below the other part their columns. */
import type { OcrLine, OcrWord, PixelBox } from './ocr.ts';

/** A line, or the cell of a table: between which heights the text of that may go on. */
export type PlacedLine = OcrLine & { row?: { top: number; bottom: number } };

/** Words at one height, from left to right. */
interface Row {
  words: { word: OcrWord; line: OcrLine }[];
  /** Where its letters stand. */
  baselinePx: number;
  heightPx: number;
}

/** What is between two columns. */
interface Gutter {
  left: number;
  right: number;
}

interface Table {
  rows: readonly Row[];
  gutters: readonly Gutter[];
}

/** In heights of a line's letters; blanks between words take about 0.3. */
const NARROWEST_GUTTER = 0.5;
/** It may be as narrow as this where cells begin one below the other. */
const NARROWEST_ALIGNED = 0.35;
const ALIGNED = 0.12;
/** What two rows have in common by chance is narrower. */
const SURE_GUTTER = 1;
const FARTHEST_ROW = 4;
/** Columns of prose are as wide as this, and their lines are full. */
const PROSE_WIDTH = 10;
const PROSE_FULLNESS = 0.75;
/** A gap is read for one now and then. */
const DASH = /^[-–—_~=|.·]+$/;

/** The lines with the cells of tables in place of what was read across their columns. */
export function withTableCells(lines: readonly OcrLine[]): PlacedLine[] {
  const tables = new Map<OcrWord, Table>();
  for (const table of tablesIn(rowsOf(lines))) {
    for (const { words } of table.rows) for (const { word } of words) tables.set(word, table);
  }
  const told = new Set<Table>();
  return lines.flatMap((line) => {
    const cells: PlacedLine[] = [];
    for (const table of line.words.flatMap((word) => tables.get(word) ?? [])) {
      if (!told.has(table)) cells.push(...cellsOf(table));
      told.add(table);
    }
    const words = line.words.filter((word) => !tables.has(word));
    return words.length > 0 ? [{ ...line, words }, ...cells] : cells;
  });
}

function rowsOf(lines: readonly OcrLine[]): Row[] {
  const placed = lines
    .filter(({ angle }) => angle === 0)
    .flatMap((line) =>
      line.words.map((word) => {
        const along = word.box.left - line.box.left;
        return { word, line, baselinePx: line.baseline.leftPx + line.baseline.slope * along };
      }),
    )
    .toSorted((a, b) => a.baselinePx - b.baselinePx);
  const rows: Row[] = [];
  for (const { word, line, baselinePx } of placed) {
    const heightPx = line.letterHeightPx;
    const row = rows.at(-1);
    if (row !== undefined && baselinePx - row.baselinePx < 0.35 * heightPx) {
      row.words.push({ word, line });
    } else rows.push({ words: [{ word, line }], baselinePx, heightPx });
  }
  for (const { words } of rows) words.sort((a, b) => a.word.box.left - b.word.box.left);
  return rows;
}

function tablesIn(rows: readonly Row[]): Table[] {
  const tables: Table[] = [];
  for (let from = 0; from < rows.length;) {
    let gutters = guttersOf(rows.slice(from, from + 1));
    let to = from + 1;
    while (to < rows.length && gutters.length > 0 && isNear(rows[to - 1], rows[to])) {
      const narrowed = guttersOf(rows.slice(from, to + 1));
      // Of the first row anything may be a gap; later, a row without one of the columns is another's.
      const goesOn =
        to === from + 1 ? isParted(rows[from], narrowed) : narrowed.length >= gutters.length;
      if (!goesOn || !hasItsGaps(rows[to], narrowed)) break;
      gutters = narrowed;
      to += 1;
    }
    const table = { rows: rows.slice(from, to), gutters };
    if (isTable(table)) tables.push(table);
    from = isTable(table) ? to : from + 1;
  }
  return tables;
}

/** Whether a row has a cell on both sides of a gutter: the end of a line of prose has none. */
function isParted(row: Row | undefined, gutters: readonly Gutter[]): boolean {
  if (row === undefined) return false;
  return columnsOf(row, gutters).filter(({ length }) => length > 0).length > 1;
}

/** Whether all wide gaps of a row are gutters: a cell has none, so others are another table's. */
function hasItsGaps(row: Row | undefined, gutters: readonly Gutter[]): boolean {
  if (row === undefined) return false;
  return guttersOf([row])
    .filter(({ left, right }) => right - left >= SURE_GUTTER * row.heightPx)
    .every((gap) => gutters.some(({ left, right }) => left < gap.right && right > gap.left));
}

function isNear(row: Row | undefined, next: Row | undefined): boolean {
  if (row === undefined || next === undefined) return false;
  const [low, high] = [row.heightPx, next.heightPx].sort((a, b) => a - b);
  const pitch = next.baselinePx - row.baselinePx;
  return pitch < FARTHEST_ROW * (high ?? 0) && (high ?? 0) < 1.5 * (low ?? 0);
}

/** The gaps that go through all of some rows. */
function guttersOf(rows: readonly Row[]): Gutter[] {
  const heightPx = Math.max(...rows.map((row) => row.heightPx));
  const words = rows
    .flatMap((row) => row.words.filter(({ word }) => !DASH.test(word.text)))
    .map(({ word }) => word.box)
    .toSorted((a, b) => a.left - b.left);
  const gaps: Gutter[] = [];
  let reached = words[0]?.right ?? 0;
  for (const { left, right } of words) {
    if (left - reached >= NARROWEST_ALIGNED * heightPx) gaps.push({ left: reached, right: left });
    reached = Math.max(reached, right);
  }
  return gaps.filter(
    (gap) =>
      gap.right - gap.left >= NARROWEST_GUTTER * heightPx || isAligned(gap, { rows, heightPx }),
  );
}

/** Whether cells begin one below the other after a gap that is wide in one of the rows at least. */
function isAligned(
  gap: Gutter,
  { rows, heightPx }: { rows: readonly Row[]; heightPx: number },
): boolean {
  let isWide = false;
  let cells = 0;
  for (const { words } of rows) {
    const boxes = words.filter(({ word }) => !DASH.test(word.text)).map(({ word }) => word.box);
    const next = boxes.find(({ left }) => left >= gap.right);
    const last = boxes.findLast(({ right }) => right <= gap.left);
    if (next === undefined || last === undefined) continue;
    if (next.left - gap.right > ALIGNED * heightPx) return false;
    cells++;
    isWide ||= next.left - last.right >= SURE_GUTTER * heightPx;
  }
  return isWide && cells >= 2;
}

/** Words of a row by columns; what stands in a gutter is none. */
function columnsOf({ words }: Row, gutters: readonly Gutter[]): Row['words'][] {
  const columns: Row['words'][] = Array.from({ length: gutters.length + 1 }, () => []);
  for (const placed of words) {
    const middle = (placed.word.box.left + placed.word.box.right) / 2;
    if (gutters.some(({ left, right }) => middle > left && middle < right)) continue;
    columns[gutters.filter(({ right }) => right <= middle).length]?.push(placed);
  }
  return columns;
}

function isTable({ rows, gutters }: Table): boolean {
  const filled = rows.map((row) => columnsOf(row, gutters));
  const full = rows.filter((row) => isParted(row, gutters));
  if (gutters.length === 0 || full.length < 2) return false;
  const heightPx = rows[0]?.heightPx ?? 0;
  const isSure = gutters.some(({ left, right }) => right - left >= SURE_GUTTER * heightPx);
  if (full.length === 2 && !isSure) return false;
  const prose = Array.from({ length: gutters.length + 1 }, (_, column) =>
    isProse(
      filled.flatMap((columns) =>
        (columns[column] ?? []).length > 0 ? [columns[column] ?? []] : [],
      ),
      heightPx,
    ),
  );
  return prose.filter(Boolean).length < 2;
}

function isProse(lines: readonly Row['words'][], heightPx: number): boolean {
  const widths = lines.map((line) => widthOf(line)).sort((a, b) => a - b);
  const usual = widths[widths.length >> 1] ?? 0;
  return usual > PROSE_WIDTH * heightPx && usual > PROSE_FULLNESS * (widths.at(-1) ?? 0);
}

function widthOf(line: Row['words']): number {
  const { left, right } = around(line);
  return right - left;
}

function around(words: Row['words']): PixelBox {
  return {
    left: Math.min(...words.map(({ word }) => word.box.left)),
    top: Math.min(...words.map(({ word }) => word.box.top)),
    right: Math.max(...words.map(({ word }) => word.box.right)),
    bottom: Math.max(...words.map(({ word }) => word.box.bottom)),
  };
}

/** A cell goes on in rows that do not begin: those that lack the first column, or all others. */
function cellsOf({ rows, gutters }: Table): PlacedLine[] {
  const filled = rows.map((row) => columnsOf(row, gutters));
  const begins = filled.map((columns) => {
    const isFilled = columns.map(({ length }) => length > 0);
    const isRightToLeft = columns.flat()[0]?.line.isRightToLeft === true;
    const first = isRightToLeft ? isFilled.at(-1) : isFilled[0];
    return first === true && isFilled.filter(Boolean).length > 1;
  });
  const edges = rows.map((row, index) => {
    const above = rows[index - 1];
    const top = around(row.words).top;
    return above === undefined ? top : (around(above.words).bottom + top) / 2;
  });
  const last = rows.at(-1);
  const end = last === undefined ? 0 : around(last.words).bottom;
  return filled.flatMap((columns, index) => {
    const from = begins.findLastIndex((is, at) => is && at <= index);
    const to = begins.findIndex((is, at) => is && at > index);
    const row = { top: edges[Math.max(0, from)] ?? 0, bottom: to < 0 ? end : (edges[to] ?? end) };
    return columns.flatMap((words) => {
      const [first] = words;
      if (first === undefined) return [];
      const inOrder = first.line.isRightToLeft ? words.toReversed() : words;
      return [{ ...first.line, words: inOrder.map(({ word }) => word), box: around(words), row }];
    });
  });
}
