/** The audio of one utterance, kept whole until its text is final, and the text recognised in it. */
import type { LanguageTag } from '../../../shared/language.ts';
import { Change } from '../../process/concurrency.ts';
import { RECOGNITION_RATE_HZ, SAMPLES_PER_MS, type Word } from '../engine.ts';

/** Initial capacity of an utterance, in samples: four seconds. It doubles when it is full. */
const FIRST_ROOM = 4 * RECOGNITION_RATE_HZ;

/** Bounds in samples. */
interface ReadRequest {
  from: number;
  least: number;
  most: number;
  signal: AbortSignal;
}

/** A growing utterance. A reader waits on `change` for more; samples once handed out never change. */
export class Utterance {
  /** Start on the stream clock, in ms. */
  readonly startMs: number;
  readonly change = new Change();
  readonly #maxSamples: number;
  #samples: Int16Array;
  #bytes: Uint8Array;
  #sampleCount = 0;
  #isOver = false;
  #isCut = false;
  /** Position up to which it was read; undefined until it is read incrementally. */
  #readUntil: number | undefined;

  constructor({ startMs, maxMs }: { startMs: number; maxMs: number }) {
    this.startMs = startMs;
    this.#maxSamples = maxMs * SAMPLES_PER_MS;
    this.#samples = new Int16Array(Math.min(FIRST_ROOM, this.#maxSamples));
    this.#bytes = new Uint8Array(this.#samples.buffer);
  }

  /** Samples so far: s16 at RECOGNITION_RATE_HZ. A view; callers must not write to it. */
  get samples(): Int16Array {
    return this.#samples.subarray(0, this.#sampleCount);
  }

  get sampleCount(): number {
    return this.#sampleCount;
  }

  get lengthMs(): number {
    return this.#sampleCount / SAMPLES_PER_MS;
  }

  /** Duration already read, in ms; undefined when the utterance is not read incrementally, or not yet. */
  get readMs(): number | undefined {
    return this.#readUntil === undefined ? undefined : this.#readUntil / SAMPLES_PER_MS;
  }

  /** Current end on the stream clock, in ms. */
  get endMs(): number {
    return this.startMs + this.lengthMs;
  }

  /** Whether the utterance is complete. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether it ended although speech continues. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /**
   * Appends s16le samples as far as there is room.
   *
   * @returns the number of bytes taken, fewer than given when the utterance has reached its maximum length
   */
  append(piece: Uint8Array): number {
    const taken = Math.min(piece.byteLength >> 1, this.#maxSamples - this.#sampleCount);
    this.#makeRoom(this.#sampleCount + taken);
    this.#bytes.set(piece.subarray(0, taken * 2), this.#sampleCount * 2);
    this.#sampleCount += taken;
    this.change.notify();
    return taken * 2;
  }

  /** Marks the utterance as complete. */
  end({ isCut = false } = {}): void {
    this.#isOver = true;
    this.#isCut = isCut;
    this.change.notify();
  }

  /**
   * Waits for samples from position `from` on.
   *
   * @returns between `least` and `most` samples; fewer, and eventually none, when the utterance is over or
   *   the signal has aborted
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

// Recognised text of an utterance, and its words on the stream clock. Pure functions.

/** Result for an utterance; times in ms from its first sample. */
export interface HeardUtterance {
  /** Empty when no word was recognised. */
  text: string;
  /** Length of the audio the result covers, in ms. */
  lengthMs: number;
  /** Left out or empty when the engine reports no word times. */
  words?: readonly Word[];
  /** Where speech begins and ends, if known without word times. */
  startMs?: number;
  endMs?: number;
  /** The beginning of a growing text that is stable enough to show, as far as the engine can tell. */
  agreed?: string;
  /** Detected language. */
  language?: LanguageTag;
}

/** Result for an utterance, timed in whole ms on the stream clock. */
interface PlacedUtterance {
  text: string;
  startMs: number;
  endMs: number;
  /** Joined by blanks they form the text; empty when the engine reports no word times. */
  words: Word[];
  language?: LanguageTag;
}

/** All characters but letters and digits of any script: engines punctuate texts and words differently. */
const UNSPOKEN = /[^\p{L}\p{M}\p{N}]+/gu;

/**
 * Places a result on the stream clock.
 *
 * @param fromMs start of the utterance on the stream clock
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
 * Splits a text into its words at blanks and times them by an engine's words, which may differ in
 * punctuation, capitals and word division. Empty when the letters of the two do not match.
 */
export function wordsOfText(text: string, timed: readonly Word[]): Word[] {
  if (text === '' || timed.length === 0) return [];
  const letters = timed.map((word) => spoken(word.text));
  const tokens = text.split(' ');
  if (tokens.map(spoken).join('') !== letters.join('')) return [];
  /** For each letter of the text, the timed word it belongs to. */
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

/** A word that the engine split into several is only as certain as the least certain of them. */
function leastSure(words: readonly Word[]): Pick<Word, 'confidence'> {
  const known = words.flatMap(({ confidence }) => confidence ?? []);
  return known.length === 0 ? {} : { confidence: Math.min(...known) };
}

function spoken(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(UNSPOKEN, '');
}

/** Moves times to the stream clock, clamps them to its bounds and makes them non-decreasing. */
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

/**
 * Consumers show words once several hypotheses agree, so equal hypotheses count too, up to this many in a
 * row.
 */
const MOST_AGREEMENT = 4;

/**
 * Creates a filter for the hypotheses of one utterance, in order. It returns true for a hypothesis that
 * differs from the previous one, and for its repetitions up to four in a row.
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
