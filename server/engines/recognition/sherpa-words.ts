/** Tokens and their times to text and words. */
import type { Word } from '../engine.ts';
import type { SherpaResult } from './sherpa-library.ts';

/** How long the last token of a word may last if nothing follows, in ms: a syllable. */
const TOKEN_MS = 240;
/** Scripts that put no blanks between words: every sign is placed on its own. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** Marks that models leave among their tokens: `<unk>`, `<|en|>`. */
const MARK = /<[^<>\s]*>/g;

/** The text of a result in one line, without the marks of its model. */
export function textOf({ text }: Pick<SherpaResult, 'text'>): string {
  return text.replaceAll(MARK, ' ').replace(/\s+/g, ' ').trim();
}

/**
 * Words with times in ms. A token that begins with a blank (or its sign `▁`) begins a word, as does
 * any sign of a script without blanks. Empty when the model tells no times.
 */
export function wordsOf({ tokens = [], timestamps = [] }: SherpaResult): Word[] {
  if (tokens.length === 0 || timestamps.length !== tokens.length) return [];
  const words: Word[] = [];
  tokens.forEach((token, index) => {
    const text = token.replaceAll(MARK, '').replaceAll('▁', ' ');
    const startMs = Math.round((timestamps[index] ?? 0) * 1000);
    const last = words.at(-1);
    const said = text.trim();
    if (last !== undefined) last.endMs = Math.max(last.startMs, Math.min(last.endMs, startMs));
    const begins = last === undefined || /^\s/.test(text) || isUnspaced(said, last.text);
    if (said === '') {
      // A blank of its own ends the word before.
      if (/\s/.test(text)) words.push({ text: '', startMs, endMs: startMs });
    } else if (begins) words.push({ text: said, startMs, endMs: startMs + TOKEN_MS });
    else {
      if (last.text === '') last.startMs = startMs;
      last.text += said;
      last.endMs = startMs + TOKEN_MS;
    }
  });
  return words.filter(({ text }) => text !== '');
}

function isUnspaced(token: string, before: string): boolean {
  return UNSPACED.test(token) || (UNSPACED.test(before) && /^\p{L}/u.test(token));
}
