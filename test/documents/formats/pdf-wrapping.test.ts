/** PDF text that runs around pictures. */
import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';

import type {
  PageParagraph,
  TextLine,
  TextStyle,
} from '../../../server/documents/formats/pdf/page-model.ts';
import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { wrapsOf } from '../../../server/documents/formats/pdf/wrapped-lines.ts';
import { type PdfWord, wordsOf } from '../../support/documents/documents.ts';
import { rawPdf, riverText, wrapped } from '../../support/documents/pdf-files.ts';
import {
  openDocument,
  plainTextsOf,
  translatedDocument,
} from '../../support/documents/translated-document.ts';

const LINE_POINTS = 15;

const font = await (await PDFDocument.create()).embedFont(StandardFonts.TimesRoman);

/** Returns a text at 12 points, in lines of a column of which the first may be shorter. */
function lines(
  text: string,
  { y, short }: { y: number; short?: { count: number; x: number; width: number } },
): { content: string; count: number } {
  const placed: string[] = [];
  let rest = text;
  while (rest !== '') {
    const isShort = short !== undefined && placed.length < short.count;
    const { x, width } = isShort ? short : { x: 60, width: 470 };
    const [line = ''] = wrapped(rest, { font, size: 12, width });
    const height = y - placed.length * LINE_POINTS;
    placed.push(`BT /Times 12 Tf ${x} ${height} Td (${line}) Tj ET`);
    rest = rest.slice(line.length).trim();
  }
  return { content: placed.join('\n'), count: placed.length };
}

const first = `Alpha ${riverText} ${riverText} Alphaend.`;
const second = `Beta ${riverText} ${riverText} Betaend.`;

/** Returns two paragraphs from x = 60 to about 530; a drawing is beside the first lines of the first. */
function page(side: 'left' | 'right'): { content: string; picture: Omit<PdfWord, 'text'> } {
  const left = side === 'left' ? 60 : 360;
  const picture = { left, right: left + 170, top: 842 - 792, bottom: 842 - 732 };
  // The last of the shorter lines is below the drawing, within its margin.
  const short = { count: 5, x: side === 'left' ? 245 : 60, width: 285 };
  const above = lines(first, { y: 780, short });
  const below = lines(second, { y: 780 - above.count * LINE_POINTS - 8 });
  const drawing = `0.8 g ${left} 732 100 60 re f ${left + 100} 732 m ${left + 170} 792 l ${left + 100} 792 l f 0 g`;
  return { content: `${drawing}\n${above.content}\n${below.content}`, picture };
}

const isOn = (word: PdfWord, box: Omit<PdfWord, 'text'>): boolean =>
  Math.min(word.right, box.right) - Math.max(word.left, box.left) > 0.5 &&
  Math.min(word.bottom, box.bottom) - Math.max(word.top, box.top) > 3;

describe.each(['left', 'right'] as const)('PDF text beside a picture at the %s', (side) => {
  it('is read as one paragraph', async () => {
    const file = await rawPdf([{ content: page(side).content }]);
    expect(plainTextsOf(await openDocument(pdf, file))).toEqual([first, second]);
  });

  it('is written around the picture in its original size', async () => {
    const { content, picture } = page(side);
    const file = await rawPdf([{ content }]);
    const before = wordsOf(file);
    const after = wordsOf(
      await translatedDocument(pdf, file, {
        translate: (text) => text.replaceAll(/[a-z]{4,}/g, (word) => `${word}${word.slice(0, 2)}`),
      }),
    );
    expect(after.filter((word) => isOn(word, picture))).toEqual([]);
    const wordAt = (words: readonly PdfWord[], name: string): PdfWord => {
      const found = words.find(({ text }) => text.startsWith(name));
      if (found === undefined) throw new Error(`There is no ${name}.`);
      return found;
    };
    for (const name of ['Alpha', 'Beta']) {
      const [was, is] = [wordAt(before, name), wordAt(after, name)];
      expect(is.bottom - is.top).toBeGreaterThan(0.97 * (was.bottom - was.top));
    }
    // Beside the picture and below it, where lines have the full column width.
    const text = after.filter(({ top }) => top < wordAt(after, 'Beta').top - 1);
    const beside = text.filter(({ top, bottom }) => bottom > picture.top && top < picture.bottom);
    const below = text.filter(({ top }) => top > picture.bottom + LINE_POINTS);
    const leftOf = (words: readonly PdfWord[]): number =>
      Math.min(...words.map(({ left }) => left));
    const rightOf = (words: readonly PdfWord[]): number =>
      Math.max(...words.map(({ right }) => right));
    expect(leftOf(beside)).toBeCloseTo(side === 'left' ? 245 : 60, 0);
    expect(leftOf(below)).toBeCloseTo(60, 0);
    expect(rightOf(below)).toBeGreaterThan(480);
    if (side === 'right') expect(rightOf(beside)).toBeGreaterThan(310);
  });
});

it('PDF text over a watermark is moved down', async () => {
  const above = lines(first, { y: 780 });
  const below = lines(second, { y: 780 - above.count * LINE_POINTS - 8 });
  const watermark = '0.9 g 200 620 180 180 re f 0 g';
  const file = await rawPdf([{ content: `${watermark}\n${above.content}\n${below.content}` }]);
  const before = wordsOf(file);
  const after = wordsOf(
    await translatedDocument(pdf, file, {
      translate: (text) => text.replaceAll(/[a-z]{4,}/g, (word) => `${word}${word.slice(0, 2)}`),
    }),
  );
  const topOf = (words: readonly PdfWord[]): number =>
    words.find(({ text }) => text.startsWith('Beta'))?.top ?? 0;
  expect(topOf(after)).toBeGreaterThan(topOf(before) + LINE_POINTS / 2);
});

const longerWords = (text: string): string =>
  text.replaceAll(/[a-z]{4,}/g, (word) => `${word}${word.slice(0, 2)}`);

it('PDF text stays clear of the labels of an adjacent chart', async () => {
  const top = 792;
  const axis = `0.5 w 390 732 m 390 ${top} l 390 732 m 530 732 l S 410 732 30 40 re f`;
  const labels = [750, 770].map((y, at) => `BT /Times 8 Tf 368 ${y} Td (${at + 1}0 m) Tj ET`);
  const text = lines(first, { y: 780, short: { count: 5, x: 60, width: 290 } });
  const file = await rawPdf([{ content: [axis, ...labels, text.content].join('\n') }]);
  expect(plainTextsOf(await openDocument(pdf, file))).toContain(first);
  const after = wordsOf(await translatedDocument(pdf, file, { translate: longerWords }));
  const beside = after.filter(({ top: from, left }) => from < 842 - 745 && left < 355);
  expect(beside.length).toBeGreaterThan(10);
  expect(Math.max(...beside.map(({ right }) => right))).toBeLessThan(368);
});

it('PDF text is written around the caption below a picture', async () => {
  const caption = ['The bridge after the flood of', 'the spring, as it was seen by', 'all'];
  const captionLines = caption.map((line, at) => {
    return `BT /Times 10 Tf 60 ${742 - at * 12} Td (${line}) Tj ET`;
  });
  const text = lines(first, { y: 780, short: { count: 6, x: 225, width: 305 } });
  const content = ['0.6 g 60 752 150 40 re f 0 g', ...captionLines, text.content].join('\n');
  const file = await rawPdf([{ content }]);
  const after = wordsOf(await translatedDocument(pdf, file, { translate: longerWords }));
  for (const word of after) expect(after.filter((other) => isOn(other, word))).toEqual([word]);
  const rest = after.filter(({ top }) => top > 842 - 780 + 6 * LINE_POINTS);
  expect(Math.min(...rest.map(({ left }) => left))).toBeCloseTo(60, 0);
});

it('finding the obstacles of paragraphs takes time linear in their number', () => {
  const worksFor = (count: number): number => {
    let reads = 0;
    const picture = { left: 60, right: 200, bottom: 100, top: 500 };
    const style = { sizePoints: 10 } as TextStyle;
    const paragraphs = Array.from({ length: count }, (): PageParagraph => {
      const line = (left: number, bottom: number): TextLine => {
        const box = { left, right: 500, bottom, top: bottom + 1 };
        return {
          runs: [{ text: 'River', style, link: undefined }],
          box,
          baseline: bottom,
          endsInHyphen: false,
        };
      };
      const own = [line(210, 101), line(60, 90), line(60, 80)];
      return {
        lines: own,
        align: 'left',
        leading: 1.2,
        rotation: 0,
        headingLevel: undefined,
        listMarker: undefined,
        markerLine: undefined,
        textObjects: [],
        markerObjects: [],
        get box() {
          reads += 1;
          return { left: 60, right: 500, bottom: 80, top: 102 };
        },
      };
    });
    expect(wrapsOf(paragraphs, [picture]).size).toBe(count);
    return reads;
  };
  expect(worksFor(2_000)).toBeLessThan(3 * worksFor(1_000));
});
