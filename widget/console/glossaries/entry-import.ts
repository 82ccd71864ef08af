import { LitElement, css, html, nothing } from 'lit';
import { query, state } from 'lit/decorators.js';
import { languageText } from '../../page/language-text.ts';
import { counted, sizeText, wholeNumber } from '../../page/numbers.ts';
import { baseStyles } from '../parts/base.styles.ts';
import type { ConsoleDialog } from '../parts/dialog.ts';
import '../parts/dialog.ts';
import { note } from '../parts/states.ts';
import type { DictionaryDraft } from './dictionary-draft.ts';
import {
  MAX_FILE_BYTES,
  decodeText,
  readEntries,
  type Entry,
  type EntryFile,
  type LanguagePair,
} from './entry-file.ts';

/** Lines that are shown of those that cannot be used. */
const MOST_FAULTS = 50;

/** Entries of a file that are wanted in the draft. */
export class EntriesTaken extends Event {
  readonly entries: readonly Entry[];
  readonly isInPlaceOfAll: boolean;

  constructor(entries: readonly Entry[], { inPlaceOfAll }: { inPlaceOfAll: boolean }) {
    super('entries-taken');
    this.entries = entries;
    this.isInPlaceOfAll = inPlaceOfAll;
  }
}

/** What has been found in a file, or why there is nothing. */
type Reading =
  | { kind: 'read'; file: EntryFile; newCount: number; changedCount: number }
  | { kind: 'failed'; problem: string };

/**
 * Shows what a file holds before any of it is taken.
 *
 * @fires entries-taken - {@link EntriesTaken}
 */
export class ConsoleEntryImport extends LitElement {
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
