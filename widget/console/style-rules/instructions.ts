/** Custom instructions of a style rule list: requirements that no rule covers, each in a sentence. */
import { LitElement, css, html, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { glossaryLanguages } from '../../../shared/language.ts';
import type { StyleRuleList } from '../../../shared/schemas/style-rules.ts';
import { languageText } from '../../page/language-text.ts';
import { wholeNumber } from '../../page/numbers.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { doneIfConfirmed, type ConsoleDialog } from '../parts/dialog.ts';
import { rowActions } from '../parts/frame.ts';
import { icons } from '../parts/icons.ts';
import { languageOptions } from '../parts/languages.ts';
import { sayDone } from '../parts/messages.ts';
import { Sending } from '../parts/sending.ts';
import { emptyState, note } from '../parts/states.ts';

/** Most instructions of a list. */
const MAX_INSTRUCTIONS = 200;

type StoredInstruction = StyleRuleList['custom_instructions'][number];

/**
 * Editor of a list's instructions; each is saved as soon as it is made.
 *
 * @fires list-change - An instruction was created, changed or deleted.
 */
export class ConsoleStyleInstructions extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .warning {
        padding: 0.75rem var(--inset);
      }
      li {
        display: flex;
        gap: 0.5rem 1rem;
        align-items: flex-start;
        padding: 0.75rem var(--inset);
        border-block-end: 1px solid var(--line);
      }
      li:last-child {
        border-block-end: 0;
      }
      .words {
        flex: 1;
        min-inline-size: 0;
        overflow-wrap: anywhere;
      }
      .words .badge {
        margin-inline-start: 0.5rem;
      }
      .acts {
        display: flex;
        flex: none;
        color: var(--soft);
      }
    `,
  ];

  @property({ attribute: false }) list!: StyleRuleList;
  /** Whether an engine that obeys instructions is running. */
  @property({ type: Boolean }) obeyed = false;
  @query('console-instruction-dialog', true) private readonly dialog!: ConsoleInstructionDialog;

  override render() {
    const instructions = this.list.custom_instructions;
    const isFull = instructions.length >= MAX_INSTRUCTIONS;
    return html`<section class="card" aria-labelledby="title">
      <div class="card-head">
        <h2 id="title">Custom instructions</h2>
        <div class="row">
          <span class="soft small number"
            >${wholeNumber(instructions.length)} of ${MAX_INSTRUCTIONS}</span
          >
          <button type="button" class="small" ?disabled=${isFull} @click=${this.add}>
            ${icons.add} Add instruction
          </button>
        </div>
      </div>
      ${
        this.obeyed || instructions.length === 0
          ? nothing
          : html`<div class="warning">
              ${note(
                'warn',
                'No chat engine is running, so nobody can follow instructions: translations with this list are refused. Configure one, or delete the instructions.',
              )}
            </div>`
      }
      ${
        instructions.length === 0
          ? emptyState({
              icon: icons.edit,
              heading: 'No instruction yet',
              text: 'What no rule covers can be said in a sentence, such as “Write as to a colleague”. Only chat engines follow instructions.',
            })
          : html`<ul class="plain">
              ${instructions.map((instruction) => this.instruction(instruction))}
            </ul>`
      }
      <console-instruction-dialog></console-instruction-dialog>
    </section>`;
  }

  private instruction(instruction: StoredInstruction) {
    const { label, prompt, source_language: source } = instruction;
    return html`<li>
      <div class="words">
        <strong>${label}</strong>${
          source === undefined
            ? nothing
            : html`<span class="badge">From ${languageText(source)}</span>`
        }
        <p>${prompt}</p>
      </div>
      <div class="acts">
        ${rowActions(label, {
          Edit: () => this.edit(instruction),
          Delete: () => void this.deleteInstruction(instruction),
        })}
      </div>
    </li>`;
  }

  private get path(): string {
    return `v3/style_rules/${this.list.style_id}/custom_instructions`;
  }

  private readonly add = (): void => {
    void this.dialog.ask({
      save: async (instruction) => {
        await api.post<StyleRuleList>(this.path, instruction);
        this.afterChange('The instruction was added.');
      },
    });
  };

  private edit(stored: StoredInstruction): void {
    void this.dialog.ask({
      instruction: stored,
      save: async (instruction) => {
        await api.put<Instruction>(`${this.path}/${stored.id}`, instruction);
        this.afterChange('The instruction was changed.');
      },
    });
  }

  private async deleteInstruction({ id, label }: StoredInstruction): Promise<void> {
    await doneIfConfirmed({
      heading: 'Delete this instruction?',
      text: `“${label}” will no longer be followed.`,
      action: 'Delete instruction',
      done: 'The instruction was deleted.',
      work: async () => {
        await api.delete(`${this.path}/${id}`);
        this.dispatchEvent(new Event('list-change'));
      },
    });
  }

  private afterChange(words: string): void {
    sayDone(words);
    this.dispatchEvent(new Event('list-change'));
  }
}

customElements.define('console-style-instructions', ConsoleStyleInstructions);

/** An instruction as it is sent; without a language it applies to any. */
interface Instruction {
  label: string;
  prompt: string;
  source_language?: string;
}

const MAX_LABEL_LENGTH = 100;
const MAX_PROMPT_LENGTH = 300;

interface InstructionRequest {
  instruction?: StoredInstruction;
  /** Saves the instruction; an error it throws is shown, and the dialog stays open. */
  save: (instruction: Instruction) => Promise<void>;
}

/** Dialog that asks for an instruction. */
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

  /** Id of the instruction to edit; empty for a new one. */
  @state() private storedId = '';
  @state() private storedLabel = '';
  @state() private length = 0;
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;
  @query('#label', true) private readonly label!: HTMLInputElement;
  @query('#prompt', true) private readonly prompt!: HTMLTextAreaElement;
  @query('#language', true) private readonly language!: HTMLSelectElement;
  private readonly sending = new Sending(this);
  #save: InstructionRequest['save'] | undefined;

  async ask({ instruction, save }: InstructionRequest): Promise<void> {
    this.#save = save;
    this.storedId = instruction?.id ?? '';
    this.storedLabel = instruction?.label ?? '';
    this.sending.reset();
    this.label.value = instruction?.label ?? '';
    this.prompt.value = instruction?.prompt ?? '';
    this.language.value = instruction?.source_language?.toLowerCase() ?? '';
    this.length = this.prompt.value.length;
    await this.dialog.show();
    this.label.focus();
  }

  override render() {
    const isNew = this.storedId === '';
    return html`<console-dialog
      heading=${isNew ? 'Add instruction' : 'Edit instruction'}
      thing=${this.storedId}
      subject=${this.storedLabel}
      @dialog-close=${() => this.sending.reset()}
    >
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
            ${languageOptions(glossaryLanguages)}
          </select>
        </div>
        ${this.sending.note()}
        <div class="row end">
          <button type="button" @click=${() => this.dialog.close()}>Cancel</button>
          ${this.sending.button(isNew ? 'Add instruction' : 'Save')}
        </div>
      </form>
    </console-dialog>`;
  }

  private readonly onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const label = this.label.value.trim();
    const prompt = this.prompt.value.trim();
    const source = this.language.value;
    if (label === '') {
      this.sending.refuse('Please enter a label.', this.label);
      return;
    }
    if (prompt === '') {
      this.sending.refuse('Please enter an instruction.', this.prompt);
      return;
    }
    const save = this.#save;
    const instruction = { label, prompt, ...(source !== '' && { source_language: source }) };
    if (await this.sending.send(async () => save?.(instruction))) this.dialog.close();
  };
}

customElements.define('console-instruction-dialog', ConsoleInstructionDialog);
