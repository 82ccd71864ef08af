import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { HeardPiece } from '../../../server/voice/audio/endpointing.ts';
import { UTTERANCE_END } from '../../../server/voice/audio/media.ts';
import { listen } from '../../support/audio/heard.ts';
import { silence } from '../../support/audio/speech.ts';
import { madeOnce } from '../../support/suite/made-once.ts';
import { lengthMs, spoken } from '../../engines/recognition-support.ts';

const HOUSE = 'she bought a new house near the river last summer';
const ENDPOINTING = { silenceMs: 600, longestMs: 15_000 };

/** Yields audio in chunks whose sizes repeat; 100 ms each by default. */
async function* chunks(audio: Uint8Array, sizes = [3200]): AsyncGenerator<Uint8Array> {
  for (let offset = 0, count = 0; offset < audio.length; count += 1) {
    const size = sizes[count % sizes.length] ?? 3200;
    // A copy, overwritten after it was consumed: no later code may still read it.
    const chunk = Uint8Array.from(audio.subarray(offset, offset + size));
    yield chunk;
    chunk.fill(0x55);
    offset += size;
  }
}

async function heardPieces(
  audio: Uint8Array,
  { sizes, ...endpointing }: { sizes?: number[]; silenceMs?: number; longestMs?: number } = {},
): Promise<HeardPiece[]> {
  const pieces: HeardPiece[] = [];
  const options = { ...ENDPOINTING, ...endpointing };
  for await (const piece of listen(chunks(audio, sizes), options)) pieces.push(piece);
  return pieces;
}

interface Utterance {
  startMs: number;
  endMs: number;
  samples: Buffer;
}

/**
 * Compact form for comparison: a digest stands for the samples between two marks, regardless of how many
 * pieces held them.
 */
function digests(pieces: readonly HeardPiece[]): string[] {
  return joined(pieces).map((piece) =>
    piece.kind === 'samples'
      ? `${piece.startMs} ms: ${piece.samples.length} bytes ${createHash('sha1').update(piece.samples).digest('hex')}`
      : `${piece.atMs} ms: ${piece.kind}`,
  );
}

function joined(pieces: readonly HeardPiece[]): HeardPiece[] {
  const all: HeardPiece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (piece.kind === 'samples' && last?.kind === 'samples') {
      const samples = Buffer.concat([last.samples, piece.samples]);
      all[all.length - 1] = { ...last, samples };
    } else all.push(piece);
  }
  return all;
}

/** Extracts the utterances, and checks that each has no gap and equals the audio at its time. */
function utterances(pieces: readonly HeardPiece[], audio: Uint8Array): Utterance[] {
  const all: Utterance[] = [];
  let parts: Uint8Array[] = [];
  let startMs = 0;
  let nextMs = 0;
  for (const piece of pieces) {
    if (piece.kind === 'samples') {
      if (parts.length === 0) startMs = nextMs = piece.startMs;
      expect(piece.startMs).toBe(nextMs);
      nextMs += lengthMs(piece.samples);
      parts.push(piece.samples);
    } else if (piece.kind === 'endpoint') {
      expect(piece.atMs).toBe(nextMs);
      expect(startMs).toBeGreaterThanOrEqual(all.at(-1)?.endMs ?? 0);
      const samples = Buffer.concat(parts);
      expect(samples.equals(audio.subarray(startMs * 32, nextMs * 32))).toBe(true);
      all.push({ startMs, endMs: nextMs, samples });
      parts = [];
    }
  }
  expect(parts).toEqual([]);
  return all;
}

/** Yields audio in chunks of 100 ms, with an utterance end signalled after each given number of bytes. */
async function* toldChunks(audio: Uint8Array, endsBytes: readonly number[]) {
  let offset = 0;
  for (const end of [...endsBytes, audio.length]) {
    yield* chunks(audio.subarray(offset, end));
    if (end < audio.length || endsBytes.includes(end)) yield UTTERANCE_END;
    offset = end;
  }
}

async function toldPieces(audio: Uint8Array, endsBytes: readonly number[]): Promise<HeardPiece[]> {
  const pieces: HeardPiece[] = [];
  for await (const piece of listen(toldChunks(audio, endsBytes), ENDPOINTING)) {
    pieces.push(piece);
  }
  return pieces;
}

describe('a signalled utterance end', () => {
  test('ends the utterance there with or without silence, and marks the silence after it', async () => {
    const audio = await spoken({ text: HOUSE, voice: 'rms' });
    const half = (audio.length >> 2) * 2;
    const pieces = await toldPieces(audio, [half]);
    const [first, second, ...others] = utterances(pieces, audio);
    expect(others).toEqual([]);
    expect(first?.endMs).toBe(Math.floor(lengthMs(audio.subarray(0, half)) / 10) * 10);
    expect(second?.startMs).toBeGreaterThanOrEqual(first?.endMs ?? Infinity);
    const kinds = pieces.map(({ kind }) => kind);
    expect(kinds[kinds.indexOf('endpoint') + 1]).toBe('silence');
    // The end that was not signalled is found as usual.
    const untold = await heardUtterances(audio);
    expect(untold).toHaveLength(1);
    expect(second?.endMs).toBe(untold[0]?.endMs);
  });

  test('creates no utterance from silence, however often it is signalled', async () => {
    const quiet = silence(2_000);
    const pieces = await toldPieces(quiet, [3_200, 6_400, 6_400, 32_000]);
    expect(utterances(pieces, quiet)).toEqual([]);
  });

  test('loses no speech when it is signalled every 100 ms', async () => {
    const everyMs = 100;
    const audio = await spoken({ text: HOUSE, voice: 'kal16' });
    const count = Math.floor(lengthMs(audio) / everyMs) - 1;
    const ends = Array.from({ length: count }, (_, index) => (index + 1) * everyMs * 32);
    const all = utterances(await toldPieces(audio, ends), audio);
    expect(all.length).toBeGreaterThan(3);
    const heardMs = all.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
    const [whole] = await heardUtterances(audio);
    expect(heardMs).toBeGreaterThan(0.75 * ((whole?.endMs ?? Infinity) - (whole?.startMs ?? 0)));
  });
});

async function heardUtterances(
  audio: Uint8Array,
  endpointing: { silenceMs?: number; longestMs?: number } = {},
): Promise<Utterance[]> {
  return utterances(await heardPieces(audio, endpointing), audio);
}

/** Audio generated or filtered by sox; s16le at 16 kHz. */
function sox(effects: string, input?: Uint8Array): Buffer {
  const raw = ['-t', 'raw', '-r', '16000', '-c', '1', '-b', '16', '-e', 'signed'];
  const source = input === undefined ? ['-n'] : [...raw, '-'];
  // `-R` makes the noise reproducible.
  const args = ['-R', ...source, ...raw, '-', ...effects.split(' ')];
  const digest = createHash('sha256')
    .update(input ?? '')
    .digest('hex');
  const file = madeOnce(['sox', ...args, digest], 'raw', (into) =>
    writeFileSync(into, execFileSync('sox', args, { input, maxBuffer: 2 ** 28 })),
  );
  return readFileSync(file);
}

/** Mixes two recordings; the result is as long as the first. */
function mixed(one: Buffer, other: Buffer): Buffer {
  const sum = Buffer.alloc(one.length);
  for (let at = 0; at < one.length; at += 2) {
    const sample = one.readInt16LE(at) + (at < other.length ? other.readInt16LE(at) : 0);
    sum.writeInt16LE(Math.max(-32_768, Math.min(32_767, sample)), at);
  }
  return sum;
}

/** First and last time at which the signal exceeds a hundredth of full scale, in ms. */
function soundOf(audio: Buffer): { fromMs: number; toMs: number } {
  const loud: number[] = [];
  for (let at = 0; at < audio.length; at += 2) {
    if (Math.abs(audio.readInt16LE(at)) > 327) loud.push(at / 32);
  }
  return { fromMs: loud[0] ?? NaN, toMs: loud.at(-1) ?? NaN };
}

const house = () => spoken({ text: HOUSE, voice: 'rms', padStartS: 1, padEndS: 1.5 });

describe('utterances', () => {
  test('contain each sentence whole and leave out the silence in between', async () => {
    const first = await house();
    const audio = Buffer.concat([first, silence(5_000), await spoken({ text: 'yes' })]);
    const found = await heardUtterances(audio);
    expect(found).toHaveLength(2);
    const { fromMs, toMs } = soundOf(first);
    const { startMs, endMs } = found[0]!;
    expect(startMs).toBeLessThanOrEqual(fromMs - 200);
    expect(startMs).toBeGreaterThan(fromMs - 700);
    expect(endMs - toMs).toBeGreaterThanOrEqual(500);
    expect(endMs - toMs).toBeLessThanOrEqual(800);
    const inSilenceMs = found[1]!.startMs - endMs;
    expect(inSilenceMs).toBeGreaterThan(5_000);
  });

  test('do not depend on how the audio is divided into chunks', async () => {
    const audio = Buffer.concat([await house(), silence(4_000), await house()]);
    const expected = await heardPieces(audio, { longestMs: 2_000 });
    expect(expected.filter(({ kind }) => kind === 'endpoint').length).toBeGreaterThan(3);
    expect(expected.some(({ kind }) => kind === 'silence')).toBe(true);
    let seed = 7;
    const random = (): number => (seed = (Math.imul(seed, 48_271) >>> 0) % 2_147_483_647);
    const atRandom = Array.from({ length: 40 }, () => 2 * (1 + (random() % 4_000)));
    const divisions = [[audio.length], [641 * 2, 6], atRandom];
    for (const sizes of divisions) {
      const pieces = await heardPieces(audio, { longestMs: 2_000, sizes });
      expect(digests(pieces)).toEqual(digests(expected));
    }
  });

  test('end after the requested silence', async () => {
    const audio = await spoken({ text: HOUSE, voice: 'rms', padEndS: 4 });
    const { toMs } = soundOf(audio);
    for (const silenceMs of [300, 2_500]) {
      const found = await heardUtterances(audio, { silenceMs });
      expect(Math.abs(found.at(-1)!.endMs - toMs - silenceMs)).toBeLessThanOrEqual(150);
    }
  });

  test('end with the audio', async () => {
    const audio = await spoken({ text: HOUSE, voice: 'rms', padEndS: 0 });
    const cut = audio.subarray(0, audio.length - 9_998);
    const found = await heardUtterances(cut);
    expect(found.at(-1)!.endMs).toBe(lengthMs(cut));
  });

  test.each([
    ['at -30 dB', 'gain -30'],
    ['with a constant offset', 'gain -6 dcshift 0.2'],
    ['on the telephone', 'sinc 300-3400 rate 8000 rate 16000'],
  ])('are found %s', async (_name, effects) => {
    const clean = await house();
    const { fromMs, toMs } = soundOf(clean);
    const found = await heardUtterances(sox(effects, clean));
    expect(found).toHaveLength(1);
    expect(found[0]!.startMs).toBeLessThanOrEqual(fromMs);
    expect(found[0]!.endMs).toBeGreaterThan(toMs);
    expect(found[0]!.endMs).toBeLessThan(toMs + 900);
  });

  test('are found in noise, and the noise does not keep them open', async () => {
    const clean = await spoken({ text: HOUSE, voice: 'rms', padStartS: 2, padEndS: 4 });
    const noise = sox(`synth ${lengthMs(clean) / 1_000} pinknoise gain -40`);
    const found = await heardUtterances(mixed(clean, noise));
    const { fromMs, toMs } = soundOf(clean);
    const all = found.filter(({ startMs, endMs }) => startMs <= fromMs && endMs >= toMs);
    expect(all).toHaveLength(1);
    expect(all[0]!.endMs).toBeLessThan(toMs + 1_000);
  });

  const humans = [
    { file: 'jfk.wav', least: 1 },
    { file: 'digits.wav', least: 3 },
  ].map((each) => ({
    ...each,
    url: new URL(`../../../../shared/speech/${each.file}`, import.meta.url),
  }));
  for (const { file, url, least } of humans) {
    test.skipIf(!existsSync(url))(`are found in what people said: ${file}`, async () => {
      const audio = readFileSync(url).subarray(44);
      const found = await heardUtterances(audio);
      expect(found.length).toBeGreaterThanOrEqual(least);
      const heardMs = found.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
      expect(heardMs).toBeGreaterThan(lengthMs(audio) / 2);
    });
  }
});

describe('sound that is not speech', () => {
  test.each([
    ['a constant offset', 'trim 0 12 dcshift 0.3'],
    ['a click', 'synth 0.005 whitenoise gain -6 pad 1 1'],
    ['a knock of 90 ms', 'synth 0.09 whitenoise gain -6 pad 1 1'],
    ['steady noise', 'synth 12 whitenoise gain -30'],
  ])('opens no utterance: %s', async (_name, effects) => {
    expect(await heardPieces(sox(effects))).toEqual([]);
  });

  test('does not keep an utterance open when it clicks now and then', async () => {
    const speech = await spoken({ text: HOUSE, voice: 'rms', padEndS: 3 });
    const clicks = sox('synth 0.005 whitenoise gain -6 pad 0.3 repeat 30');
    const { toMs } = soundOf(speech);
    const found = await heardUtterances(mixed(speech, clicks));
    expect(found.at(-1)!.endMs).toBeLessThan(toMs + 1_100);
  });

  test('is cut when it never ends', async () => {
    const audio = sox('synth 20 brownnoise gain -15');
    const found = await heardUtterances(audio, { longestMs: 5_000 });
    expect(found.length).toBeGreaterThan(2);
    for (const { startMs, endMs } of found) expect(endMs - startMs).toBeLessThanOrEqual(8_000);
  });
});

describe('an utterance without a pause', () => {
  test('is cut at a quiet place, and no audio is lost or repeated', async () => {
    // Syllables of 300 ms, separated by 90 ms that are 14 dB quieter.
    const loud = sox('synth 0.3 sawtooth 140 gain -6');
    const soft = sox('synth 0.09 sawtooth 140 gain -20');
    const audio = Buffer.concat(Array.from({ length: 40 }, () => [loud, soft]).flat());
    const found = await heardUtterances(audio, { longestMs: 4_000 });
    expect(found.length).toBeGreaterThanOrEqual(2);
    found.slice(0, -1).forEach(({ endMs }, index) => {
      const inSyllableMs = endMs % 390;
      expect(inSyllableMs, `cut at ${endMs}`).toBeGreaterThanOrEqual(290);
      expect(found[index + 1]!.startMs).toBe(endMs);
    });
    for (const { startMs, endMs } of found) expect(endMs - startMs).toBeLessThanOrEqual(7_000);
  });
});

describe('long silence', () => {
  test('is reported by marks after speech, and needs no memory', async () => {
    const speech = await house();
    const { toMs } = soundOf(speech);
    const minute = silence(60_000);
    const audio = async function* (): AsyncGenerator<Uint8Array> {
      yield* chunks(speech);
      for (let count = 0; count < 2; count += 1) yield* chunks(minute, [32_000]);
    };
    const marks: number[] = [];
    let pieceCount = 0;
    for await (const piece of listen(audio(), ENDPOINTING)) {
      if (piece.kind === 'silence') marks.push(piece.atMs);
      else if (marks.length > 0) pieceCount += 1;
    }
    expect(pieceCount).toBe(0);
    expect(Math.abs(marks[0]! - toMs - 1_500)).toBeLessThanOrEqual(150);
    expect(marks.length).toBeGreaterThan((2 * 60_000) / 1_500 - 2);
    marks.forEach((atMs, index) => {
      if (index > 0) expect(atMs - marks[index - 1]!).toBe(1_500);
    });
  });

  test('is not reported before the first utterance', async () => {
    expect(await heardPieces(silence(10_000))).toEqual([]);
  });
});

describe('listening', () => {
  test('keeps concurrent streams independent', async () => {
    const audio = await house();
    const alone = digests(await heardPieces(audio));
    const together = await Promise.all(
      Array.from({ length: 3 }, (_, index) => heardPieces(audio, { sizes: [640 + 2 * index] })),
    );
    for (const pieces of together) expect(digests(pieces)).toEqual(alone);
  });
});
