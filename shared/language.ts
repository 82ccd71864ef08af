/**
 * A language tag in BCP 47 spelling: `en`, `pt-BR`, `zh-Hant` (lower-case base, title-case script,
 * upper-case region).
 */
export type LanguageTag = string;

const TAG = /^([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?$/i;
const RIGHT_TO_LEFT = new Set(['ar', 'ckb', 'dv', 'fa', 'he', 'iw', 'ps', 'sd', 'ug', 'ur', 'yi']);

/** Returns the canonical spelling of a language tag; undefined if it is not a tag. */
export function canonicalLanguage(tag: string): LanguageTag | undefined {
  const match = TAG.exec(tag.trim().replaceAll('_', '-'));
  if (match === null) return undefined;
  const [, base = '', script, region] = match;
  const titled = script && script.charAt(0).toUpperCase() + script.slice(1).toLowerCase();
  return [base.toLowerCase(), titled, region?.toUpperCase()].filter(Boolean).join('-');
}

/** Returns the canonical spelling of a tag; other texts stay as they are. */
export function languageSpelling(tag: string): string {
  return canonicalLanguage(tag) ?? tag;
}

/** Returns the base language of a tag: `pt` for `pt-BR`. */
export function baseLanguage(tag: LanguageTag): LanguageTag {
  const end = tag.indexOf('-');
  return (end === -1 ? tag : tag.slice(0, end)).toLowerCase();
}

/** Returns the writing direction of a language, for the `dir` attribute. */
export function textDirection(tag: LanguageTag): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(baseLanguage(tag)) ? 'rtl' : 'ltr';
}

/** Languages that glossary dictionaries support. */
export const glossaryLanguages: readonly LanguageTag[] = [
  ...['ar', 'bg', 'cs', 'da', 'de', 'el', 'en', 'es', 'et', 'fi', 'fr', 'he', 'hu', 'id', 'it'],
  ...['ja', 'ko', 'lt', 'lv', 'nb', 'nl', 'pl', 'pt', 'ro', 'ru', 'sk', 'sl', 'sv', 'tr', 'uk'],
  ...['vi', 'zh'],
];

/** Languages that support style rules and custom instructions. */
export const styleLanguages = ['de', 'en', 'es', 'fr', 'it', 'ja', 'ko', 'zh'] as const;

/** Languages in beta: listed only on request, and not billed. */
export const betaLanguages: readonly LanguageTag[] = ['de-CH', 'fr-CA'];

/** Initials and titles. */
const ABBREVIATION = /(?:^|[\s(])(?:\p{Lu}|Mrs?|Ms|Dra?|Drs|Prof|St|Sra?|Jr|vs|e\.g|i\.e)\.$/u;

/** Whether a text ends with an abbreviation whose full stop does not end the sentence. */
export function endsAbbreviated(text: string): boolean {
  return ABBREVIATION.test(text);
}
