/**
 * Tables without rules: splits lines at gaps that align from row to row. Columns of prose, whose gaps align
 * as well, are recognised by their lines.
 */
import type { OcrLine, OcrWord, PixelBox } from './ocr.ts';

/**
 * A line; or a table cell, with the vertical limits of its text; or a line of a prose column, which is whole
 * whatever gaps it has.
 */
export type PlacedLine = OcrLine & { row?: { top: number; bottom: number }; isWhole?: true };

/** Words at one height, from left to right. */
interface Row {
  words: { word: OcrWord; line: OcrLine }[];
  /** Boxes of its words, except those that are misread gaps. */
  boxes: PixelBox[];
  /** Height of the baseline. */
  baselinePx: number;
  heightPx: number;
}

/** The gap between two columns. */
interface Gutter {
  left: number;
  right: number;
}

interface Table {
  rows: readonly Row[];
  gutters: readonly Gutter[];
  /** Whether its columns are prose, which continues whatever stands beside it. */
  isProse: boolean;
}

/** Minimum width of a gutter, in letter heights; spaces between words take about 0.3. */
const NARROWEST_GUTTER = 0.5;
/** Minimum width of a gutter after which cells are left-aligned, and the tolerance of their alignment. */
const NARROWEST_ALIGNED = 0.35;
const ALIGNED = 0.12;
/** Minimum width of a gutter that two rows do not share by coincidence. */
const SURE_GUTTER = 1;
const FARTHEST_ROW = 4;
/** Minimum number of spaces that show the usual width in a row, and the factor by which a gutter is wider. */
const FEWEST_BLANKS = 3;
const WIDER = 1.1;
/** Characters as which recognition misreads a gap now and then. */
const DASH = /^[-–—_~=|.·]+$/;

/**
 * Replaces lines that were read across a table or prose columns by the table's cells or the columns' lines.
 */
export function withTableCells(lines: readonly OcrLine[]): PlacedLine[] {
  const tables = new Map<OcrWord, Table>();
  for (const table of tablesIn(rowsOf(lines))) {
    for (const { words } of table.rows) for (const { word } of words) tables.set(word, table);
  }
  const done = new Set<Table>();
  return lines.flatMap((line) => {
    const cells: PlacedLine[] = [];
    for (const table of line.words.flatMap((word) => tables.get(word) ?? [])) {
      if (!done.has(table)) cells.push(...(table.isProse ? proseOf(table) : cellsOf(table)));
      done.add(table);
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
    } else rows.push({ words: [{ word, line }], boxes: [], baselinePx, heightPx });
  }
  for (const { words, boxes } of rows) {
    words.sort((a, b) => a.word.box.left - b.word.box.left);
    for (const { word } of words) if (!DASH.test(word.text)) boxes.push(word.box);
  }
  return rows;
}

function tablesIn(rows: readonly Row[]): Table[] {
  const tables: Table[] = [];
  for (let from = 0; from < rows.length;) {
    const table = proseAt(rows, from) ?? tableAt(rows, from);
    if (table !== undefined) tables.push(table);
    from += table?.rows.length ?? 1;
  }
  return tables;
}

/** Returns the rows from an index on that share gutters. */
function rowsSharingGutters(
  rows: readonly Row[],
  from: number,
  { settled, mayHaveGaps }: { settled: number; mayHaveGaps: boolean },
): { rows: readonly Row[]; gutters: readonly Gutter[] } {
  let gutters = guttersOf(rows.slice(from, from + 1));
  let to = from + 1;
  while (to < rows.length && gutters.length > 0 && isNear(rows[to - 1], rows[to])) {
    const narrowed = guttersOf(rows.slice(from, to + 1));
    // In the first rows any gap may be a gutter; later, a row that lacks one of the columns belongs to
    // something else.
    const goesOn =
      to - from <= settled ? isParted(rows[from], narrowed) : narrowed.length >= gutters.length;
    const isRow = hasItsGaps(rows[to], narrowed) && !isPartedByBlanks(rows[to], gutters);
    if (!goesOn || !(mayHaveGaps || isRow)) break;
    gutters = narrowed;
    to += 1;
  }
  return { rows: rows.slice(from, to), gutters };
}

/** Finds prose columns, whose justified lines have gaps as wide as gutters, some of them aligned. */
function proseAt(all: readonly Row[], from: number): Table | undefined {
  const { rows, gutters } = rowsSharingGutters(all, from, { settled: 4, mayHaveGaps: true });
  if (gutters.length === 0 || !areProse(linesByColumn(rows, gutters))) return undefined;
  return { rows, gutters, isProse: true };
}

/** Tests whether a row has a cell on both sides of a gutter, unlike the end of a line of prose. */
function isParted(row: Row | undefined, gutters: readonly Gutter[]): boolean {
  if (row === undefined) return false;
  return columnsOf(row, gutters).filter(({ length }) => length > 0).length > 1;
}

/**
 * Tests whether all wide gaps of a row are gutters: cells have none, so other gaps belong to another table.
 */
function hasItsGaps(row: Row | undefined, gutters: readonly Gutter[]): boolean {
  if (row === undefined) return false;
  return guttersOf([row])
    .filter(({ left, right }) => right - left >= SURE_GUTTER * row.heightPx)
    .every((gap) => gutters.some(({ left, right }) => left < gap.right && right > gap.left));
}

/**
 * Tests whether the gutters pass through spaces of a row that are no wider than its others, as in a sentence.
 */
function isPartedByBlanks(row: Row | undefined, gutters: readonly Gutter[]): boolean {
  if (row === undefined) return false;
  const { boxes } = row;
  const gaps = boxes
    .slice(1)
    .map(({ left }, at): Gutter => ({ left: boxes[at]?.right ?? left, right: left }));
  const isGutter = (gap: Gutter): boolean =>
    gutters.some(({ left, right }) => left < gap.right && right > gap.left);
  const widths = gaps.filter((gap) => !isGutter(gap)).map(({ left, right }) => right - left);
  const usual = widths.sort((a, b) => a - b)[widths.length >> 1] ?? 0;
  return (
    widths.length >= FEWEST_BLANKS &&
    gaps.filter(isGutter).every(({ left, right }) => right - left <= WIDER * usual)
  );
}

function isNear(row: Row | undefined, next: Row | undefined): boolean {
  if (row === undefined || next === undefined) return false;
  const [low, high] = [row.heightPx, next.heightPx].sort((a, b) => a - b);
  const pitch = next.baselinePx - row.baselinePx;
  return pitch < FARTHEST_ROW * (high ?? 0) && (high ?? 0) < 1.5 * (low ?? 0);
}

/** Returns the gaps that pass through all of some rows. */
function guttersOf(rows: readonly Row[]): Gutter[] {
  const heightPx = Math.max(...rows.map((row) => row.heightPx));
  const boxes = rows.flatMap((row) => row.boxes).sort((a, b) => a.left - b.left);
  const gaps: Gutter[] = [];
  let reached = boxes[0]?.right ?? 0;
  for (const { left, right } of boxes) {
    if (left - reached >= NARROWEST_ALIGNED * heightPx) gaps.push({ left: reached, right: left });
    reached = Math.max(reached, right);
  }
  return gaps.filter(
    (gap) =>
      gap.right - gap.left >= NARROWEST_GUTTER * heightPx || isAligned(gap, { rows, heightPx }),
  );
}

/** Tests whether cells are left-aligned after a gap that is wide in at least one row. */
function isAligned(
  gap: Gutter,
  { rows, heightPx }: { rows: readonly Row[]; heightPx: number },
): boolean {
  let isWide = false;
  let cells = 0;
  for (const { boxes } of rows) {
    const next = boxes.find(({ left }) => left >= gap.right);
    const last = boxes.findLast(({ right }) => right <= gap.left);
    if (next === undefined || last === undefined) continue;
    if (next.left - gap.right > ALIGNED * heightPx) return false;
    cells++;
    isWide ||= next.left - last.right >= SURE_GUTTER * heightPx;
  }
  return isWide && cells >= 2;
}

/** Returns the words of a row by column; words within a gutter are dropped. */
function columnsOf({ words }: Row, gutters: readonly Gutter[]): Row['words'][] {
  const columns: Row['words'][] = Array.from({ length: gutters.length + 1 }, () => []);
  for (const placed of words) {
    const middle = (placed.word.box.left + placed.word.box.right) / 2;
    if (gutters.some(({ left, right }) => middle > left && middle < right)) continue;
    columns[gutters.filter(({ right }) => right <= middle).length]?.push(placed);
  }
  return columns;
}

function tableAt(all: readonly Row[], from: number): Table | undefined {
  const { rows, gutters } = rowsSharingGutters(all, from, { settled: 1, mayHaveGaps: false });
  const full = rows.filter((row) => isParted(row, gutters));
  if (gutters.length === 0 || full.length < 2) return undefined;
  const heightPx = rows[0]?.heightPx ?? 0;
  const isSure = gutters.some(({ left, right }) => right - left >= SURE_GUTTER * heightPx);
  if (full.length === 2 && !isSure) return undefined;
  const columns = linesByColumn(rows, gutters);
  const isProse = areProse(columns);
  return !isProse && areWideProse(columns) ? undefined : { rows, gutters, isProse };
}

function linesByColumn(rows: readonly Row[], gutters: readonly Gutter[]): ColumnLine[][] {
  const columns: ColumnLine[][] = Array.from({ length: gutters.length + 1 }, () => []);
  for (const row of rows) {
    for (const [at, words] of columnsOf(row, gutters).entries()) {
      if (words.length === 0) continue;
      const { baselinePx, heightPx } = row;
      columns[at]?.push({ words: inReadingOrder(words), baselinePx, heightPx });
    }
  }
  return columns;
}

function inReadingOrder(words: Row['words']): OcrWord[] {
  const inOrder = words[0]?.line.isRightToLeft === true ? words.toReversed() : words;
  return inOrder.map(({ word }) => word);
}

function around(words: Row['words']): PixelBox {
  return {
    left: Math.min(...words.map(({ word }) => word.box.left)),
    top: Math.min(...words.map(({ word }) => word.box.top)),
    right: Math.max(...words.map(({ word }) => word.box.right)),
    bottom: Math.max(...words.map(({ word }) => word.box.bottom)),
  };
}

/**
 * Returns the cells. A cell continues in rows that begin no entry: those without the first column, or with
 * only one.
 */
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
      return [{ ...first.line, words: inReadingOrder(words), box: around(words), row }];
    });
  });
}

/** Returns the lines column by column. */
function proseOf({ rows, gutters }: Table): PlacedLine[] {
  const columns = Array.from({ length: gutters.length + 1 }, (_, column) =>
    rows.flatMap((row) => {
      const words = columnsOf(row, gutters)[column] ?? [];
      const [first] = words;
      if (first === undefined) return [];
      const inOrder = inReadingOrder(words);
      return [{ ...first.line, words: inOrder, box: around(words), isWhole: true as const }];
    }),
  );
  const isRightToLeft = columns.flat()[0]?.isRightToLeft === true;
  return (isRightToLeft ? columns.toReversed() : columns).flat();
}

/** The words of a column at one height, in reading order; never empty. */
interface ColumnLine {
  words: readonly OcrWord[];
  /** Height of the baseline, and of letters. */
  baselinePx: number;
  heightPx: number;
}

/** Minimum width, in letter heights, of full lines that are prose whatever they say. */
const WIDE = 10;
/** Minimum share of the longest line that the median line takes. */
const FULLNESS = 0.75;
/** Minimum mean length of lines of prose, in words; those of a word list are shorter. */
const SHORTEST_LINE = 2;
/** Maximum pitch, in letter heights; beyond it another text begins. */
const WIDEST_PITCH = 2.1;
/** Width of a space, in letter heights; since edges are ragged, a word fits only with two of these. */
const BLANK = 0.35;

const SENTENCE_END = /[.!?…:]["'”’»)\]]*$/u;
const FULL_STOP = /\p{L}[.!?…]["'”’»)\]]*$/u;
const HYPHEN = /\p{Ll}[-‐¬]$/u;
const GOES_ON = /^\p{P}*\p{Ll}/u;
const BEGINS = /^\p{P}*[\p{Lu}\p{Lt}]/u;

/** Tests whether at least two columns are wide and full like prose. */
function areWideProse(columns: readonly (readonly ColumnLine[])[]): boolean {
  return columns.filter(isWide).length >= 2;
}

/**
 * Tests whether the columns have sentences that continue from line to line, so that each column is read from
 * top to bottom. Table cells begin anew, or end where their next word would have fitted, or are no sentences.
 * Scripts without small letters do not show it.
 */
function areProse(columns: readonly (readonly ColumnLine[])[]): boolean {
  const several = columns.filter(({ length }) => length > 1);
  const isAll = several.every((column) => isWide(column) || isNarrow(column));
  const ended = several.filter((column) => hasFullStop(column)).length;
  return several.length >= 2 && several.some(isNarrow) && isAll && 2 * ended >= several.length;
}

function isWide(column: readonly ColumnLine[]): boolean {
  const widths = column.map(widthOf).sort((a, b) => a - b);
  const usual = widths[widths.length >> 1] ?? 0;
  const heightPx = column[0]?.heightPx ?? 0;
  return usual > WIDE * heightPx && usual > FULLNESS * (widths.at(-1) ?? 0);
}

function isNarrow(column: readonly ColumnLine[]): boolean {
  const words = column.reduce((sum, line) => sum + line.words.length, 0);
  if (words < SHORTEST_LINE * column.length) return false;
  const longestPx = Math.max(...column.map(widthOf));
  const passages = column.slice(1).flatMap((line, at) => {
    const before = column[at];
    return before === undefined ? [] : [passageBetween(before, line, longestPx)];
  });
  // A heading is no sentence, and shorter than the text below it.
  const [first, ...others] = passages;
  const counted = others.length > 0 && first === 'apart' ? others : passages;
  const count = (kind: Passage): number => counted.filter((passage) => passage === kind).length;
  return count('apart') === 0 && count('on') > 0 && count('on') >= count('anew');
}

/**
 * Relation of two lines: a sentence continues (`on`); it ended before the second line (`ended`); the second
 * begins `anew` with a capital or digit, as names do; or the lines are separate texts (`apart`), since the
 * first word would have fitted.
 */
type Passage = 'on' | 'ended' | 'anew' | 'apart';

function passageBetween(before: ColumnLine, line: ColumnLine, longestPx: number): Passage {
  const [last, next] = [before.words.at(-1), line.words[0]];
  if (last === undefined || next === undefined) return 'apart';
  if (SENTENCE_END.test(last.text)) return 'ended';
  if (line.baselinePx - before.baselinePx > WIDEST_PITCH * before.heightPx) return 'apart';
  const neededPx = next.box.right - next.box.left + 2 * BLANK * before.heightPx;
  if (neededPx < longestPx - widthOf(before)) return 'apart';
  return GOES_ON.test(next.text) || HYPHEN.test(last.text) ? 'on' : 'anew';
}

/** Tests whether a sentence ends in a column: at its end, or before another one begins. */
function hasFullStop(column: readonly ColumnLine[]): boolean {
  const words = column.flatMap((line) => line.words);
  return words.some(({ text }, at) => {
    const next = words[at + 1];
    return FULL_STOP.test(text) && (next === undefined || BEGINS.test(next.text));
  });
}

function widthOf({ words }: ColumnLine): number {
  const lefts = words.map(({ box }) => box.left);
  return Math.max(...words.map(({ box }) => box.right)) - Math.min(...lefts);
}
