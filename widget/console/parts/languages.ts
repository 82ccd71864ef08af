/** Languages as the console offers them. */
import { html, type TemplateResult } from 'lit';
import { byName, languageText } from '../../page/language-text.ts';

/** The options of a field that chooses a language, by name. */
export function languageOptions(tags: readonly string[], chosen = ''): TemplateResult[] {
  return byName(tags).map(
    (tag) => html`<option value=${tag} ?selected=${tag === chosen}>${languageText(tag)}</option>`,
  );
}
