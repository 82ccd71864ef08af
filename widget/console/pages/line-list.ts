import { LitElement, css, html, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { baseStyles } from '../parts/base.styles.ts';
import { icons } from '../parts/icons.ts';

/** A list of short texts: one is added or removed at a time, and saved at once. */
export class ConsoleLineList extends LitElement {
  static override styles = [
    baseStyles,
    css`
      :host {
        max-inline-size: 36rem;
      }
      li {
        display: flex;
        gap: 0.5rem;
        align-items: center;
        justify-content: space-between;
        min-block-size: 2.75rem;
        border-block-end: 1px solid var(--line);
      }
      li span {
        min-inline-size: 0;
        overflow-wrap: anywhere;
      }
      form {
        display: flex;
        gap: 0.5rem;
      }
    `,
  ];

  /** What a line is: `Site`. */
  @property() label = '';
  @property() placeholder = '';
  @property({ attribute: false }) lines: readonly string[] = [];
  /** Keeps the whole list; what it throws is shown. */
  @property({ attribute: false }) save: (lines: string[]) => Promise<void> = async () => undefined;
  @state() private problem = '';
  @state() private isBusy = false;
  @query('input', true) private readonly field!: HTMLInputElement;

  override render() {
    return html`<div class="stack">
      ${
        this.lines.length === 0
          ? html`<p class="soft">None yet.</p>`
          : html`<ul class="plain">
              ${this.lines.map(
                (line) =>
                  html`<li>
                    <span>${line}</span>
                    <button
                      type="button"
                      class="quiet icon-only"
                      aria-label=${`Remove ${line}`}
                      ?disabled=${this.isBusy}
                      @click=${() => this.keep(this.lines.filter((other) => other !== line))}
                    >
                      ${icons.remove}
                    </button>
                  </li>`,
              )}
            </ul>`
      }
      <form @submit=${this.onAdd}>
        <input
          aria-label=${`New ${this.label.toLowerCase()}`}
          placeholder=${this.placeholder}
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          aria-invalid=${this.problem !== ''}
          aria-describedby="problem"
          required
        />
        <button ?disabled=${this.isBusy}>Add</button>
      </form>
      ${
        this.problem === ''
          ? nothing
          : html`<p class="error" id="problem" role="alert">${this.problem}</p>`
      }
    </div>`;
  }

  private readonly onAdd = async (event: Event): Promise<void> => {
    event.preventDefault();
    const line = this.field.value.trim();
    if (line === '' || this.isBusy) return;
    const lines = this.lines.includes(line) ? [...this.lines] : [...this.lines, line];
    if (await this.keep(lines)) this.field.value = '';
    this.field.focus();
  };

  private async keep(lines: string[]): Promise<boolean> {
    this.isBusy = true;
    this.problem = '';
    try {
      await this.save(lines);
      return true;
    } catch (error) {
      this.problem = (error as Error).message;
      return false;
    } finally {
      this.isBusy = false;
    }
  }
}

customElements.define('console-line-list', ConsoleLineList);
