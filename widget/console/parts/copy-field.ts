import { LitElement, css, html } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { baseStyles } from './base.styles.ts';
import { icons } from './icons.ts';

/** How long the button says that it has copied. */
const SAID_MS = 2_000;

/** Something to be copied, such as a secret that is shown once. */
export class ConsoleCopyField extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .frame {
        display: flex;
        gap: 0.5rem;
        align-items: stretch;
      }
      input {
        font-family: var(--mono);
        font-size: 0.875rem;
      }
    `,
  ];

  /** Names it for screen readers. */
  @property() label = '';
  @property() value = '';
  @state() private said = '';
  @query('input', true) private readonly field!: HTMLInputElement;

  override render() {
    return html`<div class="frame">
        <input aria-label=${this.label} readonly .value=${this.value} @focus=${this.onFocus} />
        <button type="button" @click=${this.copy}>
          ${this.said === 'Copied' ? icons.done : icons.copy} Copy
        </button>
      </div>
      <p class="hint" role="status">${this.said}</p>`;
  }

  private readonly onFocus = (): void => {
    this.field.select();
  };

  private readonly copy = async (): Promise<void> => {
    // Without a secure page there is no clipboard.
    const isCopied = await Promise.resolve()
      .then(() => navigator.clipboard.writeText(this.value))
      .then(
        () => true,
        () => false,
      );
    this.said = isCopied ? 'Copied' : 'The browser did not allow it: copy the marked text.';
    if (!isCopied) {
      this.field.focus();
      return;
    }
    setTimeout(() => (this.said = ''), SAID_MS);
  };
}

customElements.define('console-copy-field', ConsoleCopyField);
