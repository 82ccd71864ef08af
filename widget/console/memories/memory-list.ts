import { LitElement, css, html } from 'lit';
import { query } from 'lit/decorators.js';
import type {
  TranslationMemory,
  TranslationMemoryList,
} from '../../../shared/schemas/translation-memories.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { confirmed } from '../parts/confirmation.ts';
import { FileDrop } from '../parts/file-drop.ts';
import { icons } from '../parts/icons.ts';
import { languageText } from '../parts/language-text.ts';
import { Loaded } from '../parts/loaded.ts';
import { sayDone, sayFailed } from '../parts/messages.ts';
import type { ConsoleNameDialog } from '../parts/name-dialog.ts';
import '../parts/name-dialog.ts';
import { wholeNumber } from '../parts/numbers.ts';
import type { PageChange } from '../parts/pager.ts';
import '../parts/pager.ts';
import { emptyState } from '../parts/states.ts';
import type { ConsoleMemoryUpload } from './memory-upload.ts';
import './memory-upload.ts';

/** Most memories of an answer. */
const PAGE_SIZE = 25;

/** The translation memories of the account. */
export class ConsoleMemories extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .card {
        position: relative;
      }
      .dropping {
        position: absolute;
        inset: 0;
        display: grid;
        place-items: center;
        font-weight: 600;
        color: var(--accent);
        background: var(--tint);
        border: 2px dashed var(--accent);
        border-radius: inherit;
        pointer-events: none;
      }
      tbody th,
      td {
        overflow-wrap: anywhere;
      }
    `,
  ];

  @query('console-name-dialog', true) private readonly naming!: ConsoleNameDialog;
  @query('console-memory-upload', true) private readonly upload!: ConsoleMemoryUpload;
  @query('input[type="file"]', true) private readonly fileInput!: HTMLInputElement;
  #page = 0;
  readonly #drop = new FileDrop(this, (file) => void this.upload.open(file));
  readonly #memories = new Loaded(this, {
    load: ({ signal }) =>
      api.get<TranslationMemoryList>('v3/translation_memories', {
        ...{ query: { page: this.#page, page_size: PAGE_SIZE }, signal },
      }),
  });

  override render() {
    return html`<div class="page">
      <header class="page-head">
        <div>
          <h1>Translation memories</h1>
          <p>
            What was translated before. Sentences that come again are taken from there; similar ones
            serve as examples.
          </p>
        </div>
        <button type="button" class="primary" @click=${this.choose}>
          ${icons.upload} Import memory
        </button>
      </header>
      <section class="card" aria-label="Translation memories">
        ${this.#memories.render((list) => (list.total_count === 0 ? this.empty() : this.list(list)))}
        <div class="dropping" ?hidden=${!this.#drop.isTarget}>
          Drop a TMX or CSV file to import it
        </div>
      </section>
      <input
        type="file"
        accept=".tmx,.csv"
        aria-label="File to import"
        hidden
        @change=${this.onFile}
      />
      <console-memory-upload @memory-made=${this.reload}></console-memory-upload>
      <console-name-dialog></console-name-dialog>
    </div>`;
  }

  private empty() {
    return emptyState({
      icon: icons.memory,
      heading: 'No translation memory yet',
      text: 'Import one from a TMX file, which every translation tool writes, or from a CSV file of two columns. A file can be dropped here.',
      actions: html`<button type="button" @click=${this.choose}>Import memory</button>`,
    });
  }

  private list({ translation_memories: memories, total_count: count }: TranslationMemoryList) {
    return html`<table class="stacked">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">From</th>
            <th scope="col">Into</th>
            <th scope="col" class="number">Segments</th>
            <th scope="col"><span class="unseen">Actions</span></th>
          </tr>
        </thead>
        <tbody>
          ${memories.map((memory) => this.row(memory))}
        </tbody>
      </table>
      <console-pager
        label="Memories"
        .page=${this.#page}
        .size=${PAGE_SIZE}
        .count=${count}
        @page-change=${this.onPage}
      ></console-pager>`;
  }

  private row(memory: TranslationMemory) {
    const { name, source_language: source, target_languages: targets } = memory;
    return html`<tr>
      <th scope="row">${name}</th>
      <td data-label="From">${languageText(source)}</td>
      <td data-label="Into">${targets.map(languageText).join(', ')}</td>
      <td data-label="Segments" class="number">${wholeNumber(memory.segment_count)}</td>
      <td class="actions">
        <button
          type="button"
          class="quiet icon-only"
          aria-label=${`Rename ${name}`}
          @click=${() => this.rename(memory)}
        >
          ${icons.edit}
        </button>
        <button
          type="button"
          class="quiet icon-only"
          aria-label=${`Delete ${name}`}
          @click=${() => this.deleteMemory(memory)}
        >
          ${icons.remove}
        </button>
      </td>
    </tr>`;
  }

  private readonly reload = (): void => void this.#memories.reload();

  private readonly choose = (): void => this.fileInput.click();

  private readonly onFile = (): void => {
    const file = this.fileInput.files?.[0];
    if (file !== undefined) void this.upload.open(file);
    // The same file may be chosen again.
    this.fileInput.value = '';
  };

  private readonly onPage = ({ page }: PageChange): void => {
    this.#page = page;
    void this.#memories.reload();
  };

  private rename({ translation_memory_id: id, name }: TranslationMemory): void {
    void this.naming.ask({
      ...{ heading: 'Rename memory', action: 'Rename', name },
      save: async (newName) => {
        await api.patch<TranslationMemory>(`translation-memories/${id}`, { name: newName });
        await this.#memories.reload();
        sayDone('Renamed.');
      },
    });
  }

  private async deleteMemory(memory: TranslationMemory): Promise<void> {
    const { translation_memory_id: id, name, segment_count: count } = memory;
    const isYes = await confirmed({
      heading: 'Delete this memory?',
      text: `“${name}” and its ${wholeNumber(count)} segments will be gone. Translations that name it will fail.`,
      action: 'Delete memory',
    });
    if (!isYes) return;
    try {
      await api.delete(`translation-memories/${id}`);
      sayDone('The memory was deleted.');
      const isLastOfPage = this.#memories.value?.translation_memories.length === 1;
      if (isLastOfPage && this.#page > 0) this.#page -= 1;
      await this.#memories.reload();
    } catch (error) {
      sayFailed(error);
    }
  }
}

customElements.define('console-memories', ConsoleMemories);
