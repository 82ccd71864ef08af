import { LitElement, html, nothing } from 'lit';
import { query, state } from 'lit/decorators.js';
import { baseStyles } from './base.styles.ts';
import type { ConsoleDialog } from './dialog.ts';
import './dialog.ts';

/** What a name is asked for. */
export interface NameRequest {
  heading: string;
  /** What the button says, a verb: `Rename`. */
  action: string;
  name?: string;
  /** Does it; what it throws is shown and the dialog stays open. */
  save: (name: string) => Promise<void>;
}

/** Longest name of a resource, in UTF-16 units; the server counts some of them in bytes. */
const MAX_NAME_LENGTH = 1024;

/**
 * Asks for a name and does something with it.
 *
 * @slot - More fields of the form.
 */
export class ConsoleNameDialog extends LitElement {
  static override styles = baseStyles;

  @state() private request: NameRequest | undefined;
  @state() private failure = '';
  @state() private isBusy = false;
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;
  @query('#name', true) private readonly field!: HTMLInputElement;

  async ask(request: NameRequest): Promise<void> {
    this.request = request;
    this.failure = '';
    this.isBusy = false;
    await this.updateComplete;
    this.field.value = request.name ?? '';
    await this.dialog.show();
    this.field.select();
  }

  override render() {
    const { heading = '', action = '' } = this.request ?? {};
    return html`<console-dialog heading=${heading}>
      <form class="stack" novalidate @submit=${this.onSubmit}>
        <div class="field">
          <label for="name">Name</label>
          <input
            id="name"
            autocomplete="off"
            maxlength=${MAX_NAME_LENGTH}
            aria-describedby="failure"
            aria-invalid=${this.failure === '' ? nothing : 'true'}
          />
        </div>
        <slot></slot>
        <p id="failure" class="error" role="alert" ?hidden=${this.failure === ''}>
          ${this.failure}
        </p>
        <div class="row end">
          <button type="button" @click=${() => this.dialog.close()}>Cancel</button>
          <button class="primary" ?disabled=${this.isBusy}>${action}</button>
        </div>
      </form>
    </console-dialog>`;
  }

  private readonly onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const name = this.field.value.trim();
    if (name === '') {
      this.failure = 'Please enter a name.';
      this.field.focus();
      return;
    }
    this.failure = '';
    this.isBusy = true;
    try {
      await this.request?.save(name);
      this.dialog.close();
    } catch (error) {
      this.failure = error instanceof Error ? error.message : 'That did not work.';
    } finally {
      this.isBusy = false;
    }
  };
}

customElements.define('console-name-dialog', ConsoleNameDialog);
