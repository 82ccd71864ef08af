/** What Word documents cost, up to the largest that are taken. */
import { randomBytes } from 'node:crypto';
import { paragraph, run, wordDocument } from '../../support/documents/word-document.ts';
import { sentences } from '../sentences.ts';
import type { DocumentKind } from './measure.ts';

const MB = 1_000_000;

export const wordKinds: readonly DocumentKind[] = [
  { name: 'docx of text', format: 'docx', make: texts, hasContainer: true },
  { name: 'docx of numbers', format: 'docx', make: numbers, hasContainer: true },
  { name: 'docx of pictures', format: 'docx', make: pictures, hasContainer: true },
];

/** The n-th of endless paragraphs that are all different, in the many runs that Word makes. */
function text(n: number): string {
  const words = `${n}. ${sentences[n % sentences.length] ?? ''}`.split(' ');
  const runs = words.map((word, at) => {
    const revision = ((n * 31 + at) * 2_654_435_761) % 0xffffffff;
    const format = at % 7 === 6 ? '<w:b/>' : '<w:lang w:val="en-GB"/>';
    return run(`${word} `, format).replace('<w:r>', `<w:r w:rsidR="${revision.toString(16)}">`);
  });
  return paragraph(runs.join(''), '<w:spacing w:after="120"/>');
}

function many(count: number, piece: (n: number) => string): string {
  return Array.from({ length: Math.floor(count) }, (_, n) => piece(n)).join('');
}

/** As much text as is taken. */
function texts(share: number): Uint8Array {
  return wordDocument(many(14_000 * share, text));
}

/** A table of 200 MB that has nothing to translate but its heading. */
function numbers(share: number): Uint8Array {
  const cell = (n: number): string =>
    `<w:tc><w:tcPr><w:tcW w:w="1200" w:type="dxa"/></w:tcPr>${paragraph(run(`${(n * 7919) % 1_000_003}`, '<w:sz w:val="18"/>'), '<w:jc w:val="right"/>')}</w:tc>`;
  const row = (n: number): string =>
    `<w:tr>${Array.from({ length: 10 }, (_, column) => cell(n * 10 + column)).join('')}</w:tr>`;
  const table = `<w:tbl><w:tblPr/><w:tblGrid/>${many(100_000 * share, row)}</w:tbl>`;
  return wordDocument(paragraph('All numbers') + table);
}

/** A few pages, and pictures up to the largest file. */
function pictures(share: number): Uint8Array {
  return wordDocument(many(200, text), {
    entries: { 'word/media/image1.png': randomBytes(Math.floor(29.5 * MB * share)) },
  });
}
