/** Translation memories page, and the import of a file as a memory. */
import { LitElement, css, html, nothing, type PropertyValues } from 'lit';
import { query, state } from 'lit/decorators.js';
import type {
  ImportedTranslationMemory,
  TranslationMemory,
  TranslationMemoryList,
} from '../../../shared/schemas/translation-memories.ts';
import { glossaryLanguages } from '../../../shared/language.ts';
import { languageText } from '../../page/language-text.ts';
import { counted, sizeText, wholeNumber } from '../../page/numbers.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { ListSearch } from '../parts/choices.ts';
import { doneIfConfirmed, type ConsoleDialog, type ConsoleNameDialog } from '../parts/dialog.ts';
import { forgetAllBut } from '../parts/draft-shelf.ts';
import { FileChoice, fileChoiceStyles } from '../parts/file-choice.ts';
import { page, rowActions, table } from '../parts/frame.ts';
import { icons } from '../parts/icons.ts';
import { languageOptions } from '../parts/languages.ts';
import { sayDone } from '../parts/messages.ts';
import type { PageChange } from '../parts/pager.ts';
import '../parts/pager.ts';
import { Loaded, note, type Fetching } from '../parts/states.ts';

/** Memories per page, in the table and of an API answer. */
const PAGE_SIZE = 25;

/** Table of the account's translation memories. */
export class ConsoleMemories extends LitElement {
  static override styles = [
    baseStyles,
    fileChoiceStyles,
    css`
      tbody th,
      td {
        overflow-wrap: anywhere;
      }
    `,
  ];

  @state() private page = 0;
  @query('console-name-dialog', true) private readonly naming!: ConsoleNameDialog;
  @query('console-memory-upload', true) private readonly upload!: ConsoleMemoryUpload;
  readonly #file = new FileChoice(this, {
    accept: '.tmx,.csv',
    words: 'Drop a TMX or CSV file to import it',
    onFile: (file) => void this.upload.open(file),
  });
  readonly #search = new ListSearch<TranslationMemory>(this, {
    label: 'Search memories',
    kind: 'memory',
    textsOf: ({ name }) => [name],
    onWords: () => (this.page = 0),
  });
  readonly #memories = new Loaded(this, { load: fetchMemories });

  override render() {
    return page(
      {
        title: 'Translation memories',
        text: 'What was translated before. Sentences that come again are taken from there; similar ones serve as examples.',
        actions: html`<button type="button" class="primary" @click=${this.#file.choose}>
          ${icons.upload} Import memory
        </button>`,
      },
      html`<section class="card" aria-label="Translation memories">
          ${this.#memories.render((all) => this.list(all))} ${this.#file.render()}
        </section>
        <console-memory-upload @memory-made=${this.reload}></console-memory-upload>
        <console-name-dialog></console-name-dialog>`,
    );
  }

  private list(memories: readonly TranslationMemory[]) {
    const found = this.#search.found(memories);
    const last = Math.max(0, Math.ceil(found.length / PAGE_SIZE) - 1);
    const page = Math.min(this.page, last);
    const shown = found.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
    return html`${this.#search.field(memories)} ${this.table(shown, memories)}
      <console-pager
        label="Memories"
        .page=${page}
        .size=${PAGE_SIZE}
        .count=${found.length}
        @page-change=${this.onPage}
      ></console-pager>`;
  }

  private table(shown: readonly TranslationMemory[], memories: readonly TranslationMemory[]) {
    return table({
      items: shown,
      keyOf: ({ translation_memory_id: id }) => id,
      empty: this.#search.emptyState(memories, {
        icon: icons.memory,
        heading: 'No translation memory yet',
        text: 'Import one from a TMX file, which every translation tool writes, or from a CSV file of two columns. A file can be dropped here.',
        actions: html`<button type="button" @click=${this.#file.choose}>Import memory</button>`,
      }),
      columns: [
        { title: 'Name', kind: 'name', cell: ({ name }) => name },
        { title: 'From', cell: ({ source_language: source }) => languageText(source) },
        {
          title: 'Into',
          cell: ({ target_languages: targets }) => targets.map(languageText).join(', '),
        },
        {
          title: 'Segments',
          kind: 'number',
          cell: ({ segment_count: segments }) => wholeNumber(segments),
        },
        {
          title: 'Actions',
          kind: 'actions',
          cell: (memory) =>
            rowActions(memory.name, {
              Rename: () => this.rename(memory),
              Delete: () => void this.deleteMemory(memory),
            }),
        },
      ],
    });
  }

  private readonly reload = (): void => void this.#memories.reload();

  private readonly onPage = ({ page }: PageChange): void => {
    this.page = page;
  };

  private rename({ translation_memory_id: id, name }: TranslationMemory): void {
    void this.naming.ask({
      heading: 'Rename memory',
      action: 'Rename',
      name,
      thing: id,
      save: async (newName) => {
        await api.patch<TranslationMemory>(`translation-memories/${id}`, { name: newName });
        await this.#memories.reload();
        sayDone('Renamed.');
      },
    });
  }

  private async deleteMemory(memory: TranslationMemory): Promise<void> {
    const { translation_memory_id: id, name, segment_count: count } = memory;
    await doneIfConfirmed({
      heading: 'Delete this memory?',
      text: `“${name}” and its ${wholeNumber(count)} segments will be gone. Translations that name it will fail.`,
      action: 'Delete memory',
      done: 'The memory was deleted.',
      work: async () => {
        await api.delete(`translation-memories/${id}`);
        await this.#memories.reload();
      },
    });
  }
}

/** Fetches all memories, because the search covers all names. */
async function fetchMemories({ signal }: Fetching): Promise<TranslationMemory[]> {
  const memories: TranslationMemory[] = [];
  for (let number = 0; memories.length === number * PAGE_SIZE; number += 1) {
    const { translation_memories: found } = await api.get<TranslationMemoryList>(
      'v3/translation_memories',
      { query: { page: number, page_size: PAGE_SIZE }, signal },
    );
    memories.push(...found);
  }
  forgetAllBut(
    'translation-memories',
    memories.map(({ translation_memory_id: id }) => id),
  );
  return memories;
}

customElements.define('console-memories', ConsoleMemories);

/** Largest file the server accepts, in bytes. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;

type Format = 'tmx' | 'csv';

/** Step of an import: before it, while bytes are sent, while the server reads them, and after it. */
type Step =
  | { kind: 'asking' }
  | { kind: 'sending'; share: number }
  | { kind: 'reading' }
  | { kind: 'done'; memory: ImportedTranslationMemory };

/**
 * Dialog that imports a file as a new memory.
 *
 * @fires memory-made - A memory was created.
 */
export class ConsoleMemoryUpload extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .file {
        overflow-wrap: anywhere;
      }
      .pair {
        display: grid;
        grid-template-columns: 1fr 1fr;
        gap: 1rem;
      }
    `,
  ];

  @state() private file: File | undefined;
  @state() private step: Step = { kind: 'asking' };
  @state() private failure = '';
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;
  @query('#name') private readonly nameField!: HTMLInputElement | null;
  @query('#source') private readonly source!: HTMLSelectElement | null;
  @query('#target') private readonly target!: HTMLSelectElement | null;
  #sending: AbortController | undefined;

  override updated(changed: PropertyValues): void {
    if (!changed.has('step')) return;
    // The button that had the focus is gone with its step.
    const before = changed.get('step') as Step | undefined;
    if (before === undefined || before.kind === this.step.kind) return;
    this.renderRoot.querySelector<HTMLElement>('[autofocus]')?.focus();
  }

  async open(file: File): Promise<void> {
    // One import at a time: a running one continues.
    if (this.dialog.isOpen) return;
    this.file = file;
    this.step = { kind: 'asking' };
    this.failure = obstacleOf(file);
    await this.updateComplete;
    if (this.nameField !== null) this.nameField.value = file.name.replace(/\.[^.]*$/, '');
    await this.dialog.show();
    this.nameField?.select();
  }

  override render() {
    const isBusy = this.step.kind === 'sending' || this.step.kind === 'reading';
    return html`<console-dialog
      heading="Import memory"
      subject=${this.file?.name ?? ''}
      ?stubborn=${isBusy}
    >
      <form class="stack" novalidate @submit=${this.onSubmit}>
        ${
          this.file === undefined
            ? nothing
            : html`<p class="file">
                <strong>${this.file.name}</strong>
                <span class="soft">${sizeText(this.file.size)}</span>
              </p>`
        }
        ${this.content()}
      </form>
    </console-dialog>`;
  }

  private content() {
    switch (this.step.kind) {
      case 'asking':
        return this.questions();
      case 'sending':
        return this.progress(`Sending, ${Math.floor(this.step.share * 100)} %`, this.step.share);
      case 'reading':
        return this.progress('Reading and indexing…', undefined);
      case 'done':
        return this.result(this.step.memory);
    }
  }

  private questions() {
    const format = this.file === undefined ? undefined : formatOf(this.file);
    const isRefused = this.file === undefined || obstacleOf(this.file) !== '';
    return html`${
        isRefused
          ? nothing
          : html`<div class="field">
              <label for="name">Name</label>
              <input id="name" autocomplete="off" maxlength="1024" />
            </div>`
      }
      ${
        format === 'csv' && !isRefused
          ? html`<div class="pair">
                ${this.choice('source', 'From')} ${this.choice('target', 'Into')}
              </div>
              <p class="hint">
                Two columns, a sentence and its translation. Languages that the first line names
                need not be chosen.
              </p>`
          : nothing
      }
      ${this.failure === '' ? nothing : note('bad', this.failure)}
      <div class="row end">
        <button type="button" @click=${() => this.dialog.close()}>
          ${isRefused ? 'Close' : 'Cancel'}
        </button>
        ${isRefused ? nothing : html`<button class="primary">Import</button>`}
      </div>`;
  }

  private choice(id: 'source' | 'target', label: string) {
    return html`<div class="field">
      <label for=${id}>${label}</label>
      <select id=${id}>
        <option value="">As the file says</option>
        ${languageOptions(glossaryLanguages)}
      </select>
    </div>`;
  }

  /** @param share undefined while the progress is unknown */
  private progress(words: string, share: number | undefined) {
    return html`<progress aria-label="Import" max="1" value=${share ?? nothing}></progress>
      <p class="soft number" role="status">${words}</p>
      <div class="row end">
        <button type="button" autofocus @click=${() => this.#sending?.abort()}>Cancel</button>
      </div>`;
  }

  private result({
    name,
    segment_count: count,
    skipped_count: skipped,
  }: ImportedTranslationMemory) {
    return html`<p role="status">“${name}” holds ${counted(count, 'segment')}.</p>
      ${
        skipped === 0
          ? nothing
          : note(
              'warn',
              `${counted(skipped, 'segment')} could not be used and ${skipped === 1 ? 'was' : 'were'} left out.`,
            )
      }
      <div class="row end">
        <button type="button" class="primary" autofocus @click=${() => this.dialog.close()}>
          Done
        </button>
      </div>`;
  }

  private readonly onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const { file } = this;
    const name = this.nameField?.value.trim() ?? '';
    const format = file && formatOf(file);
    if (file === undefined || format === undefined) return;
    if (name === '') {
      this.failure = 'Please enter a name.';
      this.nameField?.focus();
      return;
    }
    const languages = this.chosenLanguages();
    this.failure = '';
    this.step = { kind: 'sending', share: 0 };
    const sending = (this.#sending = new AbortController());
    try {
      const memory = await this.send(file, { name, format, ...languages }, sending.signal);
      this.step = { kind: 'done', memory };
      this.dialog.forget();
      this.dispatchEvent(new Event('memory-made'));
      sayDone('The memory was imported.');
    } catch (error) {
      this.step = { kind: 'asking' };
      const message = error instanceof Error ? error.message : 'That did not work.';
      this.failure = sending.signal.aborted ? 'Cancelled.' : message;
      await this.updateComplete;
      // The form was replaced meanwhile; its input is restored.
      if (this.nameField !== null) this.nameField.value = name;
      if (this.source !== null) this.source.value = languages.source_lang ?? '';
      if (this.target !== null) this.target.value = languages.target_lang ?? '';
    }
  };

  private chosenLanguages(): { source_lang?: string; target_lang?: string } {
    const source = this.source?.value ?? '';
    const target = this.target?.value ?? '';
    return {
      ...(source !== '' && { source_lang: source }),
      ...(target !== '' && { target_lang: target }),
    };
  }

  private send(
    file: File,
    query: Record<string, string>,
    signal: AbortSignal,
  ): Promise<ImportedTranslationMemory> {
    return api.upload<ImportedTranslationMemory>('translation-memories', file, {
      contentType: 'application/octet-stream',
      query,
      signal,
      onShare: (share) => {
        if (signal.aborted) return;
        this.step = share < 1 ? { kind: 'sending', share } : { kind: 'reading' };
      },
    });
  }
}

function formatOf({ name }: File): Format | undefined {
  const [, ending = ''] = /\.([^.]+)$/.exec(name.toLowerCase()) ?? [];
  return ending === 'tmx' || ending === 'csv' ? ending : undefined;
}

/** Returns why a file cannot be imported; empty if it can. */
function obstacleOf(file: File): string {
  if (formatOf(file) === undefined) return 'Only TMX and CSV files can be imported.';
  if (file.size === 0) return 'The file is empty.';
  if (file.size > MAX_FILE_BYTES) return `${sizeText(MAX_FILE_BYTES)} is the most.`;
  return '';
}

customElements.define('console-memory-upload', ConsoleMemoryUpload);
