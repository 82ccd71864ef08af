/** What rules of style and tone are made of. */
import type { Edit } from './edits.ts';

/** Finds what is to be said otherwise in an English text. */
export type Rule = (text: string) => Edit[];

export const APOSTROPHE = "['’]";
export const WORD_STARTS = "(?<![\\p{L}\\p{N}'’-])";
export const WORD_ENDS = "(?![\\p{L}\\p{N}'’-])";
/** Few blanks, so that a long row of them is not read again at each of its places. */
export const BLANK = '[ \\t]{1,3}';
/** Beginnings of a clause with a subject. */
export const SUBJECT =
  '(?:I|you|we|they|he|she|it|this|that|these|those|there|the|a|an|our|your|my|their|his|her)';
export const SENTENCE_STARTS =
  '(?<=^[ \\t]{0,8}(?:[-*•–(][ \\t]{0,3}|\\d{1,2}[.)][ \\t]{1,3})?|[.!?…]["”’)]{0,2}\\s{1,4})';
export const CLAUSE_ENDS = '(?=[ \\t]{0,3}(?:[.,;:!?)]|$))';

const BEGINS_SENTENCE = new RegExp(`${SENTENCE_STARTS}(?![\\s\\S])`, 'mu');
const LONGEST_BEGINNING = 16;

/** Whether a sentence, a line or a point of a list begins at a place. */
function beginsSentence(text: string, place: number): boolean {
  const start = Math.max(0, place - LONGEST_BEGINNING);
  return BEGINS_SENTENCE.test((start > 0 ? 'x' : '') + text.slice(start, place));
}

export interface Places {
  /** What must stand before a phrase. */
  behind?: string;
  /** What must follow it. */
  ahead?: string;
  /** Whether it must begin a sentence. */
  atStart?: boolean;
}

/** `longer phrase > shorter`, one a line. Names, titles and headings stay, as far as capitals tell them. */
export function phrases(
  list: string,
  { behind = '', ahead = '', atStart = false }: Places = {},
): Rule {
  const others = new Map(
    list
      .trim()
      .split('\n')
      .map((line) => parted(line)),
  );
  // Of two that begin alike the longer one is found.
  const patterns = [...others.keys()]
    .sort((one, other) => other.length - one.length)
    .map((phrase) => phrase.replaceAll(' ', BLANK).replaceAll("'", APOSTROPHE));
  const found = new RegExp(
    `${behind}${WORD_STARTS}(?:${patterns.join('|')})${WORD_ENDS}${ahead}`,
    'gimu',
  );
  return each(found, ({ 0: phrase, index, input }) => {
    const key = phrase
      .toLowerCase()
      .replaceAll('’', "'")
      .replaceAll(/[ \t]+/gu, ' ');
    const other = others.get(key);
    const isTitle = /[ \t](?!I(?![\p{L}]))\p{Lu}/u.test(phrase) || isShouted(phrase);
    if (other === undefined || isTitle) return undefined;
    // Behind the full stop of an abbreviation the sentence goes on.
    const isWithin =
      /^\p{Ll}/u.test(phrase) &&
      /[.!?…]["”’)]{0,2}\s{1,4}$/u.test(input.slice(Math.max(0, index - 8), index));
    if (atStart && (isWithin || !beginsSentence(input, index))) return undefined;
    const isNamed = /^\p{Lu}/u.test(phrase) && !/^I(?!\p{L})/u.test(phrase);
    if (isNamed && !beginsSentence(input, index)) return undefined;
    return likeCase(phrase, other);
  });
}

function parted(line: string): [phrase: string, other: string] {
  const [phrase = '', other = ''] = line.split(' > ');
  return [phrase.trim().toLowerCase(), other.trim()];
}

/** What a pattern finds, in other words; none when it answers nothing. */
export function each(pattern: RegExp, other: (match: RegExpExecArray) => string | undefined): Rule {
  return (text) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const said = other(match);
      const start = match.index;
      return said === undefined ? [] : [{ start, end: start + match[0].length, text: said }];
    });
}

export function isShouted(phrase: string): boolean {
  return phrase.length > 1 && phrase === phrase.toUpperCase();
}

/** A text with a capital at its beginning if the model has one. */
export function likeCase(model: string, text: string): string {
  return /^\p{Lu}/u.test(model) ? text.replace(/^\p{L}/u, (letter) => letter.toUpperCase()) : text;
}
