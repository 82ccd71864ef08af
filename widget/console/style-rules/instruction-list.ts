import { LitElement, css, html, nothing } from 'lit';
import { property, query } from 'lit/decorators.js';
import type { StyleRuleList } from '../../../shared/schemas/style-rules.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { confirmed } from '../parts/confirmation.ts';
import { icons } from '../parts/icons.ts';
import { languageText } from '../parts/language-text.ts';
import { sayDone, sayFailed } from '../parts/messages.ts';
import { wholeNumber } from '../parts/numbers.ts';
import { emptyState, note } from '../parts/states.ts';
import type { ConsoleInstructionDialog, Instruction } from './instruction-dialog.ts';
import './instruction-dialog.ts';

/** Most instructions of a list. */
const MAX_INSTRUCTIONS = 200;

type StoredInstruction = StyleRuleList['custom_instructions'][number];

/**
 * The instructions of a list in their own words; each is saved when it is made.
 *
 * @fires list-change - One was made, changed or deleted.
 */
export class ConsoleStyleInstructions extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .warning {
        padding: 0.75rem clamp(1rem, 0.75rem + 1vw, 1.5rem);
      }
      li {
        display: flex;
        gap: 0.5rem 1rem;
        align-items: flex-start;
        padding: 0.75rem clamp(1rem, 0.75rem + 1vw, 1.5rem);
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
  /** Whether an engine is running that obeys them. */
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
        <button
          type="button"
          class="quiet icon-only"
          aria-label=${`Edit ${label}`}
          @click=${() => this.edit(instruction)}
        >
          ${icons.edit}
        </button>
        <button
          type="button"
          class="quiet icon-only"
          aria-label=${`Delete ${label}`}
          @click=${() => this.deleteInstruction(instruction)}
        >
          ${icons.remove}
        </button>
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
        this.tellChange('The instruction was added.');
      },
    });
  };

  private edit(stored: StoredInstruction): void {
    void this.dialog.ask({
      instruction: stored,
      save: async (instruction) => {
        await api.put<Instruction>(`${this.path}/${stored.id}`, instruction);
        this.tellChange('The instruction was changed.');
      },
    });
  }

  private async deleteInstruction({ id, label }: StoredInstruction): Promise<void> {
    const isYes = await confirmed({
      heading: 'Delete this instruction?',
      text: `“${label}” will no longer be followed.`,
      action: 'Delete instruction',
    });
    if (!isYes) return;
    try {
      await api.delete(`${this.path}/${id}`);
      this.tellChange('The instruction was deleted.');
    } catch (error) {
      sayFailed(error);
    }
  }

  private tellChange(words: string): void {
    sayDone(words);
    this.dispatchEvent(new Event('list-change'));
  }
}

customElements.define('console-style-instructions', ConsoleStyleInstructions);
