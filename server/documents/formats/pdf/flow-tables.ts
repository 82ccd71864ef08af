/** Tables of a page with the text of their cells. */
import { areNear, boxHeight, boxWidth, hasCentreIn } from './geometry.ts';
import type { PageGraphics, Rule } from './flow-graphics.ts';
import { findGrids, type Grid, type GridCell, isFrame } from './flow-grid.ts';
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

/** The tables of a page that are drawn with rules. */
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

/** Whether curves cross it: then it is the grid of a chart. */
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

/** The least that cells leave above and below their text: where text is high, that is the margin. */
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

/** The middle of a cell, so that its neighbour's colour is not taken for its own. */
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

/** What is turned and reaches out of a cell stands across the table, not in it. */
function isWithin(box: Box, cell: Box): boolean {
  return (
    hasCentreIn(box, cell) &&
    boxWidth(box) <= boxWidth(cell) + TOLERANCE_POINTS &&
    boxHeight(box) <= boxHeight(cell) + TOLERANCE_POINTS
  );
}

/** The alignment of a single line is known from its place in the cell. */
function alignInCell({ align, leading, box }: FlowCellText, cell: GridCell): FlowCellText['align'] {
  if (leading !== undefined) return align;
  const before = box.left - cell.box.left;
  const after = cell.box.right - box.right;
  if (before < 12 && before <= after + 4) return 'left';
  if (Math.abs(before - after) < 6) return 'center';
  return after < 12 ? 'right' : 'left';
}

type FlowCellText = ReturnType<typeof flowText>;
