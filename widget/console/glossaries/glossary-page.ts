import { LitElement, css, html, nothing, type PropertyValues } from 'lit';
import { property, query } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import type { DictionaryInfo, Glossary } from '../../../shared/schemas/glossaries.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { confirmed } from '../parts/confirmation.ts';
import { icons } from '../parts/icons.ts';
import { Loaded } from '../parts/loaded.ts';
import type { ConsoleNameDialog } from '../parts/name-dialog.ts';
import '../parts/name-dialog.ts';
import { sayDone, sayFailed } from '../parts/messages.ts';
import { wholeNumber } from '../parts/numbers.ts';
import { resourcePageStyles } from '../parts/resource-page.styles.ts';
import { emptyState } from '../parts/states.ts';
import { goTo, linkTo } from '../router.ts';
import './dictionary-editor.ts';
import { drafts } from './dictionary-draft.ts';
import type { LanguagePair } from './entry-file.ts';
import { pairText } from './glossary-list.ts';
import type { ConsolePairDialog } from './pair-dialog.ts';
import './pair-dialog.ts';

/** One glossary: its name, its dictionaries, and the entries of one of them. */
export class ConsoleGlossary extends LitElement {
  static override styles = [
    baseStyles,
    resourcePageStyles,
    css`
      .dictionaries {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
      }
      .dictionaries a {
        gap: 0.625rem;
        border-color: var(--line);
      }
      .dictionaries a[aria-current] {
        color: var(--accent);
        background: var(--tint);
        border-color: var(--accent);
      }
      .dictionaries .count {
        font-size: 0.8125rem;
        font-weight: 400;
      }
    `,
  ];

  @property() glossaryId = '';
  /** The dictionary that is shown; the first one without it. */
  @property({ attribute: false }) pair: LanguagePair | undefined;
  @query('console-name-dialog', true) private readonly naming!: ConsoleNameDialog;
  @query('console-pair-dialog', true) private readonly pairing!: ConsolePairDialog;
  @query('h1') private readonly heading!: HTMLElement | null;
  #hasFocused = false;
  readonly #glossary = new Loaded(this, {
    load: ({ signal }) => api.get<Glossary>(`v3/glossaries/${this.glossaryId}`, { signal }),
  });

  override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (this.#hasFocused || this.#glossary.value === undefined) return;
    this.#hasFocused = true;
    // Whoever listens hears where the link has led.
    this.heading?.focus({ preventScroll: true });
  }

  override render() {
    return html`<div class="page">
      ${this.#glossary.value === undefined ? this.waiting() : nothing}
      ${this.#glossary.render((glossary) => this.page(glossary))}
      <console-name-dialog></console-name-dialog>
      <console-pair-dialog></console-pair-dialog>
    </div>`;
  }

  /** The way back, as long as there is nothing else, or for good. */
  private waiting() {
    return html`<div>
      <a class="back" href=${linkTo('glossaries')}>${icons.back} Glossaries</a>
      <h1 class="unseen">Glossary</h1>
    </div>`;
  }

  private page(glossary: Glossary) {
    const shown = this.pair ?? pairOf(glossary.dictionaries[0]);
    return html`<header class="page-head">
        <div>
          <a class="back" href=${linkTo('glossaries')}>${icons.back} Glossaries</a>
          <h1 tabindex="-1">${glossary.name}</h1>
        </div>
        <div class="row">
          <button type="button" @click=${() => this.rename(glossary)}>Rename</button>
          <button type="button" class="danger" @click=${() => this.deleteGlossary(glossary)}>
            Delete
          </button>
        </div>
      </header>
      ${
        shown === undefined
          ? html`<section class="card" aria-label="Dictionaries">
              ${emptyState({
                icon: icons.book,
                heading: 'No dictionary yet',
                text: 'A dictionary goes in one direction, such as from English into German. It serves variants of its languages as well.',
                actions: html`<button type="button" @click=${() => this.add(glossary)}>
                  ${icons.add} Add dictionary
                </button>`,
              })}
            </section>`
          : this.dictionaries(glossary, shown)
      }`;
  }

  private dictionaries(glossary: Glossary, shown: LanguagePair) {
    const isNew = !glossary.dictionaries.some((each) => isPair(each, shown));
    const all = isNew ? [...glossary.dictionaries, infoOf(shown)] : glossary.dictionaries;
    return html`<nav class="dictionaries" aria-label="Dictionaries">
        ${all.map(
          (each) =>
            html`<a
              class="button"
              href=${linkTo('glossaries', glossary.glossary_id, each.source_lang, each.target_lang)}
              aria-current=${isPair(each, shown) ? 'page' : nothing}
              >${pairText(each)} <span class="count number">${countText(each)}</span></a
            >`,
        )}
        <button type="button" class="quiet" @click=${() => this.add(glossary)}>
          ${icons.add} Add dictionary
        </button>
      </nav>
      ${keyed(
        `${glossary.glossary_id} ${shown.source} ${shown.target}`,
        html`<console-dictionary-editor
          .glossary=${glossary}
          .pair=${shown}
          @dictionary-change=${() => void this.#glossary.reload()}
          @dictionary-delete=${() => this.afterDictionary(glossary)}
        ></console-dictionary-editor>`,
      )}`;
  }

  private add(glossary: Glossary): void {
    void this.pairing.ask(glossary.dictionaries, ({ source, target }) =>
      goTo('glossaries', glossary.glossary_id, source, target),
    );
  }

  private rename({ glossary_id: id, name }: Glossary): void {
    void this.naming.ask({
      ...{ heading: 'Rename glossary', action: 'Rename', name },
      save: async (newName) => {
        this.#glossary.set(await api.patch<Glossary>(`v3/glossaries/${id}`, { name: newName }));
        sayDone('Renamed.');
      },
    });
  }

  private async deleteGlossary({ glossary_id: id, name, dictionaries }: Glossary): Promise<void> {
    const count = dictionaries.reduce((sum, each) => sum + each.entry_count, 0);
    const isYes = await confirmed({
      heading: 'Delete this glossary?',
      text: `“${name}” and its ${wholeNumber(count)} entries will be gone. Translations that name it will fail.`,
      action: 'Delete glossary',
    });
    if (!isYes) return;
    try {
      await api.delete(`v3/glossaries/${id}`);
      drafts.forgetAll(`${id} `);
      sayDone('The glossary was deleted.');
      goTo('glossaries');
    } catch (error) {
      sayFailed(error);
    }
  }

  private async afterDictionary({ glossary_id: id }: Glossary): Promise<void> {
    await this.#glossary.reload();
    goTo('glossaries', id);
    this.heading?.focus();
  }
}

function pairOf(info: DictionaryInfo | undefined): LanguagePair | undefined {
  return info && { source: info.source_lang, target: info.target_lang };
}

function infoOf({ source, target }: LanguagePair): DictionaryInfo {
  return { source_lang: source, target_lang: target, entry_count: 0 };
}

function isPair(info: DictionaryInfo, { source, target }: LanguagePair): boolean {
  return info.source_lang === source && info.target_lang === target;
}

function countText({ entry_count: count }: DictionaryInfo): string {
  return count === 0 ? 'new' : wholeNumber(count);
}

customElements.define('console-glossary', ConsoleGlossary);
