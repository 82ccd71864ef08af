/** Tables and boxes in scans: every word that Tesseract reads on the plain page is read, and more. */
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { plainText } from '../../../server/text/text-segment.ts';

const WORDS = 'harbour Standard Wednesday travel Children Island'.split(' ');
const COLUMNS = 3;
const SIZE = 9;

interface Ruled {
  /** Distance between text and rules, in points, like the thickness of rules. */
  insetPoints: number;
  thicknessPoints?: number;
  /** Dash pattern of SVG, in points. */
  dashes?: string;
  header?: { ground: string; ink: string };
  /** Whether the boxes are separate, each as wide as its text. */
  areBoxes?: boolean;
}

/** Returns a word in each cell or box, aligned left, or right in its cell. */
function ruledWords(ruled: Ruled, margin: { left: number; top: number }): string {
  const { insetPoints, thicknessPoints = 0.75, dashes = '', areBoxes = false } = ruled;
  const [cellWidth, rowHeight] = [62, areBoxes ? 19 : 13];
  const line = (x1: number, y1: number, x2: number, y2: number): string =>
    `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="black" stroke-linecap="square"
      stroke-width="${thicknessPoints}" stroke-dasharray="${dashes}"/>`;
  const inset = insetPoints + thicknessPoints / 2;
  const parts: string[] = [];
  for (const [at, word] of WORDS.entries()) {
    const [row, column] = [Math.floor(at / COLUMNS), at % COLUMNS];
    const [left, top] = [margin.left + column * cellWidth, margin.top + row * rowHeight];
    // Upper bound for the letter width of Liberation Sans.
    const boxWidth = areBoxes ? 2 * inset + word.length * 0.68 * SIZE : cellWidth;
    const [right, bottom] = [left + boxWidth, top + 13];
    const { ground, ink } = (row === 0 ? ruled.header : undefined) ?? { ground: '', ink: 'black' };
    if (ground !== '') {
      parts.push(`<rect x="${left}" y="${top}" width="${boxWidth}" height="13" fill="${ground}"/>`);
    }
    if (areBoxes) {
      parts.push(line(left, top, right, top), line(left, bottom, right, bottom));
      parts.push(line(left, top, left, bottom), line(right, top, right, bottom));
    }
    const isAtRight = !areBoxes && (row + column) % 3 === 1;
    const [x, anchor] = isAtRight ? [right - inset, 'end'] : [left + inset, 'start'];
    parts.push(`<text x="${x}" y="${top + 9.6}" text-anchor="${anchor}" fill="${ink}"
      font-size="${SIZE}" font-family="Liberation Sans">${word}</text>`);
  }
  if (areBoxes) return parts.join('');
  const [right, bottom] = [
    margin.left + COLUMNS * cellWidth,
    margin.top + (WORDS.length / COLUMNS) * rowHeight,
  ];
  for (let y = margin.top; y <= bottom; y += rowHeight) {
    parts.push(line(margin.left, y, right, y));
  }
  for (let x = margin.left; x <= right; x += cellWidth) parts.push(line(x, margin.top, x, bottom));
  return parts.join('');
}

/** Returns the words that a text lacks, of a page that has each of them several times. */
function missingIn(text: string, times: number): string[] {
  const read = text.split(/[^\p{L}]+/u);
  return Array.from({ length: times }, () => WORDS)
    .flat()
    .filter((word) => {
      const at = read.indexOf(word);
      if (at >= 0) read.splice(at, 1);
      return at < 0;
    });
}

/** Returns the texts found on a page, whose size is in points. */
async function textsOf(
  jpeg: Buffer,
  { width, height }: { width: number; height: number },
): Promise<string[]> {
  const document = await PDFDocument.create();
  const page = document.addPage([width, height]);
  page.drawImage(await document.embedJpg(jpeg), { x: 0, y: 0, width, height });
  const opened = await pdf.open(await document.save(), {
    source: 'en',
    target: 'es',
    maxCharacters: 100_000,
    output: 'pdf',
  });
  return opened.blocks.map(({ segment }) => plainText(segment));
}

/** Returns a page 300 points wide at 150 dpi, with a drawing in points. */
function smallPage(drawing: string, height: number): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 ${height}" width="625"
    height="${Math.round((height * 150) / 72)}" font-family="Liberation Sans" font-size="9">
    <rect width="300" height="${height}" fill="#fcfbf7"/>
    ${drawing}</svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 80 }).toBuffer();
}

const text = (x: number, y: number, content: string): string =>
  `<text x="${x}" y="${y}">${content}</text>`;

/** Cells of one or two lines, centred vertically in their rows. */
function centredTable(rows: readonly (readonly string[])[]): string {
  const columns = [20, 78, 196, 240, 282];
  const tops = [14, 42, 70, 98];
  const cells = rows.flatMap((cells, row) =>
    cells.flatMap((cell, column) =>
      cell.split('|').map((line, at, { length }) => {
        const y = (tops[row] ?? 0) + 17 + (at - (length - 1) / 2) * 11;
        return text((columns[column] ?? 0) + 3, y, line);
      }),
    ),
  );
  return [
    ...columns.map((x) => `<path d="M${x} 14V98" stroke="#333" stroke-width="0.75"/>`),
    ...tops.map((y) => `<path d="M20 ${y}H282" stroke="#333" stroke-width="0.75"/>`),
    ...cells,
  ].join('');
}

/** Cells of one line, the first row white in a dark band. */
function bandedTable(rows: readonly (readonly string[])[]): string {
  const columns = [20, 90, 160, 230, 282];
  return [
    '<rect x="20" y="8" width="262" height="15" fill="#1f4e79"/>',
    ...[23, 38].map((y) => `<path d="M20 ${y}H282" stroke="#333" stroke-width="0.75"/>`),
    ...columns.map((x) => `<path d="M${x} 8V38" stroke="#333" stroke-width="0.75"/>`),
    ...rows.flatMap((cells, row) =>
      cells.map((cell, column) => {
        const written = text((columns[column] ?? 0) + 3, 19 + row * 15, cell);
        return row === 0 ? `<g fill="white" font-weight="bold">${written}</g>` : written;
      }),
    ),
  ].join('');
}

/** Rows so low that letters almost touch their thick rules. */
function thickTable(rows: readonly (readonly string[])[]): string {
  const [columns, pitch, bottom] = [[20, 110, 190, 282], 11.7, 12 + 11.7 * rows.length];
  const rules = [
    ...columns.map((x) => `M${x} 12V${bottom}`),
    ...[...rows, []].map((_, row) => `M20 ${12 + row * pitch}H282`),
  ];
  const cells = rows.flatMap((cells, row) =>
    cells.map((cell, column) =>
      text((columns[column] ?? 0) + 3, 12 + row * pitch + 0.76 * pitch, cell),
    ),
  );
  return `<path d="${rules.join('')}" stroke="black" stroke-width="3.7"/>${cells.join('')}`;
}

function tickBoxes(choices: readonly string[]): string {
  return choices
    .map((choice, at) => {
      const y = 75 + at * 15;
      return `<rect x="20" y="${y - 8}" width="9" height="9" fill="none" stroke="black"/>
        ${text(34, y, choice)}`;
    })
    .join('');
}

function dottedContents(titles: readonly string[], top: number): string {
  return titles
    .map((title, at) => {
      const y = top + at * 12;
      const from = 24 + title.length * 4.2;
      // The last with full stops, as they are typed.
      const dots =
        at + 1 < titles.length
          ? `<path d="M${from} ${y}H260" stroke="black" stroke-width="1.4"
              stroke-linecap="round" stroke-dasharray="0 2.8"/>`
          : text(from, y, '.'.repeat(Math.floor((260 - from) / 2.5)));
      return `${text(20, y, title)}${dots}${text(270, y, String(at + 3))}`;
    })
    .join('');
}

describe('the table of a scanned page', () => {
  it('has its cells read separately at different heights, and in a dark band, above tick boxes, a table of contents whose dots are no words, and words that almost touch thick rules', async () => {
    const rows = [
      ['Place', 'Work', 'Interval', 'Unit|price'],
      ['Pumping|station', 'Check the seals and oil|the bearings', 'Monthly', 'Seventy'],
      ['Filter hall', 'Rinse the sand filters and|close the valve', 'Weekly', 'Fifty|three'],
    ];
    const choices = ['Adult, full year', 'Institution'];
    const titles = ['Plan of the plots', 'Statutes of the association'];
    const amounts = [
      ['Quantity', 'Amount', 'Discount', 'Total'],
      ['Twelve', 'Ninety', 'Ten', 'Sixty'],
    ];
    const low = [
      ['Ampoules', 'boxes', 'returned'],
      ['Handles', 'pairs', 'unknown'],
    ];
    const size = { width: 300, height: 330 };
    const page = await smallPage(
      [
        centredTable(rows),
        `<g transform="translate(0 112)">${bandedTable(amounts)}${tickBoxes(choices)}</g>`,
        dottedContents(titles, 245),
        `<g transform="translate(0 275)">${thickTable(low)}</g>`,
      ].join(''),
      size.height,
    );
    const read = await textsOf(page, size);
    expect(read.filter((each) => titles.includes(each))).toEqual(titles);
    const others = [...titles, ...amounts.flat(), ...choices, ...low.flat()];
    expect(read).toEqual(expect.arrayContaining(others));
    const texts = read.filter((each) => !others.includes(each));
    const words = (all: readonly string[]): string[] =>
      all.flatMap((one) => one.split(/[\s|]/)).toSorted();
    // No word is lost or read twice.
    expect(words(texts)).toEqual(words(rows.flat()));
    expect(texts).toEqual(expect.arrayContaining(['Pumping station', 'Unit price', 'Fifty three']));
  });

  it('has its words read beside rules that lie askew: close ones, hairlines, dotted ones, boxes, coloured bands', async () => {
    const tables: Ruled[] = [
      { insetPoints: 0.5 },
      { insetPoints: 1, thicknessPoints: 0.4, header: { ground: '#1f4e79', ink: 'white' } },
      { insetPoints: 1.5, dashes: '0 1.65' },
      { insetPoints: 1, areBoxes: true },
    ];
    const size = { width: 246, height: 220 };
    const drawn = tables.map((table, at) => ruledWords(table, { left: 30, top: 24 + at * 46 }));
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}"
      width="${Math.round((size.width * 200) / 72)}" height="${Math.round((size.height * 200) / 72)}">
      <rect width="${size.width}" height="${size.height}" fill="#fcfbf7"/>
      <g transform="rotate(0.6 ${size.width / 2} ${size.height / 2})">${drawn.join('')}</g></svg>`;
    const page = await sharp(Buffer.from(svg)).jpeg({ quality: 85 }).toBuffer();
    const read = (await textsOf(page, size)).join('\n');
    expect(missingIn(read, tables.length)).toEqual([]);
  });
});
