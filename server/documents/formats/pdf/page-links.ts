/**
 * The links and form fields of a page: their boxes and targets, and moving links to the new place of their
 * text.
 */
import { PDFArray, PDFDict, PDFName, type PDFPage } from '@cantoo/pdf-lib';
import { applyToBox, type Matrix, invert, union } from './geometry.ts';
import type { Box } from './page-model.ts';
import { type OpenPage, scratchRectangle } from './pdfium.ts';

/** Maximum number of links of a page; more are not meant to be clicked. */
const MAX_LINKS = 2_000;

export interface PageLink {
  box: Box;
  target: { url: string } | { pageIndex: number };
}

const GO_TO_ACTION = 1;
const URI_ACTION = 3;
const MAX_URL_BYTES = 4096;

/** Reads the links of a page, in page coordinates as displayed, except links into other files. */
export function readLinks(page: OpenPage, view: Matrix): PageLink[] {
  return [...linksOf(page, view)].flatMap(({ link, box }) => {
    const target = linkTarget(page, link);
    return box === undefined || target === undefined ? [] : [{ box, target }];
  });
}

/** Returns the boxes of a page's link annotations in order, on the page as displayed. */
export function readLinkBoxes(page: OpenPage, view: Matrix): Box[] {
  const nowhere = applyToBox(view, { left: 0, top: 0, right: 0, bottom: 0 });
  return [...linksOf(page, view)].map(({ box = nowhere }) => box);
}

/** Yields PDFium's handles of the links with their boxes; a box is undefined where the file gives none. */
function* linksOf(
  { pdfium, handle, scratch }: OpenPage,
  view: Matrix,
): Generator<{ link: number; box: Box | undefined }> {
  const at = scratch >> 2;
  let next = 0;
  for (let count = 0; count < MAX_LINKS; count += 1) {
    pdfium.pdfium.HEAPU32[at] = next;
    if (!pdfium.FPDFLink_Enumerate(handle, scratch, scratch + 4)) return;
    next = pdfium.pdfium.HEAPU32[at] ?? 0;
    const link = pdfium.pdfium.HEAPU32[at + 1] ?? 0;
    const isPlaced = pdfium.FPDFLink_GetAnnotRect(link, scratch + 8);
    const box = scratchRectangle({ pdfium, scratch }, 2);
    yield { link, box: isPlaced ? applyToBox(view, box) : undefined };
  }
}

function linkTarget(page: OpenPage, link: number): PageLink['target'] | undefined {
  const { pdfium, document } = page;
  const action = pdfium.FPDFLink_GetAction(link);
  const type = action === 0 ? 0 : pdfium.FPDFAction_GetType(action);
  if (type === URI_ACTION) {
    const url = actionUrl(page, action);
    return url === undefined ? undefined : { url };
  }
  let destination = pdfium.FPDFLink_GetDest(document, link);
  if (destination === 0 && type === GO_TO_ACTION) {
    destination = pdfium.FPDFAction_GetDest(document, action);
  }
  if (destination === 0) return undefined;
  const pageIndex = pdfium.FPDFDest_GetDestPageIndex(document, destination);
  return pageIndex < 0 ? undefined : { pageIndex };
}

/** Returns the URL of an action if its scheme is safe: no scripts, no files. */
function actionUrl({ pdfium, document }: OpenPage, action: number): string | undefined {
  const sizeBytes = pdfium.FPDFAction_GetURIPath(document, action, 0, 0);
  if (sizeBytes < 2 || sizeBytes > MAX_URL_BYTES) return undefined;
  const { malloc, free } = pdfium.pdfium.wasmExports;
  const at = malloc(sizeBytes);
  try {
    pdfium.FPDFAction_GetURIPath(document, action, at, sizeBytes);
    const url = pdfium.pdfium.UTF8ToString(at);
    return /^(https?|mailto|tel|ftp):/i.test(url) ? url : undefined;
  } finally {
    free(at);
  }
}

/** `FPDF_ANNOT_LINK` and `FPDF_ANNOT_POPUP` in `fpdf_annot.h`. */
const LINK = 2;
const POPUP = 16;

/** Returns the boxes of a page's form fields and comments, from at most {@link MAX_LINKS} annotations. */
export function readFieldBoxes({ pdfium, handle, scratch }: OpenPage, view: Matrix): Box[] {
  const boxes: Box[] = [];
  const count = Math.min(MAX_LINKS, pdfium.FPDFPage_GetAnnotCount(handle));
  for (let at = 0; at < count; at += 1) {
    const annotation = pdfium.FPDFPage_GetAnnot(handle, at);
    const type = pdfium.FPDFAnnot_GetSubtype(annotation);
    if (type !== LINK && type !== POPUP && pdfium.FPDFAnnot_GetRect(annotation, scratch)) {
      boxes.push(applyToBox(view, scratchRectangle({ pdfium, scratch })));
    }
    pdfium.FPDFPage_CloseAnnot(annotation);
  }
  return boxes;
}

/** Moves a page's link annotations; `links` maps their index to the boxes of their new text. */
export function moveLinks({
  target,
  links,
  view,
}: {
  target: PDFPage;
  links: ReadonlyMap<number, readonly Box[]>;
  view: Matrix;
}): void {
  const back = invert(view);
  if (links.size === 0 || back === undefined) return;
  const { context } = target.doc;
  for (const [index, annotation] of linkAnnotations(target).entries()) {
    const boxes = links.get(index);
    if (boxes === undefined) continue;
    const lines = byLine(boxes).map((box) => applyToBox(back, box));
    const { left, bottom, right, top } = union(lines);
    annotation.set(PDFName.of('Rect'), context.obj([left, bottom, right, top].map(rounded)));
    annotation.delete(PDFName.of('QuadPoints'));
    if (lines.length < 2) continue;
    const quads = lines.flatMap(({ left: from, right: to, top: above, bottom: below }) => {
      return [from, above, to, above, from, below, to, below];
    });
    annotation.set(PDFName.of('QuadPoints'), context.obj(quads.map(rounded)));
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function linkAnnotations(target: PDFPage): PDFDict[] {
  const annotations = target.node.Annots();
  const links: PDFDict[] = [];
  if (!(annotations instanceof PDFArray)) return links;
  for (let at = 0; at < annotations.size(); at += 1) {
    const annotation = annotations.lookup(at);
    if (!(annotation instanceof PDFDict)) continue;
    if (annotation.lookup(PDFName.of('Subtype')) === PDFName.of('Link')) links.push(annotation);
  }
  return links;
}

/** Merges the boxes on one line. */
function byLine(boxes: readonly Box[]): Box[] {
  const lines: Box[] = [];
  for (const box of boxes) {
    const same = lines.findIndex((line) => Math.abs(line.bottom - box.bottom) < 1);
    const line = lines[same];
    if (line === undefined) lines.push(box);
    else lines[same] = union([line, box]);
  }
  return lines;
}
