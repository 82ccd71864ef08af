/** Scanned PDF files: pages that are pictures of text. */
import { PDFDocument, StandardFonts, TextRenderingMode } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { plainText, type TextSegment } from '../../../server/text/text-segment.ts';
import { pdfText, renderPages, zipText } from '../../support/documents/documents.ts';

const sentences = [
  'The museum of the harbour is open every day from ten in the morning.',
  'Visitors find the entrance beside the old lighthouse at the quay.',
];
const entries = ['Description', 'Consulting services', 'Travel expenses'];
const options = { source: 'en', target: 'es', maxCharacters: 1_000_000 } as const;

/** Returns a page that is a picture; optionally with hidden text of an earlier recognition. */
async function scan({
  hidden,
  rows = entries,
}: { hidden?: string; rows?: readonly string[] } = {}): Promise<Uint8Array> {
  const [first = '', second = ''] = sentences;
  const text = (content: string, y: number): string =>
    `<text x="120" y="${y}" font-family="Liberation Serif" font-size="34">${content}</text>`;
  const heightPx = rows.length === 0 ? 260 : 560;
  const page = `<svg xmlns="http://www.w3.org/2000/svg" width="1240" height="${heightPx}">
    <rect width="1240" height="${heightPx}" fill="#fbf8ee"/>
    <rect x="120" y="250" width="300" height="80" fill="#2060a0"/>
    ${rows.map((entry, at) => text(entry, 390 + at * 56)).join('')}
    ${text(first, 100)}${text(second, 220)}</svg>`;
  const picture = await sharp(Buffer.from(page)).jpeg({ quality: 90 }).toBuffer();
  const document = await PDFDocument.create();
  const height = (heightPx * 842) / 1754;
  const added = document.addPage([595, height]);
  if (hidden !== undefined) {
    const font = await document.embedFont(StandardFonts.Helvetica);
    added.drawText(hidden, {
      x: 57,
      y: 215,
      size: 16,
      font,
      renderMode: TextRenderingMode.Invisible,
    });
  }
  added.drawImage(await document.embedJpg(picture), { x: 0, y: 0, width: 595, height });
  return document.save();
}

const prose = [
  'Standard delivery is included in the price of every order.',
  'Children under twelve travel free of charge with an adult.',
  'The little library will not close until the last reader left.',
];
const cells = ['Article', 'Standard bulb', 'Delivery', 'Wednesday'];
const LETTER = { width: 1500, height: 750 };

/** Returns a page of 360 by 180 points at 200 dpi with a table, skewed by an angle in degrees. */
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
  page.drawImage(await document.embedJpg(jpeg), { x: 0, y: 0, ...size });
  return document.save();
}

const shout = (segment: TextSegment): TextSegment =>
  segment.map((part) => (typeof part === 'string' ? part.toUpperCase() : part));

describe('a scanned PDF file', () => {
  it('is read, erased and written in place, and its old recognised text is removed', async () => {
    const file = await scan({ hidden: 'Recognised before' });
    const opened = await pdf.open(file, { ...options, output: 'pdf' });
    const texts = opened.blocks.map(({ segment }) => plainText(segment));
    // Rows of a table are separate texts.
    expect(texts).toEqual([...sentences, ...entries]);
    expect(opened.characters).toBe([...sentences, ...entries].join('').length);
    // The first is translated, the second stays unchanged.
    const translated = opened.blocks.map(({ segment }, at) =>
      at === 0 ? shout(segment) : segment,
    );
    const written = await opened.write(translated, { source: 'en', target: 'es' });
    expect((await pdfText(written)).replace(/\s+/g, ' ').trim()).toBe(sentences[0]?.toUpperCase());
    const [[before], [after]] = await Promise.all([renderPages(file), renderPages(written)]);
    const inkOf = (page: typeof before, fromY: number, toY: number): number => {
      const { pixels, width, height } = page ?? { pixels: new Uint8Array(), width: 0, height: 0 };
      const part = pixels.subarray(
        width * Math.round(height * fromY),
        width * Math.round(height * toY),
      );
      return part.filter((level) => level < 140).length;
    };
    // The second sentence and the picture are unchanged.
    expect(inkOf(after, 0.32, 1)).toBe(inkOf(before, 0.32, 1));
    expect(inkOf(after, 0.11, 0.21)).toBeGreaterThan(0);
  });

  it('has every letter read and covered when it is skewed', async () => {
    const degrees = -0.6;
    const file = await letter(degrees);
    const opened = await pdf.open(file, { ...options, output: 'pdf' });
    const texts = opened.blocks.map(({ segment }) => plainText(segment));
    expect([...texts].sort()).toEqual([prose.join(' '), ...cells].sort());
    // One line of the prose remains, and next to nothing of the table.
    const line = 'Standard delivery is included in the price of every';
    const translated = texts.map((text) => [text.startsWith(line) ? line : '.']);
    const written = await opened.write(translated, { source: 'en', target: 'es' });
    const [page] = await renderPages(written, { dpi: 150 });
    const { pixels, width, height } = page!;
    const scale = width / LETTER.width;
    const [cos, sin] = [Math.cos, Math.sin].map((of) => of((degrees * Math.PI) / 180));
    const inkAt = (x: number, y: number): boolean => {
      const [dx, dy] = [x - LETTER.width / 2, y - LETTER.height / 2];
      const column = Math.round((LETTER.width / 2 + dx * cos! - dy * sin!) * scale);
      const row = Math.round((LETTER.height / 2 + dx * sin! + dy * cos!) * scale);
      return (pixels[Math.min(height - 1, row) * width + column] ?? 255) < 140;
    };
    const inkIn = (box: { left: number; right: number; top: number; bottom: number }): number => {
      let count = 0;
      for (let y = box.top; y < box.bottom; y++) {
        for (let x = box.left; x < box.right; x++) if (inkAt(x, y)) count++;
      }
      return count;
    };
    // The line is skewed as the others were.
    expect(inkIn({ left: 120, right: 1300, top: 105, bottom: 156 })).toBeGreaterThan(1000);
    expect(inkIn({ left: 120, right: 1450, top: 60, bottom: 104 })).toBe(0);
    expect(inkIn({ left: 120, right: 1450, top: 157, bottom: 300 })).toBe(0);
    expect(inkIn({ left: 165, right: 560, top: 472, bottom: 530 })).toBe(0);
    expect(inkIn({ left: 615, right: 1010, top: 392, bottom: 450 })).toBe(0);
  });

  it('becomes a flowing document of the recognised text', async () => {
    const opened = await pdf.open(await scan({ rows: [] }), { ...options, output: 'docx' });
    const written = await opened.write(
      opened.blocks.map(({ segment }) => shout(segment)),
      { source: 'en', target: 'es' },
    );
    const xml = zipText(written, 'word/document.xml');
    for (const sentence of sentences) expect(xml).toContain(sentence.toUpperCase());
  });
});
