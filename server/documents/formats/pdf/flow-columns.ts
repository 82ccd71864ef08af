/** Columns of a page: the white stripes between them that hardly any text crosses. */
import type { PageItem } from './flow-model.ts';
import { horizontalOverlap, verticalOverlap } from './geometry.ts';
import type { Box } from './page-model.ts';

/** From left to right. */
export interface ColumnFrame {
  left: number;
  right: number;
}

/** Narrower stripes are blanks that happen to stand below each other. */
const MIN_STRIPE_POINTS = 7;
/** Fewer lines beside each other are not two columns of text. */
const MIN_LINES = 3;
/** Headings and wide tables may cross a stripe, but not more than this share of the lines. */
const MAX_CROSSING_SHARE = 0.12;

/** A text and how many lines it has, or so. */
interface Weighted {
  box: Box;
  lines: number;
}

/** Columns, and at which heights there are several. */
export interface PageColumns {
  columns: readonly ColumnFrame[];
  bands: readonly { bottom: number; top: number }[];
}

/** The columns of a page's text; one for most pages. */
export function columnsOf(items: readonly PageItem[], frame: ColumnFrame): PageColumns {
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

/** Heights with text in several columns, together as far as nothing reaches over these. */
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

/** Where hardly a line is. */
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

/** Whether enough text stands on both sides at the same height. */
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

/** The column that a box stands in; undefined when it reaches over several or none are there. */
export function columnOf(box: Box, { columns, bands }: PageColumns): number | undefined {
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
