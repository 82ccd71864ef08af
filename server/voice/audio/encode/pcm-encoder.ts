/** PCM in packets: samples as they are, or as A-law and µ-law (ITU-T G.711), by table. */
import type { Packet, PacketEncoder } from './packet.ts';

const PACKET_MS = 100;

export type PcmCodec = 's16le' | 'alaw' | 'ulaw';

/** @param sampleRateHz of the samples, which stays as it is */
export function createPcmEncoder(codec: PcmCodec, sampleRateHz: number): PacketEncoder {
  const packetSamples = (PACKET_MS * sampleRateHz) / 1000;
  let waiting = new Int16Array(0);

  function packet(samples: Int16Array): Packet {
    return { data: bytesOf(samples, codec), samples: samples.length };
  }

  return {
    sampleRateHz,
    encode(samples) {
      const all = joined(waiting, samples);
      const packets: Packet[] = [];
      let offset = 0;
      for (; offset + packetSamples <= all.length; offset += packetSamples) {
        packets.push(packet(all.subarray(offset, offset + packetSamples)));
      }
      waiting = all.slice(offset);
      return packets;
    },
    flush() {
      const rest = waiting;
      waiting = new Int16Array(0);
      return rest.length === 0 ? [] : [packet(rest)];
    },
    free: () => undefined,
  };
}

function joined(first: Int16Array, second: Int16Array): Int16Array {
  if (first.length === 0) return second;
  const all = new Int16Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function bytesOf(samples: Int16Array, codec: PcmCodec): Uint8Array {
  if (codec !== 's16le') {
    const codes = codec === 'alaw' ? alawCodes : ulawCodes;
    return Uint8Array.from(samples, (sample) => codes[sample & 0xffff] ?? 0);
  }
  // Of all machines that Node runs on only s390x keeps samples the other way round.
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength).slice();
}

/** Codes of all samples, by their lower 16 bits. */
const alawCodes = Uint8Array.from({ length: 65_536 }, (_, bits) => alawCode((bits << 16) >> 16));
const ulawCodes = Uint8Array.from({ length: 65_536 }, (_, bits) => ulawCode((bits << 16) >> 16));

/** 13 bits as sign, exponent and four bits of mantissa, every second bit inverted. */
function alawCode(sample: number): number {
  const sign = sample < 0 ? 0 : 0x80;
  const magnitude = (sample < 0 ? ~sample : sample) >> 4;
  const exponent = magnitude < 16 ? 0 : 28 - Math.clz32(magnitude);
  const mantissa = (magnitude >> Math.max(0, exponent - 1)) & 15;
  return (sign | (exponent << 4) | mantissa) ^ 0x55;
}

/** 14 bits with a bias of 33 (here at the scale of 16 bits), all of them inverted. */
function ulawCode(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), 32_635) + 132;
  const exponent = 24 - Math.clz32(magnitude);
  const mantissa = (magnitude >> (exponent + 3)) & 15;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}
