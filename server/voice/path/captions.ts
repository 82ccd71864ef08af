/** Captions: their data types, the units in which they grow, and the timing of their pieces. */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { Word } from '../../engines/engine.ts';

/**
 * Stability of tentative captions: `instant` shows every word at once, `balanced` only what is unlikely
 * to change, `settled` only what cannot change.
 */
export const captionModes = ['instant', 'balanced', 'settled'] as const;
export type CaptionMode = (typeof captionModes)[number];

/** A piece of a transcript; times in ms since the first sample. */
export interface CaptionSegment {
  /** Includes its leading blank, so that plain concatenation reads correctly. */
  text: string;
  startMs: number;
  endMs: number;
  language: LanguageTag;
  /** Words of the recogniser, in source segments only. */
  words?: Word[];
  /** Number of the sentence that this is or translates; for whole sentences only. */
  index?: number;
}

/** Changes in a transcript. */
export interface CaptionUpdate {
  /** Final segments; each is reported once. */
  concluded: CaptionSegment[];
  /** Tentative segments, which replace those of the previous update. */
  tentative: CaptionSegment[];
  /**
   * Input for translators; in source updates only. A sentence spoken in several utterances appears here
   * as one segment, although its parts have been concluded one by one.
   */
  sentences?: SentenceUpdate;
}

/** Changes that concern translators. */
export interface SentenceUpdate {
  /** Whole concluded sentences; each is reported once. */
  concluded: CaptionSegment[];
  /** The unfinished sentence, which replaces the previous one: concluded segments, then tentative text. */
  growing: CaptionSegment | undefined;
  /** Whether the recogniser has recently revised much, so that the growing text may well change. */
  isUnsure: boolean;
}

/** Merges two updates: keeps all concluded segments, but only the newest tentative text. */
export function conflateUpdates(held: CaptionUpdate, next: CaptionUpdate): CaptionUpdate {
  const conflated = {
    concluded: joined(held.concluded, next.concluded),
    tentative: next.tentative,
  };
  if (next.sentences === undefined) return conflated;
  const { growing, isUnsure } = next.sentences;
  const concluded = joined(held.sentences?.concluded ?? [], next.sentences.concluded);
  return { ...conflated, sentences: { concluded, growing, isUnsure } };
}

function joined(held: CaptionSegment[], next: CaptionSegment[]): CaptionSegment[] {
  return held.length === 0 ? next : [...held, ...next];
}

/** Joins consecutive segments into one. */
export function joinSegments(
  first: CaptionSegment,
  ...others: readonly CaptionSegment[]
): CaptionSegment {
  const { startMs, language } = first;
  const text = others.reduce((before, segment) => before + segment.text, first.text);
  return { text, startMs, endMs: others.at(-1)?.endMs ?? first.endMs, language };
}

/** Returns the leading blank of a segment: none at the start of a transcript or in scripts without spaces. */
export function leadingBlank(language: LanguageTag, isFirst: boolean): string {
  return isFirst || isWrittenWithoutBlanks(language) ? '' : ' ';
}

// Units in which captions grow: words, or single characters in scripts without spaces.

const WRITTEN_WITHOUT_BLANKS = new Set(['ja', 'km', 'lo', 'my', 'th', 'yue', 'zh']);
const WORD = /\s*\S+/gu;
/** A run of Latin letters or digits is one unit in any script; combining marks follow their letter. */
const CHARACTER = /\s*(?:[\p{Script=Latin}\p{N}]+|\S\p{M}*)/gu;

export function isWrittenWithoutBlanks(language: LanguageTag): boolean {
  return WRITTEN_WITHOUT_BLANKS.has(baseLanguage(language));
}

/** Blanks between characters of Chinese or Japanese. */
const BLANKS_WITHIN =
  /(?<=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}])\s+(?=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}])/gu;

/**
 * Writes the words of an unpunctuated text as its language does. Some recognisers put blanks between all words,
 * even in Chinese and Japanese.
 */
export function writtenTogether(text: string, language: LanguageTag): string {
  return ['ja', 'yue', 'zh'].includes(baseLanguage(language))
    ? text.replace(BLANKS_WITHIN, '')
    : text;
}

/** Splits a text into units with leading blanks; joined, they give the text without trailing blanks. */
export function captionUnits(text: string, language: LanguageTag): string[] {
  return text.match(isWrittenWithoutBlanks(language) ? CHARACTER : WORD) ?? [];
}

/** Punctuation marks are tokens of their own, so that an added full stop changes no word. */
const TOKEN = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*|[^\s\p{L}\p{M}\p{N}]/gu;

/** Tokens in which erasure is counted: words and punctuation marks, or single characters. */
export function captionTokens(text: string, language: LanguageTag): string[] {
  if (isWrittenWithoutBlanks(language))
    return captionUnits(text, language).map((unit) => unit.trim());
  return text.match(TOKEN) ?? [];
}

// Cutting recognised text into pieces with times.

/** A text with its position in the stream, in ms. */
export interface TimedText {
  text: string;
  startMs: number;
  endMs: number;
  /** Empty when word times are unknown. */
  words: Word[];
}

const LETTERS = /[\p{L}\p{N}]/gu;

/**
 * Cuts a text into trimmed, non-empty pieces. Words are assigned by the number of letters before them, so
 * their spelling and punctuation need not match the text. Without words, times are interpolated by
 * letters.
 *
 * @param ends ends of the pieces as ascending UTF-16 positions; the last one is the text's length
 */
export function timedPieces(heard: TimedText, ends: readonly number[]): TimedText[] {
  if (ends.length <= 1) {
    const text = heard.text.trim();
    const { startMs, endMs, words } = heard;
    return text === '' ? [] : [{ text, startMs, endMs, words }];
  }
  const total = letterCount(heard.text);
  const middles = wordMiddles(heard.words);
  const pieces: TimedText[] = [];
  let start = 0;
  let nextWord = 0;
  let letters = 0;
  let floorMs = heard.startMs;
  for (const end of ends) {
    const text = heard.text.slice(start, end).trim();
    letters += letterCount(text);
    start = end;
    const isLast = end === ends.at(-1);
    const share = isLast ? 1 : letters / Math.max(total, 1);
    let endWord = nextWord;
    while (endWord < middles.length && (isLast || (middles[endWord] ?? 0) < share)) endWord += 1;
    const words = heard.words.slice(nextWord, endWord);
    nextWord = endWord;
    if (text === '') continue;
    const byShare = heard.startMs + share * (heard.endMs - heard.startMs);
    const startMs = Math.max(words[0]?.startMs ?? floorMs, floorMs);
    const endMs = isLast ? heard.endMs : Math.max(words.at(-1)?.endMs ?? byShare, startMs);
    pieces.push({ text, startMs, endMs, words });
    floorMs = endMs;
  }
  return pieces;
}

/** Middle of each word, as a share of all letters. */
function wordMiddles(words: readonly Word[]): number[] {
  const counts = words.map(({ text }) => Math.max(letterCount(text), 1));
  const total = counts.reduce((sum, count) => sum + count, 0);
  let before = 0;
  return counts.map((count) => {
    const middle = (before + count / 2) / total;
    before += count;
    return middle;
  });
}

function letterCount(text: string): number {
  return text.match(LETTERS)?.length ?? 0;
}
