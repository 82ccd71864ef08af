import { describe, expect, test } from 'vitest';
import {
  bodyOf,
  field,
  inCapitals,
  linesOf,
  paragraph,
  part,
  rewriteWord,
  run,
  translateWord,
  wordDocument,
} from '../../support/documents/word-document.ts';
import { zipText } from '../../support/documents/documents.ts';

describe('docx fields', () => {
  test('have results with words of the document translated', async () => {
    const codes = [
      'HYPERLINK "http://a.example"',
      'REF _Ref1 \\h',
      'STYLEREF "Heading 1"',
      'QUOTE x',
      'FILLIN ""',
    ];
    const body = codes.map((code) =>
      paragraph(run('See ') + field(code, run('that part')) + run('.')),
    );
    expect(await linesOf(wordDocument(body.join('')))).toEqual(
      codes.map(() => 'See <1>that part</1>.'),
    );
    expect(await inCapitals(body[0]!)).toContain(
      field(codes[0]!, '<w:r><w:t>THAT PART</w:t></w:r>'),
    );
  });

  test('become one mark if the program makes their results; their code is never text', async () => {
    const codes = [
      'PAGE',
      'DATE \\@ "MMMM"',
      'SEQ Figure',
      'MERGEFIELD Name',
      'IF 1 = 2 "yes" "no"',
    ];
    const body = codes.map((code) =>
      paragraph(run('On ') + field(code, run('Some thing')) + run(' now')),
    );
    expect(await linesOf(wordDocument(body.join('')))).toEqual(codes.map(() => 'On <1/> now'));
    for (const [index, code] of codes.entries()) {
      expect(await inCapitals(body[index]!)).toContain(field(code, run('Some thing')));
    }
  });

  test('within fields belong to the outer field', async () => {
    const inner = field('HYPERLINK "x"', run('not ours'));
    const body = paragraph(run('It ') + field('IF ', inner) + run(' is'));
    expect(await linesOf(wordDocument(body))).toEqual(['It <1/> is']);
    expect(await inCapitals(body)).toContain(field('IF ', inner));
  });

  test('that span several paragraphs are followed through all of them', async () => {
    const begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>';
    const separate = '</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>';
    const end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>';
    const toc =
      paragraph(`${begin}TOC \\o${separate}${run('First')}`) + paragraph('Second') + paragraph(end);
    const data =
      paragraph(`${begin}DATABASE x${separate}${run('Row')}`) +
      paragraph('Row too') +
      paragraph(end);
    const body = toc + data + paragraph('After');
    expect(await linesOf(wordDocument(body))).toEqual(['First', 'Second', 'After']);
    expect(await inCapitals(body)).toContain(
      `<w:p>${begin}TOC \\o${separate}<w:r><w:t>FIRST</w:t></w:r></w:p>`,
    );
  });

  test('of the simple kind are treated alike', async () => {
    const simple = (code: string): string =>
      paragraph(
        run('A ') + `<w:fldSimple w:instr="${code}">${run('result')}</w:fldSimple>` + run(' b'),
      );
    expect(await linesOf(wordDocument(simple(' PAGE ') + simple(' REF x ')))).toEqual([
      'A <1/> b',
      'A <1>result</1> b',
    ]);
    expect(await inCapitals(simple(' REF x '))).toContain(
      '<w:fldSimple w:instr=" REF x "><w:r><w:t>RESULT</w:t></w:r></w:fldSimple>',
    );
  });

  test('get their order back after a translation that loses it', async () => {
    const body = paragraph(
      run('a ') +
        `<w:hyperlink w:anchor="x">${run('b')}<w:r><w:fldChar w:fldCharType="begin"/></w:r></w:hyperlink>` +
        run(' c ') +
        '<w:r><w:instrText>REF y</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>' +
        run(' d'),
    );
    const out = bodyOf(
      await rewriteWord(wordDocument(body), (segment) => {
        const lone = segment.filter((piece) => typeof piece !== 'string' && piece.mark === 'lone');
        const turned = [...lone].reverse();
        return segment.map((piece) =>
          typeof piece !== 'string' && piece.mark === 'lone' ? turned.shift()! : piece,
        );
      }),
    );
    const kinds = [...out.matchAll(/fldCharType="(\w+)"/g)].map(([, kind]) => kind);
    expect(kinds).toEqual(['begin', 'separate', 'end']);
  });

  test('of forms have their choices translated', async () => {
    const data = (entry: string): string =>
      `<w:ffData><w:ddList><w:listEntry w:val="${entry}"/></w:ddList></w:ffData>`;
    const body = paragraph(
      `<w:r><w:fldChar w:fldCharType="begin">${data('First choice')}</w:fldChar></w:r>` +
        '<w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>' +
        run(' label'),
    );
    expect(await linesOf(wordDocument(body))).toEqual(['First choice', 'label']);
    expect(await inCapitals(body)).toContain(data('FIRST CHOICE'));
  });
});

describe('words in docx fields', () => {
  test('in codes are translated: entries of indexes and contents, tooltips, prompts', async () => {
    const code = (...pieces: string[]): string =>
      `<w:r><w:fldChar w:fldCharType="begin"/></w:r>${pieces.map((piece) => `<w:r><w:instrText xml:space="preserve">${piece}</w:instrText></w:r>`).join('')}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
    const body = paragraph(
      run('Text') +
        code(' XE "', 'boats:sails', '" \\b ') +
        code(' XE "oars" \\t "', 'See boats" ') +
        code(' TC "Notes: a \\"draft\\"" \\f C \\l 1 ') +
        code(' HYPERLINK "C:\\\\my \\\\o.htm" \\l "top" \\o "More here" \\t "_blank" ') +
        code(' MACROBUTTON NoMacro [Click me]\u00a0'),
    );
    expect(await linesOf(wordDocument(body))).toEqual([
      'boats',
      'sails',
      'oars',
      'See boats',
      'Notes: a "draft"',
      'More here',
      '[Click me]',
      'Text',
    ]);
    const out = await inCapitals(body);
    expect(out).toContain('> XE "BOATS:SAILS" \\b <');
    expect(out).toContain('> XE "OARS" \\t "SEE BOATS" <');
    expect(out).toContain('> TC "NOTES: A \\"DRAFT\\"" \\f C \\l 1 <');
    expect(out).toContain('\\\\o.htm" \\l "top" \\o "MORE HERE" \\t "_blank" <');
    expect(out).toContain('> MACROBUTTON NoMacro [CLICK ME]\u00a0<');
  });

  test('that repeat a file property are translated like it', async () => {
    for (const code of [
      'TITLE \\* MERGEFORMAT',
      'DOCPROPERTY Title',
      'INFO "Subject"',
      'COMMENTS',
    ]) {
      expect(await inCapitals(paragraph(field(code, run('Annual report'))))).toContain(
        'ANNUAL REPORT',
      );
    }
    const author = field('DOCPROPERTY Author', run('Jane Doe'));
    expect(await inCapitals(paragraph(run('By ') + author))).toContain(author);
  });

  test('of forms are translated: help, status and default text', async () => {
    const data = (words: string, type = ''): string =>
      `<w:ffData><w:helpText w:type="text" w:val="${words}"/><w:statusText w:type="autoText" w:val="Name"/>` +
      `<w:textInput>${type}<w:default w:val="${words}"/></w:textInput></w:ffData>`;
    const begin = (xml: string): string =>
      `<w:r><w:fldChar w:fldCharType="begin">${xml}</w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
    const list =
      '<w:sdt><w:sdtPr><w:dropDownList><w:listItem w:value="Red"/></w:dropDownList></w:sdtPr><w:sdtContent><w:r><w:t>Red</w:t></w:r></w:sdtContent></w:sdt>';
    const out = await inCapitals(paragraph(begin(data('Your town')) + list));
    expect(out).toContain(data('YOUR TOWN'));
    expect(out).toContain('<w:listItem w:value="Red" w:displayText="RED"/>');
    const formula = data('', '<w:type w:val="calculated"/>').replace(
      '<w:default w:val=""/>',
      '<w:default w:val="=SUM(a)"/>',
    );
    expect(await inCapitals(paragraph(begin(formula) + run('x')))).toContain(formula);
  });
});

describe('docx alternatives for old programs', () => {
  const both = (content: string): string =>
    `<mc:AlternateContent><mc:Choice Requires="w14">${content}</mc:Choice><mc:Fallback>${content}</mc:Fallback></mc:AlternateContent>`;

  test('among runs are one text, written in both places', async () => {
    const body = paragraph(run('Before ') + both(run('choice')) + run(' after'));
    expect(await linesOf(wordDocument(body))).toEqual(['Before <1>choice</1> after']);
    expect(await inCapitals(body)).toContain(both('<w:r><w:t>CHOICE</w:t></w:r>'));
  });

  test('around paragraphs are translated once and written in both places', async () => {
    const body = both(paragraph('Whole')) + paragraph('Next');
    expect(await linesOf(wordDocument(body))).toEqual(['Whole', 'Next']);
    expect(await inCapitals(body)).toContain(both('<w:p><w:r><w:t>WHOLE</w:t></w:r></w:p>'));
  });
});

describe('docx tracked changes', () => {
  test('are accepted where a text is translated', async () => {
    const body = paragraph(
      run('Kept ') +
        `<w:del w:id="1" w:author="A"><w:r><w:delText>gone</w:delText></w:r></w:del>` +
        `<w:ins w:id="2" w:author="A">${run('new')}</w:ins>` +
        `<w:moveFrom w:id="3">${run('moved away')}</w:moveFrom><w:moveTo w:id="4">${run(' here')}</w:moveTo>` +
        '<w:r><w:rPr><w:rPrChange w:id="5"><w:rPr><w:b/></w:rPr></w:rPrChange></w:rPr><w:t>.</w:t></w:r>',
      '<w:pPrChange w:id="6"><w:pPr/></w:pPrChange>',
    );
    expect(await linesOf(wordDocument(body))).toEqual(['Kept new here.']);
    expect(await inCapitals(body)).toBe(
      '<w:p><w:pPr></w:pPr><w:r><w:t>KEPT NEW HERE.</w:t></w:r></w:p>',
    );
  });

  test('of paragraph ends join paragraphs, and of rows remove rows', async () => {
    const row = (text: string, properties = ''): string =>
      `<w:tr>${properties}<w:tc>${paragraph(text)}</w:tc></w:tr>`;
    const table = (rows: string): string => `<w:tbl><w:tblPr/><w:tblGrid/>${rows}</w:tbl>`;
    const deleted = '<w:trPr><w:del w:id="9"/></w:trPr>';
    const body =
      paragraph('Two halves ', '<w:rPr><w:del w:id="7"/></w:rPr>') +
      paragraph('make one', '<w:jc w:val="right"/>') +
      table(row('gone', deleted) + row('stays', '<w:trPr><w:ins w:id="8"/></w:trPr>')) +
      paragraph('') +
      table(row('all gone', deleted)) +
      paragraph('end');
    expect(await linesOf(wordDocument(body))).toEqual(['Two halves make one', 'stays', 'end']);
    const out = await inCapitals(body);
    expect(out).toContain(
      '<w:pPr><w:jc w:val="right"/></w:pPr><w:r><w:t>TWO HALVES MAKE ONE</w:t>',
    );
    expect(out.match(/<w:tbl>/g)).toHaveLength(1);
    expect(out.match(/<w:tr>/g)).toHaveLength(1);
    expect(out).not.toMatch(/gone|w:del|w:ins/);
  });

  test('of cells remove and merge cells', async () => {
    const cell = (text: string, mark = ''): string =>
      `<w:tc><w:tcPr><w:tcW w:w="9"/>${mark}</w:tcPr>${paragraph(text)}</w:tc>`;
    const gone = cell('gone', '<w:cellDel w:id="1"/>');
    const table = (rows: string): string => `<w:tbl><w:tblPr/><w:tblGrid/>${rows}</w:tbl>`;
    const rows =
      `<w:tr>${gone}${cell('stays', '<w:cellIns w:id="2"/>')}</w:tr><w:tr>${gone}</w:tr>` +
      `<w:tr>${cell('one', '<w:cellMerge w:id="3" w:vMerge="rest"/>')}</w:tr>`;
    const boxed = paragraph(
      `<w:r><w:pict><w:txbxContent>${table(rows)}</w:txbxContent></w:pict></w:r>`,
    );
    for (const body of [table(rows) + paragraph('end'), boxed]) {
      expect((await linesOf(wordDocument(body))).slice(0, 2)).toEqual(['stays', 'one']);
      const out = await inCapitals(body + paragraph('more'));
      expect(out.match(/<w:tc>/g)).toHaveLength(2);
      expect(out.match(/<w:tr>/g)).toHaveLength(2);
      expect(out).toContain('<w:tcW w:w="9"/><w:vMerge w:val="restart"/></w:tcPr>');
      expect(out).not.toMatch(/gone|w:cell/);
    }
  });

  test('stay in a document without translated text', async () => {
    const file = wordDocument(
      paragraph(`<w:del w:id="1"><w:r><w:delText>x</w:delText></w:r></w:del>`),
    );
    const out = await translateWord(file);
    expect(bodyOf(out)).toBe(bodyOf(file));
  });
});

describe('docx content controls', () => {
  const bound =
    '<w:dataBinding w:xpath="/ns0:coreProperties[1]/ns1:title[1]" w:storeItemID="{6C3C8BC8}"/>';

  test('lose their binding to stored data, which would restore the source', async () => {
    const inline = paragraph(
      run('Report: ') +
        `<w:sdt><w:sdtPr><w:tag w:val="t"/>${bound}</w:sdtPr><w:sdtContent>${run('The title')}</w:sdtContent></w:sdt>`,
    );
    const block = `<w:sdt><w:sdtPr>${bound}<w:text/></w:sdtPr><w:sdtContent>${paragraph('A whole paragraph')}</w:sdtContent></w:sdt>`;
    expect(await linesOf(wordDocument(inline + block))).toEqual([
      'Report: <1>The title</1>',
      'A whole paragraph',
    ]);
    const out = await inCapitals(inline + block);
    expect(out).not.toContain('dataBinding');
    expect(out).toContain(
      '<w:sdt><w:sdtPr><w:tag w:val="t"/></w:sdtPr><w:sdtContent><w:r><w:t>THE TITLE</w:t></w:r></w:sdtContent></w:sdt>',
    );
    expect(out).toContain('<w:sdt><w:sdtPr><w:text/></w:sdtPr>');
  });

  test('with pictures stay bound, and lists have their entries translated, as the chosen one in its sentence is', async () => {
    const picture = `<w:sdt><w:sdtPr>${bound}<w:picture/></w:sdtPr><w:sdtContent>${paragraph('')}</w:sdtContent></w:sdt>`;
    const list = paragraph(
      '<w:sdt><w:sdtPr><w:dropDownList><w:listItem w:displayText="Small one" w:value="s"/></w:dropDownList></w:sdtPr>' +
        `<w:sdtContent>${run('Small one')}</w:sdtContent></w:sdt>${run(' is what I want.')}`,
    );
    expect(await linesOf(wordDocument(list))).toEqual([
      ...['Small one', 'Small one', 'is what I want.'],
    ]);
    const out = await inCapitals(picture + list);
    expect(out).toContain(bound);
    expect(out).toContain('<w:listItem w:displayText="SMALL ONE" w:value="s"/>');
    expect(out).toContain('<w:sdtContent><w:r><w:t>SMALL ONE</w:t></w:r></w:sdtContent>');
  });

  test('have a shown prompt translated, in the stock of prompts as well', async () => {
    const control = paragraph(
      `<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>${run('Click here to enter text.')}</w:sdtContent></w:sdt>`,
    );
    const glossary = part(
      'glossaryDocument',
      `<w:docParts><w:docPart><w:docPartBody>${paragraph('Click here to enter text.')}</w:docPartBody></w:docPart></w:docParts>`,
    );
    const file = wordDocument(control, {
      parts: [{ name: 'glossary/document.xml', xml: glossary, type: 'document.glossary' }],
    });
    expect(await linesOf(file)).toHaveLength(2);
    const out = await translateWord(file);
    expect(bodyOf(out)).toContain('CLICK HERE TO ENTER TEXT.');
    expect(zipText(out, 'word/glossary/document.xml')).toContain('CLICK HERE TO ENTER TEXT.');
  });
});
