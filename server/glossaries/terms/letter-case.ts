/** How an occurrence is capitalised, and how a target phrase follows it. */
import type { LanguageTag } from '../../../shared/language.ts';

/** `plain` as the dictionary has it, `initial` with a capital at its beginning, `capitals` throughout. */
export type Capitals = 'plain' | 'initial' | 'capitals';

/** Words of letters, with the marks that combine with them. */
const LETTERS = /[\p{L}\p{M}]+/gu;
const CAPITALISED = /^\p{Lu}[^\p{Lu}]*$/u;
const UNCAPITALISED = /^\P{Lu}+$/u;

/**
 * How an occurrence of a phrase in small letters is capitalised; undefined when in no usual way
 * (`dATA`), so that it must be a name.
 */
export function capitalsOf(occurrence: string): Capitals | undefined {
  const words = occurrence.match(LETTERS) ?? [];
  const isSmall = (word: string) => UNCAPITALISED.test(word);
  if (words.every(isSmall)) return 'plain';
  if (!words.some((word) => /\p{Ll}/u.test(word)) && words.join('').length > 1) return 'capitals';
  if (!words.every((word) => isSmall(word) || CAPITALISED.test(word))) return undefined;
  return CAPITALISED.test(words[0] ?? '') ? 'initial' : 'plain';
}

/** Whether a phrase has no capital, so that it may be met with one. */
export function isSmall(phrase: string): boolean {
  return UNCAPITALISED.test(phrase);
}

/** Whether all letters of a text are capitals, as in a heading. */
export function isAllCapitals(text: string): boolean {
  return !/\p{Ll}/u.test(text) && /\p{Lu}/u.test(text);
}

/** A phrase with the capitals of what it stands for. */
export function withCapitals(phrase: string, capitals: Capitals, language: LanguageTag): string {
  if (capitals === 'initial') return capitalised(phrase, language);
  return capitals === 'capitals' ? phrase.toLocaleUpperCase(language) : phrase;
}

/** A phrase with a capital at its beginning, unless its first word has one elsewhere (`iPhone`). */
export function capitalised(phrase: string, language: LanguageTag): string {
  const first = /^[^\p{L}\p{N}]*(?<word>\p{Ll}[\p{L}\p{M}]*)/u.exec(phrase)?.groups?.word;
  if (first === undefined || !isSmall(first)) return phrase;
  const at = phrase.indexOf(first);
  const letter = String.fromCodePoint(phrase.codePointAt(at) ?? 0);
  return (
    phrase.slice(0, at) + letter.toLocaleUpperCase(language) + phrase.slice(at + letter.length)
  );
}

/** Signs after which a new sentence, line, item or quotation begins. */
const OPENING = /[.!?…:;。！？；：؟۔।\n\r\u2028\u2029"“„«‹「『¿¡•*]/u;

/** Whether what follows at a position is at the beginning of a sentence, a line or a quotation. */
export function isSentenceStart(text: string, position: number): boolean {
  for (let at = position - 1; at >= 0; at -= 1) {
    const sign = text.charAt(at);
    if (OPENING.test(sign)) return true;
    if (!/[\p{White_Space}\p{P}\p{S}]/u.test(sign)) return false;
  }
  return true;
}
