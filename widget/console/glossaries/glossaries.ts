/** Glossary pages: all glossaries of an account, and one glossary with its dictionaries. */
import { LitElement, css, html, nothing, type PropertyValues } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import { glossaryLanguages } from '../../../shared/language.ts';
import type { DictionaryInfo, Glossary } from '../../../shared/schemas/glossaries.ts';
import { pairText } from '../../page/language-text.ts';
import { counted, dayText, wholeNumber } from '../../page/numbers.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { ListSearch } from '../parts/choices.ts';
import { doneIfConfirmed, type ConsoleDialog, type ConsoleNameDialog } from '../parts/dialog.ts';
import { forgetAbout, forgetAllBut } from '../parts/draft-shelf.ts';
import { page, table } from '../parts/frame.ts';
import { icons } from '../parts/icons.ts';
import { languageOptions } from '../parts/languages.ts';
import { sayDone } from '../parts/messages.ts';
import { Sending } from '../parts/sending.ts';
import { Loaded, emptyState } from '../parts/states.ts';
import { goTo, linkTo } from '../router.ts';
import './dictionary-editor.ts';
import type { LanguagePair } from './entry-file.ts';

/** Language pairs listed by name; further ones are counted. */
const MOST_NAMED = 3;

/** Table of the account's glossaries. */
export class ConsoleGlossaries extends LitElement {
  static override styles = baseStyles;

  @query('console-name-dialog', true) private readonly naming!: ConsoleNameDialog;
  readonly #search = new ListSearch<Glossary>(this, {
    label: 'Search glossaries',
    kind: 'glossary',
    textsOf: ({ name }) => [name],
  });
  readonly #glossaries = new Loaded(this, {
    load: async ({ signal }) => {
      const { glossaries } = await api.get<{ glossaries: Glossary[] }>('v3/glossaries', { signal });
      forgetAllBut(
        'glossaries',
        glossaries.map(({ glossary_id: id }) => id),
      );
      return glossaries.toSorted((a, b) => a.name.localeCompare(b.name));
    },
  });

  override render() {
    return page(
      {
        title: 'Glossaries',
        text: 'Words that are always translated the same way: product names, terms of a trade.',
        actions: html`<button type="button" class="primary" @click=${this.make}>
          ${icons.add} New glossary
        </button>`,
      },
      html`<section class="card" aria-label="Glossaries">
          ${this.#glossaries.render((all) => this.list(all))}
        </section>
        <console-name-dialog></console-name-dialog>`,
    );
  }

  private list(glossaries: readonly Glossary[]) {
    return html`${this.#search.field(glossaries)}
    ${table({
      items: this.#search.found(glossaries),
      keyOf: ({ glossary_id: id }) => id,
      empty: this.#search.emptyState(glossaries, {
        icon: icons.book,
        heading: 'No glossary yet',
        text: 'A glossary holds dictionaries, one for each pair of languages. Make one and fill it by hand or from a CSV or TSV file.',
        actions: html`<button type="button" @click=${this.make}>New glossary</button>`,
      }),
      columns: [
        {
          title: 'Name',
          kind: 'name',
          cell: ({ glossary_id: id, name }) =>
            html`<a href=${linkTo('glossaries', id)}>${name}</a>`,
        },
        { title: 'Dictionaries', cell: ({ dictionaries }) => pairsText(dictionaries) },
        {
          title: 'Entries',
          kind: 'number',
          cell: ({ dictionaries }) => wholeNumber(entryCount(dictionaries)),
        },
        { title: 'Made', kind: 'short', cell: ({ creation_time: time }) => dayText(time) },
      ],
    })}`;
  }

  private readonly make = (): void => {
    void this.naming.ask({
      heading: 'New glossary',
      action: 'Make glossary',
      save: async (name) => {
        const made = await api.post<Glossary>('v3/glossaries', { name, dictionaries: [] });
        goTo('glossaries', made.glossary_id);
      },
    });
  };
}

function pairsText(dictionaries: Glossary['dictionaries']): string {
  // Keeps each pair on one line.
  const named = dictionaries
    .slice(0, MOST_NAMED)
    .map((each) => directionOf(each).replaceAll(' ', '\u00a0'))
    .join(', ');
  const more = dictionaries.length - MOST_NAMED;
  if (dictionaries.length === 0) return 'None yet';
  return more > 0 ? `${named} and ${counted(more, 'other')}` : named;
}

function entryCount(dictionaries: Glossary['dictionaries']): number {
  return dictionaries.reduce((sum, { entry_count: count }) => sum + count, 0);
}

/** One glossary: its name, its dictionaries, and the entries of one of them. */
export class ConsoleGlossary extends LitElement {
  static override styles = [
    baseStyles,
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
  /** The dictionary shown; the first one by default. */
  @property({ attribute: false }) pair: LanguagePair | undefined;
  @query('console-name-dialog', true) private readonly naming!: ConsoleNameDialog;
  @query('console-pair-dialog', true) private readonly pairing!: ConsolePairDialog;
  @query('h1') private readonly heading!: HTMLElement | null;
  #hasFocused = false;
  readonly #glossary = new Loaded(this, {
    load: ({ signal }) => api.get<Glossary>(`v3/glossaries/${this.glossaryId}`, { signal }),
    onGone: () => forgetAbout(`glossaries/${this.glossaryId}`),
  });

  override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (this.#hasFocused || this.#glossary.value === undefined) return;
    this.#hasFocused = true;
    // Screen readers announce the page that the link has opened.
    this.heading?.focus({ preventScroll: true });
  }

  override render() {
    const { value: glossary } = this.#glossary;
    return page(
      {
        back: { path: 'glossaries', title: 'Glossaries' },
        title: glossary?.name ?? 'Glossary',
        isWaiting: glossary === undefined,
        ...(glossary && { actions: this.actions(glossary) }),
      },
      html`${this.#glossary.render((shown) => this.content(shown))}
        <console-name-dialog></console-name-dialog>
        <console-pair-dialog></console-pair-dialog>`,
    );
  }

  private actions(glossary: Glossary) {
    return html`<button type="button" @click=${() => this.rename(glossary)}>Rename</button>
      <button type="button" class="danger" @click=${() => this.deleteGlossary(glossary)}>
        Delete
      </button>`;
  }

  private content(glossary: Glossary) {
    const shown = this.pair ?? pairOf(glossary.dictionaries[0]);
    if (shown !== undefined) return this.dictionaries(glossary, shown);
    return html`<section class="card" aria-label="Dictionaries">
      ${emptyState({
        icon: icons.book,
        heading: 'No dictionary yet',
        text: 'A dictionary goes in one direction, such as from English into German. It serves variants of its languages as well.',
        actions: html`<button type="button" @click=${() => this.add(glossary)}>
          ${icons.add} Add dictionary
        </button>`,
      })}
    </section>`;
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
              >${directionOf(each)} <span class="count number">${countText(each)}</span></a
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
      heading: 'Rename glossary',
      action: 'Rename',
      name,
      save: async (newName) => {
        this.#glossary.set(await api.patch<Glossary>(`v3/glossaries/${id}`, { name: newName }));
        sayDone('Renamed.');
      },
    });
  }

  private async deleteGlossary({ glossary_id: id, name, dictionaries }: Glossary): Promise<void> {
    const count = entryCount(dictionaries);
    await doneIfConfirmed({
      heading: 'Delete this glossary?',
      text: `“${name}” and its ${counted(count, 'entry', 'entries')} will be gone. Translations that name it will fail.`,
      action: 'Delete glossary',
      done: 'The glossary was deleted.',
      work: async () => {
        await api.delete(`v3/glossaries/${id}`);
        forgetAbout(`glossaries/${id}`);
        goTo('glossaries');
      },
    });
  }

  private async afterDictionary({ glossary_id: id }: Glossary): Promise<void> {
    await this.#glossary.reload();
    goTo('glossaries', id);
    this.heading?.focus();
  }
}

function directionOf({ source_lang: source, target_lang: target }: DictionaryInfo): string {
  return pairText(source, target);
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

/** Dialog that asks for the direction of a new dictionary. */
export class ConsolePairDialog extends LitElement {
  static override styles = baseStyles;

  @state() private source = 'en';
  @state() private target = 'de';
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;
  private readonly sending = new Sending(this);
  #existing: readonly DictionaryInfo[] = [];
  #onPair: ((pair: LanguagePair) => void) | undefined;

  async ask(existing: readonly DictionaryInfo[], onPair: (pair: LanguagePair) => void) {
    this.#existing = existing;
    this.#onPair = onPair;
    this.sending.reset();
    await this.dialog.show();
  }

  override render() {
    return html`<console-dialog heading="Add dictionary">
      <form class="stack" @submit=${this.onSubmit}>
        ${this.choice('source', 'From', this.source)} ${this.choice('target', 'Into', this.target)}
        <p class="hint">Base languages; English serves American and British English alike.</p>
        ${this.sending.note()}
        <div class="row end">
          <button type="button" @click=${() => this.dialog.close()}>Cancel</button>
          ${this.sending.button('Add dictionary')}
        </div>
      </form>
    </console-dialog>`;
  }

  private choice(side: 'source' | 'target', label: string, value: string) {
    return html`<div class="field">
      <label for=${side}>${label}</label>
      <select id=${side} ?autofocus=${side === 'source'} @change=${this.onChoice}>
        ${languageOptions(glossaryLanguages, value)}
      </select>
    </div>`;
  }

  private readonly onChoice = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    this.sending.reset();
    if (target.id === 'source') this.source = target.value;
    else this.target = target.value;
  };

  private readonly onSubmit = (event: Event): void => {
    event.preventDefault();
    const { source, target } = this;
    const exists = this.#existing.some(
      (each) => each.source_lang === source && each.target_lang === target,
    );
    if (source === target) this.sending.refuse('Choose two different languages.');
    else if (exists) this.sending.refuse('The glossary has a dictionary of these languages.');
    else {
      this.dialog.close();
      this.#onPair?.({ source, target });
    }
  };
}

customElements.define('console-glossaries', ConsoleGlossaries);
customElements.define('console-glossary', ConsoleGlossary);
customElements.define('console-pair-dialog', ConsolePairDialog);
