import { LitElement, css, html, nothing } from 'lit';
import { property, query } from 'lit/decorators.js';
import { baseStyles } from './base.styles.ts';
import { icons } from './icons.ts';

/**
 * A native dialog with a heading and a close button; the page puts a form inside.
 *
 * @fires dialog-close - It was closed, by whatever means.
 * @slot - What it asks for; a `<div class="row end" slot="actions">` or buttons in the form itself.
 */
export class ConsoleDialog extends LitElement {
  static override styles = [
    baseStyles,
    css`
      :host {
        display: contents;
      }
      dialog {
        inline-size: min(100vw - 2rem, var(--dialog-size, 32rem));
        max-block-size: calc(100dvb - 2rem);
        padding: 0;
        color: var(--ink);
        background: var(--raised);
        border: 1px solid var(--line);
        border-radius: var(--radius);
        box-shadow: var(--shadow-raised);
        overflow: auto;
        overscroll-behavior: contain;
      }
      dialog::backdrop {
        background: var(--scrim);
      }
      .top {
        display: flex;
        gap: 1rem;
        align-items: flex-start;
        justify-content: space-between;
        padding: 1.25rem 1rem 0 1.5rem;
      }
      h2 {
        padding-block-start: 0.375rem;
        font-size: 1.1875rem;
        overflow-wrap: anywhere;
      }
      .body {
        padding: 0.75rem 1.5rem 1.5rem;
      }
      @media (prefers-reduced-motion: no-preference) {
        dialog[open] {
          animation: rise 0.16s ease-out;
        }
      }
      @keyframes rise {
        from {
          opacity: 0;
          transform: translateY(0.375rem);
        }
      }
    `,
  ];

  @property() heading = '';
  /** Only its own buttons close it: what is in it would be lost. */
  @property({ type: Boolean }) stubborn = false;
  @query('dialog', true) private readonly dialog!: HTMLDialogElement;
  #mayClose = false;

  get isOpen(): boolean {
    return this.hasUpdated && this.dialog.open;
  }

  /** Opens it over the page, which cannot be used meanwhile. */
  async show(): Promise<void> {
    await this.updateComplete;
    if (!this.dialog.open) this.dialog.showModal();
  }

  close(): void {
    if (!this.isOpen) return;
    this.#mayClose = true;
    this.dialog.close();
  }

  override render() {
    return html`<dialog
      aria-labelledby="heading"
      closedby=${this.stubborn ? 'none' : nothing}
      @close=${this.onClose}
      @cancel=${this.onCancel}
    >
      <div class="top">
        <h2 id="heading">${this.heading}</h2>
        ${
          this.stubborn
            ? ''
            : html`<button
                type="button"
                class="quiet icon-only"
                aria-label="Close"
                @click=${() => this.close()}
              >
                ${icons.close}
              </button>`
        }
      </div>
      <div class="body"><slot></slot></div>
    </dialog>`;
  }

  private readonly onCancel = (event: Event): void => {
    if (this.stubborn) event.preventDefault();
  };

  private readonly onClose = (): void => {
    // Those that do not know `closedby` let the second Escape in a row close every dialog.
    if (this.stubborn && !this.#mayClose) {
      this.dialog.showModal();
      return;
    }
    this.#mayClose = false;
    this.dispatchEvent(new Event('dialog-close'));
  };
}

customElements.define('console-dialog', ConsoleDialog);
