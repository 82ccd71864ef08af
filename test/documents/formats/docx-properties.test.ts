import fc from '../../support/suite/properties.ts';
import { expect, test } from 'vitest';
import { repairMarks } from '../../../server/text/repair.ts';
import { plainText, type TextSegment } from '../../../server/text/text-segment.ts';
import { mangled } from '../../text/segments.ts';
import { zipText } from '../../support/documents/documents.ts';
import { openWord, paragraph, run, wordDocument } from '../../support/documents/word-document.ts';

/** Returns a piece of a paragraph as XML; `id` is unique in the document. */
type Inline = (id: number) => string;

const formats = ['', '<w:b/>', '<w:i/>', '<w:u w:val="single"/>', '<w:lang w:val="de"/>'];
const words = ['one', ' two ', 'three. ', ' ', '42', 'fünf 😀', ' a&amp;b ', '六七'];

const text: fc.Arbitrary<Inline> = fc
  .tuple(fc.constantFrom(...words), fc.constantFrom(...formats))
  .map(
    ([word, format]) =>
      () =>
        run(word, format),
  );
const lone: fc.Arbitrary<Inline> = fc.constantFrom<Inline>(
  (id) => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`,
  () => '<w:r><w:tab/></w:r>',
  () => '<w:r><w:br/><w:noBreakHyphen/><w:softHyphen/></w:r>',
  () => '<w:proofErr w:type="spellStart"/>',
);
const character = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const around: ((inner: string, id: number) => string)[] = [
  (inner, id) => `<w:hyperlink w:anchor="a${id}">${inner}</w:hyperlink>`,
  (inner, id) =>
    `<w:bookmarkStart w:id="${id}" w:name="b${id}"/>${inner}<w:bookmarkEnd w:id="${id}"/>`,
  (inner) => `<w:ins w:id="1">${inner}</w:ins>`,
  (inner) => `<w:sdt><w:sdtPr/><w:sdtContent>${inner}</w:sdtContent></w:sdt>`,
  ...['REF x', 'PAGE'].map(
    (code) =>
      (inner: string): string =>
        `${character('begin')}<w:r><w:instrText>${code}</w:instrText></w:r>${character('separate')}${inner}${character('end')}`,
  ),
];

const { content } = fc.letrec<{ content: Inline; piece: Inline }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 3 },
    text,
    lone,
    fc.tuple(fc.constantFrom(...around), tie('content')).map(
      ([wrap, inner]) =>
        (id: number) =>
          wrap(inner(id * 10 + 1), id),
    ),
  ),
  content: fc
    .array(tie('piece'), { maxLength: 5 })
    .map((pieces) => (id: number) => pieces.map((piece, at) => piece(id * 10 + at)).join('')),
}));
const bodies = fc
  .array(content, { minLength: 1, maxLength: 4 })
  .map((all) => all.map((inner, at) => paragraph(`<w:r/>${inner(at + 1)}`)).join(''));

/** Counts everything in a document that must be neither lost nor doubled. */
function census(xml: string): Record<string, number> {
  const counts: Record<string, number> = {};
  const things =
    /<w:(?:footnoteReference|bookmarkStart|bookmarkEnd)[^>]*w:id="\d+"|<w:hyperlink [^>]*>|<w:(?:tab|br|sdt)\/?>|fldCharType="\w+"|<w:instrText>\w+/g;
  for (const [thing] of xml.matchAll(things)) counts[thing] = (counts[thing] ?? 0) + 1;
  return counts;
}

/** Returns whether every field and bookmark ends after its beginning. */
function isInOrder(xml: string): boolean {
  let depth = 0;
  for (const [, type] of xml.matchAll(/fldCharType="(\w+)"/g)) {
    if (type === 'begin') depth += 1;
    if (type === 'end') depth -= 1;
    if (depth < 0) return false;
  }
  const starts = [...xml.matchAll(/<w:bookmarkStart w:id="(\d+)"/g)];
  return (
    depth === 0 &&
    starts.every(({ index, 1: id }) => xml.indexOf(`<w:bookmarkEnd w:id="${id}"`) > index)
  );
}

async function written(
  body: string,
  translate: (segment: TextSegment) => TextSegment,
): Promise<{ before: string; after: string; translated: TextSegment[]; file: Uint8Array }> {
  const file = wordDocument(body);
  const document = await openWord(file);
  const translated = document.blocks.map(({ segment }) => translate(segment));
  const out = await document.write(translated, { source: 'en', target: 'es' });
  return {
    before: zipText(file, 'word/document.xml'),
    after: zipText(out, 'word/document.xml'),
    translated,
    file: out,
  };
}

test('whatever an engine does to marks, a docx document keeps each thing once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, fc.gen(), async (body, gen) => {
      const { before, after } = await written(body, (segment) =>
        repairMarks(segment, gen(mangled, segment)),
      );
      expect(census(after)).toEqual(census(before));
      expect(isInOrder(after)).toBe(true);
    }),
    { numRuns: 40 },
  );
});

test('a translated docx document contains the translations, also when it is read again', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const { translated, file } = await written(body, (segment) =>
        segment.map((piece) => (typeof piece === 'string' ? piece.replaceAll('o', 'OX') : piece)),
      );
      const again = (await openWord(file)).blocks.map(({ segment }) => plainText(segment));
      expect(again.map((line) => line.trim())).toEqual(
        translated.map((segment) => plainText(segment).trim()),
      );
    }),
    { numRuns: 40 },
  );
});

test('a docx document whose translation equals its source is unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const { before, after } = await written(body, (segment) => segment);
      expect(after).toBe(before);
    }),
    { numRuns: 15 },
  );
});
