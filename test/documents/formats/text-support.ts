/** Opens and writes documents of the text formats in tests. */
import type { OpenOptions } from '../../../server/documents/formats/format.ts';
import { type DocumentFormatName, loadFormat } from '../../../server/documents/formats/index.ts';
import type { TextSegment } from '../../../server/text/text-segment.ts';
import { written } from '../../text/layouts.ts';

const bytesOf = (file: string | Uint8Array) =>
  typeof file === 'string' ? Buffer.from(file, 'utf8') : file;

/** Returns the blocks of a file with marks written as `<1>…</1>`. */
export async function blocksOf(
  format: DocumentFormatName,
  file: string | Uint8Array,
  options: Partial<OpenOptions> = {},
): Promise<string[]> {
  const { blocks } = await opened(format, file, options);
  return blocks.map(({ segment }) => written(segment));
}

/** Returns the file with `translate` applied to each text between marks. */
export async function translated(
  format: DocumentFormatName,
  file: string | Uint8Array,
  translate: (text: string) => string,
  options: Partial<OpenOptions> = {},
): Promise<Buffer> {
  const inSegment = (segment: TextSegment): TextSegment =>
    segment.map((part) => (typeof part === 'string' ? translate(part) : part));
  const { document, languages } = await withLanguages(format, file, options);
  const segments = document.blocks.map(({ segment }) => inSegment(segment));
  return Buffer.from(await document.write(segments, languages));
}

/** Returns a translation by list; unlisted text stays. */
export function byList(list: Readonly<Record<string, string>>): (text: string) => string {
  return (text) => list[text] ?? text;
}

async function withLanguages(
  format: DocumentFormatName,
  file: string | Uint8Array,
  options: Partial<OpenOptions>,
) {
  const languages = { source: options.source ?? 'en', target: options.target ?? 'es' };
  return { document: await opened(format, file, options), languages };
}

/** Opens a file; from English to Spanish unless the options say otherwise. */
export async function opened(
  format: DocumentFormatName,
  file: string | Uint8Array,
  options: Partial<OpenOptions> = {},
) {
  const all = { source: 'en', target: 'es', output: format, maxCharacters: 1_000_000, ...options };
  return (await loadFormat(format)).open(bytesOf(file), all);
}
