/**
 * How much two texts are alike, in percent. The share of words that need not be changed to turn one
 * into the other (a word is changed, added or left out), rounded down, and less than 100 by what else
 * differs:
 *
 * | differs               | points |
 * | --------------------- | ------ |
 * | some number           | 2      |
 * | tags                  | 2      |
 * | punctuation           | 1      |
 * | capitals              | 1      |
 *
 * 100 is for the same text with the same tags at the same places.
 */
import { plainText, type TextSegment } from '../../text/text-segment.ts';

const POINTS = { numbers: 2, marks: 2, punctuation: 1, capitals: 1 };

/**
 * @param least what is worth knowing: a lower score may be given as 0, which takes less time
 * @returns a whole number from 0 to 99; equality is for the caller to find out
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
 * signs and words beside it: the translation of one then tells the numbers of the other.
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
  // What is left when words, numbers and punctuation are the same.
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
 * Fewest changes from one list of words to another (Levenshtein), looking no further than `most` off
 * the diagonal (Ukkonen).
 *
 * @returns anything above `most` when there are more
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

// A text as translation memories see it: its words, its numbers, and what is left of it.

export interface MemoryText {
  /** In Unicode's composed form, runs of blanks as one, without those at the ends. */
  text: string;
  /** In lower case and in reading order; each number is the word {@link NUMBER}. */
  words: readonly string[];
  /** The numbers that stand for themselves, as they are written. */
  numbers: readonly string[];
  /**
   * Whatever has digits, `B13` as well as `13`, as it is written, with what adjoins it on either side:
   * signs, blanks and the nearest word, for they tell what the number means (`-5`, `> 5`, `€5`, `5 km`).
   */
  figures: readonly string[];
  /** Everything that is neither word nor number nor blank, joined. */
  punctuation: string;
  /** The marks as they open and close, without their places: `oclo`. */
  marks: string;
}

/** Stands for any number: texts that differ in numbers alone are much alike. */
export const NUMBER = '#';
/** A text with more words is found when it is the same, and not when it is similar. */
export const MAX_WORDS = 250;

/** Scripts without blanks between words: each sign counts as one. */
const SIGN =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]';
/** Of such a script so many signs are taken for the word beside a number: units are no longer. */
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

/** Takes a segment apart, in time that grows with its length. */
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

/** Finds the figures of a text: gets its tokens in their order. */
class FigureReader {
  readonly found: string[] = [];
  readonly #text: string;
  /** Where the token before ends. */
  #end = 0;
  /** What the next figure has before it: the last word, and all since. */
  #before = '';
  /** How much of the words after it the last figure still takes: one, or some signs. */
  #wanted = 0;

  constructor(text: string) {
    this.#text = text;
  }

  addNumber(number: string, index: number): void {
    const piece = this.#piece(number, index);
    if (this.#wanted > 0) this.#append(piece);
    // Texts have no line breaks any more, so that they tell the number from what adjoins it.
    const gap = piece.slice(0, piece.length - number.length);
    this.found.push(`${this.#before}${gap}\n${number}\n`);
    this.#wanted = SIGNS_BESIDE;
    this.#before = number;
  }

  addWord(word: string, index: number): void {
    const piece = this.#piece(word, index);
    // As it is written: mW is not MW.
    if (this.#wanted > 0) this.#append(piece);
    this.#wanted = 0;
    // A sentence may begin with it.
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
    // What follows is said of something else.
    if (kept !== piece) this.#wanted = 0;
  }

  /** A token with the blank before it. */
  #piece(token: string, index: number): string {
    const piece = this.#text.slice(this.#end, index) + token;
    this.#end = index + token.length;
    return piece;
  }

  #append(piece: string): void {
    this.found.push(`${this.found.pop() ?? ''}${piece}`);
  }
}

/** Signs that end a sentence or a part of it, and say nothing of a number before them. */
const CLAUSE_END = /[.,;!?…。，、；！？]/;
/** Those that need no blank after them. */
const WIDE_CLAUSE_END = /[。，、；！？]$/;

function withoutClauseEnd(signs: string): string {
  let end = signs.length;
  while (end > 0 && CLAUSE_END.test(signs.charAt(end - 1))) end -= 1;
  return signs.slice(0, end);
}

/**
 * Whether the marks of two segments stand beside the same words, counted from the beginning or from the end:
 * those of the translation of one are then where the other wants them.
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

/** How many words a segment has, and how many before each mark. */
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

/** Unicode's composed form, runs of blanks as one, none at the ends. */
export function normalised(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

function marksOf(segment: TextSegment): string {
  let marks = '';
  for (const part of segment) if (typeof part !== 'string') marks += part.mark.charAt(0);
  return marks;
}
