/** Word's old .doc format: LibreOffice converts it to .docx, which is then translated as such. */
import { findContainment, type Command, type Containment } from '../../../process/index.ts';
import {
  MEMORY_FILES_BYTES,
  ProgramFailure,
  runProgram,
  type ProgramEnd,
} from '../foreign-program.ts';
import {
  DocumentError,
  type DocumentFormat,
  type OpenedDocument,
  type OpenOptions,
} from '../format.ts';
import { docx } from './docx.ts';

/** Reads .doc, and what is often named so: RTF and .docx. Writes .docx. */
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

/** Offsets in the first bytes of a document's main stream (MS-DOC, 2.5.2): identity, version, flags. */
const FIB = { identity: 0, version: 2, flags: 10, bytes: 12 };
const WORD_97 = 0xa5ec;
const WORD_6 = 0xa5dc;
/** Lowest version of Word 95; lower ones are Word 6. */
const WORD_95_VERSION = 104;
const IS_ENCRYPTED = 0x0100;

/**
 * Selects the import filter; refuses documents that LibreOffice would fail to read, and those that
 * must not be opened at all.
 */
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

// Conversion with Debian's LibreOffice. LibreOffice follows instructions of a document's author: it
// fetches linked pictures and copies linked files into the result. Therefore it runs in a sandbox
// (bubblewrap) without network, with nothing of the machine but its programs and fonts, and with
// in-memory files that vanish when it ends. Without a sandbox, nothing is converted.

const MB = 1024 * 1024;

/** LibreOffice takes 2 s for a letter, 40 s for a thousand pages. */
const limits = { timeMs: 120_000, memoryBytes: 4096 * MB, outputBytes: 256 * MB };

/** Exit code of the script when there is no result; LibreOffice's own exit code does not tell. */
const EXIT_NOT_CONVERTED = 3;
const script = [
  'cd "$(mktemp -d)" && mkdir out',
  'cat >in',
  'command -v soffice >/dev/null || exit 127',
  'soffice "-env:UserInstallation=file://$PWD/profile" --headless --norestore --nolockcheck' +
    ' --nodefault --nologo --infilter="$1" --convert-to docx:"MS Word 2007 XML" --outdir out in' +
    ' >/dev/null 2>&1',
  `test -s out/in.docx || exit ${EXIT_NOT_CONVERTED}`,
  'exec cat out/in.docx',
].join('\n');

/** LibreOffice's names of import filters. */
type ImportFilter =
  | 'MS Word 97'
  | 'MS Word 95'
  | 'MS WinWord 6.0'
  | 'Rich Text Format'
  | 'MS Word 2007 XML';

/**
 * Converts a document to .docx with LibreOffice.
 *
 * @param filter the document's format; without it, LibreOffice would read an unknown format as plain text
 * @throws DocumentError when the document cannot be read or takes too long, or when LibreOffice or
 *   its sandbox is missing
 */
export async function convertToDocx(
  file: Uint8Array,
  { filter, timeMs }: { filter: ImportFilter; timeMs?: number },
): Promise<Uint8Array> {
  const command = ['/bin/sh', '-c', script, 'sh', filter] as const;
  const end = await runSandboxed(command, { input: file, timeMs });
  if (end.exitCode === 0) return end.output;
  throw unreadable();
}

let containment: Promise<Containment> | undefined;

/**
 * Runs a command in LibreOffice's sandbox, with a temporary in-memory file system.
 *
 * @throws DocumentError when the command takes too long, or when it or bubblewrap is missing
 */
export async function runSandboxed(
  command: Command,
  {
    input = new Uint8Array(),
    timeMs = limits.timeMs,
  }: { input?: Uint8Array; timeMs?: number | undefined } = {},
): Promise<ProgramEnd> {
  containment ??= findContainment(['/bin/true'], { memoryFilesBytes: MEMORY_FILES_BYTES });
  const found = await containment;
  if (found.lack !== undefined) throw sandboxless(found.lack);
  try {
    return await runProgram({
      command,
      containment: found,
      input,
      limits: { ...limits, timeMs },
      environment: { HOME: '/tmp' },
    });
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
    throw failures[error.kind](error);
  }
}

const failures: Record<ProgramFailure['kind'], (cause: ProgramFailure) => DocumentError> = {
  missing: (cause) =>
    new DocumentError(
      'Reading .doc files needs the Debian packages libreoffice-writer-nogui and bubblewrap on the server. Until then, please save the document as .docx.',
      { cause },
    ),
  timeout: tooMuch,
  output: tooMuch,
  killed: tooMuch,
};

function tooMuch(cause: ProgramFailure): DocumentError {
  return new DocumentError(
    'The document takes too long to be read. Please save it as .docx and send it again.',
    { cause },
  );
}

function unreadable(): DocumentError {
  return new DocumentError(
    'The document could not be read: it is damaged or protected. Please open it, save it as .docx and send that.',
  );
}

function sandboxless(lack: string): DocumentError {
  return new DocumentError(
    `Reading .doc files is switched off: LibreOffice runs in a sandbox alone, and there is none. ${lack} Until then, please save the document as .docx.`,
  );
}

// Compound files (MS-CFB), the container of Word's .doc: reads the names and first bytes of
// streams, enough to know the content before a large program opens it.

/** A stream or storage of a compound file. */
interface CompoundEntry {
  name: string;
  kind: 'storage' | 'stream' | 'root';
  /** First sector; for a small stream, the number of a small sector within the root's stream. */
  startSector: number;
  sizeBytes: number;
}

/** A compound file whose directory has been read. */
interface CompoundFile {
  entries: readonly CompoundEntry[];
  /** Returns the first bytes of a stream, at least 64 if the stream is that long. */
  head: (entry: CompoundEntry) => Buffer;
}

const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
/**
 * The header lists the first 109 sectors of the sector table (FAT). Files above some 7 MB have
 * more; further sectors (DIFAT) list these, each of which ends with the number of the next.
 */
const TABLE_SECTORS = { count: 109, offset: 76, furtherOffset: 68 };
/** Streams below this size, in bytes, are stored together in the root's stream, in small sectors. */
const SMALL_STREAM_BYTES = 4096;
const SMALL_SECTOR_BYTES = 64;
/** Numbers from here on are markers, not sectors. */
const LAST_SECTOR = 0xfffffffa;

/** Whether a file has the signature of a compound file. */
function isCompoundFile(file: Uint8Array): boolean {
  return Buffer.from(file.subarray(0, SIGNATURE.length)).equals(SIGNATURE);
}

/**
 * Reads the directory of a compound file.
 *
 * @throws DocumentError for a damaged file
 */
function readCompoundFile(bytes: Uint8Array): CompoundFile {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const sectorShift = file.length >= HEADER_BYTES ? file.readUInt16LE(30) : 0;
  // 512 bytes in version 3, 4096 in version 4.
  if (sectorShift !== 9 && sectorShift !== 12) throw damaged();
  const sectorBytes = 1 << sectorShift;
  const sector = (number: number): Buffer => {
    const from = (number + 1) * sectorBytes;
    if (from >= file.length) throw damaged();
    return file.subarray(from, from + sectorBytes);
  };
  const perSector = sectorBytes / 4;
  const tableSectors = readTableSectors(file, sector, perSector);
  const next = (number: number): number => {
    const tableSector = tableSectors[Math.floor(number / perSector)] ?? LAST_SECTOR;
    if (tableSector >= LAST_SECTOR) return LAST_SECTOR;
    const table = sector(tableSector);
    return table.length < sectorBytes ? LAST_SECTOR : table.readUInt32LE(4 * (number % perSector));
  };
  const entries: CompoundEntry[] = [];
  let placesBytes = 0;
  for (let at = file.readUInt32LE(48); at < LAST_SECTOR; at = next(at)) {
    placesBytes += sectorBytes;
    if (placesBytes > file.length) throw damaged();
    entries.push(...entriesIn(sector(at)));
  }
  const smallSector = (number: number): Buffer => {
    const from = number * SMALL_SECTOR_BYTES;
    if (from >= file.length) throw damaged();
    let at = entries.find(({ kind }) => kind === 'root')?.startSector ?? LAST_SECTOR;
    for (let skipped = sectorBytes; skipped <= from && at < LAST_SECTOR; skipped += sectorBytes) {
      at = next(at);
    }
    if (at >= LAST_SECTOR) throw damaged();
    const within = from % sectorBytes;
    return sector(at).subarray(within, within + SMALL_SECTOR_BYTES);
  };
  return {
    entries,
    head: ({ startSector, sizeBytes }) =>
      sizeBytes < SMALL_STREAM_BYTES ? smallSector(startSector) : sector(startSector),
  };
}

/** Returns the sectors of the sector table, no more than a file of this length needs. */
function readTableSectors(
  file: Buffer,
  sector: (number: number) => Buffer,
  perSector: number,
): number[] {
  const { count, offset, furtherOffset } = TABLE_SECTORS;
  const numbersIn = (place: Buffer, length: number) =>
    Array.from({ length }, (_, index) => place.readUInt32LE(4 * index));
  const numbers = numbersIn(file.subarray(offset), count);
  const needed = file.length / (4 * perSector * perSector);
  let further = file.readUInt32LE(furtherOffset);
  while (numbers.length < needed && further < LAST_SECTOR) {
    const place = sector(further);
    if (place.length < 4 * perSector) throw damaged();
    numbers.push(...numbersIn(place, perSector - 1));
    further = place.readUInt32LE(4 * (perSector - 1));
  }
  return numbers;
}

/** Kinds of directory entries by their code in the file. */
const kinds: Record<number, CompoundEntry['kind']> = { 1: 'storage', 2: 'stream', 5: 'root' };

function entriesIn(sector: Buffer): CompoundEntry[] {
  const entries: CompoundEntry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= sector.length; at += ENTRY_BYTES) {
    const nameBytes = sector.readUInt16LE(at + 64);
    const type = sector.readUInt8(at + 66);
    const kind = kinds[type];
    if (kind === undefined || nameBytes < 2 || nameBytes > 64) continue;
    entries.push({
      name: sector.toString('utf16le', at, at + nameBytes - 2),
      kind,
      startSector: sector.readUInt32LE(at + 116),
      sizeBytes: sector.readUInt32LE(at + 120),
    });
  }
  return entries;
}

function damaged(): DocumentError {
  return new DocumentError(
    'The document is damaged. Please open it, save it as .docx and send that.',
  );
}
