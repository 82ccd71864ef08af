/** Tables that are drawn with rules: their columns, rows and cells, from the rules alone. */
import { areNear, boxHeight, boxWidth, union } from './geometry.ts';
import type { Rule } from './flow-graphics.ts';
import type { Box } from './page-model.ts';

/** A cell and the columns and rows it reaches over, from 0, rows from the top. */
export interface GridCell {
  column: number;
  columnSpan: number;
  row: number;
  rowSpan: number;
  box: Box;
}

export interface Grid {
  box: Box;
  columnWidths: readonly number[];
  rowCount: number;
  cells: readonly GridCell[];
  rules: readonly Rule[];
}

/** Rules that belong to one line or cross each other may miss by this much. */
const TOLERANCE_POINTS = 2.5;
/** Less is the space between double rules. */
const MIN_CELL_POINTS = 5;
/** Larger grids are graph paper. */
const MAX_CELLS = 4000;
/** An empty corner of a table may have no rule. */
const MAX_OPEN_SHARE = 0.25;

/** The tables that rules make, from top to bottom; single boxes and crossed lines are not among them. */
export function findGrids(rules: readonly Rule[]): Grid[] {
  const grids: Grid[] = [];
  for (const group of touchingRules(rules)) {
    const grid = gridOf(group);
    if (grid !== undefined && grid.cells.length > 1) grids.push(grid);
  }
  return grids.sort((a, b) => b.box.top - a.box.top);
}

/** Groups of rules that touch, directly or through others. */
function touchingRules(rules: readonly Rule[]): Rule[][] {
  let groups: { box: Box; rules: Rule[] }[] = [];
  for (const rule of [...rules].sort((a, b) => b.box.top - a.box.top)) {
    const touched: Rule[][] = [];
    const rest: typeof groups = [];
    for (const group of groups) {
      const isNear =
        areNear(group.box, rule.box, TOLERANCE_POINTS) &&
        group.rules.some((other) => areNear(other.box, rule.box, TOLERANCE_POINTS));
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
  // Many tables have no rules at their left and right: there the level ones end.
  const ends = level.flatMap(({ from, to }) => [from, to]);
  const outer = [Math.min(...ends), Math.max(...ends)];
  const xs = places([...upright.map(({ at }) => at), ...outer]);
  const ys = places(level.map(({ at }) => at)).reverse();
  const columnCount = xs.length - 1;
  const rowCount = ys.length - 1;
  if (columnCount < 1 || rowCount < 1 || columnCount * rowCount > MAX_CELLS) return undefined;
  const cells = cellsOf({ xs, ys, level, upright });
  const open = cells.filter(({ box }) => !isClosed(box, level));
  // The boxes of a flow chart have nothing above and below between them.
  if (open.length > MAX_OPEN_SHARE * cells.length) return undefined;
  const columnWidths = xs.slice(1).map((x, index) => x - (xs[index] ?? x));
  const box = { left: xs[0] ?? 0, right: xs.at(-1) ?? 0, top: ys[0] ?? 0, bottom: ys.at(-1) ?? 0 };
  return { box, columnWidths, rowCount, cells, rules };
}

/** Whether rules lie along the upper and the lower edge of a cell. */
function isClosed({ left, right, top, bottom }: Box, level: readonly Rule[]): boolean {
  const x = (left + right) / 2;
  return [top, bottom].every((y) =>
    level.some(({ at, from, to }) => Math.abs(at - y) <= MIN_CELL_POINTS && from <= x && to >= x),
  );
}

/** Sorted, those that are hardly apart made one. */
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

/** Cells grow to the right and downwards as long as no rule is in the way. */
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

/** Whether a rule stands at the left of a column, in the middle of a row's height. */
function hasWallAfter({ xs, ys, upright }: GridLines, row: number, column: number): boolean {
  const x = xs[column] ?? 0;
  const y = ((ys[row] ?? 0) + (ys[row + 1] ?? 0)) / 2;
  return upright.some(
    ({ at, from, to }) => Math.abs(at - x) <= MIN_CELL_POINTS && from <= y && to >= y,
  );
}

/** Whether no rule lies above a row, over all columns of a cell, and none parts them in that row. */
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

/** Whether a box is larger than a table can be: a frame around the page. */
export function isFrame(box: Box, page: { width: number; height: number }): boolean {
  return boxWidth(box) > 0.8 * page.width && boxHeight(box) > 0.8 * page.height;
}
