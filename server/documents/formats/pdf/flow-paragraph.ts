/** A paragraph of a page as one of a flowing document. */
import { areNear, boxHeight, boxWidth } from './flow-box.ts';
import type { PageGraphics } from './flow-graphics.ts';
import type { FlowText } from './flow-model.ts';
import { hexColor, piecesOf } from './flow-text.ts';
import { union } from './geometry.ts';
import type { PageParagraph, TextLine } from './page-model.ts';

export interface ParagraphPlace {
  pageIndex: number;
  graphics: PageGraphics;
}

/** Less of an indent is the shape of a letter. */
const MIN_INDENT_EMS = 0.6;
const WHITE = 'FFFFFF';
/** Of a marker whose place is not known. */
const HANG_POINTS = 18;

/** The whole paragraph, or some of its lines when a table has the others. */
export function flowText(
  paragraph: PageParagraph,
  { pageIndex, graphics }: ParagraphPlace,
  lines: readonly TextLine[] = paragraph.lines,
): FlowText {
  const isStart = lines[0] === paragraph.lines[0];
  const isWhole = lines.length === paragraph.lines.length;
  const hasMarker = isStart && paragraph.listMarker !== undefined;
  // The first line of an item begins after the marker; where its text begins is known from the others.
  const own = hasMarker && lines.length > 1 ? lines.slice(1) : lines;
  const around = union(lines.map((line) => line.box));
  const level = { ...around, left: Math.min(...own.map((line) => line.box.left)) };
  const box = paragraph.rotation === 0 ? level : paragraph.box;
  return {
    kind: 'text',
    pieces: piecesOf(lines, graphics.links),
    box,
    pageIndex,
    align: paragraph.align,
    leading: lines.length > 1 ? paragraph.leading : undefined,
    firstIndent: paragraph.align === 'center' || hasMarker ? 0 : firstIndent(lines),
    headingLevel: isWhole ? paragraph.headingLevel : undefined,
    marker: isStart ? markerOf(paragraph) : undefined,
    isCutOff: isFilled(lines),
    shading: shadingBehind(box, graphics),
  };
}

function markerOf({ listMarker, markerLine, box }: PageParagraph): FlowText['marker'] {
  if (listMarker === undefined) return undefined;
  return { text: listMarker, left: markerLine?.box.left ?? box.left - HANG_POINTS };
}

function firstIndent(lines: readonly TextLine[]): number {
  const [first, ...others] = lines;
  if (first === undefined || others.length === 0) return 0;
  const indent = first.box.left - Math.min(...others.map(({ box }) => box.left));
  return Math.abs(indent) < MIN_INDENT_EMS * boxHeight(first.box) ? 0 : indent;
}

/** Whether the last line is as long as the others. */
function isFilled(lines: readonly TextLine[]): boolean {
  const last = lines.at(-1);
  if (last === undefined) return false;
  const widest = Math.max(...lines.map(({ box }) => box.right));
  return widest - last.box.right < 2.5 * boxHeight(last.box);
}

/** The colour of the last area that was drawn behind a paragraph, unless it is white. */
export function shadingBehind(box: FlowText['box'], graphics: PageGraphics): string | undefined {
  const inner = { ...box, left: box.left + 1, right: Math.max(box.left + 2, box.right - 1) };
  const behind = graphics.fills.findLast(
    (fill) =>
      areNear(fill.box, inner, 0) &&
      fill.box.left <= inner.left &&
      fill.box.right >= inner.right &&
      fill.box.bottom <= (box.bottom + box.top) / 2 &&
      fill.box.top >= (box.bottom + box.top) / 2,
  );
  if (behind === undefined || boxWidth(behind.box) < 1) return undefined;
  const color = hexColor(behind.color);
  return color === WHITE ? undefined : color;
}
