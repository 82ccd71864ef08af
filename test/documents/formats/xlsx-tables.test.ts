import { describe, expect, test } from 'vitest';
import { renameColumns } from '../../../server/documents/formats/office/sheet-formulas.ts';
import { xlsx } from '../../../server/documents/formats/office/xlsx.ts';
import { unzipped, zipText } from '../../support/documents/documents.ts';
import {
  plainTextsOf,
  openDocument,
  translatedDocument,
  withTexts,
} from '../../support/documents/translated-document.ts';
import {
  formula,
  number,
  row,
  shared,
  sheetXml,
  workbookOf,
} from '../../support/documents/workbooks.ts';
import { expectSteadyTime } from '../../support/machine/processor-time.ts';

const SHEET = 'xl/worksheets/sheet1.xml';
const TABLE = 'xl/tables/table1.xml';

/** Returns the definition of a table; a column is a name, or a name with further attributes. */
function table(
  ref: string,
  columns: readonly (string | readonly [string, string])[],
  more = '',
): string {
  const items = columns.map((column, i) => {
    const [name, rest] = typeof column === 'string' ? [column, '/>'] : column;
    return `<tableColumn id="${i + 1}" name="${name}"${rest}`;
  });
  const attributes = ` id="1" name="Sales" displayName="Sales" ref="${ref}"${more}`;
  return sheetXml(
    'table',
    `<tableColumns count="${columns.length}">${items.join('')}</tableColumns>`,
    attributes,
  );
}

function tableWorkbook(options: {
  rows: string;
  table: string;
  strings: readonly string[];
  after?: string;
  others?: Parameters<typeof workbookOf>[0]['others'];
  workbook?: string;
}): Uint8Array {
  const { rows, strings, after = '', others = {}, workbook = '' } = options;
  return workbookOf({
    sheets: [
      {
        name: 'Data',
        rows,
        after: `${after}<tableParts count="1"><tablePart r:id="rId1"/></tableParts>`,
        related: [['table', '../tables/table1.xml']],
      },
    ],
    strings: strings.map((text) => `<t>${text}</t>`),
    others: { [TABLE]: { type: 'spreadsheetml.table+xml', xml: options.table }, ...others },
    workbook,
  });
}

/** Returns the column names of the table. */
function columnNames(file: Uint8Array): string[] {
  return [...zipText(file, TABLE).matchAll(/<tableColumn [^>]*? name="([^"]*)"/g)].map(
    ([, name = '']) => name,
  );
}

describe('xlsx table headers', () => {
  const spanish = withTexts({
    Product: 'Producto',
    Amount: 'Importe',
    'Net [EUR]': 'Neto #1 [EUR]',
    Total: 'Suma',
    Sum: 'Suma',
  });
  const file = tableWorkbook({
    strings: ['Product', 'Amount', 'Net [EUR]', 'Apples', 'Total'],
    rows:
      row(1, shared(0), shared(1), shared(2), formula('SUM(Sales[Amount])', 3)) +
      row(
        2,
        shared(3),
        number(3),
        formula("Sales[[#This Row],[Amount]]*Sales[[#This Row],[Net '[EUR']]]", 9),
      ) +
      row(3, shared(4), formula('SUBTOTAL(109,Sales[Amount])', 3), number(1)),
    table: table(
      'A1:C3',
      [
        ['Product', ' totalsRowLabel="Total"/>'],
        'Amount',
        [
          'Net [EUR]',
          "><calculatedColumnFormula>Sales[[#This Row],[Amount]]*Sales[Net '[EUR']]</calculatedColumnFormula></tableColumn>",
        ],
      ],
      ' totalsRowCount="1"',
    ),
    after:
      '<conditionalFormatting sqref="A2"><cfRule type="expression" priority="1"><formula>SUM(Sales[Amount])&gt;1' +
      '</formula></cfRule></conditionalFormatting><dataValidations><dataValidation type="list" sqref="F1">' +
      '<formula1>INDIRECT("Sales[Product]")</formula1></dataValidation></dataValidations>',
    workbook:
      '<definedNames><definedName name="Amounts">Sales[Amount]</definedName></definedNames>',
  });

  test('are renamed in the cell, in the table and in every formula', async () => {
    const result = await translatedDocument(xlsx, file, { translate: spanish });
    expect(columnNames(result)).toEqual(['Producto', 'Importe', 'Neto #1 [EUR]']);
    expect(zipText(result, TABLE)).toContain('totalsRowLabel="Suma"');
    expect(zipText(result, TABLE)).toContain(
      "Sales[[#This Row],[Importe]]*Sales[[Neto '#1 '[EUR']]]",
    );
    const sheet = zipText(result, SHEET);
    expect(sheet).toContain('<f>SUM(Sales[Importe])</f>');
    expect(sheet).toContain(
      "<f>Sales[[#This Row],[Importe]]*Sales[[#This Row],[Neto '#1 '[EUR']]]</f>",
    );
    expect(sheet).toContain('<f>SUBTOTAL(109,Sales[Importe])</f>');
    expect(sheet).toContain('<formula>SUM(Sales[Importe])&gt;1</formula>');
    expect(sheet).toContain('<formula1>INDIRECT("Sales[Producto]")</formula1>');
    expect(zipText(result, 'xl/workbook.xml')).toContain(
      '<definedName name="Amounts">Sales[Importe]</definedName>',
    );
    expect(zipText(result, 'xl/sharedStrings.xml')).toContain('<t>Neto #1 [EUR]</t>');
  });

  test('are renamed in formulas that omit the table name within the table, and nowhere else', async () => {
    const within = tableWorkbook({
      strings: ['Product', 'Amount', 'Apples'],
      rows:
        row(1, shared(0), shared(1), number(0), formula('[Amount]', 0)) +
        row(2, shared(2), formula('[[#This Row],[Amount]]*2', 3)) +
        row(3, shared(2), formula('SUBTOTAL(109,[Amount])', 3)),
      table: table('A1:B3', [
        'Product',
        [
          'Amount',
          '><calculatedColumnFormula>[[#This Row],[Amount]]*2</calculatedColumnFormula></tableColumn>',
        ],
      ]),
    });
    const result = await translatedDocument(xlsx, within, { translate: spanish });
    expect(zipText(result, TABLE)).toContain('>[[#This Row],[Importe]]*2<');
    const sheet = zipText(result, SHEET);
    expect(sheet).toContain('<f>[[#This Row],[Importe]]*2</f>');
    expect(sheet).toContain('<f>SUBTOTAL(109,[Importe])</f>');
    expect(sheet).toContain('<f>[Amount]</f>');
  });

  test('that become equal get numbers, in their own cells only', async () => {
    const colours = tableWorkbook({
      strings: ['Color', 'Colour', 'Paint'],
      rows:
        row(1, shared(0), shared(1), shared(2), shared(1)) +
        row(2, number(1), number(2), shared(1)),
      table: table('A1:C2', ['Color', 'Colour', 'Paint']),
    });
    const result = await translatedDocument(xlsx, colours, { translate: () => 'Farbe' });
    expect(columnNames(result)).toEqual(['Farbe', 'Farbe2', 'Farbe3']);
    const sheet = zipText(result, SHEET);
    expect(sheet).toContain(
      '<c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>Farbe2</t></is></c>',
    );
    expect(sheet).toContain('<c r="D1" t="s"><v>1</v></c>');
    expect(sheet).toContain('<c r="C2" t="s"><v>1</v></c>');
    expect(zipText(result, 'xl/sharedStrings.xml')).toContain(
      '<si><t>Farbe</t></si><si><t>Farbe</t></si>',
    );
  });

  test('with line breaks are renamed in the notation of tables', async () => {
    const broken = tableWorkbook({
      strings: ['Net\nAmount'],
      rows: row(1, shared(0), formula('SUM(Sales[Net\nAmount])', 1)),
      table: table('A1:A2', ['Net_x000a_Amount']),
    });
    const result = await translatedDocument(xlsx, broken, {
      translate: withTexts({ Net: 'Importe', Amount: 'neto' }),
    });
    expect(columnNames(result)).toEqual(['Importe_x000a_neto']);
    expect(zipText(result, SHEET)).toContain('Sales[[Importe\nneto]]');
  });

  test('in inline strings are renamed as well', async () => {
    const inline = tableWorkbook({
      strings: [],
      rows: row(1, '<c t="inlineStr"><is><t>Amount</t></is></c>', formula('SUM(Sales[Amount])', 1)),
      table: table('A1:A2', ['Amount']),
    });
    const result = await translatedDocument(xlsx, inline, { translate: spanish });
    expect(columnNames(result)).toEqual(['Importe']);
    expect(zipText(result, SHEET)).toContain('<is><t>Importe</t></is>');
    expect(zipText(result, SHEET)).toContain('SUM(Sales[Importe])');
  });

  test('that are fields of a pivot table are kept, and its items follow their cells without becoming the same', async () => {
    const cache = sheetXml(
      'pivotCacheDefinition',
      '<cacheSource type="worksheet"><worksheetSource name="Sales"/></cacheSource><cacheFields count="2">' +
        '<cacheField name="Product"><sharedItems count="3"><s v="Apples"/><s v="Pears"/><s v="Peras"/></sharedItems></cacheField>' +
        '<cacheField name="Amount"><sharedItems/></cacheField></cacheFields>',
    );
    const pivot = tableWorkbook({
      strings: ['Product', 'Amount', 'Apples', 'Remarks', 'Pears'],
      rows: row(1, shared(0), shared(1), shared(3)) + row(2, shared(2), number(3), shared(4)),
      table: table('A1:C2', ['Product', 'Amount', 'Remarks']),
      others: {
        'xl/pivotCache/pivotCacheDefinition1.xml': {
          type: 'spreadsheetml.pivotCacheDefinition+xml',
          xml: cache,
        },
      },
      workbook: '<pivotCaches><pivotCache cacheId="1" r:id="rId3"/></pivotCaches>',
    });
    expect(plainTextsOf(await openDocument(xlsx, pivot))).toEqual(['Apples', 'Remarks', 'Pears']);
    const result = await translatedDocument(xlsx, pivot, {
      translate: withTexts({ Apples: 'Manzanas', Remarks: 'Notas', Pears: 'Peras' }),
    });
    expect(columnNames(result)).toEqual(['Product', 'Amount', 'Notas']);
    expect(zipText(result, 'xl/pivotCache/pivotCacheDefinition1.xml')).toBe(
      cache.replace('"Apples"', '"Manzanas"'),
    );
    expect(zipText(result, 'xl/sharedStrings.xml')).toContain('<t>Manzanas</t>');
  });

  test('that a query fills are kept', async () => {
    const query = tableWorkbook({
      strings: ['Amount', 'Hello'],
      rows: row(1, shared(0)) + row(2, shared(1)),
      table: table('A1:A2', ['Amount'], ' tableType="queryTable"'),
    });
    expect(plainTextsOf(await openDocument(xlsx, query))).toEqual(['Hello']);
  });

  test('keep the rows shown by filters, and the labels of totals equal to their cells', async () => {
    const filtered = tableWorkbook({
      strings: ['2027', 'Apples', 'All', ' Red &#10;figs '],
      rows: row(1, shared(0), shared(3)) + row(2, shared(1)) + row(3, shared(2)),
      table: table('A1:A3', [['2027', ' totalsRowLabel="All"/>']], ' totalsRowCount="1"').replace(
        '<tableColumns',
        '<autoFilter ref="A1:A2"><filterColumn colId="0"><filters><filter val="Apples"/></filters></filterColumn></autoFilter><tableColumns',
      ),
      after:
        '<autoFilter ref="D1:D9"><filterColumn colId="0"><filters><filter val="Apples"/><filter val="Plums"/><filter val="Apples "/><filter val=" red &#10;figs "/></filters></filterColumn><filterColumn colId="1"><customFilters><customFilter val="apples"/><customFilter val="App*"/></customFilters></filterColumn><sortState ref="D2:D9"><sortCondition ref="D2:D9" customList="Plums,Apples"/></sortState></autoFilter>',
    });
    const result = await translatedDocument(xlsx, filtered, {
      translate: withTexts({ Apples: 'Manzanas', All: 'Todo', Red: 'Rojos', figs: 'higos' }),
    });
    expect(zipText(result, TABLE)).toContain('<filter val="Manzanas"/>');
    expect(zipText(result, TABLE)).toContain('name="2027" totalsRowLabel="Todo"');
    expect(zipText(result, SHEET)).toContain(
      '<filter val="Manzanas"/><filter val="Plums"/><filter val="Manzanas "/><filter val=" Rojos &#10;higos "/>',
    );
    expect(zipText(result, SHEET)).toContain(
      '<customFilter val="Manzanas"/><customFilter val="App*"/>',
    );
    expect(zipText(result, SHEET)).toContain('customList="Plums,Manzanas"');
  });

  test('that are not translated keep table and formulas byte for byte', async () => {
    const result = await translatedDocument(xlsx, file, {
      translate: withTexts({ Apples: 'Manzanas' }),
    });
    expect(unzipped(result)[TABLE]).toEqual(unzipped(file)[TABLE]);
    expect(unzipped(result)[SHEET]).toEqual(unzipped(file)[SHEET]);
  });
});

test('references without a table are found in linear time', () => {
  const renamed = new Map([['sales', new Map([['a', 'b']])]]);
  return expectSteadyTime((size) => renameColumns('{[a]'.repeat(size / 4), renamed, 'Sales'), {
    size: 64 * 1024,
    littleMs: 150,
  });
});

describe('xlsx formula references', () => {
  const renamed = new Map([
    [
      'sales',
      new Map([
        ['amount', 'Betrag'],
        ['unit price', 'Stück-Preis'],
        ["o'brien", '[x]'],
      ]),
    ],
  ]);
  test.each([
    ['SUM(sales[AMOUNT])', 'SUM(sales[Betrag])'],
    ['Sales[[#Totals],[Unit Price]]', 'Sales[[#Totals],[Stück-Preis]]'],
    ['Sales[Unit Price]', 'Sales[[Stück-Preis]]'],
    ['Sales[[Amount]:[Unit Price]]', 'Sales[[Betrag]:[Stück-Preis]]'],
    ["Sales[O''Brien]", "Sales[['[x']]]"],
    ['INDIRECT("Sales[Amount]")', 'INDIRECT("Sales[Betrag]")'],
    ['"of Sales[Amount]"&Sales[Amount]', '"of Sales[Amount]"&Sales[Betrag]'],
    ['[1]!Sales[Amount]', '[1]!Sales[Amount]'],
    ["'Sales[Amount]'!A1+MySales[Amount]", "'Sales[Amount]'!A1+MySales[Amount]"],
    [
      'Sales[#All]+Sales[]+Sales[[#Data],[#Totals]]',
      'Sales[#All]+Sales[]+Sales[[#Data],[#Totals]]',
    ],
    ['Sales[Amount', 'Sales[Amount'],
    ['"a ""Sales[Amount]"" b"', '"a ""Sales[Amount]"" b"'],
  ])('%s becomes %s', (before, after) => {
    expect(renameColumns(before, renamed)).toBe(after);
  });

  test.each([
    ['[[#This Row],[Amount]]*2', '[[#This Row],[Betrag]]*2'],
    ['SUBTOTAL(109,[Amount])', 'SUBTOTAL(109,[Betrag])'],
    ['[Unit Price]+Sales[Amount]', '[[Stück-Preis]]+Sales[Betrag]'],
    ['[Other]+[1]Amount!A1+Stock[Amount]', '[Other]+[1]Amount!A1+Stock[Amount]'],
    ['[#Totals]+[1]!Sales[Amount]', '[#Totals]+[1]!Sales[Amount]'],
  ])('%s becomes %s within its table', (before, after) => {
    expect(renameColumns(before, renamed, 'Sales')).toBe(after);
    expect(renameColumns('[Amount]', renamed)).toBe('[Amount]');
  });
});
