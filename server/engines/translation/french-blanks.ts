/**
 * The blanks that French puts before `?`, `!`, `;`, `:` and within `« »`, and no other language does: rules of
 * Apertium pass them on, and make none.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { Replacement } from './hyphenated-words.ts';

const SIGN = /[?!;:«»]/;
/** Signs that end something, not within a number, an address or a face. */
const CLOSING = String.raw`(?=[?!;:]+(?:[\s"'”’»\]\ufffc]|$)|[?!]+\)|»)`;
const APART = new RegExp(
  String.raw`(?<=\S)[ \u00a0\u202f]+${CLOSING}|(?<=«)[ \u00a0\u202f]+`,
  'gu',
);
const CLOSED = new RegExp(
  String.raw`(?<=[\p{L}\p{M}\p{N}"”’)\]»%€.…])${CLOSING}|(?<=[?!])(?=»)|(?<=«)(?=\S)`,
  'gu',
);
const BLANK = '\u00a0';

/** The blanks that a translation from French has too many, or one into French too few. */
export function frenchBlanks(
  translated: string,
  { source, target }: { source: LanguageTag; target: LanguageTag },
): Replacement[] {
  const [isFrom, isInto] = [source, target].map((language) => baseLanguage(language) === 'fr');
  if (isFrom === isInto || !SIGN.test(translated)) return [];
  return Array.from(translated.matchAll(isFrom === true ? APART : CLOSED), ({ 0: found, index }) =>
    isFrom === true
      ? { start: index, end: index + found.length, text: '' }
      : { start: index, end: index + 1, text: BLANK + translated.charAt(index) },
  );
}
