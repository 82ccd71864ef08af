/** Input left in dialogs of a page that went away under them. */
import { LitElement, css, html } from 'lit';
import { property } from 'lit/decorators.js';
import { draftChanges, draftsOfDialogs, forgetDraft } from './draft-shelf.ts';
import { baseStyles } from './base.styles.ts';
import { note } from './states.ts';

/** Lists the drafts of a page's closed dialogs, where users would not look for them. */
export class ConsoleUnfinished extends LitElement {
  static override styles = [
    baseStyles,
    css`
      /* While nothing waits it takes no room on the page. */
      :host {
        display: contents;
      }
      .waiting {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem 1rem;
        align-items: center;
        justify-content: space-between;
      }
    `,
  ];

  /** The page, as its part of the address. */
  @property() place = '';

  override connectedCallback(): void {
    super.connectedCallback();
    draftChanges.addEventListener('let-go', this.onLetGo);
  }

  override disconnectedCallback(): void {
    draftChanges.removeEventListener('let-go', this.onLetGo);
    super.disconnectedCallback();
  }

  override render() {
    return draftsOfDialogs(this.place).map(([key, title]) =>
      note(
        'info',
        html`<div class="waiting">
          <span
            >What you typed into <strong>${title}</strong> is kept. Open it again to go on.</span
          >
          <button
            type="button"
            class="small"
            aria-label=${`Discard ${title}`}
            @click=${() => this.discard(key)}
          >
            Discard
          </button>
        </div>`,
      ),
    );
  }

  private readonly onLetGo = (): void => this.requestUpdate();

  private discard(key: string): void {
    forgetDraft(key);
    // The button that had the focus is gone.
    const tree = this.getRootNode();
    if (tree instanceof ShadowRoot) tree.querySelector('h1')?.focus({ preventScroll: true });
  }
}

customElements.define('console-unfinished', ConsoleUnfinished);
