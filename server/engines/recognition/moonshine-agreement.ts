/** Agreement between successive hypotheses of a growing window, and the times of their words. */
import { SAMPLES_PER_MS, type Word } from '../engine.ts';
import type { Decoded } from './moonshine-model.ts';
import { TRACK_FRAME_MS, type AudioWindow } from './speech-track.ts';

/** The parts of a model that agreement needs. */
interface Vocabulary {
  text(tokens: readonly number[]): string;
  beginsWord(token: number): boolean;
}

/** Hypotheses that must agree on the first word and on words the model is sure of. */
const SURE_AGREEMENT = 2;
/** Hypotheses that must contradict the shown text before it is replaced. */
const REPLACE_AGREEMENT = 4;
/** Hypotheses that must agree on words the model is not sure of. */
const UNSURE_AGREEMENT = 6;
/** ln p from which the model is sure of a token. */
const SURE = -0.3;
/** Punctuation at the end of a growing text: the model ends every text with a mark. */
const MARKS_AT_END = /[.?!,;:…-]+$/u;

/**
 * Returns the number of leading tokens on which the two latest hypotheses agree, up to a word boundary; 0
 * with fewer than two hypotheses.
 */
export function agreedTokens(vocabulary: Vocabulary, hypotheses: readonly Decoded[]): number {
  const [before, latest] = hypotheses.slice(-SURE_AGREEMENT).map(({ tokens }) => tokens);
  if (before === undefined || latest === undefined) return 0;
  let length = 0;
  while (length < latest.length && latest[length] === before[length]) length += 1;
  // The last word may still grow: it is complete only where another word begins.
  while (length > 0 && !vocabulary.beginsWord(latest[length] ?? -1)) length -= 1;
  return length;
}

/** The reportable text of a growing window. */
export interface Tentative {
  /** The latest hypothesis. */
  readonly text: string;
  /** The part worth showing: it grows, and stays until several hypotheses contradict it. */
  readonly agreed: string;
  /** Takes all hypotheses so far; the last one covers the first `heardSamples` of the window. */
  see(hypotheses: readonly Decoded[], heardSamples: number): void;
  /**
   * Returns the words of a text with their times in the utterance, in ms, accurate to about a syllable.
   *
   * @param decoded decoding the text came from; supplies the confidence of the words
   */
  words(text: string, window: AudioWindow, heardSamples: number, decoded?: Decoded): Word[];
}

export function createTentative(vocabulary: Vocabulary): Tentative {
  let text = '';
  let shown: readonly HypothesisWord[] = [];
  /**
   * For each word count, the end of the audio in which so many words were first recognised, in ms of the
   * window.
   */
  const seenMs: number[] = [];
  return {
    get text() {
      return text;
    },
    get agreed() {
      return shown
        .map((word) => word.text)
        .join(' ')
        .replace(MARKS_AT_END, '');
    },
    see(hypotheses, heardSamples) {
      const latest = hypotheses.at(-1);
      if (latest === undefined) return;
      text = vocabulary.text(latest.tokens).replace(MARKS_AT_END, '');
      const count = wordsOf(text).length;
      for (let index = seenMs.length; index < count; index += 1) {
        seenMs.push(heardSamples / SAMPLES_PER_MS);
      }
      shown = nextShown(shown, wordsOfLatest(vocabulary, hypotheses, UNSURE_AGREEMENT));
    },
    words(said, window, heardSamples, decoded) {
      const words = timedWords(wordsOf(said), { window, heardSamples, seenMs });
      const sure = decoded === undefined ? [] : wordsOfDecoded(vocabulary, decoded);
      if (sure.length !== words.length) return words;
      return words.map((word, index) => {
        return { ...word, confidence: rounded(Math.exp(sure[index]?.chance ?? 0)) };
      });
    },
  };
}

/** A word of a hypothesis. */
interface HypothesisWord {
  text: string;
  /** The text without punctuation and capitals, which vary between hypotheses. */
  key: string;
  /** ln p of its least certain token. */
  chance: number;
}

/** Returns the words of the latest hypotheses, the newest last. */
function wordsOfLatest(
  vocabulary: Vocabulary,
  hypotheses: readonly Decoded[],
  count: number,
): HypothesisWord[][] {
  return hypotheses.slice(-count).map((each) => wordsOfDecoded(vocabulary, each));
}

function wordsOfDecoded(
  vocabulary: Vocabulary,
  { tokens, chances }: Pick<Decoded, 'tokens' | 'chances'>,
): HypothesisWord[] {
  const starts = tokens.flatMap((token, at) =>
    at === 0 || vocabulary.beginsWord(token) ? [at] : [],
  );
  return starts.map((start, index) => {
    const end = starts[index + 1];
    const text = vocabulary.text(tokens.slice(start, end));
    return { text, key: wordsAlone(text).trim(), chance: Math.min(...chances.slice(start, end)) };
  });
}

/** Rounds to two digits: more would be false precision. */
function rounded(share: number): number {
  return Math.round(share * 100) / 100;
}

/** Returns the words to show, given the words shown before. */
function nextShown(
  shown: readonly HypothesisWord[],
  latest: readonly HypothesisWord[][],
): readonly HypothesisWord[] {
  const words = latest.at(-1) ?? [];
  const next = words.slice(0, sureCount(latest));
  if (commonCount(shown, next) === shown.length) return next;
  // When the hypotheses are equal throughout, no further change is expected.
  const isSame = areSame(latest.slice(-REPLACE_AGREEMENT));
  const firm = isSame ? words : words.slice(0, agreedCount(latest, REPLACE_AGREEMENT));
  const isContradicted =
    commonCount(shown, firm) < (isSame ? shown.length : Math.min(shown.length, firm.length));
  if (!isContradicted) return shown;
  return firm.length > next.length ? firm : next;
}

/** Returns the number of words of the newest hypothesis that are worth showing. */
function sureCount(latest: readonly HypothesisWord[][]): number {
  const words = latest.at(-1) ?? [];
  const some = agreedCount(latest, SURE_AGREEMENT);
  const many = agreedCount(latest, UNSURE_AGREEMENT);
  // Readers should see at once that speech is being heard, and a single wrong word is soon corrected.
  const trusted = Math.max(many, 1);
  const unsure = words.slice(0, some).findIndex(({ chance }, at) => at >= trusted && chance < SURE);
  let count = unsure === -1 ? some : unsure;
  // While the next word is incomplete, the model tends to repeat the last one.
  while (count > 1 && words[count - 1]?.key === words[count - 2]?.key) count -= 1;
  return count;
}

/**
 * Returns the number of leading words on which `count` hypotheses agree; the last word of the newest may
 * still grow.
 */
function agreedCount(latest: readonly HypothesisWord[][], count: number): number {
  const [newest = [], ...others] = latest.slice(-count).reverse();
  if (others.length + 1 < count) return 0;
  return others.reduce(
    (least, other) => Math.min(least, commonCount(newest, other)),
    newest.length - 1,
  );
}

function areSame(all: readonly HypothesisWord[][]): boolean {
  const [first = [], ...others] = all;
  return (
    others.length === REPLACE_AGREEMENT - 1 &&
    others.every(
      (other) => other.length === first.length && commonCount(first, other) === first.length,
    )
  );
}

function commonCount(one: readonly HypothesisWord[], other: readonly HypothesisWord[]): number {
  let count = 0;
  while (count < one.length && one[count]?.key === other[count]?.key) count += 1;
  return count;
}

/** Returns a text without punctuation and capitals. */
export function wordsAlone(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}']+/gu, ' ');
}

function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

/**
 * Spreads words over the speech of a window in proportion to their letters; no word begins later than it was
 * first recognised.
 */
function timedWords(
  words: readonly string[],
  {
    window,
    heardSamples,
    seenMs,
  }: { window: AudioWindow; heardSamples: number; seenMs: readonly number[] },
): Word[] {
  const offsetMs = window.from / SAMPLES_PER_MS;
  const frames = window
    .speechFrames()
    .filter((frame) => frame * TRACK_FRAME_MS < heardSamples / SAMPLES_PER_MS);
  const weights = words.map((word) => word.length + 1);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const msAt = (share: number): number => {
    const place = share * frames.length;
    const frame = frames[Math.min(Math.floor(place), frames.length - 1)] ?? 0;
    return (frame + Math.min(place - Math.floor(place), 1)) * TRACK_FRAME_MS;
  };
  const endOfSpeechMs = ((frames.at(-1) ?? 0) + 1) * TRACK_FRAME_MS;
  let before = 0;
  let earliestMs = 0;
  return words.map((word, index) => {
    const startMs = Math.max(Math.min(msAt(before / whole), seenMs[index] ?? Infinity), earliestMs);
    before += weights[index] ?? 0;
    const isLast = index === words.length - 1;
    const endMs = Math.max(startMs, isLast ? endOfSpeechMs : msAt(before / whole));
    earliestMs = endMs;
    return {
      text: word,
      startMs: Math.round(offsetMs + startMs),
      endMs: Math.round(offsetMs + endMs),
    };
  });
}
