/** Vorbis (Vorbis I specification, 4.2): its three headers, as Ogg has them and as Matroska packs them, and its packets, for FFmpeg. */
import { ServiceError } from '../../../../shared/errors.ts';
import {
  notMono,
  startsWith,
  type TrackDecoder,
  type TrackDecoderOptions,
} from './decodable-formats.ts';
import { OggWriter } from './ogg-writer.ts';

const magic = Buffer.from('\x01vorbis', 'latin1');
const setupMagic = Buffer.from('\x05vorbis', 'latin1');
const IDENTIFICATION_BYTES = 30;
/** No speech is sampled at less, whatever a head says. */
const MIN_RATE_HZ = 8000;
/** Blocks have 8192 samples at most. */
const MAX_BLOCK_EXPONENT = 13;

/** A comment header that says nothing: the sender's own may hold a cover picture. */
const emptyVorbisComment: Uint8Array = Buffer.from('\x03vorbis\0\0\0\0\0\0\0\0\x01', 'latin1');

export function isVorbisHead(packet: Uint8Array): boolean {
  return startsWith(packet, magic);
}

function isVorbisSetup(packet: Uint8Array): boolean {
  return startsWith(packet, setupMagic);
}

/** Headers are odd in their first bit, audio is even. */
function isVorbisAudio(packet: Uint8Array): boolean {
  return packet.length > 0 && ((packet[0] ?? 0) & 1) === 0;
}

/** @throws ServiceError audio_format_unsupported, audio_not_mono */
function checkVorbisHead(packet: Uint8Array): void {
  if (packet.length < IDENTIFICATION_BYTES || !isVorbisHead(packet)) throw malformedVorbis();
  const channels = packet[11] ?? 0;
  if (channels !== 1) throw notMono('Vorbis', channels);
}

/** How long blocks are, the short and the long ones, in ms. */
function blocksMs(head: Uint8Array): [short: number, long: number] {
  const sampleRateHz = Math.max(MIN_RATE_HZ, Buffer.from(head).readUInt32LE(12));
  const exponents = head[28] ?? 0;
  const blockMs = (exponent: number): number =>
    (2 ** Math.min(MAX_BLOCK_EXPONENT, exponent) / sampleRateHz) * 1000;
  return [blockMs(exponents & 15), blockMs(exponents >> 4)];
}

/** Of a mode, bit by bit from its end: its mapping, 32 bits that are 0, and whether its blocks are long. */
const MAPPING_BITS = 8;
const ZERO_BITS = 32;
const MODE_BITS = MAPPING_BITS + ZERO_BITS + 1;
const COUNT_BITS = 6;
const MAX_MODES = 2 ** COUNT_BITS;
const MAX_MAPPINGS = 64;

/**
 * Of each mode whether its blocks are long. They are the last part of a setup header (4.2.4), and what stands before
 * them has no known length, so they are read from its end: as many as are said to be there.
 *
 * @throws ServiceError audio_format_unsupported where there are none
 */
function readModes(setup: Uint8Array): boolean[] {
  let at = setup.length * 8 - 1;
  const bit = (): number => {
    const value = at < 0 ? 0 : ((setup[at >> 3] ?? 0) >> (at & 7)) & 1;
    at -= 1;
    return value;
  };
  const bits = (count: number): number => {
    let value = 0;
    for (let index = 0; index < count; index += 1) value = value * 2 + bit();
    return value;
  };
  // The framing bit is the last that is set.
  while (at >= 0 && bit() === 0);
  const modes: boolean[] = [];
  let found: boolean[] | undefined;
  while (at >= MODE_BITS + COUNT_BITS && modes.length < MAX_MODES) {
    if (bits(MAPPING_BITS) >= MAX_MAPPINGS || bits(ZERO_BITS) !== 0) break;
    modes.unshift(bit() === 1);
    const modesAt = at;
    if (bits(COUNT_BITS) + 1 === modes.length) found = [...modes];
    at = modesAt;
  }
  if (found === undefined) throw malformedVorbis();
  return found;
}

/**
 * Tells how long each packet plays (1.3.2): half of its block, and of the one before, overlap. Headers can be
 * made of which FFmpeg reads other modes; what it decodes beyond what is said here counts as well.
 */
function createPacketClock(head: Uint8Array, setup: Uint8Array): (packet: Uint8Array) => number {
  const [shortMs, longMs] = blocksMs(head);
  const modes = readModes(setup);
  const modeMask = 2 ** Math.ceil(Math.log2(modes.length)) - 1;
  let beforeMs: number | undefined;
  return (packet) => {
    const isLong = modes[((packet[0] ?? 0) >> 1) & modeMask] === true;
    const blockMs = isLong ? longMs : shortMs;
    const playsMs = beforeMs === undefined ? 0 : (beforeMs + blockMs) / 4;
    beforeMs = blockMs;
    return playsMs;
  };
}

/** The headers in a CodecPrivate of Matroska: their count less 1, the sizes of all but the last, then they. */
export function unpackVorbisHeaders(codecPrivate: Uint8Array): Uint8Array[] {
  if (codecPrivate[0] !== 2) throw malformedVorbis();
  const sizes: number[] = [];
  let offset = 1;
  while (sizes.length < 2) {
    let size = 0;
    let byte: number | undefined;
    do {
      byte = codecPrivate[offset++];
      if (byte === undefined) throw malformedVorbis();
      size += byte;
    } while (byte === 255);
    sizes.push(size);
  }
  const headers = sizes.map((size) => codecPrivate.subarray(offset, (offset += size)));
  return [...headers, codecPrivate.subarray(offset)];
}

/** A failure of the headers, worded for whoever sends them. */
function malformedVorbis(): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    'The Vorbis audio cannot be decoded: its headers are missing or cut off.',
  );
}

/** The number of the only stream that a process of FFmpeg gets. */
const VORBIS_SERIAL = 1;

/** FFmpeg gets Vorbis in pages of our own: of what the sender wrote, nothing but packets reaches it. */
export function createVorbisTrack({ setup, sink }: TrackDecoderOptions): TrackDecoder {
  checkVorbisHead(setup);
  const leastMs = blocksMs(setup)[0] / 2;
  const writer = new OggWriter(VORBIS_SERIAL);
  let durationOf: ((packet: Uint8Array) => number) | undefined;
  sink.startCoded('ogg');
  sink.coded(writer.pages(setup), 0);
  return {
    packet(packet) {
      if (durationOf === undefined && isVorbisSetup(packet)) {
        durationOf = createPacketClock(setup, packet);
        sink.coded(writer.pages(emptyVorbisComment), 0);
        sink.coded(writer.pages(packet), 0);
      } else if (isVorbisAudio(packet)) {
        if (durationOf === undefined) throw malformedVorbis();
        const durationMs = durationOf(packet);
        // The first only begins what the next is laid over.
        sink.coded(writer.pages(packet), durationMs, durationMs > 0 ? 0 : leastMs);
      }
    },
    free: () => undefined,
  };
}
