import { css, html, LitElement, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import type {
  DictionaryContent,
  DictionaryInfo,
  Glossary,
} from '../../../shared/schemas/glossaries.ts';
import { saveFile } from '../../page/handing-over.ts';
import { languageText, pairText } from '../../page/language-text.ts';
import { counted, sizeText, wholeNumber } from '../../page/numbers.ts';
import { api, ApiFailure } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import '../parts/dialog.ts';
import { type ConsoleDialog, doneIfConfirmed } from '../parts/dialog.ts';
import { FileChoice, fileChoiceStyles } from '../parts/file-choice.ts';
import { icons } from '../parts/icons.ts';
import '../parts/save-bar.ts';
import { Sending } from '../parts/sending.ts';
import { Loaded, note } from '../parts/states.ts';
import { DictionaryDraft, draftKey, drafts, entriesOf } from './dictionary-draft.ts';
import {
  decodeText,
  type Entry,
  type EntryFile,
  type LanguagePair,
  MAX_FILE_BYTES,
  readEntries,
  writeCsv,
  writeTsv,
} from './entry-file.ts';
import './entry-table.ts';
import type { ConsoleEntryTable } from './entry-table.ts';

/**
 * Editor of one dictionary. Changes are kept in a draft until they are saved, all at once.
 *
 * @fires dictionary-change - The dictionary was saved.
 * @fires dictionary-delete - The dictionary was deleted.
 */
export class ConsoleDictionaryEditor extends LitElement {
  static override styles = [baseStyles, fileChoiceStyles];

  @property({ attribute: false }) glossary!: Glossary;
  @property({ attribute: false }) pair!: LanguagePair;
  private readonly saving = new Sending(this);
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
    const isEmpty = draft.entries.length === 0 && draft.row === undefined;
    return html`<console-entry-table
        .draft=${draft}
        .pair=${this.pair}
        .version=${draft.version}
        ?disabled=${this.saving.isBusy}
        @entries-change=${this.touch}
      ></console-entry-table>
      <console-save-bar
        changes=${changesText(draft)}
        failure=${this.saving.failure}
        obstacle=${
          isEmpty
            ? 'A dictionary keeps at least one entry. To be rid of all, delete the dictionary.'
            : ''
        }
        ?busy=${this.saving.isBusy}
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

  /** Fetches the dictionary's entries as lines; none for a dictionary that is still to be created. */
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
    this.saving.reset();
  };

  private readonly discard = (): void => {
    this.#draft.value?.discard();
    this.touch();
  };

  private readonly save = async (): Promise<void> => {
    const draft = this.#draft.value;
    // Saving includes the row that is still being written.
    if (draft === undefined || this.table?.finish() === false) return;
    await this.saving.send(async () => {
      await this.send(draft);
      drafts.forget(this.draftKey);
      this.#draft.set(draft.renewed(entriesOf(await this.fetchEntries())));
      this.touch();
      this.dispatchEvent(new Event('dictionary-change'));
    });
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
    if (draft !== undefined && !this.saving.isBusy)
      void this.importing.open(file, draft, this.pair);
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
      text: `${this.direction} with ${counted(this.#draft.value?.entries.length ?? 0, 'entry', 'entries')} will be gone from “${this.glossary.name}”.`,
      action: 'Delete dictionary',
      done: 'The dictionary was deleted.',
      work: async () => {
        const path = `v3/glossaries/${this.glossary.glossary_id}/dictionaries`;
        await api.delete(path, { query: this.wireQuery }).catch((error: unknown) => {
          // The dictionary may never have been saved.
          if (!(error instanceof ApiFailure && error.status === 404)) throw error;
        });
        drafts.forget(this.draftKey);
        this.dispatchEvent(new Event('dictionary-delete'));
      },
    });
  };
}

/** Returns `2 added, 1 removed`; empty without changes. */
function changesText({ changes: { added, changed, removed }, row }: DictionaryDraft): string {
  const parts = [
    [added, 'added'],
    [changed, 'changed'],
    [removed, 'removed'],
  ] as const;
  const counts = parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${wholeNumber(count)} ${word}`);
  return [...counts, ...(row === undefined ? [] : ['one being written'])].join(', ');
}

customElements.define('console-dictionary-editor', ConsoleDictionaryEditor);

// Preview of a file's content before any of it is imported.

/** Most faulty lines shown. */
const MOST_FAULTS = 50;

/** Carries the entries of a file to the draft. */
class EntriesTaken extends Event {
  readonly entries: readonly Entry[];
  readonly isInPlaceOfAll: boolean;

  constructor(entries: readonly Entry[], { inPlaceOfAll }: { inPlaceOfAll: boolean }) {
    super('entries-taken');
    this.entries = entries;
    this.isInPlaceOfAll = inPlaceOfAll;
  }
}

/** What a file contains, or why it cannot be read. */
type Reading =
  | { kind: 'read'; file: EntryFile; newCount: number; changedCount: number }
  | { kind: 'failed'; problem: string };

/**
 * Dialog that shows what a file contains before any of it is imported.
 *
 * @fires entries-taken - {@link EntriesTaken}
 */
class ConsoleEntryImport extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .faults {
        max-block-size: 11rem;
        padding: 0.75rem 1rem;
        overflow-y: auto;
        background: var(--wash);
        border-radius: var(--radius-small);
      }
      .faults li {
        list-style: none;
        overflow-wrap: anywhere;
      }
      legend {
        padding: 0;
        margin-block-end: 0.25rem;
      }
      fieldset {
        margin: 0;
        padding: 0;
        border: 0;
      }
    `,
  ];

  @state() private name = '';
  @state() private reading: Reading | undefined;
  @state() private pair: LanguagePair = { source: 'en', target: 'de' };
  @state() private isInPlaceOfAll = false;
  @state() private isEmptyDraft = true;
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;

  async open(file: File, draft: DictionaryDraft, pair: LanguagePair): Promise<void> {
    this.name = file.name;
    this.pair = pair;
    this.isInPlaceOfAll = false;
    this.isEmptyDraft = draft.entries.length === 0;
    this.reading = await read(file, draft, pair);
    await this.dialog.show();
  }

  override render() {
    return html`<console-dialog heading="Import entries">
      <form class="stack" @submit=${this.onSubmit}>
        ${this.reading === undefined ? nothing : this.content(this.reading)}
      </form>
    </console-dialog>`;
  }

  private content(reading: Reading) {
    if (reading.kind === 'failed') {
      return html`${note('bad', reading.problem)}
        <div class="row end">
          <button type="button" @click=${() => this.dialog.close()}>Close</button>
        </div>`;
    }
    const { file, newCount, changedCount } = reading;
    const count = file.entries.length;
    return html`<p>
        <strong>${this.name}</strong> has ${counted(count, 'entry', 'entries')} that can be used:
        ${wholeNumber(newCount)} new, ${wholeNumber(changedCount)} with another translation,
        ${wholeNumber(count - newCount - changedCount)} that are there already.
      </p>
      ${this.left(file)} ${this.isEmptyDraft || count === 0 ? nothing : this.manner()}
      <div class="row end">
        <button type="button" @click=${() => this.dialog.close()}>Cancel</button>
        <button class="primary" ?disabled=${count === 0}>
          Take ${counted(count, 'entry', 'entries')}
        </button>
      </div>`;
  }

  private left({ faults, foreignCount }: EntryFile) {
    const { source, target } = this.pair;
    return html`${
      foreignCount === 0
        ? nothing
        : note(
            'info',
            `${counted(foreignCount, 'line')} of other languages than ${languageText(source)} and ${languageText(target)} will be left out.`,
          )
    }
    ${
      faults.length === 0
        ? nothing
        : html`${note('warn', `${counted(faults.length, 'line')} cannot be used and will be left out.`)}
            <ul class="faults small" tabindex="0" aria-label="Lines that cannot be used">
              ${faults
                .slice(0, MOST_FAULTS)
                .map(({ line, fault }) => html`<li>Line ${wholeNumber(line)} ${fault}.</li>`)}
              ${
                faults.length > MOST_FAULTS
                  ? html`<li>And ${wholeNumber(faults.length - MOST_FAULTS)} more.</li>`
                  : nothing
              }
            </ul>`
    }`;
  }

  private manner() {
    return html`<fieldset>
      <legend class="label">What becomes of the entries that are there?</legend>
      ${this.radio(false, 'Keep them; where a phrase is there already, the file counts')}
      ${this.radio(true, 'Replace all of them')}
    </fieldset>`;
  }

  private radio(value: boolean, words: string) {
    return html`<label class="check">
      <input
        type="radio"
        name="manner"
        .checked=${this.isInPlaceOfAll === value}
        @change=${() => (this.isInPlaceOfAll = value)}
      />
      ${words}
    </label>`;
  }

  private readonly onSubmit = (event: Event): void => {
    event.preventDefault();
    if (this.reading?.kind !== 'read') return;
    this.dialog.close();
    const inPlaceOfAll = this.isInPlaceOfAll;
    this.dispatchEvent(new EntriesTaken(this.reading.file.entries, { inPlaceOfAll }));
  };
}

async function read(file: File, draft: DictionaryDraft, pair: LanguagePair): Promise<Reading> {
  if (file.size > MAX_FILE_BYTES) {
    const most = sizeText(MAX_FILE_BYTES);
    return { kind: 'failed', problem: `The file has ${sizeText(file.size)}; ${most} is the most.` };
  }
  let content: EntryFile;
  try {
    content = readEntries(decodeText(new Uint8Array(await file.arrayBuffer())), pair);
  } catch {
    const problem = 'The file is not text in UTF-8. Save it as “CSV UTF-8” and try again.';
    return { kind: 'failed', problem };
  }
  return { kind: 'read', file: content, ...draft.compare(content.entries) };
}

customElements.define('console-entry-import', ConsoleEntryImport);
