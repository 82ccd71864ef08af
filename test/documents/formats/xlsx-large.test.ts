import { expect, test } from 'vitest';
import { openArchive } from '../../../server/documents/formats/office/archive.ts';
import { writeArchive } from '../../../server/documents/formats/office/archive-writing.ts';
import { readPart } from '../../../server/documents/formats/office/part-reading.ts';
import { xlsx } from '../../../server/documents/formats/office/xlsx.ts';
import { translatedDocument } from '../../support/documents/translated-document.ts';
import { sheetXml, workbookOf } from '../../support/documents/workbooks.ts';

const SHEET = 'xl/worksheets/sheet1.xml';
const SHEET_BYTES = 40_000_000;

/** Returns a workbook with a sheet of numbers and, at its end, one text. */
async function largeWorkbook(): Promise<Uint8Array> {
  const archive = await openArchive(workbookOf({ sheets: [{ name: 'Data', rows: '' }] }));
  const [head = '', tail = ''] = sheetXml('worksheet', '<sheetData>|</sheetData>').split('|');
  async function* content(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(head);
    let row = 0;
    for (let bytes = 0; bytes < SHEET_BYTES;) {
      let rows = '';
      while (rows.length < 200_000) {
        row += 1;
        let cells = '';
        for (let column = 0; column < 20; column += 1) {
          const name = String.fromCharCode(65 + column);
          cells += `<c r="${name}${row}" s="3"><v>${row * 7 + column * 13}</v></c>`;
        }
        rows += `<row r="${row}">${cells}</row>`;
      }
      bytes += rows.length;
      yield Buffer.from(rows);
    }
    yield Buffer.from(`<row><c t="inlineStr"><is><t>The end</t></is></c></row>${tail}`);
  }
  return writeArchive(archive, { replace: new Map([[SHEET, content]]) });
}

test('a sheet of 40 MB is translated in less memory than its size', async () => {
  const file = await largeWorkbook();
  const beforeKb = process.resourceUsage().maxRSS;
  const result = await translatedDocument(xlsx, file, { translate: () => 'El final' });
  const grownKb = process.resourceUsage().maxRSS - beforeKb;
  // The file itself, compressed, exists twice.
  expect(grownKb * 1024).toBeLessThan(SHEET_BYTES);
  const archive = await openArchive(result);
  let cells = 0;
  let text = '';
  await readPart(archive, archive.find(SHEET)!, {
    isTree: (name) => name === 'x:is',
    tree: (element) => {
      text = JSON.stringify(element.children);
      return undefined;
    },
    open: (name) => {
      if (name === 'x:c') cells += 1;
      return undefined;
    },
  });
  expect(text).toContain('El final');
  expect(cells % 20).toBe(1);
  expect(cells).toBeGreaterThan(SHEET_BYTES / 50);
});
