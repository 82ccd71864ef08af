/**
 * A language that is easy to recognise: each word is a tone of its own and of fixed length. Its recogniser
 * detects whether a piece of the audio was lost or repeated.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { wavHeader } from '../../../shared/wav.ts';
import { madeOnce } from '../suite/made-once.ts';
import { silence } from './speech.ts';

/** Words by their tones, lowest first. */
const VOCABULARY = (
  'alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar ' +
  'papa quebec romeo sierra tango uniform victor whiskey xray'
).split(' ');
/** A rare name, recognised only if it is among the terms. */
export const RARE_WORD = 'zarvox';
/** The word recognised instead if the rare name is not expected. */
export const MISHEARD_WORD = 'yankee';
const LOWEST_HZ = 400;
const STEP_HZ = 100;
/** Length of a word, and of the silence between two words, in ms. */
const WORD_MS = 180;
const GAP_MS = 70;
const SAMPLE_RATE_HZ = 16_000;
const AMPLITUDE = 9_000;

/** Recognised in place of a word that was cut or stretched. */
export const GARBLED = 'garbled';

export interface ToneWord {
  text: string;
  startMs: number;
  endMs: number;
}

function frequencyOf(word: string): number {
  const index = word === RARE_WORD ? VOCABULARY.length : VOCABULARY.indexOf(word);
  if (index < 0) throw new Error(`There is no tone for ${word}`);
  return LOWEST_HZ + index * STEP_HZ;
}

const tones = new Map<number, Buffer>();

function tone(frequencyHz: number): Buffer {
  const known = tones.get(frequencyHz) ?? newTone(frequencyHz);
  tones.set(frequencyHz, known);
  return known;
}

function newTone(frequencyHz: number): Buffer {
  const count = (WORD_MS * SAMPLE_RATE_HZ) / 1000;
  const samples = Int16Array.from({ length: count }, (_, index) =>
    Math.round(AMPLITUDE * Math.sin((2 * Math.PI * frequencyHz * index) / SAMPLE_RATE_HZ)),
  );
  return Buffer.from(samples.buffer);
}

/** Speaks a sentence as s16le at 16 kHz, with silence before and after it as in human speech. */
export function toneSpeech(
  text: string,
  { padStartMs = 500, padEndMs = 1_000 }: { padStartMs?: number; padEndMs?: number } = {},
): Buffer {
  const words = text.split(' ').flatMap((word) => [silence(GAP_MS), tone(frequencyOf(word))]);
  return Buffer.concat([silence(padStartMs), ...words.slice(1), silence(padEndMs)]);
}

/** Length of one analysis frame, in ms. */
export const FRAME_MS = 10;
/** Power from which a frame counts as sound: a fortieth of a full tone. */
const LOUD = (AMPLITUDE / 32_768) ** 2 / 80;
/** Tolerance of a word's length, in ms: a word may begin and end anywhere in a frame. */
const LENGTH_TOLERANCE_MS = 25;

/**
 * Recognises the words in samples from -1 to 1.
 *
 * @param terms expected words in addition to the vocabulary
 */
export function hearTones(
  samples: Float32Array,
  { sampleRateHz = SAMPLE_RATE_HZ, terms = '' }: { sampleRateHz?: number; terms?: string } = {},
): ToneWord[] {
  const frame = (sampleRateHz * FRAME_MS) / 1000;
  const words: ToneWord[] = [];
  let from: number | undefined;
  const frames = Math.ceil(samples.length / frame);
  for (let index = 0; index <= frames; index += 1) {
    const part = samples.subarray(index * frame, (index + 1) * frame);
    const isLoud = part.length > 0 && power(part) > LOUD;
    if (isLoud) from ??= index;
    else if (from !== undefined) {
      const sound = samples.subarray(from * frame, index * frame);
      const lengthMs = (index - from) * FRAME_MS;
      const isWhole = Math.abs(lengthMs - WORD_MS) <= LENGTH_TOLERANCE_MS;
      const text = isWhole ? wordOf(sound, sampleRateHz, terms) : GARBLED;
      words.push({ text, startMs: from * FRAME_MS, endMs: index * FRAME_MS });
      from = undefined;
    }
  }
  return words;
}

function power(samples: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < samples.length; index += 1) sum += (samples[index] ?? 0) ** 2;
  return sum / samples.length;
}

function wordOf(sound: Float32Array, sampleRateHz: number, terms: string): string {
  const strengths = [...VOCABULARY, RARE_WORD].map((word) => ({
    word,
    strength: strengthAt(sound, frequencyOf(word), sampleRateHz),
  }));
  const best = strengths.reduce((a, b) => (b.strength > a.strength ? b : a));
  // A pure tone has all its power at one frequency; a tone with a splice in it does not.
  if (best.strength < 0.8 * power(sound)) return GARBLED;
  return best.word === RARE_WORD && !terms.includes(RARE_WORD) ? MISHEARD_WORD : best.word;
}

/** Returns the power at one frequency (Goertzel's algorithm). */
function strengthAt(samples: Float32Array, frequencyHz: number, sampleRateHz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequencyHz) / sampleRateHz);
  let last = 0;
  let beforeLast = 0;
  // An indexed loop: this is the most expensive part of recognition in tests.
  for (let index = 0; index < samples.length; index += 1) {
    const next = (samples[index] ?? 0) + coefficient * last - beforeLast;
    beforeLast = last;
    last = next;
  }
  const square = last ** 2 + beforeLast ** 2 - coefficient * last * beforeLast;
  return (2 * square) / samples.length ** 2;
}

/**
 * Speaks sentences of any words, with a tone of its own for each word.
 *
 * @returns how a model has to spell each tone, and the sentences as s16le at 16 kHz
 */
export function inTones(sentences: readonly string[]): {
  spelling: Record<string, string>;
  speech: Buffer[];
} {
  const tones = VOCABULARY.values();
  const spelling: Record<string, string> = {};
  const speech = sentences.map((sentence) => {
    const names = sentence.split(' ').map((word) => {
      const { value: name } = tones.next();
      if (name === undefined) throw new Error('There are more words than tones.');
      spelling[name] = word;
      return name;
    });
    return toneSpeech(names.join(' '));
  });
  return { spelling, speech };
}

/** Returns the path of a WAV file of s16le samples at 16 kHz, made once. */
export function wavFile(samples: Uint8Array): string {
  const digest = createHash('sha256').update(samples).digest('hex');
  const header = wavHeader({ sampleRateHz: SAMPLE_RATE_HZ, dataBytes: samples.length });
  return madeOnce(['tones', digest], 'wav', (file) =>
    writeFileSync(file, Buffer.concat([header, samples])),
  );
}

/** Converts s16le bytes to samples from -1 to 1. */
export function samplesOfBytes(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = new Float32Array(bytes.byteLength >> 1);
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = view.getInt16(index * 2, true) / 32_768;
  }
  return samples;
}

export function textOf(words: readonly ToneWord[]): string {
  return words.map(({ text }) => text).join(' ');
}
