/**
 * Registry of document formats: for each, the files that a client may send and the formats it may get, the
 * file signature, the size limit, the billing, a time estimate and the module that reads and writes it.
 */
import type { DocumentFormat } from './format.ts';

interface FormatEntry<Name extends string = string> {
  name: Name;
  /** File name extensions, without the dot, in lower case. */
  extensions: readonly string[];
  mediaType: string;
  /** Possible output formats, the default first. */
  outputs: readonly [Name, ...Name[]];
  /** Maximum file size in bytes, by plan. */
  maxBytes: { free: number; pro: number };
  /** How the characters are billed: as counted, at least {@link MINIMUM_BILLED_CHARACTERS}, or not at all. */
  billing: 'characters' | 'minimum' | 'free';
  /**
   * Returns what is wrong with a file, as a message for its owner; undefined when nothing is found.
   *
   * @param head the first {@link SIGNATURE_BYTES} of the file, or all of it
   */
  problem: (head: Buffer) => string | undefined;
  firstMs: FirstMs;
  /** Loads the module that reads and writes the format; called when the first file of it arrives. */
  load: () => Promise<DocumentFormat>;
}

/**
 * Time estimate for a document of a format, with a slow engine on a busy machine, in ms. It errs on the
 * long side: the first heartbeats shorten an estimate, whereas one that was too short would have to grow.
 */
type FirstMs = readonly [least: number, perByte: number];

/** Minimum charge for a document of a format with a minimum, in Unicode code points. */
export const MINIMUM_BILLED_CHARACTERS = 50_000;

/** Maximum length of a document, in Unicode code points, by plan. */
export const MAX_DOCUMENT_CHARACTERS = { free: 500_000, pro: 1_000_000 } as const;

// The published limit of 30 MB is 30,000,000 bytes, so all limits are decimal.
const KB = 1000;
const MB = 1000 * KB;

/** Compressed files, of which pictures take most of the bytes; read, and often laid out, page by page. */
const pagesMs: FirstMs = [6_000, 0.01];
/** Much of a file is markup. */
const markupMs: FirstMs = [3_000, 0.05];
const plainMs: FirstMs = [3_000, 0.1];
/** Text recognition takes a while even for small pictures. */
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

/**
 * All formats, in the order in which messages list them. Everything that the server says about
 * formats derives from this table.
 */
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
    // Word reads and writes several formats under this extension.
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
    problem: xmlProblem,
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

/** Returns the format with a name. */
export function documentFormat(name: DocumentFormatName): DocumentFormatInfo {
  const found = documentFormats.find((format) => format.name === name);
  if (found === undefined) throw new RangeError(`There is no document format ${name}.`);
  return found;
}

/** Finds the format with a file name extension; ignores case and a leading dot. */
export function formatOfExtension(extension: string): DocumentFormatInfo | undefined {
  const wanted = extension.toLowerCase().replace(/^\./, '');
  return documentFormats.find(({ extensions }) => extensions.includes(wanted));
}

/** Returns the extension of a file name, without the dot, in lower case; empty when it has none. */
export function extensionOf(fileName: string): string {
  return /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
}

/** Loads the module that reads and writes a format. */
export function loadFormat(name: DocumentFormatName): Promise<DocumentFormat> {
  return documentFormat(name).load();
}

/**
 * Returns what is wrong with a file, as a message for its owner; undefined when nothing is found.
 *
 * @param head the first {@link SIGNATURE_BYTES} of the file, or all of it
 */
export function signatureProblem(name: DocumentFormatName, head: Buffer): string | undefined {
  if (head.length === 0) return 'Invalid file data. The file is empty.';
  return documentFormat(name).problem(head);
}

/** Estimates the duration of a document that nothing is known about yet, in ms; errs on the long side. */
export function firstEstimateMs(name: DocumentFormatName, sizeBytes: number): number {
  const [leastMs, msPerByte] = documentFormat(name).firstMs;
  return leastMs + sizeBytes * msPerByte;
}

// Signature checks: whether a file can be what its name says. They are cheap and precede storing the file.

/** Number of leading bytes that the checks examine. */
export const SIGNATURE_BYTES = 1024;

const ZIP = Buffer.from('PK\x03\x04', 'latin1');
/** Compound file: the container of old Office files and of encrypted new ones. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const JPEG = Buffer.from('ffd8ff', 'hex');
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

function officeProblem(format: string, head: Buffer): string | undefined {
  if (startsWith(head, ZIP)) return undefined;
  if (!startsWith(head, COMPOUND_FILE)) return isNot(`a ${format} file`);
  return `Invalid file data. The file is protected by a password or not a ${format} file. Save it without a password, as ${format}.`;
}

/** Accepts a late header, for example after the lines of a mail, as PDF readers do. */
function pdfProblem(head: Buffer): string | undefined {
  return head.includes('%PDF-') ? undefined : isNot('a PDF file');
}

function jpegProblem(head: Buffer): string | undefined {
  return startsWith(head, JPEG) ? undefined : isNot('a JPEG image');
}

function pngProblem(head: Buffer): string | undefined {
  return startsWith(head, PNG) ? undefined : isNot('a PNG image');
}

/** Text has no zero bytes, except in UTF-16, which is recognised by its byte order mark. */
function textProblem(head: Buffer): string | undefined {
  const mark = head.length >= 2 ? head.readUInt16BE(0) : 0;
  const isText = mark === 0xfeff || mark === 0xfffe || !head.includes(0);
  return isText ? undefined : isNot('a text file');
}

/** XML in UTF-16 needs no byte order mark; without one it begins with `<` (XML 1.0, appendix F). */
function xmlProblem(head: Buffer): string | undefined {
  const isUtf16 = startsWith(head, Buffer.from('<\0')) || startsWith(head, Buffer.from('\0<'));
  return isUtf16 ? undefined : textProblem(head);
}

/** For an extension that stands for several formats: the file's own is determined when it is opened. */
function noProblem(): undefined {}

function startsWith(head: Buffer, signature: Buffer): boolean {
  return head.subarray(0, signature.length).equals(signature);
}

function isNot(what: string): string {
  return `Invalid file data. The file is not ${what}, as its file extension says.`;
}
