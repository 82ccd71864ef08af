/** A scan with upright and struck words. */
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { plainText } from '../../../server/text/text-segment.ts';
import { pdfText, renderPages } from '../../support/documents/documents.ts';

const PAGE = { width: 360, height: 240 };
const LABEL = 'Emergency exits';
const prose = [
  'In the event of fire leave the building by the nearest stairs.',
  'Wait at the assembly point until your teacher has counted everybody.',
];
const struck = 'Visitors must not smoke in this hall.';

const DPI = 200;

/** Returns a page with a label read from bottom to top, prose, and a struck sentence. */
async function scanned(): Promise<Uint8Array> {
  const [width, height] = [PAGE.width, PAGE.height].map((side) => Math.round((side * DPI) / 72));
  const text = (content: string, y: number): string =>
    `<text x="70" y="${y}" font-size="9">${content}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"
    viewBox="0 0 ${PAGE.width} ${PAGE.height}" font-family="Liberation Sans">
    <rect width="${PAGE.width}" height="${PAGE.height}" fill="#fcfbf7"/>
    <path d="M30 30H350V130H30ZM60 30V130" fill="none" stroke="black" stroke-width="0.75"/>
    <text transform="translate(49 122) rotate(-90)" font-size="11">${LABEL}</text>
    ${prose.map((line, at) => text(line, 60 + at * 30)).join('')}
    ${text(struck, 170)}<path d="M70 167H219" stroke="black" stroke-width="0.6"/></svg>`;
  const document = await PDFDocument.create();
  const page = document.addPage([PAGE.width, PAGE.height]);
  const jpeg = await sharp(Buffer.from(svg)).removeAlpha().jpeg({ quality: 80 }).toBuffer();
  page.drawImage(await document.embedJpg(jpeg), { x: 0, y: 0, ...PAGE });
  return document.save();
}

const options = { source: 'en', target: 'es', maxCharacters: 100_000, output: 'pdf' } as const;

/** Returns the words of the page that a text lacks, as often as it does. */
function missingIn(text: string): string[] {
  const read = text.split(/[^\p{L}]+/u);
  return [LABEL, ...prose, struck].flatMap(wordsOf).filter((word) => {
    const at = read.indexOf(word);
    if (at >= 0) read.splice(at, 1);
    return at < 0;
  });
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}]+/u).filter(({ length }) => length > 1);
}

it('a scan with upright and struck words has them read, and its upright and level words replaced in place', async () => {
  const opened = await pdf.open(await scanned(), options);
  const texts = opened.blocks.map(({ segment }) => plainText(segment));
  expect(texts).toContain(LABEL);
  const missed = missingIn(texts.join('\n'));
  expect(missed.filter((word) => !wordsOf(struck).includes(word))).toEqual([]);
  expect(missed.length).toBeLessThan(3);
  const translations = new Map([
    [LABEL, 'Salidas'],
    [prose[0], 'Evacuar'],
  ]);
  const translated = texts.map((text) => [translations.get(text) ?? text]);
  const written = await opened.write(translated, { source: 'en', target: 'es' });
  expect((await pdfText(written)).match(/\w+/g)?.toSorted()).toEqual(['Evacuar', 'Salidas']);
  const [page] = await renderPages(written, { dpi: 144 });
  const { pixels, width } = page!;
  // Within the cell, clear of its rules.
  const dark = (x: number, y: number): boolean => (pixels[y * width + x] ?? 255) < 140;
  const [columns, rows] = [new Set<number>(), new Set<number>()];
  for (let y = 66; y < 254; y += 1) {
    for (let x = 64; x < 116; x += 1) {
      if (!dark(x, y)) continue;
      columns.add(x);
      rows.add(y);
    }
  }
  const inkIn = (left: number, right: number): number => {
    let count = 0;
    for (let y = 100; y < 126; y += 1) {
      for (let x = left; x < right; x += 1) if (dark(x, y)) count += 1;
    }
    return count;
  };
  expect(inkIn(140, 240)).toBeGreaterThan(50);
  expect(inkIn(260, 690)).toBe(0);
  // Seven letters of 11 points one above the other, and none of the former fifteen.
  expect(columns.size).toBeLessThan(30);
  expect(rows.size).toBeGreaterThan(50);
  expect(rows.size).toBeLessThan(90);
});
