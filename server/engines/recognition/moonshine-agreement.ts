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
/** And on any others, also in place of what has been shown. */
const MANY = 6;
/** ln p of a token of which the model is sure. */
const SURE = -0.3;
/** Marks at the end of what still grows: the model ends everything it hears with one. */
const MARKS_AT_END = /[.?!,;:…-]+$/u;
const SAMPLES_PER_MS = 16;

/**
 * How many tokens the latest hypotheses begin with, up to the end of a word.
 *
 * @param count hypotheses that have to agree; 0 when there are fewer
 */
export function agreedTokens(
  vocabulary: Vocabulary,
  hypotheses: readonly Decoded[],
  count: number,
): number {
  const latest = hypotheses.slice(-count).map(({ tokens }) => tokens);
  const [first = [], ...others] = latest;
  if (latest.length < count) return 0;
  let length = 0;
  while (length < first.length && others.every((other) => other[length] === first[length])) {
    length += 1;
  }
  return wordsEnd(vocabulary, hypotheses.at(-1)?.tokens ?? [], length);
}

/** The last place up to `length` at which a word of the tokens has surely ended. */
function wordsEnd(vocabulary: Vocabulary, tokens: readonly number[], length: number): number {
  let end = length;
  const hasEnded = () => {
    const next = tokens[end];
    return next !== undefined && vocabulary.beginsWord(next);
  };
  while (end > 0 && !hasEnded()) end -= 1;
  return end;
}

/** What can be told of a window while it grows. */
export interface Tentative {
  /** The latest hypothesis. */
  readonly text: string;
  /** Its beginning that will stay; grows, until it is contradicted. */
  readonly agreed: string;
  /** Takes the hypotheses up to now, the last one of the first `heardSamples` of the window. */
  see(hypotheses: readonly Decoded[], heardSamples: number): void;
  /** The words of a text with their times in the utterance, in ms: a syllable more or less. */
  words(text: string, window: AudioWindow, heardSamples: number): Word[];
}

export function createTentative(vocabulary: Vocabulary): Tentative {
  let text = '';
  let agreed = '';
  /** Up to where was heard when so many words had been recognised, in ms of the window. */
  const seenMs: number[] = [];
  return {
    get text() {
      return text;
    },
    get agreed() {
      return agreed;
    },
    see(hypotheses, heardSamples) {
      const latest = hypotheses.at(-1);
      if (latest === undefined) return;
      text = vocabulary.text(latest.tokens).replace(MARKS_AT_END, '');
      const count = wordsOf(text).length;
      for (let index = seenMs.length; index < count; index += 1) {
        seenMs.push(heardSamples / SAMPLES_PER_MS);
      }
      const next = textOf(sureTokens(vocabulary, hypotheses));
      const many = textOf(latest.tokens.slice(0, agreedTokens(vocabulary, hypotheses, MANY)));
      // What has been shown stays until many are agreed on something else.
      if (next.startsWith(agreed) || !agreed.startsWith(many)) agreed = next;
    },
    words: (said, window, heardSamples) =>
      timedWords(wordsOf(said), { window, heardSamples, seenMs }),
  };

  function textOf(tokens: readonly number[]): string {
    return vocabulary.text(tokens).replace(MARKS_AT_END, '');
  }
}

function sureTokens(vocabulary: Vocabulary, hypotheses: readonly Decoded[]): readonly number[] {
  const { tokens, chances } = hypotheses.at(-1) ?? { tokens: [], chances: [] };
  const some = agreedTokens(vocabulary, hypotheses, SOME);
  const many = agreedTokens(vocabulary, hypotheses, MANY);
  const unsure = chances.slice(0, some).findIndex((chance, at) => at >= many && chance < SURE);
  const sure = unsure === -1 ? some : wordsEnd(vocabulary, tokens, unsure);
  // Who reads along wants to see at once that somebody is heard: one word is soon put right.
  const first = some === 0 ? 0 : wordStarts(vocabulary, tokens)[1];
  return withoutEcho(vocabulary, tokens.slice(0, Math.max(sure, many, first ?? 0)));
}

/** Tokens up to a word that is told again and again at the end, as the model does while the next is on its way. */
function withoutEcho(vocabulary: Vocabulary, tokens: readonly number[]): readonly number[] {
  const starts = wordStarts(vocabulary, tokens);
  const words = starts.map((start, at) =>
    wordsAlone(vocabulary.text(tokens.slice(start, starts[at + 1]))),
  );
  let count = words.length;
  while (count > 1 && words[count - 1] === words[count - 2]) count -= 1;
  return tokens.slice(0, starts[count]);
}

function wordStarts(vocabulary: Vocabulary, tokens: readonly number[]): number[] {
  return tokens.flatMap((token, at) => (at === 0 || vocabulary.beginsWord(token) ? [at] : []));
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
