/** Cyclic redundancy checks of Ogg, FLAC and MPEG transport streams; most significant bit first. */

const crc8Table = Uint8Array.from({ length: 256 }, (_, byte) => remainder(byte, 0x07, 8));
const crc16Table = Uint16Array.from({ length: 256 }, (_, byte) => remainder(byte, 0x8005, 16));
const crc32Table = Uint32Array.from({ length: 256 }, (_, byte) => remainder(byte, 0x04c11db7, 32));

/** Returns the remainder of a byte, followed by zeros, after division by a polynomial of this many bits. */
function remainder(byte: number, polynomial: number, bits: number): number {
  const highest = 2 ** (bits - 1);
  let rest = byte * 2 ** (bits - 8);
  for (let count = 0; count < 8; count += 1) {
    const shifted = (rest * 2) % 2 ** bits;
    rest = rest < highest ? shifted : (shifted ^ polynomial) >>> 0;
  }
  return rest;
}

/** Returns the CRC-8 of a FLAC frame header: the bytes from `start` to before `end`. */
export function crc8(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let crc = 0;
  for (let index = start; index < end; index += 1) {
    crc = crc8Table[crc ^ (bytes[index] as number)] as number;
  }
  return crc;
}

/**
 * Advances the CRC-16 of a FLAC frame by one byte. It is 0 after the last byte of a frame, which ends in
 * its checksum, and by coincidence after one byte in 65,536 before.
 */
export function crc16Step(crc: number, byte: number): number {
  return ((crc << 8) & 0xffff) ^ (crc16Table[(crc >> 8) ^ byte] as number);
}

/** Returns the CRC-16 of a FLAC frame; 0 for a complete, undamaged frame including its checksum. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = crc16Step(crc, byte);
  return crc;
}

/** @param initial 0 for a page of Ogg, all ones for a section of a transport stream */
export function crc32(bytes: Uint8Array, initial: 0 | 0xffffffff): number {
  let crc: number = initial;
  for (const byte of bytes) crc = (crc << 8) ^ (crc32Table[(crc >>> 24) ^ byte] as number);
  return crc >>> 0;
}
