import { LitElement, css, html, nothing, type PropertyValues } from 'lit';
import { property, state } from 'lit/decorators.js';
import type { StyleRuleList } from '../../../shared/schemas/style-rules.ts';
import { languageText } from '../../page/language-text.ts';
import { counted } from '../../page/numbers.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { choice, searchField } from '../parts/choices.ts';
import { icons } from '../parts/icons.ts';
import '../parts/save-bar.ts';
import { Sending } from '../parts/sending.ts';
import { emptyState } from '../parts/states.ts';
import {
  isBuiltIn,
  isObeyed,
  offeredRules,
  type CatalogueOption,
  type CatalogueRule,
  type OfferedCategory,
  type OfferedRule,
  type RuleFilter,
  type StyleRuleCatalogue,
  RuleDraft,
  ruleDrafts,
  categoryWords,
  optionWords,
  ruleWords,
} from './rule-choice.ts';

/** Length from which an option is written out below its select, which would cut it off. */
const LONG_OPTION = 48;

/**
 * Editor of a list's rules: one option for each, or none.
 *
 * @fires list-change - The rules were saved.
 */
export class ConsoleRuleEditor extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .reach {
        padding: 0.75rem var(--inset);
        line-height: 2;
        border-block-end: 1px solid var(--line);
      }
      details {
        border-block-end: 1px solid var(--line);
      }
      summary {
        display: flex;
        gap: 0.75rem;
        align-items: baseline;
        padding: 0.875rem var(--inset);
        list-style: none;
        cursor: pointer;
      }
      summary::-webkit-details-marker {
        display: none;
      }
      summary::before {
        flex: none;
        inline-size: 0.4375rem;
        block-size: 0.4375rem;
        content: '';
        border: solid var(--soft);
        border-width: 0 2px 2px 0;
        translate: 0 -0.125rem;
        rotate: -45deg;
      }
      details[open] > summary::before {
        rotate: 45deg;
      }
      summary h3 {
        flex: 1;
      }
      summary:focus-visible {
        outline-offset: -3px;
      }
      @media (hover: hover) {
        summary:hover {
          background: var(--wash);
        }
      }
      ul {
        padding-block-end: 0.5rem;
      }
      li {
        display: grid;
        grid-template-columns: minmax(0, 5fr) 8.5rem minmax(0, 6fr);
        gap: 0.25rem 1rem;
        align-items: center;
        padding: 0.375rem var(--inset);
      }
      li.chosen label {
        font-weight: 650;
      }
      li .badge {
        justify-self: start;
      }
      li .hint {
        grid-column: 3;
      }
      li select {
        text-overflow: ellipsis;
      }
      li.chosen select {
        border-color: var(--accent);
      }
      @media (max-width: 52rem) {
        li {
          grid-template-columns: minmax(0, 1fr) auto;
          padding-block: 0.625rem;
        }
        li select,
        li .hint {
          grid-column: 1 / -1;
        }
      }
      @media (max-width: 30rem) {
        .choice {
          display: grid;
          grid-template-columns: 1fr 1fr;
          inline-size: 100%;
        }
      }
    `,
  ];

  @property({ attribute: false }) list!: StyleRuleList;
  @property({ attribute: false }) catalogue!: StyleRuleCatalogue;
  @state() private words = '';
  @state() private filter: RuleFilter = 'fitting';
  private readonly saving = new Sending(this);
  #draft = new RuleDraft({});
  /** Categories opened at first because they contain choices; none closes while the user works. */
  #openAtFirst = new Set<string>();

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('list')) return;
    const before = changed.get('list');
    if (before === undefined) this.#openAtFirst = new Set(Object.keys(this.list.configured_rules));
    // Saving an instruction reloads the list; unsaved choices must survive that.
    if (before !== undefined && this.#draft.isChanged) return;
    this.#draft =
      ruleDrafts.waiting(placeOfList(this.list)) ?? new RuleDraft(this.list.configured_rules);
  }

  override render() {
    const { catalogue, filter, words } = this;
    const language = this.list.language;
    const offered = offeredRules({ catalogue, draft: this.#draft, language, filter, words });
    return html`<section class="card" aria-labelledby="title">
      <div class="card-head">
        <h2 id="title">Rules</h2>
      </div>
      ${this.tools()}
      ${
        offered.length === 0
          ? emptyState({
              icon: icons.search,
              heading: 'No such rule',
              text: 'Try other words, or look among all rules.',
            })
          : offered.map((category) => this.category(category))
      }
      <console-save-bar
        changes=${this.#draft.isChanged ? `${counted(this.#draft.changeCount, 'rule')} changed` : ''}
        failure=${this.saving.failure}
        ?busy=${this.saving.isBusy}
        @save=${this.save}
        @discard=${this.discard}
      ></console-save-bar>
    </section>`;
  }

  private tools() {
    const language = languageText(this.list.language);
    const isHere = isObeyed(this.catalogue, this.list.language);
    return html`<div class="tools">
        ${searchField({
          label: 'Search rules',
          words: this.words,
          onWords: (words) => (this.words = words),
        })}
        ${choice({
          name: 'filter',
          legend: 'Rules that are shown',
          titles: {
            fitting: `For ${language}`,
            chosen: 'Chosen',
            mechanical: 'Built in',
            all: 'All',
          },
          chosen: this.filter,
          onChange: (filter) => (this.filter = filter),
        })}
      </div>
      <p class="reach soft small">
        <span class="badge good">Built in</span> rules are applied to every translation into
        ${language}. <span class="badge ${isHere ? '' : 'warn'}">Chat engine</span> rules are obeyed
        by such an engine alone; ${isHere ? 'one is running' : 'none is running now'}.
      </p>`;
  }

  private category({ name, rules, chosenCount }: OfferedCategory) {
    const isSearching = this.words.trim() !== '' || this.filter === 'chosen';
    return html`<details ?open=${isSearching || this.#openAtFirst.has(name)}>
      <summary>
        <h3>${categoryWords(name)}</h3>
        <span class="soft small"
          >${chosenCount === 0 ? nothing : `${chosenCount} chosen · `}${counted(
            rules.length,
            'rule',
          )}</span
        >
      </summary>
      <ul class="plain">
        ${rules.map((offered) => this.rule(name, offered))}
      </ul>
    </details>`;
  }

  private rule(category: string, { rule, options, chosen }: OfferedRule) {
    const id = `${category}-${rule.name}`;
    const words = chosen === undefined ? '' : optionWords(chosen.name);
    const [builtIn, others] = [true, false].map((wanted) =>
      options.filter((option) => isBuiltIn(option, this.list.language) === wanted),
    );
    return html`<li class=${chosen === undefined ? '' : 'chosen'}>
      <label for=${id}>${ruleWords(rule.name)}</label>
      ${this.reach(chosen === undefined ? options : [chosen])}
      <select
        id=${id}
        ?disabled=${this.saving.isBusy}
        @change=${(event: Event) => this.onChoice(event, category, rule)}
      >
        <option value="" .selected=${chosen === undefined}>As it comes</option>
        ${this.optionGroup('Built in', builtIn, chosen)}
        ${this.optionGroup('Chat engine', others, chosen)}
      </select>
      ${words.length > LONG_OPTION ? html`<p class="hint">${words}</p>` : nothing}
    </li>`;
  }

  private optionGroup(
    label: string,
    options: readonly CatalogueOption[] = [],
    chosen: CatalogueOption | undefined,
  ) {
    if (options.length === 0) return nothing;
    return html`<optgroup label=${label}>
      ${options.map(
        (option) =>
          html`<option value=${option.name} .selected=${option === chosen}>
            ${optionWords(option.name)}
          </option>`,
      )}
    </optgroup>`;
  }

  /** Badge that tells which engines obey these options. */
  private reach(options: readonly CatalogueOption[]) {
    const count = options.filter((option) => isBuiltIn(option, this.list.language)).length;
    if (count === options.length) return html`<span class="badge good">Built in</span>`;
    if (count > 0) return html`<span class="badge">Partly built in</span>`;
    const isHere = isObeyed(this.catalogue, this.list.language);
    return html`<span class="badge ${isHere ? '' : 'warn'}">Chat engine</span>`;
  }

  private onChoice({ target }: Event, category: string, rule: CatalogueRule): void {
    if (!(target instanceof HTMLSelectElement)) return;
    this.#draft.choose(category, rule.name, target.value);
    this.#openAtFirst.add(category);
    this.touch();
  }

  private readonly discard = (): void => {
    this.#draft.discard();
    this.touch();
  };

  private readonly save = async (): Promise<void> => {
    await this.saving.send(async () => {
      const path = `v3/style_rules/${this.list.style_id}/configured_rules`;
      const list = await api.put<StyleRuleList>(path, this.#draft.rules);
      ruleDrafts.forget(placeOfList(list));
      this.#draft = new RuleDraft(list.configured_rules);
      this.dispatchEvent(new Event('list-change'));
    });
  };

  private touch(): void {
    ruleDrafts.keep(placeOfList(this.list), this.#draft);
    this.saving.reset();
    this.requestUpdate();
  }
}

function placeOfList({ style_id: id }: StyleRuleList): string {
  return `style-rules/${id}`;
}

customElements.define('console-rule-editor', ConsoleRuleEditor);
