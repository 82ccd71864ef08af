import { LitElement, css, html } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import type {
  DictionaryContent,
  DictionaryInfo,
  Glossary,
} from '../../../shared/schemas/glossaries.ts';
import { ApiFailure, api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { confirmed } from '../parts/confirmation.ts';
import { saveFile } from '../parts/download.ts';
import { FileDrop } from '../parts/file-drop.ts';
import { icons } from '../parts/icons.ts';
import { Loaded } from '../parts/loaded.ts';
import { sayDone, sayFailed } from '../parts/messages.ts';
import { wholeNumber } from '../parts/numbers.ts';
import '../parts/save-bar.ts';
import {
  DictionaryDraft,
  draftKey,
  drafts,
  entriesOf,
  type DraftChanges,
} from './dictionary-draft.ts';
import { writeCsv, writeTsv, type LanguagePair } from './entry-file.ts';
import type { ConsoleEntryImport, EntriesTaken } from './entry-import.ts';
import './entry-import.ts';
import type { ConsoleEntryTable } from './entry-table.ts';
import './entry-table.ts';
import { pairText } from './glossary-list.ts';

/**
 * The entries of one dictionary. What is done to them is kept here until it is saved, all at once.
 *
 * @fires dictionary-change - It was saved.
 * @fires dictionary-delete - It is no more.
 */
export class ConsoleDictionaryEditor extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .card {
        position: relative;
      }
      .dropping {
        position: absolute;
        inset: 0;
        z-index: 2;
        display: grid;
        place-items: center;
        font-weight: 600;
        color: var(--accent);
        background: color-mix(in srgb, var(--tint) 92%, transparent);
        border: 2px dashed var(--accent);
        border-radius: inherit;
        pointer-events: none;
      }
    `,
  ];

  @property({ attribute: false }) glossary!: Glossary;
  @property({ attribute: false }) pair!: LanguagePair;
  @state() private isSaving = false;
  @state() private failure = '';
  @query('input[type="file"]', true) private readonly fileInput!: HTMLInputElement;
  @query('console-entry-import', true) private readonly importing!: ConsoleEntryImport;
  @query('console-entry-table') private readonly table!: ConsoleEntryTable | null;
  readonly #drop = new FileDrop(this, (file) => this.readFile(file));
  readonly #draft = new Loaded(this, {
    load: async ({ signal }) =>
      drafts.waiting(this.draftKey) ??
      new DictionaryDraft(entriesOf(await this.fetchEntries(signal))),
  });

  override render() {
    const isEmpty = (this.#draft.value?.entries.length ?? 0) === 0;
    return html`<section class="card" aria-labelledby="title">
      <div class="card-head">
        <h2 id="title">${this.direction}</h2>
        <div class="row">
          <button type="button" class="small quiet" @click=${() => this.fileInput.click()}>
            ${icons.upload} Import
          </button>
          <button
            type="button"
            class="small quiet"
            ?disabled=${isEmpty}
            @click=${() => this.export('csv')}
          >
            ${icons.download} Export CSV
          </button>
          <button
            type="button"
            class="small quiet"
            ?disabled=${isEmpty}
            @click=${() => this.export('tsv')}
          >
            ${icons.download} Export TSV
          </button>
          <button type="button" class="small quiet danger" @click=${this.deleteDictionary}>
            ${icons.remove} Delete dictionary
          </button>
        </div>
      </div>
      ${this.#draft.render((draft) => this.editor(draft), { lines: 8 })}
      <input
        type="file"
        accept=".csv,.tsv,.txt"
        aria-label="File to import"
        hidden
        @change=${this.onFile}
      />
      <div class="dropping" ?hidden=${!this.#drop.isTarget}>
        Drop a CSV or TSV file to import it
      </div>
      <console-entry-import @entries-taken=${this.take}></console-entry-import>
    </section>`;
  }

  private editor(draft: DictionaryDraft) {
    const isEmpty = draft.entries.length === 0;
    return html`<console-entry-table
        .draft=${draft}
        .pair=${this.pair}
        .version=${draft.version}
        ?disabled=${this.isSaving}
        @entries-change=${this.touch}
      ></console-entry-table>
      <console-save-bar
        changes=${changesText(draft.changes)}
        failure=${this.failure}
        obstacle=${
          isEmpty
            ? 'A dictionary keeps at least one entry. To be rid of all, delete the dictionary.'
            : ''
        }
        ?busy=${this.isSaving}
        @save=${this.save}
        @discard=${this.discard}
      ></console-save-bar>`;
  }

  private get direction(): string {
    return pairText({ source_lang: this.pair.source, target_lang: this.pair.target });
  }

  private get draftKey(): string {
    return draftKey(this.glossary.glossary_id, this.pair);
  }

  private get wireQuery() {
    return { source_lang: this.pair.source, target_lang: this.pair.target };
  }

  /** Lines of the dictionary; none when it is about to be made. */
  private async fetchEntries(signal?: AbortSignal): Promise<string> {
    try {
      const path = `v3/glossaries/${this.glossary.glossary_id}/entries`;
      const options = { query: this.wireQuery, ...(signal !== undefined && { signal }) };
      const answer = await api.get<{ dictionaries: DictionaryContent[] }>(path, options);
      return answer.dictionaries[0]?.entries ?? '';
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 404) return '';
      throw error;
    }
  }

  private readonly touch = (): void => {
    const draft = this.#draft.value;
    if (draft !== undefined) drafts.keep(this.draftKey, draft);
    this.failure = '';
    this.requestUpdate();
  };

  private readonly discard = (): void => {
    this.#draft.value?.discard();
    this.touch();
  };

  private readonly save = async (): Promise<void> => {
    const draft = this.#draft.value;
    // Whoever saves means the row as well that is still being written.
    if (draft === undefined || this.table?.finish() === false) return;
    this.isSaving = true;
    this.failure = '';
    try {
      await this.send(draft);
      drafts.forget(this.draftKey);
      this.#draft.set(draft.renewed(entriesOf(await this.fetchEntries())));
      this.dispatchEvent(new Event('dictionary-change'));
    } catch (error) {
      this.failure = error instanceof Error ? error.message : 'That did not work.';
    } finally {
      this.isSaving = false;
    }
  };

  private async send({ plan }: DictionaryDraft): Promise<void> {
    const path = `v3/glossaries/${this.glossary.glossary_id}`;
    const content = (entries: string): DictionaryContent => ({
      ...this.wireQuery,
      ...{ entries, entries_format: 'tsv' },
    });
    if (plan.kind === 'add') {
      await api.patch<Glossary>(path, { dictionaries: [content(plan.tsv)] });
    } else {
      const entries = plan.over(await this.fetchEntries());
      await api.put<DictionaryInfo>(`${path}/dictionaries`, content(writeTsv(entries)));
    }
  }

  private readonly onFile = (): void => {
    const file = this.fileInput.files?.[0];
    if (file !== undefined) this.readFile(file);
    // The same file may be chosen again.
    this.fileInput.value = '';
  };

  private readFile(file: File): void {
    const draft = this.#draft.value;
    if (draft !== undefined && !this.isSaving) void this.importing.open(file, draft, this.pair);
  }

  private readonly take = ({ entries, isInPlaceOfAll }: EntriesTaken): void => {
    this.#draft.value?.take(entries, { inPlaceOfAll: isInPlaceOfAll });
    this.touch();
  };

  private export(format: 'csv' | 'tsv'): void {
    const entries = this.#draft.value?.entries ?? [];
    const name = `${this.glossary.name}.${this.pair.source}-${this.pair.target}.${format}`;
    if (format === 'csv') saveFile(name, writeCsv(entries, this.pair), 'text/csv');
    else saveFile(name, writeTsv(entries), 'text/tab-separated-values');
  }

  private readonly deleteDictionary = async (): Promise<void> => {
    const isYes = await confirmed({
      heading: 'Delete this dictionary?',
      text: `${this.direction} with ${wholeNumber(this.#draft.value?.entries.length ?? 0)} entries will be gone from “${this.glossary.name}”.`,
      action: 'Delete dictionary',
    });
    if (!isYes) return;
    try {
      const path = `v3/glossaries/${this.glossary.glossary_id}/dictionaries`;
      await api.delete(path, { query: this.wireQuery }).catch((error: unknown) => {
        // It may never have been saved.
        if (!(error instanceof ApiFailure && error.status === 404)) throw error;
      });
      drafts.forget(this.draftKey);
      sayDone('The dictionary was deleted.');
      this.dispatchEvent(new Event('dictionary-delete'));
    } catch (error) {
      sayFailed(error);
    }
  };
}

/** `2 added, 1 removed`; empty when nothing has changed. */
function changesText({ added, changed, removed }: DraftChanges): string {
  const parts = [
    [added, 'added'],
    [changed, 'changed'],
    [removed, 'removed'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${wholeNumber(count)} ${word}`)
    .join(', ');
}

customElements.define('console-dictionary-editor', ConsoleDictionaryEditor);
