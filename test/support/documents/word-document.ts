/** Word documents for tests, written by hand. */
import type { OpenedDocument } from '../../../server/documents/formats/format.ts';
import { docx } from '../../../server/documents/formats/office/docx.ts';
import type { TextSegment } from '../../../server/text/text-segment.ts';
import { zipOf, zipText } from './documents.ts';

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const wordprocessing = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

/** Namespace declarations of a document's parts. */
export const namespaces = [
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"',
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"',
  'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"',
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
  'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"',
  'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"',
  'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"',
  'xmlns:v="urn:schemas-microsoft-com:vml"',
  'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"',
  'xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"',
  'mc:Ignorable="w14 w15"',
].join(' ');

/** A part beside the main document, and its type. */
export interface WordPart {
  /** Path within `word/`: `footnotes.xml`. */
  name: string;
  /** XML of the whole part. */
  xml: string;
  /** End of its content type, without `+xml`, and of its relationship's type. */
  type: string;
}

/** Wraps content in a root element. */
export function part(root: string, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<w:${root} ${namespaces}>${content}</w:${root}>`;
}

/** Returns a run of text with properties. */
export function run(text: string, properties = ''): string {
  const format = properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`;
  return `<w:r>${format}<w:t xml:space="preserve">${text}</w:t></w:r>`;
}

/** Returns a paragraph of runs, or of a text. */
export function paragraph(content: string, properties = ''): string {
  const inner = content.startsWith('<') ? content : run(content);
  return `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}${inner}</w:p>`;
}

/** Makes a document from its body and other parts; `entries` may override standard parts. */
export function wordDocument(
  body: string,
  {
    parts = [],
    entries = {},
    mainType = 'document.main',
  }: {
    parts?: readonly WordPart[];
    entries?: Record<string, string | Uint8Array>;
    mainType?: string;
  } = {},
): Uint8Array {
  const overrides = parts.map(
    ({ name, type }) =>
      `<Override PartName="/word/${name}" ContentType="${wordprocessing}.${type}+xml"/>`,
  );
  const relationships = parts.map(
    ({ name, type }, index) =>
      `<Relationship Id="rId${index + 1}" Type="${office}/${type.replace('document.', '').replace('glossary', 'glossaryDocument')}" Target="${name}"/>`,
  );
  const rels = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"';
  return zipOf({
    '[Content_Types].xml': `<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="${wordprocessing}.${mainType}+xml"/>${overrides.join('')}</Types>`,
    '_rels/.rels': `<?xml version="1.0" encoding="UTF-8"?>
<Relationships ${rels}><Relationship Id="rId1" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/_rels/document.xml.rels': `<?xml version="1.0" encoding="UTF-8"?>
<Relationships ${rels}>${relationships.join('')}</Relationships>`,
    'word/document.xml': part('document', `<w:body>${body}</w:body>`),
    ...Object.fromEntries(parts.map(({ name, xml }) => [`word/${name}`, xml])),
    ...entries,
  });
}

/** Opens a document as a translation job does. */
export function openWord(file: Uint8Array, target = 'es'): Promise<OpenedDocument> {
  return docx.open(file, { source: 'en', target, output: 'docx', maxCharacters: 1_000_000 });
}

/** Writes a segment as a line: `a <1>b</1> c<2/>`. */
export function line(segment: TextSegment): string {
  return segment
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      if (piece.mark === 'lone') return `<${piece.id}/>`;
      return piece.mark === 'open' ? `<${piece.id}>` : `</${piece.id}>`;
    })
    .join('');
}

/** Returns the segments of a document as lines. */
export async function linesOf(file: Uint8Array): Promise<string[]> {
  return (await openWord(file)).blocks.map(({ segment }) => line(segment));
}

/** Translates each piece of text of a document on its own; marks stay where they are. */
export async function translateWord(
  file: Uint8Array,
  translate: (text: string) => string = (text) => text.toUpperCase(),
  { source = 'en', target = 'es' }: { source?: string; target?: string } = {},
): Promise<Uint8Array> {
  return rewriteWord(
    file,
    (segment) => segment.map((piece) => (typeof piece === 'string' ? translate(piece) : piece)),
    { source, target },
  );
}

/** Translates each segment of a document. */
export async function rewriteWord(
  file: Uint8Array,
  translate: (segment: TextSegment) => TextSegment,
  { source = 'en', target = 'es' }: { source?: string; target?: string } = {},
): Promise<Uint8Array> {
  const document = await openWord(file, target);
  const translated = document.blocks.map(({ segment }) => translate(segment));
  return document.write(translated, { source, target });
}

/** Returns a complex field around the XML of its result. */
export const field = (code: string, result: string): string =>
  `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ${code} </w:instrText></w:r>` +
  `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${result}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;

/** Returns the body of a document after each text was put in capitals. */
export async function inCapitals(body: string): Promise<string> {
  return bodyOf(await translateWord(wordDocument(body)));
}

/** Returns the XML within the body of a document. */
export function bodyOf(file: Uint8Array): string {
  return /<w:body>(.*)<\/w:body>/s.exec(zipText(file, 'word/document.xml'))?.[1] ?? '';
}
