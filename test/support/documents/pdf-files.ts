/** PDF files for tests, drawn by hand so that each contains exactly what its test is about. */
import { readFileSync, statSync } from 'node:fs';

import {
  degrees,
  PDFDocument,
  type PDFFont,
  PDFHexString,
  PDFName,
  type PDFPage,
  PDFString,
  rgb,
  StandardFonts,
} from '@cantoo/pdf-lib';

import type { Page } from 'playwright-core';

import { findChromium } from '../machine/chromium-program.ts';
import { madeOnceLater } from '../suite/made-once.ts';

type PrintOptions = NonNullable<Parameters<Page['pdf']>[0]>;

/** Fonts of a report. */
interface Fonts {
  serif: PDFFont;
  bold: PDFFont;
  sans: PDFFont;
}

const BODY_POINTS = 11;
const LEADING_POINTS = 14;

export const riverText =
  'The river has risen by two metres since the morning, and the authority expects a further increase until the weekend. Residents of the lower town are asked to move their cars and to keep the footpaths along the embankment free.';

/** Breaks a text into lines of a width. */
export function wrapped(
  text: string,
  { font, size, width }: { font: PDFFont; size: number; width: number },
): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && font.widthOfTextAtSize(longer, size) <= width) {
      lines[lines.length - 1] = longer;
    } else {
      lines.push(word);
    }
  }
  return lines;
}

/** Draws a paragraph and returns where the next one may begin. */
export function drawParagraph(
  page: PDFPage,
  {
    text,
    font,
    x,
    y,
    width,
    size = BODY_POINTS,
  }: { text: string; font: PDFFont; x: number; y: number; width: number; size?: number },
): number {
  const lines = wrapped(text, { font, size, width });
  for (const [at, line] of lines.entries()) {
    page.drawText(line, { x, y: y - at * LEADING_POINTS, size, font });
  }
  return y - lines.length * LEADING_POINTS - 8;
}

async function embedFonts(document: PDFDocument): Promise<Fonts> {
  return {
    serif: await document.embedFont(StandardFonts.TimesRoman),
    bold: await document.embedFont(StandardFonts.TimesRomanBold),
    sans: await document.embedFont(StandardFonts.HelveticaBold),
  };
}

/** Makes a page with a heading, text, a list, a table, two columns, a picture, a link and rotated text. */
export async function reportPdf(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.setTitle('Report of the river authority');
  const fonts = await embedFonts(document);
  const page = document.addPage([595, 842]);
  page.drawText('Level of the river', { x: 60, y: 770, size: 20, font: fonts.sans });
  let y = drawParagraph(page, { text: riverText, font: fonts.serif, x: 60, y: 740, width: 470 });
  y = drawRich(page, fonts, y);
  y = drawList(page, fonts, y);
  y = drawTable(page, fonts, y);
  for (const [at, x] of [60, 310].entries()) {
    const text = at === 0 ? riverText : riverText.replace('river', 'stream');
    drawParagraph(page, { text, font: fonts.serif, x, y, width: 220 });
  }
  page.drawRectangle({ x: 60, y: 120, width: 80, height: 80, color: rgb(0.8, 0.2, 0.1) });
  page.drawText('A red square of paper', { x: 160, y: 155, size: BODY_POINTS, font: fonts.serif });
  page.drawText('Printed on recycled paper', {
    ...{ x: 40, y: 400, size: 9, font: fonts.serif, rotate: degrees(90), color: rgb(0, 0, 0.7) },
  });
  page.drawText('12345', { x: 290, y: 40, size: 9, font: fonts.serif });
  addOutline(document, ['First chapter', '2024']);
  return document.save();
}

/** Draws a line with bold words and a link. */
function drawRich(page: PDFPage, { serif, bold }: Fonts, y: number): number {
  let x = 60;
  for (const [text, font] of [
    ['Please read ', serif],
    ['every warning', bold],
    [' on ', serif],
    ['our site', serif],
    [' now.', serif],
  ] as const) {
    const width = font.widthOfTextAtSize(text, BODY_POINTS);
    page.drawText(text, { x, y, size: BODY_POINTS, font });
    if (text === 'our site') addLink(page, [x, y - 3, x + width, y + 9]);
    x += width;
  }
  return y - 24;
}

function drawList(page: PDFPage, { serif }: Fonts, y: number): number {
  for (const [at, text] of ['Close the windows.', 'Call the neighbours.'].entries()) {
    const line = y - at * LEADING_POINTS;
    page.drawText('\u2022', { x: 70, y: line, size: BODY_POINTS, font: serif });
    page.drawText(text, { x: 84, y: line, size: BODY_POINTS, font: serif });
  }
  return y - 2 * LEADING_POINTS - 10;
}

function drawTable(page: PDFPage, { serif }: Fonts, y: number): number {
  const columns = [60, 160, 240, 530];
  const rows = [
    ['Place', 'Level', 'Remarks'],
    ['Old bridge', '3.42 m', 'The lower road is closed'],
  ];
  const height = 20;
  for (let at = 0; at <= rows.length; at += 1) {
    page.drawLine({ start: { x: 60, y: y - at * height }, end: { x: 530, y: y - at * height } });
  }
  for (const x of columns) {
    page.drawLine({ start: { x, y }, end: { x, y: y - rows.length * height } });
  }
  for (const [at, row] of rows.entries()) {
    for (const [cell, text] of row.entries()) {
      const x = (columns[cell] ?? 0) + 4;
      page.drawText(text, { x, y: y - at * height - 14, size: 10, font: serif });
    }
  }
  return y - rows.length * height - 30;
}

function addLink(page: PDFPage, rect: readonly number[]): void {
  const { context } = page.doc;
  const link = context.obj({ Type: 'Annot', Subtype: 'Link', Rect: [...rect], Border: [0, 0, 0] });
  const action = context.obj({ S: 'URI' });
  action.set(PDFName.of('URI'), PDFString.of('https://example.org/'));
  link.set(PDFName.of('A'), action);
  page.node.addAnnot(context.register(link));
}

function addOutline(document: PDFDocument, titles: readonly string[]): void {
  const { context, catalog } = document;
  const root = context.nextRef();
  const refs = titles.map(() => context.nextRef());
  for (const [at, title] of titles.entries()) {
    const item = context.obj({ Parent: root });
    item.set(PDFName.of('Title'), PDFHexString.fromText(title));
    const [next, previous, own] = [refs[at + 1], refs[at - 1], refs[at]];
    if (next !== undefined) item.set(PDFName.of('Next'), next);
    if (previous !== undefined) item.set(PDFName.of('Prev'), previous);
    if (own !== undefined) context.assign(own, item);
  }
  const ends = { First: refs[0] ?? root, Last: refs.at(-1) ?? root };
  context.assign(root, context.obj({ Type: 'Outlines', ...ends, Count: titles.length }));
  catalog.set(PDFName.of('Outlines'), root);
}

/** A page whose content stream the test writes; its fonts are `Times` and `Bold`. */
export interface RawPage {
  content: string;
  /** Content streams of forms by name; a form may draw earlier forms. */
  forms?: Readonly<Record<string, string>>;
  rotate?: number;
  crop?: readonly [number, number, number, number];
}

/** Makes a file from content streams, written operator by operator. */
export async function rawPdf(
  pages: readonly RawPage[],
  change: (document: PDFDocument) => void = () => undefined,
): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const { context } = document;
  const fonts = await embedFonts(document);
  for (const { content, forms = {}, rotate = 0, crop } of pages) {
    const page = document.addPage([595, 842]);
    const font = context.obj({ Times: fonts.serif.ref, Bold: fonts.bold.ref });
    const xObjects = context.obj({});
    for (const [name, stream] of Object.entries(forms)) {
      const resources = context.obj({ Font: font, XObject: xObjects.clone(context) });
      const dict = { Type: 'XObject', Subtype: 'Form', BBox: [0, 0, 595, 842] };
      const form = context.stream(stream, { ...dict, Resources: resources });
      xObjects.set(PDFName.of(name), context.register(form));
    }
    page.node.set(PDFName.of('Resources'), context.obj({ Font: font, XObject: xObjects }));
    page.node.set(PDFName.of('Contents'), context.register(context.stream(content)));
    page.node.set(PDFName.of('Rotate'), context.obj(rotate));
    if (crop !== undefined) page.node.set(PDFName.of('CropBox'), context.obj([...crop]));
  }
  change(document);
  return document.save();
}

/** Returns the content of a page of lines at 12 points, from the top down. */
export function linesContent(lines: readonly string[], { x = 60, y = 760 } = {}): string {
  const shown = lines.map((line) => `(${line}) Tj T*`).join('\n');
  return `BT /Times 12 Tf 14 TL ${x} ${y} Td\n${shown}\nET`;
}

/** Returns a line of Times at 10 points whose blanks are stretched to a width. */
export async function justifiedLine(
  line: string,
  { x, y, width }: { x: number; y: number; width: number },
): Promise<string> {
  const times = await (await PDFDocument.create()).embedFont(StandardFonts.TimesRoman);
  // Measured letter by letter: a whole line would be measured with kerning, which PDF does not apply.
  const own = Array.from(line, (letter) => times.widthOfTextAtSize(letter, 10));
  const spare = width - own.reduce((sum, each) => sum + each, 0);
  const perBlank = (spare / (line.split(' ').length - 1)).toFixed(4);
  return `BT /Times 10 Tf ${perBlank} Tw ${x} ${y} Td (${line}) Tj ET`;
}

/** Prints a page as browsers do; cached across runs of the tests, by its content. */
async function printed(content: string, options: PrintOptions = {}): Promise<Uint8Array> {
  // Another version of Chromium may print differently.
  const { mtimeMs } = statSync(findChromium());
  const from = ['chromium', mtimeMs, content, JSON.stringify(options)];
  const made = await madeOnceLater(from, 'pdf', async (file) => {
    // What drives browsers takes a second to load.
    const { takeChromium } = await import('../machine/chromium.ts');
    const { browser } = await takeChromium();
    const page = await browser.newPage();
    try {
      await page.setContent(content);
      await page.pdf({ ...options, path: file });
    } finally {
      await page.close();
    }
  });
  return readFileSync(made);
}

/** Prints a Hebrew line with English words and an English line with Hebrew words. */
export function mixedDirectionPdf(): Promise<Uint8Array> {
  return printed(`<title>7</title><p dir=rtl>הנהר עלה (לפי River Report 2026) מאז הבוקר 123.</p>
      <p>The greeting שלום עולם is used on 3 signs.</p>`);
}

const newspaperSentences = [
  'The old harbour lies at the mouth of the river, where merchants from distant countries once unloaded spices, silk and timber.',
  'Today its warehouses hold workshops, small theatres and restaurants, and on summer evenings the quays are full of people who watch the ferries come and go.',
  'Restoration of the buildings began in the nineties and is still not complete.',
  'Engineers measured the level of the water every hour and compared the figures with those of the previous decade.',
  'A considerable share of the costs was carried by the municipality, although the ministry had promised to pay for half of them.',
  'Visitors should bring sturdy shoes, since the path along the embankment is steep in places and slippery after rain.',
  'The committee recommends that further investigations be carried out before the second phase of the project begins.',
  'In contrast to earlier studies, we found no significant relation between temperature and the number of reported failures.',
  'Our method needs neither labelled examples nor knowledge of the language, and it runs on an ordinary computer.',
  'Nobody expected that the bridge would be closed for more than a week, and many shops lost most of their customers.',
  'She opened the letter with great care, read it twice, and put it back without saying a word.',
  'Prices have risen by eleven per cent since March, whereas wages have hardly changed at all.',
  'The evaluation shows that simple rules are surprisingly effective when the documents are short.',
  'Please return the completed form to the office of the registrar before the end of the month.',
];

/** Prints a page of three justified columns with a narrow gutter, headings and a picture. */
export async function newspaperPdf(): Promise<{ file: Uint8Array; texts: string[] }> {
  const prose = (first: number, count: number): string =>
    Array.from({ length: count }, (_, at) => newspaperSentences[(first + at) % 14]).join(' ');
  const paragraphs: readonly (readonly [tag: string, text: string])[] = [
    ['h2', 'Bridge closed for weeks'],
    ['p', prose(0, 5)],
    ['p', prose(5, 4)],
    ['h2', 'Prices rise'],
    ['p', prose(9, 6)],
    ['p', prose(2, 5)],
    ['em', 'The quay in the early morning.'],
    ['h2', 'Weather'],
    ['p', prose(6, 7)],
    ['p', prose(1, 4)],
    ['p', prose(8, 5)],
  ];
  const picture = `<svg width="100%" viewBox="0 0 200 140"><rect width="200" height="140" fill="#47a"/></svg>`;
  const content = paragraphs.map(([tag, text]) =>
    tag === 'em' ? `${picture}<p><em>${text}</em></p>` : `<${tag}>${text}</${tag}>`,
  );
  const margin = { top: '18mm', bottom: '18mm', left: '18mm', right: '18mm' };
  const file = await printed(
    `<!doctype html><style>body { margin: 0; font: 9pt/1.25 "Liberation Serif"; columns: 3; column-gap: 8pt; text-align: justify }
        h2 { font: bold 12pt "Liberation Sans"; margin: 4pt 0 } p { margin: 0 0 5pt } em { font-size: 8pt }</style>${content.join('')}`,
    { format: 'Letter', margin, printBackground: true },
  );
  return { file, texts: paragraphs.map(([, text]) => text) };
}
