import { LitElement, html, nothing, type PropertyValues } from 'lit';
import { property, query } from 'lit/decorators.js';
import type { StyleRuleList } from '../../../shared/schemas/style-rules.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { confirmed } from '../parts/confirmation.ts';
import { icons } from '../parts/icons.ts';
import { languageText } from '../parts/language-text.ts';
import { Loaded } from '../parts/loaded.ts';
import { sayDone, sayFailed } from '../parts/messages.ts';
import type { ConsoleNameDialog } from '../parts/name-dialog.ts';
import '../parts/name-dialog.ts';
import { momentText, wholeNumber } from '../parts/numbers.ts';
import { resourcePageStyles } from '../parts/resource-page.styles.ts';
import { goTo, linkTo } from '../router.ts';
import { fetchCatalogue, isObeyed, type StyleRuleCatalogue } from './catalogue.ts';
import './instruction-list.ts';
import './rule-editor.ts';
import { ruleDrafts } from './rule-draft.ts';

interface Content {
  list: StyleRuleList;
  catalogue: StyleRuleCatalogue;
}

/** One style rule list: its rules and its instructions. */
export class ConsoleStyleList extends LitElement {
  static override styles = [baseStyles, resourcePageStyles];

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
      return { list, catalogue };
    },
  });

  override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (this.#hasFocused || this.#content.value === undefined) return;
    this.#hasFocused = true;
    // Whoever listens hears where the link has led.
    this.heading?.focus({ preventScroll: true });
  }

  override render() {
    return html`<div class="page">
      ${this.#content.value === undefined ? this.waiting() : nothing}
      ${this.#content.render((content) => this.page(content), { lines: 8 })}
      <console-name-dialog></console-name-dialog>
    </div>`;
  }

  /** The way back, as long as there is nothing else, or for good. */
  private waiting() {
    return html`<div>
      <a class="back" href=${linkTo('style-rules')}>${icons.back} Style rules</a>
      <h1 class="unseen">Style rules</h1>
    </div>`;
  }

  private page({ list, catalogue }: Content) {
    return html`<header class="page-head">
        <div>
          <a class="back" href=${linkTo('style-rules')}>${icons.back} Style rules</a>
          <h1 tabindex="-1">${list.name}</h1>
          <p>
            For texts in ${languageText(list.language)}. Version ${wholeNumber(list.version)},
            changed ${momentText(list.updated_time)}.
          </p>
        </div>
        <div class="row">
          <button type="button" @click=${() => this.rename(list)}>Rename</button>
          <button type="button" class="danger" @click=${() => this.deleteList(list)}>Delete</button>
        </div>
      </header>
      <console-rule-editor
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
      ...{ heading: 'Rename list', action: 'Rename', name },
      save: async (newName) => {
        await api.patch<StyleRuleList>(`v3/style_rules/${id}`, { name: newName });
        await this.#content.reload();
        sayDone('Renamed.');
      },
    });
  }

  private async deleteList({ style_id: id, name }: StyleRuleList): Promise<void> {
    const isYes = await confirmed({
      heading: 'Delete this list?',
      text: `“${name}” will be gone. Translations that name it will fail.`,
      action: 'Delete list',
    });
    if (!isYes) return;
    try {
      await api.delete(`v3/style_rules/${id}`);
      ruleDrafts.forget(id);
      sayDone('The list was deleted.');
      goTo('style-rules');
    } catch (error) {
      sayFailed(error);
    }
  }
}

customElements.define('console-style-list', ConsoleStyleList);
