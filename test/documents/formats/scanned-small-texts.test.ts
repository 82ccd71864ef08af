/** Scans whose words are close to thick rules, or before dots. */
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { plainText } from '../../../server/text/text-segment.ts';

const PAGE = { width: 360, height: 130 };

interface Drawing {
  words: string[];
  svg: string;
}

function text(words: string, x: number, y: number): string {
  return `<text x="${x}" y="${y}" font-size="9">${words}</text>`;
}

/** Rows so low that letters almost touch the rules. */
function table(): Drawing {
  const rows = [
    ['Ampoules', 'boîtes', 'renvoyé', 'laiton poli'],
    ['Poignées', 'paires', 'inconnu', 'vieille grange'],
  ];
  const [lefts, pitch, thick] = [[20, 110, 190, 250, 350], 11.7, 2.5];
  const rules = [
    ...lefts.map((x) => `M${x} 20V${20 + rows.length * pitch}`),
    ...[...rows, []].map((_, row) => `M20 ${20 + row * pitch}H350`),
  ];
  const cells = rows.flatMap((row, y) =>
    row.map((word, x) => text(word, (lefts[x] ?? 0) + 2, 20 + y * pitch + 0.76 * pitch)),
  );
  const svg = `<path d="${rules.join('')}" stroke="black" stroke-width="${thick}"/>${cells.join('')}`;
  return { words: rows.flat(), svg };
}

function contents(): Drawing {
  const words = ['Ciudad', 'Calle y plaza', 'Mercado', 'Puerto viejo'];
  const svg = words.map((word, at) => {
    const y = 30 + at * 16;
    const dots = text('.'.repeat(90), 24 + word.length * 4.6, y);
    return `${text(word, 20, y)}${dots}`;
  });
  return { words, svg: svg.join('') };
}

async function scan({ svg }: Drawing, dpi: number, degrees: number): Promise<Buffer> {
  const [width, height] = [PAGE.width, PAGE.height].map((side) => Math.round((side * dpi) / 72));
  const page = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"
    viewBox="0 0 ${PAGE.width} ${PAGE.height}" font-family="Liberation Sans">
    <rect width="${PAGE.width}" height="${PAGE.height}" fill="#f6f6f6"/>
    <g transform="rotate(${degrees} ${PAGE.width / 2} ${PAGE.height / 2})">${svg}</g></svg>`;
  return sharp(Buffer.from(page)).greyscale().toColourspace('b-w').jpeg({ quality: 80 }).toBuffer();
}

async function oursOf(jpeg: Buffer, source: string): Promise<string> {
  const document = await PDFDocument.create();
  const page = document.addPage([PAGE.width, PAGE.height]);
  page.drawImage(await document.embedJpg(jpeg), { x: 0, y: 0, ...PAGE });
  const options = { source, target: 'en', maxCharacters: 100_000, output: 'pdf' } as const;
  const opened = await pdf.open(await document.save(), options);
  return opened.blocks.map(({ segment }) => plainText(segment)).join('\n');
}

function missingIn(read: string, words: readonly string[]): string[] {
  const found = read.split(/[^\p{L}]+/u);
  return words.flatMap((word) => word.split(' ')).filter((word) => !found.includes(word));
}

it.each([
  { what: 'close to thick rules', draw: table, source: 'fr', dpi: 200, degrees: 0 },
  { what: 'before dots', draw: contents, source: 'es', dpi: 150, degrees: -1.6 },
])('a scan has all its words read that are $what', async ({ draw, source, dpi, degrees }) => {
  const drawing = draw();
  const jpeg = await scan(drawing, dpi, degrees);
  const ours = missingIn(await oursOf(jpeg, source), drawing.words);
  expect(ours).toEqual([]);
});
