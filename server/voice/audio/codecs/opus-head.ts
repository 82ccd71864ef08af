/** The identification header of Opus (RFC 7845, 5.1): in Ogg the first packet, in Matroska CodecPrivate. */
import { ServiceError } from '../../../../shared/errors.ts';
import { notMono } from './decodable-formats.ts';

const HEAD_BYTES = 19;
const magic = Buffer.from('OpusHead');

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

/** Whether a packet begins with these bytes. */
export function startsWith(packet: Uint8Array, prefix: Uint8Array): boolean {
  return prefix.every((byte, index) => packet[index] === byte);
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

function unsupported(problem: string): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    `The Opus audio cannot be decoded: ${problem}.`,
  );
}
