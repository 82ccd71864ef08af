/** What presentations and workbooks cost, up to the largest that are taken. */
import { randomBytes } from 'node:crypto';
import { paragraph, presentationOf, textBox } from '../../support/documents/presentations.ts';
import { number, row, shared, workbookOf } from '../../support/documents/workbooks.ts';
import { sentences } from '../sentences.ts';
import type { DocumentKind } from './measure.ts';

const MB = 1_000_000;
export const officeKinds: readonly DocumentKind[] = [
  { name: 'pptx', format: 'pptx', make: presentation, hasContainer: true },
  { name: 'xlsx of numbers', format: 'xlsx', make: numbers, hasContainer: true },
  { name: 'xlsx of text', format: 'xlsx', make: texts, hasContainer: true },
];

/** The n-th of endless sentences that are all different. */
function sentence(n: number): string {
  return `${n}. ${sentences[n % sentences.length] ?? ''}`;
}

/** Slides with as much text as is taken, and pictures up to 30 MB. */
function presentation(share: number): Uint8Array {
  const slides = Array.from({ length: Math.floor(1500 * share) }, (_, slide) => ({
    shapes: textBox(
      Array.from({ length: 8 }, (_, line) => paragraph(sentence(slide * 8 + line))).join(''),
    ),
  }));
  const picture = { type: 'image/png', xml: randomBytes(Math.floor(28 * MB * share)) };
  return presentationOf({ slides, others: { 'ppt/media/image1.png': picture } });
}

/** A sheet of 250 MB. */
function numbers(share: number): Uint8Array {
  const rows = Array.from({ length: Math.floor(290_000 * share) }, (_, line) =>
    row(line + 1, ...Array.from({ length: 26 }, (_, column) => number(line * 7 + column * 13))),
  );
  return workbookOf({
    sheets: [{ name: 'Data', rows: `${rows.join('')}${row(rows.length + 1, shared(0))}` }],
    strings: ['<t>The end</t>'],
  });
}

/** As much text as is taken, each cell another. */
function texts(share: number): Uint8Array {
  const strings = Array.from({ length: Math.floor(14_000 * share) }, (_, n) => sentence(n));
  const rows = strings.map((_, line) => row(line + 1, shared(line), number(line)));
  return workbookOf({
    sheets: [{ name: 'Data', rows: rows.join('') }],
    strings: strings.map((text) => `<t>${text}</t>`),
  });
}
