/** The parts of a PDF file besides its pages: titles, language, outline, scripts and structure. */
import {
  PDFArray,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFRef,
  PDFStream,
  PDFString,
  type PDFContext,
  type PDFDocument,
  type PDFObject,
} from '@cantoo/pdf-lib';

import type { PdfFile } from './pdfium.ts';

/** Maximum number of items of an outline; longer ones are cut off, as nobody reads them. */
const MAX_OUTLINE_ITEMS = 5_000;
const MAX_OUTLINE_DEPTH = 32;
const MAX_TITLE_BYTES = 4_096;

/** Titles that programs derive from file names. */
const fileName = /\.[a-z]{2,5}$|^Microsoft (Word|PowerPoint|Excel) - |^untitled/i;

/** The titles of a file: those of its outline in order, and its own unless that is a file name. */
export interface Titles {
  outline: string[];
  document: string | undefined;
}

/** Reads the titles with PDFium. */
export function readTitles({ pdfium, document }: Pick<PdfFile, 'pdfium' | 'document'>): Titles {
  const { malloc, free } = pdfium.pdfium.wasmExports;
  const at = malloc(MAX_TITLE_BYTES);
  const text = (sizeBytes: number): string =>
    sizeBytes < 4 || sizeBytes > MAX_TITLE_BYTES ? '' : pdfium.pdfium.UTF16ToString(at);
  const outline: string[] = [];
  const seen = new Set<number>();
  const visit = (parent: number, depth: number): void => {
    let item = pdfium.FPDFBookmark_GetFirstChild(document, parent);
    while (item !== 0 && !seen.has(item) && outline.length < MAX_OUTLINE_ITEMS) {
      seen.add(item);
      outline.push(text(pdfium.FPDFBookmark_GetTitle(item, at, MAX_TITLE_BYTES)));
      if (depth < MAX_OUTLINE_DEPTH) visit(item, depth + 1);
      item = pdfium.FPDFBookmark_GetNextSibling(document, item);
    }
  };
  visit(0, 0);
  const title = text(pdfium.FPDF_GetMetaText(document, 'Title', at, MAX_TITLE_BYTES)).trim();
  free(at);
  return { outline, document: title === '' || fileName.test(title) ? undefined : title };
}

/** Replaces the titles of the outline, in order; undefined keeps a title. */
export function translateOutline(pdf: PDFDocument, titles: readonly (string | undefined)[]): void {
  const outlines = pdf.catalog.lookup(PDFName.of('Outlines'));
  const seen = new Set<PDFDict>();
  let next = 0;
  const visit = (parent: PDFDict, depth: number): void => {
    let item = parent.lookup(PDFName.of('First'));
    while (item instanceof PDFDict && !seen.has(item) && next < titles.length) {
      seen.add(item);
      const title = titles[next];
      next += 1;
      if (title !== undefined) item.set(PDFName.of('Title'), PDFHexString.fromText(title));
      if (depth < MAX_OUTLINE_DEPTH) visit(item, depth + 1);
      item = item.lookup(PDFName.of('Next'));
    }
  };
  if (outlines instanceof PDFDict) visit(outlines, 0);
}

/** Sets the language of the document. */
export function setLanguage(
  pdf: PDFDocument,
  { language, isRightToLeft }: { language: string; isRightToLeft: boolean },
): void {
  const { context, catalog } = pdf;
  catalog.set(PDFName.of('Lang'), PDFString.of(language));
  if (!isRightToLeft) return;
  const known = catalog.lookup(PDFName.of('ViewerPreferences'));
  const preferences = known instanceof PDFDict ? known : PDFDict.withContext(context);
  preferences.set(PDFName.of('Direction'), PDFName.of('R2L'));
  catalog.set(PDFName.of('ViewerPreferences'), preferences);
}

/** Removes the logical structure, which describes the order of the old text. */
export function dropStructure(pdf: PDFDocument): void {
  pdf.catalog.delete(PDFName.of('StructTreeRoot'));
  pdf.catalog.delete(PDFName.of('MarkInfo'));
  for (const page of pdf.getPages()) page.node.delete(PDFName.of('StructParents'));
}

/** Removes all scripts from the file: a translated document runs nothing. */
export function dropScripts(pdf: PDFDocument): void {
  const names = pdf.catalog.lookup(PDFName.of('Names'));
  if (names instanceof PDFDict) names.delete(PDFName.of('JavaScript'));
  for (const [, object] of pdf.context.enumerateIndirectObjects()) {
    visitObjects(object, (value) => {
      if (value instanceof PDFDict) dropScriptsOf(value);
    });
  }
}

function dropScriptsOf(dict: PDFDict): void {
  dict.delete(PDFName.of('AA'));
  for (const key of ['A', 'OpenAction', 'Next', 'PA']) {
    const name = PDFName.of(key);
    const action = dict.has(name) ? dict.lookup(name) : undefined;
    const kind = action instanceof PDFDict ? action.lookup(PDFName.of('S')) : undefined;
    if (kind === PDFName.of('JavaScript')) dict.delete(name);
  }
  if (dict.lookup(PDFName.of('S')) === PDFName.of('JavaScript')) dict.delete(PDFName.of('JS'));
}

/** Visits an object and the objects it contains directly. */
function visitObjects(object: PDFObject, visit: (object: PDFObject) => void): void {
  const stack: PDFObject[] = [object];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    visit(at);
    if (at instanceof PDFStream) stack.push(at.dict);
    // Pushed one by one: the file determines how many there are, and a spread call is limited.
    else if (at instanceof PDFDict) for (const value of at.values()) stack.push(value);
    else if (at instanceof PDFArray) for (const value of at.asArray()) stack.push(value);
  }
}

/** Deletes unreferenced objects, so that the old text does not stay in the file. */
export function sweep(context: PDFContext): void {
  const { Root, Info, Encrypt, ID } = context.trailerInfo;
  const reached = new Set<PDFRef>();
  const stack = [Root, Info, Encrypt, ID].filter((object) => object !== undefined);
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    visitObjects(at, (value) => {
      if (!(value instanceof PDFRef) || reached.has(value)) return;
      reached.add(value);
      const target = context.lookup(value);
      if (target !== undefined) stack.push(target);
    });
  }
  for (const [ref] of context.enumerateIndirectObjects()) {
    if (!reached.has(ref)) context.delete(ref);
  }
}
