/** Short messages at the bottom of the window, and the space that pages reserve for them. */
import { LitElement, css, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { ApiFailure } from '../api.ts';
import { baseStyles } from './base.styles.ts';
import { focused } from './focus-keeper.ts';
import { icons } from './icons.ts';

/** Time a message is shown, in ms: long enough to read two lines. */
const SHOWN_MS = 6_000;
const MOST_SHOWN = 3;
const UNAUTHORIZED = 401;

interface Message {
  id: number;
  kind: 'done' | 'bad';
  text: string;
}

let messages: readonly Message[] = [];
let lastId = 0;

/** The page's board, then those of open dialogs in stacking order. */
const boards: ConsoleMessages[] = [];

function show(changed: readonly Message[]): void {
  messages = changed;
  for (const board of boards) board.requestUpdate();
}

function add(kind: Message['kind'], text: string): void {
  const id = ++lastId;
  show([...messages, { id, kind, text }].slice(-MOST_SHOWN));
  // Failures stay until the user dismisses them.
  if (kind === 'done') setTimeout(() => drop(id), SHOWN_MS);
}

function drop(id: number): void {
  show(messages.filter((message) => message.id !== id));
}

/**
 * Shows messages, and announces them to screen readers. The page has one board, and every dialog another,
 * because nothing outside an open dialog is reachable. Only the uppermost board shows the messages; their
 * height is in the root's `--messages-block-size`.
 */
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
        pointer-events: none;
      }
      ol {
        display: grid;
        gap: 0.5rem;
        grid-template-columns: minmax(0, max-content);
        justify-content: center;
        justify-items: center;
        padding: 1rem;
        list-style: none;
      }
      /* Something of the page is left. */
      @media (max-height: 40rem) {
        ol {
          max-block-size: 40dvb;
          overflow-y: auto;
          pointer-events: auto;
        }
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
      li span {
        flex: 1;
        min-inline-size: 0;
        overflow-wrap: anywhere;
      }
      button.quiet.icon-only {
        flex: none;
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
      @media print {
        :host {
          display: none;
        }
      }
    `,
  ];

  #dialog: HTMLDialogElement | null = null;
  readonly #opening = new MutationObserver(() => this.takePlace());
  readonly #size = new ResizeObserver(() => this.makeRoom());

  override connectedCallback(): void {
    super.connectedCallback();
    this.#dialog = this.closest('dialog');
    if (this.#dialog !== null) this.#opening.observe(this.#dialog, { attributeFilter: ['open'] });
    this.#size.observe(this);
    this.takePlace();
  }

  override disconnectedCallback(): void {
    this.#opening.disconnect();
    this.#size.disconnect();
    this.takePlace();
    super.disconnectedCallback();
  }

  private get isUppermost(): boolean {
    return boards.at(-1) === this;
  }

  override render() {
    return html`<div role="status" aria-label="Messages">
      ${this.isUppermost && messages.length > 0 ? this.list() : nothing}
    </div>`;
  }

  private list() {
    return html`<ol>
      ${repeat(
        messages,
        ({ id }) => id,
        ({ id, kind, text }) =>
          html`<li>
            ${kind === 'done' ? icons.done : icons.warning}<span>${text}</span>
            <button
              type="button"
              class="quiet icon-only small"
              aria-label="Dismiss"
              @click=${() => this.dismiss(id)}
            >
              ${icons.close}
            </button>
          </li>`,
      )}
    </ol>`;
  }

  /** Joins or leaves the boards; moves on top when its dialog opens. */
  private takePlace(): void {
    const isShown = this.isConnected && (this.#dialog?.open ?? true);
    const at = boards.indexOf(this);
    if (isShown === at >= 0) return;
    if (isShown) boards.push(this);
    else boards.splice(at, 1);
    this.requestUpdate();
    show(messages);
  }

  private dismiss(id: number): void {
    drop(id);
    if (this.#dialog === null || messages.length > 0) return;
    // Keyboard users continue in the dialog.
    this.#dialog.tabIndex = -1;
    this.#dialog.focus();
  }

  /** Scrolls a covered focused element into view, and lets pages and dialogs end above the messages. */
  private makeRoom(): void {
    if (!this.isUppermost) return;
    const { style } = document.documentElement;
    style.setProperty('--messages-block-size', `${this.offsetHeight}px`);
    const element = focused();
    if (element !== undefined && isCovered(element)) element.scrollIntoView({ block: 'nearest' });
  }
}

/** Returns whether another element covers the middle or the lower edge of a visible element. */
function isCovered(element: HTMLElement): boolean {
  const { left, top, width, height } = element.getBoundingClientRect();
  const tree = element.getRootNode() as Document | ShadowRoot;
  return [height / 2, height - 1].some((below) => {
    const above = tree.elementFromPoint(left + width / 2, top + below);
    return above !== null && !element.contains(above);
  });
}

customElements.define('console-messages', ConsoleMessages);

let pageBoard: ConsoleMessages | undefined;

/** Creates the page's board ahead of the first message: live regions announce only later changes. */
export function prepareMessages(): void {
  pageBoard ??= document.body.appendChild(new ConsoleMessages());
}

/** Reports that an action succeeded. */
export function sayDone(text: string): void {
  add('done', text);
}

/** Reports that an action failed, with the message of the error; not if it asks to sign in, as the page does. */
export function sayFailed(error: unknown): void {
  const cause = error instanceof Error && error.cause instanceof ApiFailure ? error.cause : error;
  if (cause instanceof ApiFailure && cause.status === UNAUTHORIZED) return;
  add('bad', error instanceof Error ? error.message : 'Something went wrong. Please try again.');
}
