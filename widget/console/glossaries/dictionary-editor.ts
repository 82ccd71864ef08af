import { LitElement, html } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import type {
  DictionaryContent,
  DictionaryInfo,
  Glossary,
} from '../../../shared/schemas/glossaries.ts';
import { saveFile } from '../../page/handing-over.ts';
import { pairText } from '../../page/language-text.ts';
import { wholeNumber } from '../../page/numbers.ts';
import { ApiFailure, api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { doneIfConfirmed } from '../parts/dialog.ts';
import { FileChoice, fileChoiceStyles } from '../parts/file-choice.ts';
import { icons } from '../parts/icons.ts';
import '../parts/save-bar.ts';
import { Loaded } from '../parts/states.ts';
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

/**
 * The entries of one dictionary. What is done to them is kept here until it is saved, all at once.
 *
 * @fires dictionary-change - It was saved.
 * @fires dictionary-delete - It is no more.
 */
export class ConsoleDictionaryEditor extends LitElement {
  static override styles = [baseStyles, fileChoiceStyles];

  @property({ attribute: false }) glossary!: Glossary;
  @property({ attribute: false }) pair!: LanguagePair;
  @state() private isSaving = false;
  @state() private failure = '';
  @query('console-entry-import', true) private readonly importing!: ConsoleEntryImport;
  @query('console-entry-table') private readonly table!: ConsoleEntryTable | null;
  readonly #file = new FileChoice(this, {
    accept: '.csv,.tsv,.txt',
    words: 'Drop a CSV or TSV file to import it',
    onFile: (file) => this.readFile(file),
  });
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
          <button type="button" class="small quiet" @click=${this.#file.choose}>
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
      ${this.#draft.render((draft) => this.editor(draft), { lines: 8 })} ${this.#file.render()}
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
    return pairText(this.pair.source, this.pair.target);
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
      entries,
      entries_format: 'tsv',
    });
    if (plan.kind === 'add') {
      await api.patch<Glossary>(path, { dictionaries: [content(plan.tsv)] });
    } else {
      const entries = plan.over(await this.fetchEntries());
      await api.put<DictionaryInfo>(`${path}/dictionaries`, content(writeTsv(entries)));
    }
  }

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
    await doneIfConfirmed({
      heading: 'Delete this dictionary?',
      text: `${this.direction} with ${wholeNumber(this.#draft.value?.entries.length ?? 0)} entries will be gone from “${this.glossary.name}”.`,
      action: 'Delete dictionary',
      done: 'The dictionary was deleted.',
      work: async () => {
        const path = `v3/glossaries/${this.glossary.glossary_id}/dictionaries`;
        await api.delete(path, { query: this.wireQuery }).catch((error: unknown) => {
          // It may never have been saved.
          if (!(error instanceof ApiFailure && error.status === 404)) throw error;
        });
        drafts.forget(this.draftKey);
        this.dispatchEvent(new Event('dictionary-delete'));
      },
    });
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
