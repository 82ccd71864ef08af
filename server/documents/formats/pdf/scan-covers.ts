/** Draws what covers the old text of a scan. */
import type { PDFPage, PDFRef } from '@cantoo/pdf-lib';

import { invert, type Matrix, multiply } from './geometry.ts';
import type { PageCover } from './scanned-pages.ts';

/** Operators that draw pictures, and the pictures by their names in the resources. */
export interface DrawnCovers {
  operators: string;
  images: ReadonlyMap<string, PDFRef>;
}

/** Puts covers into a file; `view` is the matrix from the file to the page as it is looked at. */
export async function drawCovers({
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
