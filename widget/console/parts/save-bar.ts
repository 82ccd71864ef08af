import { LitElement, css, html } from 'lit';
import { property } from 'lit/decorators.js';
import { baseStyles } from './base.styles.ts';

/**
 * Bar below an editor, always in view: shows unsaved changes, and saves or discards them.
 *
 * @fires save - The user wants to save.
 * @fires discard - The user wants to go back to the saved version.
 */
export class ConsoleSaveBar extends LitElement {
  static override styles = [
    baseStyles,
    css`
      :host {
        position: sticky;
        inset-block-end: var(--messages-block-size, 0px);
        z-index: 1;
      }
      .bar {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem 1rem;
        align-items: center;
        justify-content: space-between;
        padding: 0.75rem var(--inset);
        background: var(--card);
        border-block-start: 1px solid var(--line);
        border-radius: 0 0 var(--radius) var(--radius);
      }
      p {
        flex: 1 1 7rem;
      }
      p.error {
        font-size: 0.9375rem;
      }
    `,
  ];

  /** The unsaved changes, `2 added, 1 removed`; empty if there are none. */
  @property() changes = '';
  @property() failure = '';
  /** Why the changes cannot be saved as they are. */
  @property() obstacle = '';
  @property({ type: Boolean }) busy = false;

  override render() {
    const isChanged = this.changes !== '';
    // Not disabled, so that keyboard users stay on the button after saving.
    const canDiscard = isChanged && !this.busy;
    const canSave = canDiscard && this.obstacle === '';
    return html`<div class="bar">
      ${
        this.failure === ''
          ? html`<p role="status" class=${isChanged ? '' : 'soft'}>${this.words}</p>`
          : html`<p role="alert" class="error">${this.failure}</p>`
      }
      <span class="row">
        <button
          type="button"
          aria-disabled=${!canDiscard}
          @click=${() => canDiscard && this.dispatchEvent(new Event('discard'))}
        >
          Discard
        </button>
        <button
          type="button"
          class="primary"
          aria-disabled=${!canSave}
          @click=${() => canSave && this.dispatchEvent(new Event('save'))}
        >
          Save
        </button>
      </span>
    </div>`;
  }

  private get words(): string {
    if (this.busy) return 'Saving…';
    if (this.changes === '') return 'All changes are saved.';
    return this.obstacle === '' ? `Not saved yet: ${this.changes}.` : this.obstacle;
  }
}

customElements.define('console-save-bar', ConsoleSaveBar);
