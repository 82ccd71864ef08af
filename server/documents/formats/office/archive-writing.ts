/** Writes a zip container anew. Unchanged entries are copied in their packed form, without inflating them. */
import { crc32, createDeflateRaw } from 'node:zlib';
import type { Archive, ArchiveEntry, EntryDirectory } from './archive.ts';

/** New content of an entry: as a whole, or in pieces that are produced while they are packed. */
export type EntryContent = Uint8Array | (() => AsyncIterable<Uint8Array>);

interface PackedEntry {
  directory: EntryDirectory;
  packed: readonly Uint8Array[];
  packedBytes: number;
  sizeBytes: number;
}

const CONTENT_TYPES = '[content_types].xml';
/** Flag of entries whose sizes follow the data (APPNOTE 4.4.4, bit 3); cleared, as sizes precede it here. */
const DATA_DESCRIPTOR = 0b1000;
const DEFLATED = 8;
const VERSION_NEEDED = 20;

/**
 * Writes a container with some entries replaced and others left out. Order, dates and attributes
 * are kept, except that `[Content_Types].xml` comes first, as programs that sniff files expect.
 *
 * @param changes.replace new contents by the name of the entry
 * @param changes.remove names of entries to leave out
 */
export async function writeArchive(
  archive: Pick<Archive, 'entries'>,
  changes: { replace: ReadonlyMap<string, EntryContent>; remove?: ReadonlySet<string> },
): Promise<Uint8Array> {
  const written: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const entry of inWritingOrder(archive.entries)) {
    if (changes.remove?.has(entry.name) === true) continue;
    const content = changes.replace.get(entry.name);
    const packed = content === undefined ? asItIs(entry) : await deflated(entry, content);
    directory.push(directoryRecord(packed, offset));
    const header = localHeader(packed);
    written.push(header, ...packed.packed);
    offset += header.length + packed.packedBytes;
  }
  const directoryBytes = directory.reduce((sum, record) => sum + record.length, 0);
  return Buffer.concat([
    ...written,
    ...directory,
    endRecord({ entries: directory.length, directoryBytes, offset }),
  ]);
}

function inWritingOrder(entries: readonly ArchiveEntry[]): ArchiveEntry[] {
  const isFirst = ({ name }: ArchiveEntry): boolean => name.toLowerCase() === CONTENT_TYPES;
  return [...entries.filter(isFirst), ...entries.filter((entry) => !isFirst(entry))];
}

function asItIs({ directory, packed, sizeBytes }: ArchiveEntry): PackedEntry {
  return { directory, packed: [packed], packedBytes: packed.length, sizeBytes };
}

async function deflated({ directory }: ArchiveEntry, content: EntryContent): Promise<PackedEntry> {
  const deflate = createDeflateRaw();
  const packed: Uint8Array[] = [];
  let packedBytes = 0;
  deflate.on('data', (piece: Buffer) => {
    packed.push(piece);
    packedBytes += piece.length;
  });
  const ended = new Promise<void>((resolve, reject) => {
    deflate.once('end', resolve).once('error', reject);
  });
  let crc = 0;
  let sizeBytes = 0;
  try {
    for await (const piece of typeof content === 'function' ? content() : [content]) {
      crc = crc32(piece, crc);
      sizeBytes += piece.length;
      if (!deflate.write(piece)) {
        await new Promise<void>((resolve) => deflate.once('drain', resolve));
      }
    }
    deflate.end();
    await ended;
  } finally {
    deflate.destroy();
  }
  return { directory: { ...directory, method: DEFLATED, crc }, packed, packedBytes, sizeBytes };
}

function localHeader({ directory, packedBytes, sizeBytes }: PackedEntry): Buffer {
  const header = Buffer.alloc(30 + directory.nameRaw.length);
  header.writeUInt32LE(0x04034b50, 0);
  writeCommon(header, 4, { directory, packedBytes, sizeBytes });
  header.set(directory.nameRaw, 30);
  return header;
}

/** Writes the fields that local header and directory share (APPNOTE 4.3.7 and 4.3.12). */
function writeCommon(
  record: Buffer,
  at: number,
  { directory, packedBytes, sizeBytes }: Omit<PackedEntry, 'packed'>,
): void {
  record.writeUInt16LE(VERSION_NEEDED, at);
  record.writeUInt16LE(directory.flags & ~DATA_DESCRIPTOR, at + 2);
  record.writeUInt16LE(directory.method, at + 4);
  record.writeUInt16LE(directory.time, at + 6);
  record.writeUInt16LE(directory.date, at + 8);
  record.writeUInt32LE(directory.crc, at + 10);
  record.writeUInt32LE(packedBytes, at + 14);
  record.writeUInt32LE(sizeBytes, at + 18);
  record.writeUInt16LE(directory.nameRaw.length, at + 22);
}

function directoryRecord(entry: PackedEntry, offset: number): Buffer {
  const { directory } = entry;
  const record = Buffer.alloc(46 + directory.nameRaw.length);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(directory.versionMadeBy, 4);
  writeCommon(record, 6, entry);
  record.writeUInt16LE(directory.internalAttributes, 36);
  record.writeUInt32LE(directory.externalAttributes, 38);
  record.writeUInt32LE(offset, 42);
  record.set(directory.nameRaw, 46);
  return record;
}

function endRecord(end: { entries: number; directoryBytes: number; offset: number }): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(end.entries, 8);
  record.writeUInt16LE(end.entries, 10);
  record.writeUInt32LE(end.directoryBytes, 12);
  record.writeUInt32LE(end.offset, 16);
  return record;
}
