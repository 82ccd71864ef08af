import { LitElement, html, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import '../parts/dialog.ts';
import type { ConsoleDialog } from '../parts/dialog.ts';
import { note } from '../parts/states.ts';
import type { NewApiKey } from './keys.ts';
import { showSecret } from './secret-dialog.ts';

/**
 * Makes a key, then shows its secret this once.
 *
 * @fires key-made - There is a new key.
 */
export class ConsoleNewKeyDialog extends LitElement {
  static override styles = baseStyles;

  @property() heading = 'New key';
  /** Where keys of the kind are made. */
  @property() path = '';
  @state() private failure: Error | undefined;
  @state() private isOpen = false;
  @state() private isBusy = false;
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;

  async show(): Promise<void> {
    this.isOpen = true;
    await this.updateComplete;
    await this.dialog.show();
  }

  override render() {
    return html`<console-dialog heading=${this.heading} @dialog-close=${this.forget}>
      ${this.isOpen ? this.form() : nothing}
    </console-dialog>`;
  }

  private form() {
    return html`<form class="stack" @submit=${this.onSubmit}>
      ${this.failure === undefined ? nothing : note('bad', this.failure.message)}
      <div class="field">
        <label for="label">Label</label>
        <input id="label" name="label" maxlength="200" autofocus aria-describedby="label-hint" />
        <p class="hint" id="label-hint">What it is for, such as “Website”. Can be changed later.</p>
      </div>
      <div class="row end">
        <button type="button" @click=${() => this.dialog.close()}>Cancel</button>
        <button class="primary" ?disabled=${this.isBusy}>Make key</button>
      </div>
    </form>`;
  }

  private readonly onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!(event.target instanceof HTMLFormElement) || this.isBusy) return;
    const label = (new FormData(event.target).get('label') as string).trim();
    this.isBusy = true;
    try {
      const made = await api.post<NewApiKey>(this.path, label === '' ? {} : { label });
      this.dialog.close();
      void showSecret(made);
      this.dispatchEvent(new Event('key-made'));
    } catch (error) {
      this.failure = error as Error;
    } finally {
      this.isBusy = false;
    }
  };

  private readonly forget = (): void => {
    this.isOpen = false;
    this.failure = undefined;
  };
}

customElements.define('console-new-key-dialog', ConsoleNewKeyDialog);
