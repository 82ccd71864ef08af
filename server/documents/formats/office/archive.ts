/**
 * The zip container of Office files. The directory is read by yauzl; entries are inflated one by one
 * under hard limits, and only those that are asked for: pictures and fonts are never decoded.
 */
import { crc32, createInflateRaw } from 'node:zlib';
import yauzl from 'yauzl';
import { DocumentError } from '../format.ts';

/** What a container may hold. The largest honest files we know stay at a tenth of it. */
export const archiveLimits = {
  entries: 20_000,
  nameBytes: 1024,
  /** Of one inflated entry. */
  entryBytes: 320_000_000,
  /** Of all inflated entries, by what the directory says. */
  totalBytes: 1_500_000_000,
  /** Inflated to deflated size; XML of empty table cells reaches about 100. */
  ratio: 250,
  /** Entries below this may have any ratio. */
  ratioFromBytes: 8_000_000,
} as const;

export interface ArchiveEntry {
  /** Path without a leading slash, as the directory spells it. */
  readonly name: string;
  /** Inflated, by what the directory says; {@link Archive.stream} holds the entry to it. */
  readonly sizeBytes: number;
  /** The data as it is in the container. */
  readonly packed: Uint8Array;
  /** Fields that a copy keeps. */
  readonly directory: EntryDirectory;
}

/** What the zip directory says of an entry, in its own terms (APPNOTE 4.3.12). */
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
  /** An entry by its path; upper and lower case are the same, a leading slash is ignored. */
  find(name: string): ArchiveEntry | undefined;
  /**
   * An entry's inflated data.
   *
   * @throws DocumentError when it is damaged or is not what the directory says
   */
  stream(entry: ArchiveEntry): AsyncIterable<Uint8Array>;
  /**
   * An entry's inflated data in one piece.
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
 * @throws DocumentError for a file that is no zip, is damaged, encrypted or goes beyond {@link archiveLimits}
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

/** Says what a file is that begins like an old Office file or like no container at all. */
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

/** Offsets in the file. */
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
/** As far before the end as the format lets a record stand. */
const MAX_TAIL_BYTES = 0xffff;

/**
 * Where the directory is, and the file without what stands behind its end record: transfers and
 * programs leave bytes there that nobody reads. The directory must end where the record begins, as
 * some programs go by its beginning and others by its length.
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
  // Of a comment that is cut off nothing is missing that anybody reads; yauzl wants it whole.
  const isCut = end > file.length;
  const container = isCut
    ? Buffer.concat([file, Buffer.alloc(end - file.length)])
    : file.subarray(0, end);
  return { container, directory };
}

/** What the record for containers of any size says, which stands before the other. */
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
 * Programs that read from the front find the same entries: none within another, none beside them, and no
 * other directory.
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
 * And under the same names, packed in the same way. Some programs go by a second name, in UTF-8, that
 * Info-ZIP's writers add where the first is not (field 0x7075), and some end a name at a zero byte.
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

/** Bit 3 of the flags: sizes are written after the data. */
const SIZES_FOLLOW = 8;

/**
 * Programs that read from the front find no other header within the data of an entry, or behind it, by
 * looking where they end by the entry's own header, or where a packed stream ends.
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

/** Packed, by the local header; larger numbers than 32 bits have are in a field of their own (4.5.3). */
function localSize(local: yauzl.LocalFileHeader): number {
  const { compressedSize, uncompressedSize, extraField } = local;
  if (compressedSize !== 0xffffffff) return compressedSize;
  const long = yauzl.parseExtraFields(extraField).find(({ id }) => id === 1)?.data;
  const at = uncompressedSize === 0xffffffff ? 8 : 0;
  return long === undefined ? compressedSize : Number(long.readBigUInt64LE(at));
}

/** How many bytes of some data a packed stream takes. */
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

/** Pieces this large keep the number of turns low for parts of hundreds of megabytes. */
const PIECE_BYTES = 256 * 1024;

async function* inflated(entry: ArchiveEntry): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  let crc = 0;
  for await (const piece of unpacked(entry)) {
    sizeBytes += piece.length;
    // The true size may be more than the directory says; that is the moment to stop.
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
