/** Converting PDF pages into a flowing docx document. */
import { readFileSync } from 'node:fs';
import { degrees, PDFDocument, rgb, StandardFonts } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { plainText, type TextSegment } from '../../../server/text/text-segment.ts';
import {
  pageCount,
  pdfText,
  soffice,
  unzipped,
  zipOf,
  zipText,
} from '../../support/documents/documents.ts';
import { harbourBook } from '../../support/documents/harbour-book.ts';
import { once } from '../../support/suite/made-once.ts';

const options = { source: 'en', target: 'es', output: 'docx', maxCharacters: 1_000_000 } as const;

/** The running texts of every page, and the note. */
const RUNNING = / ?(Chronicle of the harbour|Page of|Kept in the archive of the city)/g;

const book = once(async () => {
  const [file = ''] = await soffice([{ name: 'book.fodt', content: await harbourBook() }], 'pdf');
  return readFileSync(file);
});

const openedBook = once(async () => pdf.open(await book(), options));

const flowed = async (
  change: (segment: TextSegment) => TextSegment,
  target = 'es',
): Promise<Uint8Array> => {
  const opened = await openedBook();
  return opened.write(
    opened.blocks.map(({ segment }) => change(segment)),
    { source: 'en', target },
  );
};

/** The book with its original words. */
const same = once(() => flowed((segment) => segment));

const inArabic = (segment: TextSegment): TextSegment =>
  segment.map((part) => (typeof part === 'string' ? part.replace(/\p{L}+/gu, 'كلمة') : part));
const arabic = once(() => flowed(inArabic, 'ar'));

/** Without what differs in every run, the number of its only link and its time: its conversion is kept. */
function alike(docx: Uint8Array): Uint8Array {
  const entries = Object.entries(unzipped(docx)).map(
    ([name, bytes]): [string, string | Uint8Array] => {
      if (!/\.(?:xml|rels)$/.test(name)) return [name, bytes];
      const text = Buffer.from(bytes)
        .toString()
        .replaceAll(/rId[\w-]{21}/g, 'rIdLink')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2027-01-01T00:00:00Z');
      return [name, text];
    },
  );
  return zipOf(Object.fromEntries(entries));
}

describe('a docx document made from a PDF', () => {
  it("has headings, lists, tables, pictures, notes and links in Word's forms", async () => {
    const docx = await same();
    const xml = zipText(docx, 'word/document.xml');
    expect(xml).toMatch(/w:pStyle w:val="Heading1"\/>(?:(?!<\/w:p>).)*The harbour and its city/);
    expect(xml).toMatch(/w:pStyle w:val="Heading2"\/>(?:(?!<\/w:p>).)*Prices/);
    expect(xml.match(/<w:numPr>/g)?.length).toBeGreaterThanOrEqual(5);
    expect(xml.match(/<w:tbl>/g)).toHaveLength(1);
    expect(xml).toContain('<w:gridSpan w:val="3"/>');
    expect(xml).toContain('w:fill="DDEEFF"');
    expect(xml).toMatch(/<w:b\/>(?:(?!<\/w:r>).)*bold words/);
    expect(xml).toMatch(/<w:i\/>(?:(?!<\/w:r>).)*C00000(?:(?!<\/w:r>).)*red italics/);
    expect(xml).toMatch(/<w:hyperlink [^>]*>(?:(?!<\/w:hyperlink>).)*link to the archive/);
    expect(xml).toContain('<w:footnoteReference ');
    expect(xml).toMatch(/<w:cols [^>]*w:num="2"/);
    expect(zipText(docx, 'word/footnotes.xml')).toContain('Kept in the archive of the city.');
    expect(zipText(docx, 'word/_rels/document.xml.rels')).toContain('https://example.org/harbour');
    const names = Object.keys(unzipped(docx));
    expect(names.filter((name) => /media\/.*\.(?:png|jpg)$/.test(name))).toHaveLength(1);
  });

  it('has running texts in header and footer, with page fields', async () => {
    const docx = await same();
    const parts = Object.entries(unzipped(docx)).map(([name, bytes]) => ({
      name,
      text: Buffer.from(bytes).toString(),
    }));
    const header = parts.filter(({ name }) => /word\/header\d/.test(name));
    const footer = parts.filter(({ name }) => /word\/footer\d/.test(name));
    expect(header.map(({ text }) => text).join('')).toContain('Chronicle of the harbour');
    expect(footer.map(({ text }) => text).join('')).toMatch(/PAGE.*NUMPAGES/);
    expect(zipText(docx, 'word/document.xml')).not.toContain('Chronicle of the harbour');
  });

  it('opens in LibreOffice with all words in order and about as many pages', async () => {
    const file = await book();
    const written = [alike(await same()), alike(await arabic())];
    const [rendered = '', mirrored = ''] = await soffice(
      written.map((content, at) => ({ name: `${at}.docx`, content })),
      'pdf',
    );
    // Headers, footers and notes are at page ends, which differ.
    const words = async (of: string | Uint8Array): Promise<string> =>
      ((await pdfText(of)).match(/\p{L}+/gu) ?? []).join(' ').replaceAll(RUNNING, '');
    expect(await words(rendered)).toBe(await words(file));
    for (const of of [rendered, mirrored]) {
      expect(Math.abs((await pageCount(of)) - (await pageCount(file)))).toBeLessThanOrEqual(1);
    }
  });

  it('has paragraphs joined across columns and pages', async () => {
    const opened = await openedBook();
    const texts = opened.blocks.map(({ segment }) => plainText(segment));
    const whole = texts.filter(
      (text) => text.includes('The old harbour') && text.endsWith('still not complete.'),
    );
    // One after the heading, three of the history, four in the columns.
    expect(whole).toHaveLength(8);
  });

  it('keeps special spaces of a translation', async () => {
    const spaced = await flowed((segment) =>
      segment.map((part) =>
        typeof part === 'string' ? part.replace('old harbour', 'old\u00a0 har\u3000bour') : part,
      ),
    );
    expect(zipText(spaced, 'word/document.xml')).toContain('The old\u00a0har\u3000bour');
  });

  it('runs right to left for a right-to-left language', async () => {
    const docx = await arabic();
    const xml = zipText(docx, 'word/document.xml');
    expect(xml).toContain('<w:bidi/>');
    expect(xml).toContain('<w:rtl/>');
    expect(xml).toContain('<w:bidiVisual/>');
    expect(zipText(docx, 'word/styles.xml')).toContain('w:bidi="ar"');
  });
});

/** A designed page: backgrounds, labels, cards, a watermark, a flow chart, a rotated label. */
async function designedPage(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const page = document.addPage([595, 842]);
  const font = await document.embedFont(StandardFonts.Helvetica);
  const white = rgb(1, 1, 1);
  const black = rgb(0, 0, 0);
  const rounded = (width: number, height: number): string =>
    `M6 0 H${width - 6} Q${width} 0 ${width} 6 V${height} H0 V6 Q0 0 6 0 Z`;
  page.drawSvgPath(rounded(500, 60), { x: 47, y: 800, color: rgb(0.1, 0.2, 0.4) });
  page.drawText('White title upon blue', { x: 60, y: 760, size: 24, font, color: white });
  page.drawText('Topics:', { x: 50, y: 700, size: 10, font });
  page.drawSvgPath(rounded(60, 16), { x: 95, y: 712, color: rgb(0.1, 0.6, 0.3) });
  page.drawText('Fountains', { x: 102, y: 700, size: 10, font, color: white });
  page.drawText('Lost words', { x: 50, y: 675, size: 10, font, color: white });
  page.drawSvgPath(rounded(190, 40), { x: 50, y: 660, borderWidth: 1, borderColor: black });
  page.drawText('Planting trees and repairing fences.', { x: 56, y: 642, size: 10, font });
  for (const [row, words] of ['Apples', 'Pears', 'Plums'].entries()) {
    for (const [column, text] of [words, `${row + 3} kg`].entries()) {
      const [x, y] = [50 + column * 120, 540 - row * 24];
      page.drawRectangle({ x, y, width: 120, height: 24, borderWidth: 1, borderColor: black });
      page.drawText(text, { x: x + 5, y: y + 8, size: 10, font });
    }
  }
  page.drawText('Printed in the garden house', {
    x: 215,
    y: 470,
    size: 10,
    font,
    rotate: degrees(90),
  });
  for (const [x, text] of [
    [50, 'Planning'],
    [220, 'Execution'],
  ] as const) {
    page.drawRectangle({ x, y: 380, width: 100, height: 50, borderWidth: 1, borderColor: black });
    page.drawText(text, { x: x + 25, y: 402, size: 10, font });
  }
  page.drawLine({ start: { x: 150, y: 405 }, end: { x: 220, y: 405 } });
  page.drawText('DRAFT', { x: 200, y: 250, size: 70, font, rotate: degrees(45), opacity: 0.2 });
  page.drawText('COPY', { x: 60, y: 200, size: 60, font, opacity: 0.2 });
  page.drawText('The last words of the page.', { x: 50, y: 120, size: 10, font });
  return document.save();
}

describe('a designed PDF page', () => {
  it('flows with every word readable, without watermarks and empty boxes', async () => {
    const opened = await pdf.open(await designedPage(), options);
    const segments = opened.blocks.map(({ segment }) => segment);
    const text = segments.map(plainText).join(' ');
    for (const word of ['title', 'Fountains', 'fences', 'Pears', 'garden', 'Execution', 'last'])
      expect(text).toContain(word);
    expect(text).not.toMatch(/DRAFT|COPY/);
    const docx = await opened.write(segments, { source: 'en', target: 'es' });
    const xml = zipText(docx, 'word/document.xml');
    const paragraphOf = (words: string): string =>
      /<w:p>(?:(?!<w:p>).)*$/.exec(xml.slice(0, xml.indexOf(words)))?.[0] ?? '';
    expect(paragraphOf('White title')).toContain('w:fill="1A3366"');
    expect(paragraphOf('Fountains')).toContain('w:fill="1A994D"');
    expect(paragraphOf('Lost words')).not.toContain('FFFFFF');
    // The card is not drawn empty; of the three boxes only the table becomes one.
    expect(xml).not.toContain('<w:drawing>');
    expect(xml.match(/<w:tbl>/g)).toHaveLength(1);
    const table = xml.slice(xml.indexOf('<w:tbl>'), xml.indexOf('</w:tbl>'));
    expect(table.match(/<w:tc>/g)).toHaveLength(6);
    expect(table).toContain('Plums');
    expect(table).not.toContain('garden house');
  });
});

it('the PDF reader keeps a compound whole that is divided at its own hyphen', async () => {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const page = document.addPage([595, 842]);
  const lines = [
    'The old harbour was rebuilt last year with a state-of-',
    'the-art basin, and all the boats of the town have a',
    'place there in the winter.',
  ];
  for (const [row, text] of lines.entries()) {
    page.drawText(text, { x: 50, y: 700 - row * 14, size: 11, font });
  }
  const opened = await pdf.open(await document.save(), options);
  const text = opened.blocks.map(({ segment }) => plainText(segment)).join(' ');
  expect(text).toContain('a state-of-the-art basin, and all the boats of the town have a place');
});

it('the PDF reader does not take a subscript for the note of a superscript', async () => {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const page = document.addPage([600, 200]);
  let x = 50;
  const parts: [text: string, size: number, y: number][] = [
    ['The area is 5 m', 10, 100],
    ['2', 8, 105],
    [' and CO', 10, 100],
    ['2', 8, 95],
    [' is the gas of the car.', 10, 100],
  ];
  for (const [text, size, y] of parts) {
    page.drawText(text, { x, y, size, font });
    x += font.widthOfTextAtSize(text, size);
  }
  const opened = await pdf.open(await document.save(), options);
  const text = opened.blocks.map(({ segment }) => plainText(segment)).join(' ');
  expect(text).toContain('The area is 5 m2 and CO');
  const docx = await opened.write(
    opened.blocks.map(({ segment }) => segment),
    { source: 'en', target: 'es' },
  );
  expect(zipText(docx, 'word/document.xml')).not.toContain('footnoteReference');
});
