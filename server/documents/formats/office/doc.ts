/** Word's old .doc: LibreOffice makes a .docx of it, which is translated as such. */
import {
  DocumentError,
  type DocumentFormat,
  type OpenedDocument,
  type OpenOptions,
} from '../format.ts';
import { isCompoundFile, readCompoundFile } from './compound-file.ts';
import { docx } from './docx.ts';
import { convertToDocx, type ImportFilter } from './libre-office.ts';

/** Reads .doc, and what else is often called so: RTF and .docx. The result is a .docx. */
export const doc: DocumentFormat = { open };

async function open(file: Uint8Array, options: OpenOptions): Promise<OpenedDocument> {
  return docx.open(await asDocx(file), options);
}

async function asDocx(file: Uint8Array): Promise<Uint8Array> {
  if (isCompoundFile(file)) return convertToDocx(file, { filter: checkedFilter(file) });
  if (startsWith(file, '{\\rtf')) return convertToDocx(file, { filter: 'Rich Text Format' });
  if (startsWith(file, 'PK\x03\x04')) return file;
  throw new DocumentError(
    'The file is not a Word document, whatever its name says. Please open it in Word or LibreOffice and save it as .docx; a web page can be sent as .html.',
  );
}

function startsWith(file: Uint8Array, text: string): boolean {
  return Buffer.from(file.subarray(0, text.length)).equals(Buffer.from(text, 'latin1'));
}

/** The first bytes of a document's main stream (MS-DOC, 2.5.2): what it is, its version, its flags. */
const FIB = { identity: 0, version: 2, flags: 10, bytes: 12 };
const WORD_97 = 0xa5ec;
const WORD_6 = 0xa5dc;
/** Word 95 counts from here, Word 6 below. */
const WORD_95_VERSION = 104;
const IS_ENCRYPTED = 0x0100;

/** Refuses what LibreOffice would only fail at, and what should not be opened at all. */
function checkedFilter(file: Uint8Array): ImportFilter {
  const { entries, head } = readCompoundFile(file);
  const names = new Set(entries.map(({ name }) => name));
  // A .docx with a password is such a container too.
  if (names.has('EncryptedPackage')) throw encrypted();
  if (names.has('_VBA_PROJECT')) {
    throw new DocumentError(
      'The document has macros. Please save it as .docx, which has none, and send that.',
    );
  }
  const text = entries.find(({ name, kind }) => kind === 'stream' && name === 'WordDocument');
  const fib = text === undefined ? undefined : head(text);
  if (fib === undefined || fib.length < FIB.bytes) throw notWord();
  if ((fib.readUInt16LE(FIB.flags) & IS_ENCRYPTED) !== 0) throw encrypted();
  const identity = fib.readUInt16LE(FIB.identity);
  if (identity === WORD_97) return 'MS Word 97';
  if (identity !== WORD_6) throw notWord();
  return fib.readUInt16LE(FIB.version) >= WORD_95_VERSION ? 'MS Word 95' : 'MS WinWord 6.0';
}

function notWord(): DocumentError {
  return new DocumentError('The file is not a Word document, whatever its name says.');
}

function encrypted(): DocumentError {
  return new DocumentError('The document is protected by a password. Please save it without one.');
}
