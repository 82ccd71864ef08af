/**
 * Similarity of two texts, in percent: the share of words that need not be changed, added or removed to turn
 * one text into the other, rounded down, less these points for other differences:
 *
 * | differs               | points |
 * | --------------------- | ------ |
 * | some number           | 2      |
 * | tags                  | 2      |
 * | punctuation           | 1      |
 * | capitals              | 1      |
 *
 * Only the same text with the same tags in the same places scores 100.
 */
import { plainText, type TextSegment } from '../../text/text-segment.ts';

const POINTS = { numbers: 2, marks: 2, punctuation: 1, capitals: 1 };

/**
 * @param least the lowest score of interest: a lower one may be returned as 0, which is faster
 * @returns a whole number from 0 to 99; the caller checks for equality
 */
export function matchScore(one: MemoryText, other: MemoryText, least: number): number {
  const length = Math.max(one.words.length, other.words.length);
  const mostEdits = Math.floor((length * (100 - least)) / 100);
  const edits = length === 0 ? 0 : countEdits(one.words, other.words, mostEdits);
  if (edits > mostEdits) return 0;
  const share = length === 0 ? 100 : Math.floor((100 * (length - edits)) / length);
  const score = share - pointsOff(one, other, edits === 0);
  return score < least ? 0 : Math.min(99, score);
}

/**
 * Whether two texts have the same numbers in the same order, inside words as well, each with the same
 * adjacent signs and words. The translation of one then has the right numbers for the other.
 */
export function sameNumbers(one: MemoryText, other: MemoryText): boolean {
  return areEqual(one.figures, other.figures);
}

function areEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

function pointsOff(one: MemoryText, other: MemoryText, hasSameWords: boolean): number {
  const hasSamePunctuation = one.punctuation === other.punctuation;
  const hasEqualNumbers = areEqual(one.numbers, other.numbers);
  // Only capitals can differ if words, numbers and punctuation are the same.
  const hasOtherCapitals =
    hasSameWords && hasSamePunctuation && hasEqualNumbers && one.text !== other.text;
  return (
    (hasEqualNumbers ? 0 : POINTS.numbers) +
    (one.marks === other.marks ? 0 : POINTS.marks) +
    (hasSamePunctuation ? 0 : POINTS.punctuation) +
    (hasOtherCapitals ? POINTS.capitals : 0)
  );
}

/**
 * Counts the edits between two lists of words (Levenshtein distance), looking no further than `most` off the
 * diagonal (Ukkonen).
 *
 * @returns any number above `most` if there are more edits
 */
function countEdits(from: readonly string[], to: readonly string[], most: number): number {
  if (Math.abs(from.length - to.length) > most) return most + 1;
  let before = new Uint16Array(to.length + 1).fill(most + 1);
  let row = new Uint16Array(to.length + 1).fill(most + 1);
  for (let column = 0; column <= Math.min(to.length, most); column += 1) before[column] = column;
  for (let index = 1; index <= from.length; index += 1) {
    const first = Math.max(1, index - most);
    const last = Math.min(to.length, index + most);
    row[first - 1] = first === 1 ? index : most + 1;
    if (last < to.length) row[last + 1] = most + 1;
    let least = row[first - 1] ?? 0;
    for (let column = first; column <= last; column += 1) {
      const changed = (before[column - 1] ?? 0) + (from[index - 1] === to[column - 1] ? 0 : 1);
      const count = Math.min(changed, (before[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1);
      row[column] = count;
      if (count < least) least = count;
    }
    if (least > most) return most + 1;
    [before, row] = [row, before];
  }
  return before[to.length] ?? most + 1;
}

// A text as translation memories compare it: its words, its numbers, and the rest.

export interface MemoryText {
  /** Text in NFC, with runs of whitespace collapsed and the ends trimmed. */
  text: string;
  /** Words in lower case, in reading order; each number is the word {@link NUMBER}. */
  words: readonly string[];
  /** Numbers outside words, as written. */
  numbers: readonly string[];
  /**
   * Everything with digits, `B13` as well as `13`, as written, with the adjacent signs, spaces and nearest
   * words on either side: they determine what a number means (`-5`, `> 5`, `€5`, `5 km`).
   */
  figures: readonly string[];
  /** All characters other than words, numbers and whitespace, joined. */
  punctuation: string;
  /** Sequence of opening, closing and lone marks, without their places: `oclo`. */
  marks: string;
}

/** Stands for any number, as texts that differ only in numbers are very similar. */
export const NUMBER = '#';
/** Texts with more words are found only if they are identical. */
export const MAX_WORDS = 250;

/** Scripts without spaces between words, where each character counts as a word. */
const SIGN =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]';
/**
 * Number of characters of such a script taken as the word beside a number: units of measure are no longer.
 */
const SIGNS_BESIDE = 8;
const LETTER = `(?:(?!${SIGN})[\\p{L}\\p{M}])`;
const TOKEN = new RegExp(
  [
    `(?<number>\\p{N}+(?:[.,:]\\p{N}+)*)`,
    `(?<sign>(?=[\\p{L}])${SIGN}[\\p{M}]*)`,
    `(?<word>${LETTER}(?:${LETTER}|\\p{N}|['’](?=\\p{L}))*)`,
    `(?<other>[^\\s\\p{L}\\p{M}\\p{N}]+)`,
  ].join('|'),
  'gu',
);

/** Analyses a segment, in linear time. */
export function readMemoryText(segment: TextSegment): MemoryText {
  const text = normalised(plainText(segment));
  const words: string[] = [];
  const numbers: string[] = [];
  const figures = new FigureReader(text);
  let punctuation = '';
  for (const { groups = {}, index } of text.matchAll(TOKEN)) {
    const { number, sign, word, other } = groups;
    if (number !== undefined) {
      words.push(NUMBER);
      numbers.push(number);
      figures.addNumber(number, index);
    } else if (other !== undefined) {
      punctuation += other;
      figures.addOther(other, index);
    } else if (sign !== undefined) {
      words.push(sign);
      figures.addSign(sign, index);
    } else if (word !== undefined) {
      words.push(word.toLowerCase().replaceAll('’', "'"));
      if (/\p{N}/u.test(word)) figures.addNumber(word, index);
      else figures.addWord(word, index);
    }
  }
  return { text, words, numbers, figures: figures.found, punctuation, marks: marksOf(segment) };
}

/** Collects the figures of a text from its tokens, given in order. */
class FigureReader {
  readonly found: string[] = [];
  readonly #text: string;
  /** Position where the previous token ends. */
  #end = 0;
  /** Context before the next figure: the last word, and everything since. */
  #before = '';
  /** How many words, or characters of scripts without spaces, the last figure still takes after it. */
  #wanted = 0;

  constructor(text: string) {
    this.#text = text;
  }

  addNumber(number: string, index: number): void {
    const piece = this.#piece(number, index);
    if (this.#wanted > 0) this.#append(piece);
    // A normalised text contains no line breaks, so they can separate the number from its context.
    const gap = piece.slice(0, piece.length - number.length);
    this.found.push(`${this.#before}${gap}\n${number}\n`);
    this.#wanted = SIGNS_BESIDE;
    this.#before = number;
  }

  addWord(word: string, index: number): void {
    const piece = this.#piece(word, index);
    // Case matters after a number: mW is not MW.
    if (this.#wanted > 0) this.#append(piece);
    this.#wanted = 0;
    // The word before may begin a sentence, so its case does not matter.
    this.#before = word.toLowerCase();
  }

  addSign(sign: string, index: number): void {
    const piece = this.#piece(sign, index);
    if (this.#wanted > 0) this.#append(piece);
    this.#wanted -= 1;
    this.#before = `${this.#before}${piece}`.slice(-SIGNS_BESIDE);
  }

  addOther(other: string, index: number): void {
    const piece = this.#piece(other, index);
    this.#before += piece;
    if (this.#wanted <= 0) return;
    const isAtBlank = this.#end === this.#text.length || this.#text.charAt(this.#end) === ' ';
    const kept = isAtBlank || WIDE_CLAUSE_END.test(other) ? withoutClauseEnd(piece) : piece;
    this.#append(kept);
    // What follows the end of a clause does not concern the number.
    if (kept !== piece) this.#wanted = 0;
  }

  /** Returns a token with the space before it. */
  #piece(token: string, index: number): string {
    const piece = this.#text.slice(this.#end, index) + token;
    this.#end = index + token.length;
    return piece;
  }

  #append(piece: string): void {
    this.found.push(`${this.found.pop() ?? ''}${piece}`);
  }
}

/** Characters that end a clause and do not affect a number before them. */
const CLAUSE_END = /[.,;!?…。，、；！？]/;
/** Those that need no space after them. */
const WIDE_CLAUSE_END = /[。，、；！？]$/;

function withoutClauseEnd(signs: string): string {
  let end = signs.length;
  while (end > 0 && CLAUSE_END.test(signs.charAt(end - 1))) end -= 1;
  return signs.slice(0, end);
}

/**
 * Whether the marks of two segments are beside the same words, counted from the start or from the end. The
 * marks in the translation of one are then in the right places for the other.
 */
export function samePlaces(one: TextSegment, other: TextSegment): boolean {
  const [own, others] = [placesOf(one), placesOf(other)];
  const apart = others.words - own.words;
  return (
    own.places.length === others.places.length &&
    own.places.every((place, index) => {
      const distance = (others.places[index] ?? 0) - place;
      return distance === 0 || distance === apart;
    })
  );
}

/** Counts the words of a segment, and the words before each mark. */
function placesOf(segment: TextSegment): { words: number; places: number[] } {
  const places: number[] = [];
  let words = 0;
  for (const part of segment) {
    if (typeof part !== 'string') places.push(words);
    else
      for (const { groups } of part.matchAll(TOKEN))
        words += groups?.['other'] === undefined ? 1 : 0;
  }
  return { words, places };
}

/** Returns a text in NFC, with runs of whitespace collapsed and the ends trimmed. */
export function normalised(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

function marksOf(segment: TextSegment): string {
  let marks = '';
  for (const part of segment) if (typeof part !== 'string') marks += part.mark.charAt(0);
  return marks;
}
