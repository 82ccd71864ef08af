/** What can be told of an Opus packet undecoded: its table of contents (RFC 6716, 3.1 and 3.2). */

/** Samples at 48 kHz per frame, by configuration: SILK, hybrid, CELT. */
const silk = [480, 960, 1920, 2880];
const hybrid = [480, 960];
const celt = [120, 240, 480, 960];

/** The longest packet: 120 ms. */
export const MAX_PACKET_SAMPLES_48K = 5760;

/** Longer ones should be refused (RFC 7845, 6): 120 ms at any bit rate that makes sense are shorter. */
export const MAX_PACKET_BYTES = 61_440;

/** How long a packet plays, in samples at 48 kHz; 0 when no valid packet begins like this. */
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
