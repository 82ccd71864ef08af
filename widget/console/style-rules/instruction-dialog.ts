import { LitElement, css, html } from 'lit';
import { query, state } from 'lit/decorators.js';
import { baseStyles } from '../parts/base.styles.ts';
import type { ConsoleDialog } from '../parts/dialog.ts';
import '../parts/dialog.ts';
import { glossaryLanguages } from '../../../shared/language.ts';
import { byName, languageText } from '../parts/language-text.ts';

/** An instruction as it is sent; without a language it is for texts of any. */
export interface Instruction {
  label: string;
  prompt: string;
  source_language?: string;
}

const MAX_LABEL_LENGTH = 100;
const MAX_PROMPT_LENGTH = 300;
const languages = byName(glossaryLanguages);

interface Request {
  instruction?: Instruction;
  /** Does it; what it throws is shown and the dialog stays open. */
  save: (instruction: Instruction) => Promise<void>;
}

/** Asks for an instruction. */
export class ConsoleInstructionDialog extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .below {
        display: flex;
        gap: 1rem;
        justify-content: space-between;
      }
    `,
  ];

  @state() private isNew = true;
  @state() private length = 0;
  @state() private failure = '';
  @state() private isBusy = false;
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;
  @query('#label', true) private readonly label!: HTMLInputElement;
  @query('#prompt', true) private readonly prompt!: HTMLTextAreaElement;
  @query('#language', true) private readonly language!: HTMLSelectElement;
  #save: Request['save'] | undefined;

  async ask({ instruction, save }: Request): Promise<void> {
    this.#save = save;
    this.isNew = instruction === undefined;
    this.failure = '';
    this.label.value = instruction?.label ?? '';
    this.prompt.value = instruction?.prompt ?? '';
    this.language.value = instruction?.source_language?.toLowerCase() ?? '';
    this.length = this.prompt.value.length;
    await this.dialog.show();
    this.label.focus();
  }

  override render() {
    return html`<console-dialog heading=${this.isNew ? 'Add instruction' : 'Edit instruction'}>
      <form class="stack" novalidate @submit=${this.onSubmit}>
        <div class="field">
          <label for="label">Label</label>
          <input id="label" autocomplete="off" maxlength=${MAX_LABEL_LENGTH} />
        </div>
        <div class="field">
          <label for="prompt">Instruction</label>
          <textarea
            id="prompt"
            rows="4"
            maxlength=${MAX_PROMPT_LENGTH}
            aria-describedby="hint"
            @input=${() => (this.length = this.prompt.value.length)}
          ></textarea>
          <div class="below hint">
            <span id="hint">One thing, said as to a translator.</span>
            <span class="number">${this.length} of ${MAX_PROMPT_LENGTH}</span>
          </div>
        </div>
        <div class="field">
          <label for="language">For texts in</label>
          <select id="language">
            <option value="">Any language</option>
            ${languages.map((tag) => html`<option value=${tag}>${languageText(tag)}</option>`)}
          </select>
        </div>
        <p class="error" role="alert" ?hidden=${this.failure === ''}>${this.failure}</p>
        <div class="row end">
          <button type="button" @click=${() => this.dialog.close()}>Cancel</button>
          <button class="primary" ?disabled=${this.isBusy}>
            ${this.isNew ? 'Add instruction' : 'Save'}
          </button>
        </div>
      </form>
    </console-dialog>`;
  }

  private readonly onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const label = this.label.value.trim();
    const prompt = this.prompt.value.trim();
    const source = this.language.value;
    if (label === '' || prompt === '') {
      this.failure = label === '' ? 'Please enter a label.' : 'Please enter an instruction.';
      (label === '' ? this.label : this.prompt).focus();
      return;
    }
    this.failure = '';
    this.isBusy = true;
    try {
      await this.#save?.({ label, prompt, ...(source !== '' && { source_language: source }) });
      this.dialog.close();
    } catch (error) {
      this.failure = error instanceof Error ? error.message : 'That did not work.';
    } finally {
      this.isBusy = false;
    }
  };
}

customElements.define('console-instruction-dialog', ConsoleInstructionDialog);
