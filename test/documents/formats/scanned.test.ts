/** Scanned PDF files: pages that are pictures of text. */
import { PDFDocument, StandardFonts, TextRenderingMode } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { plainText } from '../../../server/text/text-segment.ts';
import { pdfText, renderPages, zipText } from '../../support/documents/documents.ts';

const options = { source: 'en', target: 'es', maxCharacters: 1_000_000 } as const;

const sentence = 'Visitors find the entrance beside the old lighthouse at the quay.';

/** Returns a page of one line that is a picture. */
async function line(): Promise<Uint8Array> {
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="1240" height="160">
    <rect width="1240" height="160" fill="#fbf8ee"/>
    <text x="120" y="100" font-family="Liberation Serif" font-size="34">${sentence}</text></svg>`;
  const jpeg = await sharp(Buffer.from(picture)).jpeg({ quality: 90 }).toBuffer();
  const document = await PDFDocument.create();
  const size = { width: 595, height: 77 };
  document.addPage([size.width, size.height]).drawImage(await document.embedJpg(jpeg), size);
  return document.save();
}

const prose = [
  'Standard delivery is included in the price of every order.',
  'Children under twelve travel free of charge with an adult.',
  'The little library will not close until the last reader left.',
];
const cells = ['Article', 'Standard bulb', 'Delivery', 'Wednesday'];
const LETTER = { width: 1500, height: 750 };

/**
 * Returns a page of 360 by 180 points at 200 dpi with a table, skewed by an angle in degrees, and with hidden text of
 * an earlier recognition.
 */
async function letter(degrees: number): Promise<Uint8Array> {
  const text = (content: string, x: number, y: number): string =>
    `<text x="${x}" y="${y}" font-family="Liberation Serif" font-size="44">${content}</text>`;
  const rules = [
    ...[380, 460, 540].map((y) => `<rect x="120" y="${y}" width="900" height="3"/>`),
    ...[120, 570, 1020].map((x) => `<rect x="${x}" y="380" width="3" height="163"/>`),
  ];
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="500" viewBox="0 0 1500 750">
    <rect width="1500" height="750" fill="#fcfbf7"/>
    <g transform="rotate(${degrees} 750 375)">${rules.join('')}
    ${prose.map((line, at) => text(line, 120, 140 + at * 58)).join('')}
    ${cells.map((cell, at) => text(cell, at < 2 ? 140 : 590, 435 + (at % 2) * 80)).join('')}
    </g></svg>`;
  const document = await PDFDocument.create();
  const jpeg = await sharp(Buffer.from(picture)).jpeg({ quality: 85 }).toBuffer();
  const size = { width: 360, height: 180 };
  const page = document.addPage([size.width, size.height]);
  const font = await document.embedFont(StandardFonts.Helvetica);
  const renderMode = TextRenderingMode.Invisible;
  page.drawText('Recognised before', { x: 29, y: 146, size: 10, font, renderMode });
  page.drawImage(await document.embedJpg(jpeg), { x: 0, y: 0, ...size });
  return document.save();
}

describe('a scanned PDF file', () => {
  it('is read, erased and written in place even if it is skewed, and its old recognised text is removed', async () => {
    const degrees = -0.6;
    const file = await letter(degrees);
    const opened = await pdf.open(file, { ...options, output: 'pdf' });
    const texts = opened.blocks.map(({ segment }) => plainText(segment));
    expect([...texts].sort()).toEqual([prose.join(' '), ...cells].sort());
    expect(opened.characters).toBe(texts.join('').length);
    // One line of the prose remains, next to nothing of most of the table, and a cell as it was.
    const line = 'Standard delivery is included in the price of every';
    const kept = 'Wednesday';
    const translated = texts.map((text) => [
      text.startsWith(line) ? line : text === kept ? text : '.',
    ]);
    const written = await opened.write(translated, { source: 'en', target: 'es' });
    const told = (await pdfText(written)).replaceAll('.', ' ').replace(/\s+/g, ' ').trim();
    expect(told).toBe(line);
    const dpi = 150;
    const [before] = await renderPages(file, { dpi });
    const [after] = await renderPages(written, { dpi });
    const { width, height } = after!;
    const scale = width / LETTER.width;
    const [cos, sin] = [Math.cos, Math.sin].map((of) => of((degrees * Math.PI) / 180));
    const inkAt = (pixels: Uint8Array, x: number, y: number): boolean => {
      const [dx, dy] = [x - LETTER.width / 2, y - LETTER.height / 2];
      const column = Math.round((LETTER.width / 2 + dx * cos! - dy * sin!) * scale);
      const row = Math.round((LETTER.height / 2 + dx * sin! + dy * cos!) * scale);
      return (pixels[Math.min(height - 1, row) * width + column] ?? 255) < 140;
    };
    const inkIn = (
      box: { left: number; right: number; top: number; bottom: number },
      { pixels } = after!,
    ): number => {
      let count = 0;
      for (let y = box.top; y < box.bottom; y++) {
        for (let x = box.left; x < box.right; x++) if (inkAt(pixels, x, y)) count++;
      }
      return count;
    };
    // The line is skewed as the others were.
    expect(inkIn({ left: 120, right: 1300, top: 105, bottom: 156 })).toBeGreaterThan(1000);
    expect(inkIn({ left: 120, right: 1450, top: 60, bottom: 104 })).toBe(0);
    expect(inkIn({ left: 120, right: 1450, top: 157, bottom: 300 })).toBe(0);
    expect(inkIn({ left: 165, right: 560, top: 472, bottom: 530 })).toBe(0);
    expect(inkIn({ left: 615, right: 1010, top: 392, bottom: 450 })).toBe(0);
    const cell = { left: 580, right: 1010, top: 465, bottom: 538 };
    expect(inkIn(cell)).toBe(inkIn(cell, before));
    expect(inkIn(cell)).toBeGreaterThan(500);
  });

  it('becomes a flowing document of the recognised text', async () => {
    const opened = await pdf.open(await line(), { ...options, output: 'docx' });
    expect(opened.characters).toBe(sentence.length);
    const written = await opened.write(
      opened.blocks.map(({ segment }) => [plainText(segment).toUpperCase()]),
      { source: 'en', target: 'es' },
    );
    expect(zipText(written, 'word/document.xml')).toContain(sentence.toUpperCase());
  });
});
