import { LitElement, html } from 'lit';
import { query, state } from 'lit/decorators.js';
import type { DictionaryInfo } from '../../../shared/schemas/glossaries.ts';
import { baseStyles } from '../parts/base.styles.ts';
import type { ConsoleDialog } from '../parts/dialog.ts';
import '../parts/dialog.ts';
import { byName, languageText } from '../parts/language-text.ts';
import type { LanguagePair } from './entry-file.ts';
import { glossaryLanguages } from '../../../shared/language.ts';

const languages = byName(glossaryLanguages);

/** Asks for the direction of a new dictionary. */
export class ConsolePairDialog extends LitElement {
  static override styles = baseStyles;

  @state() private source = 'en';
  @state() private target = 'de';
  @state() private failure = '';
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;
  #existing: readonly DictionaryInfo[] = [];
  #onPair: ((pair: LanguagePair) => void) | undefined;

  async ask(existing: readonly DictionaryInfo[], onPair: (pair: LanguagePair) => void) {
    this.#existing = existing;
    this.#onPair = onPair;
    this.failure = '';
    await this.dialog.show();
  }

  override render() {
    return html`<console-dialog heading="Add dictionary">
      <form class="stack" @submit=${this.onSubmit}>
        ${this.choice('source', 'From', this.source)} ${this.choice('target', 'Into', this.target)}
        <p class="hint">Base languages; English serves American and British English alike.</p>
        <p class="error" role="alert" ?hidden=${this.failure === ''}>${this.failure}</p>
        <div class="row end">
          <button type="button" @click=${() => this.dialog.close()}>Cancel</button>
          <button class="primary">Add dictionary</button>
        </div>
      </form>
    </console-dialog>`;
  }

  private choice(side: 'source' | 'target', label: string, value: string) {
    return html`<div class="field">
      <label for=${side}>${label}</label>
      <select id=${side} @change=${this.onChoice}>
        ${languages.map(
          (tag) =>
            html`<option value=${tag} ?selected=${tag === value}>${languageText(tag)}</option>`,
        )}
      </select>
    </div>`;
  }

  private readonly onChoice = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    this.failure = '';
    if (target.id === 'source') this.source = target.value;
    else this.target = target.value;
  };

  private readonly onSubmit = (event: Event): void => {
    event.preventDefault();
    const { source, target } = this;
    const exists = this.#existing.some(
      (each) => each.source_lang === source && each.target_lang === target,
    );
    if (source === target) this.failure = 'Choose two different languages.';
    else if (exists) this.failure = 'The glossary has a dictionary of these languages.';
    else {
      this.dialog.close();
      this.#onPair?.({ source, target });
    }
  };
}

customElements.define('console-pair-dialog', ConsolePairDialog);
