/** From what was heard in an utterance to words on the clock of the stream. Pure. */
import type { LanguageTag } from '../../../shared/language.ts';
import type { Word } from '../engine.ts';

/** What was heard, timed in whole ms of the stream. */
export interface PlacedUtterance {
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
