import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { OggReader, readAudioFromOgg } from '../../../../server/voice/audio/codecs/ogg-reader.ts';
import {
  OpusDecoder,
  opusMemory,
  opusRatesHz,
} from '../../../../server/voice/audio/codecs/opus.ts';
import { packetSamples48k } from '../../../../server/voice/audio/codecs/opus-format.ts';
import { correlate, encoded, samplesOf, seededRandom } from '../../../support/audio/audio-files.ts';

function packetsOf(frameMs: string): Uint8Array[] {
  const packets: Uint8Array[] = [];
  const packet = (bytes: Uint8Array) => packets.push(Uint8Array.from(bytes));
  const reader = new OggReader(readAudioFromOgg({ start: () => undefined, packet }));
  const args = ['-c:a', 'libopus', '-b:a', '32k', '-frame_duration', frameMs];
  reader.push(encoded('ogg', args, 1.6));
  return packets;
}

const hash = (samples: Int16Array | undefined) =>
  createHash('sha256')
    .update(new Uint8Array(samples?.slice().buffer ?? []))
    .digest('hex');

const joined = (pieces: readonly Int16Array[]) =>
  samplesOf(Buffer.concat(pieces.map(({ buffer }) => new Uint8Array(buffer))));

const decoderAt = (sampleRateHz: number) => new OpusDecoder({ sampleRateHz, outputGain: 0 });

function reference(packets: Uint8Array[], sampleRateHz: number): string[] {
  const decoder = decoderAt(sampleRateHz);
  const hashes = packets.map((packet) => hash(decoder.decode(packet)));
  decoder.free();
  return hashes;
}

const lengths = ['2.5', '10', '20', '60', '120'];

it.each(opusRatesHz)('decodes packets of every length to %d Hz in full', (sampleRateHz) => {
  for (const frameMs of lengths) {
    const decoder = decoderAt(sampleRateHz);
    const packets = packetsOf(frameMs);
    const decoded = new Set(packets.map((packet) => decoder.decode(packet)?.length));
    expect([...decoded]).toEqual([(Number(frameMs) * sampleRateHz) / 1000]);
    expect([...new Set(packets.map(packetSamples48k))]).toEqual([Number(frameMs) * 48]);
    decoder.free();
  }
});

it('keeps decoders independent while others are opened and freed', () => {
  const streams = lengths.flatMap((frameMs) =>
    [8000, 16_000, 48_000].map((sampleRateHz) => {
      const packets = packetsOf(frameMs).slice(0, 40);
      return { sampleRateHz, packets, hashes: reference(packets, sampleRateHz) };
    }),
  );
  const random = seededRandom(3);
  const live: { decoder: OpusDecoder; stream: (typeof streams)[number]; position: number }[] = [];
  let decoded = 0;
  for (let step = 0; step < 2_000; step += 1) {
    const choice = random();
    if (choice < 0.02 && live.length < 48) {
      const stream = streams[Math.floor(random() * streams.length)]!;
      live.push({ decoder: decoderAt(stream.sampleRateHz), stream, position: 0 });
    } else if (choice < 0.035 && live.length > 0) {
      live.splice(Math.floor(random() * live.length), 1)[0]!.decoder.free();
    } else if (live.length > 0) {
      const one = live[Math.floor(random() * live.length)]!;
      const packet = one.stream.packets[one.position];
      if (packet === undefined) continue;
      if (hash(one.decoder.decode(packet)) !== one.stream.hashes[one.position]) {
        expect.fail(`wrong samples after ${decoded} packets, ${live.length} decoders`);
      }
      one.position += 1;
      decoded += 1;
    }
  }
  for (const { decoder } of live) decoder.free();
  expect(decoded).toBeGreaterThan(500);
});

it('serves 200 decoders at once and needs no more memory for 300 in succession', () => {
  const packets = packetsOf('20').slice(20, 24);
  const hashes = reference(packets, 16_000);
  const decoders = Array.from({ length: 200 }, () => decoderAt(16_000));
  packets.forEach((packet, index) => {
    const heard = new Set(decoders.map((decoder) => hash(decoder.decode(packet))));
    expect([...heard]).toEqual([hashes[index]]);
  });
  for (const decoder of decoders) decoder.free();
  const before = opusMemory().length;
  for (let count = 0; count < 300; count += 1) reference(packets.slice(0, 1), 16_000);
  expect(opusMemory().length).toBe(before);
});

it('rejects garbage without affecting other decoders', () => {
  const packets = packetsOf('20');
  const hashes = reference(packets, 16_000);
  const random = seededRandom(4);
  const neighbour = decoderAt(16_000);
  const victim = decoderAt(16_000);
  const noise = Uint8Array.from({ length: 2 * 61_440 }, () => random() * 256);
  let refused = 0;
  packets.forEach((packet, index) => {
    for (let count = 0; count < 5; count += 1) {
      const size = count === 0 ? 61_440 : Math.floor(random() * 1300);
      const from = Math.floor(random() * 61_440);
      const bytes = noise.slice(from, from + size);
      if (random() < 0.5) bytes.set(packet.subarray(0, Math.min(size, 30)));
      if (victim.decode(bytes) === undefined) refused += 1;
    }
    expect(hash(neighbour.decode(packet))).toBe(hashes[index]);
  });
  expect(refused).toBeGreaterThan(100);
  expect(victim.decode(new Uint8Array(0))).toBeUndefined();
  expect(victim.decode(new Uint8Array(61_441))).toBeUndefined();
  neighbour.free();
  victim.free();
});

it('applies the output gain of the header', () => {
  const packets = packetsOf('20');
  const power = (outputGain: number) => {
    const decoder = new OpusDecoder({ sampleRateHz: 16_000, outputGain });
    const samples = packets.flatMap((packet) => [...(decoder.decode(packet) ?? [])]);
    decoder.free();
    return samples.reduce((sum, sample) => sum + sample * sample, 0);
  };
  expect(10 * Math.log10(power(-6 * 256) / power(0))).toBeCloseTo(-6, 1);
});

it('continues in a new instance when the memory of the old one is corrupted', () => {
  const packets = packetsOf('20');
  const expected = decoderAt(16_000);
  const survivor = decoderAt(16_000);
  const hit = decoderAt(16_000);
  const [ours, theirs]: [Int16Array[], Int16Array[]] = [[], []];
  const heardBy = (decoder: OpusDecoder, packet: Uint8Array) =>
    Int16Array.from(decoder.decode(packet) ?? []);
  packets.forEach((packet, index) => {
    if (index === 50) {
      hit.decode(packet);
      opusMemory().fill(0xff);
      expect(() => hit.decode(packet)).toThrow(
        expect.objectContaining({ name: 'RuntimeError' }) as Error,
      );
    }
    theirs.push(heardBy(expected, packet));
  });
  expected.free();
  for (const packet of packets) ours.push(heardBy(survivor, packet));
  const whole = decoderAt(16_000);
  const undisturbed = joined(packets.map((packet) => heardBy(whole, packet)));
  expect(hash(joined(ours))).toBe(hash(undisturbed));
  expect(joined(theirs).length).toBe(undisturbed.length);
  // A decoder that was moved to a new instance converges to its stream again.
  const after = (samples: Int16Array) => samples.slice(60 * 320);
  expect(correlate(after(joined(theirs)), after(undisturbed), 0).correlation).toBeGreaterThan(0.99);
  for (const decoder of [survivor, hit, whole]) decoder.free();
});
