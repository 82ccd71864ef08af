/** The header of the FLAC streams we make (RFC 9639, 8.2). */

/** Samples in a block: enough to compress well, and little to wait for. */
export const FLAC_BLOCK_SAMPLES = 4096;
/** No block may be shorter (RFC 9639, 8.2), except for the last. */
export const FLAC_MIN_BLOCK_SAMPLES = 16;

const STREAM_INFO_BYTES = 34;
const BITS_PER_SAMPLE = 16;

/** The metadata block STREAMINFO: one channel, 16 bits, length and checksum unknown as in any live stream. */
export function streamInfo({
  sampleRateHz,
  isLast,
}: {
  sampleRateHz: number;
  /** Whether no other metadata block follows. */
  isLast: boolean;
}): Uint8Array {
  const block = Buffer.alloc(4 + STREAM_INFO_BYTES);
  block.writeUInt8(isLast ? 0x80 : 0, 0);
  block.writeUInt8(STREAM_INFO_BYTES, 3);
  block.writeUInt16BE(FLAC_MIN_BLOCK_SAMPLES, 4);
  block.writeUInt16BE(FLAC_BLOCK_SAMPLES, 6);
  // 20 bits of rate, 3 of channels less one, 5 of bits less one; 36 bits of length stay zero.
  block.writeUInt32BE(((sampleRateHz << 12) | ((BITS_PER_SAMPLE - 1) << 4)) >>> 0, 14);
  return block;
}

/** What a FLAC stream of its own, or one in Matroska, begins with. */
export function flacHeader(sampleRateHz: number): Uint8Array {
  return Buffer.concat([Buffer.from('fLaC'), streamInfo({ sampleRateHz, isLast: true })]);
}
