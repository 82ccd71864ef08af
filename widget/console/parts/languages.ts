/** Language selects of the console. */
import { html, type TemplateResult } from 'lit';
import { byName, languageText } from '../../page/language-text.ts';

/** Returns the options of a language select, sorted by name. */
export function languageOptions(tags: readonly string[], chosen = ''): TemplateResult[] {
  return byName(tags).map(
    (tag) => html`<option value=${tag} ?selected=${tag === chosen}>${languageText(tag)}</option>`,
  );
}
