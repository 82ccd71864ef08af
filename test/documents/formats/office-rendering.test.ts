import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DocumentFormat } from '../../../server/documents/formats/format.ts';
import { pptx } from '../../../server/documents/formats/office/pptx.ts';
import { xlsx } from '../../../server/documents/formats/office/xlsx.ts';
import {
  entriesOf,
  pageCount,
  pdfText,
  renderingDifference,
  renderPages,
  soffice,
} from '../../support/documents/documents.ts';
import { flatPresentation, flatWorkbook } from '../../support/documents/flat-documents.ts';
import { flatReport } from '../../support/documents/flat-report.ts';
import {
  inLookalikes,
  openDocument,
  translatedDocument,
  withTexts,
} from '../../support/documents/translated-document.ts';
import {
  openWord,
  paragraph,
  run,
  translateWord,
  wordDocument,
} from '../../support/documents/word-document.ts';
import { number, row, shared, sheetXml, workbookOf } from '../../support/documents/workbooks.ts';

/** LibreOffice starts four times here, and the machine may be busy. */
const TIMEOUT_MS = 300_000;

interface Sample {
  file: Uint8Array;
  /** In look-alike letters, and in Arabic ones. */
  alike: Uint8Array;
  arabic: Uint8Array;
  /** Paths of the three files as PDF. */
  pdfs: string[];
}

const formats: Record<string, DocumentFormat> = { xlsx, pptx };
const samples = new Map<string, Sample>();

function inArabicLetters(text: string): string {
  return text
    .toLowerCase()
    .replace(/[a-z]/g, (letter) => String.fromCharCode(0x0627 + letter.charCodeAt(0) - 97));
}

/** Returns a workbook whose formulas name renamed columns of a table. */
async function translatedTable(): Promise<Uint8Array> {
  // Without cached results, so that LibreOffice must calculate.
  const formulas = [
    'SUM(Sales[Amount])',
    'SUM(Sales[[#Data],[Unit price]])',
    'SUM(INDIRECT(&quot;Sales[Amount]&quot;))',
    'COUNTA(Sales[[#Headers],[Amount]:[Unit price]])',
  ];
  const cells = formulas.map((text) => `<c><f>${text}</f></c>`);
  const values = row(2, number(3), number(5)) + row(3, number(4), number(6));
  const file = workbookOf({
    sheets: [
      {
        name: 'Data',
        rows: row(1, shared(0), shared(1)) + values + row(5, ...cells),
        after: '<tableParts count="1"><tablePart r:id="rId1"/></tableParts>',
        related: [['table', '../tables/table1.xml']],
      },
    ],
    strings: ['<t>Amount</t>', '<t>Unit price</t>'],
    others: {
      'xl/tables/table1.xml': {
        type: 'spreadsheetml.table+xml',
        xml: sheetXml(
          'table',
          '<autoFilter ref="A1:B3"/><tableColumns count="2"><tableColumn id="1" name="Amount"/>' +
            '<tableColumn id="2" name="Unit price"/></tableColumns>',
          ' id="1" name="Sales" displayName="Sales" ref="A1:B3"',
        ),
      },
    },
  });
  return translatedDocument(xlsx, file, {
    translate: withTexts({ Amount: 'Importe', 'Unit price': 'Precio/unidad [EUR] #1' }),
  });
}

/** Word documents, by name. */
const words = new Map<string, Uint8Array>();
/** Paths of the PDFs that LibreOffice made of them, and of {@link translatedTable}. */
const printed = new Map<string, string>();

beforeAll(async () => {
  const [workbook = ''] = await soffice([flatWorkbook], 'xlsx');
  const [presentation = ''] = await soffice([flatPresentation], 'pptx');
  for (const [extension, path] of [
    ['xlsx', workbook],
    ['pptx', presentation],
  ] as const) {
    const file = readFileSync(path);
    const format = formats[extension]!;
    const alike = await translatedDocument(format, file, { translate: inLookalikes });
    const arabic = await translatedDocument(format, file, {
      translate: inArabicLetters,
      target: 'ar',
    });
    samples.set(extension, { file, alike, arabic, pdfs: [] });
  }
  await makeWordDocuments();
  const documents = [...samples].flatMap(([extension, { file, alike, arabic }]) =>
    [file, alike, arabic].map((content) => ({ name: `document.${extension}`, content })),
  );
  for (const content of words.values()) documents.push({ name: 'document.docx', content });
  documents.push({ name: 'table.xlsx', content: await translatedTable() });
  const made = await soffice(documents, 'pdf');
  for (const sample of samples.values()) sample.pdfs = made.splice(0, 3);
  for (const name of [...words.keys(), 'table']) printed.set(name, made.shift() ?? '');
}, TIMEOUT_MS);

async function makeWordDocuments(): Promise<void> {
  const [made = ''] = await soffice([{ name: 'report.fodt', content: flatReport() }], 'docx');
  const source = readFileSync(made);
  const document = await openWord(source);
  const segments = document.blocks.map(({ segment }) => segment);
  const byHand = wordDocument(
    paragraph(run('Two ') + run('kinds', '<w:b/>'), '<w:rPr><w:del w:id="1"/></w:rPr>') +
      paragraph(run(' of text')) +
      `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="3000"/></w:tblGrid><w:tr><w:trPr><w:del w:id="2"/></w:trPr><w:tc>${paragraph('gone row')}</w:tc></w:tr><w:tr><w:tc>${paragraph('a row')}</w:tc></w:tr></w:tbl>` +
      paragraph('The end'),
  );
  words.set('source', source);
  words.set('identical', await document.write(segments, { source: 'en', target: 'es' }));
  words.set('capitals', await translateWord(source));
  words.set('arabic', await translateWord(source, () => 'نص عربي', { target: 'ar' }));
  words.set('byHand', await translateWord(byHand));
}

describe.each(['xlsx', 'pptx'])('%s', (extension) => {
  test('with nothing translated keeps the same parts, each byte for byte', async () => {
    const { file } = samples.get(extension)!;
    const identity = await translatedDocument(formats[extension]!, file, {
      translate: (text) => text,
    });
    expect(entriesOf(identity)).toEqual(entriesOf(file));
  });

  test('looks the same when all its text is replaced by look-alike letters', async () => {
    const [before = '', after = ''] = samples.get(extension)!.pdfs;
    expect(await pdfText(before)).toMatch(/[aceopxy]/);
    expect(await pdfText(after)).not.toMatch(/[aceopxy]/);
    const difference = renderingDifference(await renderPages(before), await renderPages(after));
    expect(difference).toBeLessThan(0.002);
  });

  test('opens in Arabic, with its content', async () => {
    const { file, arabic, pdfs } = samples.get(extension)!;
    expect(await pdfText(pdfs[2] ?? '')).toMatch(/\p{Script=Arabic}{3}/u);
    const format = formats[extension]!;
    const [original, translated] = [
      await openDocument(format, file),
      await openDocument(format, arabic),
    ];
    expect(translated.blocks.map(({ segment }) => segment.length)).toEqual(
      original.blocks.map(({ segment }) => segment.length),
    );
  });
});

test('xlsx formulas still resolve translated columns of a table', async () => {
  const text = await pdfText(printed.get('table')!);
  // Column by column.
  expect(text.trim().split(/\s*\n\s*/)).toEqual([
    ...['Importe', '3', '4', '7'],
    ...['Precio/unidad [EUR] #1', '5', '6', '11'],
    ...['7', '2'],
  ]);
});

test('the docx reader finds all readable text', async () => {
  const document = await openWord(words.get('source')!);
  const texts = document.blocks.map(({ segment }) =>
    segment.map((piece) => (typeof piece === 'string' ? piece : '')).join(''),
  );
  for (const text of [
    'Table of contents',
    'Chapter about subject 2',
    'A remark below the page.',
    'Name',
    'Apples',
    'First of all',
    'Words in a box',
    'A comment on it',
    'Head of the page',
  ]) {
    expect(texts).toContain(text);
  }
  expect(texts.some((text) => text.startsWith('Before'))).toBe(true);
});

test('a docx document whose translation equals its source looks the same and has the same parts', async () => {
  expect(entriesOf(words.get('identical')!)).toEqual(entriesOf(words.get('source')!));
  const [before, after] = await Promise.all([
    renderPages(printed.get('source')!),
    renderPages(printed.get('identical')!),
  ]);
  expect(before.length).toBeGreaterThan(1);
  expect(renderingDifference(before, after)).toBe(0);
});

test('a translated docx document opens, keeps its pages and has no word of the source', async () => {
  const text = await pdfText(printed.get('capitals')!);
  expect(text).toContain('CHAPTER ABOUT SUBJECT 3');
  expect(text).toContain('WORDS IN A BOX');
  expect(text).toContain('HEAD OF THE PAGE');
  expect(text).toContain('1,234.50');
  expect(text).not.toMatch(/\p{Ll}{2}/u);
  expect(await pageCount(printed.get('capitals')!)).toBeGreaterThanOrEqual(
    await pageCount(printed.get('source')!),
  );
});

test('a docx document in a right-to-left language opens and is aligned right', async () => {
  const pages = await renderPages(printed.get('arabic')!);
  const columns = (page: (typeof pages)[number], from: number, to: number): number => {
    let dark = 0;
    for (let at = 0; at < page.pixels.length; at += 1) {
      const x = (at % page.width) / page.width;
      if (x >= from && x < to && page.pixels[at]! < 128) dark += 1;
    }
    return dark;
  };
  expect(columns(pages[0]!, 0.5, 1)).toBeGreaterThan(columns(pages[0]!, 0, 0.5));
  // Some Arabic letters are stored in their presentation forms.
  expect(await pdfText(printed.get('arabic')!)).toMatch(/\p{Script=Arabic}/u);
});

test('tracked changes of a docx document are accepted as LibreOffice shows them', async () => {
  const text = await pdfText(printed.get('byHand')!);
  expect(text).toContain('TWO KINDS OF TEXT');
  expect(text).toContain('A ROW');
  expect(text).not.toMatch(/gone/i);
});
