/**
 * PDF → PDF: removes the text objects of translated paragraphs and writes the translations in their place.
 */
import { PDFDict, PDFDocument, PDFName, type PDFPage, type PDFRef } from '@cantoo/pdf-lib';
import { type LanguageTag, textDirection } from '../../../../shared/language.ts';
import { countCodePoints } from '../../../text/code-points.ts';
import {
  hasLetters,
  isSameSegment,
  plainText,
  type TextSegment,
} from '../../../text/text-segment.ts';
import { chooseFonts, type InstalledFont, listFonts } from '../fonts/font-choice.ts';
import { type OpenFont, openFont } from '../fonts/shaped-text.ts';
import { checkLength, DocumentError, type OpenedDocument } from '../format.ts';
import {
  dropScripts,
  dropStructure,
  readTitles,
  setLanguage,
  sweep,
  type Titles,
  translateOutline,
} from './document-details.ts';
import { embedFont, type EmbeddedFont } from './embedded-font.ts';
import { identityMatrix, multiply, invert, type Matrix } from './geometry.ts';
import { type DrawnText, drawParagraphs, type Pen, type Redrawing } from './page-redrawing.ts';
import { moveLinks } from './page-links.ts';
import type { Page, PageParagraph } from './page-model.ts';
import { LOAD_OPTIONS, type PdfFile, SAVE_OPTIONS } from './pdfium.ts';
import { type PageToRedraw, readPagesForRedrawing } from './page-to-redraw.ts';
import { textOfParagraph, blocksOf, translatableParagraphs } from './paragraph-segments.ts';
import { packStream, unpackContents } from './content-stream.ts';
import { removeText, type Removal, withForms } from './text-removal.ts';
import type { ScannedPages, PageCover } from './scanned.ts';
import { decorationsIn } from './text-rules.ts';

/**
 * Takes ownership of an open file whose pages have been read; `write` closes it when it ends.
 * @param pages pages as they are in the file
 * @param scanned pages with the text that was recognised on them
 */
export function openRedraw({
  file,
  pdf,
  pages,
  scanned,
  maxCharacters,
}: {
  file: Uint8Array;
  pdf: PdfFile;
  pages: readonly Page[];
  scanned: ScannedPages | undefined;
  maxCharacters: number;
}): OpenedDocument {
  // The fonts are listed while the text is being translated; `write` awaits the promise and reports a
  // failure.
  const fonts = listFonts();
  fonts.catch(() => undefined);
  const titles = readTitles(pdf);
  const blocks = blocksOf(scanned?.pages ?? pages, titles);
  const characters = blocks.reduce((sum, { segment }) => {
    return sum + countCodePoints(plainText(segment));
  }, 0);
  checkLength(characters, maxCharacters);
  return {
    blocks,
    characters,
    async write(translated, { target }) {
      try {
        return await redraw({ file, pdf, titles, pages, scanned, fonts, translated, target });
      } finally {
        pdf.close();
      }
    },
  };
}

async function redraw({
  file,
  pdf,
  titles,
  pages: asRead,
  scanned,
  fonts: listed,
  translated,
  target,
}: {
  file: Uint8Array;
  pdf: PdfFile;
  titles: Titles;
  pages: readonly Page[];
  scanned: ScannedPages | undefined;
  fonts: Promise<readonly InstalledFont[]>;
  translated: readonly TextSegment[];
  target: LanguageTag;
}): Promise<Uint8Array> {
  const document = await loadDocument(file, pdf);
  const isRightToLeft = textDirection(target) === 'rtl';
  const fonts = documentFonts(document);
  const choice = chooseFonts(await listed, target);
  const pen: Pen = { ...fonts, language: target, isRightToLeft, fonts: choice };
  const changedForms: Removal['changedForms'] = new Map();
  const pages = document.getPages();
  let next = 0;
  let hasChanged = false;
  for (const read of readPagesForRedrawing(pdf, asRead)) {
    const { index } = read.page;
    const turnedBack = scanned?.turnedBack(index) ?? identityMatrix;
    const view = multiply(read.view, turnedBack);
    const recognised = scanned?.covers(index) === undefined ? undefined : scanned.pages[index];
    const toRedraw = { ...read, page: recognised ?? read.page, view };
    const count = translatableParagraphs(toRedraw.page).length;
    const answers = translated.slice(next, next + count);
    next += count;
    const page = pages[index];
    if (page === undefined) continue;
    const answered = answersOf(toRedraw.page, answers);
    const covers = scanned?.covers(index)?.filter(({ paragraph }) => answered.has(paragraph));
    const cover = covers && (await drawCovers({ covers, target: page, view }));
    if (answered.size === 0) continue;
    hasChanged = true;
    redrawPage({ toRedraw, target: page, answered, pen, changedForms, cover });
  }
  writeTitles({ document, titles, translated: translated.slice(next) });
  fonts.finish();
  if (hasChanged) dropStructure(document);
  setLanguage(document, { language: target, isRightToLeft });
  dropScripts(document);
  sweep(document.context);
  return document.save(SAVE_OPTIONS);
}

/** Loads a file with pdf-lib; PDFium first rewrites damaged and encrypted files. */
async function loadDocument(file: Uint8Array, pdf: PdfFile): Promise<PDFDocument> {
  if (!pdf.isEncrypted) {
    try {
      const document = await PDFDocument.load(file, LOAD_OPTIONS);
      if (document.getPages().length === pdf.pageCount) return document;
    } catch {
      // PDFium may be able to repair a file that pdf-lib cannot read.
    }
  }
  try {
    const document = await PDFDocument.load(pdf.rewritten(), LOAD_OPTIONS);
    document.getPages();
    return document;
  } catch (error) {
    throw new DocumentError('The PDF file is damaged. Save it anew in a PDF program and retry.', {
      cause: error,
    });
  }
}

/** The font caches of a document: each font is opened and embedded once. */
function documentFonts({ context }: PDFDocument): Pick<Pen, 'openFont' | 'embedded'> & {
  finish(): void;
} {
  const files = new Map<string, Uint8Array>();
  const open = new Map<InstalledFont, OpenFont>();
  const embedded = new Map<OpenFont, EmbeddedFont>();
  return {
    openFont(installed) {
      let font = open.get(installed);
      if (font === undefined) open.set(installed, (font = openFont(installed, files)));
      return font;
    },
    embedded(font) {
      let known = embedded.get(font);
      if (known === undefined) {
        known = embedFont({ context, open: font, number: embedded.size + 1 });
        embedded.set(font, known);
      }
      return known;
    },
    finish() {
      for (const font of embedded.values()) font.finish();
    },
  };
}

function redrawPage({
  toRedraw: { page, view, places, pictures, drawings, panels },
  target,
  answered,
  pen,
  changedForms,
  cover,
}: {
  toRedraw: PageToRedraw;
  target: PDFPage;
  answered: ReadonlyMap<PageParagraph, TextSegment>;
  pen: Pen;
  changedForms: Removal['changedForms'];
  cover: DrawnCovers | undefined;
}): void {
  const { context } = target.doc;
  const resources = target.node.Resources();
  const bytes = unpackContents(target.node.Contents());
  const plan = planRedrawing({ page, answered, pen });
  const { textRules = [] } = page;
  const rulesOf = (redrawn: readonly Redrawing[]): ReturnType<typeof decorationsIn> =>
    decorationsIn({ bytes, view, textRules, paragraphs: redrawn.map((one) => one.paragraph) });
  let edits = rulesOf(plan.redrawings);
  const remove = (isRemoved: (index: number) => boolean): ReturnType<typeof removeText> =>
    removeText({ context, places, isRemoved, changedForms }, { bytes, resources, edits });
  let removed = remove((index) => plan.removed.has(index));
  let redrawings: readonly Redrawing[] = plan.redrawings;
  if (removed.count !== places.length) {
    // pdf-lib and PDFium count different text objects on this page, so all of its text is removed and
    // redrawn.
    redrawings = planAll(page, answered);
    edits = rulesOf(redrawings);
    removed = remove(() => true);
  }
  const drawn = drawParagraphs({
    page,
    view,
    redrawings,
    pictures,
    panels,
    pen,
    drawings: cover === undefined ? drawings : undefined,
    drawsRules: edits.length > 0,
  });
  const before = 'q\n'.repeat(1 + removed.excessRestores);
  const covered = cover?.operators ?? '';
  const after = `\n${'Q\n'.repeat(1 + removed.openStates)}${covered}${drawn.operators}`;
  const content = Buffer.concat([Buffer.from(before), removed.bytes, Buffer.from(after)]);
  target.node.set(PDFName.of('Contents'), packStream({ context, bytes: content }));
  const forms = new Map([...removed.forms, ...(cover?.images ?? [])]);
  const all = withForms(context, resources, forms);
  target.node.set(PDFName.of('Resources'), withNewText({ target, resources: all, drawn }));
  moveLinks({ target, links: drawn.links, view });
}

/** Returns the translations that differ from their originals, by paragraph. */
function answersOf(page: Page, answers: readonly TextSegment[]): Map<PageParagraph, TextSegment> {
  const answered = new Map<PageParagraph, TextSegment>();
  for (const [at, { paragraph, text }] of translatableParagraphs(page).entries()) {
    const answer = answers[at];
    if (answer === undefined || isSameSegment(answer, text.segment)) continue;
    answered.set(paragraph, answer);
  }
  return answered;
}

/**
 * Decides which text objects to remove and which paragraphs to redraw, including neighbours that share a text
 * object with a translated paragraph.
 */
function planRedrawing({
  page,
  answered,
  pen,
}: {
  page: Page;
  answered: ReadonlyMap<PageParagraph, TextSegment>;
  pen: Pen;
}): { removed: Set<number>; redrawings: Redrawing[] } {
  const removed = new Set<number>();
  const chosen = new Set(answered.keys());
  for (const { textObjects, markerObjects } of chosen) {
    for (const index of textObjects) removed.add(index);
    if (pen.isRightToLeft) for (const index of markerObjects) removed.add(index);
  }
  for (let size = -1; size !== chosen.size;) {
    size = chosen.size;
    for (const paragraph of page.paragraphs) {
      const { textObjects, markerObjects } = paragraph;
      const isTouched = [...textObjects, ...markerObjects].some((index) => removed.has(index));
      if (!isTouched || chosen.has(paragraph)) continue;
      chosen.add(paragraph);
      for (const index of textObjects) removed.add(index);
    }
  }
  for (const { markerObjects } of chosen) {
    if (markerObjects.some((index) => removed.has(index))) {
      for (const index of markerObjects) removed.add(index);
    }
  }
  const redrawings = [...chosen].map((paragraph) => {
    const withMarker = paragraph.markerObjects.some((index) => removed.has(index));
    return redrawingOf({ paragraph, answered, withMarker });
  });
  return { removed, redrawings };
}

function planAll(page: Page, answered: ReadonlyMap<PageParagraph, TextSegment>): Redrawing[] {
  return page.paragraphs.map((paragraph) => redrawingOf({ paragraph, answered, withMarker: true }));
}

function redrawingOf({
  paragraph,
  answered,
  withMarker,
}: {
  paragraph: PageParagraph;
  answered: ReadonlyMap<PageParagraph, TextSegment>;
  withMarker: boolean;
}): Redrawing {
  const text = textOfParagraph(paragraph);
  const translated = answered.get(paragraph) ?? text.segment;
  return { paragraph, text, translated, withMarker };
}

/**
 * Returns a copy of the resources with the fonts and graphics states of the new text; pages may share the
 * original.
 */
function withNewText({
  target,
  resources,
  drawn: { fonts, states },
}: {
  target: PDFPage;
  resources: PDFDict | undefined;
  drawn: Pick<DrawnText, 'fonts' | 'states'>;
}): PDFDict {
  const { context } = target.doc;
  const copy = resources?.clone(context) ?? PDFDict.withContext(context);
  const part = (key: string): PDFDict => {
    const known = copy.lookup(PDFName.of(key));
    return known instanceof PDFDict ? known.clone(context) : PDFDict.withContext(context);
  };
  const dict = part('Font');
  for (const { name, ref } of fonts) dict.set(PDFName.of(name), ref);
  copy.set(PDFName.of('Font'), dict);
  if (states.size === 0) return copy;
  const graphics = part('ExtGState');
  for (const [name, opacity] of states) {
    graphics.set(PDFName.of(name), context.obj({ Type: 'ExtGState', ca: opacity }));
  }
  copy.set(PDFName.of('ExtGState'), graphics);
  return copy;
}

function writeTitles({
  document,
  titles,
  translated,
}: {
  document: PDFDocument;
  titles: Titles;
  translated: readonly TextSegment[];
}): void {
  const answers = translated.map((segment) =>
    segment.filter((part) => typeof part === 'string').join(''),
  );
  const outline = titles.outline.map((title) => (hasLetters(title) ? answers.shift() : undefined));
  if (outline.some((title) => title !== undefined)) translateOutline(document, outline);
  const title = answers.shift();
  if (title !== undefined && titles.document !== undefined) document.setTitle(title);
}

// Covers: pictures that hide the old text of a scan.

/** Operators that draw pictures, and the pictures by their names in the resources. */
interface DrawnCovers {
  operators: string;
  images: ReadonlyMap<string, PDFRef>;
}

/** Embeds covers in a file; `view` is the matrix from the file to the page as displayed. */
async function drawCovers({
  covers,
  target,
  view,
}: {
  covers: readonly PageCover[];
  target: PDFPage;
  view: Matrix;
}): Promise<DrawnCovers | undefined> {
  const back = invert(view);
  if (back === undefined) return undefined;
  const images = new Map<string, PDFRef>();
  let operators = '';
  for (const { box, png } of covers) {
    const image = await target.doc.embedPng(png);
    await image.embed();
    const name = `DgCover${images.size + 1}`;
    images.set(name, image.ref);
    const { left, bottom, right, top } = box;
    const place: Matrix = [right - left, 0, 0, top - bottom, left, bottom];
    const matrix = multiply(place, back).map((value) => value.toFixed(4));
    operators += `q ${matrix.join(' ')} cm /${name} Do Q\n`;
  }
  return { operators, images };
}
