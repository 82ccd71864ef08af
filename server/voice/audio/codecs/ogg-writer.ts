/** Packs packets into pages of Ogg (RFC 3533), one page a packet or several for a long one. */

const MAX_SEGMENTS = 255;
const CONTINUED = 1;
const BEGINS = 2;

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte << 24;
  for (let count = 0; count < 8; count += 1) rest = (rest << 1) ^ (rest < 0 ? 0x04c11db7 : 0);
  return rest;
});

/** One stream without positions: for a decoder that goes by the packets alone. */
export class OggWriter {
  #sequence = 0;

  /** The pages of a packet; the first one of all begins the stream. */
  pages(packet: Uint8Array): Uint8Array {
    // Every 255 is followed by another segment: a packet that fills its last one gets an empty one.
    const segments = Math.floor(packet.length / 255) + 1;
    const pageCount = Math.ceil(segments / MAX_SEGMENTS);
    const bytes = new Uint8Array(pageCount * 27 + segments + packet.length);
    let offset = 0;
    let taken = 0;
    for (let page = 0; page < pageCount; page += 1) {
      const count = Math.min(MAX_SEGMENTS, segments - page * MAX_SEGMENTS);
      const isLast = page === pageCount - 1;
      const body = packet.subarray(taken, isLast ? packet.length : taken + count * 255);
      taken += body.length;
      const out = bytes.subarray(offset, (offset += 27 + count + body.length));
      this.#writePage(out, { count, body, isLast, isContinued: page > 0 });
    }
    return bytes;
  }

  #writePage(
    out: Uint8Array,
    page: { count: number; body: Uint8Array; isLast: boolean; isContinued: boolean },
  ): void {
    const { count, body, isLast, isContinued } = page;
    const view = new DataView(out.buffer, out.byteOffset, out.byteLength);
    out.set(Buffer.from('OggS'));
    out[5] = isContinued ? CONTINUED : this.#sequence === 0 ? BEGINS : 0;
    // Headers are at position 0, which ffmpeg wants to see; -1 is none.
    view.setBigInt64(6, this.#sequence < 3 ? 0n : -1n, true);
    view.setUint32(14, 1, true);
    view.setUint32(18, this.#sequence++, true);
    out[26] = count;
    out.fill(255, 27, 27 + count);
    if (isLast) out[26 + count] = body.length % 255;
    out.set(body, 27 + count);
    view.setUint32(22, checksum(out), true);
  }
}

function checksum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = (crc << 8) ^ (crcTable[(crc >>> 24) ^ byte] as number);
  return crc >>> 0;
}
