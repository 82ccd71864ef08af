/**
 * Reads what surrounds the pixels of a JPEG or PNG file, before anything is decoded: its size, and the few
 * metadata that the translated picture keeps. Also writes grey pictures as TIFF for text recognition.
 */
import { crc32 } from 'node:zlib';
import { DocumentError } from '../format.ts';

/** A JPEG or PNG file, not decoded. */
export interface PictureFile {
  format: 'jpeg' | 'png';
  /** As stored, before the orientation is applied. */
  width: number;
  height: number;
  /** EXIF orientation, 1 to 8: how the stored pixels are rotated for display; 1 is unchanged. */
  orientation: number;
  /**
   * Segments (JPEG) or chunks (PNG) to keep whole: colour profile and resolution. Everything else is dropped:
   * previews and descriptions would still contain the untranslated text, and often the location.
   */
  kept: readonly Uint8Array[];
  /** Encoder settings of a JPEG, as far as they can be inferred. */
  jpeg: { quality: number; isSubsampled: boolean; components: number } | undefined;
}

/** Maximum number of pixels of a picture: 36 million take 144 MB of memory, and a good camera has fewer. */
export const MOST_PIXELS = 36_000_000;

/**
 * Reads the header of a picture.
 * @throws DocumentError for another kind of file, a damaged one, and one of more than {@link MOST_PIXELS}
 */
export function readPictureFile(format: 'jpeg' | 'png', bytes: Uint8Array): PictureFile {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let picture: PictureFile;
  try {
    picture = format === 'jpeg' ? readJpeg(file) : readPng(file);
  } catch (error) {
    if (error instanceof DocumentError) throw error;
    throw damaged(error);
  }
  const { width, height } = picture;
  if (width < 1 || height < 1) throw damaged();
  if (width * height > MOST_PIXELS) {
    throw new DocumentError(
      `The picture has ${Math.round((width * height) / 1e6)} megapixels; at most ${MOST_PIXELS / 1e6} are translated. Please send a smaller one.`,
    );
  }
  return picture;
}

function damaged(cause?: unknown): DocumentError {
  return new DocumentError('The picture is damaged. Please save it anew and send it again.', {
    cause,
  });
}

const JPEG_START = 0xffd8;
const START_OF_SCAN = 0xda;
const QUANTISATION = 0xdb;
const APP0_JFIF = 0xe0;
const APP1_EXIF = 0xe1;
const APP2_PROFILE = 0xe2;

function readJpeg(file: Buffer): PictureFile {
  if (file.readUInt16BE(0) !== JPEG_START) throw otherKind('JPEG');
  const kept: Buffer[] = [];
  let orientation = 1;
  let quality = 90;
  for (let at = 2; ;) {
    if (file[at] !== 0xff) throw damaged();
    const marker = file.readUInt8(at + 1);
    // Fill bytes before a marker.
    if (marker === 0xff) {
      at++;
      continue;
    }
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (marker === START_OF_SCAN || end > file.length) throw damaged();
    const body = file.subarray(at + 4, end);
    if (isFrameHeader(marker)) {
      return { format: 'jpeg', orientation, kept, ...frame(body, quality) };
    }
    if (marker === APP0_JFIF || (marker === APP2_PROFILE && starts(body, 'ICC_PROFILE\0'))) {
      kept.push(file.subarray(at, end));
    } else if (marker === APP1_EXIF && starts(body, 'Exif\0\0')) {
      orientation = exifOrientation(body.subarray(6));
    } else if (marker === QUANTISATION) quality = qualityOf(body) ?? quality;
    at = end;
  }
}

/** SOF0 to SOF15 without DHT, JPG and DAC, which lie between them. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function frame(
  body: Buffer,
  quality: number,
): Pick<PictureFile, 'width' | 'height'> & { jpeg: NonNullable<PictureFile['jpeg']> } {
  const components = body.readUInt8(5);
  return {
    height: body.readUInt16BE(1),
    width: body.readUInt16BE(3),
    // Sampling factors of the first component: 1×1 when colour has the resolution of brightness.
    jpeg: { quality, isSubsampled: components > 1 && body.readUInt8(7) !== 0x11, components },
  };
}

/** First 8 entries of the standard luminance table (ITU-T T.81, table K.1), in zigzag order. */
const STANDARD_TABLE = [16, 11, 12, 14, 12, 10, 16, 14];

/**
 * Estimates libjpeg's quality of a table from its first entries; undefined for tables other than the first.
 */
function qualityOf(body: Buffer): number | undefined {
  if (body[0] !== 0) return undefined;
  const scales = STANDARD_TABLE.map(
    (standard, index) => (100 * body.readUInt8(1 + index)) / standard,
  );
  const scale = scales.reduce((sum, one) => sum + one) / scales.length;
  const quality = scale <= 100 ? (200 - scale) / 2 : 5000 / scale;
  return Math.min(98, Math.max(50, Math.round(quality)));
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const KEPT_CHUNKS = new Set(['iCCP', 'sRGB', 'gAMA', 'cHRM', 'pHYs']);

function readPng(file: Buffer): PictureFile {
  if (!file.subarray(0, 8).equals(PNG_SIGNATURE)) throw otherKind('PNG');
  if (chunkType(file, 8) !== 'IHDR') throw damaged();
  const kept: Buffer[] = [];
  let orientation = 1;
  for (let at = 8; at + 12 <= file.length;) {
    const type = chunkType(file, at);
    const end = at + 12 + file.readUInt32BE(at);
    if (type === 'IEND') break;
    if (end > file.length) break;
    if (KEPT_CHUNKS.has(type)) kept.push(file.subarray(at, end));
    else if (type === 'eXIf') orientation = exifOrientation(file.subarray(at + 8, end - 4));
    at = end;
  }
  return {
    format: 'png',
    width: file.readUInt32BE(16),
    height: file.readUInt32BE(20),
    orientation,
    kept,
    jpeg: undefined,
  };
}

function chunkType(file: Buffer, at: number): string {
  return file.toString('latin1', at + 4, at + 8);
}

function otherKind(wanted: string): DocumentError {
  return new DocumentError(`The file is not a ${wanted} picture, whatever its name says.`);
}

function starts(body: Buffer, text: string): boolean {
  return body.subarray(0, text.length).equals(Buffer.from(text, 'latin1'));
}

const ORIENTATION_TAG = 0x0112;

/** Returns the orientation in a TIFF block (EXIF 2.3, 4.6.4); 1 if it is missing or invalid. */
function exifOrientation(tiff: Buffer): number {
  if (tiff.length < 14) return 1;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return 1;
  const entries = short(directory);
  for (let entry = 0; entry < entries; entry++) {
    const at = directory + 2 + 12 * entry;
    if (at + 12 > tiff.length) break;
    if (short(at) !== ORIENTATION_TAG) continue;
    const value = short(at + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** Inserts the kept metadata of a file into its newly encoded picture. */
export function withKeptMetadata(
  encoded: Buffer,
  { format, kept, orientation }: PictureFile,
): Buffer {
  return format === 'jpeg'
    ? jpegWith(encoded, kept, orientation)
    : pngWith(encoded, kept, orientation);
}

function jpegWith(encoded: Buffer, kept: readonly Uint8Array[], orientation: number): Buffer {
  const ownHeader = encoded[3] === APP0_JFIF ? 4 + encoded.readUInt16BE(4) : 2;
  const hasHeader = kept.some((segment) => segment[1] === APP0_JFIF);
  const start = encoded.subarray(0, hasHeader ? 2 : ownHeader);
  return Buffer.concat([
    start,
    ...kept,
    ...(orientation === 1 ? [] : [exifSegment(orientation)]),
    encoded.subarray(ownHeader),
  ]);
}

function exifSegment(orientation: number): Buffer {
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exifBlock(orientation)]);
  const head = Buffer.from([0xff, APP1_EXIF, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

/** Builds a TIFF block with one directory of one entry, the orientation. */
function exifBlock(orientation: number): Buffer {
  const block = Buffer.alloc(26);
  block.write('MM\0*', 0, 'latin1');
  block.writeUInt32BE(8, 4);
  block.writeUInt16BE(1, 8);
  block.writeUInt16BE(ORIENTATION_TAG, 10);
  // One value of type SHORT.
  block.writeUInt16BE(3, 12);
  block.writeUInt32BE(1, 14);
  block.writeUInt16BE(orientation, 18);
  return block;
}

/** IHDR comes first, after the signature; its chunk has 25 bytes. */
const AFTER_HEADER = 8 + 25;

function pngWith(encoded: Buffer, kept: readonly Uint8Array[], orientation: number): Buffer {
  const own: Buffer[] = [];
  for (let at = AFTER_HEADER; at < encoded.length;) {
    const end = at + 12 + encoded.readUInt32BE(at);
    if (!KEPT_CHUNKS.has(chunkType(encoded, at))) own.push(encoded.subarray(at, end));
    at = end;
  }
  return Buffer.concat([
    encoded.subarray(0, AFTER_HEADER),
    ...kept,
    ...(orientation === 1 ? [] : [pngChunk('eXIf', exifBlock(orientation))]),
    ...own,
  ]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.concat([
    Buffer.alloc(4),
    Buffer.from(type, 'latin1'),
    data,
    Buffer.alloc(4),
  ]);
  chunk.writeUInt32BE(data.length, 0);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}

// Several grey pictures in one file.

const TIFF_HEADER_BYTES = 8;
const TIFF_ENTRIES = 9;
const TIFF_DIRECTORY_BYTES = 2 + 12 * TIFF_ENTRIES + 4;
/** All values are written as 32-bit integers. */
const TIFF_LONG = 4;

type TiffEntry = readonly [tag: number, value: number];

interface GrayPicture {
  /** One byte per pixel. */
  data: Uint8Array;
  width: number;
  height: number;
}

/** Builds an uncompressed TIFF file with a page for each picture. */
export function tiffOf(pictures: readonly GrayPicture[]): Uint8Array {
  const header = Buffer.alloc(TIFF_HEADER_BYTES);
  header.write('II*\0', 'latin1');
  header.writeUInt32LE(TIFF_HEADER_BYTES, 4);
  const parts: Uint8Array[] = [header];
  let at = TIFF_HEADER_BYTES;
  for (const [index, { data, width, height }] of pictures.entries()) {
    const pixels = at + TIFF_DIRECTORY_BYTES;
    // Everything in a TIFF file starts at an even offset.
    const end = pixels + data.length + (data.length % 2);
    const entries: TiffEntry[] = [
      [256, width],
      [257, height],
      // 8 bits, no compression, black is 0.
      [258, 8],
      [259, 1],
      [262, 1],
      [273, pixels],
      // One sample per pixel, all of them in one strip.
      [277, 1],
      [278, height],
      [279, data.length],
    ];
    const next = index + 1 < pictures.length ? end : 0;
    parts.push(tiffDirectory(entries, next), data, new Uint8Array(data.length % 2));
    at = end;
  }
  return Buffer.concat(parts);
}

function tiffDirectory(entries: readonly TiffEntry[], next: number): Buffer {
  const bytes = Buffer.alloc(TIFF_DIRECTORY_BYTES);
  bytes.writeUInt16LE(TIFF_ENTRIES);
  for (const [index, [tag, value]] of entries.entries()) {
    const at = 2 + 12 * index;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(TIFF_LONG, at + 2);
    bytes.writeUInt32LE(1, at + 4);
    bytes.writeUInt32LE(value, at + 8);
  }
  bytes.writeUInt32LE(next, TIFF_DIRECTORY_BYTES - 4);
  return bytes;
}
