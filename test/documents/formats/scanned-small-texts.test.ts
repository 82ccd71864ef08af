/** Scans whose words are close to thick rules, or before dots. */
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { plainText } from '../../../server/text/text-segment.ts';

const PAGE = { width: 360, height: 130 };
const DPI = 200;

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
  const words = ['Ville', 'Rue et place', 'Marché', 'Port ancien'];
  const svg = words.map((word, at) => {
    const y = 64 + at * 16;
    const dots = text('.'.repeat(90), 24 + word.length * 4.6, y);
    return `${text(word, 20, y)}${dots}`;
  });
  return { words, svg: svg.join('') };
}

async function scan(drawings: readonly Drawing[]): Promise<Uint8Array> {
  const [width, height] = [PAGE.width, PAGE.height].map((side) => Math.round((side * DPI) / 72));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"
    viewBox="0 0 ${PAGE.width} ${PAGE.height}" font-family="Liberation Sans">
    <rect width="${PAGE.width}" height="${PAGE.height}" fill="#f6f6f6"/>
    ${drawings.map((drawing) => drawing.svg).join('')}</svg>`;
  const gray = sharp(Buffer.from(svg)).greyscale().toColourspace('b-w');
  const document = await PDFDocument.create();
  const page = document.addPage([PAGE.width, PAGE.height]);
  const picture = await document.embedJpg(await gray.jpeg({ quality: 80 }).toBuffer());
  page.drawImage(picture, { x: 0, y: 0, ...PAGE });
  return document.save();
}

it('a scan has all its words read that are close to thick rules or before dots', async () => {
  const drawings = [table(), contents()];
  const options = { source: 'fr', target: 'en', maxCharacters: 100_000, output: 'pdf' } as const;
  const { blocks } = await pdf.open(await scan(drawings), options);
  const read = blocks.flatMap(({ segment }) => plainText(segment).split(/[^\p{L}]+/u));
  const words = drawings.flatMap((drawing) => drawing.words).flatMap((each) => each.split(' '));
  expect(words.filter((word) => !read.includes(word))).toEqual([]);
});
