/** The pixels of a scan as they are in the file, of a page that is one image. */
import type { RawPixels } from '../image/ocr.ts';
import { viewOf } from './page-characters.ts';
import type { Pixels } from './page-picture.ts';
import type { OpenPage } from './pdfium.ts';

/** `FPDF_PAGEOBJ_IMAGE` in `fpdf_edit.h`, and formats of bitmaps in `fpdfview.h`. */
const IMAGE = 3;
const GRAY = 1;
const BGR = 2;
const BGRX = 3;
const UPRIGHT = 0;
/** Share of a page's width and height that an image may lack or exceed it by. */
const MARGIN = 0.002;
/** Places along each side, and levels: at edges of letters what is drawn differs. */
const SAMPLES = 60;
const MOST_APART = 24;

/**
 * The pixels of the image that fills a page as it lies; undefined for other pages. Drawn, they would be
 * mixed with those beside them, and letters are read for others.
 *
 * @param drawn the page
 */
export function pixelsOfScan(
  page: OpenPage,
  { drawn, mostPixels }: { drawn: Pixels; mostPixels: number },
): RawPixels | undefined {
  const { pdfium, handle, scratch } = page;
  if (pdfium.FPDFPage_CountObjects(handle) !== 1 || pdfium.FPDFPage_GetRotation(handle) !== UPRIGHT)
    return undefined;
  const image = pdfium.FPDFPage_GetObject(handle, 0);
  if (pdfium.FPDFPageObj_GetType(image) !== IMAGE) return undefined;
  if (pdfium.FPDFPageObj_HasTransparency(image)) return undefined;
  if (!fillsPage(page, image)) return undefined;
  if (!pdfium.FPDFImageObj_GetImagePixelSize(image, scratch, scratch + 4)) return undefined;
  const [columns = 0, rows = 0] = [0, 4].map((by) => pdfium.pdfium.getValue(scratch + by, 'i32'));
  if (columns * rows > mostPixels) return undefined;
  const bitmap = pdfium.FPDFImageObj_GetBitmap(image);
  if (bitmap === 0) return undefined;
  try {
    const pixels = pixelsOf(page, bitmap);
    return pixels !== undefined && isAsDrawn(pixels, drawn) ? pixels : undefined;
  } finally {
    pdfium.FPDFBitmap_Destroy(bitmap);
  }
}

/** Whether an image lies as the page does, from edge to edge. */
function fillsPage(page: OpenPage, image: number): boolean {
  const { pdfium, scratch } = page;
  if (!pdfium.FPDFPageObj_GetMatrix(image, scratch)) return false;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = [0, 4, 8, 12, 16, 20].map((by) =>
    pdfium.pdfium.getValue(scratch + by, 'float'),
  );
  const { crop, width, height } = viewOf(page);
  const isNear = (one: number, other: number, whole: number): boolean =>
    Math.abs(one - other) <= MARGIN * whole;
  return (
    isNear(b, 0, height) &&
    isNear(c, 0, width) &&
    isNear(a, width, width) &&
    isNear(d, height, height) &&
    isNear(e, crop.left, width) &&
    isNear(f, Math.min(crop.top, crop.bottom), height)
  );
}

function pixelsOf({ pdfium }: OpenPage, bitmap: number): RawPixels | undefined {
  const format = pdfium.FPDFBitmap_GetFormat(bitmap);
  const [width, height] = [pdfium.FPDFBitmap_GetWidth(bitmap), pdfium.FPDFBitmap_GetHeight(bitmap)];
  const stride = pdfium.FPDFBitmap_GetStride(bitmap);
  const bytes = new Map([
    [GRAY, 1],
    [BGR, 3],
    [BGRX, 4],
  ]).get(format);
  if (bytes === undefined) return undefined;
  const channels = bytes === 1 ? 1 : 3;
  const at = pdfium.FPDFBitmap_GetBuffer(bitmap);
  const source = pdfium.pdfium.HEAPU8.subarray(at, at + stride * height);
  const data = new Uint8Array(width * height * channels);
  for (let y = 0, to = 0; y < height; y += 1) {
    for (let x = 0, from = y * stride; x < width; x += 1, from += bytes, to += channels) {
      for (let channel = 0; channel < channels; channel += 1) {
        data[to + channel] = source[from + channels - 1 - channel] ?? 0;
      }
    }
  }
  return { data, width, height, channels };
}

/** Masks, and images whose levels stand for others, have other pixels than are seen. */
function isAsDrawn({ data, width, height, channels }: RawPixels, drawn: Pixels): boolean {
  let [apart, count] = [0, 0];
  for (let row = 0.5; row < SAMPLES; row += 1) {
    for (let column = 0.5; column < SAMPLES; column += 1) {
      const [x, y] = [column / SAMPLES, row / SAMPLES];
      const own = Math.floor(y * height) * width + Math.floor(x * width);
      const seen = Math.floor(y * drawn.height) * drawn.width + Math.floor(x * drawn.width);
      // Green is between the others.
      const value = data[own * channels + (channels === 1 ? 0 : 1)] ?? 0;
      apart += Math.abs(value - (drawn.bgra[seen * 4 + 1] ?? 0));
      count += 1;
    }
  }
  return apart / count < MOST_APART;
}
