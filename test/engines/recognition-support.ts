/** Audio and recognition helpers for the tests of recognisers. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type {
  Recognition,
  RecognitionEngine,
  RecognitionOptions,
  SpeechPiece,
} from '../../server/engines/engine.ts';
import { processTree } from '../../server/process/supervision.ts';
import { speech, type SpeechRequest } from '../support/audio/speech.ts';

export type Final = Extract<Recognition, { kind: 'final' }>;

const WAV_HEADER_BYTES = 44;
const BYTES_PER_MS = 32;

/** Returns speech as samples, s16le at 16 kHz. */
export async function spoken(request: SpeechRequest): Promise<Buffer> {
  return (await readFile(await speech(request))).subarray(WAV_HEADER_BYTES);
}

/** Returns the same over the telephone: 8 kHz in transit, 16 kHz for the recogniser. */
export async function telephoned(request: SpeechRequest): Promise<Buffer> {
  const file = await speech({ ...request, sampleRateHz: 8_000 });
  return execFileSync('sox', [file, '-t', 'raw', '-r', '16000', '-']);
}

export function lengthMs(audio: Uint8Array): number {
  return audio.byteLength / BYTES_PER_MS;
}

export interface SpeechLayout {
  /** Sizes of the pieces in bytes, cycled; by default 100 ms each. */
  sizes?: readonly number[];
  /** Ends of the utterances, ascending; the end of the audio may be omitted. */
  endpointsMs?: readonly number[];
  /** Omitted stretches of silence, from and to, ascending; between utterances only. */
  leftOutMs?: readonly (readonly [fromMs: number, toMs: number])[];
  /** Whether the last utterance ends with the source, without an endpoint. */
  endsOpen?: boolean;
}

/**
 * Yields samples as recognisers receive them: one utterance that ends with the audio, unless `endpointsMs`
 * lists other ends.
 */
export async function* asSpeech(
  audio: Uint8Array,
  { sizes = [3200], endpointsMs = [], leftOutMs = [], endsOpen = false }: SpeechLayout = {},
): AsyncGenerator<SpeechPiece, undefined> {
  const ends = endpointsMs.filter((atMs) => atMs < lengthMs(audio));
  const leaps = [...leftOutMs];
  let count = 0;
  for (let offset = 0; offset < audio.byteLength;) {
    const nextMs = Math.min(ends[0] ?? Infinity, leaps[0]?.[0] ?? Infinity);
    const limit = Math.min(nextMs * BYTES_PER_MS, audio.byteLength);
    if (offset < limit) {
      const end = Math.min(offset + (sizes[count % sizes.length] ?? 3200), limit);
      count += 1;
      const startMs = offset / BYTES_PER_MS;
      yield { kind: 'samples', samples: audio.subarray(offset, end), startMs };
      offset = end;
    } else if (ends[0] === nextMs) {
      ends.shift();
      yield { kind: 'endpoint', atMs: nextMs };
    } else {
      offset = (leaps.shift()?.[1] ?? 0) * BYTES_PER_MS;
    }
  }
  if (!endsOpen && audio.byteLength > 0) yield { kind: 'endpoint', atMs: lengthMs(audio) };
}

export interface HeardOptions extends Partial<RecognitionOptions> {
  onRecognition?: (recognition: Recognition) => void;
}

/** Returns all results for some speech; the default language is English. */
export async function heard(
  engine: RecognitionEngine,
  speech: AsyncIterable<SpeechPiece>,
  { onRecognition, ...options }: HeardOptions = {},
): Promise<Recognition[]> {
  const recognitions: Recognition[] = [];
  for await (const recognition of engine.recognise(speech, recognitionOptions(options))) {
    recognitions.push(recognition);
    onRecognition?.(recognition);
  }
  return recognitions;
}

/** Returns recognition options: English, without spoken terms or an abort by default. */
export function recognitionOptions(options: Partial<RecognitionOptions> = {}): RecognitionOptions {
  const { signal } = new AbortController();
  return { language: 'en', languageMode: 'fixed', spokenTerms: [], signal, ...options };
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
  { withinMs = 45_000, what = 'the condition' } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A source that yields some speech and then waits until it is released. */
export class IdleSource implements AsyncIterableIterator<SpeechPiece, undefined> {
  readonly #pieces: AsyncIterator<SpeechPiece, undefined>;
  pulledBytes = 0;
  isReleased = false;

  /** @param speech samples are one unfinished utterance */
  constructor(speech: Uint8Array | AsyncIterableIterator<SpeechPiece, undefined>) {
    this.#pieces = speech instanceof Uint8Array ? asSpeech(speech, { endsOpen: true }) : speech;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<SpeechPiece, undefined>> {
    const piece = await this.#pieces.next();
    if (piece.done === true) return await new Promise<never>(() => {});
    if (piece.value.kind === 'samples') this.pulledBytes += piece.value.samples.byteLength;
    return piece;
  }

  async return(): Promise<IteratorResult<SpeechPiece, undefined>> {
    this.isReleased = true;
    return { done: true, value: undefined };
  }
}

/** Returns recogniser processes started by a process (by default this one). */
export function recogniserPids(parentPid = process.pid): number[] {
  return processTree(parentPid).filter((pid) => pid !== parentPid && isRecogniser(pid));
}

function isRecogniser(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('moonshine-child');
  } catch {
    return false; // The process has ended in the meantime.
  }
}
