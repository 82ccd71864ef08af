/** The identification header of the Opus streams we make (RFC 7845, 5.1). */

/** The rate that Opus counts in, whatever its encoder was given. */
export const OPUS_RATE_HZ = 48_000;

/** libopus looks this far ahead (2.5 ms for the window, 4 ms to match SILK), in samples at 48 kHz. */
export const OPUS_PRE_SKIP = 312;

/** One channel; players drop the samples by which the encoder is late. */
export function opusHead(): Uint8Array {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 0, 'latin1');
  head.writeUInt8(1, 8);
  head.writeUInt8(1, 9);
  head.writeUInt16LE(OPUS_PRE_SKIP, 10);
  head.writeUInt32LE(OPUS_RATE_HZ, 12);
  return head;
}
