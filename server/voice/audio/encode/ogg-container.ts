/** Ogg pages (RFC 3533) with Opus (RFC 7845) or FLAC (xiph.org, "Ogg FLAC mapping"). */
import { randomBytes } from 'node:crypto';
import { opusHead, OPUS_RATE_HZ } from './opus-head.ts';
import { streamInfo } from './flac-header.ts';
import type { Container, Packet } from './packet.ts';

const PAGE_HEADER_BYTES = 27;
const BEGINS_STREAM = 2;
/** Of the bytes of Ogg's checksum, most significant bit first. */
const POLYNOMIAL = 0x04c11db7;

/** Of the streams in one player's hands, each should have another number. */
const newSerial = () => randomBytes(4).readUInt32LE();

/** @param sampleRateHz of the samples that packets count */
export function createOggContainer(codec: 'opus' | 'flac', sampleRateHz: number): Container {
  const serial = newSerial();
  // Granules of Opus count samples at 48 kHz, those of FLAC its own.
  const granulesPerSample = codec === 'opus' ? OPUS_RATE_HZ / sampleRateHz : 1;
  let sequence = 0;

  function page(packets: readonly Uint8Array[], granule: number, flags = 0): Uint8Array {
    const place = { serial, sequence: sequence++, granule, flags };
    return writePage(packets, place);
  }

  const [first, second] = codec === 'opus' ? opusHeaders() : flacHeaders(sampleRateHz);
  return {
    headers: [page([first], 0, BEGINS_STREAM), page([second], 0)],
    pieceMs: 200,
    wrap(packets: readonly Packet[], startSample: number) {
      const end = packets.reduce((sum, { samples }) => sum + samples, startSample);
      const contents = packets.map(({ data }) => data);
      return page(contents, end * granulesPerSample);
    },
  };
}

function writePage(
  packets: readonly Uint8Array[],
  place: { serial: number; sequence: number; granule: number; flags: number },
): Uint8Array {
  const lacing = packets.flatMap(({ length }) => [
    ...new Array<number>(Math.floor(length / 255)).fill(255),
    length % 255,
  ]);
  if (lacing.length > 255) throw new RangeError('A page has no room for these packets.');
  const header = Buffer.alloc(PAGE_HEADER_BYTES);
  header.write('OggS', 0, 'latin1');
  header.writeUInt8(place.flags, 5);
  header.writeBigUInt64LE(BigInt(place.granule), 6);
  header.writeUInt32LE(place.serial, 14);
  header.writeUInt32LE(place.sequence, 18);
  header.writeUInt8(lacing.length, 26);
  const whole = Buffer.concat([header, Uint8Array.from(lacing), ...packets]);
  whole.writeUInt32LE(checksum(whole), 22);
  return whole;
}

function opusHeaders(): [Uint8Array, Uint8Array] {
  return [opusHead(), Buffer.concat([Buffer.from('OpusTags'), vorbisComment()])];
}

function flacHeaders(sampleRateHz: number): [Uint8Array, Uint8Array] {
  // Mapping version 1.0; one header packet follows this one.
  const mapping = Buffer.concat([Buffer.from('\x7fFLAC', 'latin1'), Uint8Array.of(1, 0, 0, 1)]);
  const comment = vorbisComment();
  // The last metadata block (highest bit), of type 4, with 24 bits of length.
  const blockHeader = Uint8Array.of(0x84, 0, 0, comment.length);
  return [
    Buffer.concat([mapping, Buffer.from('fLaC'), streamInfo({ sampleRateHz, isLast: false })]),
    Buffer.concat([blockHeader, comment]),
  ];
}

/** Who has made the stream, and no comments. */
function vorbisComment(): Buffer {
  const vendor = Buffer.from('Dragoman');
  const comment = Buffer.alloc(4 + vendor.length + 4);
  comment.writeUInt32LE(vendor.length, 0);
  vendor.copy(comment, 4);
  return comment;
}

const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let remainder = index << 24;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = (remainder << 1) ^ (remainder < 0 ? POLYNOMIAL : 0);
  }
  return remainder;
});

function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = (sum << 8) ^ (table[(sum >>> 24) ^ byte] ?? 0);
  return sum >>> 0;
}
