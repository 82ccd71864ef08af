/** The straight lines of a page, of tables, text and boxes, and its signs as small as bullets. */
import { apply, applyToBox, type Matrix, multiply } from './geometry.ts';
import type { Box, Ruling } from './page-model.ts';
import type { OpenPage } from './pdfium.ts';

/** `FPDF_PAGEOBJ_PATH` in `fpdf_edit.h`. */
const PATH_OBJECT = 2;
const IMAGE_OBJECT = 3;
/** `FPDF_SEGMENT_*`. */
const LINE_TO = 0;
const MOVE_TO = 2;

/** Drawings of maps have millions of segments; tables do not. */
const MAX_SEGMENTS = 20_000;
/** Larger drawings are not bullets, and pages with more of them are drawings. */
const MAX_SIGN_POINTS = 16;
const MAX_SIGNS = 400;
/** Shorter ones are parts of signs. */
const MIN_LENGTH_POINTS = 8;
/** A line may be this far out of true. */
const TOLERANCE_POINTS = 0.6;

/** Reads the level and the upright lines of a page as it is looked at; thin boxes count as lines. */
export function readRulings(page: OpenPage, view: Matrix): Ruling[] {
  const { pdfium, handle } = page;
  const rulings: Ruling[] = [];
  const count = pdfium.FPDFPage_CountObjects(handle);
  let segmentsLeft = MAX_SEGMENTS;
  for (let at = 0; at < count && segmentsLeft > 0; at += 1) {
    const object = pdfium.FPDFPage_GetObject(handle, at);
    if (pdfium.FPDFPageObj_GetType(object) !== PATH_OBJECT) continue;
    const segments = Math.min(segmentsLeft, pdfium.FPDFPath_CountSegments(object));
    segmentsLeft -= Math.max(1, segments);
    addPath({ page, object, segments, view, rulings });
  }
  return rulings;
}

function addPath({
  page: { pdfium, scratch },
  object,
  segments,
  view,
  rulings,
}: {
  page: OpenPage;
  object: number;
  segments: number;
  view: Matrix;
  rulings: Ruling[];
}): void {
  if (!pdfium.FPDFPageObj_GetMatrix(object, scratch)) return;
  const float = (offset: number): number => pdfium.pdfium.HEAPF32[(scratch >> 2) + offset] ?? 0;
  const own: Matrix = [float(0), float(1), float(2), float(3), float(4), float(5)];
  const matrix = multiply(own, view);
  let start = { x: 0, y: 0 };
  let last = start;
  for (let at = 0; at < segments; at += 1) {
    const segment = pdfium.FPDFPath_GetPathSegment(object, at);
    if (!pdfium.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4)) continue;
    const point = apply(matrix, { x: float(0), y: float(1) });
    const type = pdfium.FPDFPathSegment_GetType(segment);
    if (type === LINE_TO) addLine(last, point, rulings);
    if (type === MOVE_TO) start = point;
    last = point;
    if (pdfium.FPDFPathSegment_GetClose(segment)) addLine(last, start, rulings);
  }
}

function addLine(
  a: { x: number; y: number },
  b: { x: number; y: number },
  rulings: Ruling[],
): void {
  const width = Math.abs(a.x - b.x);
  const height = Math.abs(a.y - b.y);
  if (height <= TOLERANCE_POINTS && width >= MIN_LENGTH_POINTS) {
    const [from, to] = a.x < b.x ? [a.x, b.x] : [b.x, a.x];
    rulings.push({ isHorizontal: true, at: (a.y + b.y) / 2, from, to });
  } else if (width <= TOLERANCE_POINTS && height >= MIN_LENGTH_POINTS) {
    const [from, to] = a.y < b.y ? [a.y, b.y] : [b.y, a.y];
    rulings.push({ isHorizontal: false, at: (a.x + b.x) / 2, from, to });
  }
}

/** The drawings and pictures of a page that are no larger than bullets of large text. */
export function readSigns({ pdfium, handle, scratch }: OpenPage, view: Matrix): Box[] {
  const signs: Box[] = [];
  const count = Math.min(MAX_SEGMENTS, pdfium.FPDFPage_CountObjects(handle));
  for (let at = 0; at < count && signs.length < MAX_SIGNS; at += 1) {
    const object = pdfium.FPDFPage_GetObject(handle, at);
    const type = pdfium.FPDFPageObj_GetType(object);
    if (type !== PATH_OBJECT && type !== IMAGE_OBJECT) continue;
    if (!pdfium.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12)) {
      continue;
    }
    const { HEAPF32 } = pdfium.pdfium;
    const float = (offset: number): number => HEAPF32[(scratch >> 2) + offset] ?? 0;
    const box = { left: float(0), bottom: float(1), right: float(2), top: float(3) };
    const [width, height] = [box.right - box.left, box.top - box.bottom];
    const isSign = Math.max(width, height) < MAX_SIGN_POINTS && Math.min(width, height) > 1;
    if (isSign) signs.push(applyToBox(view, box));
  }
  return signs;
}
