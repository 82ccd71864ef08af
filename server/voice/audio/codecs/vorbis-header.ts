/** The three headers of Vorbis (Vorbis I specification, 4.2), as Ogg has them and as Matroska packs them. */
import { ServiceError } from '../../../../shared/errors.ts';
import { notMono } from './decodable-formats.ts';
import { startsWith } from './opus-head.ts';

const magic = Buffer.from('\x01vorbis', 'latin1');
const setupMagic = Buffer.from('\x05vorbis', 'latin1');
const IDENTIFICATION_BYTES = 30;
/** No speech is sampled at less, whatever a head says. */
const MIN_RATE_HZ = 8000;
/** Blocks have 8192 samples at most. */
const MAX_BLOCK_EXPONENT = 13;

/** A comment header that says nothing: the sender's own may hold a cover picture. */
export const emptyVorbisComment: Uint8Array = Buffer.from(
  '\x03vorbis\0\0\0\0\0\0\0\0\x01',
  'latin1',
);

export function isVorbisHead(packet: Uint8Array): boolean {
  return startsWith(packet, magic);
}

export function isVorbisSetup(packet: Uint8Array): boolean {
  return startsWith(packet, setupMagic);
}

/** Headers are odd in their first bit, audio is even. */
export function isVorbisAudio(packet: Uint8Array): boolean {
  return packet.length > 0 && ((packet[0] ?? 0) & 1) === 0;
}

/** @throws ServiceError audio_format_unsupported, audio_not_mono */
export function checkVorbisHead(packet: Uint8Array): void {
  if (packet.length < IDENTIFICATION_BYTES || !isVorbisHead(packet)) throw malformedVorbis();
  const channels = packet[11] ?? 0;
  if (channels !== 1) throw notMono('Vorbis', channels);
}

/** How long a packet of audio plays at least, in ms: half of the shorter block. */
export function shortestPacketMs(head: Uint8Array): number {
  const sampleRateHz = Math.max(MIN_RATE_HZ, Buffer.from(head).readUInt32LE(12));
  const blockSamples = 2 ** Math.min(MAX_BLOCK_EXPONENT, (head[28] ?? 0) & 15);
  return (blockSamples / 2 / sampleRateHz) * 1000;
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
export function malformedVorbis(): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    'The Vorbis audio cannot be decoded: its headers are missing or cut off.',
  );
}
