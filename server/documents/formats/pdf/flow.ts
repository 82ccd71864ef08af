/** PDF → docx: the pages become one flowing document. */
import { type LanguageTag, textDirection } from '../../../../shared/language.ts';
import { plainText } from '../../../text/text-segment.ts';
import type { DocumentBlock, OpenedDocument, OpenOptions } from '../format.ts';
import { writeFlow } from './flow-document.ts';
import { type PageGraphics, readGraphics } from './flow-graphics.ts';
import { readableItems } from './flow-ground.ts';
import { rankHeadings } from './flow-headings.ts';
import { findLists } from './flow-lists.ts';
import { findLooks } from './flow-looks.ts';
import type { FlowDocument, FlowText, PageItem, RunningLines, TextPiece } from './flow-model.ts';
import { takeNotes } from './flow-notes.ts';
import { pageItems, pageParts } from './flow-page.ts';
import { findRunningText } from './flow-running.ts';
import { type ItemPage, sectionsOf } from './flow-sections.ts';
import { piecesOfSegment, type SegmentedText, segmented } from './flow-segments.ts';
import { withoutWatermarks } from './flow-watermarks.ts';
import type { Page } from './page-model.ts';
import { drawGroups } from './page-picture.ts';
import type { PdfFile } from './pdfium.ts';

export interface FlowSource {
  /** Needed until the promise is resolved. */
  file: PdfFile;
  pages: readonly Page[];
  /** Of the text, in Unicode code points. */
  characters: number;
  options: Pick<OpenOptions, 'source'>;
}

const NOTHING: PageGraphics = { rules: [], fills: [], images: [], drawings: [], links: [] };
/** Of pictures that are kept until the document is written; more are left out. */
const MAX_PICTURE_BYTES = 120_000_000;

/**
 * Opens the pages of a PDF for a flowing document: headings, lists, tables, pictures, columns, notes
 * and links as Word has them, and nothing bound to its place on a page but headers and footers.
 */
export async function openFlow(source: FlowSource): Promise<OpenedDocument> {
  const document = await readFlow(source);
  const texts = [...textsOf(document)];
  const segments = new Map(texts.map((text) => [text, segmented(text)]));
  const told = texts.filter((text) => isTold(segments.get(text)));
  const blocks = told.map((text): DocumentBlock => {
    const kind = text.headingLevel === undefined ? 'paragraph' : 'unit';
    return { segment: segments.get(text)?.segment ?? [], kind };
  });
  return {
    blocks,
    characters: source.characters,
    write: (translated, languages) => {
      const pieces = new Map<FlowText, readonly TextPiece[]>();
      for (const [index, text] of told.entries()) {
        const own = segments.get(text);
        const segment = translated[index];
        if (own !== undefined && segment !== undefined)
          pieces.set(text, piecesOfSegment(segment, own));
      }
      return write(document, { pieces, languages });
    },
  };
}

function isTold(text: SegmentedText | undefined): boolean {
  return text !== undefined && /\p{L}/u.test(plainText(text.segment));
}

async function readFlow({ file, pages: all }: FlowSource): Promise<FlowDocument> {
  const pages = all.map(withoutWatermarks);
  const graphics = pages.map((page) => file.withPage(page.index, readGraphics) ?? NOTHING);
  const places = pages.map(({ index }, at) => ({
    pageIndex: index,
    graphics: graphics[at] ?? NOTHING,
  }));
  const running = findRunningText(pages, places);
  const itemPages: ItemPage[] = [];
  const notes = new Map<number, FlowText>();
  let pictureBytes = 0;
  for (const [at, page] of pages.entries()) {
    const own = { page, graphics: graphics[at] ?? NOTHING, running: running.paragraphs };
    const { tables, drawings } = pageParts(own);
    const isRoom = pictureBytes < MAX_PICTURE_BYTES;
    const pictures = isRoom ? await drawGroups(file, page.index, drawings) : [];
    for (const { bytes } of pictures) pictureBytes += bytes.length;
    const items = pageItems({ ...own, tables, pictures });
    const noted = takeNotes({
      items: readableItems(items, { file, pageIndex: page.index }),
      page,
      rules: own.graphics.rules,
      firstNumber: notes.size + 1,
    });
    for (const { number, text } of noted.notes) notes.set(number, text);
    itemPages.push({ page, items: noted.items });
  }
  return { ...running, sections: sectionsOf(rankHeadings(itemPages)), notes };
}

/** All paragraphs in the order in which they are told. */
function* textsOf({ header, footer, sections, notes }: FlowDocument): Generator<FlowText> {
  yield* runningTexts(header);
  for (const { items } of sections) {
    for (const { item } of items) if (item.kind !== 'break') yield* textsOfItem(item);
  }
  yield* notes.values();
  yield* runningTexts(footer);
}

function* runningTexts({ default: usual, even = [] }: RunningLines): Generator<FlowText> {
  for (const { left, center, right } of [...usual, ...even]) {
    for (const text of [left, center, right]) if (text !== undefined) yield text;
  }
}

function* textsOfItem(item: PageItem): Generator<FlowText> {
  if (item.kind === 'text') yield item;
  if (item.kind !== 'table') return;
  for (const row of item.rows) {
    for (const { items } of row) {
      for (const one of items) if (one.kind === 'text') yield one;
    }
  }
}

async function write(
  document: FlowDocument,
  {
    pieces,
    languages: { source, target },
  }: {
    pieces: ReadonlyMap<FlowText, readonly TextPiece[]>;
    languages: { source: LanguageTag; target: LanguageTag };
  },
): Promise<Uint8Array> {
  const texts = [...textsOf(document)];
  const bookmarks = new Set(
    texts.flatMap((text) =>
      text.pieces.flatMap(({ look: { link } }) =>
        link !== undefined && 'pageIndex' in link ? [link.pageIndex] : [],
      ),
    ),
  );
  return writeFlow(document, {
    language: target,
    context: {
      looks: findLooks(texts),
      lists: findLists(document.sections.flatMap(({ items }) => items)),
      bookmarks,
      piecesOf: (text) => pieces.get(text) ?? text.pieces,
      isSourceRightToLeft: textDirection(source) === 'rtl',
      isTargetRightToLeft: textDirection(target) === 'rtl',
    },
  });
}
