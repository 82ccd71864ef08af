import { LitElement, html, nothing } from 'lit';
import { query, state } from 'lit/decorators.js';
import { baseStyles } from '../parts/base.styles.ts';
import '../parts/copy-field.ts';
import '../parts/dialog.ts';
import type { ConsoleDialog } from '../parts/dialog.ts';
import { note } from '../parts/states.ts';
import type { NewApiKey } from './keys.ts';

/**
 * Shows the secret of a new key, this once. It is no part of the page: what is below it may change, by
 * the browser's Back or because the session ends, and it stays until somebody says to have copied it.
 */
export class ConsoleSecretDialog extends LitElement {
  static override styles = baseStyles;

  @state() private key: NewApiKey | undefined;
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;

  async show(key: NewApiKey): Promise<void> {
    this.key = key;
    addEventListener('beforeunload', askBeforeLeaving);
    await this.updateComplete;
    await this.dialog.show();
  }

  override render() {
    return html`<console-dialog
      heading="Copy the key now"
      ?stubborn=${this.key !== undefined}
      @dialog-close=${this.forget}
    >
      ${this.key === undefined ? nothing : this.secret(this.key)}
    </console-dialog>`;
  }

  private secret({ label, key }: NewApiKey) {
    return html`<div class="stack">
      ${note('warn', 'This is the only time the key is shown. Keep it where secrets are kept.')}
      <console-copy-field label=${`Secret of ${label}`} .value=${key}></console-copy-field>
      <div class="row end">
        <button type="button" class="primary" @click=${() => this.dialog.close()}>
          I have copied it
        </button>
      </div>
    </div>`;
  }

  private readonly forget = (): void => {
    this.key = undefined;
    removeEventListener('beforeunload', askBeforeLeaving);
  };
}

/** Reload, Back to another site and closing the tab are asked about by the browser itself. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

customElements.define('console-secret-dialog', ConsoleSecretDialog);

let shown: ConsoleSecretDialog | undefined;

/** Shows the secret of a key that has just been made, over whatever page. */
export function showSecret(key: NewApiKey): Promise<void> {
  shown ??= document.body.appendChild(new ConsoleSecretDialog());
  return shown.show(key);
}
