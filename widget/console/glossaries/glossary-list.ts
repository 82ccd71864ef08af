import { LitElement, css, html } from 'lit';
import { query } from 'lit/decorators.js';
import type { Glossary } from '../../../shared/schemas/glossaries.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { icons } from '../parts/icons.ts';
import { languageText } from '../parts/language-text.ts';
import { Loaded } from '../parts/loaded.ts';
import type { ConsoleNameDialog } from '../parts/name-dialog.ts';
import '../parts/name-dialog.ts';
import { counted, dayText } from '../parts/numbers.ts';
import { emptyState } from '../parts/states.ts';
import { goTo, linkTo } from '../router.ts';

/** Languages that are named; the others are counted. */
const MOST_NAMED = 3;

/** The glossaries of the account. */
export class ConsoleGlossaryList extends LitElement {
  static override styles = [
    baseStyles,
    css`
      tbody th a {
        overflow-wrap: anywhere;
      }
    `,
  ];

  @query('console-name-dialog', true) private readonly naming!: ConsoleNameDialog;
  readonly #glossaries = new Loaded(this, {
    load: async ({ signal }) => {
      const { glossaries } = await api.get<{ glossaries: Glossary[] }>('v3/glossaries', { signal });
      return glossaries.toSorted((a, b) => a.name.localeCompare(b.name));
    },
  });

  override render() {
    return html`<div class="page">
      <header class="page-head">
        <div>
          <h1>Glossaries</h1>
          <p>Words that are always translated the same way: product names, terms of a trade.</p>
        </div>
        <button type="button" class="primary" @click=${this.make}>${icons.add} New glossary</button>
      </header>
      <section class="card" aria-label="Glossaries">
        ${this.#glossaries.render((all) => (all.length === 0 ? this.empty() : this.table(all)))}
      </section>
      <console-name-dialog></console-name-dialog>
    </div>`;
  }

  private empty() {
    return emptyState({
      icon: icons.book,
      heading: 'No glossary yet',
      text: 'A glossary holds dictionaries, one for each pair of languages. Make one and fill it by hand or from a CSV or TSV file.',
      actions: html`<button type="button" @click=${this.make}>New glossary</button>`,
    });
  }

  private table(glossaries: readonly Glossary[]) {
    return html`<div class="table-frame">
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Dictionaries</th>
            <th scope="col" class="number">Entries</th>
            <th scope="col">Made</th>
          </tr>
        </thead>
        <tbody>
          ${glossaries.map(
            ({ glossary_id: id, name, dictionaries, creation_time: time }) =>
              html`<tr>
                <th scope="row"><a href=${linkTo('glossaries', id)}>${name}</a></th>
                <td data-label="Dictionaries">${pairsText(dictionaries)}</td>
                <td data-label="Entries" class="number">${entriesText(dictionaries)}</td>
                <td data-label="Made">${dayText(time)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
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

/** A direction, `English → German`. */
export function pairText({
  source_lang: source,
  target_lang: target,
}: {
  source_lang: string;
  target_lang: string;
}): string {
  return `${languageText(source)} → ${languageText(target)}`;
}

function pairsText(dictionaries: Glossary['dictionaries']): string {
  const named = dictionaries.slice(0, MOST_NAMED).map(pairText).join(', ');
  const more = dictionaries.length - MOST_NAMED;
  if (dictionaries.length === 0) return 'None yet';
  return more > 0 ? `${named} and ${counted(more, 'other')}` : named;
}

function entriesText(dictionaries: Glossary['dictionaries']): string {
  return dictionaries.reduce((sum, { entry_count: count }) => sum + count, 0).toLocaleString();
}

customElements.define('console-glossary-list', ConsoleGlossaryList);
