/** Reads and writes PCM: linear samples, and A-law and µ-law (ITU-T G.711). */
import type { AudioFormat } from '../../../../shared/media-type.ts';
import { createSampleAligner } from '../media.ts';
import type { AudioSink, AudioSource } from './decodable-formats.ts';
import type { Packet, PacketEncoder } from './media-pieces.ts';

const PACKET_MS = 100;

/** Reads audio without a container. */
export function createPcmSource(
  { codec, sampleRateHz = 0 }: AudioFormat,
  sink: AudioSink,
): AudioSource {
  if (codec === 's16le') return createLinearSource(sampleRateHz, sink);
  return createTableSource(codec === 'alaw' ? alawSamples : ulawSamples, sampleRateHz, sink);
}

/** Reads A-law and µ-law. */
function createTableSource(table: Int16Array, sampleRateHz: number, sink: AudioSink): AudioSource {
  return {
    push(chunk) {
      const samples = new Int16Array(chunk.length);
      for (let index = 0; index < samples.length; index += 1) {
        samples[index] = table[chunk[index] as number] as number;
      }
      sink.samples(samples, sampleRateHz);
    },
    gap: () => undefined,
    end: () => undefined,
    free: () => undefined,
  };
}

/** Reads s16le. On little-endian machines, which Node almost always runs on, only alignment needs care. */
function createLinearSource(sampleRateHz: number, sink: AudioSink): AudioSource {
  let align = createSampleAligner();
  return {
    push(chunk) {
      sink.samples(samplesOf(align(chunk)), sampleRateHz);
    },
    // The next byte begins a sample.
    gap: () => (align = createSampleAligner()),
    end: () => undefined,
    free: () => undefined,
  };
}

/** Returns s16le bytes of whole samples as samples: as a view where alignment allows, else as a copy. */
export function samplesOf(bytes: Uint8Array): Int16Array {
  const even = bytes.byteOffset % 2 === 0 ? bytes : Uint8Array.from(bytes);
  return new Int16Array(even.buffer, even.byteOffset, even.length / 2);
}

type PcmCodec = 's16le' | 'alaw' | 'ulaw';

/** @param sampleRateHz rate of the samples; PCM is not resampled here */
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
    const codeOf = codec === 'alaw' ? alawCode : ulawCode;
    return Uint8Array.from(samples, (sample) => codeOf(sample));
  }
  // s390x is the only platform of Node with the opposite byte order.
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength).slice();
}

// G.711: one byte per sample.

/** Samples of the 256 codes, on the scale of 16-bit PCM. */
export const alawSamples = Int16Array.from({ length: 256 }, (_, code) => alawSample(code));
export const ulawSamples = Int16Array.from({ length: 256 }, (_, code) => ulawSample(code));

/** Decodes A-law: every second bit is inverted; 13-bit samples are scaled to 16 bits. */
function alawSample(code: number): number {
  const bits = code ^ 0x55;
  const exponent = (bits >> 4) & 7;
  const mantissa = ((bits & 15) << 4) | 8;
  const magnitude = exponent === 0 ? mantissa : (mantissa | 0x100) << (exponent - 1);
  return (bits & 0x80) === 0 ? -magnitude : magnitude;
}

/** Decodes µ-law: all bits are inverted; 14-bit samples with a bias of 33 are scaled to 16 bits. */
function ulawSample(code: number): number {
  const bits = ~code;
  const exponent = (bits >> 4) & 7;
  const magnitude = ((((bits & 15) << 3) | 0x84) << exponent) - 0x84;
  return (bits & 0x80) === 0 ? magnitude : -magnitude;
}

/** Encodes A-law: sign, exponent, four bits of mantissa of a 13-bit sample; every second bit inverted. */
function alawCode(sample: number): number {
  const sign = sample < 0 ? 0 : 0x80;
  const magnitude = (sample < 0 ? ~sample : sample) >> 4;
  const exponent = magnitude < 16 ? 0 : 28 - Math.clz32(magnitude);
  const mantissa = (magnitude >> Math.max(0, exponent - 1)) & 15;
  return (sign | (exponent << 4) | mantissa) ^ 0x55;
}

/** Encodes µ-law: a 14-bit sample with a bias of 33 (here on the 16-bit scale), with all bits inverted. */
function ulawCode(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), 32_635) + 132;
  const exponent = 24 - Math.clz32(magnitude);
  const mantissa = (magnitude >> (exponent + 3)) & 15;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}
