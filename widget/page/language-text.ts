const names = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' });

/** Name of a language in English; the tag when it has none, or is none. */
export function languageText(tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** A direction, `English → German`. */
export function pairText(source: string, target: string): string {
  return `${languageText(source)} → ${languageText(target)}`;
}

/** Languages by their English names. */
export function byName(tags: readonly string[]): string[] {
  return tags.toSorted((a, b) => languageText(a).localeCompare(languageText(b), 'en'));
}
