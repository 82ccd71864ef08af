import { LitElement, css, html, nothing } from 'lit';
import { property } from 'lit/decorators.js';
import { wholeNumber } from '../../page/numbers.ts';
import { baseStyles } from './base.styles.ts';

/** Carries the requested page, counted from 0. */
export class PageChange extends Event {
  readonly page: number;

  constructor(page: number) {
    super('page-change');
    this.page = page;
  }
}

/**
 * Steps through a long list; hidden if one page holds it all.
 *
 * @fires page-change - Another page was requested: {@link PageChange}.
 */
export class ConsolePager extends LitElement {
  static override styles = [
    baseStyles,
    css`
      nav {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem 1rem;
        align-items: center;
        justify-content: space-between;
        padding: 0.75rem var(--inset);
      }
    `,
  ];

  /** What is listed, such as `Entries`. */
  @property() label = '';
  @property({ type: Number }) page = 0;
  @property({ type: Number }) count = 0;
  @property({ type: Number }) size = 25;

  override render() {
    const last = Math.max(0, Math.ceil(this.count / this.size) - 1);
    if (last === 0) return nothing;
    const first = this.page * this.size + 1;
    const end = Math.min(this.count, first + this.size - 1);
    return html`<nav aria-label=${`Pages of ${this.label.toLowerCase()}`}>
      <span class="soft number" role="status"
        >${wholeNumber(first)}–${wholeNumber(end)} of ${wholeNumber(this.count)}</span
      >
      <span class="row">
        ${this.step('First', 0, this.page === 0)}
        ${this.step('Previous', this.page - 1, this.page === 0)}
        ${this.step('Next', this.page + 1, this.page >= last)}
        ${this.step('Last', last, this.page >= last)}
      </span>
    </nav>`;
  }

  /** Not disabled at the ends, so that keyboard users stay on the button. */
  private step(words: string, page: number, isOff: boolean) {
    return html`<button
      type="button"
      class="small"
      aria-disabled=${isOff}
      @click=${() => isOff || this.dispatchEvent(new PageChange(page))}
    >
      ${words}
    </button>`;
  }
}

customElements.define('console-pager', ConsolePager);
