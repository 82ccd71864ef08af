/** What PDF files cost, up to the largest that are taken. */
import { randomBytes } from 'node:crypto';

import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib';
import sharp from 'sharp';

import { drawParagraph } from '../../support/documents/pdf-files.ts';
import { sentences } from '../sentences.ts';
import type { DocumentKind } from './measure.ts';

const PAGES = 480;
const PARAGRAPHS_OF_PAGE = 4;
/** With noise in it, a picture of this size takes 55 kB as JPEG: 30 MB on all pages. */
const PICTURE_PIXELS = 225;

const pages = (share: number) => Math.floor(PAGES * share);

export const pdfKinds: readonly DocumentKind[] = [
  { name: 'pdf', format: 'pdf', make: (share) => pagesOf(pages(share)), pages, hasContainer: true },
];

async function pagesOf(count: number): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.TimesRoman);
  const bold = await document.embedFont(StandardFonts.TimesRomanBold);
  for (let index = 0; index < count; index += 1) {
    const page = document.addPage([595, 842]);
    page.drawText(`Chapter ${index + 1}`, { x: 60, y: 780, size: 18, font: bold });
    let y = 750;
    for (let at = 0; at < PARAGRAPHS_OF_PAGE; at += 1) {
      const first = index * PARAGRAPHS_OF_PAGE + at;
      const words = [0, 1, 2, 3, 4, 5, 6].map((n) => sentences[(first + n) % sentences.length]);
      y = drawParagraph(page, { text: words.join(' '), font, x: 60, y, width: 470 });
    }
    const size = { width: PICTURE_PIXELS, height: PICTURE_PIXELS };
    const noise = randomBytes(PICTURE_PIXELS * PICTURE_PIXELS * 3);
    const raw = { ...size, channels: 3 } as const;
    const jpeg = await sharp(noise, { raw }).jpeg({ quality: 95 }).toBuffer();
    page.drawImage(await document.embedJpg(jpeg), { x: 60, y: 80, width: 200, height: 200 });
  }
  return document.save();
}
