import { describe, expect, it } from 'vitest';

import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { type PdfWord, wordsOf } from '../../support/documents/documents.ts';
import { linesContent, rawPdf, riverText } from '../../support/documents/pdf-files.ts';
import { translatedDocument } from '../../support/documents/translated-document.ts';

function wordAt(words: readonly PdfWord[], text: string): PdfWord {
  const found = words.find((word) => word.text === text);
  if (found === undefined) throw new Error(`There is no ${text}.`);
  return found;
}

/** Returns a paragraph of lines of 40 letters at 12 points that begins with its name. */
function paragraph(name: string, { x = 60, y }: { x?: number; y: number }): string {
  return linesContent(linesOf(`${name} ${riverText}`), { x, y });
}

function linesOf(text: string): string[] {
  return text.match(/.{1,40}(?: |$)/g)?.map((line) => line.trim()) ?? [];
}

/** Returns a translation longer by `more`, with an identifiable last word. */
const longer =
  (more: string) =>
  (text: string): string =>
    text.includes('river') ? `${text} ${more} ${text.split(' ')[0] ?? ''}end` : text;

const height = ({ top, bottom }: PdfWord): number => bottom - top;

describe('a translated PDF page with free room at its foot', () => {
  it('keeps the distance between paragraphs that grow', async () => {
    const names = ['Alpha', 'Beta', 'Gamma'];
    const content = names.map((name, at) => paragraph(name, { y: 760 - at * 100 })).join('\n');
    const file = await rawPdf([{ content }]);
    const before = wordsOf(file);
    const after = wordsOf(
      await translatedDocument(pdf, file, { translate: longer('and some words more than that') }),
    );
    for (const [at, name] of names.slice(1).entries()) {
      const first = wordAt(after, name);
      const gap = first.top - wordAt(after, `${names[at] ?? ''}end`).bottom;
      const lines = before.filter((word) => word.bottom <= wordAt(before, name).top + 1);
      const was = wordAt(before, name).top - Math.max(...lines.map(({ bottom }) => bottom));
      // The letters of the source font are less high.
      expect(gap).toBeGreaterThan(0.75 * was);
      expect(height(first)).toBeGreaterThan(0.97 * height(wordAt(after, 'Alpha')));
    }
  });

  it('has a line above a table on the room at its right', async () => {
    const line = 'Repairs of the river in this year and the next';
    const cell = linesContent(['The old bridge', 'and its road'], { x: 60, y: 660 });
    const content = `${linesContent([line], { x: 60, y: 700 })} ${cell} ${linesContent(['1,250.00'], { x: 480, y: 660 })}`;
    const file = await rawPdf([{ content }]);
    const words = wordsOf(await translatedDocument(pdf, file, { translate: longer('at last') }));
    expect(wordAt(words, 'Repairsend').top).toBeCloseTo(wordAt(words, 'Repairs').top, 0);
  });

  it('shrinks letters only in the column with an obstacle below', async () => {
    const content = [
      paragraph('Alpha', { y: 760 }),
      paragraph('Beta', { y: 660 }),
      paragraph('Gamma', { x: 330, y: 760 }),
      paragraph('Delta', { x: 330, y: 660 }),
      '60 560 230 8 re f',
    ];
    const file = await rawPdf([{ content: content.join('\n') }]);
    const before = wordsOf(file);
    const after = wordsOf(await translatedDocument(pdf, file, { translate: longer(riverText) }));
    const share = (name: string): number =>
      height(wordAt(after, name)) / height(wordAt(before, name));
    expect(share('Alpha')).toBeLessThan(0.97 * share('Gamma'));
    expect(share('Beta')).toBeCloseTo(share('Alpha'), 1);
    expect(share('Delta')).toBeCloseTo(share('Gamma'), 1);
    expect(wordAt(after, 'Betaend').bottom).toBeLessThan(842 - 568 + 3);
    expect(wordAt(after, 'Deltaend').bottom).toBeGreaterThan(842 - 560);
  });

  it('shrinks letters in a narrow cell of a table, and not around the table', async () => {
    const edges = [60, 246, 290].map((x) => `${x} 600 m ${x} 630 l S`);
    const content = [
      paragraph('Alpha', { y: 760 }),
      ...['60 600 m 290 600 l S', '60 630 m 290 630 l S', ...edges],
      linesContent(['Inspection of the heating in houses'], { x: 64, y: 612 }),
      paragraph('Beta', { y: 560 }),
    ];
    const file = await rawPdf([{ content: content.join('\n') }]);
    const before = wordsOf(file);
    const after = wordsOf(
      await translatedDocument(pdf, file, {
        translate: (text) => text.replace('heating', 'heating now').replace(/Alpha|Beta/, '$& too'),
      }),
    );
    const share = (name: string): number =>
      height(wordAt(after, name)) / height(wordAt(before, name));
    expect(share('Inspection')).toBeLessThan(0.97 * share('Alpha'));
    expect(share('Beta')).toBeCloseTo(share('Alpha'), 2);
  });

  it('ends its text clear of a box below it', async () => {
    const edge = 660;
    const content = [paragraph('Alpha', { y: 760 }), `60 ${edge - 60} 230 60 re S`];
    const file = await rawPdf([{ content: content.join('\n') }]);
    const gaps: number[] = [];
    for (let words = 1; words <= 16; words += 5) {
      const translate = longer('longer '.repeat(words).trim());
      const last = wordAt(wordsOf(await translatedDocument(pdf, file, { translate })), 'Alphaend');
      gaps.push((842 - edge - last.bottom) / height(last));
    }
    expect(Math.min(...gaps)).toBeGreaterThan(0.15);
  });

  it('keeps the text below a picture and the page footer in place', async () => {
    const content = [
      paragraph('Alpha', { y: 760 }),
      paragraph('Beta', { y: 660 }),
      '60 400 230 90 re f',
      linesContent(['Bridge after the flood'], { y: 380 }),
      linesContent(['Printed in the town'], { y: 60 }),
    ];
    const file = await rawPdf([{ content: content.join('\n') }]);
    const before = wordsOf(file);
    const after = wordsOf(
      await translatedDocument(pdf, file, {
        translate: (text) => longer('and some words more')(text).replace('flood', 'floods'),
      }),
    );
    for (const name of ['Bridge', 'Printed']) {
      expect(wordAt(after, name).top).toBeCloseTo(wordAt(before, name).top, -1);
    }
    expect(wordAt(after, 'Beta').top).toBeGreaterThan(wordAt(before, 'Beta').top + 10);
  });
});

describe('a translated PDF page with text beside its columns', () => {
  const told = longer('and some words more than that');

  it('has its text moved down past a rotated line', async () => {
    const turned = `BT /Times 9 Tf 0 1 -1 0 40 300 Tm (Printed in the town) Tj ET`;
    const content = [paragraph('Alpha', { y: 760 }), paragraph('Beta', { y: 660 }), turned];
    const file = await rawPdf([{ content: content.join('\n') }]);
    const before = wordsOf(file);
    const after = wordsOf(
      await translatedDocument(pdf, file, {
        translate: (text) => told(text).replace('town', 'city'),
      }),
    );
    expect(wordAt(after, 'Beta').top).toBeGreaterThan(wordAt(before, 'Beta').top + 10);
    expect(wordAt(after, 'Printed').left).toBeCloseTo(wordAt(before, 'Printed').left, -1);
  });

  it('has its text moved down despite hundreds of paragraphs', async () => {
    const words = Array.from({ length: 330 }, (_, at) => {
      const [x, y] = [60 + (at % 10) * 48, 600 - Math.floor(at / 10) * 16];
      return `BT /Times 6 Tf ${x} ${y} Td (Level ${at}) Tj ET`;
    });
    const content = [paragraph('Alpha', { y: 800 }), paragraph('Beta', { y: 700 }), ...words];
    const file = await rawPdf([{ content: content.join('\n') }]);
    const before = wordsOf(file);
    const after = wordsOf(
      await translatedDocument(pdf, file, {
        translate: (text) => told(text).replace('Level', 'Levels'),
      }),
    );
    expect(wordAt(after, 'Beta').top).toBeGreaterThan(wordAt(before, 'Beta').top + 10);
  });
});

describe('translated PDF text in a drawn box', () => {
  const more = longer('and some words more than that');

  it('is moved down within the box if it has room', async () => {
    const content = [
      '40 540 240 250 re S',
      paragraph('Alpha', { y: 760 }),
      paragraph('Beta', { y: 660 }),
      '1 0.9 0.8 rg 300 540 240 250 re f 0 g',
      paragraph('Gamma', { x: 320, y: 760 }),
      paragraph('Delta', { x: 320, y: 660 }),
      paragraph('Epsilon', { y: 500 }),
    ];
    const file = await rawPdf([{ content: content.join('\n') }]);
    const before = wordsOf(file);
    const after = wordsOf(await translatedDocument(pdf, file, { translate: more }));
    for (const name of ['Beta', 'Delta']) {
      expect(wordAt(after, name).top).toBeGreaterThan(wordAt(before, name).top + 10);
      expect(wordAt(after, `${name}end`).bottom).toBeLessThan(842 - 540);
    }
    expect(wordAt(after, 'Epsilon').top).toBeCloseTo(wordAt(before, 'Epsilon').top, -1);
  });

  it('shrinks where it would cross the lower edge of a box with round corners', async () => {
    const round = '60 670 m 280 670 l 300 670 300 670 300 690 c 300 770 l';
    const content = [
      `0.8 0.9 1 rg ${round} 300 790 300 790 280 790 c 60 790 l`,
      '40 790 40 790 40 770 c 40 690 l 40 670 40 670 60 670 c f 0 g',
      paragraph('Alpha', { y: 760 }),
      paragraph('Beta', { y: 600 }),
    ];
    const file = await rawPdf([{ content: content.join('\n') }]);
    const after = wordsOf(await translatedDocument(pdf, file, { translate: longer(riverText) }));
    expect(wordAt(after, 'Alphaend').bottom).toBeLessThan(842 - 670 + 1);
    expect(height(wordAt(after, 'Alpha'))).toBeLessThan(0.97 * height(wordAt(after, 'Beta')));
  });
});

it('a centred PDF line stays centred in its column, not on the page', async () => {
  const column = paragraph('Alpha', { y: 760 });
  const ofColumn = wordsOf(await rawPdf([{ content: column }]));
  const middle = (60 + Math.max(...ofColumn.map(({ right }) => right))) / 2;
  const at = (x: number): string => `${column}\n${linesContent(['Thanks'], { x, y: 600 })}`;
  const middleOf = ({ left, right }: PdfWord): number => (left + right) / 2;
  const atEdge = wordAt(wordsOf(await rawPdf([{ content: at(0) }])), 'Thanks');
  const file = await rawPdf([{ content: at(middle - middleOf(atEdge)) }]);
  const translate = (text: string): string => text.replace('Thanks', 'Wewouldliketothankyou');
  const after = wordsOf(await translatedDocument(pdf, file, { translate }));
  expect(middleOf(wordAt(after, 'Wewouldliketothankyou'))).toBeCloseTo(middle, 0);
});
