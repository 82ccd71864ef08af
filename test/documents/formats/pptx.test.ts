import { describe, expect, test } from 'vitest';
import { pptx } from '../../../server/documents/formats/office/pptx.ts';
import { unzipped, zipText } from '../../support/documents/documents.ts';
import {
  paragraph,
  presentationOf,
  slideNamespaces,
  slideXml,
  textBox,
} from '../../support/documents/presentations.ts';
import {
  openDocument,
  plainTextsOf,
  textsOf,
  translatedDocument,
  withTexts,
} from '../../support/documents/translated-document.ts';
import { row, shared, sheetXml, workbookOf } from '../../support/documents/workbooks.ts';

const SLIDE = 'ppt/slides/slide1.xml';
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';
const upper = (text: string): string => text.toUpperCase();

/** Returns a presentation with one slide. */
function slideWith(shapes: string): Uint8Array {
  return presentationOf({ slides: [{ shapes }] });
}

describe('pptx paragraphs', () => {
  test('keep formats and links at their words, and breaks and fields in place', async () => {
    const link = '<a:rPr lang="en-GB"><a:hlinkClick r:id="rId7" tooltip="Our website"/></a:rPr>';
    const file = slideWith(
      textBox(
        paragraph(
          'Read ',
          ['our report', link],
          ' first',
          '<a:br><a:rPr lang="en-GB"/></a:br>',
          ['now', '<a:rPr lang="en-GB" b="1" dirty="0"/>'],
          ' on page ',
          '<a:fld id="{0}" type="slidenum"><a:rPr lang="en-GB"/><a:t>1</a:t></a:fld>',
          ' please',
          '<a:endParaRPr lang="en-GB"/>',
        ),
      ),
    );
    const document = await openDocument(pptx, file);
    const [tip, text] = textsOf(document);
    expect(tip).toBe('Our website');
    expect(text).toMatch(
      /^Read \[1\]our report\[\/1\] first\[2\/\] ?\[3\]now\[\/3\] on page \[4\/\] please$/,
    );
    expect(document.blocks[1]?.segment).toContainEqual({ mark: 'lone', id: 2, divides: 'line' });
    const result = await translatedDocument(pptx, file, { translate: upper });
    const slide = zipText(result, SLIDE);
    expect(slide).toContain(
      '<a:hlinkClick r:id="rId7" tooltip="OUR WEBSITE"/></a:rPr><a:t>OUR REPORT</a:t>',
    );
    expect(slide).toContain(
      '<a:br><a:rPr lang="en-GB"/></a:br><a:r><a:rPr lang="es" b="1"/><a:t>NOW</a:t></a:r>',
    );
    expect(slide).toContain('type="slidenum"><a:rPr lang="en-GB"/><a:t>1</a:t></a:fld>');
    expect(slide).toContain('<a:endParaRPr lang="es"/></a:p>');
  });

  test('have runs without visible differences joined', async () => {
    const file = slideWith(
      textBox(paragraph('Good ', ['mor', '<a:rPr lang="en-US" dirty="0" err="1"/>'], 'ning')),
    );
    expect(textsOf(await openDocument(pptx, file))).toEqual(['Good morning']);
  });

  test('keep tabs, which are characters of their text', async () => {
    const bold = '<a:rPr lang="en-GB" b="1"/>';
    const file = slideWith(textBox(paragraph(['The start\t\t', bold], ['3', bold], '\tpages')));
    expect(textsOf(await openDocument(pptx, file))).toEqual(['The start[1/] 3[2/] [3]pages[/3]']);
    const slide = zipText(await translatedDocument(pptx, file, { translate: upper }), SLIDE);
    expect([...slide.matchAll(/<a:t>([^<]*)/g)].map(([, text]) => text)).toEqual([
      ...['THE START', '\t\t', '3', '\t', 'PAGES'],
    ]);
  });

  test('in tables, groups and descriptions are translated, without numbers', async () => {
    const cell = (text: string): string =>
      `<a:tc><a:txBody><a:bodyPr/>${paragraph(text)}</a:txBody><a:tcPr/></a:tc>`;
    const file = slideWith(
      `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="9" name="Group" descr="Two shapes"/></p:nvGrpSpPr>${textBox(paragraph('Inside'))}</p:grpSp>` +
        '<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tblPr/><a:tr h="1">' +
        `${cell('Region')}${cell('2027')}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>` +
        '<p:pic><p:nvPicPr><p:cNvPr id="8" name="Picture 1" descr="holiday.jpg" title="A beach"/></p:nvPicPr></p:pic>',
    );
    expect(plainTextsOf(await openDocument(pptx, file))).toEqual([
      'Two shapes',
      'Inside',
      'Region',
      'A beach',
    ]);
    const result = await translatedDocument(pptx, file, { translate: upper });
    expect(zipText(result, SLIDE)).toContain('descr="holiday.jpg" title="A BEACH"');
    expect(zipText(result, SLIDE)).toContain('<a:t>2027</a:t>');
  });

  test('repeated in a fallback for older programs are one block', async () => {
    const file = slideWith(
      '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="a14">' +
        `${textBox(paragraph('Shown twice'))}</mc:Choice><mc:Fallback>${textBox(paragraph('Shown twice'))}</mc:Fallback></mc:AlternateContent>`,
    );
    expect(plainTextsOf(await openDocument(pptx, file))).toEqual(['Shown twice']);
    const result = await translatedDocument(pptx, file, { translate: upper });
    expect(zipText(result, SLIDE).match(/SHOWN TWICE/g)).toHaveLength(2);
  });
});

describe('related parts of pptx slides', () => {
  test("follow the order of the show, with each slide's notes and comments", async () => {
    const comments = (text: string): string =>
      `<p:cmLst ${slideNamespaces}><p:cm authorId="0" idx="1"><p:pos x="1" y="1"/><p:text>${text}</p:text></p:cm></p:cmLst>`;
    const file = presentationOf({
      slides: [
        { shapes: textBox(paragraph('Last slide')) },
        {
          shapes: textBox(paragraph('First slide')),
          related: [
            ['notesSlide', '../notesSlides/notesSlide1.xml'],
            ['comments', '../comments/comment1.xml'],
            [
              'http://schemas.microsoft.com/office/2018/10/relationships/comments',
              '../comments/modernComment1.xml',
            ],
          ],
        },
      ],
      presentation:
        '<p:extLst><p:ext uri="{5}"><p14:sectionLst xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main">' +
        '<p14:section name="Introduction" id="{7}"/></p14:sectionLst></p:ext></p:extLst>',
      others: {
        'ppt/notesSlides/notesSlide1.xml': {
          type: 'presentationml.notesSlide+xml',
          xml: slideXml('notes', textBox(paragraph('Speak slowly'))),
          related: [['slide', '../slides/slide2.xml']],
        },
        'ppt/comments/comment1.xml': {
          type: 'presentationml.comments+xml',
          xml: comments('Is this right?'),
        },
        'ppt/comments/modernComment1.xml': {
          type: 'application/vnd.ms-powerpoint.comments+xml',
          xml:
            `<p188:cmLst xmlns:p188="http://schemas.microsoft.com/office/powerpoint/2018/8/main" xmlns:a="${DRAWING}/main">` +
            `<p188:cm id="{4}"><p188:txBody><a:bodyPr/>${paragraph('Make it bigger')}</p188:txBody></p188:cm></p188:cmLst>`,
        },
      },
    });
    expect(plainTextsOf(await openDocument(pptx, file))).toEqual([
      'First slide',
      'Speak slowly',
      'Is this right?',
      'Make it bigger',
      'Last slide',
      'Introduction',
    ]);
    const result = await translatedDocument(pptx, file, { translate: upper });
    expect(zipText(result, 'ppt/comments/comment1.xml')).toContain(
      '<p:text>IS THIS RIGHT?</p:text>',
    );
    expect(zipText(result, 'ppt/presentation.xml')).toContain(
      '<p14:section name="INTRODUCTION" id="{7}"/>',
    );
  });

  test('have placeholder prompts kept, and visible text of masters and layouts translated', async () => {
    const prompt = textBox(paragraph('Click to edit title'), {
      placeholder: '<p:ph type="title"/>',
    });
    const custom = textBox(paragraph('Name of the speaker'), {
      placeholder: '<p:ph idx="13" hasCustomPrompt="1"/>',
    });
    const footer = textBox(paragraph('Top secret'), { placeholder: '<p:ph type="ftr"/>' });
    const file = presentationOf({
      slides: [{ shapes: textBox(paragraph('Hello'), { placeholder: '<p:ph type="title"/>' }) }],
      layout: prompt + custom,
      master: prompt + textBox(paragraph('Our company')) + footer,
    });
    expect(plainTextsOf(await openDocument(pptx, file))).toEqual([
      'Hello',
      'Our company',
      'Top secret',
      'Name of the speaker',
    ]);
  });

  test('with SmartArt have one text in data and drawing', async () => {
    const nodes = (prefix: string): string =>
      `<${prefix}:t><a:bodyPr/>${paragraph('Plan')}</${prefix}:t>`;
    const file = presentationOf({
      slides: [
        {
          shapes: '',
          related: [
            ['diagramData', '../diagrams/data1.xml'],
            [
              'http://schemas.microsoft.com/office/2007/relationships/diagramDrawing',
              '../diagrams/drawing1.xml',
            ],
          ],
        },
      ],
      others: {
        'ppt/diagrams/data1.xml': {
          type: 'drawingml.diagramData+xml',
          xml: `<dgm:dataModel xmlns:dgm="${DRAWING}/diagram" xmlns:a="${DRAWING}/main"><dgm:ptLst><dgm:pt modelId="{1}">${nodes('dgm')}</dgm:pt></dgm:ptLst></dgm:dataModel>`,
        },
        'ppt/diagrams/drawing1.xml': {
          type: 'application/vnd.ms-office.drawingml.diagramDrawing+xml',
          xml:
            `<dsp:drawing xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram" xmlns:a="${DRAWING}/main">` +
            `<dsp:sp><dsp:txBody>${paragraph(['Plan', '<a:rPr sz="1800"/>'])}</dsp:txBody></dsp:sp></dsp:drawing>`,
        },
      },
    });
    expect(plainTextsOf(await openDocument(pptx, file))).toEqual(['Plan']);
    const result = await translatedDocument(pptx, file, { translate: () => 'Planificar' });
    expect(zipText(result, 'ppt/diagrams/data1.xml')).toContain('<a:t>Planificar</a:t>');
    expect(zipText(result, 'ppt/diagrams/drawing1.xml')).toMatch(/sz="1800"[^>]*><a:t>Planificar/);
  });
});

describe('pptx charts', () => {
  const strings = (name: string, texts: readonly string[]): string =>
    `<c:${name}><c:strRef><c:f>Sheet1!$A$2</c:f><c:strCache><c:ptCount val="${texts.length}"/>` +
    texts.map((text, i) => `<c:pt idx="${i}"><c:v>${text}</c:v></c:pt>`).join('') +
    `</c:strCache></c:strRef></c:${name}>`;
  const title = (text: string): string =>
    `<c:title><c:tx><c:rich><a:bodyPr/>${paragraph(text)}</c:rich></c:tx></c:title>`;
  const series = (name: string): string =>
    `<c:ser>${strings('tx', [name])}${strings('cat', ['North', 'South', '2027'])}<c:val><c:numRef><c:numCache>` +
    '<c:formatCode>General</c:formatCode><c:pt idx="0"><c:v>7</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>';
  const workbook = workbookOf({
    sheets: [
      {
        name: 'Sheet1',
        rows: row(1, shared(0), shared(1)) + row(2, shared(2)) + row(3, shared(3), shared(4)),
        after: '<tableParts count="1"><tablePart r:id="rId1"/></tableParts>',
        related: [['table', '../tables/table1.xml']],
      },
    ],
    strings: ['<t>Region</t>', '<t>Sales</t>', '<t>North</t>', '<t>South</t>', '<t>Not shown</t>'],
    others: {
      'xl/tables/table1.xml': {
        type: 'spreadsheetml.table+xml',
        xml: sheetXml(
          'table',
          '<tableColumns count="2"><tableColumn id="1" name="Region"/><tableColumn id="2" name="Sales"/></tableColumns>',
          ' id="1" name="Table1" displayName="Table1" ref="A1:B3"',
        ),
      },
    },
  });
  const file = presentationOf({
    slides: [{ shapes: '', related: [['chart', '../charts/chart1.xml']] }],
    others: {
      'ppt/charts/chart1.xml': {
        type: 'drawingml.chart+xml',
        xml:
          `<c:chartSpace xmlns:c="${DRAWING}/chart" xmlns:a="${DRAWING}/main"><c:chart>${title('Sales by region')}<c:plotArea><c:barChart>` +
          `${series('Sales')}${series('Costs')}</c:barChart><c:catAx>${title('Region')}</c:catAx></c:plotArea></c:chart></c:chartSpace>`,
        related: [['package', '../embeddings/workbook1.xlsx']],
      },
      'ppt/embeddings/workbook1.xlsx': { type: 'spreadsheetml.sheet', xml: workbook },
    },
  });
  const spanish = withTexts({
    'Sales by region': 'Ventas por región',
    Sales: 'Ventas',
    North: 'Norte',
    South: 'Sur',
    Region: 'Región',
  });

  test('have titles, series and categories translated, each text once', async () => {
    expect(plainTextsOf(await openDocument(pptx, file))).toEqual([
      'Sales by region',
      'Sales',
      'North',
      'South',
      'Costs',
      'Region',
    ]);
    const chart = zipText(
      await translatedDocument(pptx, file, { translate: spanish }),
      'ppt/charts/chart1.xml',
    );
    expect(chart).toContain('<a:t>Ventas por región</a:t>');
    expect(chart.match(/<c:v>Norte<\/c:v>/g)).toHaveLength(2);
    expect(chart).toContain('<c:v>2027</c:v>');
    expect(chart).toContain('<c:f>Sheet1!$A$2</c:f>');
    expect(chart).toContain('<c:v>7</c:v>');
  });

  test('have the workbook behind them changed alike, except for its other cells', async () => {
    const result = await translatedDocument(pptx, file, { translate: spanish });
    const inner = unzipped(result)['ppt/embeddings/workbook1.xlsx']!;
    expect(zipText(inner, 'xl/sharedStrings.xml')).toContain(
      '<si><t>Región</t></si><si><t>Ventas</t></si><si><t>Norte</t></si><si><t>Sur</t></si><si><t>Not shown</t></si>',
    );
    expect(zipText(inner, 'xl/tables/table1.xml')).toContain(
      'name="Región"/><tableColumn id="2" name="Ventas"',
    );
  });

  test('keep an unreadable workbook unchanged', async () => {
    const entries = unzipped(file);
    const broken = presentationOf({
      slides: [{ shapes: '', related: [['chart', '../charts/chart1.xml']] }],
      others: {
        'ppt/charts/chart1.xml': {
          type: 'drawingml.chart+xml',
          xml: entries['ppt/charts/chart1.xml']!,
          related: [['package', '../embeddings/workbook1.xlsx']],
        },
        'ppt/embeddings/workbook1.xlsx': { type: 'spreadsheetml.sheet', xml: 'replaced' },
      },
    });
    const result = await translatedDocument(pptx, broken, { translate: spanish });
    expect(zipText(result, 'ppt/embeddings/workbook1.xlsx')).toBe('replaced');
    expect(zipText(result, 'ppt/charts/chart1.xml')).toContain('Norte');
  });
});

describe('right-to-left languages in pptx', () => {
  const file = slideWith(
    textBox(
      paragraph('Hello').replace('<a:p>', '<a:p><a:pPr algn="l"/>') +
        paragraph('World').replace('<a:p>', '<a:p><a:pPr algn="ctr"/>') +
        paragraph('Friends'),
    ) +
      `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow="1"/></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`,
  );

  test('mirror paragraphs, tables and the defaults of masters; centred text stays', async () => {
    const result = await translatedDocument(pptx, file, { translate: () => 'مرحبا', target: 'ar' });
    const slide = zipText(result, SLIDE);
    expect(slide).toContain('<a:pPr algn="r" rtl="1"/><a:r><a:rPr lang="ar"/><a:t>مرحبا');
    expect(slide).toContain('<a:pPr algn="ctr" rtl="1"/>');
    expect(slide).toContain('<a:pPr rtl="1"/>');
    expect(slide).toContain('<a:tblPr firstRow="1" rtl="1"/>');
    expect(zipText(result, 'ppt/slideMasters/slideMaster1.xml')).toContain(
      '<p:titleStyle><a:lvl1pPr algn="ctr" rtl="1"/></p:titleStyle><p:bodyStyle><a:lvl1pPr algn="r" rtl="1"/>',
    );
  });
});

describe('pptx files', () => {
  test("keep media unread: a client's placeholder is returned", async () => {
    const file = presentationOf({
      slides: [{ shapes: textBox(paragraph('Hello')) }],
      others: { 'ppt/media/image1.png': { type: 'image/png', xml: 'Media Placeholder' } },
    });
    const result = await translatedDocument(pptx, file, { translate: upper });
    expect(Object.keys(unzipped(result))).toEqual(Object.keys(unzipped(file)));
    expect(zipText(result, 'ppt/media/image1.png')).toBe('Media Placeholder');
  });

  test('keep every part byte for byte when nothing is translated', async () => {
    const file = slideWith(textBox(paragraph('Hello')));
    const result = await translatedDocument(pptx, file, { translate: (text) => text });
    expect(unzipped(result)).toEqual(unzipped(file));
  });
});
