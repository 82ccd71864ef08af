import { unzipped } from '../../../support/documents/documents.ts';
import { paragraph, part, run, wordDocument } from '../../../support/documents/word-document.ts';
import type { DocumentSample } from './sample.ts';

const character = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const field = (code: string, result: string): string =>
  `${character('begin')}<w:r><w:instrText>${code}</w:instrText></w:r>${character('separate')}${run(result)}${character('end')}`;

const body =
  paragraph('A first heading', '<w:pStyle w:val="Heading1"/>') +
  paragraph(
    run('The quick ') +
      run('brown fox', '<w:b/>') +
      '<w:bookmarkStart w:id="1" w:name="jump"/>' +
      run(' jumps over') +
      '<w:bookmarkEnd w:id="1"/><w:r><w:footnoteReference w:id="2"/></w:r>' +
      `<w:hyperlink w:anchor="jump">${run(' the lazy dog')}</w:hyperlink>` +
      run('.'),
  ) +
  paragraph(
    run('See ') + field('REF jump', 'that place') + run(' on page ') + field('PAGE', 'seven'),
  ) +
  paragraph(
    '<w:del w:id="3"><w:r><w:delText>deleted</w:delText></w:r></w:del>' + run('Kept words'),
  ) +
  `<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc>${paragraph('A cell')}</w:tc><w:tc>${paragraph('12.5')}</w:tc></w:tr></w:tbl>` +
  paragraph(
    '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Object one" descr="A drawing of a fox"/></wp:inline></w:drawing></w:r>',
  );

/** A Word document with most kinds of translatable text, and some untranslatable text. */
export const docx: DocumentSample = {
  format: 'docx',
  build: async () =>
    wordDocument(body, {
      parts: [
        { name: 'header1.xml', xml: part('hdr', paragraph('Above the page')), type: 'header' },
        {
          name: 'footnotes.xml',
          xml: part('footnotes', `<w:footnote w:id="2">${paragraph('A remark')}</w:footnote>`),
          type: 'footnotes',
        },
      ],
    }),
  translatable: [
    'A first heading',
    'The quick brown fox jumps over the lazy dog.',
    'that place',
    'Kept words',
    'A cell',
    'A drawing of a fox',
    'Above the page',
    'A remark',
  ],
  untouched: ['12.5', 'deleted', 'seven', 'jump"', 'REF', 'Object one'],
  content: async (file) => unzipped(file),
};
