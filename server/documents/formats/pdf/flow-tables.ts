/** Detects the ruled tables of a page: finds their grids from the rules and fills the cells with text. */
import { areNear, boxHeight, boxWidth, hasCentreIn, union } from './geometry.ts';
import type { PageGraphics, Rule } from './flow-graphics.ts';
import type { FlowCell, FlowTable } from './flow-model.ts';
import { flowText, type ParagraphPlace, shadingBehind, hexColor } from './flow-text.ts';
import type { Box, Page, PageParagraph, TextLine } from './page-model.ts';

/** A table, and the lines of the page that are its text. */
export interface PlacedTable {
  table: FlowTable;
  lines: ReadonlySet<TextLine>;
  rules: readonly Rule[];
}

const TOLERANCE_POINTS = 2;
const MAX_PADDING_POINTS = 12;

/** Returns the tables of a page that are drawn with rules. */
export function ruledTables(page: Page, graphics: PageGraphics): PlacedTable[] {
  const tables: PlacedTable[] = [];
  for (const grid of findGrids(graphics.rules)) {
    if (isFrame(grid.box, page) || isDrawn(grid, graphics)) continue;
    const place = { pageIndex: page.index, graphics };
    const placed = placedTable(grid, page, place);
    if (placed !== undefined) tables.push(placed);
  }
  return tables;
}

/** Tests whether a box is too large for a table: a frame around the page. */
function isFrame(box: Box, page: { width: number; height: number }): boolean {
  return boxWidth(box) > 0.8 * page.width && boxHeight(box) > 0.8 * page.height;
}

/** Tests whether curves cross a grid, as in a chart. */
function isDrawn(grid: Grid, graphics: PageGraphics): boolean {
  const inner = {
    left: grid.box.left + 3,
    right: grid.box.right - 3,
    bottom: grid.box.bottom + 3,
    top: grid.box.top - 3,
  };
  const crossing = graphics.drawings.filter(
    ({ box }) => areNear(box, inner, 0) && boxHeight(box) > boxHeight(grid.box) / 3,
  );
  return crossing.length > 0;
}

function placedTable(grid: Grid, page: Page, place: ParagraphPlace): PlacedTable | undefined {
  const lines = new Set<TextLine>();
  const rows: FlowCell[][] = Array.from({ length: grid.rowCount }, () => []);
  let filledCells = 0;
  const inside = page.paragraphs.filter((paragraph) => areNear(paragraph.box, grid.box, 0));
  for (const cell of grid.cells) {
    const items = cellTexts(cell, inside, place, lines);
    if (items.length > 0) filledCells += 1;
    const shading = shadingBehind(middleOf(cell), place.graphics);
    rows[cell.row]?.push({ ...spans(cell), shading, items });
  }
  // One cell with text is a box around it; lines around nothing are a drawing or a form.
  if (filledCells < 2) return undefined;
  const [rule] = grid.rules;
  return {
    table: {
      kind: 'table',
      box: grid.box,
      columnWidths: grid.columnWidths,
      rows,
      padding: paddingOf(rows.flat()),
      border: rule && { color: hexColor(rule.color), widthPoints: rule.thickness },
    },
    lines,
    rules: grid.rules,
  };
}

/**
 * Returns the least space above and below the text of the cells: in the cell with the highest text, this is
 * the padding.
 */
function paddingOf(cells: readonly FlowCell[]): FlowTable['padding'] {
  const filled = cells.flatMap(({ box, items }) => {
    if (box === undefined || items.length === 0) return [];
    const top = Math.max(...items.map((item) => item.box.top));
    const bottom = Math.min(...items.map((item) => item.box.bottom));
    return [{ top: box.top - top, bottom: bottom - box.bottom }];
  });
  const least = (values: readonly number[]): number =>
    Math.min(MAX_PADDING_POINTS, Math.max(0, Math.min(...values)));
  return {
    top: least(filled.map(({ top }) => top)),
    bottom: least(filled.map(({ bottom }) => bottom)),
  };
}

function spans({
  column,
  columnSpan,
  rowSpan,
  box,
}: GridCell): Omit<FlowCell, 'items' | 'shading'> {
  return { column, columnSpan, rowSpan, box };
}

/** Returns a small box in the middle of a cell, so that a neighbour's colour does not count as its own. */
function middleOf({ box }: GridCell): GridCell['box'] {
  const x = (box.left + box.right) / 2;
  const y = (box.bottom + box.top) / 2;
  return { left: x - 1, right: x + 1, bottom: y - 1, top: y + 1 };
}

function cellTexts(
  cell: GridCell,
  paragraphs: readonly PageParagraph[],
  place: ParagraphPlace,
  taken: Set<TextLine>,
): FlowCell['items'] {
  const items: FlowCell['items'] = [];
  for (const paragraph of paragraphs) {
    const isTurned = paragraph.rotation !== 0;
    const own = isTurned
      ? paragraph.lines.filter(() => isWithin(paragraph.box, cell.box))
      : paragraph.lines.filter(({ box }) => hasCentreIn(box, cell.box));
    const free = own.filter((line) => !taken.has(line));
    if (free.length === 0) continue;
    for (const line of free) taken.add(line);
    const text = flowText(paragraph, place, free);
    items.push({ ...text, headingLevel: undefined, align: alignInCell(text, cell) });
  }
  return items.sort((a, b) => b.box.top - a.box.top);
}

/** Rotated text that extends beyond a cell stands across the table, not in it. */
function isWithin(box: Box, cell: Box): boolean {
  return (
    hasCentreIn(box, cell) &&
    boxWidth(box) <= boxWidth(cell) + TOLERANCE_POINTS &&
    boxHeight(box) <= boxHeight(cell) + TOLERANCE_POINTS
  );
}

type FlowCellText = ReturnType<typeof flowText>;

/** Returns the alignment of a text in its cell; that of a single line follows from its position. */
function alignInCell({ align, leading, box }: FlowCellText, cell: GridCell): FlowCellText['align'] {
  if (leading !== undefined) return align;
  const before = box.left - cell.box.left;
  const after = cell.box.right - box.right;
  if (before < 12 && before <= after + 4) return 'left';
  if (Math.abs(before - after) < 6) return 'center';
  return after < 12 ? 'right' : 'left';
}

// Grids: the cells that rules form.

/** A cell with its columns and rows, from 0; rows count from the top. */
interface GridCell {
  column: number;
  columnSpan: number;
  row: number;
  rowSpan: number;
  box: Box;
}

interface Grid {
  box: Box;
  columnWidths: readonly number[];
  rowCount: number;
  cells: readonly GridCell[];
  rules: readonly Rule[];
}

/** Maximum gap between rules that belong to one line or cross each other. */
const GRID_TOLERANCE_POINTS = 2.5;
/** Minimum width and height of cells; less is the gap of a double rule. */
const MIN_CELL_POINTS = 5;
/** Largest grid; larger ones are graph paper. */
const MAX_CELLS = 4000;
/** Maximum share of cells without a rule above or below; an empty corner of a table may lack one. */
const MAX_OPEN_SHARE = 0.25;

/** Returns the grids that rules form, from top to bottom, except single boxes and crossed lines. */
function findGrids(rules: readonly Rule[]): Grid[] {
  const grids: Grid[] = [];
  for (const group of touchingRules(rules)) {
    const grid = gridOf(group);
    if (grid !== undefined && grid.cells.length > 1) grids.push(grid);
  }
  return grids.sort((a, b) => b.box.top - a.box.top);
}

/** Groups rules that touch, directly or through others. */
function touchingRules(rules: readonly Rule[]): Rule[][] {
  let groups: { box: Box; rules: Rule[] }[] = [];
  for (const rule of [...rules].sort((a, b) => b.box.top - a.box.top)) {
    const touched: Rule[][] = [];
    const rest: typeof groups = [];
    for (const group of groups) {
      const isNear =
        areNear(group.box, rule.box, GRID_TOLERANCE_POINTS) &&
        group.rules.some((other) => areNear(other.box, rule.box, GRID_TOLERANCE_POINTS));
      if (isNear) touched.push(group.rules);
      else rest.push(group);
    }
    const joined = [rule, ...touched.flat()];
    groups = [...rest, { box: union(joined.map(({ box }) => box)), rules: joined }];
  }
  return groups.map((group) => group.rules);
}

function gridOf(rules: readonly Rule[]): Grid | undefined {
  const level = rules.filter(({ direction }) => direction === 'horizontal');
  const upright = rules.filter(({ direction }) => direction === 'vertical');
  if (level.length < 2 || upright.length === 0) return undefined;
  // Many tables have no rules at their left and right; the ends of the horizontal rules stand in for them.
  const ends = level.flatMap(({ from, to }) => [from, to]);
  const outer = [Math.min(...ends), Math.max(...ends)];
  const xs = places([...upright.map(({ at }) => at), ...outer]);
  const ys = places(level.map(({ at }) => at)).reverse();
  const columnCount = xs.length - 1;
  const rowCount = ys.length - 1;
  if (columnCount < 1 || rowCount < 1 || columnCount * rowCount > MAX_CELLS) return undefined;
  const cells = cellsOf({ xs, ys, level, upright });
  const open = cells.filter(({ box }) => !isClosed(box, level));
  // In a flow chart, nothing closes the gaps between the boxes above and below.
  if (open.length > MAX_OPEN_SHARE * cells.length) return undefined;
  const columnWidths = xs.slice(1).map((x, index) => x - (xs[index] ?? x));
  const box = { left: xs[0] ?? 0, right: xs.at(-1) ?? 0, top: ys[0] ?? 0, bottom: ys.at(-1) ?? 0 };
  return { box, columnWidths, rowCount, cells, rules };
}

/** Tests whether rules lie along the upper and lower edges of a cell. */
function isClosed({ left, right, top, bottom }: Box, level: readonly Rule[]): boolean {
  const x = (left + right) / 2;
  return [top, bottom].every((y) =>
    level.some(({ at, from, to }) => Math.abs(at - y) <= MIN_CELL_POINTS && from <= x && to >= x),
  );
}

/** Sorts values and merges those that are hardly apart. */
function places(values: readonly number[]): number[] {
  const found: number[] = [];
  for (const value of [...values].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last === undefined || value - last > MIN_CELL_POINTS) found.push(value);
  }
  return found;
}

interface GridLines {
  xs: readonly number[];
  /** From the top. */
  ys: readonly number[];
  level: readonly Rule[];
  upright: readonly Rule[];
}

/** Forms cells: each grows to the right and downwards until it meets a rule. */
function cellsOf(lines: GridLines): GridCell[] {
  const { xs, ys } = lines;
  const columnCount = xs.length - 1;
  const rowCount = ys.length - 1;
  const taken = new Set<number>();
  const cells: GridCell[] = [];
  for (let row = 0; row < rowCount; row += 1) {
    for (let column = 0; column < columnCount; column += 1) {
      if (taken.has(row * columnCount + column)) continue;
      let columnSpan = 1;
      while (
        column + columnSpan < columnCount &&
        !taken.has(row * columnCount + column + columnSpan) &&
        !hasWallAfter(lines, row, column + columnSpan)
      ) {
        columnSpan += 1;
      }
      let rowSpan = 1;
      while (row + rowSpan < rowCount && isOpenBelow(lines, row + rowSpan, column, columnSpan)) {
        rowSpan += 1;
      }
      for (let y = row; y < row + rowSpan; y += 1) {
        for (let x = column; x < column + columnSpan; x += 1) taken.add(y * columnCount + x);
      }
      const box = {
        left: xs[column] ?? 0,
        right: xs[column + columnSpan] ?? 0,
        top: ys[row] ?? 0,
        bottom: ys[row + rowSpan] ?? 0,
      };
      cells.push({ column, columnSpan, row, rowSpan, box });
    }
  }
  return cells;
}

/** Tests for a rule at the left of a column, in the middle of a row's height. */
function hasWallAfter({ xs, ys, upright }: GridLines, row: number, column: number): boolean {
  const x = xs[column] ?? 0;
  const y = ((ys[row] ?? 0) + (ys[row + 1] ?? 0)) / 2;
  return upright.some(
    ({ at, from, to }) => Math.abs(at - x) <= MIN_CELL_POINTS && from <= y && to >= y,
  );
}

/**
 * Tests whether a cell can grow into a row: no rule lies above the row in the cell's columns, and none
 * divides them.
 */
function isOpenBelow(lines: GridLines, row: number, column: number, span: number): boolean {
  const { xs, ys, level } = lines;
  const y = ys[row] ?? 0;
  for (let at = column; at < column + span; at += 1) {
    const x = ((xs[at] ?? 0) + (xs[at + 1] ?? 0)) / 2;
    const isClosed = level.some(
      (rule) => Math.abs(rule.at - y) <= MIN_CELL_POINTS && rule.from <= x && rule.to >= x,
    );
    if (isClosed || (at > column && hasWallAfter(lines, row, at))) return false;
  }
  return true;
}
