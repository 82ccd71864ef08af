import { describe, expect, test } from 'vitest';
import { xlsx } from '../../../server/documents/formats/office/xlsx.ts';
import { zipText } from '../../support/documents/documents.ts';
import {
  openDocument,
  plainTextsOf,
  translatedDocument,
} from '../../support/documents/translated-document.ts';
import { formula, number, row, shared, workbookOf } from '../../support/documents/workbooks.ts';

const SHEET = 'xl/worksheets/sheet1.xml';
const STRINGS = 'xl/sharedStrings.xml';

const upper = (text: string): string => text.toUpperCase();

describe('xlsx formulas', () => {
  const file = workbookOf({
    sheets: [
      {
        name: 'Data',
        rows:
          row(1, shared(0), formula('IF(A1="Total","Total"&" sum",1)', 'Total sum'), number(3)) +
          row(2, shared(1)),
      },
    ],
    strings: ['<t>Total</t>', '<t>Apples</t>'],
    workbook: '<definedNames><definedName name="Total">Data!$A$1</definedName></definedNames>',
  });

  test('keep their texts and results, and are recalculated when the workbook is opened', async () => {
    const result = await translatedDocument(xlsx, file, { translate: upper });
    expect(zipText(result, SHEET)).toBe(zipText(file, SHEET));
    expect(zipText(result, 'xl/workbook.xml')).toMatch(
      /<definedName name="Total">Data!\$A\$1<.*<\/definedNames><calcPr fullCalcOnLoad="1"\/>/,
    );
    expect(zipText(result, 'xl/workbook.xml')).toContain('<sheet name="Data"');
  });

  test('find the texts that they compare cells with, as validations do, since these stay', async () => {
    const texts = [
      'Open',
      'Closed',
      'Total:',
      'Yes',
      'Harbour',
      'Late',
      'Ended',
      'Summary',
      'Lost',
    ];
    const counted = formula('IF(COUNTIF(A:A,"Open")>0,"late","Total:"&1)', 1);
    const others = formula('COUNTIF(A:A,"<>Ended")+COUNT(HYPERLINK("#A1", "Summary"))', 1);
    const file = workbookOf({
      sheets: [
        {
          name: 'Data',
          rows: row(1, ...texts.map((_, at) => shared(at))) + row(2, counted, others),
          after:
            '<dataValidations><dataValidation type="list" sqref="A1"><formula1>"Yes, No"</formula1></dataValidation></dataValidations>',
        },
      ],
      strings: texts.map((text) => `<t>${text}</t>`),
      workbook:
        '<definedNames><definedName name="Gone">COUNTIF(Data!$A:$A,"Lost")</definedName></definedNames>',
    });
    expect(plainTextsOf(await openDocument(xlsx, file))).toEqual([
      ...['Closed', 'Total:', 'Harbour', 'Summary'],
    ]);
    const result = await translatedDocument(xlsx, file, { translate: upper });
    expect(zipText(result, STRINGS).match(/(?<=<t>)[^<]+/g)).toEqual([
      'Open',
      'CLOSED',
      'TOTAL:',
      'Yes',
      'HARBOUR',
      'Late',
      'Ended',
      'SUMMARY',
      'Lost',
    ]);
  });

  test('find the texts that their patterns describe, and those that contain what they search', async () => {
    const texts = [
      'Closed today',
      'Urgent: pay',
      'What? Why',
      'What is',
      'Shed 12',
      'Open',
      'Bath',
      'Temporary staff',
      'Two rooms',
    ];
    const formulas = [
      'COUNTIF(A:A,"clos*")',
      'SUMIF(A:A,"<>Sh?d ??",B:B)',
      'MATCH("What~? *",A:A,0)',
      'IF(ISNUMBER(SEARCH("urgent",B1)),1,0)+FIND("a",F1)',
      'COUNTIF(A:A,"*")',
      'IF(LEFT(B1,LEN(C1))="Temp",1,0)+(RIGHT(B1,5)<>"rooms")',
    ].map((each) => formula(each, 1));
    const file = workbookOf({
      sheets: [
        { name: 'Data', rows: row(1, ...texts.map((_, at) => shared(at))) + row(2, ...formulas) },
      ],
      strings: texts.map((text) => `<t>${text}</t>`),
    });
    expect(plainTextsOf(await openDocument(xlsx, file))).toEqual(['What is', 'Open', 'Bath']);
  });

  test('find ranges and sheets by the names in cells', async () => {
    const texts = ['Fruit', 'Old cars', 'Data', 'Apple'];
    const fileOf = (found: string): Uint8Array =>
      workbookOf({
        sheets: [
          { name: 'Data', rows: row(1, ...texts.map((_, at) => shared(at)), formula(found, 1)) },
        ],
        strings: texts.map((text) => `<t>${text}</t>`),
        workbook:
          '<definedNames><definedName name="Fruit">Data!$A$1</definedName><definedName name="Old_cars">Data!$B$1</definedName></definedNames>',
      });
    const read = fileOf('SUM(INDIRECT(SUBSTITUTE(A1," ","_")))');
    expect(plainTextsOf(await openDocument(xlsx, read))).toEqual(['Apple']);
    expect(plainTextsOf(await openDocument(xlsx, fileOf('INDIRECT("Data!A1")')))).toEqual(texts);
  });

  test('find such texts in cells with texts of their own, and filters know that they stay', async () => {
    const inline = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
    const counted = formula('COUNTIF(A:A,"Open")', 1);
    const filters = ['Open', 'Closed'].map((value) => `<filter val="${value}"/>`).join('');
    const after = `<autoFilter ref="A1:A2"><filterColumn colId="0"><filters>${filters}</filters></filterColumn></autoFilter>`;
    const rows = row(1, inline('Open'), inline('Closed'), counted);
    const file = workbookOf({ sheets: [{ name: 'Data', rows, after }] });
    const result = zipText(await translatedDocument(xlsx, file, { translate: upper }), SHEET);
    expect(result.match(/(?<=<t>)[^<]+|(?<=val=")[^"]+/g)).toEqual([
      ...['Open', 'CLOSED'],
      ...['Open', 'CLOSED'],
    ]);
  });

  test('keep existing calculation settings', async () => {
    const withSettings = workbookOf({
      sheets: [{ name: 'Data', rows: row(1, shared(0), formula('1+1', 2)) }],
      strings: ['<t>Total</t>'],
      workbook: '<calcPr calcId="191029" iterate="1"/><extLst/>',
    });
    const result = await translatedDocument(xlsx, withSettings, { translate: upper });
    expect(zipText(result, 'xl/workbook.xml')).toContain(
      '<calcPr calcId="191029" iterate="1" fullCalcOnLoad="1"/><extLst/>',
    );
  });
});
