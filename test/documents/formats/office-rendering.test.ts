import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DocumentFormat } from '../../../server/documents/formats/format.ts';
import { pptx } from '../../../server/documents/formats/office/pptx.ts';
import { xlsx } from '../../../server/documents/formats/office/xlsx.ts';
import {
  entriesOf,
  pdfText,
  renderingDifference,
  renderPages,
  soffice,
} from '../../support/documents/documents.ts';
import { flatPresentation, flatWorkbook } from '../../support/documents/flat-documents.ts';
import {
  inLookalikes,
  openDocument,
  translatedDocument,
  withTexts,
} from '../../support/documents/translated-document.ts';
import { number, row, shared, sheetXml, workbookOf } from '../../support/documents/workbooks.ts';

/** LibreOffice starts three times here, and the machine may be busy. */
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

/** Path of {@link translatedTable} as PDF. */
let table: string | undefined;

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
  const documents = [...samples].flatMap(([extension, { file, alike, arabic }]) =>
    [file, alike, arabic].map((content) => ({ name: `document.${extension}`, content })),
  );
  documents.push({ name: 'table.xlsx', content: await translatedTable() });
  const pdfs = await soffice(documents, 'pdf');
  table = pdfs.pop();
  for (const sample of samples.values()) sample.pdfs = pdfs.splice(0, 3);
}, TIMEOUT_MS);

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
  const text = await pdfText(table ?? '');
  // Column by column.
  expect(text.trim().split(/\s*\n\s*/)).toEqual([
    ...['Importe', '3', '4', '7'],
    ...['Precio/unidad [EUR] #1', '5', '6', '11'],
    ...['7', '2'],
  ]);
});
