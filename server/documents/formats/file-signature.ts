/** Whether a file can be what its name says, from its first bytes: cheap, and before it is kept. */
import type { DocumentFormatName } from '../../../shared/document-formats.ts';

/** As many bytes of a file as {@link signatureProblem} looks at. */
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
export function signatureProblem(format: DocumentFormatName, head: Buffer): string | undefined {
  if (head.length === 0) return 'Invalid file data. The file is empty.';
  switch (format) {
    case 'docx':
    case 'pptx':
    case 'xlsx':
      return officeProblem(format, head);
    case 'pdf':
      // Readers take a header that comes late, after lines of a mail for example.
      return head.includes('%PDF-') ? undefined : isNot('a PDF file');
    case 'jpeg':
      return startsWith(head, JPEG) ? undefined : isNot('a JPEG image');
    case 'png':
      return startsWith(head, PNG) ? undefined : isNot('a PNG image');
    case 'txt':
    case 'html':
    case 'xliff':
    case 'srt':
    case 'vtt':
      return isText(head) ? undefined : isNot('a text file');
    // Word writes and reads files of this name in several formats: which it is shows when it is opened.
    case 'doc':
      return undefined;
  }
}

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
