import { describe, expect, test } from 'vitest';
import { DocumentError } from '../../../server/documents/formats/format.ts';
import { xlsx } from '../../../server/documents/formats/office/xlsx.ts';
import { unzipped, zipText } from '../../support/documents/documents.ts';
import { presentationOf } from '../../support/documents/presentations.ts';
import {
  openDocument,
  plainTextsOf,
  textsOf,
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

const SHEET = 'xl/worksheets/sheet1.xml';
const STRINGS = 'xl/sharedStrings.xml';

/** Returns a sheet with shared strings, each in its own cell. */
function stringsWorkbook(...strings: readonly string[]): Uint8Array {
  const rows = strings.map((_, i) => row(i + 1, shared(i))).join('');
  return workbookOf({ sheets: [{ name: 'Data', rows }], strings });
}

const upper = (text: string): string => text.toUpperCase();

describe('xlsx cell strings', () => {
  test('shared by several cells are one block and translated in all of them', async () => {
    const file = workbookOf({
      sheets: [{ name: 'Data', rows: row(1, shared(0), shared(0)) + row(2, shared(0)) }],
      strings: ['<t>Apples</t>'],
    });
    expect(plainTextsOf(await openDocument(xlsx, file))).toEqual(['Apples']);
    const result = await translatedDocument(xlsx, file, { translate: () => 'Manzanas' });
    expect(zipText(result, STRINGS)).toContain('<si><t>Manzanas</t></si>');
    expect(zipText(result, SHEET)).toBe(zipText(file, SHEET));
  });

  test('exclude numeric text, dates, signs, and strings that no cell shows', async () => {
    const file = workbookOf({
      sheets: [{ name: 'Data', rows: row(1, shared(0), shared(1), shared(2), number(4)) }],
      strings: ['<t>2027-01-05</t>', '<t>€ 1.250,00</t>', '<t>Pears</t>', '<t>Forgotten</t>'],
    });
    expect(plainTextsOf(await openDocument(xlsx, file))).toEqual(['Pears']);
  });

  test('keep fonts at their words, have no marks for the commonest font, and lose phonetic hints', async () => {
    const bold = '<rPr><b/><sz val="11"/></rPr>';
    const file = stringsWorkbook(
      `<r><t xml:space="preserve">Please </t></r><r>${bold}<t>never</t></r>` +
        '<r><t xml:space="preserve"> open this door</t></r>',
      '<t>東京タワー</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/>',
    );
    const document = await openDocument(xlsx, file);
    expect(textsOf(document)).toEqual(['Please [1]never[/1] open this door', '東京タワー']);
    const result = await document.write(
      [
        [{ mark: 'open', id: 1 }, 'Nunca', { mark: 'close', id: 1 }, ' abra esta puerta'],
        ['Tokyo Tower'],
      ],
      { source: 'en', target: 'es' },
    );
    expect(zipText(result, STRINGS)).toContain(
      `<si><r>${bold}<t>Nunca</t></r><r><t xml:space="preserve"> abra esta puerta</t></r></si>` +
        '<si><t>Tokyo Tower</t></si>',
    );
  });

  test('have at most as many characters as Excel allows', async () => {
    const file = stringsWorkbook('<r><t>Long </t></r><r><rPr><b/></rPr><t>text</t></r>');
    const translate = (text: string) => (text === 'text' ? 'ab'.repeat(20_000) : text);
    const strings = zipText(await translatedDocument(xlsx, file, { translate }), STRINGS);
    const lengths = [...strings.matchAll(/<t[^>]*>([^<]*)/g)].map(([, text = '']) => text.length);
    expect(lengths).toEqual([5, 32_762]);
  });

  test('keep line breaks at their words, and outer white space', async () => {
    const file = stringsWorkbook('<t xml:space="preserve">  First line\nSecond line\n</t>');
    const document = await openDocument(xlsx, file);
    expect(textsOf(document)).toEqual(['First line[1/]Second line']);
    expect(document.blocks[0]?.segment[1]).toMatchObject({ divides: 'line' });
    const result = await translatedDocument(xlsx, file, { translate: upper });
    expect(zipText(result, STRINGS)).toContain('>  FIRST LINE\nSECOND LINE\n</t>');
  });

  test('have character escapes decoded and encoded again', async () => {
    const file = stringsWorkbook('<t>One_x000D_\nTwo</t>', '<t>Code _x005F_x0041_ here</t>');
    expect(textsOf(await openDocument(xlsx, file))).toEqual(['One[1/]Two', 'Code _x0041_ here']);
    const result = await translatedDocument(xlsx, file, {
      translate: withTexts({ 'Code _x0041_ here': 'Aquí código _x0041_', One: 'Uno', Two: 'Dos' }),
    });
    expect(zipText(result, STRINGS)).toContain('Uno_x000D_\nDos');
    expect(zipText(result, STRINGS)).toContain('Aquí código _x005F_x0041_');
  });

  test('within the cells are translated, also with another prefix', async () => {
    const file = workbookOf({
      sheets: [{ name: 'Data', rows: row(1, '<c t="inlineStr"><is><t>Good morning</t></is></c>') }],
      others: {
        'xl/worksheets/sheet2.xml': {
          type: 'spreadsheetml.worksheet+xml',
          xml:
            '<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
            '<x:sheetData><x:row><x:c t="inlineStr"><x:is><x:r><x:t>Good night</x:t></x:r></x:is></x:c>' +
            '</x:row></x:sheetData></x:worksheet>',
        },
      },
    });
    const result = await translatedDocument(xlsx, file, {
      translate: withTexts({ 'Good morning': 'Buenos días', 'Good night': 'Buenas noches' }),
    });
    expect(zipText(result, SHEET)).toContain('<is><t>Buenos días</t></is>');
    expect(zipText(result, 'xl/worksheets/sheet2.xml')).toContain('<x:is><x:t>Buenas noches</x:t>');
  });

  test('that are values without a formula are translated, but not results of formulas', async () => {
    const value = (text: string, code = '') => `<c t="str">${code}<v>${text}</v></c>`;
    const rows = (...texts: readonly string[]) =>
      row(1, value(texts[0] ?? ''), formula('A1&"x"', 'A result')) +
      row(2, value('One of two', '<f t="array" ref="A2:A3">SORT(A1:A2)</f>'), value('12')) +
      row(3, value('Two of two'), value(texts[1] ?? ''));
    const file = workbookOf({ sheets: [{ name: 'Data', rows: rows(' Salt &amp;\nsugar ', 'a') }] });
    const result = await translatedDocument(xlsx, file, { translate: upper });
    expect(zipText(result, SHEET)).toContain(rows(' SALT &amp;\nSUGAR ', 'A'));
  });
});

describe('everything around the xlsx cells', () => {
  test('has header and footer codes kept', async () => {
    const header =
      '&amp;L&amp;"Arial,Bold"&amp;12Annual report&amp;CPage &amp;P of &amp;N&amp;R&amp;D';
    const file = workbookOf({
      sheets: [
        {
          name: 'Data',
          rows: '',
          after:
            `<headerFooter><oddHeader>${header}</oddHeader>` +
            '<oddFooter>Research &amp;&amp; Development</oddFooter></headerFooter>',
        },
      ],
    });
    expect(textsOf(await openDocument(xlsx, file))).toEqual([
      'Annual report',
      'Page [1/] of',
      'Research & Development',
    ]);
    const result = await translatedDocument(xlsx, file, {
      translate: withTexts({ 'Annual report': '2027 Informe', 'Page ': 'Página ', ' of': ' de' }),
    });
    expect(zipText(result, SHEET)).toContain(
      '<oddHeader>&amp;L&amp;"Arial,Bold"&amp;12 2027 Informe&amp;CPágina &amp;P de &amp;N&amp;R&amp;D<',
    );
    expect(zipText(result, SHEET)).toContain('<oddFooter>Research &amp;&amp; Development<');
  });

  test('has headers limited to the permitted length', async () => {
    const file = workbookOf({
      sheets: [
        {
          name: 'Data',
          rows: '',
          after: '<headerFooter><oddHeader>&amp;LShort&amp;RNote</oddHeader></headerFooter>',
        },
      ],
    });
    const result = await translatedDocument(xlsx, file, {
      translate: withTexts({ Short: 'Sehr lang '.repeat(40), Note: 'Anmerkung' }),
    });
    const written = /<oddHeader>(.*)<\/oddHeader>/.exec(zipText(result, SHEET))?.[1] ?? '';
    const text = written.replaceAll('&amp;', '&');
    expect(text.length).toBe(255);
    expect(text).toMatch(/^&LSehr lang .*&RAnmerkung$/);
  });

  test('has validation messages and link tooltips translated, but not lists of values', async () => {
    const file = workbookOf({
      sheets: [
        {
          name: 'Data',
          rows: '',
          after:
            '<dataValidations count="1"><dataValidation type="list" sqref="A1" promptTitle="Choose" ' +
            'prompt="Yes or no &amp; nothing else" errorTitle="Wrong" error="Please choose"><formula1>"Yes,No"' +
            '</formula1></dataValidation></dataValidations>' +
            '<hyperlinks><hyperlink ref="A2" r:id="rId9" tooltip="Our website"/></hyperlinks>',
        },
      ],
    });
    const result = await translatedDocument(xlsx, file, {
      translate: (text) => `${text.toUpperCase()}${'!'.repeat(60)}`,
    });
    const sheet = zipText(result, SHEET);
    expect(sheet).toContain(`promptTitle="CHOOSE${'!'.repeat(26)}"`);
    expect(sheet).toContain('prompt="YES OR NO &amp; NOTHING ELSE!!!');
    expect(sheet).toContain('<formula1>"Yes,No"</formula1>');
    expect(sheet).toContain('tooltip="OUR WEBSITE!!!');
  });

  test('has comments and threads translated, with mentions moved to their new place', async () => {
    const threads = 'http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments';
    const file = workbookOf({
      sheets: [
        {
          name: 'Data',
          rows: '',
          related: [
            ['comments', '../comments1.xml'],
            ['threadedComment', '../threadedComments/threadedComment1.xml'],
          ],
        },
      ],
      others: {
        'xl/comments1.xml': {
          type: 'spreadsheetml.comments+xml',
          xml: sheetXml(
            'comments',
            '<authors><author>Ann Lee</author></authors><commentList><comment ref="A1" authorId="0"><text>' +
              '<r><rPr><b/></rPr><t>Ann Lee:</t></r><r><t xml:space="preserve">\nPlease check this number</t></r>' +
              '</text></comment></commentList>',
          ),
        },
        'xl/threadedComments/threadedComment1.xml': {
          type: 'application/vnd.ms-excel.threadedcomments+xml',
          xml:
            `<ThreadedComments xmlns="${threads}"><threadedComment ref="A1" dT="2027-01-01T00:00:00" personId="{1}" id="{2}">` +
            '<text>Can @Ann or @Anna look at it?</text><mentions><mention mentionpersonId="{1}" mentionId="{3}" ' +
            'startIndex="4" length="4"/><mention mentionpersonId="{4}" mentionId="{5}" ' +
            'startIndex="12" length="5"/></mentions></threadedComment></ThreadedComments>',
        },
      },
    });
    const document = await openDocument(xlsx, file);
    expect(textsOf(document)).toEqual([
      '[1]Ann Lee:[/1][2/]Please check this number',
      'Can [1/] or [2/] look at it?',
    ]);
    const result = await document.write(
      [
        document.blocks[0]!.segment,
        ['¿Puede mirarlo ', { mark: 'lone', id: 2 }, ' o ', { mark: 'lone', id: 1 }, '?'],
      ],
      { source: 'en', target: 'es' },
    );
    const thread = zipText(result, 'xl/threadedComments/threadedComment1.xml');
    expect(thread).toContain('<text>¿Puede mirarlo @Anna o @Ann?</text>');
    expect(thread).toContain('startIndex="23" length="4"');
    expect(thread).toContain('startIndex="15" length="5"');
    expect(zipText(result, 'xl/comments1.xml')).toBe(zipText(file, 'xl/comments1.xml'));
  });

  test('has text boxes, what they show of cells, and picture descriptions in drawings translated', async () => {
    const drawing = 'http://schemas.openxmlformats.org/drawingml/2006';
    const file = workbookOf({
      sheets: [
        {
          name: 'Data',
          rows: '',
          after: '<drawing r:id="rId1"/>',
          related: [['drawing', '../drawings/drawing1.xml']],
        },
      ],
      others: {
        'xl/drawings/drawing1.xml': {
          type: 'drawing+xml',
          xml:
            `<xdr:wsDr xmlns:xdr="${drawing}/spreadsheetDrawing" xmlns:a="${drawing}/main"><xdr:twoCellAnchor><xdr:sp>` +
            '<xdr:nvSpPr><xdr:cNvPr id="2" name="TextBox 1" descr="A red box"/></xdr:nvSpPr><xdr:txBody><a:bodyPr/>' +
            '<a:p><a:r><a:rPr lang="en-GB"/><a:t>Read me</a:t></a:r></a:p><a:p><a:fld id="{0}" type="TxLink"><a:rPr/><a:t>Sales</a:t></a:fld></a:p></xdr:txBody></xdr:sp></xdr:twoCellAnchor></xdr:wsDr>',
        },
      },
    });
    const result = await translatedDocument(xlsx, file, { translate: upper });
    const xml = zipText(result, 'xl/drawings/drawing1.xml');
    expect(xml).toContain('name="TextBox 1" descr="A RED BOX"');
    expect(xml).toContain('<a:rPr lang="es"/><a:t>READ ME</a:t>');
    expect(xml).toContain('type="TxLink"><a:rPr/><a:t>SALES</a:t></a:fld>');
  });

  test('is kept byte for byte when nothing is translated', async () => {
    const file = stringsWorkbook('<t>Apples</t>', '<r><t>Pears</t></r>');
    const result = await translatedDocument(xlsx, file, { translate: (text) => text });
    expect(unzipped(result)).toEqual(unzipped(file));
  });
});

describe('refused xlsx files', () => {
  test.each([
    ['of another program', presentationOf({ slides: [] }), /not a workbook of Excel/],
    [
      'with macros',
      workbookOf({
        sheets: [{ name: 'Data', rows: '' }],
        others: { 'xl/vbaProject.bin': { type: 'application/vnd.ms-office.vbaProject', xml: '' } },
      }),
      /macros/,
    ],
    [
      'with entities of their own',
      workbookOf({
        sheets: [{ name: 'Data', rows: row(1, shared(0)) }],
        others: {
          'xl/sharedStrings.xml': {
            type: 'spreadsheetml.sharedStrings+xml',
            xml: '<!DOCTYPE sst [<!ENTITY a "aaaa">]><sst><si><t>&a;</t></si></sst>',
          },
        },
      }),
      /document type/,
    ],
    [
      'whose sheet ends in the middle',
      workbookOf({ sheets: [{ name: 'Data', rows: '<row r="1"><c>' }] }),
      /damaged/,
    ],
  ])('include files %s', async (_, file, message) => {
    const opened = openDocument(xlsx, file);
    await expect(opened).rejects.toBeInstanceOf(DocumentError);
    await expect(opened).rejects.toThrow(message);
  });
});
