import { LitElement, css, html, nothing, type PropertyValues } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import { textDirection } from '../../../shared/language.ts';
import { isComposed } from '../../page/composition.ts';
import { languageText } from '../../page/language-text.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { searchField } from '../parts/choices.ts';
import { icons } from '../parts/icons.ts';
import type { PageChange } from '../parts/pager.ts';
import '../parts/pager.ts';
import { emptyState } from '../parts/states.ts';
import type { DictionaryDraft } from './dictionary-draft.ts';
import type { Entry, LanguagePair } from './entry-file.ts';

/** Rows per page: few enough to render on every keystroke, many enough to page little. */
const PAGE_SIZE = 50;
/** A single object, so that the form of a new entry is not recreated while it is being filled in. */
const NOTHING_YET: Entry = { source: '', target: '' };

/**
 * Table of a draft's entries, with search, paging and editing by row.
 *
 * @fires entries-change - The draft changed.
 */
export class ConsoleEntryTable extends LitElement {
  static override styles = [
    baseStyles,
    css`
      /* Columns keep their width whatever is on the page of the list. */
      table {
        table-layout: fixed;
      }
      col.acts {
        inline-size: 12rem;
      }
      tbody td {
        padding-block: 0.375rem;
        overflow-wrap: anywhere;
      }
      td.actions button.icon-only {
        color: var(--soft);
      }
      tr.writing td {
        vertical-align: top;
        background: var(--wash);
      }
      tr.fault td {
        padding-block-start: 0;
        background: var(--wash);
      }
      tr.writing:has(+ .fault:not([hidden])) td {
        border-block-end: 0;
      }
      .badge {
        margin-inline-start: 0.5rem;
        color: var(--accent);
        background: var(--tint);
      }
      @media (max-width: 40rem) {
        /* A phrase and what it becomes read as a pair; the head of the table names the languages. */
        table.stacked tbody tr:not(.writing, .fault) {
          display: grid;
          grid-template-columns: minmax(0, 1fr) auto;
          gap: 0 0.5rem;
          align-items: center;
        }
        table.stacked tr:not(.writing) td[data-label] {
          display: block;
          grid-column: 1;
          padding: 0;
          text-align: start;
        }
        table.stacked tr:not(.writing) td[data-label]::before {
          position: absolute;
          inline-size: 1px;
          overflow: hidden;
          clip-path: inset(50%);
        }
        table.stacked tr:not(.writing) td[data-label]:first-child {
          font-weight: 600;
        }
        table.stacked tr:not(.writing) td.actions {
          grid-area: 1 / 2 / 3;
          padding: 0;
        }
        tr.writing td[data-label] {
          display: grid;
          gap: 0.25rem;
          justify-content: stretch;
          text-align: start;
        }
        tr.fault td {
          display: block;
          text-align: start;
        }
      }
    `,
  ];

  @property({ attribute: false }) draft!: DictionaryDraft;
  @property({ attribute: false }) pair!: LanguagePair;
  /** Version of the draft, which is mutated in place. */
  @property({ type: Number }) version = 0;
  @property({ type: Boolean }) disabled = false;
  @state() private words = '';
  @state() private page = 0;
  /** The entry being edited, or `new`. */
  @state() private writing: Entry | 'new' | undefined;
  @state() private fault = '';
  @query('#source') private readonly sourceField!: HTMLInputElement | null;
  @query('#target') private readonly targetField!: HTMLInputElement | null;
  #found: readonly Entry[] = [];
  /** Selector of the element to focus after the next update. */
  #focusNext: string | undefined;

  override willUpdate(changed: PropertyValues<this>): void {
    // A new entry being written belongs to no existing entry, so it survives a change of draft.
    const isOther = changed.has('draft');
    if (isOther && this.writing !== 'new') this.writing = this.draft.row?.over;
    this.#found = this.draft.search(this.words);
    if (isOther && this.writing !== undefined && this.writing !== 'new') {
      this.page = Math.floor(Math.max(0, this.#found.indexOf(this.writing)) / PAGE_SIZE);
    }
    const last = Math.max(0, Math.ceil(this.#found.length / PAGE_SIZE) - 1);
    this.page = Math.min(this.page, last);
  }

  override updated(): void {
    if (this.#focusNext === undefined) return;
    this.renderRoot.querySelector<HTMLElement>(this.#focusNext)?.focus();
    this.#focusNext = undefined;
  }

  /** Applies the row being edited, if any. Returns false if the row is faulty. */
  finish(): boolean {
    const isEmpty = this.sourceField?.value === '' && this.targetField?.value === '';
    if (this.writing === undefined || (this.writing === 'new' && isEmpty)) return true;
    this.apply();
    return this.fault === '';
  }

  override render() {
    const rows = this.#found.slice(this.page * PAGE_SIZE, (this.page + 1) * PAGE_SIZE);
    return html`<div class="tools">
        ${searchField({
          label: 'Search entries',
          words: this.words,
          onWords: (words) => this.search(words),
        })}
        <button
          id="add"
          type="button"
          class="primary"
          ?disabled=${this.disabled}
          @click=${() => this.write('new')}
        >
          ${icons.add} Add entry
        </button>
      </div>
      ${rows.length === 0 && this.writing === undefined ? this.empty() : this.table(rows)}
      <console-pager
        label="Entries"
        .page=${this.page}
        .size=${PAGE_SIZE}
        .count=${this.#found.length}
        @page-change=${this.onPage}
      ></console-pager>`;
  }

  private empty() {
    if (this.draft.entries.length === 0) {
      return emptyState({
        icon: icons.book,
        heading: 'No entry yet',
        text: 'Add the first one, or drop a CSV or TSV file here: two columns, a phrase and its translation.',
      });
    }
    return emptyState({
      icon: icons.search,
      heading: 'Nothing found',
      text: `No phrase and no translation has “${this.words.trim()}” in it.`,
    });
  }

  private table(rows: readonly Entry[]) {
    const { source, target } = this.pair;
    return html`<table class="stacked">
      <colgroup>
        <col />
        <col />
        <col class="acts" />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">${languageText(source)}</th>
          <th scope="col">${languageText(target)}</th>
          <th scope="col"><span class="unseen">Actions</span></th>
        </tr>
      </thead>
      <tbody>
        ${this.writing === 'new' ? this.form(NOTHING_YET, 'Add') : nothing}
        ${rows.map((entry, index) =>
          entry === this.writing ? this.form(entry, 'Apply') : this.row(entry, index),
        )}
      </tbody>
    </table>`;
  }

  private row(entry: Entry, index: number) {
    const { source, target } = this.pair;
    const mark = this.draft.mark(entry);
    return html`<tr>
      <td data-label=${languageText(source)}>
        <span
          ><bdi lang=${source} dir=${textDirection(source)}>${entry.source}</bdi>${
            mark === 'saved'
              ? nothing
              : html`<span class="badge">${mark === 'added' ? 'new' : mark}</span>`
          }</span
        >
      </td>
      <td data-label=${languageText(target)}>
        <bdi lang=${target} dir=${textDirection(target)}>${entry.target}</bdi>
      </td>
      <td class="actions">
        <button
          type="button"
          class="quiet icon-only"
          data-edit=${index}
          aria-label=${`Edit ${entry.source}`}
          ?disabled=${this.disabled}
          @click=${() => this.write(entry)}
        >
          ${icons.edit}
        </button>
        <button
          type="button"
          class="quiet icon-only"
          data-remove=${index}
          aria-label=${`Remove ${entry.source}`}
          ?disabled=${this.disabled}
          @click=${() => this.removeEntry(entry, index)}
        >
          ${icons.remove}
        </button>
      </td>
    </tr>`;
  }

  private form(entry: Entry, action: string) {
    const isWrong = this.fault !== '';
    const field = (side: 'source' | 'target') =>
      html`<td data-label=${languageText(this.pair[side])}>
        <input
          id=${side}
          autocomplete="off"
          aria-label=${`${side === 'source' ? 'Phrase' : 'Translation'} in ${languageText(this.pair[side])}`}
          aria-describedby="fault"
          aria-invalid=${isWrong ? 'true' : nothing}
          lang=${this.pair[side]}
          dir="auto"
          .value=${(this.draft.row ?? entry)[side]}
          @input=${this.onTyped}
        />
      </td>`;
    return keyed(
      entry,
      html`<tr class="writing" @keydown=${this.onKey}>
          ${field('source')} ${field('target')}
          <td class="actions">
            <button type="button" class="small" @click=${this.cancel}>Cancel</button>
            <button type="button" class="small primary" @click=${this.apply}>${action}</button>
          </td>
        </tr>
        <tr class="fault" ?hidden=${!isWrong}>
          <td colspan="3"><p id="fault" class="error" role="alert">${this.fault}</p></td>
        </tr>`,
    );
  }

  private search(words: string): void {
    this.words = words;
    this.page = 0;
  }

  private readonly onPage = ({ page }: PageChange): void => {
    this.page = page;
    this.leaveRow();
    this.scrollIntoView({ block: 'start' });
  };

  /** Stores the row's input with the draft while the user is on another page. */
  private readonly onTyped = (): void => {
    const { sourceField, targetField, writing } = this;
    if (sourceField === null || targetField === null || writing === undefined) return;
    const [source, target] = [sourceField.value, targetField.value];
    const before = writing === 'new' ? NOTHING_YET : writing;
    const isSame = source === before.source && target === before.target;
    this.draft.row = isSame ? undefined : { over: writing, source, target };
    this.tellChange();
  };

  private leaveRow(): void {
    this.writing = undefined;
    if (this.draft.row === undefined) return;
    this.draft.row = undefined;
    this.tellChange();
  }

  private write(entry: Entry | 'new'): void {
    this.leaveRow();
    this.writing = entry;
    this.fault = '';
    this.#focusNext = '#source';
  }

  private readonly cancel = (): void => {
    this.#focusNext = this.writing === 'new' ? '#add' : this.editButton(this.writing);
    this.leaveRow();
  };

  private readonly apply = (): void => {
    const { sourceField, targetField, writing } = this;
    const isOff = this.disabled || writing === undefined;
    if (isOff || sourceField === null || targetField === null) return;
    const entry = { source: sourceField.value.trim(), target: targetField.value.trim() };
    const fault = this.draft.put(entry, writing === 'new' ? undefined : writing);
    this.fault = fault === undefined ? '' : `The entry ${fault}.`;
    if (fault !== undefined) {
      (entry.source === '' || entry.target !== '' ? sourceField : targetField).focus();
      return;
    }
    this.draft.row = undefined;
    if (writing === 'new') {
      // The form stays open for another entry.
      sourceField.value = '';
      targetField.value = '';
      this.#focusNext = '#source';
      this.page = 0;
    } else {
      this.#focusNext = this.editButton(writing);
      this.writing = undefined;
    }
    this.tellChange();
  };

  private removeEntry(entry: Entry, index: number): void {
    this.draft.remove(entry);
    // The next row has taken the removed row's place; after the last row, the previous one is focused.
    const isLast = this.page * PAGE_SIZE + index === this.#found.length - 1;
    const next = isLast ? index - 1 : index;
    this.#focusNext = next < 0 ? '#add' : `[data-remove='${next}']`;
    this.tellChange();
  }

  private editButton(entry: Entry | undefined): string {
    const index = entry === undefined ? -1 : this.#found.indexOf(entry) - this.page * PAGE_SIZE;
    return `[data-edit='${index}']`;
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    if (isComposed(event) || !(event.target instanceof HTMLInputElement)) return;
    if (event.key === 'Enter') this.apply();
    else if (event.key === 'Escape') this.cancel();
    else return;
    event.preventDefault();
  };

  private tellChange(): void {
    this.requestUpdate();
    this.dispatchEvent(new Event('entries-change'));
  }
}

customElements.define('console-entry-table', ConsoleEntryTable);
