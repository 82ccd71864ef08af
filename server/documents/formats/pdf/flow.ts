/** PDF → docx: turns the pages into one flowing document. */
import { type LanguageTag, textDirection } from '../../../../shared/language.ts';
import { hasLetters, type TextSegment } from '../../../text/text-segment.ts';
import type { DocumentBlock, OpenedDocument, OpenOptions } from '../format.ts';
import { writeFlow } from './flow-document.ts';
import { type PageGraphics, readGraphics, type Rule } from './flow-graphics.ts';
import { findLists } from './flow-lists.ts';
import type {
  FlowDocument,
  FlowText,
  PageItem,
  RunningLines,
  TextLook,
  TextPiece,
} from './flow-model.ts';
import { pageItems, pageParts, readableItems } from './flow-page.ts';
import { findRunningText } from './flow-running.ts';
import { findLooks } from './flow-runs.ts';
import { type ItemPage, sectionsOf } from './flow-sections.ts';
import { append, sameLook } from './flow-text.ts';
import type { Page, PageParagraph, TextStyle } from './page-model.ts';
import { drawGroups } from './page-picture.ts';
import type { PdfFile } from './pdfium.ts';

interface FlowSource {
  /** Used only until the promise resolves. */
  file: PdfFile;
  pages: readonly Page[];
  /** Length of the text, in Unicode code points. */
  characters: number;
  options: Pick<OpenOptions, 'source'>;
}

const NOTHING: PageGraphics = { rules: [], fills: [], images: [], drawings: [], links: [] };
/**
 * Total size of the pictures kept until the document is written, in bytes; the pages after that lose theirs.
 */
const MAX_PICTURE_BYTES = 120_000_000;

/**
 * Opens the pages of a PDF as a flowing document with Word's own headings, lists, tables, pictures, columns,
 * notes and links. Only headers and footers keep a fixed place on the page.
 */
export async function openFlow(source: FlowSource): Promise<OpenedDocument> {
  const document = await readFlow(source);
  const texts = [...textsOf(document)];
  const segments = new Map(texts.map((text) => [text, segmented(text)]));
  const translatable = texts.filter((text) => hasLetters(segments.get(text)?.segment ?? []));
  const blocks = translatable.map((text): DocumentBlock => {
    const kind = text.headingLevel === undefined ? 'paragraph' : 'unit';
    return { segment: segments.get(text)?.segment ?? [], kind };
  });
  return {
    blocks,
    characters: source.characters,
    write: (translated, languages) => {
      const pieces = new Map<FlowText, readonly TextPiece[]>();
      for (const [index, text] of translatable.entries()) {
        const own = segments.get(text);
        const segment = translated[index];
        if (own !== undefined && segment !== undefined)
          pieces.set(text, piecesOfSegment(segment, own));
      }
      return write(document, { pieces, languages });
    },
  };
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

/** Yields all paragraphs in the order of their blocks. */
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

// Heading levels, ranked from the largest to the smallest size in the document.

const MAX_LEVEL = 6;
/** Maximum difference between sizes that count as equal, in half points. */
const SAME_SIZE = 1;

/**
 * Gives headings the levels 1, 2, 3… without gaps. This needs the whole document: a single page does not show
 * whether other pages have larger headings.
 */
function rankHeadings(pages: readonly ItemPage[]): ItemPage[] {
  const sizes = new Set<number>();
  for (const { items } of pages) {
    for (const item of items) {
      if (item.kind === 'text' && item.headingLevel !== undefined) sizes.add(sizeOf(item));
    }
  }
  const levels = new Map<number, number>();
  let level = 0;
  let last = Infinity;
  for (const size of [...sizes].sort((a, b) => b - a)) {
    if (last - size > SAME_SIZE) {
      level = Math.min(MAX_LEVEL, level + 1);
      last = size;
    }
    levels.set(size, level);
  }
  return pages.map(({ page, items }) => ({
    page,
    items: items.map((item) => {
      if (item.kind !== 'text' || item.headingLevel === undefined) return item;
      return { ...item, headingLevel: levels.get(sizeOf(item)) };
    }),
  }));
}

function sizeOf({ pieces }: FlowText): number {
  return pieces[0]?.look.size ?? 0;
}

// Watermarks: large text across the page that is slanted or translucent.

/** Smaller text is a label of a drawing. */
const MIN_SIZE_POINTS = 24;
/** Minimum size, as a multiple of the most frequent size on the page. */
const MIN_SIZE_FACTOR = 1.8;
/** Text of a lower opacity leaves the text beneath it legible. */
const MAX_OPACITY = 0.6;
/** Text turned by a multiple of this is a label at the side, not a watermark. */
const QUARTER_DEGREES = 90;
const SLANT_DEGREES = 5;

/** Removes the watermarks from a page: in the flow they would become headings amid the text. */
function withoutWatermarks(page: Page): Page {
  const usual = usualSize(page);
  const marks = page.paragraphs.filter((one) => isWatermark(one, usual));
  if (marks.length === 0) return page;
  return { ...page, paragraphs: page.paragraphs.filter((one) => !marks.includes(one)) };
}

function isWatermark(paragraph: PageParagraph, usualPoints: number): boolean {
  const [style] = paragraph.lines.flatMap(({ runs }) => runs.map((run) => run.style));
  if (style === undefined || style.sizePoints < MIN_SIZE_POINTS) return false;
  if (style.sizePoints < MIN_SIZE_FACTOR * usualPoints) return false;
  const slant = Math.abs(paragraph.rotation) % QUARTER_DEGREES;
  const isSlanted = Math.min(slant, QUARTER_DEGREES - slant) > SLANT_DEGREES;
  return isSlanted || opacityOf(style) < MAX_OPACITY;
}

function opacityOf(style: TextStyle): number {
  return style.opacity ?? 1;
}

/** Returns the size of most characters on a page, in points. */
function usualSize({ paragraphs }: Page): number {
  const counts = new Map<number, number>();
  for (const { lines } of paragraphs) {
    for (const { text, style } of lines.flatMap(({ runs }) => runs)) {
      const size = Math.round(style.sizePoints);
      counts.set(size, (counts.get(size) ?? 0) + text.length);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

// Footnotes: paragraphs at the foot of a page that begin with a label to which its text refers.

/** A page without its footnotes, and the footnotes with their numbers in the whole document. */
interface NotedItems {
  items: PageItem[];
  notes: { number: number; text: FlowText }[];
}

const LABEL = /^(?:\d{1,3}|[*†‡§]{1,3})$/;
const LABEL_BEFORE_TEXT = /^(\d{1,3}|[*†‡§]{1,3})\s*(?=[\p{L}"'“‘«(\[])/u;
/** A line of at least this share of the page's width is no footnote separator. */
const MAX_SEPARATOR_SHARE = 0.5;

/**
 * Takes the footnotes that the page refers to out of its items.
 * @param firstNumber number of the document's next footnote
 */
function takeNotes({
  items,
  page,
  rules,
  firstNumber,
}: {
  items: readonly PageItem[];
  page: { width: number; height: number };
  rules: readonly Rule[];
  firstNumber: number;
}): NotedItems {
  const labels = new Set(items.flatMap(referencesIn));
  const size = bodySize(items);
  const foot = separatorHeight(rules, page);
  const rest: PageItem[] = [];
  const notes: NotedItems['notes'] = [];
  const numbers = new Map<string, number>();
  for (const item of items) {
    const label = item.kind === 'text' ? noteLabel(item, size, foot) : undefined;
    if (item.kind === 'text' && label !== undefined && labels.has(label) && !numbers.has(label)) {
      const number = firstNumber + notes.length;
      numbers.set(label, number);
      notes.push({ number, text: withoutLabel(item) });
    } else {
      rest.push(item);
    }
  }
  if (notes.length === 0) return { items: rest, notes };
  return { items: rest.map((item) => withReferences(item, numbers)), notes };
}

function referencesIn(item: PageItem): string[] {
  if (item.kind !== 'text') return [];
  return item.pieces
    .slice(1)
    .filter(isReference)
    .map(({ text }) => text.trim());
}

function isReference({ text, look }: TextPiece): boolean {
  return look.position === 'superscript' && LABEL.test(text.trim());
}

/** Returns the size of most characters, in half points. */
function bodySize(items: readonly PageItem[]): number {
  const counts = new Map<number, number>();
  for (const item of items) {
    if (item.kind !== 'text') continue;
    for (const { text, look } of item.pieces) {
      counts.set(look.size, (counts.get(look.size) ?? 0) + text.length);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}

/** Returns the label that a footnote begins with; undefined for other paragraphs. */
function noteLabel(
  { pieces, marker, box }: FlowText,
  size: number,
  foot: number,
): string | undefined {
  const [first, second] = pieces;
  // A label without a text, such as a subscript that stands alone, is no note.
  const isLone = second === undefined && LABEL.test(first?.text.trim() ?? '');
  if (first === undefined || isLone) return undefined;
  if (isReference(first)) return first.text.trim();
  if (first.look.size >= size && box.top > foot) return undefined;
  const label = LABEL_BEFORE_TEXT.exec(first.text)?.[1] ?? marker?.text.replace(/[.)]$/, '');
  return label ?? (LABEL.test(first.text.trim()) ? first.text.trim() : undefined);
}

/** Returns the height of the topmost footnote separator; 0 without one. */
function separatorHeight(
  rules: readonly Rule[],
  { width, height }: { width: number; height: number },
): number {
  const separators = rules.filter(
    ({ direction, from, to, at }) =>
      direction === 'horizontal' &&
      to - from > 20 &&
      to - from < MAX_SEPARATOR_SHARE * width &&
      at < height / 2,
  );
  return Math.max(0, ...separators.map(({ at }) => at));
}

function withoutLabel(text: FlowText): FlowText {
  const [first, ...others] = text.pieces;
  if (first === undefined) return text;
  const isLabel = isReference(first) || LABEL.test(first.text.trim());
  const kept = isLabel
    ? others
    : [{ ...first, text: first.text.replace(LABEL_BEFORE_TEXT, '') }, ...others];
  const [start, ...rest] = kept;
  const pieces = start === undefined ? [] : [{ ...start, text: start.text.trimStart() }, ...rest];
  return { ...text, pieces, marker: undefined, headingLevel: undefined, firstIndent: 0 };
}

function withReferences(item: PageItem, numbers: ReadonlyMap<string, number>): PageItem {
  if (item.kind !== 'text') return item;
  const pieces = item.pieces.map((piece, index): TextPiece => {
    const number = index > 0 && isReference(piece) ? numbers.get(piece.text.trim()) : undefined;
    return number === undefined ? piece : { ...piece, look: { ...piece.look, note: number } };
  });
  return { ...item, pieces };
}

// Conversion of paragraphs to segments, and of translated segments back to pieces.

/** A paragraph's text with the looks that its marks stand for. */
interface SegmentedText {
  segment: TextSegment;
  /** The look of unmarked text: that of most of the paragraph. */
  base: TextLook;
  /** Pieces by the id of their mark. */
  looks: ReadonlyMap<number, TextPiece>;
}

/**
 * Makes bare text of the pieces in the most frequent look and encloses the others in marks; notes and fields
 * become lone marks.
 */
function segmented({ pieces }: Pick<FlowText, 'pieces'>): SegmentedText {
  const base = commonestLook(pieces);
  const looks = new Map<number, TextPiece>();
  const segment: TextSegment[number][] = [];
  const addText = (text: string): void => {
    if (text === '') return;
    const last = segment.at(-1);
    if (typeof last === 'string') segment[segment.length - 1] = last + text;
    else segment.push(text);
  };
  for (const piece of pieces) {
    const { text, look } = piece;
    const isLone = look.note !== undefined || look.field !== undefined;
    if (!isLone && sameLook(look, base)) {
      addText(text);
      continue;
    }
    const id = looks.size + 1;
    looks.set(id, piece);
    if (isLone) {
      segment.push({ mark: 'lone', id });
      continue;
    }
    // Spaces at either end stay outside the marks, so that no engine has to preserve them.
    const inner = text.trim();
    const at = text.indexOf(inner);
    addText(text.slice(0, at));
    segment.push({ mark: 'open', id }, inner, { mark: 'close', id });
    addText(text.slice(at + inner.length));
  }
  return { segment, base, looks };
}

function commonestLook(pieces: readonly TextPiece[]): TextLook {
  const counts: { look: TextLook; characters: number }[] = [];
  for (const { text, look } of pieces) {
    if (look.note !== undefined || look.field !== undefined) continue;
    const known = counts.find((one) => sameLook(one.look, look));
    if (known === undefined) counts.push({ look, characters: text.length });
    else known.characters += text.length;
  }
  counts.sort((a, b) => b.characters - a.characters);
  const [most] = counts;
  if (most !== undefined) return most.look;
  const [first] = pieces;
  if (first === undefined) throw new RangeError('A paragraph without text has no look.');
  return { ...first.look, note: undefined, field: undefined };
}

/** Returns the pieces of a translated segment. */
function piecesOfSegment(segment: TextSegment, { base, looks }: SegmentedText): TextPiece[] {
  const pieces: TextPiece[] = [];
  const open: number[] = [];
  for (const part of segment) {
    if (typeof part === 'string') {
      const around = open.at(-1);
      const look = around === undefined ? base : (looks.get(around)?.look ?? base);
      append(pieces, part, look);
    } else if (part.mark === 'open') {
      open.push(part.id);
    } else if (part.mark === 'close') {
      open.pop();
    } else {
      const lone = looks.get(part.id);
      if (lone !== undefined) append(pieces, lone.text, lone.look);
    }
  }
  return pieces;
}
