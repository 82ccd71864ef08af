import { PDFDict, PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';

import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { pdfText, renderPages, zipText } from '../../support/documents/documents.ts';
import { rawPdf } from '../../support/documents/pdf-files.ts';

/** Translates the only page of a file into capitals. */
async function shouted(content: string, output: 'pdf' | 'docx' = 'pdf'): Promise<Uint8Array> {
  const file = await rawPdf([{ content }]);
  const document = await pdf.open(file, {
    source: 'en',
    target: 'de',
    output,
    maxCharacters: 10_000,
  });
  const translated = document.blocks.map(({ segment }) =>
    segment.map((part) => (typeof part === 'string' ? part.toUpperCase() : part)),
  );
  return document.write(translated, { source: 'en', target: 'de' });
}

async function darkestOf(file: Uint8Array): Promise<number> {
  const [page] = await renderPages(file, { dpi: 100 });
  return Math.min(...new Set(page?.pixels));
}

/** Returns the names of the fonts of the first page. */
async function fontsOf(file: Uint8Array): Promise<string> {
  const page = (await PDFDocument.load(file)).getPage(0);
  const fonts = page.node.Resources()?.lookup(PDFName.of('Font'), PDFDict);
  const names = (fonts?.values() ?? []).map((font) =>
    String(page.doc.context.lookup(font, PDFDict).get(PDFName.of('BaseFont'))),
  );
  return names.filter((name) => name.includes('+')).join();
}

const heading = '(The old house near the river) Tj';
const twice = (first: string, later: string, { apart = 0.5, font = 'Times' } = {}) =>
  [
    `BT /${font} 18 Tf ${first} 1 0 0 1 ${60 + apart} 700 Tm ${heading} ET`,
    `BT /${font} 18 Tf ${later} 1 0 0 1 60 700 Tm ${heading} ET`,
  ].join('\n');

describe('PDF text printed more than once', () => {
  it.each([
    ['a white halo', twice('1 g', '0 g')],
    ['a shadow', twice('0.6 g', '0 g', { apart: 1.2 })],
    ['a halo of outlines', twice('1 Tr 3 w 1 G', '0 Tr 0 g', { apart: 0 })],
    ['a halo on all sides', ['1 g', '1 g', '1 g'].map((g) => twice(g, '0 g')).join('\n')],
  ])('has the visible colour where it has %s', async (_, content) => {
    const written = await shouted(content);
    expect((await pdfText(written)).trim()).toBe('THE OLD HOUSE NEAR THE RIVER');
    expect(await darkestOf(written)).toBeLessThan(60);
    expect(await fontsOf(written)).not.toContain('Bold');
    const docx = await shouted(content, 'docx');
    const story = zipText(docx, 'word/document.xml');
    expect(story).toContain('THE OLD HOUSE');
    expect(story + zipText(docx, 'word/styles.xml')).not.toMatch(
      /w:color w:val="(?:FFFFFF|999999)"/i,
    );
  });

  it('keeps a white print that comes last', async () => {
    expect(await darkestOf(await shouted(twice('0.8 g', '1 g')))).toBeGreaterThan(240);
  });

  it.each([
    ['a little apart', twice('0 g', '0 g', { apart: 0.3 })],
    ['filled and outlined', `BT /Times 18 Tf 2 Tr 0.6 w 60 700 Td ${heading} ET`],
    [
      'letter by letter',
      Array.from(
        'house',
        (letter, at) =>
          `BT /Times 18 Tf 1 0 0 1 ${60 + at * 10} 700 Tm (${letter}) Tj 1 0 0 1 ${60.4 + at * 10} 700 Tm (${letter}) Tj ET`,
      ).join('\n'),
    ],
  ])('is bold where repetition makes it bold: %s', async (_, content) => {
    expect(await fontsOf(await shouted(content))).toContain('Bold');
  });

  it.each([
    ['twice at one place', twice('0 g', '0 g', { apart: 0 })],
    [
      'filled and outlined in another colour',
      `BT /Times 18 Tf 2 Tr 1 0 0 RG 60 700 Td ${heading} ET`,
    ],
  ])('otherwise is as bold as its font: %s', async (_, content) => {
    // Beside bold text of the same font.
    const written = await shouted(
      `${content}\n${twice('0 g', '0 g').replaceAll('700 Tm', '400 Tm')}`,
    );
    expect((await fontsOf(written)).split(',')).toHaveLength(2);
  });
});
