import { inflateSync } from 'node:zlib';

import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';

import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { plainText, type TextSegment } from '../../../server/text/text-segment.ts';
import { pdfText, renderingDifference, renderPages } from '../../support/documents/documents.ts';
import { rawPdf } from '../../support/documents/pdf-files.ts';

/** Translates each text between marks; the marks stay. */
async function translate(
  file: Uint8Array,
  answer: (text: string) => string,
): Promise<{ written: Uint8Array; told: readonly TextSegment[] }> {
  const maxCharacters = 1_000_000;
  const options = { source: 'en', target: 'de', output: 'pdf', maxCharacters } as const;
  const document = await pdf.open(file, options);
  const told = document.blocks.map(({ segment }) => segment);
  const translated = told.map((segment) =>
    segment.map((part) => (typeof part === 'string' ? answer(part) : part)),
  );
  return { written: await document.write(translated, { source: 'en', target: 'de' }), told };
}

/** Returns a page's content stream. */
async function contentOf(file: Uint8Array): Promise<string> {
  const document = await PDFDocument.load(file);
  const contents = document.getPage(0).node.lookup(PDFName.of('Contents'));
  const { contents: packed } = contents as unknown as { contents: Uint8Array };
  return inflateSync(packed).toString('latin1');
}

describe('transparent text of a PDF file', () => {
  const watermark = async (): Promise<Uint8Array> =>
    rawPdf(
      [{ content: 'q /Faint gs BT /Times 40 Tf 1 0 0 1 60 400 Tm (Draft of today) Tj ET Q' }],
      (document) => {
        const state = document.context.obj({ Faint: { Type: 'ExtGState', ca: 0.15 } });
        document.getPage(0).node.Resources()?.set(PDFName.of('ExtGState'), state);
      },
    );

  it('keeps its transparency in the translation', async () => {
    const { written } = await translate(await watermark(), () => 'Entwurf von heute');
    const [page] = await renderPages(written);
    expect(await pdfText(written)).toContain('Entwurf von heute');
    const darkest = Math.min(...new Set(page?.pixels));
    expect(darkest).toBeLessThan(250);
    expect(darkest).toBeGreaterThan(190);
  });
});

describe('underlines and strikes of a PDF file', () => {
  // "Read the plan " is 75.3 points wide in Times at 12 points, "carefully" 46.0.
  const content = [
    'BT /Times 12 Tf 1 0 0 1 60 700 Tm (Read the plan carefully and answer it) Tj ET',
    '0 0 0 rg 130.6 698.2 45.3 0.7 re f',
    '60 400 m 500 400 l S',
    'BT /Times 12 Tf 1 0 0 1 60 404 Tm (Words in a table) Tj ET',
  ].join('\n');

  it('move with their words, while rules of tables stay', async () => {
    const file = await rawPdf([{ content }]);
    const { written, told } = await translate(file, (text) => text.toUpperCase());
    const marked = told.find((segment) => plainText(segment).startsWith('Read'));
    expect(JSON.stringify(marked)).toMatch(/"open".*"carefully".*"close"/);
    const after = await contentOf(written);
    expect(after).not.toContain('130.6 698.2');
    expect(after).toContain('60 400 m 500 400 l S');
    const [, left = '', width = ''] = /\n([\d.]+) [\d.]+ ([\d.]+) 0\.72 re/.exec(after) ?? [];
    expect(Number(left)).toBeGreaterThan(140);
    expect(Number(width)).toBeGreaterThan(60);
  });

  it('do not reach over the blanks beside them, even where they are longer than the rest', async () => {
    // "Read " is 29.3 points wide, "the whole of the plan" 103.
    const line = [
      'BT /Times 12 Tf 1 0 0 1 60 700 Tm (Read the whole of the plan now) Tj ET',
      '0 0 0 rg 89.3 698.2 103 0.7 re f',
    ].join('\n');
    const { told } = await translate(await rawPdf([{ content: line }]), (text) => text);
    const { mark, id } = { mark: 'open', id: 1 };
    expect(told).toEqual([
      ['Read ', { mark, id }, 'the whole of the plan', { mark: 'close', id }, ' now'],
    ]);
  });

  it('stay when the text is unchanged', async () => {
    const file = await rawPdf([{ content }]);
    const { written } = await translate(file, (text) => text);
    const [before, after] = [await renderPages(file), await renderPages(written)];
    expect(renderingDifference(before, after)).toBe(0);
  });
});

describe('a page of scattered letters', () => {
  it('is written in bounded time', async () => {
    const places = Array.from({ length: 1_000 }, (_, at) => {
      const [x, y] = [20 + (at % 40) * 14, 20 + Math.floor(at / 40) * 8];
      return `1 0 0 1 ${x} ${y} Tm (ab) Tj`;
    });
    const file = await rawPdf([{ content: `BT /Times 3 Tf ${places.join('\n')} ET` }]);
    const { written } = await translate(file, (text) => text.toUpperCase());
    expect(await pdfText(written)).toContain('AB');
  });
});

describe('headings of a PDF file', () => {
  const shown = (
    font: string,
    size: number,
    lines: readonly (readonly [string, number, number])[],
  ) =>
    lines
      .map(([line, x, y]) => `BT /${font} ${size} Tf 1 0 0 1 ${x} ${y} Tm (${line}) Tj ET`)
      .join('\n');

  it('are separate texts at irregular positions', async () => {
    const headings = [
      ['Environment', 430, 640],
      ['Knowledge of weather', 290, 605],
      ['Weather forecast', 200, 570],
    ] as const;
    const file = await rawPdf([{ content: shown('Bold', 24, headings) }]);
    const { told } = await translate(file, (text) => text);
    expect(told.map(plainText)).toEqual(headings.map(([text]) => text));
  });

  it('extend beyond their column into free space before they wrap', async () => {
    const content = [
      shown('Times', 10, [
        ['The letter that the king had sent arrived in the village before the winter', 60, 700],
        ['The letter arrived. The letter arrived.', 60, 640],
        ['The letter arrived.', 60, 628],
      ]),
      shown('Bold', 14, [['Every farmer sells cheese', 60, 580]]),
    ].join('\n');
    const longer = 'Every single farmer sells some cheese';
    const { written } = await translate(await rawPdf([{ content }]), (text) =>
      text.startsWith('Every') ? longer : text,
    );
    expect(await pdfText(written)).toContain(longer);
  });
});
