/** The paragraphs, tables and pictures of one page in reading order. */
import { alignedTables } from './flow-aligned.ts';
import { hasCentreIn } from './flow-box.ts';
import type { PageGraphics } from './flow-graphics.ts';
import type { FlowPicture, PageItem } from './flow-model.ts';
import { flowText } from './flow-paragraph.ts';
import { type DrawnGroup, groupDrawings } from './flow-pictures.ts';
import { type PlacedTable, ruledTables } from './flow-tables.ts';
import { horizontalOverlap } from './geometry.ts';
import type { Page, PageParagraph, TextLine } from './page-model.ts';
import type { PagePicture } from './page-picture.ts';

/** A page that has been taken apart, its pictures not yet drawn. */
export interface PageParts {
  tables: readonly PlacedTable[];
  drawings: readonly DrawnGroup[];
}

/** Finds the tables and pictures of a page. @param running what is a header or footer */
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

/** Everything of a page in the order in which it is read. */
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

/** A picture goes into its cell, before its labels, or after what stands above it in its column. */
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
