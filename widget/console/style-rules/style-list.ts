import { LitElement, html, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { styleLanguages } from '../../../shared/language.ts';
import type { StyleRuleList } from '../../../shared/schemas/style-rules.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { icons } from '../parts/icons.ts';
import { byName, languageText } from '../parts/language-text.ts';
import { Loaded, type Fetching } from '../parts/loaded.ts';
import type { ConsoleNameDialog } from '../parts/name-dialog.ts';
import '../parts/name-dialog.ts';
import { counted, dayText, wholeNumber } from '../parts/numbers.ts';
import { resourcePageStyles } from '../parts/resource-page.styles.ts';
import { emptyState, note } from '../parts/states.ts';
import { goTo, linkTo } from '../router.ts';
import type { Session } from '../session.ts';

/** Languages of which lists can be made, as the language interface has them. */
const LANGUAGES = byName(styleLanguages);
/** Most lists of an answer. */
const PAGE_SIZE = 25;

/** The style rule lists of the account. */
export class ConsoleStyleLists extends LitElement {
  static override styles = [baseStyles, resourcePageStyles];

  @property({ attribute: false }) session!: Session;
  @state() private language = 'en';
  @query('console-name-dialog', true) private readonly naming!: ConsoleNameDialog;
  readonly #lists = new Loaded(this, { load: fetchLists });

  override render() {
    const isFree = this.session.account.plan === 'free';
    return html`<div class="page">
      <header class="page-head">
        <div>
          <h1>Style rules</h1>
          <p>
            How translations are to read: quotation marks, numbers, dates, and whatever you tell.
          </p>
        </div>
        <button type="button" class="primary" ?disabled=${isFree} @click=${this.make}>
          ${icons.add} New list
        </button>
      </header>
      ${isFree ? note('info', 'Style rules are part of the pro plan. This account has the free one.') : nothing}
      <section class="card" aria-label="Style rule lists" ?hidden=${isFree}>
        ${this.#lists.render((all) => (all.length === 0 ? this.empty() : this.table(all)))}
      </section>
      <console-name-dialog>
        <div class="field">
          <label for="language">Language it is written for</label>
          <select id="language" @change=${this.onLanguage}>
            ${LANGUAGES.map(
              (tag) =>
                html`<option value=${tag} ?selected=${tag === this.language}>
                  ${languageText(tag)}
                </option>`,
            )}
          </select>
          <p class="hint">It cannot be changed later, and serves the variants of the language.</p>
        </div>
      </console-name-dialog>
    </div>`;
  }

  private empty() {
    return emptyState({
      icon: icons.rules,
      heading: 'No list yet',
      text: 'A list says how texts in one language are to read. Translations that name it obey it.',
      actions: html`<button type="button" @click=${this.make}>New list</button>`,
    });
  }

  private table(lists: readonly StyleRuleList[]) {
    return html`<div class="table-frame">
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Language</th>
            <th scope="col">Holds</th>
            <th scope="col" class="number">Version</th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          ${lists.map(
            (list) =>
              html`<tr>
                <th scope="row">
                  <a href=${linkTo('style-rules', list.style_id)}>${list.name}</a>
                </th>
                <td data-label="Language">${languageText(list.language)}</td>
                <td data-label="Holds">${contentText(list)}</td>
                <td data-label="Version" class="number">${wholeNumber(list.version)}</td>
                <td data-label="Changed">${dayText(list.updated_time)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }

  private readonly onLanguage = ({ target }: Event): void => {
    if (target instanceof HTMLSelectElement) this.language = target.value;
  };

  private readonly make = (): void => {
    void this.naming.ask({
      heading: 'New style rule list',
      action: 'Make list',
      save: async (name) => {
        const { language } = this;
        const made = await api.post<StyleRuleList>('v3/style_rules', { name, language });
        goTo('style-rules', made.style_id);
      },
    });
  };
}

/** Rules and instructions of a list, counted. */
function contentText({
  configured_rules: rules,
  custom_instructions: instructions,
}: StyleRuleList) {
  const count = Object.values(rules).reduce((sum, each) => sum + Object.keys(each).length, 0);
  return `${counted(count, 'rule')}, ${counted(instructions.length, 'instruction')}`;
}

/** All lists: answers say no total, the last one is short. */
async function fetchLists({ signal }: Fetching): Promise<StyleRuleList[]> {
  const lists: StyleRuleList[] = [];
  for (let page = 0; lists.length === page * PAGE_SIZE; page += 1) {
    const query = { detailed: 'true', page, page_size: PAGE_SIZE };
    const answer = await api.get<{ style_rules: StyleRuleList[] }>('v3/style_rules', {
      ...{ query, signal },
    });
    lists.push(...answer.style_rules);
  }
  return lists.toSorted((a, b) => a.name.localeCompare(b.name));
}

customElements.define('console-style-lists', ConsoleStyleLists);
