/** A language in BCP 47 spelling: `en`, `pt-BR`, `zh-Hant` (lower-case base, title-case script, upper-case region). */
export type LanguageTag = string;

const TAG = /^([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?$/i;
const RIGHT_TO_LEFT = new Set(['ar', 'ckb', 'dv', 'fa', 'he', 'iw', 'ps', 'sd', 'ug', 'ur', 'yi']);

/** The canonical spelling of a language tag in any case, or undefined when it is not one. */
export function canonicalLanguage(tag: string): LanguageTag | undefined {
  const match = TAG.exec(tag.trim().replaceAll('_', '-'));
  if (match === null) return undefined;
  const [, base = '', script, region] = match;
  const titled = script && script.charAt(0).toUpperCase() + script.slice(1).toLowerCase();
  return [base.toLowerCase(), titled, region?.toUpperCase()].filter(Boolean).join('-');
}

/** The canonical spelling of a tag; what is no tag stays as it is. */
export function languageSpelling(tag: string): string {
  return canonicalLanguage(tag) ?? tag;
}

/** The base language of a tag: `pt` for `pt-BR`. */
export function baseLanguage(tag: LanguageTag): LanguageTag {
  return (tag.split('-', 1)[0] ?? tag).toLowerCase();
}

/** Writing direction of a language, for the `dir` attribute. */
export function textDirection(tag: LanguageTag): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(baseLanguage(tag)) ? 'rtl' : 'ltr';
}

/** Languages that dictionaries of glossaries may have. */
export const glossaryLanguages: readonly LanguageTag[] = [
  ...['ar', 'bg', 'cs', 'da', 'de', 'el', 'en', 'es', 'et', 'fi', 'fr', 'he', 'hu', 'id', 'it'],
  ...['ja', 'ko', 'lt', 'lv', 'nb', 'nl', 'pl', 'pt', 'ro', 'ru', 'sk', 'sl', 'sv', 'tr', 'uk'],
  ...['vi', 'zh'],
];

/** Languages that translations can be given a style in: by rules, or by wishes in plain words. */
export const styleLanguages = ['de', 'en', 'es', 'fr', 'it', 'ja', 'ko', 'zh'] as const;

/** Languages in beta: listed only on request, and not billed meanwhile. */
export const betaLanguages: readonly LanguageTag[] = ['de-CH', 'fr-CA'];
