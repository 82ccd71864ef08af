/** Converts paragraphs, tables and pictures to those of Word. */
import {
  AlignmentType,
  Bookmark,
  BorderStyle,
  HeadingLevel,
  type IBorderOptions,
  type IParagraphOptions,
  ImageRun,
  LineRuleType,
  Paragraph,
  type ParagraphChild,
  ShadingType,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  WidthType,
} from 'docx';
import { boxHeight, boxWidth } from './geometry.ts';
import type { ColumnFrame } from './flow-sections.ts';
import type { ListLevel, Lists } from './flow-lists.ts';
import { type DocumentLooks, styleLook, bookmarkName, runsOf } from './flow-runs.ts';
import type {
  FlowCell,
  FlowPicture,
  FlowTable,
  FlowText,
  PlacedItem,
  TextPiece,
} from './flow-model.ts';

export interface BlockContext {
  looks: DocumentLooks;
  lists: Lists;
  /** Indexes of the pages that are link targets. */
  bookmarks: ReadonlySet<number>;
  /** Returns the pieces to write for a text. */
  piecesOf: (text: FlowText) => readonly TextPiece[];
  isSourceRightToLeft: boolean;
  isTargetRightToLeft: boolean;
}

/** The place of a block in the flow. */
export interface BlockPlace {
  frame: ColumnFrame;
  spaceBefore: number;
  isOnNewPage: boolean;
  bookmark: number | undefined;
}

const TWIPS_PER_POINT = 20;
const PIXELS_PER_POINT = 96 / 72;
const EIGHTHS_PER_POINT = 8;
/** Single spacing of common fonts, in ems. */
const SINGLE_SPACING = 1.16;
/** Minimum leading, in ems, that is written; closer lines pass for single spacing. */
const MIN_WIDE_SPACING = 1.27;
const LINE_UNITS = 240;
const MIN_INDENT_POINTS = 4;
const CENTER_POINTS = 12;

const HEADINGS = [
  HeadingLevel.HEADING_1,
  HeadingLevel.HEADING_2,
  HeadingLevel.HEADING_3,
  HeadingLevel.HEADING_4,
  HeadingLevel.HEADING_5,
  HeadingLevel.HEADING_6,
];

/** Converts points to twips, rounded. */
export function twips(points: number): number {
  return Math.round(points * TWIPS_PER_POINT);
}

/** Returns a paragraph of the flow or of a cell. */
export function textBlock(
  text: FlowText,
  place: BlockPlace,
  context: BlockContext,
  placed?: PlacedItem,
): Paragraph {
  const list = placed && context.lists.places.get(placed);
  const level = list && context.lists.levels[list.list]?.[list.level];
  const look = styleLook(text, context.looks);
  const run = {
    styleLook: look,
    isRightToLeft: context.isTargetRightToLeft,
    bookmarks: context.bookmarks,
  };
  const children = runsOf(marked(context.piecesOf(text), text, list !== undefined), run);
  const heading = text.headingLevel === undefined ? undefined : HEADINGS[text.headingLevel - 1];
  return new Paragraph({
    children: withBookmark(children, place, context),
    ...(heading === undefined ? {} : { heading }),
    ...(list === undefined
      ? indents(text, place.frame, context)
      : {
          numbering: { reference: listName(list.list), level: list.level },
          ...listIndent(text, place, level),
        }),
    ...alignment(text, context),
    ...spacing(text, place),
    ...(context.isTargetRightToLeft ? { bidirectional: true } : {}),
    ...(place.isOnNewPage ? { pageBreakBefore: true } : {}),
    ...(text.shading === undefined
      ? {}
      : { shading: { type: ShadingType.CLEAR, fill: text.shading, color: 'auto' } }),
  });
}

/** Writes the marker as text where it is not part of a list, as in cells. */
function marked(
  pieces: readonly TextPiece[],
  { marker }: FlowText,
  isListed: boolean,
): readonly TextPiece[] {
  const [first] = pieces;
  if (marker === undefined || isListed || first === undefined) return pieces;
  return [{ text: `${marker.text} `, look: { ...first.look, note: undefined } }, ...pieces];
}

/** Returns the name of a list's numbering. */
export function listName(list: number): string {
  return `list-${list + 1}`;
}

/** Returns the indent of an item that differs from the first item of its level. */
function listIndent(
  text: FlowText,
  { frame }: BlockPlace,
  level: ListLevel | undefined,
): Pick<IParagraphOptions, 'indent'> {
  const left = text.box.left - frame.left;
  if (level === undefined || text.marker === undefined) return {};
  if (Math.abs(left - level.indent) < 2 * MIN_INDENT_POINTS || level.hang === 0) return {};
  const hang = Math.max(0, text.box.left - text.marker.left);
  return { indent: { left: twips(left), hanging: twips(hang) } };
}

function withBookmark(
  children: ParagraphChild[],
  { bookmark }: BlockPlace,
  { bookmarks }: BlockContext,
): ParagraphChild[] {
  if (bookmark === undefined || !bookmarks.has(bookmark)) return children;
  return [new Bookmark({ id: bookmarkName(bookmark), children })];
}

/** In Word, left alignment means the start of lines, which is the right in Arabic. */
function alignment(
  { align }: FlowText,
  { isSourceRightToLeft }: BlockContext,
): Pick<IParagraphOptions, 'alignment'> {
  if (align === 'center') return { alignment: AlignmentType.CENTER };
  if (align === 'justify') return { alignment: AlignmentType.BOTH };
  const isAtStart = (align === 'left') !== isSourceRightToLeft;
  return isAtStart ? {} : { alignment: AlignmentType.RIGHT };
}

function indents(
  { box, align, firstIndent, leading }: FlowText,
  frame: ColumnFrame,
  { isSourceRightToLeft }: BlockContext,
): Pick<IParagraphOptions, 'indent'> {
  const gaps = { left: box.left - frame.left, right: frame.right - box.right };
  let [start, end] = isSourceRightToLeft ? [gaps.right, gaps.left] : [gaps.left, gaps.right];
  if (align === 'center') {
    const shift = start - end;
    [start, end] = [Math.max(0, shift), Math.max(0, -shift)];
    if (start + end < 2 * CENTER_POINTS) return {};
  } else {
    const width = frame.right - frame.left;
    // A ragged edge is significant only for longer text, and for text at the opposite edge.
    const isAtEnd = (align === 'right') !== isSourceRightToLeft && align !== 'justify';
    if (isAtEnd) start = 0;
    else if (align !== 'justify' && (leading === undefined || end < 0.2 * width)) end = 0;
  }
  const hanging = Math.max(0, -firstIndent);
  const indent = {
    ...(start + hanging > MIN_INDENT_POINTS ? { left: twips(start + hanging) } : {}),
    ...(end > 2 * MIN_INDENT_POINTS ? { right: twips(end) } : {}),
    ...(firstIndent > 0 && align !== 'center' ? { firstLine: twips(firstIndent) } : {}),
    ...(hanging > 0 ? { hanging: twips(hanging) } : {}),
  };
  return Object.keys(indent).length === 0 ? {} : { indent };
}

function spacing(
  { leading, pieces }: FlowText,
  { spaceBefore }: BlockPlace,
): Pick<IParagraphOptions, 'spacing'> {
  const size = Math.max(...pieces.map(({ look }) => look.size)) / 2;
  // Single spacing already adds this much above the text.
  const before = spaceBefore - (SINGLE_SPACING - 1) * size;
  const ratio = leading === undefined ? 1 : leading / size;
  const line = Math.round((LINE_UNITS * Math.min(ratio, 3)) / SINGLE_SPACING);
  return {
    spacing: {
      before: before > 1 ? twips(before) : 0,
      after: 0,
      ...(ratio > MIN_WIDE_SPACING ? { line, lineRule: LineRuleType.AUTO } : {}),
    },
  };
}

/** Returns a paragraph of pictures that stand side by side. */
export function pictureBlock(
  pictures: readonly FlowPicture[],
  place: BlockPlace,
  context: BlockContext,
): Paragraph {
  const { frame } = place;
  const width = frame.right - frame.left;
  const total = pictures.reduce((sum, { box }) => sum + boxWidth(box), 0);
  const scale = Math.min(1, width / total);
  const left = Math.min(...pictures.map(({ box }) => box.left)) - frame.left;
  const right = frame.right - Math.max(...pictures.map(({ box }) => box.right));
  const isCentered = Math.abs(left - right) < CENTER_POINTS;
  const isAtEnd = right < CENTER_POINTS !== context.isSourceRightToLeft && left > CENTER_POINTS;
  const children = pictures.map(
    ({ picture }) =>
      new ImageRun({
        type: picture.kind,
        data: picture.bytes,
        transformation: {
          width: Math.max(1, Math.round(boxWidth(picture.box) * scale * PIXELS_PER_POINT)),
          height: Math.max(1, Math.round(boxHeight(picture.box) * scale * PIXELS_PER_POINT)),
        },
      }),
  );
  return new Paragraph({
    children: withBookmark(children, place, context),
    spacing: { before: twips(place.spaceBefore), after: 0 },
    ...(context.isTargetRightToLeft ? { bidirectional: true } : {}),
    ...(place.isOnNewPage ? { pageBreakBefore: true } : {}),
    ...(isCentered ? { alignment: AlignmentType.CENTER } : {}),
    ...(!isCentered && isAtEnd ? { alignment: AlignmentType.RIGHT } : {}),
    ...(!isCentered && !isAtEnd && left > MIN_INDENT_POINTS
      ? { indent: { left: twips(left) } }
      : {}),
  });
}

/** Returns a table, scaled down to about the width of its column. */
export function tableBlock(table: FlowTable, place: BlockPlace, context: BlockContext): Table {
  const total = table.columnWidths.reduce((sum, width) => sum + width, 0);
  const frameWidth = place.frame.right - place.frame.left;
  const scale = Math.min(1, (frameWidth + 12) / total);
  const widths = table.columnWidths.map((width) => twips(width * scale));
  const left = Math.max(0, table.box.left - place.frame.left);
  const hasIndent = left > MIN_INDENT_POINTS && left + total * scale <= frameWidth + 12;
  return new Table({
    rows: table.rows.map(
      (cells) =>
        new TableRow({
          cantSplit: true,
          children: cells.map((cell) => cellBlock(cell, widths, context)),
        }),
    ),
    columnWidths: widths,
    width: { size: widths.reduce((sum, width) => sum + width, 0), type: WidthType.DXA },
    layout: table.border === undefined ? TableLayoutType.AUTOFIT : TableLayoutType.FIXED,
    borders: bordersOf(table),
    margins: {
      top: twips(table.padding.top),
      bottom: twips(table.padding.bottom),
      marginUnitType: WidthType.DXA,
    },
    ...(hasIndent ? { indent: { size: twips(left), type: WidthType.DXA } } : {}),
    ...(context.isTargetRightToLeft ? { visuallyRightToLeft: true } : {}),
  });
}

function bordersOf({
  border,
}: FlowTable): Record<
  'top' | 'bottom' | 'left' | 'right' | 'insideHorizontal' | 'insideVertical',
  IBorderOptions
> {
  const side: IBorderOptions =
    border === undefined
      ? { style: BorderStyle.NONE, size: 0, color: 'auto' }
      : {
          style: BorderStyle.SINGLE,
          size: Math.min(48, Math.max(2, Math.round(border.widthPoints * EIGHTHS_PER_POINT))),
          color: border.color,
        };
  return {
    top: side,
    bottom: side,
    left: side,
    right: side,
    insideHorizontal: side,
    insideVertical: side,
  };
}

function cellBlock(cell: FlowCell, widths: readonly number[], context: BlockContext): TableCell {
  const { column, columnSpan, rowSpan, items, shading } = cell;
  const own = widths.slice(column, column + columnSpan).reduce((sum, width) => sum + width, 0);
  const frame = { left: 0, right: own / TWIPS_PER_POINT - 11 };
  const blocks = items.map((item) => {
    const place = { frame, spaceBefore: 0, isOnNewPage: false, bookmark: undefined };
    if (item.kind === 'picture') {
      const width = boxWidth(item.box);
      return pictureBlock(
        [{ ...item, box: { ...item.box, left: 0, right: width } }],
        place,
        context,
      );
    }
    // Within a cell, only the alignment positions a text.
    const box = { ...item.box, left: frame.left, right: frame.right };
    return textBlock({ ...item, box, firstIndent: 0 }, place, withPieces(context, item));
  });
  return new TableCell({
    children: blocks.length === 0 ? [new Paragraph({})] : blocks,
    width: { size: own, type: WidthType.DXA },
    ...(columnSpan > 1 ? { columnSpan } : {}),
    ...(rowSpan > 1 ? { rowSpan } : {}),
    ...(shading === undefined
      ? {}
      : { shading: { type: ShadingType.CLEAR, fill: shading, color: 'auto' } }),
  });
}

/** A copied text has the pieces of the original. */
function withPieces(context: BlockContext, original: FlowText): BlockContext {
  return { ...context, piecesOf: () => context.piecesOf(original) };
}
