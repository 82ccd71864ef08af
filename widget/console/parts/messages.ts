import { LitElement, css, html } from 'lit';
import { state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { baseStyles } from './base.styles.ts';
import { icons } from './icons.ts';

/** Long enough to read two lines. */
const SHOWN_MS = 6_000;
const MOST_SHOWN = 3;

interface Message {
  id: number;
  kind: 'done' | 'bad';
  text: string;
}

/** Short messages over the bottom of the page, spoken by screen readers; the console has one. */
export class ConsoleMessages extends LitElement {
  static override styles = [
    baseStyles,
    css`
      :host {
        position: fixed;
        inset: auto 0 0;
        z-index: 10;
        margin: 0;
        padding: 0;
        inline-size: auto;
        block-size: auto;
        border: 0;
        background: none;
        overflow: visible;
        pointer-events: none;
      }
      ol {
        display: grid;
        gap: 0.5rem;
        justify-items: center;
        padding: 1rem;
        list-style: none;
      }
      li {
        display: flex;
        gap: 0.625rem;
        align-items: center;
        max-inline-size: 34rem;
        padding: 0.5rem 0.5rem 0.5rem 1rem;
        color: var(--page);
        background: var(--ink);
        border-radius: var(--radius-small);
        box-shadow: var(--shadow-raised);
        pointer-events: auto;
      }
      button.quiet.icon-only {
        color: inherit;
      }
      @media (hover: hover) {
        button.quiet:hover:enabled {
          background: transparent;
          border-color: currentColor;
        }
      }
      :focus-visible {
        outline-color: currentColor;
        outline-offset: -3px;
      }
    `,
  ];

  @state() private messages: readonly Message[] = [];
  #lastId = 0;

  add(kind: Message['kind'], text: string): void {
    const id = ++this.#lastId;
    this.messages = [...this.messages, { id, kind, text }].slice(-MOST_SHOWN);
    // Failures stay until somebody has seen them.
    if (kind === 'done') setTimeout(() => this.drop(id), SHOWN_MS);
  }

  override render() {
    return html`<div role="status" aria-label="Messages">
      <ol>
        ${repeat(
          this.messages,
          ({ id }) => id,
          ({ id, kind, text }) =>
            html`<li>
              ${kind === 'done' ? icons.done : icons.warning}<span>${text}</span>
              <button
                type="button"
                class="quiet icon-only small"
                aria-label="Dismiss"
                @click=${() => this.drop(id)}
              >
                ${icons.close}
              </button>
            </li>`,
        )}
      </ol>
    </div>`;
  }

  private drop(id: number): void {
    this.messages = this.messages.filter((message) => message.id !== id);
  }
}

customElements.define('console-messages', ConsoleMessages);

let board: ConsoleMessages | undefined;

/** The place of messages; made before the first, since live regions are spoken from then on. */
export function messageBoard(): ConsoleMessages {
  board ??= document.body.appendChild(new ConsoleMessages());
  return board;
}

/** Says that something was done. */
export function sayDone(text: string): void {
  messageBoard().add('done', text);
}

/** Says that something failed; what it was is taken from the error. */
export function sayFailed(error: unknown): void {
  const text = error instanceof Error ? error.message : 'Something went wrong. Please try again.';
  messageBoard().add('bad', text);
}
