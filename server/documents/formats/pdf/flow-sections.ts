/** Joins the pages to the sections of a flowing document, with their columns. */
import type { FlowSection, PageItem, PlacedItem, FlowText, TextPiece } from './flow-model.ts';
import { union, horizontalOverlap, verticalOverlap } from './geometry.ts';
import type { Page, Box } from './page-model.ts';
import { append } from './flow-text.ts';
import { jointOf } from './read-line.ts';

/** A page and its items, without headers, footers and footnotes. */
export interface ItemPage {
  page: Page;
  items: readonly PageItem[];
}

type Margins = FlowSection['margins'];

/** Minimum margin that can be printed. */
const MIN_MARGIN_POINTS = 18;
const USUAL_MARGIN_POINTS = 72;
/** Share of the page's height that is empty at the foot of a page that was ended on purpose. */
const EMPTY_SHARE = 0.2;
/** Maximum space kept between paragraphs; more is the emptiness of a title page. */
const MAX_SPACE_POINTS = 90;

/** Turns pages into sections; a new one begins where the page size or the number of columns changes. */
export function sectionsOf(pages: readonly ItemPage[]): FlowSection[] {
  const margins = marginsBySize(pages);
  const sections: FlowSection[] = [];
  let previous: ItemPage | undefined;
  for (const one of pages) {
    if (one.items.length === 0) continue;
    const own = margins.get(sizeKey(one.page)) ?? marginsOf([one]);
    addPage({ sections, one, margins: own, isAfterEnd: previous && hasEnded(previous, own) });
    previous = one;
  }
  return sections;
}

function sizeKey({ width, height }: Page): string {
  return `${Math.round(width / 4)}x${Math.round(height / 4)}`;
}

function marginsBySize(pages: readonly ItemPage[]): Map<string, Margins> {
  const groups = new Map<string, ItemPage[]>();
  for (const one of pages) {
    if (one.items.length === 0) continue;
    const key = sizeKey(one.page);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return new Map([...groups].map(([key, group]) => [key, marginsOf(group)]));
}

/**
 * Returns the margins around all items on pages of one size. The bottom margin is at most the top margin,
 * since a page that is not full does not show where its foot is.
 */
function marginsOf(pages: readonly ItemPage[]): Margins {
  const bodies = pages.map(({ page, items }) => {
    const { left, right, bottom, top } = union(items.map(({ box }) => box));
    return { left, right: page.width - right, top: page.height - top, bottom };
  });
  const least = (values: readonly number[]): number =>
    Math.max(MIN_MARGIN_POINTS, Math.min(USUAL_MARGIN_POINTS * 2, ...values));
  const left = least(bodies.map((body) => body.left));
  const top = least(bodies.map((body) => body.top));
  return {
    left,
    top,
    right: Math.min(least(bodies.map((body) => body.right)), Math.max(left, 36) * 1.5),
    bottom: Math.min(least(bodies.map((body) => body.bottom)), Math.max(top, 36)),
  };
}

function hasEnded({ page, items }: ItemPage, { bottom }: Margins): boolean {
  const lowest = Math.min(...items.map(({ box }) => box.bottom));
  return lowest - bottom > EMPTY_SHARE * page.height;
}

function addPage({
  sections,
  one: { page, items },
  margins,
  isAfterEnd,
}: {
  sections: FlowSection[];
  one: ItemPage;
  margins: Margins;
  /** Undefined on the first page. */
  isAfterEnd: boolean | undefined;
}): void {
  const frame = { left: margins.left, right: page.width - margins.right };
  const found = columnsOf(items, frame);
  const { columns } = found;
  const ordered = columns.length > 1 ? inColumns(items, found) : items;
  let isFirst = true;
  for (const item of ordered) {
    const column = columnOf(item.box, found);
    const wanted = sectionFor({ page, margins, columns: column === undefined ? [frame] : columns });
    let section = sections.at(-1);
    if (section === undefined || !isSameLayout(section, wanted)) {
      const isNewSize = section !== undefined && !isSameSize(section, wanted);
      section = { ...wanted, isOnNewPage: isNewSize || (isFirst && isAfterEnd === true) };
      sections.push(section);
    } else if (isFirst && isAfterEnd === true) {
      section.items.push({ item: { kind: 'break' }, frame, spaceBefore: 0, bookmark: undefined });
    }
    const own = column === undefined ? frame : (columns[column] ?? frame);
    // A paragraph may also continue where the number of columns changes.
    const before = section.items.length > 0 ? section : sections.at(-2);
    place({ section, before, item, frame: own, page, isFirst });
    isFirst = false;
  }
}

/** Orders items column by column, between the items that span all columns. */
function inColumns(items: readonly PageItem[], columns: PageColumns): PageItem[] {
  const wide = items.filter(({ box }) => columnOf(box, columns) === undefined);
  const band = ({ box }: PageItem): number =>
    wide.filter((one) => one.box.top > box.top && one.box.bottom >= box.bottom).length;
  const rank = (item: PageItem): readonly [number, number] => {
    const column = columnOf(item.box, columns);
    // A wide item ends the band above it.
    return [band(item), column ?? Infinity];
  };
  return [...items].sort((a, b) => {
    const [first, second] = [rank(a), rank(b)];
    if (first[0] !== second[0]) return first[0] - second[0];
    return first[1] === second[1] ? 0 : first[1] - second[1];
  });
}

function sectionFor({
  page,
  margins,
  columns,
}: {
  page: Page;
  margins: Margins;
  columns: readonly ColumnFrame[];
}): FlowSection {
  const [first, second] = columns;
  return {
    width: page.width,
    height: page.height,
    margins,
    columns: columns.length,
    gap: first === undefined || second === undefined ? 0 : second.left - first.right,
    isOnNewPage: false,
    items: [],
  };
}

function isSameSize(a: FlowSection, b: FlowSection): boolean {
  return Math.abs(a.width - b.width) < 4 && Math.abs(a.height - b.height) < 4;
}

function isSameLayout(a: FlowSection, b: FlowSection): boolean {
  return isSameSize(a, b) && a.columns === b.columns;
}

/** Appends an item to a section, or joins it to the paragraph that it continues. */
function place({
  section,
  before: sectionBefore,
  item,
  frame,
  page,
  isFirst,
}: {
  section: FlowSection;
  /** The section with the item placed last. */
  before: FlowSection | undefined;
  item: PageItem;
  frame: ColumnFrame;
  page: Page;
  isFirst: boolean;
}): void {
  const bookmark = isFirst ? page.index : undefined;
  const { items } = section;
  const before = items.at(-1);
  const above = before === undefined || before.item.kind === 'break' ? undefined : before.item;
  const isBelow = above !== undefined && !isFirst && above.box.top > item.box.top;
  const last = textToGoOn(sectionBefore?.items ?? [], isBelow);
  if (item.kind === 'text' && last?.item.kind === 'text' && goesOn(last.item, item)) {
    last.item = joined(last.item, item);
    return;
  }
  const spaceBefore = isBelow ? Math.max(0, above.box.bottom - item.box.top) : 0;
  items.push({
    item,
    frame,
    spaceBefore: Math.min(MAX_SPACE_POINTS, spaceBefore),
    bookmark,
  });
}

/** Returns the paragraph at the end of the previous column; pictures may stand between. */
function textToGoOn(items: readonly PlacedItem[], isBelow: boolean): PlacedItem | undefined {
  if (isBelow) return undefined;
  return items.findLast(({ item }) => item.kind !== 'picture');
}

// Joining of paragraphs that continue in the next column or on the next page.

/** Scripts without capitals, in which nothing shows whether a sentence begins. */
const UNCASED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thai}\p{Script=Devanagari}]/u;
const SENTENCE_END = /[.!?:;…。！？：；؟۔।]["'”’»)\]]*$/u;
const DIVIDED = /\p{L}[-\u00AD\u2010]$/u;

/** Tests whether a paragraph at the end of a column continues in the one at the start of the next. */
function goesOn(end: FlowText, start: FlowText): boolean {
  if (start.marker !== undefined || start.headingLevel !== undefined) return false;
  if (end.headingLevel !== undefined || start.firstIndent > 0) return false;
  const [before, after] = [end.pieces.at(-1), start.pieces[0]];
  if (before === undefined || after === undefined || !areAlike(before, after)) return false;
  if (end.align === 'center' || start.align === 'center') return false;
  const hasEnded = SENTENCE_END.test(before.text);
  if (/^\p{Ll}/u.test(after.text)) return !hasEnded || DIVIDED.test(before.text);
  if (hasEnded || !end.isCutOff) return false;
  return UNCASED.test(after.text) || (end.leading !== undefined && start.leading !== undefined);
}

function areAlike(a: TextPiece, b: TextPiece): boolean {
  return Math.abs(a.look.size - b.look.size) <= 1;
}

/** Joins the two parts of a paragraph. */
function joined(end: FlowText, start: FlowText): FlowText {
  const pieces: TextPiece[] = [...end.pieces];
  const last = pieces.at(-1);
  const first = start.pieces[0]?.text ?? '';
  const isDivided = last !== undefined && DIVIDED.test(last.text) && /^\p{Ll}/u.test(first);
  if (isDivided) pieces[pieces.length - 1] = { ...last, text: last.text.slice(0, -1) };
  for (const [index, { text, look }] of start.pieces.entries()) {
    const joint = index === 0 && !isDivided ? jointOf(pieces.at(-1)?.text ?? '', text) : '';
    append(pieces, joint + text, look);
  }
  return {
    ...end,
    pieces,
    leading: end.leading ?? start.leading,
    isCutOff: start.isCutOff,
    align: end.leading === undefined ? start.align : end.align,
  };
}

/** The left and right edges of a column. */
export interface ColumnFrame {
  left: number;
  right: number;
}

/** Minimum width of a gap between columns; narrower gaps are spaces that happen to align. */
const MIN_STRIPE_POINTS = 7;
/** Minimum number of adjacent lines on either side of a column gap. */
const MIN_LINES = 3;
/** Maximum share of the lines that may cross a column gap, such as headings and wide tables. */
const MAX_CROSSING_SHARE = 0.12;

/** A text and its approximate number of lines. */
interface Weighted {
  box: Box;
  lines: number;
}

/** Columns, and the heights at which they exist. */
interface PageColumns {
  columns: readonly ColumnFrame[];
  bands: readonly { bottom: number; top: number }[];
}

/** Finds the columns of a page's text; most pages have one. */
function columnsOf(items: readonly PageItem[], frame: ColumnFrame): PageColumns {
  const texts = items.flatMap((item): Weighted[] => {
    if (item.kind !== 'text') return [];
    const height = item.box.top - item.box.bottom;
    return [{ box: item.box, lines: Math.max(1, Math.round(height / (item.leading ?? height))) }];
  });
  const beside = texts.filter(({ box }) => texts.some((other) => areBeside(box, other.box)));
  const stripes = stripesOf(beside, frame).filter((stripe) => parts(stripe, beside));
  const edges = [frame.left, ...stripes.flatMap(({ left, right }) => [left, right]), frame.right];
  const columns: ColumnFrame[] = [];
  for (let at = 0; at + 1 < edges.length; at += 2) {
    columns.push({ left: edges[at] ?? 0, right: edges[at + 1] ?? 0 });
  }
  return { columns, bands: columns.length > 1 ? bandsOf(items, beside, columns) : [] };
}

function areBeside(a: Box, b: Box): boolean {
  return verticalOverlap(a, b) > 2 && horizontalOverlap(a, b) < -MIN_STRIPE_POINTS / 2;
}

/** Returns the heights with text in several columns, merged where no wide item divides them. */
function bandsOf(
  items: readonly PageItem[],
  beside: readonly Weighted[],
  columns: readonly ColumnFrame[],
): { bottom: number; top: number }[] {
  const wide = items.filter(({ box }) => touchedColumns(box, columns).length > 1);
  const narrow = beside.filter(({ box }) => touchedColumns(box, columns).length < 2);
  const bands: { bottom: number; top: number }[] = [];
  for (const { box } of [...narrow].sort((a, b) => b.box.top - a.box.top)) {
    const last = bands.at(-1);
    const isParted =
      last === undefined ||
      wide.some((one) => one.box.top <= last.bottom + 2 && one.box.bottom >= box.top - 2);
    if (isParted) bands.push({ bottom: box.bottom, top: box.top });
    else last.bottom = Math.min(last.bottom, box.bottom);
  }
  return bands;
}

/** Returns the vertical stripes that hardly any line crosses. */
function stripesOf(texts: readonly Weighted[], frame: ColumnFrame): ColumnFrame[] {
  const total = texts.reduce((sum, { lines }) => sum + lines, 0);
  const start = Math.floor(frame.left);
  const crossing = new Uint32Array(Math.max(0, Math.ceil(frame.right) - start));
  for (const { box, lines } of texts) {
    const from = Math.max(0, Math.floor(box.left) - start);
    const to = Math.min(crossing.length, Math.ceil(box.right) - start);
    for (let x = from; x < to; x += 1) crossing[x] = (crossing[x] ?? 0) + lines;
  }
  const stripes: ColumnFrame[] = [];
  let from: number | undefined;
  for (let x = 0; x <= crossing.length; x += 1) {
    const isWhite = x < crossing.length && (crossing[x] ?? 0) <= MAX_CROSSING_SHARE * total;
    if (isWhite) from ??= x;
    if (!isWhite && from !== undefined) {
      const isInside = from > 0 && x < crossing.length;
      if (isInside && x - from >= MIN_STRIPE_POINTS)
        stripes.push({ left: from + start, right: x + start });
      from = undefined;
    }
  }
  return stripes;
}

/** Tests whether enough text stands on both sides of a stripe at the same height. */
function parts(stripe: ColumnFrame, texts: readonly Weighted[]): boolean {
  const left = texts.filter(({ box }) => box.right <= stripe.left + 2);
  const right = texts.filter(({ box }) => box.left >= stripe.right - 2);
  const besideLines = (side: readonly Weighted[], other: readonly Weighted[]): number =>
    side
      .filter(({ box }) => other.some((one) => verticalOverlap(one.box, box) > 0))
      .reduce((sum, { lines }) => sum + lines, 0);
  return besideLines(left, right) >= MIN_LINES && besideLines(right, left) >= MIN_LINES;
}

function touchedColumns(box: Box, columns: readonly ColumnFrame[]): number[] {
  return columns.flatMap(({ left, right }, index) =>
    Math.min(box.right, right) - Math.max(box.left, left) > 4 ? [index] : [],
  );
}

/**
 * Returns the column of a box; undefined where it spans several or where the page has no columns at its
 * height.
 */
function columnOf(box: Box, { columns, bands }: PageColumns): number | undefined {
  const middle = (box.bottom + box.top) / 2;
  if (!bands.some(({ bottom, top }) => middle >= bottom && middle <= top)) return undefined;
  const touched = touchedColumns(box, columns);
  if (touched.length > 1) return undefined;
  const center = (box.left + box.right) / 2;
  return (
    touched[0] ??
    Math.max(
      0,
      columns.findLastIndex(({ left }) => left <= center),
    )
  );
}
