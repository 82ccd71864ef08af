/** Scans with upright and struck words: at least as many words are read as by plain Tesseract. */
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { plainText } from '../../../server/text/text-segment.ts';
import { plainReading, renderPages } from '../../support/documents/documents.ts';
import { once } from '../../support/suite/made-once.ts';

const PAGE = { width: 360, height: 240 };
const LABEL = 'Emergency exits';
const prose = [
  'In the event of fire leave the building by the nearest stairs.',
  'Wait at the assembly point until your teacher has counted everybody.',
];
const struck = 'Visitors must not smoke in this hall.';

interface Scan {
  dpi: number;
  degrees: number;
  grain?: number;
}

/** Returns a page with a label read from bottom to top, prose, and a struck sentence. */
async function scanned({ dpi, degrees, grain = 0 }: Scan): Promise<Buffer> {
  const scale = dpi / 72;
  const [width, height] = [Math.round(PAGE.width * scale), Math.round(PAGE.height * scale)];
  const text = (content: string, y: number): string =>
    `<text x="70" y="${y}" font-size="9">${content}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"
    viewBox="0 0 ${PAGE.width} ${PAGE.height}" font-family="Liberation Sans">
    <rect width="${PAGE.width}" height="${PAGE.height}" fill="#fcfbf7"/>
    <g transform="rotate(${degrees} ${PAGE.width / 2} ${PAGE.height / 2})">
    <path d="M30 30H350V130H30ZM60 30V130" fill="none" stroke="black" stroke-width="0.75"/>
    <text transform="translate(49 122) rotate(-90)" font-size="11">${LABEL}</text>
    ${prose.map((line, at) => text(line, 60 + at * 30)).join('')}
    ${text(struck, 170)}<path d="M70 167H219" stroke="black" stroke-width="0.6"/>
    </g></svg>`;
  const pixels = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer();
  // The same grain in every run.
  for (let at = 0, seed = 7; at < pixels.length; at += 1) {
    seed = (seed * 1_664_525 + 1_013_904_223) >>> 0;
    const value = (pixels[at] ?? 0) + grain * (seed / 2 ** 31 - 1);
    pixels[at] = Math.max(0, Math.min(255, value));
  }
  const raw = { width, height, channels: 3 as const };
  return sharp(pixels, { raw }).jpeg({ quality: 80 }).toBuffer();
}

/** The page without skew, opened once for all tests. */
const straight = once(async () =>
  pdf.open(await fileOf(await scanned({ dpi: 300, degrees: 0 })), options),
);

async function fileOf(jpeg: Buffer): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const page = document.addPage([PAGE.width, PAGE.height]);
  page.drawImage(await document.embedJpg(jpeg), { x: 0, y: 0, ...PAGE });
  return document.save();
}

const options = { source: 'en', target: 'es', maxCharacters: 100_000, output: 'pdf' } as const;

async function textsOf(page: Scan): Promise<string[]> {
  const isStraight = page.dpi === 300 && page.degrees === 0;
  const opened = isStraight
    ? await straight()
    : await pdf.open(await fileOf(await scanned(page)), options);
  return opened.blocks.map(({ segment }) => plainText(segment));
}

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

describe('a scan with upright and struck words', () => {
  it.each<Scan>([
    { dpi: 300, degrees: 0 },
    { dpi: 120, degrees: 2, grain: 8 },
  ])(
    'has as many words read as by plain Tesseract at $dpi dpi, with $degrees degrees of skew',
    async (page) => {
      const jpeg = await scanned(page);
      const ours = missingIn((await textsOf(page)).join('\n'));
      // If no word is missing, plain Tesseract cannot do better.
      const plain = ours.length === 0 ? [] : missingIn(plainReading(jpeg, page.dpi));
      expect(ours.length, `${ours.join(' ')} | ${plain.join(' ')}`).toBeLessThanOrEqual(
        plain.length,
      );
    },
  );

  it('has upright words replaced in place, still upright', async () => {
    const opened = await straight();
    const texts = opened.blocks.map(({ segment }) => plainText(segment));
    expect(texts).toContain(LABEL);
    const inkOf = async (label: string): Promise<{ rows: number; columns: number }> => {
      const translated = texts.map((text) => [text === LABEL ? label : text]);
      const written = await opened.write(translated, { source: 'en', target: 'es' });
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
      return { columns: columns.size, rows: rows.size };
    };
    const { rows, columns } = await inkOf('Salidas');
    // Seven letters of 11 points one above the other, and none of the former fifteen.
    expect(columns).toBeLessThan(30);
    expect(rows).toBeGreaterThan(50);
    expect(rows).toBeLessThan(90);
  });

  it('has struck words read without their strikes', async () => {
    const texts = await textsOf({ dpi: 300, degrees: 0 });
    const missed = missingIn([...texts, LABEL, ...prose].join('\n'));
    expect(wordsOf(struck).filter((word) => missed.includes(word)).length).toBeLessThan(3);
  });
});
