/** Audio for tests, made once per process with flite, sox and ffmpeg, and ways to compare it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ofProcess } from '../suite/of-process.ts';

const folder = ofProcess('audio folder', () => {
  const created = mkdtempSync(join(tmpdir(), 'audio-files-'));
  process.on('exit', () => rmSync(created, { recursive: true, force: true }));
  return created;
});

const text =
  'The quick brown fox jumps over the lazy dog while she sells sea shells by the sea shore.';
const made = ofProcess('audio', () => new Set<string>());

function make(name: string, command: (file: string) => [string, ...string[]]): string {
  const file = join(folder, name);
  if (!made.has(name)) {
    const [program, ...args] = command(file);
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    made.add(name);
  }
  return file;
}

/** A spoken sentence of about six seconds at 48 kHz, or the part of it where it is loudest. */
export function spokenWav({ lengthS }: { lengthS?: number } = {}): string {
  const raw = make('flite.wav', (file) => ['flite', '-voice', 'kal16', '-t', text, '-o', file]);
  const whole = make('speech.wav', (file) => [
    ...(['sox', raw, '-r', '48000', '-c', '1', '-b', '16', file] as const),
    ...['gain', '-3', 'pad', '0.3', '0.4'],
  ]);
  if (lengthS === undefined) return whole;
  return make(`speech-${lengthS}.wav`, (file) => ['sox', whole, file, 'trim', '1', `${lengthS}`]);
}

/** The bytes of a file that ffmpeg makes of the speech. */
export function encoded(extension: string, args: string[], lengthS?: number): Buffer {
  return readFileSync(encodedFile(extension, args, lengthS));
}

/** Like {@link encoded}; gives the path. */
export function encodedFile(extension: string, args: string[], lengthS?: number): string {
  const source = spokenWav(lengthS === undefined ? {} : { lengthS });
  const name = `${lengthS ?? 'all'}${args.join('').replaceAll(/[^\w-]/g, '')}.${extension}`;
  return make(name, (file) => ['ffmpeg', '-v', 'error', '-y', '-i', source, ...args, file]);
}

/** Writes bytes to a file of their own, for tools that want one. */
export function fileOf(bytes: Uint8Array, extension: string): string {
  return make(`bytes-${made.size}.${extension}`, (file) => {
    execFileSync('dd', [`of=${file}`, 'status=none'], { input: bytes });
    return ['true'];
  });
}

const decoded = ofProcess('decoded audio', () => new Map<string, Int16Array>());

/** What ffmpeg decodes a file to: one channel at a rate. */
export function decodedByFfmpeg(file: string, rateHz: number, input: string[] = []): Int16Array {
  const output = ['-ac', '1', '-ar', `${rateHz}`, '-f', 's16le', 'pipe:1'];
  const args = ['-v', 'error', ...input, '-i', file, ...output];
  const key = args.join(' ');
  const samples =
    decoded.get(key) ?? samplesOf(execFileSync('ffmpeg', args, { maxBuffer: 1 << 28 }));
  decoded.set(key, samples);
  return samples.slice();
}

/** SHA-256 of each packet of a file's first stream, by ffprobe. */
export function packetHashes(file: string): string[] {
  const args = ['-v', 'error', '-show_packets', '-show_data_hash', 'sha256', '-of', 'json', file];
  const { packets } = JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8' })) as {
    packets: { data_hash: string }[];
  };
  return packets.map(({ data_hash }) => data_hash.replace('SHA256:', ''));
}

/** s16le bytes as samples. */
export function samplesOf(bytes: Uint8Array): Int16Array {
  const copy = Uint8Array.from(bytes);
  return new Int16Array(copy.buffer, 0, copy.length >> 1);
}

/** A file cut into chunks. */
export function* cut(bytes: Uint8Array, chunkBytes: number): Generator<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += chunkBytes) {
    yield bytes.subarray(offset, offset + chunkBytes);
  }
}

/** A file cut into chunks of any length from 1 to `maxBytes`. */
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

/** What is tried at every shift: a second at 16 kHz, enough to find where two recordings match. */
const TRIED_SAMPLES = 16_000;

/** The correlation of two recordings at the shift where it is highest, and that shift in samples. */
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

/** The correlation of a stretch of one recording with another that is shifted. */
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

/** Numbers from 0 to 1 that are the same in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A damaged copy: bytes changed, pieces cut out, doubled or filled, mostly where the headers are. */
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
