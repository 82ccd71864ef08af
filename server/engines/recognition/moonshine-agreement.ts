/** What hypotheses of a growing window agree on, and when its words were said. */
import type { Word } from '../engine.ts';
import type { Decoded } from './moonshine-model.ts';
import { TRACK_FRAME_MS, type AudioWindow } from './speech-track.ts';

/** What is needed of a model. */
interface Vocabulary {
  text(tokens: readonly number[]): string;
  beginsWord(token: number): boolean;
}

/** Hypotheses that have to agree on the first word and on those that the model is sure of. */
const SOME = 2;
/** And to say something else than what is shown, before that takes its place. */
const MORE = 4;
/** And to agree on words that the model is not sure of. */
const MANY = 6;
/** ln p of a token of which the model is sure. */
const SURE = -0.3;
/** Marks at the end of what still grows: the model ends everything it hears with one. */
const MARKS_AT_END = /[.?!,;:…-]+$/u;
const SAMPLES_PER_MS = 16;

/** How many tokens the two latest hypotheses both begin with, up to the end of a word; 0 while there is one. */
export function agreedTokens(vocabulary: Vocabulary, hypotheses: readonly Decoded[]): number {
  const [before, latest] = hypotheses.slice(-SOME).map(({ tokens }) => tokens);
  if (before === undefined || latest === undefined) return 0;
  let length = 0;
  while (length < latest.length && latest[length] === before[length]) length += 1;
  // The last word may still grow: it has ended where another begins.
  while (length > 0 && !vocabulary.beginsWord(latest[length] ?? -1)) length -= 1;
  return length;
}

/** What can be reported of a window while it grows. */
export interface Tentative {
  /** The latest hypothesis. */
  readonly text: string;
  /** What of it is worth reading: grows, and stays until several hypotheses contradict it. */
  readonly agreed: string;
  /** Takes the hypotheses up to now, the last one of the first `heardSamples` of the window. */
  see(hypotheses: readonly Decoded[], heardSamples: number): void;
  /**
   * The words of a text with their times in the utterance, in ms: a syllable more or less.
   *
   * @param decoded what the text was made of: tells how sure its words are
   */
  words(text: string, window: AudioWindow, heardSamples: number, decoded?: Decoded): Word[];
}

export function createTentative(vocabulary: Vocabulary): Tentative {
  let text = '';
  let shown: readonly HypothesisWord[] = [];
  /** Up to where was heard when so many words had been recognised, in ms of the window. */
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
      shown = nextShown(shown, wordsOfLatest(vocabulary, hypotheses, MANY));
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
  /** Without marks and capitals, which come and go. */
  key: string;
  /** ln p of its least sure token. */
  chance: number;
}

/** The words of the latest hypotheses, the newest last. */
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

/** Two digits: more would be made up. */
function rounded(share: number): number {
  return Math.round(share * 100) / 100;
}

/** The words that are shown after those that were. */
function nextShown(
  shown: readonly HypothesisWord[],
  latest: readonly HypothesisWord[][],
): readonly HypothesisWord[] {
  const words = latest.at(-1) ?? [];
  const next = words.slice(0, sureCount(latest));
  if (commonCount(shown, next) === shown.length) return next;
  // Where they are the same throughout, nothing more seems to be on its way.
  const isSame = areSame(latest.slice(-MORE));
  const firm = isSame ? words : words.slice(0, agreedCount(latest, MORE));
  const isContradicted =
    commonCount(shown, firm) < (isSame ? shown.length : Math.min(shown.length, firm.length));
  if (!isContradicted) return shown;
  return firm.length > next.length ? firm : next;
}

/** How many words of the newest hypothesis are worth showing. */
function sureCount(latest: readonly HypothesisWord[][]): number {
  const words = latest.at(-1) ?? [];
  const some = agreedCount(latest, SOME);
  const many = agreedCount(latest, MANY);
  // Who reads along wants to see at once that somebody is heard: one word is soon put right.
  const trusted = Math.max(many, 1);
  const unsure = words.slice(0, some).findIndex(({ chance }, at) => at >= trusted && chance < SURE);
  let count = unsure === -1 ? some : unsure;
  // While the next word is on its way the model tells the last one again and again.
  while (count > 1 && words[count - 1]?.key === words[count - 2]?.key) count -= 1;
  return count;
}

/** With how many words `count` hypotheses begin; the last one of the newest may still grow. */
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
    others.length === MORE - 1 &&
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

/** A text without marks and capitals. */
export function wordsAlone(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}']+/gu, ' ');
}

function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

/**
 * Spreads words over the speech of a window by their letters; none begins later than it was first
 * recognised.
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
