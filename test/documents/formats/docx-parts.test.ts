import { describe, expect, test } from 'vitest';
import {
  linesOf,
  namespaces,
  openWord,
  paragraph,
  part,
  run,
  translateWord,
  wordDocument,
  type WordPart,
} from '../../support/documents/word-document.ts';
import { unzipped, zipOf, zipText } from '../../support/documents/documents.ts';

const core = (content: string): Record<string, string> => ({
  'docProps/core.xml': `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">${content}</cp:coreProperties>`,
});

/** Adds a content type to the entries of a document. */
function withContentType(file: Uint8Array, override: string): Uint8Array {
  const entries = unzipped(file);
  const types = zipText(file, '[Content_Types].xml').replace('</Types>', `${override}</Types>`);
  return zipOf({ ...entries, '[Content_Types].xml': types });
}

describe('docx parts', () => {
  test('such as headers, footers, notes and comments are translated like the document', async () => {
    const parts: WordPart[] = [
      { name: 'header1.xml', xml: part('hdr', paragraph('Page header')), type: 'header' },
      { name: 'footer1.xml', xml: part('ftr', paragraph('Page footer')), type: 'footer' },
      {
        name: 'footnotes.xml',
        xml: part(
          'footnotes',
          '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>' +
            `<w:footnote w:id="2">${paragraph('<w:r><w:footnoteRef/></w:r>' + run(' A footnote'))}</w:footnote>`,
        ),
        type: 'footnotes',
      },
      {
        name: 'endnotes.xml',
        xml: part('endnotes', `<w:endnote w:id="2">${paragraph('An endnote')}</w:endnote>`),
        type: 'endnotes',
      },
      {
        name: 'comments.xml',
        xml: part(
          'comments',
          `<w:comment w:id="0" w:author="Ada">${paragraph('A comment')}</w:comment>`,
        ),
        type: 'comments',
      },
    ];
    const file = wordDocument(paragraph('The text'), { parts });
    expect(await linesOf(file)).toEqual([
      'The text',
      'Page header',
      'Page footer',
      'A footnote',
      'An endnote',
      'A comment',
    ]);
    const out = await translateWord(file);
    expect(zipText(out, 'word/header1.xml')).toContain('PAGE HEADER');
    expect(zipText(out, 'word/footer1.xml')).toContain('PAGE FOOTER');
    expect(zipText(out, 'word/footnotes.xml')).toContain('<w:footnoteRef/></w:r>');
    expect(zipText(out, 'word/footnotes.xml')).toContain('A FOOTNOTE');
    expect(zipText(out, 'word/endnotes.xml')).toContain('AN ENDNOTE');
    expect(zipText(out, 'word/comments.xml')).toContain('w:author="Ada"');
    expect(zipText(out, 'word/comments.xml')).toContain('A COMMENT');
  });

  test('with text boxes are translated in both places, as one block', async () => {
    const box = (text: string): string => `<w:txbxContent>${paragraph(text)}</w:txbxContent>`;
    const body = paragraph(
      run('Around ') +
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:docPr id="1" name="Box 1" descr="A yellow box"/>' +
        `<a:graphic><a:graphicData><wps:wsp><wps:txbx>${box('In the box')}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice>` +
        `<mc:Fallback><w:pict><v:shape alt="A yellow box"><v:textbox>${box('In the box')}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>` +
        run(' it'),
    );
    const file = wordDocument(body);
    expect(await linesOf(file)).toEqual(['A yellow box', 'In the box', 'Around <1/> it']);
    const out = zipText(await translateWord(file), 'word/document.xml');
    expect(out.match(/IN THE BOX/g)).toHaveLength(2);
    expect(out.match(/A YELLOW BOX/g)).toHaveLength(2);
    expect(out).toContain('name="Box 1"');
    expect(out).not.toMatch(/In the box|A yellow box/);
  });

  test('with pictures keep these in place and have their alternative text translated', async () => {
    const picture =
      '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" title="Map" descr="A map of the town"/><a:graphic><a:graphicData>' +
      '<pic:pic><pic:nvPicPr><pic:cNvPr id="0" name="map.png" descr="map.png"/></pic:nvPicPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>';
    const file = wordDocument(paragraph(run('Here ') + picture + run(' it is')), {
      entries: { 'word/media/image1.png': new Uint8Array([1, 2, 3]) },
    });
    expect(await linesOf(file)).toEqual(['Map', 'A map of the town', 'Here <1/> it is']);
    const out = await translateWord(file);
    const xml = zipText(out, 'word/document.xml');
    expect(xml).toContain('title="MAP" descr="A MAP OF THE TOWN"');
    expect(xml).toContain('name="map.png" descr="map.png"');
    // Clients may put anything in place of media, so media are never inspected.
    expect(unzipped(out)['word/media/image1.png']).toEqual(new Uint8Array([1, 2, 3]));
  });

  test('with DrawingML text, word art or link tooltips are translated', async () => {
    const body = paragraph(
      `<w:r><w:drawing><a:graphic><a:graphicData><a:sp><a:txBody><a:p><a:r><a:rPr lang="en-GB"/><a:t>Drawn text</a:t></a:r></a:p></a:txBody></a:sp></a:graphicData></a:graphic></w:drawing></w:r>` +
        '<w:r><w:pict><v:shape><v:textpath string="Draft copy"/></v:shape></w:pict></w:r>' +
        `<w:hyperlink r:id="rId9" w:tooltip="Go there">${run('there')}</w:hyperlink>`,
    );
    const out = zipText(await translateWord(wordDocument(body)), 'word/document.xml');
    expect(out).toContain('<a:rPr lang="es"/><a:t>DRAWN TEXT</a:t>');
    expect(out).toContain('string="DRAFT COPY"');
    expect(out).toContain('w:tooltip="GO THERE"');
  });

  test('with charts or SmartArt are translated', async () => {
    const a = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
    const c = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"';
    const dgm = 'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"';
    const chart = `<c:chartSpace ${c} ${a}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales by year</a:t></a:r></a:p></c:rich></c:tx></c:title></c:chart></c:chartSpace>`;
    const data = `<dgm:dataModel ${dgm} ${a}><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>First step</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`;
    const drawingml = 'application/vnd.openxmlformats-officedocument.drawingml';
    const file = withContentType(
      wordDocument(paragraph('Text'), {
        entries: { 'word/charts/chart1.xml': chart, 'word/diagrams/data1.xml': data },
      }),
      `<Override PartName="/word/charts/chart1.xml" ContentType="${drawingml}.chart+xml"/>` +
        `<Override PartName="/word/diagrams/data1.xml" ContentType="${drawingml}.diagramData+xml"/>`,
    );
    const out = await translateWord(file);
    expect(zipText(out, 'word/charts/chart1.xml')).toContain('SALES BY YEAR');
    expect(zipText(out, 'word/diagrams/data1.xml')).toContain('FIRST STEP');
  });

  test('with numbering have words translated around the number; bullets stay', async () => {
    const level = (text: string): string => `<w:lvl><w:lvlText w:val="${text}"/></w:lvl>`;
    const numbering = part('numbering', level('Chapter %1 of %2:') + level('o') + level('%1.'));
    const file = wordDocument(paragraph('Text'), {
      parts: [{ name: 'numbering.xml', xml: numbering, type: 'numbering' }],
    });
    expect(await linesOf(file)).toEqual(['Text', 'Chapter <1/> of <2/>:']);
    expect(zipText(await translateWord(file), 'word/numbering.xml')).toBe(
      part('numbering', level('CHAPTER %1 OF %2:') + level('o') + level('%1.')),
    );
  });

  test('with file properties have title, subject and description translated, but not names', async () => {
    const file = withContentType(
      wordDocument(paragraph('Text'), {
        entries: core(
          '<dc:title>The title</dc:title><dc:creator>Ada Lovelace</dc:creator><dc:language>en</dc:language>' +
            '<dc:description>One line_x000d_\nand another</dc:description>',
        ),
      }),
      '<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>',
    );
    expect(await linesOf(file)).toEqual(['Text', 'The title', 'One line', 'and another']);
    const out = zipText(await translateWord(file), 'docProps/core.xml');
    expect(out).toContain('<dc:title>THE TITLE</dc:title>');
    expect(out).toContain('<dc:description>ONE LINE_x000d_\nAND ANOTHER</dc:description>');
    expect(out).toContain('<dc:creator>Ada Lovelace</dc:creator><dc:language>es</dc:language>');
  });

  test('in the strict edition, with other prefixes or without prefixes, are treated alike', async () => {
    const strict = 'http://purl.oclc.org/ooxml/wordprocessingml/main';
    const bare = `<?xml version="1.0"?><document xmlns="${strict}"><body><p><r><rPr><b/></rPr><t>Strict text</t></r></p></body></document>`;
    const other = `<z:document xmlns:z="${strict}"><z:body><z:p><z:r><z:t>Other text</z:t></z:r></z:p></z:body></z:document>`;
    const outcome = async (xml: string): Promise<string> =>
      zipText(
        await translateWord(wordDocument('', { entries: { 'word/document.xml': xml } })),
        'word/document.xml',
      );
    expect(await outcome(bare)).toBe(bare.replace('Strict text', 'STRICT TEXT'));
    expect(await outcome(other)).toBe(other.replace('Other text', 'OTHER TEXT'));
  });

  test.each(['utf-16le', 'utf-16be', 'utf-8'] as const)(
    'in %s keep that encoding',
    async (encoding) => {
      const name = encoding === 'utf-8' ? 'UTF-8' : 'UTF-16';
      const xml = `\ufeff<?xml version="1.0" encoding="${name}"?><w:document ${namespaces}><w:body>${paragraph('Größe 日本')}</w:body></w:document>`;
      const bytes = Buffer.from(xml, encoding === 'utf-8' ? 'utf8' : 'utf16le');
      if (encoding === 'utf-16be') bytes.swap16();
      const file = wordDocument('', { entries: { 'word/document.xml': bytes } });
      expect(await linesOf(file)).toEqual(['Größe 日本']);
      const out = unzipped(await translateWord(file, (text) => text.replace('Größe', 'size')))[
        'word/document.xml'
      ]!;
      expect(new TextDecoder(encoding, { ignoreBOM: true }).decode(out)).toBe(
        xml.replace('<w:t xml:space="preserve">Größe 日本', '<w:t>size 日本'),
      );
    },
  );
});

describe('docx languages', () => {
  const styles = part(
    'styles',
    '<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/><w:lang w:val="en-GB" w:eastAsia="en-GB" w:bidi="ar-SA"/></w:rPr></w:rPrDefault></w:docDefaults>' +
      '<w:style w:type="paragraph" w:styleId="H"><w:rPr><w:b/><w:sz w:val="32"/></w:rPr></w:style>',
  );
  const settings = part('settings', '<w:themeFontLang w:val="en-GB"/>');
  const parts: WordPart[] = [
    { name: 'styles.xml', xml: styles, type: 'styles' },
    { name: 'settings.xml', xml: settings, type: 'settings' },
  ];
  const body =
    paragraph(
      run('Some ') + run('bold', '<w:b/><w:sz w:val="30"/><w:lang w:val="en-US"/>') + run(' text'),
      '<w:jc w:val="left"/>',
    ) +
    paragraph('1,234') +
    `<w:tbl><w:tblPr><w:tblW w:w="0"/></w:tblPr><w:tblGrid/><w:tr><w:tc>${paragraph('cell')}</w:tc></w:tr></w:tbl>`;

  test('change to the target in styles and settings, and are removed from runs', async () => {
    const out = await translateWord(wordDocument(body, { parts }), undefined, { target: 'pt-BR' });
    expect(zipText(out, 'word/styles.xml')).toBe(styles.replace('w:val="en-GB"', 'w:val="pt-BR"'));
    expect(zipText(out, 'word/settings.xml')).toContain('<w:themeFontLang w:val="pt-BR"/>');
    expect(zipText(out, 'word/document.xml')).not.toContain('w:lang');
    const japanese = await translateWord(wordDocument(body, { parts }), undefined, {
      target: 'ja',
    });
    expect(zipText(japanese, 'word/styles.xml')).toContain('<w:lang w:val="ja" w:eastAsia="ja"');
  });

  test('written right to left mirror paragraphs, runs and tables, with complex-script sizes', async () => {
    const out = await translateWord(wordDocument(body, { parts }), undefined, { target: 'ar' });
    const xml = zipText(out, 'word/document.xml');
    expect(xml).toContain(
      '<w:pPr><w:bidi/><w:jc w:val="left"/></w:pPr><w:r><w:rPr><w:rtl/></w:rPr>',
    );
    expect(xml).toContain(
      '<w:rPr><w:b/><w:bCs/><w:sz w:val="30"/><w:szCs w:val="30"/><w:rtl/></w:rPr><w:t>BOLD</w:t>',
    );
    expect(xml).toContain(
      '<w:p><w:pPr><w:bidi/></w:pPr><w:r><w:t xml:space="preserve">1,234</w:t>',
    );
    expect(xml).toContain('<w:tblPr><w:bidiVisual/><w:tblW w:w="0"/></w:tblPr>');
    const styled = zipText(out, 'word/styles.xml');
    expect(styled).toContain('<w:lang w:val="ar" w:eastAsia="en-GB" w:bidi="ar"/>');
    expect(styled).toContain('<w:b/><w:bCs/><w:sz w:val="32"/><w:szCs w:val="32"/>');
  });

  test('written right to left also mirror parts without words, and sections', async () => {
    const section = '<w:sectPr><w:pgSz w:w="11906"/><w:docGrid w:linePitch="360"/></w:sectPr>';
    const footer = part('ftr', paragraph('1'));
    const file = wordDocument(paragraph('Text') + section, {
      parts: [{ name: 'footer1.xml', xml: footer, type: 'footer' }],
    });
    const out = await translateWord(file, undefined, { target: 'he' });
    expect(zipText(out, 'word/document.xml')).toContain(
      '<w:sectPr><w:pgSz w:w="11906"/><w:bidi/><w:docGrid w:linePitch="360"/></w:sectPr>',
    );
    expect(zipText(out, 'word/footer1.xml')).toContain('<w:p><w:pPr><w:bidi/></w:pPr>');
    expect(zipText(await translateWord(file), 'word/footer1.xml')).toBe(footer);
  });

  test('written left to right undo the mirroring of a right-to-left source', async () => {
    const arabic =
      paragraph(run('نص', '<w:rtl/>'), '<w:bidi/><w:jc w:val="left"/>') +
      `<w:tbl><w:tblPr><w:bidiVisual/></w:tblPr><w:tblGrid/><w:tr><w:tc>${paragraph(run('12'), '<w:bidi/>')}</w:tc></w:tr></w:tbl>`;
    const out = await translateWord(wordDocument(arabic), () => 'text', {
      source: 'ar',
      target: 'en-GB',
    });
    expect(zipText(out, 'word/document.xml')).not.toMatch(/bidi|rtl/);
  });
});

describe('a docx file', () => {
  test('is identical in every part when nothing is translated differently', async () => {
    const file = wordDocument(paragraph('One') + paragraph('Two'), {
      entries: { 'word/media/a.png': new Uint8Array(1000).fill(7), 'custom/x.bin': 'x' },
    });
    const document = await openWord(file);
    const out = await document.write(
      document.blocks.map(({ segment }) => segment),
      { source: 'en', target: 'es' },
    );
    expect(unzipped(out)).toEqual(unzipped(file));
    expect(Object.keys(unzipped(out))).toEqual(Object.keys(unzipped(file)));
  });

  test('keeps unchanged parts as packed, with their order and dates', async () => {
    const file = zipOf({
      // Some programs write the content types last; readers want them first.
      ...Object.fromEntries(
        Object.entries(unzipped(wordDocument(paragraph('One')))).sort(([a], [b]) =>
          b.localeCompare(a),
        ),
      ),
    });
    const out = await translateWord(file);
    const names = Object.keys(unzipped(out));
    expect(names[0]).toBe('[Content_Types].xml');
    expect(names.slice(1)).toEqual(
      Object.keys(unzipped(file)).filter((name) => name !== '[Content_Types].xml'),
    );
    // 1980-01-01 as a zip date: the date of the source file.
    const dates = [
      ...Buffer.from(out)
        .toString('latin1')
        .matchAll(/PK\x01\x02.{8}(..)(..)/gs),
    ];
    expect(dates).toHaveLength(names.length);
    expect(new Set(dates.map(([, , date]) => date))).toEqual(new Set(['\x21\x00']));
  });

  test('has its characters counted without markup, as code points', async () => {
    const file = wordDocument(paragraph(run('Ab ') + run('😀c', '<w:b/>')) + paragraph('123'));
    expect((await openWord(file)).characters).toBe(5);
  });
});
