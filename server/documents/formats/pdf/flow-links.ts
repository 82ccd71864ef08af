/** Where the links of a page stand and lead. */
import { applyToBox, type Matrix } from './geometry.ts';
import type { Box } from './page-model.ts';
import type { OpenPage } from './pdfium.ts';

export interface PageLink {
  box: Box;
  target: { url: string } | { pageIndex: number };
}

const GO_TO_ACTION = 1;
const URI_ACTION = 3;
/** More are not links that people click. */
const MAX_LINKS = 2000;
const MAX_URL_BYTES = 4096;

/** Reads the links of a page, in looked-at coordinates; those that lead into other files are left out. */
export function readLinks(page: OpenPage, view: Matrix): PageLink[] {
  const { pdfium, scratch } = page;
  const links: PageLink[] = [];
  let next = 0;
  while (links.length < MAX_LINKS) {
    pdfium.pdfium.setValue(scratch, next, 'i32');
    if (!pdfium.FPDFLink_Enumerate(page.handle, scratch, scratch + 4)) break;
    next = pdfium.pdfium.getValue(scratch, 'i32');
    const link = pdfium.pdfium.getValue(scratch + 4, 'i32');
    const target = linkTarget(page, link);
    if (target === undefined || !pdfium.FPDFLink_GetAnnotRect(link, scratch)) continue;
    // FS_RECTF: left, top, right, bottom.
    const side = (index: number): number => pdfium.pdfium.getValue(scratch + 4 * index, 'float');
    const box = { left: side(0), top: side(1), right: side(2), bottom: side(3) };
    links.push({ box: applyToBox(view, box), target });
  }
  return links;
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

/** An address that may be clicked: no scripts, no files. */
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
