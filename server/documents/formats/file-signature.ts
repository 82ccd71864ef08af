/** Whether a file can be what its name says, from its first bytes: cheap, and before it is kept. */

/** As many bytes of a file as a {@link Signature} looks at. */
export const SIGNATURE_BYTES = 1024;

const ZIP = Buffer.from('PK\x03\x04', 'latin1');
/** The container of old Office files, and of encrypted new ones. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const JPEG = Buffer.from('ffd8ff', 'hex');
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * What is wrong with a file, in words for its owner; undefined when nothing can be seen.
 *
 * @param head its first {@link SIGNATURE_BYTES}, or all of it
 */
export type Signature = (head: Buffer) => string | undefined;

/** What the files of formats begin with. */
export const signatures = {
  docx: (head) => officeProblem('docx', head),
  pptx: (head) => officeProblem('pptx', head),
  xlsx: (head) => officeProblem('xlsx', head),
  // Readers take a header that comes late, after lines of a mail for example.
  pdf: (head) => (head.includes('%PDF-') ? undefined : isNot('a PDF file')),
  jpeg: (head) => (startsWith(head, JPEG) ? undefined : isNot('a JPEG image')),
  png: (head) => (startsWith(head, PNG) ? undefined : isNot('a PNG image')),
  text: (head) => (isText(head) ? undefined : isNot('a text file')),
  /** Which of several formats a file has shows when it is opened. */
  several: () => undefined,
} satisfies Record<string, Signature>;

function officeProblem(format: string, head: Buffer): string | undefined {
  if (startsWith(head, ZIP)) return undefined;
  if (!startsWith(head, COMPOUND_FILE)) return isNot(`a ${format} file`);
  return `Invalid file data. The file is protected by a password or not a ${format} file. Save it without a password, as ${format}.`;
}

/** Text has no zero bytes, but for UTF-16, which is known by its byte order mark. */
function isText(head: Buffer): boolean {
  const mark = head.length >= 2 ? head.readUInt16BE(0) : 0;
  return mark === 0xfeff || mark === 0xfffe || !head.includes(0);
}

function startsWith(head: Buffer, signature: Buffer): boolean {
  return head.subarray(0, signature.length).equals(signature);
}

function isNot(what: string): string {
  return `Invalid file data. The file is not ${what}, as its file extension says.`;
}
