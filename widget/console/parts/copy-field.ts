import { LitElement, css, html, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { copyText } from '../../page/handing-over.ts';
import { baseStyles } from './base.styles.ts';
import { icons } from './icons.ts';

/** Time for which the button confirms a copy, in ms. */
const SAID_MS = 2_000;

/**
 * Text to copy, such as a secret that is shown once or a link to hand out.
 *
 * @slot - Further buttons.
 */
export class ConsoleCopyField extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .frame {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
        align-items: stretch;
      }
      input:not([type='file']) {
        inline-size: auto;
        flex: 1 1 14rem;
        font-family: var(--mono);
        font-size: 0.875rem;
        text-overflow: ellipsis;
      }
      /* It says two things, and nothing beside it is to move. */
      button {
        position: relative;
        min-inline-size: 6.75rem;
      }
    `,
  ];

  /** Name of the field, for screen readers. */
  @property() label = '';
  @property() value = '';
  @state() private outcome: 'copied' | 'refused' | undefined;
  @query('input', true) private readonly field!: HTMLInputElement;

  override render() {
    const isCopied = this.outcome === 'copied';
    return html`<div class="frame">
        <input aria-label=${this.label} readonly .value=${this.value} @focus=${this.onFocus} />
        <button type="button" @click=${this.copy}>
          ${isCopied ? icons.done : icons.copy}
          <span>${isCopied ? 'Copied' : 'Copy'}<span class="unseen">: ${this.label}</span></span>
        </button>
        <slot></slot>
      </div>
      <p class="unseen" role="status">${isCopied ? 'Copied.' : ''}</p>
      ${
        this.outcome === 'refused'
          ? html`<p class="hint" role="alert">
              The browser did not allow it: copy the marked text.
            </p>`
          : nothing
      }`;
  }

  private readonly onFocus = (): void => {
    this.field.select();
  };

  private readonly copy = async (): Promise<void> => {
    if (!(await copyText(this.value))) {
      this.outcome = 'refused';
      this.field.focus();
      return;
    }
    this.outcome = 'copied';
    setTimeout(() => (this.outcome = undefined), SAID_MS);
  };
}

customElements.define('console-copy-field', ConsoleCopyField);
