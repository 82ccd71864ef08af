/** Scans of hardly legible small type, of which plain Tesseract reads some words, and scans without text. */
import { PDFDocument } from '@cantoo/pdf-lib';
import { spawnSync } from 'node:child_process';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { plainText } from '../../../server/text/text-segment.ts';
import { knownWords } from '../../../server/text/words/dictionaries.ts';

const PAGE = { width: 360, height: 130 };
const DPI = 150;
const [WIDTH, HEIGHT] = [PAGE.width, PAGE.height].map((side) => Math.round((side * DPI) / 72)) as [
  number,
  number,
];

const lines = [
  'The commissioners resolved that the turnpike should be continued as far as the river,',
  'provided that the landowners would furnish stone and carriage at their own expense.',
  'Several farmers objected to the encroachment upon their meadows and demanded a',
  'reasonable indemnity before any hedge was uprooted. The clerk entered the petition',
  'in the register and adjourned the assembly until the autumn.',
];

/** Black and white, and blurred before: strokes are lost. */
async function smallType(): Promise<Buffer> {
  const text = lines.map((line, at) => `<text x="24" y="${24 + at * 9}">${line}</text>`).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"
    viewBox="0 0 ${PAGE.width} ${PAGE.height}" font-family="Liberation Serif" font-size="6.5">
    <rect width="${PAGE.width}" height="${PAGE.height}" fill="white"/>${text}</svg>`;
  const soft = await sharp(Buffer.from(svg)).greyscale().blur(0.9).png().toBuffer();
  return sharp(soft).threshold(160).toColourspace('b-w').png().toBuffer();
}

/** Returns numbers between 0 and 1, the same in every run. */
function random(): () => number {
  let seed = 7;
  return () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

/** Returns a picture of soft spots of about that width in pixels. */
function spots(size: number): (x: number, y: number) => number {
  const columns = Math.ceil(WIDTH / size) + 2;
  const next = random();
  const values = Float32Array.from({ length: columns * (Math.ceil(HEIGHT / size) + 2) }, next);
  return (x, y) => {
    const [column, row] = [Math.floor(x / size), Math.floor(y / size)];
    const [across, down] = [x / size - column, y / size - row];
    const value = (right: number, below: number): number =>
      values[(row + below) * columns + column + right] ?? 0;
    const top = value(0, 0) * (1 - across) + value(1, 0) * across;
    return top * (1 - down) + (value(0, 1) * (1 - across) + value(1, 1) * across) * down;
  };
}

async function picture(level: (x: number, y: number) => number): Promise<Buffer> {
  const data = Buffer.alloc(WIDTH * HEIGHT, 250);
  for (let y = 20; y < HEIGHT - 20; y += 1) {
    for (let x = 30; x < WIDTH - 30; x += 1) data[y * WIDTH + x] = level(x, y);
  }
  const raw = { width: WIDTH, height: HEIGHT, channels: 1 as const };
  return sharp(data, { raw }).toColourspace('b-w').png().toBuffer();
}

async function oursOf(png: Buffer): Promise<string> {
  const document = await PDFDocument.create();
  const page = document.addPage([PAGE.width, PAGE.height]);
  page.drawImage(await document.embedPng(png), { x: 0, y: 0, ...PAGE });
  const options = { source: 'en', target: 'es', maxCharacters: 100_000, output: 'pdf' } as const;
  const opened = await pdf.open(await document.save(), options);
  return opened.blocks.map(({ segment }) => plainText(segment)).join('\n');
}

function plainOf(png: Buffer): string {
  const { stdout } = spawnSync('tesseract', ['-', '-', '--dpi', String(DPI), '-l', 'eng'], {
    input: png,
    encoding: 'utf8',
    env: { ...process.env, OMP_THREAD_LIMIT: '1' },
  });
  return stdout;
}

/** Counts the words of the page in a reading. */
function countIn(read: string): number {
  const found = read.split(/[^\p{L}]+/u);
  return lines
    .join(' ')
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '' && found.includes(word)).length;
}

it.skipIf((await knownWords('en')) === undefined)(
  'a scan of small type has as many words as plain Tesseract reads, however unsure',
  async () => {
    const png = await smallType();
    const [ours, plain] = [countIn(await oursOf(png)), countIn(plainOf(png))];
    expect(plain).toBeGreaterThan(10);
    expect(ours).toBeGreaterThanOrEqual(plain);
  },
);

it('a scan of a photo, an engraving and letter-like marks in rows has hardly a word', async () => {
  const [large, small, shade] = [spots(40), spots(5), spots(60)];
  const [marks, blanks] = [spots(3), spots(20)];
  const photo = (x: number, y: number) => 255 * (0.6 * large(x, y) + 0.4 * small(x, y));
  const engraving = (x: number, y: number) =>
    ((y + 20 * shade(y, x % 90)) % 7) / 7 > shade(x, y) ? 20 : 245;
  const isMark = (x: number, y: number): boolean =>
    y % 25 < 14 && blanks(x, 7 * Math.floor(y / 25)) > 0.35 && Math.abs(marks(x, y) - 0.5) < 0.11;
  const third = WIDTH / 3;
  const page = await picture((x, y) => {
    if (x % third < 30) return 250;
    if (x < third) return photo(x, y);
    return x < 2 * third ? engraving(x, y) : isMark(x, y) ? 20 : 250;
  });
  // Marks may be read as a short word; a photo or an engraving never is.
  expect((await oursOf(page)).split(/\s/).length).toBeLessThan(3);
});
