/** Languages that general language models translate well, and how models are told of them. */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { LanguagePair } from '../engine.ts';

/** Offered unless the settings say otherwise: what open models of a moderate size know. */
export const commonLanguages: readonly LanguageTag[] = [
  ...['ar', 'bg', 'cs', 'da', 'de', 'el', 'en', 'en-GB', 'en-US', 'es', 'es-419', 'et', 'fi', 'fr'],
  ...[
    'he',
    'hi',
    'hu',
    'id',
    'it',
    'ja',
    'ko',
    'lt',
    'lv',
    'nb',
    'nl',
    'pl',
    'pt',
    'pt-BR',
    'pt-PT',
  ],
  ...['ro', 'ru', 'sk', 'sl', 'sv', 'th', 'tr', 'uk', 'vi', 'zh', 'zh-Hans', 'zh-Hant'],
];

/** Base languages whose grammar tells a formal from an informal address. */
const formal = new Set('cs de el es fr hu it ja ko nl pl pt ro ru sk sl tr uk'.split(' '));

/** All directions among languages; variants of a country are targets only. */
export function pairsAmong(languages: readonly LanguageTag[]): LanguagePair[] {
  const sources = languages.filter((tag) => !/-(?:[A-Z]{2}|\d{3})$/.test(tag));
  return sources.flatMap((source) =>
    languages
      .filter((target) => baseLanguage(target) !== baseLanguage(source))
      .map((target) => ({ source, target })),
  );
}

/** Of these languages, those whose formality can be chosen. */
export function withFormality(languages: readonly LanguageTag[]): LanguageTag[] {
  return languages.filter((tag) => formal.has(baseLanguage(tag)));
}

const names = new Intl.DisplayNames(['en'], { type: 'language' });

/** `Brazilian Portuguese (pt-BR)`. */
export function describeLanguage(tag: LanguageTag): string {
  return `${names.of(tag) ?? tag} (${tag})`;
}
