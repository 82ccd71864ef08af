/**
 * The kinds of files that are translated: what a client may send and will get, how their files begin, how
 * long they take, and what reads and writes them.
 */
import type { DocumentFormat } from './format.ts';

interface FormatEntry<Name extends string = string> {
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
  /**
   * What is wrong with a file, in words for its owner; undefined when nothing can be seen.
   *
   * @param head its first {@link SIGNATURE_BYTES}, or all of it
   */
  problem: (head: Buffer) => string | undefined;
  firstMs: FirstMs;
  /** What reads and writes files of it; called when the first one comes. */
  load: () => Promise<DocumentFormat>;
}

/**
 * How long a document of a kind takes with a slow engine on a busy machine, in ms: a time that was too
 * long gets shorter with the first beats, one that was too short would have to be taken back.
 */
type FirstMs = readonly [least: number, perByte: number];

/** What a document of a format with a minimum costs at least, in Unicode code points. */
export const MINIMUM_BILLED_CHARACTERS = 50_000;

/** Most characters of a document, in Unicode code points. */
export const MAX_DOCUMENT_CHARACTERS = { free: 500_000, pro: 1_000_000 } as const;

// The published border of 30 MB is 30,000,000 bytes, and so are the others.
const KB = 1000;
const MB = 1000 * KB;

/** Compressed, and most of the large ones is pictures; read, and often drawn, page by page. */
const pagesMs: FirstMs = [6_000, 0.01];
/** Much of it is no text. */
const markupMs: FirstMs = [3_000, 0.05];
const plainMs: FirstMs = [3_000, 0.1];
/** Text recognition takes its time with small pictures, too. */
const pictureMs: FirstMs = [10_000, 0.01];

const large = {
  maxBytes: { free: 10 * MB, pro: 100 * MB },
  billing: 'minimum',
  firstMs: pagesMs,
} as const;
const workbook = { ...large, maxBytes: { free: 10 * MB, pro: 30 * MB } } as const;
const image = {
  maxBytes: { free: 3 * MB, pro: 3 * MB },
  billing: 'free',
  firstMs: pictureMs,
} as const;
const openXml = 'application/vnd.openxmlformats-officedocument';

/** All of them, in the order of messages: whatever the server says of formats comes from here. */
const formats = [
  {
    name: 'docx',
    extensions: ['docx'],
    mediaType: `${openXml}.wordprocessingml.document`,
    outputs: ['docx'],
    ...large,
    problem: (head) => officeProblem('docx', head),
    load: async () => (await import('./office/docx.ts')).docx,
  },
  {
    name: 'doc',
    extensions: ['doc'],
    mediaType: 'application/msword',
    outputs: ['docx'],
    ...large,
    // Word writes and reads files of this name in several formats.
    problem: noProblem,
    load: async () => (await import('./office/doc.ts')).doc,
  },
  {
    name: 'pptx',
    extensions: ['pptx'],
    mediaType: `${openXml}.presentationml.presentation`,
    outputs: ['pptx'],
    ...large,
    problem: (head) => officeProblem('pptx', head),
    load: async () => (await import('./office/pptx.ts')).pptx,
  },
  {
    name: 'xlsx',
    extensions: ['xlsx'],
    mediaType: `${openXml}.spreadsheetml.sheet`,
    outputs: ['xlsx'],
    ...workbook,
    problem: (head) => officeProblem('xlsx', head),
    load: async () => (await import('./office/xlsx.ts')).xlsx,
  },
  {
    name: 'pdf',
    extensions: ['pdf'],
    mediaType: 'application/pdf',
    outputs: ['pdf', 'docx'],
    ...large,
    problem: pdfProblem,
    load: async () => (await import('./pdf/pdf.ts')).pdf,
  },
  {
    name: 'html',
    extensions: ['html', 'htm'],
    mediaType: 'text/html',
    outputs: ['html'],
    maxBytes: { free: 5 * MB, pro: 5 * MB },
    billing: 'characters',
    problem: textProblem,
    firstMs: markupMs,
    load: async () => (await import('./text/html.ts')).html,
  },
  {
    name: 'txt',
    extensions: ['txt'],
    mediaType: 'text/plain',
    outputs: ['txt'],
    maxBytes: { free: MB, pro: MB },
    billing: 'characters',
    problem: textProblem,
    firstMs: plainMs,
    load: async () => (await import('./text/txt.ts')).txt,
  },
  {
    name: 'xliff',
    extensions: ['xlf', 'xliff'],
    mediaType: 'application/xliff+xml',
    outputs: ['xliff'],
    maxBytes: { free: 10 * MB, pro: 10 * MB },
    billing: 'characters',
    problem: textProblem,
    firstMs: markupMs,
    load: async () => (await import('./text/xliff.ts')).xliff,
  },
  {
    name: 'srt',
    extensions: ['srt'],
    mediaType: 'application/x-subrip',
    outputs: ['srt'],
    maxBytes: { free: 150 * KB, pro: 150 * KB },
    billing: 'characters',
    problem: textProblem,
    firstMs: markupMs,
    load: async () => (await import('./text/subtitles.ts')).srt,
  },
  {
    name: 'vtt',
    extensions: ['vtt'],
    mediaType: 'text/vtt',
    outputs: ['vtt'],
    maxBytes: { free: 150 * KB, pro: 150 * KB },
    billing: 'characters',
    problem: textProblem,
    firstMs: markupMs,
    load: async () => (await import('./text/subtitles.ts')).vtt,
  },
  {
    name: 'jpeg',
    extensions: ['jpg', 'jpeg'],
    mediaType: 'image/jpeg',
    outputs: ['jpeg'],
    ...image,
    problem: jpegProblem,
    load: async () => (await import('./image/image.ts')).jpeg,
  },
  {
    name: 'png',
    extensions: ['png'],
    mediaType: 'image/png',
    outputs: ['png'],
    ...image,
    problem: pngProblem,
    load: async () => (await import('./image/image.ts')).png,
  },
] as const satisfies readonly FormatEntry[];

export type DocumentFormatName = (typeof formats)[number]['name'];
export type DocumentFormatInfo = FormatEntry<DocumentFormatName>;
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

/** What reads and writes files of a format. */
export function loadFormat(name: DocumentFormatName): Promise<DocumentFormat> {
  return documentFormat(name).load();
}

/**
 * What is wrong with a file, in words for its owner; undefined when nothing can be seen.
 *
 * @param head its first bytes, {@link SIGNATURE_BYTES} where it has so many
 */
export function signatureProblem(name: DocumentFormatName, head: Buffer): string | undefined {
  if (head.length === 0) return 'Invalid file data. The file is empty.';
  return documentFormat(name).problem(head);
}

/** How long a document takes of which nothing is known yet, in ms; rather too long. */
export function firstEstimateMs(name: DocumentFormatName, sizeBytes: number): number {
  const [leastMs, msPerByte] = documentFormat(name).firstMs;
  return leastMs + sizeBytes * msPerByte;
}

// Whether a file can be what its name says, from its first bytes: cheap, and before it is kept.

/** As many bytes of a file as are looked at. */
export const SIGNATURE_BYTES = 1024;

const ZIP = Buffer.from('PK\x03\x04', 'latin1');
/** The container of old Office files, and of encrypted new ones. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const JPEG = Buffer.from('ffd8ff', 'hex');
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

function officeProblem(format: string, head: Buffer): string | undefined {
  if (startsWith(head, ZIP)) return undefined;
  if (!startsWith(head, COMPOUND_FILE)) return isNot(`a ${format} file`);
  return `Invalid file data. The file is protected by a password or not a ${format} file. Save it without a password, as ${format}.`;
}

/** Readers take a header that comes late, after lines of a mail for example. */
function pdfProblem(head: Buffer): string | undefined {
  return head.includes('%PDF-') ? undefined : isNot('a PDF file');
}

function jpegProblem(head: Buffer): string | undefined {
  return startsWith(head, JPEG) ? undefined : isNot('a JPEG image');
}

function pngProblem(head: Buffer): string | undefined {
  return startsWith(head, PNG) ? undefined : isNot('a PNG image');
}

/** Text has no zero bytes, but for UTF-16, which is known by its byte order mark. */
function textProblem(head: Buffer): string | undefined {
  const mark = head.length >= 2 ? head.readUInt16BE(0) : 0;
  const isText = mark === 0xfeff || mark === 0xfffe || !head.includes(0);
  return isText ? undefined : isNot('a text file');
}

/** Which of several formats a file has shows when it is opened. */
function noProblem(): undefined {}

function startsWith(head: Buffer, signature: Buffer): boolean {
  return head.subarray(0, signature.length).equals(signature);
}

function isNot(what: string): string {
  return `Invalid file data. The file is not ${what}, as its file extension says.`;
}
