/** Puts the paragraphs, tables and pictures of one page in reading order, each legible on white paper. */
import { boxHeight, boxWidth, hasCentreIn, horizontalOverlap, union } from './geometry.ts';
import type { PageGraphics, Color } from './flow-graphics.ts';
import type { FlowCell, FlowPicture, PageItem, FlowText, TextPiece } from './flow-model.ts';
import { flowText, hexColor, type ParagraphPlace } from './flow-text.ts';
import {
  type DrawnGroup,
  groupDrawings,
  type PagePicture,
  drawPage,
  type Pixels,
} from './page-picture.ts';
import { type PlacedTable, ruledTables } from './flow-tables.ts';
import type { Page, PageParagraph, TextLine, Box } from './page-model.ts';
import type { PdfFile } from './pdfium.ts';

/** The tables of a page and its pictures, which are not drawn yet. */
interface PageParts {
  tables: readonly PlacedTable[];
  drawings: readonly DrawnGroup[];
}

/**
 * Finds the tables and pictures of a page.
 * @param running headers and footers
 */
export function pageParts({
  page,
  graphics,
  running,
}: {
  page: Page;
  graphics: PageGraphics;
  running: ReadonlySet<PageParagraph>;
}): PageParts {
  const body = { ...page, paragraphs: page.paragraphs.filter((one) => !running.has(one)) };
  const ruled = ruledTables(body, graphics);
  const taken = new Set(ruled.flatMap(({ lines }) => [...lines]));
  const place = { pageIndex: page.index, graphics };
  const aligned = alignedTables(body, place, (line) => !taken.has(line));
  const tableRules = new Set(ruled.flatMap(({ rules }) => rules));
  const rest = {
    ...graphics,
    rules: graphics.rules.filter((rule) => !tableRules.has(rule)),
    fills: graphics.fills.filter(
      ({ box }) => !ruled.some(({ table }) => hasCentreIn(box, table.box)),
    ),
  };
  const textBoxes = page.paragraphs.map(({ box }) => box);
  return { tables: [...ruled, ...aligned], drawings: groupDrawings(rest, page, textBoxes) };
}

/** Returns everything on a page in reading order. */
export function pageItems({
  page,
  graphics,
  running,
  tables,
  pictures,
}: {
  page: Page;
  graphics: PageGraphics;
  running: ReadonlySet<PageParagraph>;
  tables: readonly PlacedTable[];
  pictures: readonly PagePicture[];
}): PageItem[] {
  const place = { pageIndex: page.index, graphics };
  const items: PageItem[] = [];
  const placed = new Set<PlacedTable>();
  for (const paragraph of page.paragraphs) {
    if (running.has(paragraph)) continue;
    const free: TextLine[] = [];
    for (const line of paragraph.lines) {
      const owner = tables.find(({ lines }) => lines.has(line));
      if (owner === undefined) {
        free.push(line);
      } else if (!placed.has(owner)) {
        placed.add(owner);
        items.push(owner.table);
      }
    }
    if (free.length > 0) items.push(flowText(paragraph, place, free));
  }
  for (const picture of pictures) insertPicture(items, picture);
  return items;
}

/** Inserts a picture into its table cell, before its labels, or after what stands above it in its column. */
function insertPicture(items: PageItem[], picture: PagePicture): void {
  const item: FlowPicture = { kind: 'picture', picture, box: picture.box };
  const cell = items
    .flatMap((one) => (one.kind === 'table' ? one.rows.flat() : []))
    .find(({ box }) => box !== undefined && hasCentreIn(picture.box, box));
  if (cell !== undefined) {
    cell.items.push(item);
    cell.items.sort((a, b) => b.box.top - a.box.top);
    return;
  }
  const label = items.findIndex(({ box }) => hasCentreIn(box, picture.box));
  if (label >= 0) {
    items.splice(label, 0, item);
    return;
  }
  const middle = (picture.box.bottom + picture.box.top) / 2;
  const isBeside = ({ box }: PageItem): boolean => horizontalOverlap(box, picture.box) > 0;
  const above = items.findLastIndex((one) => isBeside(one) && one.box.bottom >= middle - 1);
  const below = items.findIndex(isBeside);
  items.splice(above >= 0 ? above + 1 : Math.max(0, below), 0, item);
}

/** Contrast to paper below which text is hard to read; yellow has 1.1, light grey 1.6. */
const MIN_PAPER_CONTRAST = 1.6;
/** Factor by which the text's contrast on a colour must exceed that on paper for it to be the background. */
const MIN_GAIN = 1.5;
/** Resolution at which the background is drawn; a line of text is several pixels high. */
const GROUND_DPI = 48;
/** Bits per channel when colours are counted, so that the shades of a gradient count as one. */
const STEP_BITS = 4;
/** A narrower single line is a label, for which the whole width of its column is not coloured. */
const MIN_BLOCK_POINTS = 150;
const PAPER: Color = [255, 255, 255];
const BLACK = '000000';

/** Gives the light texts of a page the colour behind them, and darkens those without one. */
export function readableItems(
  items: readonly PageItem[],
  { file, pageIndex }: { file: PdfFile; pageIndex: number },
): PageItem[] {
  let ground: Pixels | undefined;
  let isDrawn = false;
  /** Draws the page at most once, and only if it has light text. */
  const groundOf = (): Pixels | undefined => {
    if (!isDrawn) {
      ground = file.withPage(pageIndex, (page) =>
        drawPage(page, { dpi: GROUND_DPI, withText: false }),
      );
    }
    isDrawn = true;
    return ground;
  };
  return items.map((item) => {
    if (item.kind === 'text') return readable(item, item.shading, groundOf);
    if (item.kind !== 'table') return item;
    const rows = item.rows.map((cells) =>
      cells.map((cell) => {
        const own = cell.items.map((one) =>
          one.kind === 'text' ? readable(one, one.shading ?? cell.shading, groundOf) : one,
        );
        return { ...cell, items: own };
      }),
    );
    return { ...item, rows };
  });
}

function readable(
  text: FlowText,
  shading: string | undefined,
  groundOf: () => Pixels | undefined,
): FlowText {
  const behind = shading === undefined ? PAPER : rgbOf(shading);
  const isFaint = ({ look }: TextPiece): boolean =>
    contrast(rgbOf(look.color), behind) < MIN_PAPER_CONTRAST;
  const faint = text.pieces.filter((piece) => isFaint(piece) && piece.text.trim() !== '');
  const [first] = faint;
  if (first === undefined) return text;
  const pixels = groundOf();
  const color = pixels && groundBehind(pixels, text.box, rgbOf(first.look.color));
  const isWhole = text.pieces.every((piece) => faint.includes(piece) || piece.text.trim() === '');
  const isBlock = text.leading !== undefined || boxWidth(text.box) > MIN_BLOCK_POINTS;
  if (color !== undefined && isWhole && isBlock) return { ...text, shading: hexColor(color) };
  const pieces = text.pieces.map((piece) => {
    if (!faint.includes(piece)) return piece;
    const change =
      color === undefined ? { color: darkOn(behind, piece) } : { shading: hexColor(color) };
    return { ...piece, look: { ...piece.look, ...change } };
  });
  return { ...text, pieces };
}

/** Keeps a colour that stands out a little; white on white becomes black. */
function darkOn(behind: Color, { look }: TextPiece): string {
  const isLost = contrast(rgbOf(look.color), behind) < 1.2;
  return isLost && luminance(behind) > 0.5 ? BLACK : look.color;
}

/** Returns the most frequent colour of a box among those on which text of the given colour is legible. */
function groundBehind({ bgra, width, height }: Pixels, box: Box, color: Color): Color | undefined {
  const scale = GROUND_DPI / 72;
  const counts = new Map<number, { count: number; sum: [number, number, number] }>();
  const right = Math.min(width, Math.ceil(box.right * scale));
  const bottom = Math.min(height, Math.ceil(height - box.bottom * scale));
  for (let y = Math.max(0, Math.floor(height - box.top * scale)); y < bottom; y += 1) {
    for (let x = Math.max(0, Math.floor(box.left * scale)); x < right; x += 1) {
      const at = (y * width + x) * 4;
      const [blue = 0, green = 0, red = 0] = bgra.subarray(at, at + 3);
      const step = (value: number): number => value >> (8 - STEP_BITS);
      const key = (step(red) << (2 * STEP_BITS)) | (step(green) << STEP_BITS) | step(blue);
      const known = counts.get(key) ?? { count: 0, sum: [0, 0, 0] };
      counts.set(key, known);
      known.count += 1;
      known.sum[0] += red;
      known.sum[1] += green;
      known.sum[2] += blue;
    }
  }
  const onPaper = contrast(color, PAPER);
  return [...counts.values()]
    .sort((a, b) => b.count - a.count)
    .map(({ count, sum: [red, green, blue] }): Color => {
      return [Math.round(red / count), Math.round(green / count), Math.round(blue / count)];
    })
    .find((ground) => contrast(color, ground) > MIN_GAIN * onPaper);
}

function rgbOf(hex: string): Color {
  const value = Number.parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Returns the contrast of two colours, from 1 (none) to 21, as defined by WCAG. */
function contrast(a: Color, b: Color): number {
  const [one, other] = [luminance(a), luminance(b)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

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

/** Finds tables without rules, rows of short texts aligned in columns, among the lines that no other table has. */
function alignedTables(
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
