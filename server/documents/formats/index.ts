/** The formats: what shows of their files, how long they take, and what reads and writes them. */
import type { DocumentFormatName } from '../../../shared/document-formats.ts';
import type { DocumentFormat } from './format.ts';

/**
 * How long a document of a kind takes with a slow engine on a busy machine, in ms: a time that was too
 * long gets shorter with the first beats, one that was too short would have to be taken back.
 */
type FirstMs = readonly [least: number, perByte: number];

/**
 * What is wrong with a file, in words for its owner; undefined when nothing can be seen.
 *
 * @param head its first {@link SIGNATURE_BYTES}, or all of it
 */
type Signature = (head: Buffer) => string | undefined;

interface ServedFormat {
  signature: Signature;
  firstMs: FirstMs;
  /** Called when the first file of it comes. */
  load: () => Promise<DocumentFormat>;
}

/** Compressed, and most of the large ones is pictures; read, and often drawn, page by page. */
const pages: FirstMs = [6_000, 0.01];
/** Much of it is no text. */
const markup: FirstMs = [3_000, 0.05];
const plain: FirstMs = [3_000, 0.1];
/** Text recognition takes its time with small pictures, too. */
const picture: FirstMs = [10_000, 0.01];

/** One line each; `shared/document-formats.ts` has what clients know of them. */
const formats: Record<DocumentFormatName, ServedFormat> = {
  docx: format(
    (head) => officeProblem('docx', head),
    pages,
    async () => (await import('./office/docx.ts')).docx,
  ),
  // Word writes and reads files of this name in several formats.
  doc: format(noProblem, pages, async () => (await import('./office/doc.ts')).doc),
  pptx: format(
    (head) => officeProblem('pptx', head),
    pages,
    async () => (await import('./office/pptx.ts')).pptx,
  ),
  xlsx: format(
    (head) => officeProblem('xlsx', head),
    pages,
    async () => (await import('./office/xlsx.ts')).xlsx,
  ),
  pdf: format(pdfProblem, pages, async () => (await import('./pdf/pdf.ts')).pdf),
  html: format(textProblem, markup, async () => (await import('./text/html.ts')).html),
  txt: format(textProblem, plain, async () => (await import('./text/txt.ts')).txt),
  xliff: format(textProblem, markup, async () => (await import('./text/xliff.ts')).xliff),
  srt: format(textProblem, markup, async () => (await import('./text/subtitles.ts')).srt),
  vtt: format(textProblem, markup, async () => (await import('./text/subtitles.ts')).vtt),
  jpeg: format(jpegProblem, picture, async () => (await import('./image/image.ts')).jpeg),
  png: format(pngProblem, picture, async () => (await import('./image/image.ts')).png),
};

function format(signature: Signature, firstMs: FirstMs, load: ServedFormat['load']): ServedFormat {
  return { signature, firstMs, load };
}

/** What reads and writes files of a format. */
export function loadFormat(name: DocumentFormatName): Promise<DocumentFormat> {
  return formats[name].load();
}

/**
 * What is wrong with a file, in words for its owner; undefined when nothing can be seen.
 *
 * @param head its first bytes, {@link SIGNATURE_BYTES} where it has so many
 */
export function signatureProblem(name: DocumentFormatName, head: Buffer): string | undefined {
  if (head.length === 0) return 'Invalid file data. The file is empty.';
  return formats[name].signature(head);
}

/** How long a document takes of which nothing is known yet, in ms; rather too long. */
export function firstEstimateMs(name: DocumentFormatName, sizeBytes: number): number {
  const [leastMs, msPerByte] = formats[name].firstMs;
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
