import { readFile } from 'node:fs/promises';
import { doc as format } from '../../../../server/documents/formats/office/doc.ts';
import { plainText } from '../../../../server/text/text-segment.ts';
import { soffice } from '../../../support/documents/documents.ts';
import type { DocumentSample } from './sample.ts';

const names = 'urn:oasis:names:tc:opendocument:xmlns';
const paragraphs = ['It stands at the end of a quiet street.', '12.50', 'It is closed on Mondays.'];
const content = `<?xml version="1.0"?><office:document xmlns:office="${names}:office:1.0" xmlns:text="${names}:text:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:h text:outline-level="1">The library</text:h>${paragraphs.map((one) => `<text:p>${one}</text:p>`).join('')}</office:text></office:body></office:document>`;

let file: Promise<Buffer> | undefined;

async function build(): Promise<Buffer> {
  const [name = ''] = await soffice([{ name: 'library.fodt', content }], 'doc:MS Word 97');
  return readFile(name);
}

/** A Word 97 document; it is written as .docx, so texts are compared. */
export const doc: DocumentSample = {
  format: 'doc',
  build: () => (file ??= build()),
  translatable: ['The library', ...paragraphs.filter((one) => /\p{L}/u.test(one))],
  untouched: ['12.50'],
  content: async (bytes, opened) => {
    const options = { source: 'en', target: 'es', output: 'doc', maxCharacters: 1000 } as const;
    const { blocks } = opened ?? (await format.open(bytes, options));
    return blocks.map(({ segment }) => plainText(segment));
  },
  isSlow: true,
};
