const names = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' });

/** Returns the English name of a language, or the tag if it is unknown or invalid. */
export function languageText(tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** Returns a language pair, `English → German`. */
export function pairText(source: string, target: string): string {
  return `${languageText(source)} → ${languageText(target)}`;
}

/** Sorts language tags by their English names. */
export function byName(tags: readonly string[]): string[] {
  return tags.toSorted((a, b) => languageText(a).localeCompare(languageText(b), 'en'));
}
