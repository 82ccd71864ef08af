/** Dialogs of the console: the frame of all, a question before what cannot be undone, a name. */
import { LitElement, css, html, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { shownPlace } from '../router.ts';
import { baseStyles } from './base.styles.ts';
import { FormDraft } from './form-draft.ts';
import { icons } from './icons.ts';
import { sayDone, sayFailed } from './messages.ts';

/**
 * A native dialog with a heading and a close button; the page puts a form inside. What is typed into it is
 * there again when the page went away under it, by the browser's Back or because the session has ended.
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
        /* It stays where it is when a message comes, and never lies under one. */
        max-block-size: calc(100dvb - 2 * max(1rem, var(--messages-block-size, 0px)));
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
        overflow-wrap: anywhere;
      }
      @media (prefers-reduced-motion: no-preference) {
        dialog[open] {
          animation: rise 0.16s ease-out;
        }
      }
      @keyframes rise {
        from {
          opacity: 0;
          inset-block-start: 0.75rem;
        }
      }
    `,
  ];

  @property() heading = '';
  /** Id of what the form is about, where a page asks the same about several. */
  @property() thing = '';
  /** What it is about, where the heading does not say. */
  @property() subject = '';
  /** Only its own buttons close it: what is in it would be lost. */
  @property({ type: Boolean }) stubborn = false;
  @query('dialog', true) private readonly dialog!: HTMLDialogElement;
  #mayClose = false;
  #draft: FormDraft | undefined;

  constructor() {
    super();
    for (const type of ['input', 'change'])
      this.addEventListener(type, () => void this.#draft?.keep());
  }

  get isOpen(): boolean {
    return this.hasUpdated && this.dialog.open;
  }

  /** Opens it over the page, which cannot be used meanwhile. */
  async show(): Promise<void> {
    await this.updateComplete;
    if (this.dialog.open) return;
    this.dialog.showModal();
    const place = shownPlace();
    const title = this.subject === '' ? this.heading : `${this.heading} “${this.subject}”`;
    // Headings may name what others rename meanwhile.
    const key = this.thing === '' ? `${place} ${title}` : `${place}/${this.thing}`;
    const draft = new FormDraft(this, { key, dialog: { title, place } });
    await draft.restore();
    this.#draft = draft;
  }

  close(): void {
    if (!this.isOpen) return;
    this.forget();
    this.#mayClose = true;
    this.dialog.close();
  }

  /** What was typed is done with. */
  forget(): void {
    this.#draft?.forget();
    this.#draft = undefined;
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
      <console-messages></console-messages>
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
    // The console closes it too, when the session ends: what was typed then waits for the next one.
    if (this.isConnected) this.forget();
    this.dispatchEvent(new Event('dialog-close'));
  };
}

customElements.define('console-dialog', ConsoleDialog);

/**
 * Dialogs that may be closed by others than whoever reads them. Confirmations are outside of the
 * console's own tree.
 */
export function openDialogs(root: Document | ShadowRoot): HTMLDialogElement[] {
  return [...root.querySelectorAll('*')].flatMap((element) => {
    if (element instanceof HTMLDialogElement) return element.open ? [element] : [];
    if (element instanceof ConsoleDialog && element.stubborn) return [];
    return element.shadowRoot === null ? [] : openDialogs(element.shadowRoot);
  });
}

/** What is asked before something that cannot be undone. */
export interface Question {
  heading: string;
  text: string;
  /** What the button says that does it: a verb, `Delete`. */
  action: string;
  /** To be typed before the button works, for what is costly to lose. */
  typed?: string;
  /** Nothing is lost by it. */
  isHarmless?: boolean;
}

/** Asks; the console has one of these. */
export class ConsoleConfirmation extends LitElement {
  static override styles = baseStyles;

  @state() private question: Question | undefined;
  @state() private typed = '';
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;
  #answer: ((isYes: boolean) => void) | undefined;

  async ask(question: Question): Promise<boolean> {
    this.#answer?.(false);
    this.question = question;
    this.typed = '';
    await this.updateComplete;
    await this.dialog.show();
    return new Promise((resolve) => (this.#answer = resolve));
  }

  override render() {
    const { heading = '', text = '', action = '', typed, isHarmless } = this.question ?? {};
    return html`<console-dialog heading=${heading} @dialog-close=${() => this.conclude(false)}>
      <form class="stack" @submit=${this.onSubmit}>
        <p>${text}</p>
        ${
          typed === undefined
            ? nothing
            : html`<div class="field">
                <label for="typed">Type “${typed}” to go on</label>
                <input id="typed" autocomplete="off" .value=${this.typed} @input=${this.onTyped} />
              </div>`
        }
        <div class="row end">
          <button type="button" autofocus @click=${() => this.conclude(false)}>Cancel</button>
          <button
            class=${isHarmless === true ? 'primary' : 'danger primary'}
            ?disabled=${typed !== undefined && this.typed !== typed}
          >
            ${action}
          </button>
        </div>
      </form>
    </console-dialog>`;
  }

  private readonly onTyped = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement) this.typed = target.value;
  };

  private readonly onSubmit = (event: Event): void => {
    event.preventDefault();
    this.conclude(true);
  };

  conclude(isYes: boolean): void {
    const answer = this.#answer;
    this.#answer = undefined;
    this.dialog.close();
    answer?.(isYes);
  }
}

customElements.define('console-confirmation', ConsoleConfirmation);

let asker: ConsoleConfirmation | undefined;

/** Asks whether to do what cannot be undone; closing the dialog is a no. */
export function confirmed(question: Question): Promise<boolean> {
  asker ??= document.body.appendChild(new ConsoleConfirmation());
  return asker.ask(question);
}

/** Another page came in view: what was asked over the one before is answered with no. */
export function withdrawQuestion(): void {
  asker?.conclude(false);
}

/** Does what cannot be undone when it is confirmed, and says that it is done, or why not; false unless it is. */
export async function doneIfConfirmed(
  question: Question & { done: string; work: () => Promise<unknown> },
): Promise<boolean> {
  if (!(await confirmed(question))) return false;
  try {
    await question.work();
    sayDone(question.done);
    return true;
  } catch (error) {
    sayFailed(error);
    return false;
  }
}

/** What a name is asked for. */
export interface NameRequest {
  heading: string;
  /** What the button says, a verb: `Rename`. */
  action: string;
  name?: string;
  /** Id of what is named, where a page lists several. */
  thing?: string;
  /** Does it; what it throws is shown and the dialog stays open. */
  save: (name: string) => Promise<void>;
}

/** Longest name of a resource, in UTF-16 units; the server counts some of them in bytes. */
const MAX_NAME_LENGTH = 1024;

/**
 * Asks for a name and does something with it.
 *
 * @slot - More fields of the form.
 */
export class ConsoleNameDialog extends LitElement {
  static override styles = baseStyles;

  @state() private request: NameRequest | undefined;
  @state() private failure = '';
  @state() private isBusy = false;
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;
  @query('#name', true) private readonly field!: HTMLInputElement;

  async ask(request: NameRequest): Promise<void> {
    this.request = request;
    this.failure = '';
    this.isBusy = false;
    await this.updateComplete;
    this.field.value = request.name ?? '';
    await this.dialog.show();
    this.field.select();
  }

  override render() {
    const { heading = '', action = '', thing = '', name = '' } = this.request ?? {};
    return html`<console-dialog
      heading=${heading}
      thing=${thing}
      subject=${thing === '' ? '' : name}
    >
      <form class="stack" novalidate @submit=${this.onSubmit}>
        <div class="field">
          <label for="name">Name</label>
          <input
            id="name"
            autocomplete="off"
            maxlength=${MAX_NAME_LENGTH}
            aria-describedby="failure"
            aria-invalid=${this.failure === '' ? nothing : 'true'}
          />
        </div>
        <slot></slot>
        <p id="failure" class="error" role="alert" ?hidden=${this.failure === ''}>
          ${this.failure}
        </p>
        <div class="row end">
          <button type="button" @click=${() => this.dialog.close()}>Cancel</button>
          <button class="primary" ?disabled=${this.isBusy}>${action}</button>
        </div>
      </form>
    </console-dialog>`;
  }

  private readonly onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const name = this.field.value.trim();
    if (name === '') {
      this.failure = 'Please enter a name.';
      this.field.focus();
      return;
    }
    this.failure = '';
    this.isBusy = true;
    try {
      await this.request?.save(name);
      this.dialog.close();
    } catch (error) {
      this.failure = error instanceof Error ? error.message : 'That did not work.';
    } finally {
      this.isBusy = false;
    }
  };
}

customElements.define('console-name-dialog', ConsoleNameDialog);
