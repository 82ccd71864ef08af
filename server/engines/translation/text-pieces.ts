/**
 * Cuts texts into pieces that are translated one by one, so that a long text never holds back the
 * captions of others, and puts outer blanks beyond the reach of the engine.
 */

import { sentenceEnds } from '../../text/sentences.ts';

/** A part of a text; all parts joined are the text again. */
export interface Piece {
  text: string;
  /** False for blanks and what has no letters: it means the same in every language. */
  translatable: boolean;
}

const LETTER = /\p{L}/u;
const BLANK = /\s/u;

/** What is searched for the ends of sentences at a time, in UTF-16 units: far less than 1 ms. */
const WINDOW_LENGTH = 2_048;
/** Whether a full stop ends a sentence may depend on what follows it, so far in UTF-16 units. */
const LOOKAHEAD_LENGTH = 128;
/** Two line breaks and more, with the blanks between them: nothing goes on behind them. */
const PARAGRAPH_END = /(?:(?:\r\n|[\n\r\u2028\u2029])[^\S\n\r\u2028\u2029]*){2,}/g;

export interface TextCutting {
  /** Language of the text, whose rules tell where sentences end. */
  language: string;
  /** Longest piece in UTF-16 units. */
  maxLength: number;
  /**
   * `packed`, the default: as many whole sentences as fit are a piece. `single`: each is one, and
   * each paragraph ends one.
   */
  sentences?: 'packed' | 'single';
}

/**
 * Cuts a text at the ends of sentences; only a sentence that is longer than a piece itself is cut
 * between words. Works piece by piece as it is consumed: no step takes more time than one window.
 */
export function* splitText({
  text,
  ...cutting
}: TextCutting & { text: string }): Generator<Piece, void, undefined> {
  const isPacked = cutting.sentences !== 'single';
  if (isPacked && text.length <= cutting.maxLength) yield* trimmed(text);
  else for (const part of cutText(text, cutting)) yield* trimmed(part);
}

function* trimmed(part: string): Generator<Piece> {
  if (!LETTER.test(part)) {
    if (part !== '') yield { text: part, translatable: false };
    return;
  }
  const core = part.trim();
  const start = part.length - part.trimStart().length;
  if (start > 0) yield { text: part.slice(0, start), translatable: false };
  yield { text: core, translatable: true };
  const rest = part.slice(start + core.length);
  if (rest !== '') yield { text: rest, translatable: false };
}

function* cutText(
  text: string,
  { language, maxLength, sentences = 'packed' }: TextCutting,
): Generator<string> {
  let start = 0;
  let end = 0;
  for (const next of endsOf(text, language, sentences)) {
    const isFull = sentences === 'single' || next - start > maxLength;
    if (isFull && end > start) {
      yield text.slice(start, end);
      start = end;
    }
    end = next;
    while (end - start > maxLength) {
      const cut = cutBetweenWords(text, start, maxLength);
      yield text.slice(start, cut);
      start = cut;
    }
  }
  if (end > start) yield text.slice(start, end);
}

/**
 * Where sentences end, found window by window: each window starts where a sentence does, so that
 * the ends are those of the whole text. A sentence that fills a window ends at a blank of it.
 */
function* endsOf(
  text: string,
  language: string,
  sentences: TextCutting['sentences'],
): Generator<number> {
  for (let start = 0; start < text.length;) {
    const windowStart = start;
    const window = text.slice(windowStart, windowStart + WINDOW_LENGTH);
    const isLast = windowStart + WINDOW_LENGTH >= text.length;
    const trustedEnd = windowStart + (isLast ? WINDOW_LENGTH : WINDOW_LENGTH - LOOKAHEAD_LENGTH);
    const ends = sentenceEnds(window, { language, atLineBreaks: false });
    if (sentences === 'single') {
      for (const match of window.matchAll(PARAGRAPH_END)) ends.push(match.index + match[0].length);
      ends.sort((one, other) => one - other);
    }
    for (const each of ends) {
      const end = windowStart + each;
      if (end <= start) continue;
      if (end > trustedEnd) break;
      start = end;
      yield end;
    }
    if (start > windowStart) continue;
    start = cutBetweenWords(text, windowStart, WINDOW_LENGTH);
    yield start;
  }
}

/** After the last blank within reach; without one, wherever no character is torn in two. */
function cutBetweenWords(text: string, start: number, maxLength: number): number {
  const limit = start + maxLength;
  for (let at = limit; at > start + maxLength / 2; at--) {
    if (BLANK.test(text.charAt(at - 1))) return at;
  }
  const splitsPair = (text.codePointAt(limit - 1) ?? 0) > 0xffff;
  return splitsPair ? limit - 1 : limit;
}
