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

/** How long a packet of audio plays at least, in ms: half of the shorter block. */
function shortestPacketMs(head: Uint8Array): number {
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
  const leastMs = shortestPacketMs(setup);
  const writer = new OggWriter(VORBIS_SERIAL);
  let hasSetup = false;
  sink.startCoded('ogg');
  sink.coded(writer.pages(setup), 0);
  return {
    packet(packet) {
      if (!hasSetup && isVorbisSetup(packet)) {
        hasSetup = true;
        sink.coded(writer.pages(emptyVorbisComment), 0);
        sink.coded(writer.pages(packet), 0);
      } else if (isVorbisAudio(packet)) {
        if (!hasSetup) throw malformedVorbis();
        sink.coded(writer.pages(packet), undefined, leastMs);
      }
    },
    free: () => undefined,
  };
}
