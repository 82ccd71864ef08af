/** Languages as the console offers them. */
import { html, type TemplateResult } from 'lit';
import { byName, languageText } from '../../page/language-text.ts';

/** Languages of which dictionaries can be made, as the language interface lists them. */
export const glossaryLanguages: readonly string[] = [
  ...['ar', 'bg', 'cs', 'da', 'de', 'el', 'en', 'es', 'et', 'fi', 'fr', 'he', 'hu', 'id', 'it'],
  ...['ja', 'ko', 'lt', 'lv', 'nb', 'nl', 'pl', 'pt', 'ro', 'ru', 'sk', 'sl', 'sv', 'tr', 'uk'],
  ...['vi', 'zh'],
];

/** The options of a field that chooses a language, by name. */
export function languageOptions(tags: readonly string[], chosen = ''): TemplateResult[] {
  return byName(tags).map(
    (tag) => html`<option value=${tag} ?selected=${tag === chosen}>${languageText(tag)}</option>`,
  );
}
