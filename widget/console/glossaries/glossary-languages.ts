/** Languages of which dictionaries can be made, as the language interface lists them. */
export const glossaryLanguages: readonly string[] = [
  ...['ar', 'bg', 'cs', 'da', 'de', 'el', 'en', 'es', 'et', 'fi', 'fr', 'he', 'hu', 'id', 'it'],
  ...['ja', 'ko', 'lt', 'lv', 'nb', 'nl', 'pl', 'pt', 'ro', 'ru', 'sk', 'sl', 'sv', 'tr', 'uk'],
  ...['vi', 'zh'],
];
