/**
 * Reads the zip container of Office files. yauzl reads the directory; entries are inflated one by
 * one under hard limits and only on demand, so pictures and fonts are never inflated.
 */
import { crc32, createInflateRaw } from 'node:zlib';
import yauzl from 'yauzl';
import { DocumentError } from '../format.ts';

/** Limits of a container. The largest legitimate files known reach a tenth of them. */
export const archiveLimits = {
  entries: 20_000,
  nameBytes: 1024,
  /** Size of one inflated entry. */
  entryBytes: 320_000_000,
  /** Size of all inflated entries, as the directory declares it. */
  totalBytes: 1_500_000_000,
  /** Ratio of inflated to deflated size; XML of empty table cells reaches about 100. */
  ratio: 250,
  /** Inflated size below which any ratio is accepted. */
  ratioFromBytes: 8_000_000,
} as const;

export interface ArchiveEntry {
  /** Path without a leading slash, as the directory spells it. */
  readonly name: string;
  /** Inflated size, as the directory declares it; {@link Archive.stream} enforces it. */
  readonly sizeBytes: number;
  /** The data as packed in the container. */
  readonly packed: Uint8Array;
  /** Fields that a copy preserves. */
  readonly directory: EntryDirectory;
}

/** An entry's fields in the zip directory, under the names of the specification (APPNOTE 4.3.12). */
export interface EntryDirectory {
  nameRaw: Uint8Array;
  flags: number;
  method: number;
  time: number;
  date: number;
  crc: number;
  versionMadeBy: number;
  internalAttributes: number;
  externalAttributes: number;
}

export interface Archive {
  /** In the order of the directory. */
  readonly entries: readonly ArchiveEntry[];
  /** Finds an entry by its path; ignores case and a leading slash. */
  find(name: string): ArchiveEntry | undefined;
  /**
   * Streams an entry's inflated data.
   *
   * @throws DocumentError when it is damaged or does not match the directory
   */
  stream(entry: ArchiveEntry): AsyncIterable<Uint8Array>;
  /**
   * Reads an entry's inflated data as a whole.
   *
   * @throws DocumentError when it is damaged or has more than `maxBytes`
   */
  read(entry: ArchiveEntry, maxBytes?: number): Promise<Uint8Array>;
}

const STORED = 0;
const DEFLATED = 8;

/**
 * Reads the directory of a container.
 *
 * @throws DocumentError for a file that is not a zip, is damaged or encrypted, or exceeds
 *   {@link archiveLimits}
 */
export async function openArchive(file: Uint8Array): Promise<Archive> {
  refuseOtherContainers(file);
  const entries = await directoryOf(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  const byName = new Map<string, ArchiveEntry>();
  for (const entry of entries) {
    const key = entry.name.toLowerCase();
    if (byName.has(key)) throw damaged();
    byName.set(key, entry);
  }
  return {
    entries,
    find: (name) => byName.get(name.replace(/^\//, '').toLowerCase()),
    stream: inflated,
    read: readWhole,
  };
}

/** Refuses old Office files and files that are no container at all, each with a message of its own. */
function refuseOtherContainers(file: Uint8Array): void {
  const head = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (head.length >= 4 && head.readUInt32BE(0) === 0xd0cf11e0) {
    // An encrypted Office file is an OLE container with a stream of this name (MS-OFFCRYPTO 2.3.4).
    if (head.includes(Buffer.from('EncryptedPackage', 'utf16le'))) throw encrypted();
    throw new DocumentError(
      'The file is in an older Office format. Save it in the current one (.docx, .pptx, .xlsx) and send it again.',
    );
  }
  if (head.length < 4 || head.readUInt16BE(0) !== 0x504b) {
    throw new DocumentError('The file is not an Office document, or it is damaged.');
  }
}

async function directoryOf(file: Buffer): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  const places: Place[] = [];
  let totalBytes = 0;
  try {
    const { container, directory } = boundsOf(file);
    let directoryEnd = directory.start;
    const zip = await yauzl.fromBufferPromise(container, { lazyEntries: true });
    if (zip.entryCount > archiveLimits.entries) throw tooLarge();
    for await (const entry of zip.eachEntry()) {
      if (entries.length >= archiveLimits.entries) throw tooLarge();
      directoryEnd += 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
      totalBytes += entry.uncompressedSize;
      checkEntry(entry, totalBytes);
      const local = await zip.readLocalFileHeaderPromise(entry);
      const data = { start: local.fileDataStart, end: local.fileDataStart + entry.compressedSize };
      checkLocalHeader(local, entry);
      await checkEnd(file, data, local);
      places.push({ start: entry.relativeOffsetOfLocalHeader, end: data.end });
      if (entry.fileName.endsWith('/')) continue;
      entries.push(entryOf(entry, file.subarray(data.start, data.end)));
    }
    if (directoryEnd !== directory.end) throw damaged();
    checkPlaces(file, [...places, directory]);
  } catch (error) {
    throw error instanceof DocumentError ? error : damaged(error);
  }
  return entries;
}

/** A range of the file, as byte offsets. */
interface Place {
  start: number;
  end: number;
}

interface Directory extends Place {
  count: number;
}

/** Signatures and lengths of APPNOTE 4.3.7 and 4.3.14 to 4.3.16. */
const LOCAL_HEADER = Buffer.from('PK\x03\x04');
const END_RECORD = Buffer.from('PK\x05\x06');
const END_RECORD_BYTES = 22;
const LONG_END_RECORD = 0x06064b50;
const LONG_END_RECORD_BYTES = 56;
const LOCATOR = 0x07064b50;
const LOCATOR_BYTES = 20;
/** Longest comment after the end record, in bytes: the record starts no earlier than this allows. */
const MAX_TAIL_BYTES = 0xffff;

/**
 * Locates the directory, and drops bytes behind the end record, which transfers and programs leave
 * there and no reader needs. The directory must end where the record begins: some programs locate
 * it by its offset and others by its length.
 */
function boundsOf(file: Buffer): { container: Buffer; directory: Directory } {
  const tail = Math.max(0, file.length - END_RECORD_BYTES - MAX_TAIL_BYTES);
  const found = file.subarray(tail).lastIndexOf(END_RECORD, -END_RECORD_BYTES);
  if (found < 0) throw damaged();
  const at = tail + found;
  const [count, bytes, start] = [
    file.readUInt16LE(at + 10),
    file.readUInt32LE(at + 12),
    file.readUInt32LE(at + 16),
  ];
  const directory = longDirectory(file, at) ?? { start, end: at, count };
  const isConsistent =
    [directory.start, 0xffffffff].includes(start) &&
    [directory.end - directory.start, 0xffffffff].includes(bytes) &&
    [directory.count, 0xffff].includes(count);
  if (!isConsistent) throw damaged();
  const end = at + END_RECORD_BYTES + file.readUInt16LE(at + 20);
  // A truncated archive comment loses nothing of value, but yauzl expects its full length: zeros
  // replace the rest.
  const isCut = end > file.length;
  const container = isCut
    ? Buffer.concat([file, Buffer.alloc(end - file.length)])
    : file.subarray(0, end);
  return { container, directory };
}

/** Reads the Zip64 end record, which stands before the ordinary one; undefined when there is none. */
function longDirectory(file: Buffer, endRecord: number): Directory | undefined {
  const locator = endRecord - LOCATOR_BYTES;
  if (locator < 0 || file.readUInt32LE(locator) !== LOCATOR) return undefined;
  const end = locator - LONG_END_RECORD_BYTES;
  const isHere = Number(file.readBigUInt64LE(locator + 8)) === end;
  if (!isHere || file.readUInt32LE(end) !== LONG_END_RECORD) throw damaged();
  const field = (at: number): number => Number(file.readBigUInt64LE(end + at));
  const start = field(48);
  if (start + field(40) !== end) throw damaged();
  return { start, end, count: field(32) };
}

/**
 * Ensures that programs that read from the front find the same entries: no entry lies within
 * another, and no stray entry or second directory lies between them.
 */
function checkPlaces(file: Buffer, places: readonly Place[]): void {
  let at = 0;
  for (const { start, end } of places.toSorted((a, b) => a.start - b.start)) {
    const between = file.subarray(at, start);
    const isOther = between.includes(END_RECORD) || between.includes(LOCAL_HEADER);
    if (start < at || isOther) throw damaged();
    at = end;
  }
}

/**
 * Ensures that local header and directory agree on an entry's name and compression. Some programs
 * prefer a second name in UTF-8, which Info-ZIP adds when the first is not in UTF-8 (field 0x7075),
 * and some end a name at a zero byte; every reading must give the same name.
 */
function checkLocalHeader(local: yauzl.LocalFileHeader, entry: yauzl.Entry): void {
  const { fileNameRaw, generalPurposeBitFlag: flags } = entry;
  const nameBy = (fields: yauzl.ExtraField[]) =>
    yauzl.getFileNameLowLevel(flags, fileNameRaw, fields, false);
  const name = nameBy([]);
  const isSame =
    local.fileName.equals(fileNameRaw) &&
    entry.fileName === name &&
    nameBy(yauzl.parseExtraFields(local.extraField)) === name &&
    !/\p{Cc}/u.test(name) &&
    local.compressionMethod === entry.compressionMethod;
  if (!isSame) throw damaged();
}

/** Bit 3 of the flags: the sizes follow the data. */
const SIZES_FOLLOW = 8;

/**
 * Ensures that programs that read from the front find no hidden header within or behind an entry's
 * data. Such programs look for the next header where the entry ends by its own local header, or
 * where its packed stream ends.
 */
async function checkEnd(
  file: Buffer,
  { start, end }: Place,
  local: yauzl.LocalFileHeader,
): Promise<void> {
  const packed = file.subarray(start, end);
  const sizeBytes = localSize(local);
  const sizeFollows = (local.generalPurposeBitFlag & SIZES_FOLLOW) !== 0;
  if (!(sizeFollows && sizeBytes === 0) && sizeBytes !== packed.length) {
    const isHeader = file.toString('latin1', start + sizeBytes, start + sizeBytes + 2) === 'PK';
    if (isHeader) throw damaged();
  }
  if (!sizeFollows || !packed.includes(LOCAL_HEADER)) return;
  const isWhole =
    local.compressionMethod === DEFLATED && (await deflatedBytes(packed)) === packed.length;
  if (!isWhole) throw damaged();
}

/** Returns the packed size by the local header; numbers beyond 32 bits are in an extra field (4.5.3). */
function localSize(local: yauzl.LocalFileHeader): number {
  const { compressedSize, uncompressedSize, extraField } = local;
  if (compressedSize !== 0xffffffff) return compressedSize;
  const long = yauzl.parseExtraFields(extraField).find(({ id }) => id === 1)?.data;
  const at = uncompressedSize === 0xffffffff ? 8 : 0;
  return long === undefined ? compressedSize : Number(long.readBigUInt64LE(at));
}

/** Returns the number of bytes that the deflated stream at the start of some data occupies. */
async function deflatedBytes(packed: Uint8Array): Promise<number> {
  const inflate = createInflateRaw({ chunkSize: PIECE_BYTES });
  inflate.end(packed);
  for await (const piece of inflate) void piece;
  return inflate.bytesWritten;
}

function checkEntry(entry: yauzl.Entry, totalBytes: number): void {
  if (entry.isEncrypted()) throw encrypted();
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) throw damaged();
  if (entry.fileNameLength > archiveLimits.nameBytes) throw damaged();
  const { uncompressedSize, compressedSize } = entry;
  const isBomb =
    uncompressedSize > archiveLimits.ratioFromBytes &&
    uncompressedSize > compressedSize * archiveLimits.ratio;
  if (isBomb) {
    throw new DocumentError(
      'A part of the file holds more data than can be translated: it repeats itself or is nested too' +
        ' deeply. Open it in its program, save it anew and try again.',
    );
  }
  if (uncompressedSize > archiveLimits.entryBytes) throw tooLarge();
  if (totalBytes > archiveLimits.totalBytes) throw tooLarge();
}

function entryOf(entry: yauzl.Entry, packed: Uint8Array): ArchiveEntry {
  return {
    name: entry.fileName,
    sizeBytes: entry.uncompressedSize,
    packed,
    directory: {
      nameRaw: entry.fileNameRaw,
      flags: entry.generalPurposeBitFlag,
      method: entry.compressionMethod,
      time: entry.lastModFileTime,
      date: entry.lastModFileDate,
      crc: entry.crc32,
      versionMadeBy: entry.versionMadeBy,
      internalAttributes: entry.internalFileAttributes,
      externalAttributes: entry.externalFileAttributes,
    },
  };
}

/**
 * Size of inflated pieces, in bytes; large enough to keep the number of event-loop turns low for
 * parts of hundreds of megabytes.
 */
const PIECE_BYTES = 256 * 1024;

async function* inflated(entry: ArchiveEntry): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  let crc = 0;
  for await (const piece of unpacked(entry)) {
    sizeBytes += piece.length;
    // Inflating stops as soon as an entry exceeds the size that the directory declares.
    if (sizeBytes > entry.sizeBytes) throw damaged();
    crc = crc32(piece, crc);
    yield piece;
  }
  if (sizeBytes !== entry.sizeBytes || crc !== entry.directory.crc) throw damaged();
}

async function* unpacked({ packed, directory }: ArchiveEntry): AsyncGenerator<Uint8Array> {
  if (directory.method === STORED) {
    for (let at = 0; at < packed.length; at += PIECE_BYTES) {
      yield packed.subarray(at, at + PIECE_BYTES);
    }
    return;
  }
  const inflate = createInflateRaw({ chunkSize: PIECE_BYTES });
  inflate.end(packed);
  try {
    for await (const piece of inflate) yield piece as Uint8Array;
  } catch (error) {
    throw damaged(error);
  } finally {
    inflate.destroy();
  }
}

async function readWhole(
  entry: ArchiveEntry,
  maxBytes: number = archiveLimits.entryBytes,
): Promise<Uint8Array> {
  if (entry.sizeBytes > maxBytes) throw tooLarge();
  const pieces: Uint8Array[] = [];
  for await (const piece of inflated(entry)) pieces.push(piece);
  return Buffer.concat(pieces);
}

function damaged(cause?: unknown): DocumentError {
  return new DocumentError(
    'The file is damaged. Open it in its program, save it anew and send it again.',
    { cause },
  );
}

function encrypted(): DocumentError {
  return new DocumentError(
    'The file is protected by a password. Remove the protection and send it again.',
  );
}

function tooLarge(): DocumentError {
  return new DocumentError(
    'The file holds more data than can be translated. Split it and try again.',
  );
}
