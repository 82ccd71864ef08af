/** Writes a flowing document as a Word file. */
import {
  Document,
  Footer,
  Header,
  type INumberingOptions,
  type ISectionOptions,
  type IStylesOptions,
  LevelFormat,
  LevelSuffix,
  Packer,
  Paragraph,
  SectionType,
  Tab,
  type Table,
  TabStopType,
  TextRun,
} from 'docx';
import { boxHeight, verticalOverlap } from './geometry.ts';
import {
  type BlockContext,
  type BlockPlace,
  listName,
  pictureBlock,
  tableBlock,
  textBlock,
  twips,
} from './flow-blocks.ts';
import type { ListLevel, Lists } from './flow-lists.ts';
import { type DocumentLooks, lookOptions, runsOf } from './flow-runs.ts';
import type {
  FlowDocument,
  FlowPicture,
  FlowSection,
  FlowText,
  PlacedItem,
  RunningLine,
  RunningLines,
} from './flow-model.ts';

/**
 * Maximum distance of headers and footers from the edge; otherwise they stand in the middle of their margins.
 */
const MAX_EDGE_POINTS = 36;

/** Settings for writing a document. */
export interface WriteOptions {
  context: BlockContext;
  language: string;
}

/** Returns the docx file. */
export async function writeFlow(
  document: FlowDocument,
  { context, language }: WriteOptions,
): Promise<Uint8Array> {
  const file = new Document({
    creator: 'Dragoman',
    lastModifiedBy: 'Dragoman',
    styles: stylesOf(context.looks, { language, isRightToLeft: context.isTargetRightToLeft }),
    numbering: numberingOf(context.lists),
    evenAndOddHeaderAndFooters:
      document.header.even !== undefined || document.footer.even !== undefined,
    footnotes: Object.fromEntries(
      [...document.notes].map(([number, text]) => [
        number,
        { children: [textBlock(text, notePlace(text), context)] },
      ]),
    ),
    sections: document.sections.map((section, index) =>
      sectionOptions({ section, document, context, isFirst: index === 0 }),
    ),
  });
  return Packer.toBuffer(file);
}

/** Footnotes stand at the left margin. */
function notePlace({ box }: FlowText): BlockPlace {
  const frame = { left: box.left, right: box.right };
  return { frame, spaceBefore: 0, isOnNewPage: false, bookmark: undefined };
}

function stylesOf(
  { body, headings }: DocumentLooks,
  { language, isRightToLeft }: { language: string; isRightToLeft: boolean },
): IStylesOptions {
  const names = ['heading1', 'heading2', 'heading3', 'heading4', 'heading5', 'heading6'] as const;
  const styles = names.flatMap((name, index) => {
    const look = headings.get(index + 1);
    if (look === undefined) return [];
    // Set in full, since Word's own headings are blue and large.
    const run = { ...lookOptions(look, undefined), bold: look.isBold, italics: look.isItalic };
    return [[name, { run, paragraph: { keepNext: true } }] as const];
  });
  return {
    default: {
      document: {
        run: {
          ...lookOptions(body, undefined),
          language: isRightToLeft ? { bidirectional: language } : { value: language },
        },
      },
      ...Object.fromEntries(styles),
    },
  };
}

const FORMATS: Record<ListLevel['format'], (typeof LevelFormat)[keyof typeof LevelFormat]> = {
  bullet: LevelFormat.BULLET,
  decimal: LevelFormat.DECIMAL,
  lowerLetter: LevelFormat.LOWER_LETTER,
  upperLetter: LevelFormat.UPPER_LETTER,
  lowerRoman: LevelFormat.LOWER_ROMAN,
  upperRoman: LevelFormat.UPPER_ROMAN,
};

function numberingOf({ levels }: Lists): INumberingOptions {
  return {
    config: levels.map((list, index) => ({
      reference: listName(index),
      levels: list.map(({ format, text, start, indent, hang }, level) => ({
        level,
        format: FORMATS[format],
        text,
        start,
        suffix: hang === 0 ? LevelSuffix.SPACE : LevelSuffix.TAB,
        style: { paragraph: { indent: { left: twips(indent), hanging: twips(hang) } } },
      })),
    })),
  };
}

function sectionOptions({
  section,
  document,
  context,
  isFirst,
}: {
  section: FlowSection;
  document: FlowDocument;
  context: BlockContext;
  isFirst: boolean;
}): ISectionOptions {
  const { margins, width, height, columns, gap } = section;
  const { header, footer } = document;
  return {
    properties: {
      type: section.isOnNewPage ? SectionType.NEXT_PAGE : SectionType.CONTINUOUS,
      page: {
        size: { width: twips(width), height: twips(height) },
        margin: {
          left: twips(margins.left),
          right: twips(margins.right),
          top: twips(margins.top),
          bottom: twips(margins.bottom),
          header: twips(Math.min(MAX_EDGE_POINTS, margins.top / 2)),
          footer: twips(Math.min(MAX_EDGE_POINTS, margins.bottom / 2)),
        },
        ...(isFirst ? { pageNumbers: { start: document.firstPageNumber } } : {}),
      },
      ...(columns > 1 ? { column: { count: columns, space: twips(gap), equalWidth: true } } : {}),
      ...(isFirst && (header.isFirstWithout || footer.isFirstWithout) ? { titlePage: true } : {}),
    },
    // Later sections inherit the headers and footers of the one before.
    ...(isFirst ? runningOptions({ section, header, footer, context }) : {}),
    children: blocksOf(section, context),
  };
}

function runningOptions({
  section,
  header,
  footer,
  context,
}: {
  section: FlowSection;
  header: RunningLines;
  footer: RunningLines;
  context: BlockContext;
}): Pick<ISectionOptions, 'headers' | 'footers'> {
  const write = (lines: readonly RunningLine[]): Paragraph[] =>
    lines.map((line) => runningBlock(line, section, context));
  const parts = <Part>(
    { default: usual, even, isFirstWithout }: RunningLines,
    make: (options: { children: Paragraph[] }) => Part,
  ): { default?: Part; even?: Part; first?: Part } => ({
    ...(usual.length === 0 ? {} : { default: make({ children: write(usual) }) }),
    ...(even === undefined ? {} : { even: make({ children: write(even) }) }),
    // On a title page, headers and footers that are not given stay empty.
    ...(isFirstWithout || usual.length === 0 ? {} : { first: make({ children: write(usual) }) }),
  });
  return {
    headers: parts(header, (options) => new Header(options)),
    footers: parts(footer, (options) => new Footer(options)),
  };
}

/** Returns one line of a header or footer; tab stops place its centre and right parts. */
function runningBlock(
  { left, center, right }: RunningLine,
  { width, margins }: FlowSection,
  context: BlockContext,
): Paragraph {
  const inner = width - margins.left - margins.right;
  const run = {
    styleLook: context.looks.body,
    isRightToLeft: context.isTargetRightToLeft,
    bookmarks: context.bookmarks,
  };
  const part = (text: FlowText | undefined): ReturnType<typeof runsOf> =>
    text === undefined ? [] : runsOf(context.piecesOf(text), run);
  const tab = new TextRun({ children: [new Tab()] });
  return new Paragraph({
    children: [
      ...part(left),
      ...((center ?? right) ? [tab] : []),
      ...part(center),
      ...(right ? [tab] : []),
      ...part(right),
    ],
    tabStops: [
      { type: TabStopType.CENTER, position: twips(inner / 2) },
      { type: TabStopType.RIGHT, position: twips(inner) },
    ],
    ...(context.isTargetRightToLeft ? { bidirectional: true } : {}),
  });
}

function blocksOf({ items }: FlowSection, context: BlockContext): (Paragraph | Table)[] {
  const blocks: (Paragraph | Table)[] = [];
  let isOnNewPage = false;
  let isAfterTable = false;
  for (let at = 0; at < items.length; at += 1) {
    const placed = items[at];
    if (placed === undefined) break;
    const { item, frame, spaceBefore, bookmark } = placed;
    if (item.kind === 'break') {
      isOnNewPage = true;
      continue;
    }
    const place = { frame, spaceBefore, isOnNewPage, bookmark };
    if (item.kind === 'table') {
      // Word merges adjacent tables, and only a paragraph can begin a page.
      if (isAfterTable || isOnNewPage) blocks.push(gapBlock(isOnNewPage));
      else if (spaceBefore > 4 && blocks.length > 0) blocks.push(gapBlock(false));
      blocks.push(tableBlock(item, place, context));
    } else if (item.kind === 'picture') {
      const beside = picturesBeside(items, at);
      at += beside.length - 1;
      blocks.push(pictureBlock(beside, place, context));
    } else {
      blocks.push(textBlock(item, place, context, placed));
    }
    isAfterTable = item.kind === 'table';
    isOnNewPage = false;
  }
  if (isAfterTable) blocks.push(gapBlock(false));
  return blocks;
}

/** Returns a paragraph of the least height. */
function gapBlock(pageBreakBefore: boolean): Paragraph {
  const size = 2;
  return new Paragraph({
    children: [],
    run: { size: 2 * size },
    spacing: { before: 0, after: 0 },
    pageBreakBefore,
  });
}

/** Returns consecutive pictures at one height. */
function picturesBeside(items: readonly PlacedItem[], from: number): FlowPicture[] {
  const pictures: FlowPicture[] = [];
  for (const { item } of items.slice(from)) {
    if (item.kind !== 'picture') break;
    const last = pictures.at(-1);
    const isBeside =
      last === undefined ||
      verticalOverlap(last.box, item.box) >
        0.5 * Math.min(boxHeight(last.box), boxHeight(item.box));
    if (!isBeside) break;
    pictures.push(item);
  }
  return pictures.sort((a, b) => a.box.left - b.box.left);
}
