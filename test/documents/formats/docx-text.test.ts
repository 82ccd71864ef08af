import { describe, expect, test } from 'vitest';
import {
  bodyOf,
  field,
  inCapitals,
  line,
  linesOf,
  openWord,
  paragraph,
  rewriteWord,
  run,
  translateWord,
  wordDocument,
} from '../../support/documents/word-document.ts';

describe('runs of a docx paragraph', () => {
  test('that differ only in revision ids, language or proofing are one text', async () => {
    const content =
      '<w:r w:rsidR="00112233"><w:rPr><w:lang w:val="en-GB"/></w:rPr><w:t>Trans</w:t></w:r>' +
      '<w:proofErr w:type="spellStart"/><w:r w:rsidRPr="00998877"><w:rPr><w:noProof/></w:rPr><w:t>lat</w:t></w:r>' +
      '<w:proofErr w:type="spellEnd"/><w:r><w:lastRenderedPageBreak/><w:t>ion</w:t></w:r>';
    expect(await linesOf(wordDocument(paragraph(content)))).toEqual(['Translation']);
    expect(await inCapitals(paragraph(content))).toBe(
      '<w:p><w:r><w:t>TRANSLATION</w:t></w:r></w:p>',
    );
  });

  test('that differ only in a hint for East Asian fonts are one text, which loses the hint', async () => {
    const hinted = (text: string, fonts = '') => run(text, `<w:rFonts${fonts} w:hint="eastAsia"/>`);
    const body = paragraph(hinted('2027') + run('年a') + hinted('“5”') + run('月'));
    expect(await linesOf(wordDocument(body))).toEqual(['2027年a“5”月']);
    expect(await inCapitals(body)).toBe('<w:p><w:r><w:t>2027年A“5”月</w:t></w:r></w:p>');
    const named = paragraph(hinted('a “word”', ' w:eastAsia="MS Mincho"'));
    expect(await inCapitals(named)).toContain('<w:rFonts w:eastAsia="MS Mincho"/>');
  });

  test('in the commonest format have no marks; others keep theirs', async () => {
    const body = paragraph(
      run('Most of it is ', '<w:i/>') + run('bold', '<w:b/>') + run(' and slanted', '<w:i/>'),
    );
    expect(await linesOf(wordDocument(body))).toEqual(['Most of it is <1>bold</1> and slanted']);
    expect(await inCapitals(body)).toBe(
      '<w:p><w:r><w:rPr><w:i/></w:rPr><w:t xml:space="preserve">MOST OF IT IS </w:t></w:r>' +
        '<w:r><w:rPr><w:b/></w:rPr><w:t>BOLD</w:t></w:r>' +
        '<w:r><w:rPr><w:i/></w:rPr><w:t xml:space="preserve"> AND SLANTED</w:t></w:r></w:p>',
    );
  });

  test('follow their words when a translation reorders them', async () => {
    const file = wordDocument(
      paragraph(run('The ') + run('red', '<w:color w:val="FF0000"/>') + run(' house')),
    );
    const out = await rewriteWord(file, () => [
      'La casa ',
      { mark: 'open', id: 1 },
      'roja',
      { mark: 'close', id: 1 },
    ]);
    expect(bodyOf(out)).toBe(
      '<w:p><w:r><w:t xml:space="preserve">La casa </w:t></w:r>' +
        '<w:r><w:rPr><w:color w:val="FF0000"/></w:rPr><w:t>roja</w:t></w:r></w:p>',
    );
  });

  test('that a translation parts from a link by a blank do not give it the format of the link', async () => {
    const link = '<w:rStyle w:val="Hyperlink"/>';
    const content = `${run('See ')}<w:hyperlink r:id="r">${run('our new site', link)}</w:hyperlink>${run(' now')}`;
    const out = await rewriteWord(wordDocument(paragraph(content)), ([first, , , ...rest]) => [
      ...(first === undefined ? [] : [first]),
      'Ve',
      { mark: 'close', id: 1 },
      ' ',
      ...rest,
    ]);
    expect(bodyOf(out)).toContain('<w:r><w:t xml:space="preserve"> </w:t></w:r><w:hyperlink');
  });

  test('that are underlined have marks even where they are longer than the rest', async () => {
    const underlined = run('the long words', '<w:u w:val="single"/>');
    const body = paragraph(run('See ') + underlined + run(' now'));
    expect(await linesOf(wordDocument(body))).toEqual(['See <1>the long words</1> now']);
  });

  test('with only blanks keep a format only where it is visible', async () => {
    const plain = paragraph(run('one') + run(' ', '<w:b/>') + run('two'));
    const underlined = paragraph(run('one') + run(' ', '<w:u w:val="single"/>') + run('two'));
    expect(await linesOf(wordDocument(plain + underlined))).toEqual(['one two', 'one<1> </1>two']);
  });

  test('keep blanks at their ends; blanks around the text stay outside the segment', async () => {
    const body = paragraph(run('  Indented by hand '));
    expect(await linesOf(wordDocument(body))).toEqual(['Indented by hand']);
    expect(await inCapitals(body)).toBe(
      '<w:p><w:r><w:t xml:space="preserve">  </w:t></w:r><w:r><w:t>INDENTED BY HAND</w:t></w:r>' +
        '<w:r><w:t xml:space="preserve"> </w:t></w:r></w:p>',
    );
  });

  test('without xml:space lose blanks at their ends', async () => {
    const body = '<w:p><w:r><w:t>\n  Pretty\n printed \n</w:t></w:r></w:p>';
    expect(await linesOf(wordDocument(body))).toEqual(['Pretty  printed']);
  });

  test('without xml:space keep spaces at their ends that XML does not count as white space', async () => {
    for (const space of ['\u00a0', '\u3000', '\u202f', '\u2003']) {
      const plain = (text: string) => `<w:t>${text}</w:t>`;
      const body = `<w:p><w:r>${plain(`Open${space}`)}</w:r><w:hyperlink r:id="rId1"><w:r>${plain('the gate')}</w:r></w:hyperlink><w:r>${plain(`${space}now `)}</w:r></w:p>`;
      expect(await linesOf(wordDocument(body))).toEqual([`Open${space}<1>the gate</1>${space}now`]);
      const out = (await inCapitals(body)).replaceAll(' xml:space="preserve"', '');
      expect(out).toBe(
        body
          .replaceAll(/(?<=<w:t>)[^<]*/g, (text) => text.trimEnd().toUpperCase())
          .replace('OPEN', `OPEN${space}`),
      );
    }
  });

  test('after a tab lose the blank that represented it, and no other', async () => {
    const body = paragraph(run('Name') + '<w:r><w:tab/></w:r>' + run('here'));
    const out = await rewriteWord(wordDocument(body), () => [
      'Nombre\u00a0 ',
      { mark: 'lone', id: 1 },
      ' \u00a0: aquí',
    ]);
    expect(bodyOf(out)).toBe(
      '<w:p><w:r><w:t xml:space="preserve">Nombre\u00a0</w:t></w:r><w:r><w:tab/></w:r>' +
        '<w:r><w:t xml:space="preserve">\u00a0: aquí</w:t></w:r></w:p>',
    );
  });

  test('with references and CDATA are decoded', async () => {
    const body = '<w:p><w:r><w:t>A &amp; B &#x263A; <![CDATA[<c> & d]]></w:t></w:r></w:p>';
    expect(await linesOf(wordDocument(body))).toEqual(['A & B ☺ <c> & d']);
    expect(await inCapitals(body)).toContain('<w:t>A &amp; B ☺ &lt;C&gt; &amp; D</w:t>');
  });
});

describe('inline content of a docx text', () => {
  test('such as tab or break is a mark that reads as a blank', async () => {
    const body = paragraph(
      '<w:r><w:t>Name:</w:t><w:tab/><w:t>Ada</w:t><w:br/><w:t xml:space="preserve">Place: </w:t><w:cr/><w:t>London</w:t></w:r>',
    );
    expect(await linesOf(wordDocument(body))).toEqual(['Name:<1/> Ada<2/> Place: <3/>London']);
    expect(await inCapitals(body)).toBe(
      '<w:p><w:r><w:t>NAME:</w:t></w:r><w:r><w:tab/></w:r><w:r><w:t>ADA</w:t></w:r><w:r><w:br/></w:r>' +
        '<w:r><w:t xml:space="preserve">PLACE: </w:t></w:r><w:r><w:cr/></w:r><w:r><w:t>LONDON</w:t></w:r></w:p>',
    );
  });

  test('such as tab or break says how it divides the text', async () => {
    const body = paragraph(
      '<w:r><w:t>A</w:t><w:tab/><w:t>B</w:t><w:br/><w:t>C</w:t><w:br/><w:br/><w:t>D</w:t><w:br w:type="page"/><w:t>E</w:t><w:br/><w:tab/><w:t>e</w:t><w:noBreakHyphen/><w:sym/><w:t>F</w:t></w:r>',
    );
    const document = await openWord(wordDocument(body));
    const marks = document.blocks.flatMap(({ segment }) =>
      segment.flatMap((part) => (typeof part === 'string' ? [] : [part.divides])),
    );
    expect(marks).toEqual(['gap', 'line', 'gap', 'gap', 'line', undefined]);
  });

  test('such as a break loses the blank that an engine puts before it', async () => {
    const file = wordDocument(paragraph('<w:r><w:t>one</w:t><w:br/><w:t>two</w:t></w:r>'));
    const out = await rewriteWord(file, () => ['uno ', { mark: 'lone', id: 1 }, ' dos']);
    expect(bodyOf(out)).toBe(
      '<w:p><w:r><w:t>uno</w:t></w:r><w:r><w:br/></w:r><w:r><w:t>dos</w:t></w:r></w:p>',
    );
  });

  test('such as hyphens is kept if non-breaking, and dropped if soft', async () => {
    const body = paragraph(
      '<w:r><w:t>co</w:t><w:softHyphen/><w:t>operate by e</w:t><w:noBreakHyphen/><w:t>mail</w:t></w:r>',
    );
    expect(await linesOf(wordDocument(body))).toEqual(['cooperate by e\u2011mail']);
    expect(await inCapitals(body)).toBe(
      '<w:p><w:r><w:t>COOPERATE BY E</w:t><w:noBreakHyphen/><w:t>MAIL</w:t></w:r></w:p>',
    );
  });

  test('such as symbol, footnote, comment or formula stays at its word', async () => {
    const body = paragraph(
      run('See') +
        '<w:r><w:footnoteReference w:id="2"/></w:r>' +
        run(' the sign ') +
        '<w:r><w:sym w:font="Wingdings" w:char="F04A"/></w:r>' +
        run(' and ') +
        '<m:oMath><m:r><m:t>x in words</m:t></m:r></m:oMath>' +
        run(' here') +
        '<w:r><w:commentReference w:id="1"/></w:r>',
    );
    expect(await linesOf(wordDocument(body))).toEqual(['See<1/> the sign <2/> and <3/> here']);
    const out = await inCapitals(body);
    expect(out).toContain('<m:oMath><m:r><m:t>x in words</m:t></m:r></m:oMath>');
    expect(out).toContain('<w:sym w:font="Wingdings" w:char="F04A"/>');
    expect(out).toMatch(/<w:commentReference w:id="1"\/><\/w:r><\/w:p>$/);
  });

  test('in a symbol font is not text', async () => {
    const body = paragraph(
      run('J', '<w:rFonts w:ascii="Wingdings" w:hAnsi="Wingdings"/>') + run(' smile'),
    );
    expect(await linesOf(wordDocument(body))).toEqual(['smile']);
  });

  test('such as ruby has its base translated and its reading dropped', async () => {
    const body = paragraph(
      run('in ') +
        '<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby></w:r>',
    );
    expect(await linesOf(wordDocument(body))).toEqual(['in 東京']);
    expect(await inCapitals(body)).toBe('<w:p><w:r><w:t>IN 東京</w:t></w:r></w:p>');
  });

  test('such as custom XML, a field or a smart tag has its properties once, or with the tag not at all', async () => {
    const custom = '<w:customXml w:element="a"><w:customXmlPr><w:attr w:name="a"/></w:customXmlPr>';
    const field = '<w:fldSimple w:instr="TITLE"><w:fldData>AAAA</w:fldData>';
    const tag = '<w:smartTag w:element="date"><w:smartTagPr><w:attr w:name="Year"/></w:smartTagPr>';
    const body = paragraph(
      `${custom}${run('one')}</w:customXml>${run(', ')}${field}${run('two')}</w:fldSimple>` +
        `${tag}${run(' in May')}</w:smartTag>`,
    );
    expect(await linesOf(wordDocument(body))).toEqual(['<1>one</1>, <2>two</2> in May']);
    const written = (await inCapitals(body)).replaceAll(/<\/?w:[rt]\b[^>]*>/g, '');
    expect(written).toBe(
      paragraph(`${custom}ONE</w:customXml>, ${field}TWO</w:fldSimple> IN MAY`).replaceAll(
        /<\/?w:[rt]\b[^>]*>/g,
        '',
      ),
    );
  });

  test('such as hidden text is translated and stays hidden', async () => {
    const body = paragraph(run('Seen ') + run('unseen', '<w:vanish/>') + run(' and seen again'));
    expect(await linesOf(wordDocument(body))).toEqual(['Seen <1>unseen</1> and seen again']);
    expect(await inCapitals(body)).toContain('<w:rPr><w:vanish/></w:rPr><w:t>UNSEEN</w:t>');
  });
});

describe('docx paragraphs', () => {
  test('without letters are not translated', async () => {
    const body = paragraph('12,345.00') + paragraph('– • –') + paragraph('') + paragraph('One');
    expect(await linesOf(wordDocument(body))).toEqual(['One']);
  });

  test('whose translation equals their source keep every byte when others change', async () => {
    const odd =
      '<w:p  w:rsidR=\'00AA\'><w:r><w:t>Ke</w:t></w:r><!-- note --><w:r w:rsidR="1"><w:t>ep</w:t></w:r></w:p>';
    const out = bodyOf(
      await translateWord(wordDocument(odd + paragraph('change')), (text) =>
        text === 'Keep' ? text : text.toUpperCase(),
      ),
    );
    expect(out).toBe(`${odd}<w:p><w:r><w:t>CHANGE</w:t></w:r></w:p>`);
  });

  test('get back a first letter that is a drop cap', async () => {
    const body =
      paragraph(
        run('O', '<w:position w:val="-9"/><w:sz w:val="116"/>'),
        '<w:framePr w:dropCap="drop" w:lines="3"/>',
      ) + paragraph('nce upon a time');
    expect(await linesOf(wordDocument(body))).toEqual(['Once upon a time']);
    expect(await inCapitals(body)).toBe('<w:p><w:r><w:t>ONCE UPON A TIME</w:t></w:r></w:p>');
  });

  test('have marks at their ends removed: bookmarks, notes, enclosing links', async () => {
    const body = paragraph(
      '<w:bookmarkStart w:id="0" w:name="_Toc1"/>' +
        `<w:hyperlink w:anchor="x">${run('Chapter one')}<w:r><w:tab/></w:r>${field('PAGEREF _Toc1', run('7'))}</w:hyperlink>` +
        '<w:bookmarkEnd w:id="0"/>',
    );
    expect(await linesOf(wordDocument(body))).toEqual(['Chapter one']);
    expect(await inCapitals(body)).toBe(
      '<w:p><w:bookmarkStart w:id="0" w:name="_Toc1"/><w:hyperlink w:anchor="x"><w:r><w:t>CHAPTER ONE</w:t></w:r>' +
        `<w:r><w:tab/></w:r>${field('PAGEREF _Toc1', run('7'))}</w:hyperlink><w:bookmarkEnd w:id="0"/></w:p>`,
    );
  });

  test('lose the bookmark of the last edit, which would be a mark within words', async () => {
    const body = paragraph(
      run('one wo') +
        '<w:bookmarkStart w:id="1" w:name="_GoBack"/><w:bookmarkEnd w:id="1"/>' +
        run('rd'),
    );
    expect(await linesOf(wordDocument(body))).toEqual(['one word']);
    expect(await inCapitals(body)).toBe('<w:p><w:r><w:t>ONE WORD</w:t></w:r></w:p>');
  });

  test('never have a bookmark twice, or its end before its beginning', async () => {
    const file = wordDocument(
      paragraph(
        run('The ') +
          '<w:bookmarkStart w:id="3" w:name="term"/>' +
          run('term') +
          '<w:bookmarkEnd w:id="3"/>' +
          run(' and ') +
          '<w:bookmarkStart w:id="4" w:name="crossing"/>' +
          `<w:hyperlink w:anchor="a">${run('li')}<w:bookmarkEnd w:id="4"/>${run('nk')}</w:hyperlink>`,
      ),
    );
    const [block] = (await openWord(file)).blocks;
    expect(line(block!.segment)).toBe('The <1>term</1> and <2/><3>li<4/>nk</3>');
    // As an engine may well do: the lone marks swap places.
    const out = bodyOf(
      await rewriteWord(file, () => [
        { mark: 'open', id: 3 },
        'en',
        { mark: 'lone', id: 4 },
        'lace',
        { mark: 'close', id: 3 },
        ' y ',
        { mark: 'lone', id: 2 },
        { mark: 'open', id: 1 },
        'término',
        { mark: 'close', id: 1 },
      ]),
    );
    for (const id of [3, 4]) {
      expect(out.match(new RegExp(`<w:bookmarkStart w:id="${id}"`, 'g'))).toHaveLength(1);
      expect(out.match(new RegExp(`<w:bookmarkEnd w:id="${id}"`, 'g'))).toHaveLength(1);
      expect(out.indexOf(`<w:bookmarkStart w:id="${id}"`)).toBeLessThan(
        out.indexOf(`<w:bookmarkEnd w:id="${id}"`),
      );
    }
  });
});
