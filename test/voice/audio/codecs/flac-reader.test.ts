import { beforeAll, describe, expect, it } from 'vitest';
import { FlacReader } from '../../../../server/voice/audio/codecs/flac-reader.ts';
import {
  cut,
  decodedByFfmpeg,
  encoded,
  encodedFile,
  prepareEncoded,
} from '../../../support/audio/audio-files.ts';
import { readDamaged } from '../../../support/audio/damaged-streams.ts';

const files = [
  { name: '16 bits', args: ['-c:a', 'flac'], rateHz: 48_000 },
  {
    name: '16 kHz and long predictors',
    args: ['-c:a', 'flac', '-ar', '16000', '-compression_level', '12'],
    rateHz: 16_000,
  },
  {
    name: 'small blocks and fixed predictors',
    args: ['-c:a', 'flac', '-ar', '22050', '-frame_size', '500', '-lpc_type', 'fixed'],
    rateHz: 22_050,
  },
  {
    name: 'tiny blocks whose predictors take more room than the samples',
    args: ['-c:a', 'flac', '-ar', '16000', '-frame_size', '16', '-lpc_type', 'cholesky'],
    rateHz: 16_000,
  },
  {
    name: 'no prediction',
    args: ['-c:a', 'flac', '-ar', '16000', '-lpc_type', 'none'],
    rateHz: 16_000,
  },
];
beforeAll(() =>
  prepareEncoded(
    files.map(({ args }) => ({ extension: 'flac', args })),
    { lengthS: 1 },
  ),
);

function read(bytes: Uint8Array, chunkBytes = bytes.length) {
  const samples: number[] = [];
  const rates = new Set<number>();
  /** Number of samples decoded after each chunk. */
  const progress: number[] = [];
  let heldBytes = 0;
  const reader = new FlacReader((frame, sampleRateHz) => {
    for (const sample of frame) samples.push(sample);
    rates.add(sampleRateHz);
  });
  for (const chunk of cut(bytes, chunkBytes)) {
    reader.push(chunk);
    progress.push(samples.length);
    heldBytes = Math.max(heldBytes, reader.heldBytes);
  }
  return { samples: Int16Array.from(samples), rates: [...rates], progress, heldBytes };
}

const whole = (args: string[]) => encoded('flac', args, 1);
/** Compares the bytes in one call, which is much faster than sample by sample. */
const isSame = (one: Int16Array, other: Int16Array) =>
  Buffer.from(one.buffer).equals(Buffer.from(other.buffer, other.byteOffset, other.byteLength));

describe.each(files)('FLAC with $name', ({ args, rateHz }) => {
  it.each([1, 1 << 20])('decodes the same samples as ffmpeg, %d bytes at a time', (chunkBytes) => {
    const { samples, rates } = read(whole(args), chunkBytes);
    expect(rates).toEqual([rateHz]);
    const theirs = decodedByFfmpeg(encodedFile('flac', args, 1), rateHz);
    expect(samples.length).toBe(theirs.length);
    expect(isSame(samples, theirs)).toBe(true);
  });
});

it('emits a frame once its last byte has arrived', () => {
  const bytes = whole(files[0]!.args);
  const { progress, samples } = read(bytes, 1);
  expect(progress.at(-1)).toBe(samples.length);
  expect(progress.at(-2)).toBeLessThan(samples.length);
});

it('decodes 24-bit samples to 16 bits', () => {
  const args = ['-c:a', 'flac', '-sample_fmt', 's32', '-af', 'volume=0.71'];
  const { samples } = read(whole(args), 1000);
  const theirs = decodedByFfmpeg(encodedFile('flac', args, 1), 48_000);
  expect(samples.length).toBe(theirs.length);
  const worst = samples.reduce(
    (most, sample, index) => Math.max(most, Math.abs(sample - theirs[index]!)),
    0,
  );
  expect(worst).toBeLessThanOrEqual(1);
});

it('skips damaged frames and emits all others', () => {
  const bytes = Uint8Array.from(whole(files[2]!.args));
  const undamaged = read(bytes).samples;
  bytes[Math.floor(bytes.length / 3)]! ^= 0x10;
  bytes[Math.floor(bytes.length / 2)]! ^= 0x10;
  const { samples } = read(bytes, 700);
  expect(samples.length).toBe(undamaged.length - 2 * 500);
});

it('decodes a file that begins where another one ends', () => {
  const bytes = whole(files[0]!.args);
  const { samples } = read(Buffer.concat([bytes, bytes]), 777);
  expect(samples.length).toBe(2 * read(bytes).samples.length);
});

const setup = (fields: number[], last = true) => [
  ...Buffer.from('fLaC'),
  ...[last ? 0x80 : 0, 0, 0, 34],
  ...[16, 0, 16, 0, 0, 0, 0, 0, 0, 0],
  ...fields,
  ...new Array<number>(20).fill(0),
];
/** 16 kHz, one channel, 16 bits. */
const usual = [0x03, 0xe8, 0x00, 0xf0];

it.each([
  ['no FLAC', [...Buffer.from('RIFF')], 'does not begin with fLaC'],
  [
    'no STREAMINFO',
    [...Buffer.from('fLaC'), 4, 0, 0, 34, ...new Array<number>(34).fill(0)],
    'STREAMINFO',
  ],
  ['a strange rate', setup([0x03, 0xe8, 0x10, 0xf0]), '16001 Hz'],
  [
    '16 MB of metadata',
    [...setup(usual, false), 6, 0xff, 0xff, 0xff, 6, 0xff, 0xff, 0xff],
    'metadata',
  ],
])('refuses %s', (_, bytes, said) => {
  const padded = Uint8Array.from([...bytes, ...new Array<number>(40).fill(0)]);
  const attempt = () => {
    const reader = new FlacReader(() => undefined);
    reader.push(padded);
    for (let count = 0; count < 300; count += 1) reader.push(new Uint8Array(65_536));
    // The second block's header, after the body of the first.
    reader.push(Uint8Array.of(6, 0xff, 0xff, 0xff));
  };
  expect(attempt).toThrow(
    expect.objectContaining({ message: expect.stringContaining(said) as string }) as Error,
  );
});

it('rejects a stream whose checksums match everywhere but which never holds a frame', () => {
  const frame = whole(files[1]!.args);
  const start = frame.indexOf(Buffer.from([0xff, 0xf8]), 42);
  const header = frame.subarray(start, start + 6);
  const startedAt = performance.now();
  const reader = new FlacReader(() => undefined);
  const attack = () => {
    reader.push(Uint8Array.from(setup(usual)));
    for (let count = 0; count < 2000; count += 1) {
      reader.push(header);
      reader.push(new Uint8Array(6000));
    }
  };
  expect(attack).toThrow(expect.objectContaining({ code: 'audio_format_unsupported' }) as Error);
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  expect(reader.heldBytes).toBeLessThan(1 << 20);
});

it('decodes or rejects each of 200 damaged streams quickly and in little memory', () => {
  const outcome = readDamaged({
    ...{ seed: 6, runs: 200, chunkBytes: [1, 100, 1500, 20_000] },
    sources: files.map(({ args }) => ({ bytes: whole(args).subarray(0, 20_000) })),
    read: (bytes, chunkBytes) => expect(read(bytes, chunkBytes).heldBytes).toBeLessThan(1 << 20),
    refusals: ['audio_format_unsupported', 'audio_not_mono'],
  });
  expect(outcome.read).toBeGreaterThan(15);
  expect(outcome.refused).toBeGreaterThan(15);
  expect(outcome.slowestMs).toBeLessThan(6_000);
});
