/** The kinds of files that are translated, as data: what a client may send and will get. */

interface FormatInfo<Name extends string = string> {
  name: Name;
  /** Endings of file names, without the dot, lower case. */
  extensions: readonly string[];
  mediaType: string;
  /** What can be made of it: the first when nothing else is wished. */
  outputs: readonly [Name, ...Name[]];
  /** Largest file in bytes. */
  maxBytes: { free: number; pro: number };
  /**
   * How its characters are counted: as they are, as {@link MINIMUM_BILLED_CHARACTERS} at least, or
   * not at all.
   */
  billing: 'characters' | 'minimum' | 'free';
}

/** What a document of a format with a minimum costs at least, in Unicode code points. */
export const MINIMUM_BILLED_CHARACTERS = 50_000;

/** Most characters of a document, in Unicode code points. */
export const MAX_DOCUMENT_CHARACTERS = { free: 500_000, pro: 1_000_000 } as const;

// The published border of 30 MB is 30,000,000 bytes, and so are the others.
const KB = 1000;
const MB = 1000 * KB;

const large = { maxBytes: { free: 10 * MB, pro: 100 * MB }, billing: 'minimum' } as const;
const workbook = { maxBytes: { free: 10 * MB, pro: 30 * MB }, billing: 'minimum' } as const;
const image = { maxBytes: { free: 3 * MB, pro: 3 * MB }, billing: 'free' } as const;
const openXml = 'application/vnd.openxmlformats-officedocument';

/** All of them; each has a file and a line in `server/documents/formats`. */
const formats = [
  {
    name: 'docx',
    extensions: ['docx'],
    mediaType: `${openXml}.wordprocessingml.document`,
    outputs: ['docx'],
    ...large,
  },
  {
    name: 'doc',
    extensions: ['doc'],
    mediaType: 'application/msword',
    outputs: ['docx'],
    ...large,
  },
  {
    name: 'pptx',
    extensions: ['pptx'],
    mediaType: `${openXml}.presentationml.presentation`,
    outputs: ['pptx'],
    ...large,
  },
  {
    name: 'xlsx',
    extensions: ['xlsx'],
    mediaType: `${openXml}.spreadsheetml.sheet`,
    outputs: ['xlsx'],
    ...workbook,
  },
  {
    name: 'pdf',
    extensions: ['pdf'],
    mediaType: 'application/pdf',
    outputs: ['pdf', 'docx'],
    ...large,
  },
  {
    name: 'html',
    extensions: ['html', 'htm'],
    mediaType: 'text/html',
    outputs: ['html'],
    maxBytes: { free: 5 * MB, pro: 5 * MB },
    billing: 'characters',
  },
  {
    name: 'txt',
    extensions: ['txt'],
    mediaType: 'text/plain',
    outputs: ['txt'],
    maxBytes: { free: MB, pro: MB },
    billing: 'characters',
  },
  {
    name: 'xliff',
    extensions: ['xlf', 'xliff'],
    mediaType: 'application/xliff+xml',
    outputs: ['xliff'],
    maxBytes: { free: 10 * MB, pro: 10 * MB },
    billing: 'characters',
  },
  {
    name: 'srt',
    extensions: ['srt'],
    mediaType: 'application/x-subrip',
    outputs: ['srt'],
    maxBytes: { free: 150 * KB, pro: 150 * KB },
    billing: 'characters',
  },
  {
    name: 'vtt',
    extensions: ['vtt'],
    mediaType: 'text/vtt',
    outputs: ['vtt'],
    maxBytes: { free: 150 * KB, pro: 150 * KB },
    billing: 'characters',
  },
  {
    name: 'jpeg',
    extensions: ['jpg', 'jpeg'],
    mediaType: 'image/jpeg',
    outputs: ['jpeg'],
    ...image,
  },
  { name: 'png', extensions: ['png'], mediaType: 'image/png', outputs: ['png'], ...image },
] as const satisfies readonly FormatInfo[];

export type DocumentFormatName = (typeof formats)[number]['name'];
export type DocumentFormatInfo = FormatInfo<DocumentFormatName>;
export const documentFormats: readonly DocumentFormatInfo[] = formats;

/** The format of a name. */
export function documentFormat(name: DocumentFormatName): DocumentFormatInfo {
  const found = documentFormats.find((format) => format.name === name);
  if (found === undefined) throw new RangeError(`There is no document format ${name}.`);
  return found;
}

/** The format that files with an ending have; upper case is as good, so is a leading dot. */
export function formatOfExtension(extension: string): DocumentFormatInfo | undefined {
  const wanted = extension.toLowerCase().replace(/^\./, '');
  return documentFormats.find(({ extensions }) => extensions.includes(wanted));
}

/** The ending of a file's name without the dot, lower case; empty when it has none. */
export function extensionOf(fileName: string): string {
  return /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
}
