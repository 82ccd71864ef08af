/** Style rule pages: all lists of an account, and one list with its rules and instructions. */
import { LitElement, html, nothing, type PropertyValues } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { styleLanguages } from '../../../shared/language.ts';
import type { StyleRuleList } from '../../../shared/schemas/style-rules.ts';
import { languageText } from '../../page/language-text.ts';
import { counted, dayText, momentText, wholeNumber } from '../../page/numbers.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { ListSearch } from '../parts/choices.ts';
import { doneIfConfirmed, type ConsoleNameDialog } from '../parts/dialog.ts';
import { forgetAbout, forgetAllBut } from '../parts/draft-shelf.ts';
import { page, table } from '../parts/frame.ts';
import { icons } from '../parts/icons.ts';
import { languageOptions } from '../parts/languages.ts';
import { sayDone } from '../parts/messages.ts';
import { Loaded, note, type Fetching } from '../parts/states.ts';
import { goTo, linkTo } from '../router.ts';
import type { Session } from '../session.ts';
import './instructions.ts';
import { fetchCatalogue, isObeyed, type StyleRuleCatalogue } from './rule-choice.ts';
import './rule-editor.ts';

/** Lists per page of an API answer. */
const PAGE_SIZE = 25;

/** The account's style rule lists. */
export class ConsoleStyleLists extends LitElement {
  static override styles = baseStyles;

  @property({ attribute: false }) session!: Session;
  @state() private language = 'en';
  @query('console-name-dialog', true) private readonly naming!: ConsoleNameDialog;
  readonly #search = new ListSearch<StyleRuleList>(this, {
    label: 'Search lists',
    kind: 'list',
    textsOf: ({ name }) => [name],
  });
  readonly #lists = new Loaded(this, { load: fetchLists });

  override render() {
    const isFree = this.session.account.plan === 'free';
    return page(
      {
        title: 'Style rules',
        text: 'How translations are to read: quotation marks, numbers, dates, and whatever you ask for.',
        actions: html`<button type="button" class="primary" ?disabled=${isFree} @click=${this.make}>
          ${icons.add} New list
        </button>`,
      },
      html`${isFree ? note('info', 'Style rules are part of the pro plan. This account has the free one.') : nothing}
        <section class="card" aria-label="Style rule lists" ?hidden=${isFree}>
          ${this.#lists.render((all) => this.list(all))}
        </section>
        <console-name-dialog>
          <div class="field">
            <label for="language">Language it is written for</label>
            <select id="language" @change=${this.onLanguage}>
              ${languageOptions(styleLanguages, this.language)}
            </select>
            <p class="hint">It cannot be changed later, and serves the variants of the language.</p>
          </div>
        </console-name-dialog>`,
    );
  }

  private list(lists: readonly StyleRuleList[]) {
    return html`${this.#search.field(lists)}
    ${table({
      items: this.#search.found(lists),
      keyOf: ({ style_id: id }) => id,
      empty: this.#search.emptyState(lists, {
        icon: icons.rules,
        heading: 'No list yet',
        text: 'A list says how texts in one language are to read. Translations that name it obey it.',
        actions: html`<button type="button" @click=${this.make}>New list</button>`,
      }),
      columns: [
        {
          title: 'Name',
          kind: 'name',
          cell: ({ style_id: id, name }) => html`<a href=${linkTo('style-rules', id)}>${name}</a>`,
        },
        { title: 'Language', cell: ({ language }) => languageText(language) },
        { title: 'Holds', cell: contentText },
        { title: 'Version', kind: 'number', cell: ({ version }) => wholeNumber(version) },
        { title: 'Changed', kind: 'short', cell: ({ updated_time: time }) => dayText(time) },
      ],
    })}`;
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

/** Describes how many rules and instructions a list has. */
function contentText({
  configured_rules: rules,
  custom_instructions: instructions,
}: StyleRuleList) {
  const count = Object.values(rules).reduce((sum, each) => sum + Object.keys(each).length, 0);
  return `${counted(count, 'rule')}, ${counted(instructions.length, 'instruction')}`;
}

/** Fetches all lists, page by page. Answers carry no total, so a short page is the last one. */
async function fetchLists({ signal }: Fetching): Promise<StyleRuleList[]> {
  const lists: StyleRuleList[] = [];
  for (let number = 0; lists.length === number * PAGE_SIZE; number += 1) {
    const answer = await api.get<{ style_rules: StyleRuleList[] }>('v3/style_rules', {
      query: { detailed: 'true', page: number, page_size: PAGE_SIZE },
      signal,
    });
    lists.push(...answer.style_rules);
  }
  forgetAllBut(
    'style-rules',
    lists.map(({ style_id: id }) => id),
  );
  return lists.toSorted((a, b) => a.name.localeCompare(b.name));
}

interface Content {
  list: StyleRuleList;
  catalogue: StyleRuleCatalogue;
}

/** One style rule list: its rules and its instructions. */
export class ConsoleStyleList extends LitElement {
  static override styles = baseStyles;

  @property() styleId = '';
  @query('console-name-dialog', true) private readonly naming!: ConsoleNameDialog;
  @query('h1') private readonly heading!: HTMLElement | null;
  #hasFocused = false;
  readonly #content = new Loaded<Content>(this, {
    load: async ({ signal }) => {
      const [list, catalogue] = await Promise.all([
        api.get<StyleRuleList>(`v3/style_rules/${this.styleId}`, { signal }),
        fetchCatalogue(signal),
      ]);
      forgetAllBut(
        `style-rules/${this.styleId}`,
        list.custom_instructions.map(({ id }) => id),
      );
      return { list, catalogue };
    },
    onGone: () => forgetAbout(`style-rules/${this.styleId}`),
  });

  override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (this.#hasFocused || this.#content.value === undefined) return;
    this.#hasFocused = true;
    // Screen readers announce the page that the link has opened.
    this.heading?.focus({ preventScroll: true });
  }

  override render() {
    const { value: content } = this.#content;
    return page(
      {
        back: { path: 'style-rules', title: 'Style rules' },
        title: content?.list.name ?? 'Style rules',
        isWaiting: content === undefined,
        ...(content && { text: descriptionOf(content.list), actions: this.actions(content.list) }),
      },
      html`${this.#content.render((shown) => this.content(shown), { lines: 8 })}
        <console-name-dialog></console-name-dialog>`,
    );
  }

  private actions(list: StyleRuleList) {
    return html`<button type="button" @click=${() => this.rename(list)}>Rename</button>
      <button type="button" class="danger" @click=${() => this.deleteList(list)}>Delete</button>`;
  }

  private content({ list, catalogue }: Content) {
    return html`<console-rule-editor
        .list=${list}
        .catalogue=${catalogue}
        @list-change=${this.reload}
      ></console-rule-editor>
      <console-style-instructions
        .list=${list}
        ?obeyed=${isObeyed(catalogue, list.language)}
        @list-change=${this.reload}
      ></console-style-instructions>`;
  }

  private readonly reload = (): void => void this.#content.reload();

  private rename({ style_id: id, name }: StyleRuleList): void {
    void this.naming.ask({
      heading: 'Rename list',
      action: 'Rename',
      name,
      save: async (newName) => {
        await api.patch<StyleRuleList>(`v3/style_rules/${id}`, { name: newName });
        await this.#content.reload();
        sayDone('Renamed.');
      },
    });
  }

  private async deleteList({ style_id: id, name }: StyleRuleList): Promise<void> {
    await doneIfConfirmed({
      heading: 'Delete this list?',
      text: `“${name}” will be gone. Translations that name it will fail.`,
      action: 'Delete list',
      done: 'The list was deleted.',
      work: async () => {
        await api.delete(`v3/style_rules/${id}`);
        forgetAbout(`style-rules/${id}`);
        goTo('style-rules');
      },
    });
  }
}

function descriptionOf({ language, version, updated_time: time }: StyleRuleList): string {
  return `For texts in ${languageText(language)}. Version ${wholeNumber(version)}, changed ${momentText(time)}.`;
}

customElements.define('console-style-lists', ConsoleStyleLists);
customElements.define('console-style-list', ConsoleStyleList);
