/** Wording of the speaker and captioner pages, in their users' languages. */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import { ApiFailure } from '../console/api.ts';
import { readableLanguage } from './reader-choices.ts';
import { deskWords as ar } from './desk-words/ar.ts';
import { deskWords as de } from './desk-words/de.ts';
import { deskWords as en, type Counted, type DeskWords } from './desk-words/en.ts';
import { deskWords as es } from './desk-words/es.ts';
import { deskWords as fr } from './desk-words/fr.ts';
import { deskWords as it } from './desk-words/it.ts';
import { deskWords as pt } from './desk-words/pt.ts';

export type { DeskWords };

const translations: Record<LanguageTag, DeskWords> = { en, ar, de, es, fr, it, pt };

/** Languages the pages are available in. */
export const deskLanguages = Object.keys(translations);

/** Returns the wording in a language, in English if the language is not available. */
export function deskWords(language: LanguageTag): DeskWords {
  return translations[baseLanguage(language)] ?? en;
}

/** Returns the first of the user's languages that the pages are available in. */
export function deskLanguage(understood: readonly LanguageTag[]): LanguageTag {
  return readableLanguage(deskLanguages, understood) ?? 'en';
}

/** Formats a count with the plural form of the language: `2 people read along.` */
export function countedIn(language: LanguageTag, count: number, forms: Counted): string {
  const form = forms[new Intl.PluralRules(language).select(count)] ?? forms.other;
  return form.replace('{n}', new Intl.NumberFormat(language).format(count));
}

/**
 * Returns what a refusal of the server means. Its own message says more but is in English; without one, or in
 * another language, the status has to do.
 */
export function refusalText(words: DeskWords, status: number, message: string): string {
  if (words === en && message !== '') return message;
  const { refused, missing, tooMany, usedUp, unable } = words.failures;
  if (status >= 500) return unable;
  const meanings: Partial<Record<number, string>> = {
    401: refused,
    403: refused,
    404: missing,
    429: tooMany,
    456: usedUp,
  };
  return meanings[status] ?? '';
}

/** Returns why a call failed. */
export function failureText(words: DeskWords, error: unknown): string {
  if (error instanceof ApiFailure && error.isOffline) return words.unreachable;
  return (error instanceof Error && error.message) || words.wentWrong;
}
