/** Audio files for tests, made once with flite, sox and ffmpeg, and ways to compare audio. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../machine/temporary-folder.ts';
import { isMadeOnce, madeOnce, madeTogether } from '../suite/made-once.ts';

const text =
  'The quick brown fox jumps over the lazy dog while she sells sea shells by the sea shore.';

/** Returns the file a program makes from its arguments, in which `FILE` stands for the file's path. */
function make(extension: string, program: string, args: readonly string[]): string {
  return madeOnce([program, ...args], extension, (file) => {
    const given = args.map((each) => (each === 'FILE' ? file : each));
    execFileSync(program, given, { stdio: ['ignore', 'ignore', 'inherit'] });
  });
}

/** Returns a WAV file: a spoken sentence of about six seconds at 48 kHz, or its loudest part. */
export function spokenWav({ lengthS }: { lengthS?: number } = {}): string {
  const raw = make('wav', 'flite', ['-voice', 'kal16', '-t', text, '-o', 'FILE']);
  const format = ['-r', '48000', '-c', '1', '-b', '16'];
  const whole = make('wav', 'sox', [raw, ...format, 'FILE', 'gain', '-3', 'pad', '0.3', '0.4']);
  return lengthS === undefined
    ? whole
    : make('wav', 'sox', [whole, 'FILE', 'trim', '1', `${lengthS}`]);
}

/** Returns the bytes of the speech as encoded by ffmpeg. */
export function encoded(extension: string, args: string[], lengthS?: number): Buffer {
  return readFileSync(encodedFile(extension, args, lengthS));
}

/** Like {@link encoded}, but returns the path. */
export function encodedFile(extension: string, args: string[], lengthS?: number): string {
  const source = spokenWav(lengthS === undefined ? {} : { lengthS });
  return make(extension, 'ffmpeg', [...fromSpeech(source), ...args, 'FILE']);
}

const quiet = ['-v', 'error'];
const fromSpeech = (source: string) => [...quiet, '-y', '-i', source];
/** Options for samples of one channel at a rate. */
const toSamples = (rateHz: number) => ['-ac', '1', '-ar', `${rateHz}`, '-f', 's16le'];

/**
 * Makes what {@link encodedFile} returns, and {@link decodedByFfmpeg} at a rate, of many kinds of files: in one
 * run of ffmpeg each, whose start takes longer than a second of speech.
 */
export function prepareEncoded(
  kinds: readonly { extension: string; args: readonly string[]; input?: string[] }[],
  { decodedHz, ...length }: { lengthS?: number; decodedHz?: number } = {},
): void {
  const start = fromSpeech(spokenWav(length));
  const run = (args: string[]) =>
    execFileSync('ffmpeg', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const files = madeTogether(
    kinds.map(({ extension, args }) => ({
      extension,
      from: ['ffmpeg', ...start, ...args, 'FILE'],
    })),
    (missing) => run([...start, ...missing.flatMap(({ at, own }) => [...kinds[at]!.args, own])]),
  );
  if (decodedHz === undefined) return;
  const input = (at: number) => [...(kinds[at]!.input ?? []), '-i', files[at]!];
  const output = toSamples(decodedHz);
  madeTogether(
    files.map((_, at) => ({
      extension: 'raw',
      from: ['ffmpeg', ...quiet, ...input(at), ...output, 'FILE'],
    })),
    (missing) =>
      run([
        ...quiet,
        ...missing.flatMap(({ at }) => input(at)),
        ...missing.flatMap(({ own }, index) => ['-map', `${index}:a`, ...output, own]),
      ]),
  );
}

/** Writes bytes to a file, for tools that need one. */
export function fileOf(bytes: Uint8Array, extension: string): string {
  const file = path.join(temporaryFolder(), `bytes.${extension}`);
  writeFileSync(file, bytes);
  return file;
}

/** Decodes a file with ffmpeg to one channel at a rate. */
export function decodedByFfmpeg(file: string, rateHz: number, input: string[] = []): Int16Array {
  const args = [...quiet, ...input, '-i', file, ...toSamples(rateHz)];
  return samplesOf(
    isMadeOnce(file)
      ? readFileSync(make('raw', 'ffmpeg', [...args, 'FILE']))
      : execFileSync('ffmpeg', [...args, 'pipe:1'], { maxBuffer: 1 << 28 }),
  );
}

/** Returns the SHA-256 of each packet of a file's first stream, by ffprobe. */
export function packetHashes(file: string): string[] {
  const args = ['-v', 'error', '-show_packets', '-show_data_hash', 'sha256', '-of', 'json', file];
  const probed = madeOnce(['ffprobe', ...args], 'json', (into) =>
    writeFileSync(into, execFileSync('ffprobe', args)),
  );
  const { packets } = JSON.parse(readFileSync(probed, 'utf8')) as {
    packets: { data_hash: string }[];
  };
  return packets.map(({ data_hash }) => data_hash.replace('SHA256:', ''));
}

/** Converts s16le bytes to samples. */
export function samplesOf(bytes: Uint8Array): Int16Array {
  const copy = Uint8Array.from(bytes);
  return new Int16Array(copy.buffer, 0, copy.length >> 1);
}

/** Yields a file in chunks of one size. */
export function* cut(bytes: Uint8Array, chunkBytes: number): Generator<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += chunkBytes) {
    yield bytes.subarray(offset, offset + chunkBytes);
  }
}

/** Yields a file in chunks of random length, from 1 to `maxBytes`. */
export function* cutAnywhere(
  bytes: Uint8Array,
  maxBytes: number,
  random: () => number,
): Generator<Uint8Array> {
  for (let offset = 0; offset < bytes.length;) {
    const length = 1 + Math.floor(random() * maxBytes);
    yield bytes.subarray(offset, (offset += length));
  }
}

/** Samples compared at every shift: half a second at 16 kHz, enough to find where two recordings match. */
const TRIED_SAMPLES = 8_000;

/** Returns the highest correlation of two recordings over all shifts, and its shift in samples. */
export function correlate(
  ours: Int16Array,
  theirs: Int16Array,
  maxShift = 40,
): { correlation: number; shift: number } {
  const middle = Math.max(0, (Math.min(ours.length, theirs.length) - TRIED_SAMPLES) >> 1);
  let best = { correlation: -1, shift: 0 };
  for (let shift = -maxShift; shift <= maxShift; shift += 1) {
    const correlation = correlationAt(shift, ours, theirs, middle, middle + TRIED_SAMPLES);
    if (correlation > best.correlation) best = { correlation, shift };
  }
  const { shift } = best;
  return { correlation: correlationAt(shift, ours, theirs, 0, ours.length), shift };
}

/** Returns the correlation of a stretch of one recording with another, shifted recording. */
function correlationAt(
  shift: number,
  ours: Int16Array,
  theirs: Int16Array,
  start: number,
  end: number,
): number {
  const from = Math.max(start, -shift);
  const to = Math.min(end, ours.length, theirs.length - shift);
  let product = 0;
  let power = 0;
  let theirPower = 0;
  for (let index = from; index < to; index += 1) {
    const a = ours[index]!;
    const b = theirs[index + shift]!;
    product += a * b;
    power += a * a;
    theirPower += b * b;
  }
  return product / Math.sqrt(power * theirPower);
}

/** Returns a generator of numbers from 0 to 1, the same in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a damaged copy: bytes changed, pieces removed, doubled or overwritten, mostly in the headers. */
export function mutated(bytes: Uint8Array, random: () => number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const span = random() < 0.6 ? Math.min(400, copy.length) : copy.length;
  const at = () => Math.floor(random() * span);
  for (let left = 1 + Math.floor(random() * 12); left > 0; left -= 1) {
    copy[at()] = random() < 0.3 ? 255 : Math.floor(random() * 256);
  }
  const kind = random();
  const from = at();
  const length = Math.floor(random() * 64);
  if (kind < 0.15) return copy.subarray(0, from + length);
  if (kind < 0.3) return Buffer.concat([copy.subarray(0, from), copy.subarray(from + length)]);
  if (kind < 0.4) return Buffer.concat([copy.subarray(0, from + length), copy.subarray(from)]);
  if (kind < 0.5) copy.fill(255, from, from + length);
  return copy;
}
