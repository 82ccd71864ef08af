/**
 * Cuts texts into pieces that are translated one by one, so that a long text never holds back the
 * captions of others, and puts line breaks and outer blanks beyond the reach of the engine.
 */

/** A part of a text; all parts joined are the text again. */
export interface Piece {
  text: string;
  /** False for blanks, line breaks and what has no letters: it means the same in every language. */
  translatable: boolean;
}

const LINE_BREAK = /([\n\v\f\r\u0085\u2028\u2029]+)/u;
const LETTER = /\p{L}/u;
const BLANK = /\s/u;

/**
 * Cuts a text at its line breaks, and lines of more than `maxLength` UTF-16 units at the ends of
 * sentences; only a sentence that is longer itself is cut between words.
 */
export function splitText({
  text,
  language,
  maxLength,
}: {
  text: string;
  language: string;
  maxLength: number;
}): Piece[] {
  const pieces: Piece[] = [];
  for (const line of text.split(LINE_BREAK)) {
    if (line.length <= maxLength) addTrimmed(pieces, line);
    else for (const part of packSentences(line, language, maxLength)) addTrimmed(pieces, part);
  }
  return pieces;
}

function addTrimmed(pieces: Piece[], part: string): void {
  if (!LETTER.test(part)) {
    if (part !== '') pieces.push({ text: part, translatable: false });
    return;
  }
  const core = part.trim();
  const start = part.length - part.trimStart().length;
  if (start > 0) pieces.push({ text: part.slice(0, start), translatable: false });
  pieces.push({ text: core, translatable: true });
  const rest = part.slice(start + core.length);
  if (rest !== '') pieces.push({ text: rest, translatable: false });
}

/** Joins whole sentences while they fit. */
function* packSentences(line: string, language: string, maxLength: number): Generator<string> {
  let start = 0;
  let end = 0;
  for (const { index, segment } of sentencesOf(language).segment(line)) {
    const next = index + segment.length;
    if (next - start > maxLength && end > start) {
      yield line.slice(start, end);
      start = end;
    }
    end = next;
    while (end - start > maxLength) {
      const cut = cutBetweenWords(line, start, maxLength);
      yield line.slice(start, cut);
      start = cut;
    }
  }
  if (end > start) yield line.slice(start, end);
}

/** After the last blank within reach; without one, wherever no character is torn in two. */
function cutBetweenWords(line: string, start: number, maxLength: number): number {
  const limit = start + maxLength;
  for (let at = limit; at > start + maxLength / 2; at--) {
    if (BLANK.test(line.charAt(at - 1))) return at;
  }
  const splitsPair = (line.codePointAt(limit - 1) ?? 0) > 0xffff;
  return splitsPair ? limit - 1 : limit;
}

const segmenters = new Map<string, Intl.Segmenter>();

function sentencesOf(language: string): Intl.Segmenter {
  let segmenter = segmenters.get(language);
  if (segmenter === undefined) {
    segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
    segmenters.set(language, segmenter);
  }
  return segmenter;
}
