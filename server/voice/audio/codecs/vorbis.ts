/**
 * Vorbis (Vorbis I specification, 4.2): reads its three headers, from Ogg or packed by Matroska, and
 * passes its packets to FFmpeg.
 */
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
/** Lowest sample rate to assume, whatever a header says: speech is never sampled at less. */
const MIN_RATE_HZ = 8000;
/** Exponent of the largest block, 8192 samples. */
const MAX_BLOCK_EXPONENT = 13;

/** Empty comment header; it replaces the sender's, which may hold a cover picture. */
const emptyVorbisComment: Uint8Array = Buffer.from('\x03vorbis\0\0\0\0\0\0\0\0\x01', 'latin1');

export function isVorbisHead(packet: Uint8Array): boolean {
  return startsWith(packet, magic);
}

function isVorbisSetup(packet: Uint8Array): boolean {
  return startsWith(packet, setupMagic);
}

/** Whether a packet is audio: the first bit is odd in headers and even in audio. */
function isVorbisAudio(packet: Uint8Array): boolean {
  return packet.length > 0 && ((packet[0] ?? 0) & 1) === 0;
}

/** @throws ServiceError audio_format_unsupported, audio_not_mono */
function checkVorbisHead(packet: Uint8Array): void {
  if (packet.length < IDENTIFICATION_BYTES || !isVorbisHead(packet)) throw malformedVorbis();
  const channels = packet[11] ?? 0;
  if (channels !== 1) throw notMono('Vorbis', channels);
}

/** Returns the lengths of short and long blocks, in ms. */
function blocksMs(head: Uint8Array): [short: number, long: number] {
  const sampleRateHz = Math.max(MIN_RATE_HZ, Buffer.from(head).readUInt32LE(12));
  const exponents = head[28] ?? 0;
  const blockMs = (exponent: number): number =>
    (2 ** Math.min(MAX_BLOCK_EXPONENT, exponent) / sampleRateHz) * 1000;
  return [blockMs(exponents & 15), blockMs(exponents >> 4)];
}

/** Fields of a mode, from its end: mapping, 32 zero bits, and whether its blocks are long. */
const MAPPING_BITS = 8;
const ZERO_BITS = 32;
const MODE_BITS = MAPPING_BITS + ZERO_BITS + 1;
const COUNT_BITS = 6;
const MAX_MODES = 2 ** COUNT_BITS;
const MAX_MAPPINGS = 64;

/**
 * Reads for each mode whether its blocks are long. Modes are the last part of a setup header (4.2.4), and
 * the parts before have no known length, so they are read backwards until their number matches the stored
 * count.
 *
 * @throws ServiceError audio_format_unsupported when no modes are found
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
  // The last bit set is the framing bit.
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
 * Creates a function that returns the playing time of each packet (1.3.2), in ms: the halves of adjacent
 * blocks overlap. Crafted headers can make FFmpeg read other modes; sound that it decodes beyond these
 * times is counted as well.
 */
function createPacketClock(
  [shortMs, longMs]: ReturnType<typeof blocksMs>,
  setup: Uint8Array,
): (packet: Uint8Array) => number {
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

/** Unpacks CodecPrivate of Matroska: number of headers minus 1, sizes of all but the last, headers. */
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

/** Returns an error in words meant for the sender of the headers. */
function malformedVorbis(): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    'The Vorbis audio cannot be decoded: its headers are missing or cut off.',
  );
}

/** Serial number of the only stream that an FFmpeg process gets. */
const VORBIS_SERIAL = 1;

/** Passes Vorbis to FFmpeg in pages of our own, so that nothing but packets comes from the sender. */
export function createVorbisTrack({ setup, sink }: TrackDecoderOptions): TrackDecoder {
  checkVorbisHead(setup);
  // Read now, as the first packet is not valid any longer when the others arrive.
  const blocks = blocksMs(setup);
  const leastMs = blocks[0] / 2;
  const writer = new OggWriter(VORBIS_SERIAL);
  let durationOf: ((packet: Uint8Array) => number) | undefined;
  sink.startCoded('ogg');
  sink.coded(writer.pages(setup), 0);
  return {
    packet(packet) {
      if (durationOf === undefined && isVorbisSetup(packet)) {
        durationOf = createPacketClock(blocks, packet);
        sink.coded(writer.pages(emptyVorbisComment), 0);
        sink.coded(writer.pages(packet), 0);
      } else if (isVorbisAudio(packet)) {
        if (durationOf === undefined) throw malformedVorbis();
        const durationMs = durationOf(packet);
        // The first packet plays nothing; it only provides the overlap for the next.
        sink.coded(writer.pages(packet), durationMs, durationMs > 0 ? 0 : leastMs);
      }
    },
    free: () => undefined,
  };
}
