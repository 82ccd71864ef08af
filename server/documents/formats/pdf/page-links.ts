/** Where the links, fields and comments of a page are. */
import { applyToBox, type Matrix } from './geometry.ts';
import type { Box } from './page-model.ts';
import type { OpenPage } from './pdfium.ts';

/** More are not links that people click. */
const MAX_LINKS = 2_000;

/** The boxes of a page's link annotations in their order, on the page as it is looked at. */
export function readLinkBoxes({ pdfium, handle, scratch }: OpenPage, view: Matrix): Box[] {
  const boxes: Box[] = [];
  const at = scratch >> 2;
  let next = 0;
  while (boxes.length < MAX_LINKS) {
    pdfium.pdfium.HEAPU32[at] = next;
    if (!pdfium.FPDFLink_Enumerate(handle, scratch, scratch + 4)) break;
    next = pdfium.pdfium.HEAPU32[at] ?? 0;
    const link = pdfium.pdfium.HEAPU32[at + 1] ?? 0;
    const isPlaced = pdfium.FPDFLink_GetAnnotRect(link, scratch + 8);
    const float = (offset: number): number => pdfium.pdfium.HEAPF32[at + 2 + offset] ?? 0;
    const box = isPlaced
      ? { left: float(0), top: float(1), right: float(2), bottom: float(3) }
      : { left: 0, top: 0, right: 0, bottom: 0 };
    boxes.push(applyToBox(view, box));
  }
  return boxes;
}

/** `FPDF_ANNOT_LINK` and `FPDF_ANNOT_POPUP` in `fpdf_annot.h`. */
const LINK = 2;
const POPUP = 16;

/** The boxes of its form fields and comments, at most {@link MAX_LINKS}. */
export function readFieldBoxes({ pdfium, handle, scratch }: OpenPage, view: Matrix): Box[] {
  const boxes: Box[] = [];
  const count = Math.min(MAX_LINKS, pdfium.FPDFPage_GetAnnotCount(handle));
  for (let at = 0; at < count; at += 1) {
    const annotation = pdfium.FPDFPage_GetAnnot(handle, at);
    const type = pdfium.FPDFAnnot_GetSubtype(annotation);
    if (type !== LINK && type !== POPUP && pdfium.FPDFAnnot_GetRect(annotation, scratch)) {
      const float = (offset: number): number => pdfium.pdfium.HEAPF32[(scratch >> 2) + offset] ?? 0;
      const box = { left: float(0), top: float(1), right: float(2), bottom: float(3) };
      boxes.push(applyToBox(view, box));
    }
    pdfium.FPDFPage_CloseAnnot(annotation);
  }
  return boxes;
}
