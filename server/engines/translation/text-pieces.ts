/**
 * Cuts texts into pieces that are translated one by one, so that a long text never holds back the
 * captions of others, and puts outer blanks beyond the reach of the engine.
 */

/** A part of a text; all parts joined are the text again. */
export interface Piece {
  text: string;
  /** False for blanks and what has no letters: it means the same in every language. */
  translatable: boolean;
}

const LETTER = /\p{L}/u;
const BLANK = /\s/u;

/**
 * What the segmenter gets at a time, in UTF-16 units: its time grows with the square of the length,
 * and a window of the shortest sentences takes it 0.2 ms.
 */
const WINDOW_LENGTH = 1_024;
/** Whether a full stop ends a sentence may depend on what follows it, so far in UTF-16 units. */
const LOOKAHEAD_LENGTH = 128;

/**
 * Cuts a text of more than `maxLength` UTF-16 units at the ends of sentences; only a sentence that
 * is longer itself is cut between words. Works piece by piece as it is consumed: no step takes more
 * time than one window of the segmenter.
 */
export function* splitText({
  text,
  language,
  maxLength,
}: {
  text: string;
  language: string;
  maxLength: number;
}): Generator<Piece, void, undefined> {
  if (text.length <= maxLength) yield* trimmed(text);
  else for (const part of packSentences(text, language, maxLength)) yield* trimmed(part);
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

/** Joins whole sentences while they fit. */
function* packSentences(text: string, language: string, maxLength: number): Generator<string> {
  let start = 0;
  let end = 0;
  for (const next of sentenceEnds(text, language)) {
    if (next - start > maxLength && end > start) {
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
function* sentenceEnds(text: string, language: string): Generator<number> {
  const segmenter = segmenterOf(language);
  let start = 0;
  while (text.length - start > WINDOW_LENGTH) {
    const windowStart = start;
    const trustedEnd = windowStart + WINDOW_LENGTH - LOOKAHEAD_LENGTH;
    const window = text.slice(windowStart, windowStart + WINDOW_LENGTH);
    for (const { index, segment } of segmenter.segment(window)) {
      const end = windowStart + index + segment.length;
      if (end > trustedEnd) break;
      start = end;
      yield end;
    }
    if (start > windowStart) continue;
    start = cutBetweenWords(text, windowStart, WINDOW_LENGTH);
    yield start;
  }
  for (const { index, segment } of segmenter.segment(text.slice(start))) {
    yield start + index + segment.length;
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

const segmenters = new Map<string, Intl.Segmenter>();

function segmenterOf(language: string): Intl.Segmenter {
  let segmenter = segmenters.get(language);
  if (segmenter === undefined) {
    segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
    segmenters.set(language, segmenter);
  }
  return segmenter;
}
