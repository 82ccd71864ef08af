import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFlacEncoder, flacHeader } from '../../../server/voice/audio/codecs/flac-encoder.ts';
import { createMpegtsContainer } from '../../../server/voice/audio/codecs/mpegts-container.ts';
import { OpusEncoder } from '../../../server/voice/audio/codecs/opus.ts';
import type { Packet, PacketEncoder } from '../../../server/voice/audio/codecs/media-pieces.ts';
import {
  alawSamples,
  createPcmEncoder,
  ulawSamples,
} from '../../../server/voice/audio/codecs/pcm.ts';
import { createStreamEncoder } from '../../../server/voice/audio/stream-encoder.ts';
import { decode, probe } from '../../support/machine/media-probe.ts';
import { temporaryFolder } from '../../support/machine/temporary-folder.ts';
import { formatOf, hum } from '../path/synthesise-support.ts';

function save(...pieces: readonly Uint8Array[]): string {
  const file = path.join(temporaryFolder(), 'media');
  writeFileSync(file, Buffer.concat(pieces));
  return file;
}

/** Reproducible noise: the same samples on each call. */
function noise(length: number, peak: number): Int16Array {
  let state = 1;
  return Int16Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.round((state / 2 ** 30 - 1) * peak);
  });
}

function encodeAll(encoder: PacketEncoder, segments: readonly Int16Array[]): Packet[] {
  return segments.flatMap((samples) => {
    const packets: Packet[] = [];
    // Pushes pieces of unequal size: 1, 1000, 1999 … samples.
    for (let start = 0, size = 1; start < samples.length; start += size, size += 999) {
      packets.push(...encoder.encode(samples.subarray(start, start + size)));
    }
    return [...packets, ...encoder.flush()];
  });
}

const total = (packets: readonly Packet[]) =>
  packets.reduce((sum, { samples }) => sum + samples, 0);

describe('FLAC', () => {
  it('encodes every sample without loss, for any sound and length', async () => {
    const loudest = Int16Array.from({ length: 9_600 }, (_, n) => (n % 2 === 0 ? 32_767 : -32_768));
    const rare = new Int16Array(4_800);
    rare[2_345] = -32_768;
    const segments = [
      noise(24_000, 30_000),
      new Int16Array(4_800),
      new Int16Array(4_800).fill(-77),
      ...[loudest, rare, noise(24, 5), noise(48, 32_767), noise(4_112, 300)],
      Int16Array.from({ length: 14_400 }, (_, n) => 20_000 * Math.sin(n / 40)),
    ];
    const packets = encodeAll(createFlacEncoder(), segments);
    const file = save(flacHeader(24_000), ...packets.map(({ data }) => data));
    const { samples } = await decode(file, formatOf('audio/flac'));
    expect(samples).toEqual(Int16Array.from(segments.flatMap((segment) => [...segment])));
    expect(total(packets)).toBe(samples.length);
  });

  it('pads a segment to the shortest block that FLAC allows', () => {
    expect(total(encodeAll(createFlacEncoder(), [noise(1, 100)]))).toBe(16);
    expect(total(encodeAll(createFlacEncoder(), [noise(4_097, 100)]))).toBe(4_112);
    expect(total(encodeAll(createFlacEncoder(), [noise(4_095, 100)]))).toBe(4_095);
    expect(createFlacEncoder().flush()).toEqual([]);
  });

  it('counts samples beyond 2 ** 21, which speech of minutes reaches', async () => {
    const minute = new Int16Array(24_000 * 60);
    const encoder = createFlacEncoder();
    const packets = Array.from({ length: 3 }, () => encoder.encode(minute)).flat();
    const last = encodeAll(encoder, [noise(24_000, 1_000)]);
    const file = save(flacHeader(24_000), ...[...packets, ...last].map(({ data }) => data));
    const media = await probe(file, formatOf('audio/flac'));
    expect(Math.abs(media.packetsMs - 181_000)).toBeLessThan(1);
  });

  it('needs less space than the samples', () => {
    const speech = Int16Array.from({ length: 24_000 }, (_, n) => 9_000 * Math.sin(n / 20));
    const packets = encodeAll(createFlacEncoder(), [speech]);
    expect(packets.reduce((sum, { data }) => sum + data.length, 0)).toBeLessThan(24_000);
  });
});

describe('G.711', () => {
  it.each([
    ['alaw' as const, alawSamples],
    ['ulaw' as const, ulawSamples],
  ])(
    '%s encodes every exact level as its code, and all other samples as a neighbouring level',
    (codec, table) => {
      const packets = encodeAll(createPcmEncoder(codec, 8_000), [Int16Array.from(table)]);
      const codes = Buffer.concat(packets.map(({ data }) => data));
      codes.forEach((code, index) => expect(table[code]).toBe(table[index]));

      const levels = [...table].sort((a, b) => a - b);
      const every = Int16Array.from({ length: 65_536 }, (_, index) => index - 32_768);
      const all = encodeAll(createPcmEncoder(codec, 8_000), [every]);
      const heard = [...Buffer.concat(all.map(({ data }) => data))].map((code) => table[code]!);
      let at = 0;
      const wrong = heard.filter((sample, index) => {
        const meant = every[index]!;
        while (at + 1 < levels.length && levels[at + 1]! <= meant) at += 1;
        const [below, above] = [levels[at]!, levels[at + 1] ?? levels[at]!];
        // No other level lies between the encoded level and the sample.
        return sample !== below && sample !== above;
      });
      expect(wrong).toEqual([]);
    },
  );
});

describe('Opus', () => {
  it('flushes everything in whole packets at the end of a segment', () => {
    for (const length of [1, 323, 324, 325, 479, 480, 481, 12_345]) {
      const packets = encodeAll(new OpusEncoder(), [noise(length, 10_000)]);
      expect(total(packets) % 480).toBe(0);
      // The encoder delays the sound by 156 samples.
      expect(total(packets)).toBeGreaterThanOrEqual(length + 156);
      expect(total(packets)).toBeLessThan(length + 156 + 480);
    }
    expect(new OpusEncoder().flush()).toEqual([]);
  });

  it('stays within 32 kbit/s', () => {
    const speech = Int16Array.from(
      { length: 240_000 },
      (_, n) => 6_000 * Math.sin(n / 20) * Math.sin(n / 3_000) + (n % 97) * 20,
    );
    const sizeBytes = encodeAll(new OpusEncoder(), [speech]).reduce(
      (sum, { data }) => sum + data.length,
      0,
    );
    expect((sizeBytes * 8) / 10).toBeGreaterThan(16_000);
    expect((sizeBytes * 8) / 10).toBeLessThan(42_000);
  });

  it('keeps concurrent encoders independent', () => {
    const voices = [noise(9_600, 9_000), Int16Array.from({ length: 9_600 }, (_, n) => n % 3_000)];
    const alone = voices.map((voice) => encodeAll(new OpusEncoder(), [voice]));
    const encoders = voices.map(() => new OpusEncoder());
    const together = voices.map((): Packet[] => []);
    for (let start = 0; start < 9_600; start += 700) {
      voices.forEach((voice, index) => {
        together[index]!.push(...encoders[index]!.encode(voice.subarray(start, start + 700)));
      });
    }
    voices.forEach((_, index) => together[index]!.push(...encoders[index]!.flush()));
    expect(together).toEqual(alone);
    for (const encoder of encoders) encoder.free();
  });

  it('releases the memory of freed encoders', () => {
    for (let round = 0; round < 300; round += 1) {
      const encoder = new OpusEncoder();
      expect(encoder.encode(noise(480, 1_000))).toHaveLength(1);
      encoder.free();
    }
  });
});

describe('MPEG-TS', () => {
  it('continues when its clock wraps around after a day', () => {
    const container = createMpegtsContainer({ codec: 'opus', sampleRateHz: 24_000 });
    const days = 24_000 * 3600 * 27;
    const packet = { data: Uint8Array.of(1, 2, 3), samples: 480 };
    const piece = Buffer.from(container.wrap([packet], days));
    const clock = piece.readUInt32BE(6) * 2 + (piece[10]! >> 7);
    expect(clock).toBe((27 * 3600 * 90_000) % 2 ** 33);
  });
});

describe('a stream of speech', () => {
  it('plays as long as what was said, at any sample rate of the engine', async () => {
    for (const contentType of ['audio/ogg', 'audio/pcm;encoding=s16le;rate=16000']) {
      const format = formatOf(contentType);
      const encoder = createStreamEncoder(format);
      const pieces = [8_000, 16_000, 22_050, 44_100, 48_000].flatMap((sampleRateHz) => {
        const second = noise(sampleRateHz, 5_000);
        return [...encoder.encode(second, sampleRateHz), ...encoder.flush()];
      });
      const durationMs = pieces.reduce((sum, piece) => sum + piece.durationMs, 0);
      const media = await probe(
        save(...encoder.headers, ...pieces.map(({ data }) => data)),
        format,
      );
      expect(Math.abs(media.packetsMs - durationMs)).toBeLessThan(50);
      expect(durationMs).toBeGreaterThanOrEqual(5_000);
      expect(durationMs).toBeLessThan(5_000 + 5 * 30);
    }
  });

  it('keeps its pitch', () => {
    const format = formatOf('audio/pcm;encoding=s16le;rate=24000');
    const encoder = createStreamEncoder(format);
    const { samples, sampleRateHz } = hum(1_000);
    const pieces = [...encoder.encode(samples, sampleRateHz), ...encoder.flush()];
    const bytes = Buffer.concat(pieces.map(({ data }) => data));
    let crossings = 0;
    for (let offset = 2; offset < bytes.length; offset += 2) {
      if (bytes.readInt16LE(offset - 2) < 0 && bytes.readInt16LE(offset) >= 0) crossings += 1;
    }
    expect(crossings).toBeGreaterThanOrEqual(199);
    expect(crossings).toBeLessThanOrEqual(201);
  });
});
