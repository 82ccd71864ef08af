/**
 * Names and first bytes of the streams in a compound file (MS-CFB), the container of Word's .doc: as much
 * as it takes to know what is inside before a large program opens it.
 */
import { DocumentError } from '../format.ts';

/** A stream or storage of a compound file. */
export interface CompoundEntry {
  name: string;
  kind: 'storage' | 'stream' | 'root';
  /** Where it begins: a sector, or a small one within the root's stream. */
  startSector: number;
  sizeBytes: number;
}

/** A compound file whose directory was read. */
export interface CompoundFile {
  entries: readonly CompoundEntry[];
  /** The first bytes of a stream, 64 at least if it is as long. */
  head: (entry: CompoundEntry) => Buffer;
}

const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
/**
 * The header holds the numbers of this many sectors of the sector table (FAT); those of larger files, some
 * 7 MB, are in further sectors (DIFAT), each of which ends with the number of the next.
 */
const TABLE_SECTORS = { count: 109, offset: 76, furtherOffset: 68 };
/** Streams that are shorter are kept together in one, the root's, in sectors of 64 bytes. */
const SMALL_STREAM_BYTES = 4096;
const SMALL_SECTOR_BYTES = 64;
/** Numbers from here on are no sectors. */
const LAST_SECTOR = 0xfffffffa;

/** Whether a file begins like a compound file. */
export function isCompoundFile(file: Uint8Array): boolean {
  return Buffer.from(file.subarray(0, SIGNATURE.length)).equals(SIGNATURE);
}

/**
 * Reads the directory.
 *
 * @throws DocumentError for a damaged file
 */
export function readCompoundFile(bytes: Uint8Array): CompoundFile {
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

/** Where the sector table is, as far as the file is long enough to need one. */
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

/** By the number that stands for it in the file. */
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
