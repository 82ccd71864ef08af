/**
 * Opus headers: the identification header of a stream (RFC 7845, 5.1), which is the first packet in Ogg
 * and CodecPrivate in Matroska, and the table of contents of a packet (RFC 6716, 3.1 and 3.2).
 */
import { ServiceError } from '../../../../shared/errors.ts';
import { notMono, startsWith } from './decodable-formats.ts';

/** Rate at which Opus counts samples, whatever the rate of the encoder's input. */
export const OPUS_RATE_HZ = 48_000;

/** Look-ahead of libopus (2.5 ms for the window, 4 ms to match SILK), in samples at 48 kHz. */
export const OPUS_PRE_SKIP = 312;

/** Length of the longest packet, 120 ms, in samples at 48 kHz. */
export const MAX_PACKET_SAMPLES_48K = 5760;

/** Size above which packets should be refused (RFC 7845, 6): 120 ms at any sensible bit rate is smaller. */
export const MAX_PACKET_BYTES = 61_440;

const HEAD_BYTES = 19;
const magic = Buffer.from('OpusHead');
/** Samples at 48 kHz per frame, by configuration: SILK, hybrid, CELT. */
const silk = [480, 960, 1920, 2880];
const hybrid = [480, 960];
const celt = [120, 240, 480, 960];

export interface OpusHead {
  /** Samples at 48 kHz to drop from the beginning. */
  preSkip48k: number;
  /** Gain to apply, in 1/256 dB. */
  outputGain: number;
}

/** Whether a packet is an identification header. */
export function isOpusHead(packet: Uint8Array): boolean {
  return startsWith(packet, magic);
}

/** @throws ServiceError audio_format_unsupported when it is no OpusHead, audio_not_mono */
export function parseOpusHead(packet: Uint8Array): OpusHead {
  if (packet.length < HEAD_BYTES || !isOpusHead(packet)) {
    throw unsupported('its OpusHead is missing or cut off');
  }
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  // Versions up to 15 are compatible; the upper half of the byte marks those that are not.
  if (view.getUint8(8) > 15) throw unsupported('its OpusHead has an unknown version');
  const channels = view.getUint8(9);
  const mappingFamily = view.getUint8(18);
  if (channels !== 1) throw notMono('Opus', channels);
  if (mappingFamily !== 0) throw unsupported('its channel mapping is not family 0');
  return { preSkip48k: view.getUint16(10, true), outputGain: view.getInt16(16, true) };
}

/** Header of our streams: one channel; the pre-skip makes players drop the encoder's delay. */
export function opusHead(): Uint8Array {
  const head = Buffer.alloc(HEAD_BYTES);
  magic.copy(head);
  head.writeUInt8(1, 8);
  head.writeUInt8(1, 9);
  head.writeUInt16LE(OPUS_PRE_SKIP, 10);
  head.writeUInt32LE(OPUS_RATE_HZ, 12);
  return head;
}

/** Returns the playing time of a packet in samples at 48 kHz; 0 when the packet is not valid. */
export function packetSamples48k(packet: Uint8Array): number {
  const toc = packet[0];
  if (toc === undefined) return 0;
  const config = toc >> 3;
  const perFrame =
    config < 12 ? silk[config & 3] : config < 16 ? hybrid[config & 1] : celt[config & 3];
  const samples = (perFrame ?? 0) * frameCount(packet, toc & 3);
  return samples <= MAX_PACKET_SAMPLES_48K ? samples : 0;
}

function frameCount(packet: Uint8Array, code: number): number {
  if (code === 0) return 1;
  if (code === 3) return (packet[1] ?? 0) & 0x3f;
  return 2;
}

function unsupported(problem: string): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    `The Opus audio cannot be decoded: ${problem}.`,
  );
}
