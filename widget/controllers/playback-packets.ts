/** Opus packets out of Ogg pages (RFC 3533, RFC 7845). */

const PAGE_HEADER_BYTES = 27;
/** "OggS". */
const CAPTURE_PATTERN = 0x4f676753;
/** "Opus", as in OpusHead and OpusTags. */
const OPUS_HEADER = 0x4f707573;

/**
 * The packets of one page. The gateway never spreads a packet over two pages.
 *
 * @throws RangeError when it is no Ogg page, or a part of one
 */
export function pagePackets(page: Uint8Array): Uint8Array[] {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  if (view.getUint32(0) !== CAPTURE_PATTERN) throw new RangeError('This is not an Ogg page.');
  const lacingCount = view.getUint8(26);
  const packets: Uint8Array[] = [];
  let start = PAGE_HEADER_BYTES + lacingCount;
  let end = start;
  for (let index = 0; index < lacingCount; index++) {
    const length = view.getUint8(PAGE_HEADER_BYTES + index);
    end += length;
    // A packet goes on while its parts are full.
    if (length === 255) continue;
    if (end > page.length) throw new RangeError('The Ogg page is cut off.');
    packets.push(page.subarray(start, end));
    start = end;
  }
  return packets;
}

/** Whether a packet is OpusHead or OpusTags; sound never begins like this. */
export function isOpusHeader(packet: Uint8Array): boolean {
  if (packet.length < 8) return false;
  return new DataView(packet.buffer, packet.byteOffset).getUint32(0) === OPUS_HEADER;
}
