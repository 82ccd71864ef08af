/** The speech of one utterance, kept whole until its words are final, and what is heard in it. */
import type { LanguageTag } from '../../../shared/language.ts';
import { Change } from '../../process/concurrency.ts';
import { RECOGNITION_RATE_HZ, type Word } from '../engine.ts';

/** Samples in a millisecond of speech. */
const SAMPLES_PER_MS = RECOGNITION_RATE_HZ / 1000;
/** Room that an utterance begins with, in samples: four seconds; it doubles when it is full. */
const FIRST_ROOM = 4 * RECOGNITION_RATE_HZ;

/** Counts of samples. */
interface ReadRequest {
  from: number;
  least: number;
  most: number;
  signal: AbortSignal;
}

/**
 * A growing utterance. Who reads it waits on `change` for more; samples that were given out stay as
 * they are.
 */
export class Utterance {
  /** Where it begins on the clock of the stream, in ms. */
  readonly startMs: number;
  readonly change = new Change();
  readonly #maxSamples: number;
  #samples: Int16Array;
  #bytes: Uint8Array;
  #sampleCount = 0;
  #isOver = false;
  #isCut = false;
  /** Up to where it was read; undefined until it is read as it grows. */
  #readUntil: number | undefined;

  constructor({ startMs, maxMs }: { startMs: number; maxMs: number }) {
    this.startMs = startMs;
    this.#maxSamples = maxMs * SAMPLES_PER_MS;
    this.#samples = new Int16Array(Math.min(FIRST_ROOM, this.#maxSamples));
    this.#bytes = new Uint8Array(this.#samples.buffer);
  }

  /** What was said so far: s16 at RECOGNITION_RATE_HZ; a view, not to be written to. */
  get samples(): Int16Array {
    return this.#samples.subarray(0, this.#sampleCount);
  }

  get sampleCount(): number {
    return this.#sampleCount;
  }

  get lengthMs(): number {
    return this.#sampleCount / SAMPLES_PER_MS;
  }

  /** How much of it was read, in ms; undefined when it is not read as it grows, or not yet. */
  get readMs(): number | undefined {
    return this.#readUntil === undefined ? undefined : this.#readUntil / SAMPLES_PER_MS;
  }

  /** Where it ends so far, in ms of the stream. */
  get endMs(): number {
    return this.startMs + this.lengthMs;
  }

  /** Whether nothing more will come. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether it has ended although speech goes on. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /**
   * Takes in s16le samples as far as there is room.
   *
   * @returns how many bytes it has taken, fewer than given when it is as long as it may be
   */
  append(piece: Uint8Array): number {
    const taken = Math.min(piece.byteLength >> 1, this.#maxSamples - this.#sampleCount);
    this.#makeRoom(this.#sampleCount + taken);
    this.#bytes.set(piece.subarray(0, taken * 2), this.#sampleCount * 2);
    this.#sampleCount += taken;
    this.change.notify();
    return taken * 2;
  }

  /** Nothing more will come. */
  end({ isCut = false } = {}): void {
    this.#isOver = true;
    this.#isCut = isCut;
    this.change.notify();
  }

  /**
   * Waits for samples after the first `from`.
   *
   * @returns from `least` to `most` of them; fewer, in the end none, when the utterance is over or
   *   given up
   */
  async read({ from, least, most, signal }: ReadRequest): Promise<Int16Array> {
    this.#readUntil = from;
    this.change.notify();
    const isEnough = () => this.#sampleCount >= from + least || this.#isOver || signal.aborted;
    while (!isEnough()) await this.change.next();
    return this.#samples.subarray(from, Math.min(from + most, this.#sampleCount));
  }

  #makeRoom(sampleCount: number): void {
    if (sampleCount <= this.#samples.length) return;
    const room = Math.min(Math.max(this.#samples.length * 2, sampleCount), this.#maxSamples);
    const samples = new Int16Array(room);
    samples.set(this.samples);
    this.#samples = samples;
    this.#bytes = new Uint8Array(samples.buffer);
  }
}

// What is heard in an utterance, and its words on the clock of the stream. Pure.

/** What was heard of an utterance; times in ms from its first sample. */
export interface HeardUtterance {
  /** Empty when no word was heard. */
  text: string;
  /** How much of the utterance it was heard in, in ms. */
  lengthMs: number;
  /** Left out or empty when there are no times of words. */
  words?: readonly Word[];
  /** Where speech begins and ends, if that is known without words. */
  startMs?: number;
  endMs?: number;
  /** The beginning of a text that still grows as it is worth reading, as far as the engine can tell. */
  agreed?: string;
  /** What was detected. */
  language?: LanguageTag;
}

/** What was heard, timed in whole ms of the stream. */
interface PlacedUtterance {
  text: string;
  startMs: number;
  endMs: number;
  /** Joined by blanks they are the text; empty when there are no times of words. */
  words: Word[];
  language?: LanguageTag;
}

/** Whatever is no letter and no digit in any script: engines punctuate texts and words differently. */
const UNSPOKEN = /[^\p{L}\p{M}\p{N}]+/gu;

/**
 * Puts what was heard on the clock of the stream.
 *
 * @param fromMs where the utterance begins
 */
export function placeUtterance(heard: HeardUtterance, fromMs: number): PlacedUtterance {
  const { lengthMs, language } = heard;
  const text = heard.text.trim().replace(/\s+/g, ' ');
  const words = inOrder(wordsOfText(text, heard.words ?? []), fromMs, fromMs + lengthMs);
  const [first, last] = [words[0], words.at(-1)];
  const bounds = inOrder(
    [{ text, startMs: heard.startMs ?? 0, endMs: heard.endMs ?? lengthMs }],
    fromMs,
    fromMs + lengthMs,
  )[0];
  return {
    text,
    startMs: first?.startMs ?? bounds?.startMs ?? fromMs,
    endMs: last?.endMs ?? bounds?.endMs ?? fromMs + lengthMs,
    words,
    ...(language !== undefined && { language }),
  };
}

/**
 * The words of a text as blanks divide it, timed by an engine's words, whose punctuation, capitals
 * and divisions may be others. Empty when the two do not say the same.
 */
export function wordsOfText(text: string, timed: readonly Word[]): Word[] {
  if (text === '' || timed.length === 0) return [];
  const letters = timed.map((word) => spoken(word.text));
  const tokens = text.split(' ');
  if (tokens.map(spoken).join('') !== letters.join('')) return [];
  /** For each letter of the text, the word it belongs to. */
  const owners = timed.flatMap((word, index) =>
    Array<Word>(letters[index]?.length ?? 0).fill(word),
  );
  let at = 0;
  let beforeMs = owners[0]?.startMs ?? 0;
  return tokens.map((token) => {
    const count = spoken(token).length;
    const startMs = count === 0 ? beforeMs : (owners[at]?.startMs ?? beforeMs);
    const endMs = count === 0 ? beforeMs : (owners[at + count - 1]?.endMs ?? startMs);
    at += count;
    const sure = leastSure(owners.slice(at - count, at));
    beforeMs = endMs;
    return { text: token, startMs, endMs, ...sure };
  });
}

/** A word that an engine heard as several is as sure as the least of them. */
function leastSure(words: readonly Word[]): Pick<Word, 'confidence'> {
  const known = words.flatMap(({ confidence }) => confidence ?? []);
  return known.length === 0 ? {} : { confidence: Math.min(...known) };
}

function spoken(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(UNSPOKEN, '');
}

/** Moves times to the stream, within its bounds and none before the one before it. */
function inOrder(words: readonly Word[], fromMs: number, toMs: number): Word[] {
  let earliestMs = fromMs;
  return words.map(({ startMs, endMs, ...word }) => {
    const start = clamp(Math.round(fromMs + startMs), earliestMs, toMs);
    const end = clamp(Math.round(fromMs + endMs), start, toMs);
    earliestMs = end;
    return { ...word, startMs: start, endMs: end };
  });
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** Who shows words once several hypotheses agree on them counts equal ones as well: more are no news. */
const MOST_AGREEMENT = 4;

/**
 * Makes a function that answers whether the hypotheses of an utterance, one after the other, are worth
 * telling: those that differ from the one before, and the same up to four times.
 */
export function createRepeats(): (text: string) => boolean {
  let last = '';
  let times = MOST_AGREEMENT;
  return (text) => {
    times = text === last ? times + 1 : 1;
    last = text;
    return times <= MOST_AGREEMENT;
  };
}
