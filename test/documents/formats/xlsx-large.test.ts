import { expect, test } from 'vitest';
import { openArchive } from '../../../server/documents/formats/office/archive.ts';
import { writeArchive } from '../../../server/documents/formats/office/archive-writing.ts';
import { xlsx } from '../../../server/documents/formats/office/xlsx.ts';
import { unzipped } from '../../support/documents/documents.ts';
import { translatedDocument } from '../../support/documents/translated-document.ts';
import { sheetXml, workbookOf } from '../../support/documents/workbooks.ts';

const SHEET = 'xl/worksheets/sheet1.xml';
const SHEET_BYTES = 12_000_000;
/** Enough that everything is loaded and compiled. */
const SMALL_BYTES = 4_000_000;

/** Returns a workbook with a sheet of numbers and, at its end, one text. */
async function workbookWith(sheetBytes: number): Promise<Uint8Array> {
  const archive = await openArchive(workbookOf({ sheets: [{ name: 'Data', rows: '' }] }));
  const [head = '', tail = ''] = sheetXml('worksheet', '<sheetData>|</sheetData>').split('|');
  async function* content(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(head);
    let row = 0;
    for (let bytes = 0; bytes < sheetBytes;) {
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

test('a large sheet is translated in less memory than its size', async () => {
  const [file, small] = [await workbookWith(SHEET_BYTES), await workbookWith(SMALL_BYTES)];
  const translate = () => 'El final';
  await translatedDocument(xlsx, small, { translate });
  const beforeKb = process.resourceUsage().maxRSS;
  const result = await translatedDocument(xlsx, file, { translate });
  const grownKb = process.resourceUsage().maxRSS - beforeKb;
  // The file itself, compressed, exists twice.
  expect(grownKb * 1024).toBeLessThan(SHEET_BYTES);
  const sheet = Buffer.from(unzipped(result)[SHEET] ?? '');
  expect(sheet.includes('El final')).toBe(true);
  let cells = 0;
  for (let at = sheet.indexOf('<c '); at >= 0; at = sheet.indexOf('<c ', at + 1)) cells += 1;
  expect(cells % 20).toBe(1);
  expect(cells).toBeGreaterThan(SHEET_BYTES / 50);
});
