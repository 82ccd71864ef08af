/** Writes pages of Ogg (RFC 3533), and streams of Opus (RFC 7845) and FLAC (RFC 9639, 10.1) in them. */
import { randomBytes } from 'node:crypto';
import { crc32 } from './checksums.ts';
import { streamInfo } from './flac-encoder.ts';
import type { Container, Packet } from './media-pieces.ts';
import { opusHead, OPUS_RATE_HZ } from './opus-format.ts';

const PAGE_HEADER_BYTES = 27;
const MAX_SEGMENTS = 255;
const CONTINUED = 1;
const BEGINS = 2;
/** Granule position of a page that has none. */
const NO_GRANULE = -1;

/** Numbers and writes the pages of one stream. */
export class OggWriter {
  readonly #serial: number;
  #sequence = 0;

  constructor(serial: number) {
    this.#serial = serial;
  }

  /**
   * Returns one page of whole packets; the first page begins the stream.
   *
   * @param granule position at the end of the last packet
   * @throws RangeError when the packets do not fit in a page
   */
  page(packets: readonly Uint8Array[], granule: number): Uint8Array {
    const lacing = packets.flatMap(lacingOf);
    if (lacing.length > MAX_SEGMENTS) {
      throw new RangeError('A page has no room for these packets.');
    }
    return this.#write(lacing, packets, granule);
  }

  /**
   * Returns the pages of one packet of any length. They have no granule positions, as the decoder goes by
   * the packets alone; only the three Vorbis headers have position 0, which FFmpeg expects.
   */
  pages(packet: Uint8Array): Uint8Array {
    const lacing = lacingOf(packet);
    const granule = this.#sequence < 3 ? 0 : NO_GRANULE;
    const pages: Uint8Array[] = [];
    for (let segment = 0; segment < lacing.length; segment += MAX_SEGMENTS) {
      const some = lacing.slice(segment, segment + MAX_SEGMENTS);
      const body = packet.subarray(segment * 255, (segment + some.length) * 255);
      pages.push(this.#write(some, [body], granule, segment > 0));
    }
    return pages.length === 1 ? (pages[0] as Uint8Array) : Buffer.concat(pages);
  }

  #write(
    lacing: readonly number[],
    bodies: readonly Uint8Array[],
    granule: number,
    isContinued = false,
  ): Uint8Array {
    const header = Buffer.alloc(PAGE_HEADER_BYTES);
    header.write('OggS', 0, 'latin1');
    header.writeUInt8(isContinued ? CONTINUED : this.#sequence === 0 ? BEGINS : 0, 5);
    header.writeBigInt64LE(BigInt(granule), 6);
    header.writeUInt32LE(this.#serial, 14);
    header.writeUInt32LE(this.#sequence++, 18);
    header.writeUInt8(lacing.length, 26);
    const page = Buffer.concat([header, Uint8Array.from(lacing), ...bodies]);
    page.writeUInt32LE(crc32(page, 0), 22);
    return page;
  }
}

/** Lacing values of a packet: each 255 is followed by another value, which may be 0. */
function lacingOf({ length }: Uint8Array): number[] {
  return [...new Array<number>(Math.floor(length / 255)).fill(255), length % 255];
}

/** @param sampleRateHz rate of the samples that packets count */
export function createOggContainer(codec: 'opus' | 'flac', sampleRateHz: number): Container {
  // Streams in the same player should have different serial numbers.
  const writer = new OggWriter(randomBytes(4).readUInt32LE());
  // Granules count samples, for Opus always at 48 kHz.
  const granulesPerSample = codec === 'opus' ? OPUS_RATE_HZ / sampleRateHz : 1;
  const [first, second] = codec === 'opus' ? opusHeaders() : flacHeaders(sampleRateHz);
  return {
    headers: [writer.page([first], 0), writer.page([second], 0)],
    pieceMs: 200,
    wrap(packets: readonly Packet[], startSample: number) {
      const end = packets.reduce((sum, { samples }) => sum + samples, startSample);
      const contents = packets.map(({ data }) => data);
      return writer.page(contents, end * granulesPerSample);
    },
  };
}

function opusHeaders(): [Uint8Array, Uint8Array] {
  return [opusHead(), Buffer.concat([Buffer.from('OpusTags'), vorbisComment()])];
}

function flacHeaders(sampleRateHz: number): [Uint8Array, Uint8Array] {
  // Mapping version 1.0; one more header packet follows.
  const mapping = Buffer.concat([Buffer.from('\x7fFLAC', 'latin1'), Uint8Array.of(1, 0, 0, 1)]);
  const comment = vorbisComment();
  // Last metadata block (highest bit), type 4, with 24 bits of length.
  const blockHeader = Uint8Array.of(0x84, 0, 0, comment.length);
  return [
    Buffer.concat([mapping, Buffer.from('fLaC'), streamInfo({ sampleRateHz, isLast: false })]),
    Buffer.concat([blockHeader, comment]),
  ];
}

/** Returns a comment header with the vendor and no comments. */
function vorbisComment(): Buffer {
  const vendor = Buffer.from('Dragoman');
  const comment = Buffer.alloc(4 + vendor.length + 4);
  comment.writeUInt32LE(vendor.length, 0);
  vendor.copy(comment, 4);
  return comment;
}
