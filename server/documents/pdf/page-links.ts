/** Where the links of a page are. */
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
