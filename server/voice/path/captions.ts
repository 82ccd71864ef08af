/** Captions: what they are made of, the units in which they grow, and where their pieces lie in time. */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { Word } from '../../engines/engine.ts';

/**
 * How calm captions are: `instant` shows every word at once, `balanced` what is unlikely to change,
 * `settled` nothing that can change.
 */
export const captionModes = ['instant', 'balanced', 'settled'] as const;
export type CaptionMode = (typeof captionModes)[number];

/** A piece of a transcript; times in ms since the first sample. */
export interface CaptionSegment {
  /** Carries its own leading blank, so that plain concatenation reads right. */
  text: string;
  startMs: number;
  endMs: number;
  language: LanguageTag;
  /** Of the recogniser; source segments only. */
  words?: Word[];
  /** The how many-th sentence it is, or translates; of whole sentences only. */
  index?: number;
}

/** What has changed in a transcript. */
export interface CaptionUpdate {
  /** Final segments, each of them once. */
  concluded: CaptionSegment[];
  /** Replaces the tentative segments of the update before. */
  tentative: CaptionSegment[];
  /**
   * What translators need; source updates only. A sentence may have been spoken in several
   * utterances: their segments, concluded one by one, are here once more as one.
   */
  sentences?: SentenceUpdate;
}

/** What has changed for translators. */
export interface SentenceUpdate {
  /** Concluded segments as whole sentences, each of them once. */
  concluded: CaptionSegment[];
  /** The sentence that still grows, replaces the one before: concluded segments, then what is tentative. */
  growing: CaptionSegment | undefined;
  /** Whether the recogniser has taken much back of late: what grows may well change. */
  isUnsure: boolean;
}

/** Two updates as one: nothing concluded is lost, only the newest tentative text counts. */
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

/** Segments that follow each other as one. */
export function joinSegments(
  first: CaptionSegment,
  ...others: readonly CaptionSegment[]
): CaptionSegment {
  const { startMs, language } = first;
  const text = others.reduce((before, segment) => before + segment.text, first.text);
  return { text, startMs, endMs: others.at(-1)?.endMs ?? first.endMs, language };
}

/** What a segment begins with: nothing at the start of a transcript or where a script has no blanks. */
export function leadingBlank(language: LanguageTag, isFirst: boolean): string {
  return isFirst || isWrittenWithoutBlanks(language) ? '' : ' ';
}

// The units in which captions grow: words, or single characters where a script has no blanks.

const WRITTEN_WITHOUT_BLANKS = new Set(['ja', 'km', 'lo', 'my', 'th', 'yue', 'zh']);
const WORD = /\s*\S+/gu;
/** A run of Latin letters or figures is a word in any script; marks belong to the letter before. */
const CHARACTER = /\s*(?:[\p{Script=Latin}\p{N}]+|\S\p{M}*)/gu;

export function isWrittenWithoutBlanks(language: LanguageTag): boolean {
  return WRITTEN_WITHOUT_BLANKS.has(baseLanguage(language));
}

/** The units of a text, each with the blank before it: joined, they are the text without its last blanks. */
export function captionUnits(text: string, language: LanguageTag): string[] {
  return text.match(isWrittenWithoutBlanks(language) ? CHARACTER : WORD) ?? [];
}

/** Words and punctuation marks by themselves: a full stop that is added changes no word. */
const TOKEN = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*|[^\s\p{L}\p{M}\p{N}]/gu;

/** What erasure is counted in: words and punctuation marks, or single characters. */
export function captionTokens(text: string, language: LanguageTag): string[] {
  if (isWrittenWithoutBlanks(language))
    return captionUnits(text, language).map((unit) => unit.trim());
  return text.match(TOKEN) ?? [];
}

// Cuts what was heard into pieces and finds their times.

/** A text with its times, in ms of the stream. */
export interface TimedText {
  text: string;
  startMs: number;
  endMs: number;
  /** Empty when there are no times for them. */
  words: Word[];
}

const LETTERS = /[\p{L}\p{N}]/gu;

/**
 * The pieces of a text, without the blanks around them; empty ones are left out. Words are matched by
 * how many letters come before them, so it does not matter whether they are spelled with punctuation;
 * without words, times are shared out by letters.
 *
 * @param ends where pieces end, UTF-16 positions in ascending order, the last one the text's length
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

/** Where the middle of each word lies, as a share of all their letters. */
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
