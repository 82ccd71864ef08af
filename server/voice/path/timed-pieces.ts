/** Cuts what was heard into pieces and finds their times. */
import type { Word } from '../../engines/engine.ts';

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
