/** The words of a text whose spelling may be judged: no names, numbers, compounds, addresses or code. */
import type { LanguageTag } from '../../../shared/language.ts';
import { sentenceEnds } from '../sentences.ts';
import { isAccepted } from './accepted-words.ts';
import { touchesAny, type Span } from './untouchable.ts';

export interface SpellingWord extends Span {
  /** As it is looked up: in lower case, with straight apostrophes. */
  lookedUp: string;
  /** Whether it began with a capital. */
  isCapital: boolean;
}

const WORD = /[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*/gu;
const PLAIN = /^\p{Script=Latin}[\p{Ll}\p{M}]*(?:['’][\p{Ll}\p{M}]+)*$/u;
/** A longer word without a hyphen is a compound, or nobody's word. */
const MAX_LENGTH = 24;
const MIN_LENGTH = 3;

/**
 * The words that may be judged, in order. A word with a capital is taken for a name unless it begins
 * a sentence.
 *
 * @param untouchable in order
 */
export function spellingWords(
  text: string,
  language: LanguageTag,
  untouchable: readonly Span[],
): SpellingWord[] {
  const starts = sentenceStarts(text, language);
  const words: SpellingWord[] = [];
  let sentence = 0;
  for (const { 0: word, index: start } of text.matchAll(WORD)) {
    const isInitial = (starts[sentence] ?? Infinity) <= start;
    while ((starts[sentence] ?? Infinity) <= start) sentence += 1;
    const end = start + word.length;
    const isCapital = /^\p{Lu}/u.test(word);
    if (word.length < MIN_LENGTH || word.length > MAX_LENGTH || !PLAIN.test(word)) continue;
    if ((isCapital && !isInitial) || touchesAny(untouchable, { start, end })) continue;
    const lookedUp = word.toLowerCase().replaceAll('’', "'").normalize('NFC');
    if (!isAccepted(lookedUp, language)) words.push({ start, end, lookedUp, isCapital });
  }
  return words;
}

/** A suggestion in the case and with the apostrophes of the word that it replaces. */
export function inCaseOf(original: string, suggestion: string): string {
  const apostrophes = original.includes('’') ? suggestion.replaceAll("'", '’') : suggestion;
  if (!/^\p{Lu}/u.test(original)) return apostrophes;
  const isShouted = original.length > 1 && original === original.toUpperCase();
  return isShouted
    ? apostrophes.toUpperCase()
    : apostrophes.charAt(0).toUpperCase() + apostrophes.slice(1);
}

function sentenceStarts(text: string, language: LanguageTag): number[] {
  return [0, ...sentenceEnds(text, { language, atLineBreaks: true })];
}
