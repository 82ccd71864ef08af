/** Audio and ears for the tests of recognisers. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Recognition, RecognitionEngine } from '../../server/engines/engine.ts';
import { speech, type SpeechRequest } from '../support/speech.ts';

export type Final = Extract<Recognition, { kind: 'final' }>;

const WAV_HEADER_BYTES = 44;
const BYTES_PER_MS = 32;

/** Speech as samples, s16le at 16 kHz. */
export async function spoken(request: SpeechRequest): Promise<Buffer> {
  return (await readFile(await speech(request))).subarray(WAV_HEADER_BYTES);
}

/** The same as it sounds through a telephone: 8 kHz on the way, 16 kHz for the recogniser. */
export async function telephoned(request: SpeechRequest): Promise<Buffer> {
  const file = await speech({ ...request, sampleRateHz: 8_000 });
  return execFileSync('sox', [file, '-t', 'raw', '-r', '16000', '-']);
}

/** Silence, s16le at 16 kHz. */
export function silence(lengthMs: number): Buffer {
  return Buffer.alloc(lengthMs * BYTES_PER_MS);
}

export function lengthMs(audio: Uint8Array): number {
  return audio.byteLength / BYTES_PER_MS;
}

/** Cuts audio into pieces whose sizes repeat; 100 ms each if none are given. */
export async function* pieces(audio: Uint8Array, sizes = [3200]): AsyncGenerator<Uint8Array> {
  for (let offset = 0, count = 0; offset < audio.byteLength; count += 1) {
    const size = sizes[count % sizes.length] ?? 3200;
    yield audio.subarray(offset, offset + size);
    offset += size;
  }
}

/** All that an engine reports of some audio. */
export async function heard(
  engine: RecognitionEngine,
  audio: AsyncIterable<Uint8Array>,
  {
    language = 'en',
    signal = new AbortController().signal,
    onRecognition,
  }: {
    language?: string;
    signal?: AbortSignal;
    onRecognition?: (recognition: Recognition) => void;
  } = {},
): Promise<Recognition[]> {
  const recognitions: Recognition[] = [];
  for await (const recognition of engine.recognise(audio, { language, signal })) {
    recognitions.push(recognition);
    onRecognition?.(recognition);
  }
  return recognitions;
}

export function finals(recognitions: readonly Recognition[]): Final[] {
  return recognitions.filter((recognition) => recognition.kind === 'final');
}

export function transcript(recognitions: readonly Recognition[]): string {
  return finals(recognitions)
    .map(({ text }) => text)
    .join(' ');
}

/** Waits until a condition holds; rejects after a deadline. */
export async function until(
  condition: () => boolean,
  { withinMs = 15_000, what = 'the condition' } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A source that gives some audio and then nothing more, until it is let go. */
export class IdleSource implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #pieces: AsyncGenerator<Uint8Array>;
  pulledBytes = 0;
  isReleased = false;

  constructor(audio: Uint8Array, sizes?: number[]) {
    this.#pieces = pieces(audio, sizes);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const piece = await this.#pieces.next();
    if (piece.done === true) return await new Promise<never>(() => {});
    this.pulledBytes += piece.value.byteLength;
    return piece;
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.isReleased = true;
    return { done: true, value: undefined };
  }
}

/** Recogniser processes started by a process, this one unless another is named. */
export function recogniserPids(parentPid = process.pid): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isRecogniserOf(parentPid, name))
    .map(Number);
}

function isRecogniserOf(parentPid: number, pid: string): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return status.includes(`\nPPid:\t${parentPid}\n`) && command.includes('pocketsphinx-child');
  } catch {
    return false; // It has ended while we looked.
  }
}

/** Whether a process is there and not merely waiting to be collected. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
