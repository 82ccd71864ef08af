/** What pictures and old Word documents cost, up to the largest that are taken. */
import { soffice } from '../../support/documents/documents.ts';
import { readFile } from 'node:fs/promises';
import { drawing, text } from '../../support/documents/pictures.ts';
import { sentences } from '../sentences.ts';
import sharp from 'sharp';
import type { DocumentKind } from './measure.ts';

const pages = (): number => 1;

/** A picture is a page. The doc has no container that could be written by hand. */
export const pictureKinds: readonly DocumentKind[] = [
  { name: 'jpeg of a page', format: 'jpeg', make: photo, pages, hasContainer: false },
  { name: 'png of a page', format: 'png', make: screenshot, pages, hasContainer: false },
  { name: 'doc of text', format: 'doc', make: oldWord, hasContainer: false },
];

/** A page of up to 36 megapixels, 3:4, with lines of text from edge to edge. */
function page(share: number): Promise<Buffer> {
  const width = Math.floor(Math.sqrt(share * 26.9e6));
  const height = Math.floor((width * 4) / 3);
  const size = width / 50;
  const lines = Array.from({ length: 40 }, (_, n) => {
    const line = sentences[n % sentences.length] ?? '';
    return text(line.slice(0, 90), { x: size, y: 1.55 * size * (n + 1), size });
  });
  return drawing({ width, height, paper: '#fbf7ee' }, lines);
}

async function photo(share: number): Promise<Uint8Array> {
  return sharp(await page(share), { limitInputPixels: false })
    .jpeg({ quality: 80 })
    .toBuffer();
}

function screenshot(share: number): Promise<Uint8Array> {
  return page(share);
}

/** Paragraphs that LibreOffice saves as Word 97 does. */
async function oldWord(share: number): Promise<Uint8Array> {
  const paragraphs = Array.from(
    { length: Math.ceil(4000 * share) },
    (_, n) =>
      `<text:p>${n}. ${(sentences[n % sentences.length] ?? '').replace(/[&<]/g, '')}</text:p>`,
  ).join('');
  const content = `<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>${paragraphs}</office:text></office:body></office:document>`;
  const [file = ''] = await soffice([{ name: 'old.fodt', content }], 'doc:MS Word 97');
  return readFile(file);
}
