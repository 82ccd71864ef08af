import { LitElement, html, nothing } from 'lit';
import { query, state } from 'lit/decorators.js';
import { baseStyles } from './base.styles.ts';
import './dialog.ts';
import type { ConsoleDialog } from './dialog.ts';

/** What is asked before something that cannot be undone. */
export interface Question {
  heading: string;
  text: string;
  /** What the button says that does it: a verb, `Delete`. */
  action: string;
  /** To be typed before the button works, for what is costly to lose. */
  typed?: string;
  /** Nothing is lost by it. */
  isHarmless?: boolean;
}

/** Asks; the console has one of these. */
export class ConsoleConfirmation extends LitElement {
  static override styles = baseStyles;

  @state() private question: Question | undefined;
  @state() private typed = '';
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;
  #answer: ((isYes: boolean) => void) | undefined;

  async ask(question: Question): Promise<boolean> {
    this.#answer?.(false);
    this.question = question;
    this.typed = '';
    await this.updateComplete;
    await this.dialog.show();
    return new Promise((resolve) => (this.#answer = resolve));
  }

  override render() {
    const { heading = '', text = '', action = '', typed, isHarmless } = this.question ?? {};
    return html`<console-dialog heading=${heading} @dialog-close=${() => this.conclude(false)}>
      <form class="stack" @submit=${this.onSubmit}>
        <p>${text}</p>
        ${
          typed === undefined
            ? nothing
            : html`<div class="field">
                <label for="typed">Type “${typed}” to go on</label>
                <input id="typed" autocomplete="off" .value=${this.typed} @input=${this.onTyped} />
              </div>`
        }
        <div class="row end">
          <button type="button" autofocus @click=${() => this.conclude(false)}>Cancel</button>
          <button
            class=${isHarmless === true ? 'primary' : 'danger primary'}
            ?disabled=${typed !== undefined && this.typed !== typed}
          >
            ${action}
          </button>
        </div>
      </form>
    </console-dialog>`;
  }

  private readonly onTyped = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement) this.typed = target.value;
  };

  private readonly onSubmit = (event: Event): void => {
    event.preventDefault();
    this.conclude(true);
  };

  private conclude(isYes: boolean): void {
    const answer = this.#answer;
    this.#answer = undefined;
    this.dialog.close();
    answer?.(isYes);
  }
}

customElements.define('console-confirmation', ConsoleConfirmation);

let asker: ConsoleConfirmation | undefined;

/** Asks whether to do what cannot be undone; closing the dialog is a no. */
export function confirmed(question: Question): Promise<boolean> {
  asker ??= document.body.appendChild(new ConsoleConfirmation());
  return asker.ask(question);
}
