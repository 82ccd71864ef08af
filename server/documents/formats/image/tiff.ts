/** Gray pictures in one file. */
import type { RawPixels } from './ocr.ts';

const HEADER_BYTES = 8;
const ENTRIES = 9;
const DIRECTORY_BYTES = 2 + 12 * ENTRIES + 4;
/** All values are written as whole numbers of 32 bits. */
const LONG = 4;

type Entry = readonly [tag: number, value: number];

/** A TIFF file with a page for each picture, which has one channel; nothing is compressed. */
export function tiffOf(pictures: readonly RawPixels[]): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('II*\0', 'latin1');
  header.writeUInt32LE(HEADER_BYTES, 4);
  const parts: Uint8Array[] = [header];
  let at = HEADER_BYTES;
  for (const [index, { data, width, height }] of pictures.entries()) {
    const pixels = at + DIRECTORY_BYTES;
    // What begins in a file begins at an even place.
    const end = pixels + data.length + (data.length % 2);
    const entries: Entry[] = [
      [256, width],
      [257, height],
      // Of 8 bits, not compressed, black is 0.
      [258, 8],
      [259, 1],
      [262, 1],
      [273, pixels],
      // One sample a pixel, all of them in one strip.
      [277, 1],
      [278, height],
      [279, data.length],
    ];
    const next = index + 1 < pictures.length ? end : 0;
    parts.push(directory(entries, next), data, new Uint8Array(data.length % 2));
    at = end;
  }
  return Buffer.concat(parts);
}

function directory(entries: readonly Entry[], next: number): Buffer {
  const bytes = Buffer.alloc(DIRECTORY_BYTES);
  bytes.writeUInt16LE(ENTRIES);
  for (const [index, [tag, value]] of entries.entries()) {
    const at = 2 + 12 * index;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(LONG, at + 2);
    bytes.writeUInt32LE(1, at + 4);
    bytes.writeUInt32LE(value, at + 8);
  }
  bytes.writeUInt32LE(next, DIRECTORY_BYTES - 4);
  return bytes;
}
