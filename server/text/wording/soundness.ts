/**
 * Whether what an engine has made of a text can be an improvement of it. Models lose a number, drop
 * an address, answer a question instead of mending it, or write another text altogether.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { countCodePoints } from '../code-points.ts';
import { sentenceEnds } from '../sentences.ts';
import { isDenial, mayDeny, isWordForWord, wordsOf } from './word-changes.ts';
import { untouchableSpans } from './edits.ts';

export interface SoundnessOptions {
  task: 'correct' | 'rephrase';
  language: LanguageTag;
}

/** How much longer and shorter a text may become, and by how many characters a short one at any rate. */
const bounds = {
  correct: { most: 1.4, least: 0.65, freeGrowth: 12 },
  rephrase: { most: 2, least: 0.35, freeGrowth: 40 },
} as const;
const FREE_SHRINKAGE = 6;
/** A sentence with so many longer words has one of them in any wording. */
const MIN_TELLING_WORDS = 2;
const TELLING_WORD = 5;

const NUMBER = /\p{N}+/gu;
const WORD = /[\p{L}\p{M}]+/gu;
/** A capital within a sentence: after a small letter or a comma, and a blank. */
const NAME = /(?<=[\p{Ll},] )\p{Lu}[\p{L}\p{M}]+/gu;
const OUTER_SIGNS = /^[("'“”„«»‘’[¿¡]+|[)"'“”«»‘’\].,;:!?…]+$/gu;

/**
 * Says no to what lost or invented numbers, names, addresses or code, has more around it than the text
 * had, denies other than it, or is another text.
 */
export function isSoundImprovement(
  original: string,
  improved: string,
  { task, language }: SoundnessOptions,
): boolean {
  if (improved === original) return true;
  return (
    hasFittingLength(original, improved, task) &&
    sameNumbers(original, improved) &&
    keepsUntouchables(original, improved) &&
    keepsNames(original, improved, baseLanguage(language)) &&
    !isWrapped(original, improved, task) &&
    (task === 'correct'
      ? isCorrected(original, improved, language)
      : isRephrased(original, improved, language))
  );
}

function hasFittingLength(original: string, improved: string, task: 'correct' | 'rephrase') {
  const { most, least, freeGrowth } = bounds[task];
  const before = countCodePoints(original.trim());
  const after = countCodePoints(improved.trim());
  return (
    after > 0 && after <= before * most + freeGrowth && after >= before * least - FREE_SHRINKAGE
  );
}

function sameNumbers(original: string, improved: string): boolean {
  const before = found(original, NUMBER).sort();
  const after = found(improved, NUMBER).sort();
  return before.length === after.length && before.every((number, i) => number === after[i]);
}

function keepsUntouchables(original: string, improved: string): boolean {
  return untouchableSpans(original).every(({ start, end }) =>
    improved.includes(original.slice(start, end).replace(OUTER_SIGNS, '')),
  );
}

/** In German every noun has a capital: names cannot be told from words. */
function keepsNames(original: string, improved: string, language: LanguageTag): boolean {
  if (language === 'de') return true;
  const words = new Set(found(improved, WORD).map((word) => beginning(word)));
  return found(original, NAME).every((name) => words.has(beginning(name)));
}

function isCorrected(original: string, improved: string, language: LanguageTag): boolean {
  const before = sentencesOf(original, language).length;
  const after = sentencesOf(improved, language).length;
  return after >= before && isWordForWord(original, improved, language);
}

/** As far as that shows in other words: no sentence is gone, and what was denied still is. */
function isRephrased(original: string, improved: string, language: LanguageTag): boolean {
  const after = wordsOf(improved);
  const before = wordsOf(original);
  const denies = (words: readonly string[]) => words.some((word) => isDenial(word, language));
  if (denies(before) && !denies(after)) {
    const known = new Set(before);
    if (!after.some((word) => mayDeny(word) && !known.has(word))) return false;
  }
  const sentences = sentencesOf(original, language);
  if (sentences.length < 2) return true;
  const kept = new Set(unjoined(after).map((word) => beginning(word)));
  return sentences.every((sentence) => {
    const telling = unjoined(wordsOf(sentence)).filter((word) => word.length >= TELLING_WORD);
    return telling.length < MIN_TELLING_WORDS || telling.some((word) => kept.has(beginning(word)));
  });
}

/** `don't` may become `do not`: what an apostrophe joins is more than one word. */
function unjoined(words: readonly string[]): string[] {
  return words.flatMap((word) => word.split("'"));
}

function sentencesOf(text: string, language: LanguageTag): string[] {
  const trimmed = text.trim();
  let start = 0;
  return sentenceEnds(trimmed, { language, atLineBreaks: true })
    .map((end) => {
      const sentence = trimmed.slice(start, end);
      start = end;
      return sentence;
    })
    .filter((sentence) => /\p{L}/u.test(sentence));
}

/** Enough to know a word again that was inflected, or misspelled at its end. */
function beginning(word: string): string {
  return word.toLowerCase().slice(0, 3);
}

function found(text: string, pattern: RegExp): string[] {
  return text.match(pattern) ?? [];
}

// What models put around a text that nobody has asked for: prefaces, quotation marks, Markdown, notes.

/** Marks of emphasis, code and headings. */
const MARKDOWN = /[*_`#~]/gu;
const QUOTATION_MARKS = /["“”„«»]/u;
const OUTER_QUOTATION = /^\s*["“”„«»‘'*_`~]|["“”„«»’'*_`~]\s*$/u;
const OUTER_BRACKET = /[([{][^()[\]{}]*[)\]}][.!]?\s*$/u;
const BRACKET = /[([{]/u;
const LINE_BREAK = /[\r\n]/u;
/** A preface ends with a colon, mostly in its first line. */
const COLON = /[:：](?=\s|$)/gu;
const LONGEST_PREFACE = 120;
/** What somebody says who has been asked for something. */
const OPENING =
  /^\s*(?:sure|certainly|of course|absolutely|okay|ok|here (?:is|are|you)|here['’]s|as requested|gerne|natürlich|selbstverständlich|hier ist|voici|bien sûr|volontiers|claro|por supuesto|aquí (?:está|tienes)|ecco|certo|certamente|aqui está|com certeza)(?!\p{L})/iu;

/** Whether an answer has more around it than the text had. */
function isWrapped(original: string, improved: string, task: 'correct' | 'rephrase'): boolean {
  if (count(improved, MARKDOWN) > count(original, MARKDOWN)) return true;
  const hasQuotation = QUOTATION_MARKS.test(original) || OUTER_QUOTATION.test(original);
  if (OUTER_QUOTATION.test(improved) && !hasQuotation) return true;
  if (OUTER_BRACKET.test(improved) && !BRACKET.test(original)) return true;
  if (LINE_BREAK.test(improved.trim()) && !LINE_BREAK.test(original.trim())) return true;
  if (task === 'correct') return false;
  if (OPENING.test(improved) && !OPENING.test(original)) return true;
  const preface = (text: string) => count(text.slice(0, LONGEST_PREFACE), COLON);
  return preface(improved) > preface(original);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
