/** Samples of presentations and workbooks. */
import { unzipped } from '../../../support/documents/documents.ts';
import {
  paragraph,
  presentationOf,
  slideXml,
  textBox,
} from '../../../support/documents/presentations.ts';
import {
  formula,
  number,
  row,
  shared,
  sheetXml,
  workbookOf,
} from '../../../support/documents/workbooks.ts';
import type { DocumentSample } from './sample.ts';

const bold = '<a:rPr lang="en-GB" b="1"/>';

/** Returns the comparable content of a container: its entries by name. */
const content = async (file: Uint8Array): Promise<unknown> =>
  Object.entries(unzipped(file)).map(([name, bytes]) => [name, Buffer.from(bytes).toString('hex')]);

export const pptx: DocumentSample = {
  format: 'pptx',
  build: async () =>
    presentationOf({
      slides: [
        {
          shapes:
            textBox(
              paragraph(
                'Some ',
                ['heavy', bold],
                ' words',
                '<a:br/>',
                ' and more on page ',
                '<a:fld id="{0}" type="slidenum"><a:t>1</a:t></a:fld>',
                ' of the book',
              ) + paragraph('12.50'),
              { description: 'A drawn box' },
            ) +
            '<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tblPr/><a:tr h="1"><a:tc><a:txBody><a:bodyPr/>' +
            `${paragraph('In a table')}</a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`,
          related: [['notesSlide', '../notesSlides/notesSlide1.xml']],
        },
      ],
      layout: textBox(paragraph('A prompt'), { placeholder: '<p:ph type="body"/>' }),
      master: textBox(paragraph('On every slide')),
      others: {
        'ppt/notesSlides/notesSlide1.xml': {
          type: 'presentationml.notesSlide+xml',
          xml: slideXml('notes', textBox(paragraph('A note &amp; more'))),
        },
        'ppt/media/image1.png': { type: 'image/png', xml: 'no picture at all' },
      },
    }),
  translatable: [
    ...['Some heavy words', 'of the book', 'A drawn box', 'In a table', 'A note & more'],
    'On every slide',
  ],
  untouched: ['12.50', 'A prompt', 'slidenum', 'no picture'],
  content,
};

export const xlsx: DocumentSample = {
  format: 'xlsx',
  build: async () =>
    workbookOf({
      sheets: [
        {
          name: 'Secret name',
          rows:
            row(1, shared(0), shared(1), number(1)) +
            row(2, shared(2), number(7), formula('SUM(Sales[Amount])&" literal"', '7 literal')) +
            row(3, shared(3), '<c t="inlineStr"><is><t>In the cell</t></is></c>'),
          after:
            '<dataValidations><dataValidation type="list" sqref="F1" prompt="Choose one"><formula1>"Maybe,Never"' +
            '</formula1></dataValidation></dataValidations><headerFooter><oddHeader>&amp;LYearly report&amp;RPage &amp;P' +
            '</oddHeader></headerFooter><tableParts count="1"><tablePart r:id="rId1"/></tableParts>',
          related: [
            ['table', '../tables/table1.xml'],
            ['comments', '../comments1.xml'],
          ],
        },
      ],
      strings: [
        '<t>Product</t>',
        '<t>Amount</t>',
        '<r><t xml:space="preserve">Fresh </t></r><r><rPr><b/></rPr><t>green</t></r><r><t xml:space="preserve"> apples</t></r>',
        '<t>2027-01-05</t>',
        '<t>Not shown</t>',
      ],
      others: {
        'xl/tables/table1.xml': {
          type: 'spreadsheetml.table+xml',
          xml: sheetXml(
            'table',
            '<tableColumns count="2"><tableColumn id="1" name="Product"/><tableColumn id="2" name="Amount"/></tableColumns>',
            ' id="1" name="Sales" displayName="Sales" ref="A1:B2"',
          ),
        },
        'xl/comments1.xml': {
          type: 'spreadsheetml.comments+xml',
          xml: sheetXml(
            'comments',
            '<authors><author>Ann</author></authors><commentList><comment ref="A1" authorId="0"><text><t>A remark</t></text></comment></commentList>',
          ),
        },
      },
    }),
  translatable: [
    ...['Product', 'Amount', 'Fresh green apples', 'In the cell', 'Choose one', 'Yearly report'],
    ...['Page', 'A remark'],
  ],
  untouched: ['2027', 'Not shown', 'literal', 'Secret', 'Maybe', 'Ann'],
  content,
};
