/** The formats: what shows of their files, how long they take, and what reads and writes them. */
import type { DocumentFormatName } from '../../../shared/document-formats.ts';
import { signatures, type Signature } from './file-signature.ts';
import type { DocumentFormat } from './format.ts';

/**
 * How long a document of a kind takes with a slow engine on a busy machine, in ms: a time that was too
 * long gets shorter with the first beats, one that was too short would have to be taken back.
 */
type FirstMs = readonly [least: number, perByte: number];

interface ServedFormat {
  signature: Signature;
  firstMs: FirstMs;
  /** Called when the first file of it comes. */
  load: () => Promise<DocumentFormat>;
}

const { several, text } = signatures;
/** Compressed, and most of the large ones is pictures; read, and often drawn, page by page. */
const pages: FirstMs = [6_000, 0.01];
/** Much of it is no text. */
const markup: FirstMs = [3_000, 0.05];
const plain: FirstMs = [3_000, 0.1];
/** Text recognition takes its time with small pictures, too. */
const picture: FirstMs = [10_000, 0.01];

/** One line each; `shared/document-formats.ts` has what clients know of them. */
const formats: Record<DocumentFormatName, ServedFormat> = {
  docx: format(signatures.docx, pages, async () => (await import('./office/docx.ts')).docx),
  // Word writes and reads files of this name in several formats.
  doc: format(several, pages, async () => (await import('./office/doc.ts')).doc),
  pptx: format(signatures.pptx, pages, async () => (await import('./office/pptx.ts')).pptx),
  xlsx: format(signatures.xlsx, pages, async () => (await import('./office/xlsx.ts')).xlsx),
  pdf: format(signatures.pdf, pages, async () => (await import('./pdf/pdf.ts')).pdf),
  html: format(text, markup, async () => (await import('./text/html.ts')).html),
  txt: format(text, plain, async () => (await import('./text/txt.ts')).txt),
  xliff: format(text, markup, async () => (await import('./text/xliff.ts')).xliff),
  srt: format(text, markup, async () => (await import('./text/srt.ts')).srt),
  vtt: format(text, markup, async () => (await import('./text/vtt.ts')).vtt),
  jpeg: format(signatures.jpeg, picture, async () => (await import('./image/image.ts')).jpeg),
  png: format(signatures.png, picture, async () => (await import('./image/image.ts')).png),
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
 * @param head its first bytes, `SIGNATURE_BYTES` where it has so many
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
