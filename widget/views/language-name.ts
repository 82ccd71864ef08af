import { baseLanguage, type LanguageTag } from '../../shared/language.ts';

const names = new Map<LanguageTag, string>();

/** What a language calls itself: "Español", "Português (Brasil)"; the tag when nobody knows. */
export function languageName(language: LanguageTag): string {
  const known = names.get(language);
  if (known !== undefined) return known;
  const name = capitalised(ownName(language), language);
  names.set(language, name);
  return name;
}

function ownName(language: LanguageTag): string {
  try {
    const dialect = new Intl.DisplayNames(language, {
      type: 'language',
      languageDisplay: 'standard',
    });
    return dialect.of(language) ?? language;
  } catch {
    return language;
  }
}

function capitalised(name: string, language: LanguageTag): string {
  const [first = '', ...rest] = name;
  return first.toLocaleUpperCase(baseLanguage(language)) + rest.join('');
}
