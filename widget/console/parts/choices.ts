/** Controls that narrow down a list: a search field, and a choice between a few options. */
import { css, html, nothing, type ReactiveControllerHost, type TemplateResult } from 'lit';
import { icons } from './icons.ts';
import type { EmptyState } from './states.ts';

/** Returns a field that searches while the user types; placed in a `.tools` element above a list. */
export function searchField({
  label,
  placeholder = 'Search',
  words,
  onWords,
}: {
  label: string;
  placeholder?: string;
  words: string;
  onWords: (words: string) => void;
}): TemplateResult {
  return html`<div class="search">
    ${icons.search}
    <input
      type="search"
      aria-label=${label}
      placeholder=${placeholder}
      .value=${words}
      @input=${({ target }: Event) => {
        if (target instanceof HTMLInputElement) onWords(target.value);
      }}
    />
  </div>`;
}

/** List length up to which no search is needed. */
const FEW = 8;

interface ListSearchOptions<Item> {
  /** Label of the field, for screen readers. */
  label: string;
  /** What one item is called, and what its searched text is called. */
  kind: string;
  searched?: string;
  /** Returns the texts of an item to search. */
  textsOf: (item: Item) => readonly string[];
  /** Called when the user has typed. */
  onWords?: () => void;
}

/** The search in a page's list: its field, what it finds, and what stands there when it finds nothing. */
export class ListSearch<Item> {
  readonly #host: ReactiveControllerHost;
  readonly #options: ListSearchOptions<Item>;
  words = '';

  constructor(host: ReactiveControllerHost, options: ListSearchOptions<Item>) {
    this.#host = host;
    this.#options = options;
  }

  /** Renders the field above the list; nothing above a short list without a search. */
  field({ length }: readonly Item[]): TemplateResult | typeof nothing {
    if (length <= FEW && this.words === '') return nothing;
    const { label, onWords } = this.#options;
    const search = (words: string) => {
      this.words = words;
      onWords?.();
      this.#host.requestUpdate();
    };
    return html`<div class="tools">
      ${searchField({ label, words: this.words, onWords: search })}
    </div>`;
  }

  found(items: readonly Item[]): Item[] {
    return items.filter((item) => hasWords(this.words, ...this.#options.textsOf(item)));
  }

  /** Returns what stands in place of an empty list: `unused` if it has no items even without a search. */
  emptyState(items: readonly Item[], unused: EmptyState): EmptyState {
    if (items.length === 0) return unused;
    const { kind, searched = 'name' } = this.#options;
    return {
      icon: icons.search,
      heading: 'Nothing found',
      text: `No ${kind} has “${this.words.trim()}” in its ${searched}.`,
    };
  }
}

/**
 * Returns whether one of the texts contains the words, ignoring case, accents, and the form in which letters
 * are encoded: macOS decomposes them.
 */
export function hasWords(words: string, ...texts: readonly string[]): boolean {
  const wanted = searchable(words.trim());
  return texts.some((text) => searchable(text).includes(wanted));
}

/** Accents of Latin, Greek and Cyrillic letters. */
const ACCENTS = /[\u0300-\u036f]/g;

function searchable(text: string): string {
  return text.normalize('NFKD').toLowerCase().replace(ACCENTS, '');
}

/** Returns a choice between a few options, side by side. */
export function choice<Value extends string>({
  name,
  legend,
  titles,
  chosen,
  disabled = [],
  hintId,
  onChange,
}: {
  name: string;
  /** For screen readers. */
  legend: string;
  titles: Readonly<Record<Value, string>>;
  chosen: Value;
  disabled?: readonly Value[];
  /** Id of the element that explains why options are disabled. */
  hintId?: string;
  onChange: (value: Value) => void;
}): TemplateResult {
  const entries = Object.entries(titles) as [Value, string][];
  return html`<fieldset class="choice">
    <legend class="unseen">${legend}</legend>
    ${entries.map(
      ([value, title]) =>
        html`<label>
          <input
            type="radio"
            name=${name}
            .checked=${value === chosen}
            ?disabled=${disabled.includes(value)}
            aria-describedby=${disabled.includes(value) ? (hintId ?? nothing) : nothing}
            @change=${() => onChange(value)}
          />
          ${title}
        </label>`,
    )}
  </fieldset>`;
}

/** Style of both controls. */
export const choiceStyles = css`
  .tools {
    display: flex;
    flex-wrap: wrap;
    gap: 0.625rem;
    align-items: center;
    padding: 0.75rem var(--inset);
    border-block-end: 1px solid var(--line);
  }
  .search {
    position: relative;
    flex: 1 1 12rem;
    max-inline-size: 28rem;
  }
  .search .icon {
    position: absolute;
    inset-block-start: 50%;
    inset-inline-start: 0.75rem;
    translate: 0 -50%;
    color: var(--soft);
    pointer-events: none;
  }
  .tools .search input {
    padding-inline-start: 2.5rem;
  }
  .tools > :last-child:not(:only-child) {
    margin-inline-start: auto;
  }
  .choice {
    display: inline-flex;
    flex-wrap: wrap;
    padding: 0.1875rem;
    margin: 0;
    border: 0;
    background: var(--wash);
    border-radius: calc(var(--radius-small) + 0.1875rem);
  }
  .choice label {
    position: relative;
    display: inline-flex;
    align-items: center;
    min-block-size: 2.125rem;
    padding-inline: 0.75rem;
    font-size: 0.875rem;
    font-weight: 600;
    color: var(--soft);
    border-radius: var(--radius-small);
    cursor: pointer;
  }
  .choice input {
    position: absolute;
    inset: 0;
    inline-size: 100%;
    block-size: 100%;
    opacity: 0;
    cursor: pointer;
  }
  .choice label:has(:checked) {
    color: var(--ink);
    background: var(--card);
    box-shadow: 0 0 0 1px var(--edge);
  }
  .choice label:has(:focus-visible) {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
  @media (forced-colors: active) {
    .choice label:has(:checked) {
      outline: 2px solid Highlight;
    }
  }
`;
