/** Dialogs of the console: the common frame, a confirmation, and a prompt for a name. */
import { LitElement, css, html, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { shownPlace } from '../router.ts';
import { baseStyles } from './base.styles.ts';
import { FormDraft } from './form-draft.ts';
import { icons } from './icons.ts';
import { sayDone, sayFailed } from './messages.ts';
import { Sending } from './sending.ts';

/**
 * A native dialog with a heading and a close button, around a form of the page. Restores unsaved input when
 * the page was left with the dialog open, by the browser's Back button or by the end of the session.
 *
 * @fires dialog-close - The dialog was closed, by whatever means.
 * @slot - The form; a `<div class="row end" slot="actions">` or buttons in the form itself.
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
  /** Id of the form's subject, for a page that opens the same form for several subjects. */
  @property() thing = '';
  /** The form's subject, if the heading does not name it. */
  @property() subject = '';
  /** Closes by its own buttons only, because its content would be lost. */
  @property({ type: Boolean }) stubborn = false;
  @query('dialog', true) private readonly dialog!: HTMLDialogElement;
  #mayClose = false;
  /** Whether nothing was clicked since the dialog opened. */
  #isUntouched = true;
  #draft: FormDraft | undefined;

  constructor() {
    super();
    this.addEventListener('click', this.onClick, { capture: true });
    for (const type of ['input', 'change'])
      this.addEventListener(type, () => void this.#draft?.keep());
  }

  get isOpen(): boolean {
    return this.hasUpdated && this.dialog.open;
  }

  /** Opens the dialog over the page, which is inert meanwhile. */
  async show(): Promise<void> {
    await this.updateComplete;
    if (this.dialog.open) return;
    this.#isUntouched = true;
    this.dialog.showModal();
    const place = shownPlace();
    const title = this.subject === '' ? this.heading : `${this.heading} “${this.subject}”`;
    // The id is preferred, because a heading may contain a name that others change meanwhile.
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

  /** Discards the draft of the form. */
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

  /** The second half of a double click, whose first half opened the dialog, presses nothing in it. */
  private readonly onClick = (event: MouseEvent): void => {
    this.#isUntouched &&= event.detail > 1;
    if (!this.#isUntouched) return;
    event.preventDefault();
    event.stopPropagation();
  };

  private readonly onCancel = (event: Event): void => {
    if (this.stubborn) event.preventDefault();
  };

  private readonly onClose = (): void => {
    // Browsers without `closedby` let a second Escape in a row close any dialog.
    if (this.stubborn && !this.#mayClose) {
      this.dialog.showModal();
      return;
    }
    this.#mayClose = false;
    // The console also closes dialogs when the session ends; the draft then waits for the next session.
    if (this.isConnected) this.forget();
    this.dispatchEvent(new Event('dialog-close'));
  };
}

customElements.define('console-dialog', ConsoleDialog);

/**
 * Returns the open dialogs that the console may close, which excludes stubborn ones. Confirmations are
 * outside the console's own tree.
 */
export function openDialogs(root: Document | ShadowRoot): HTMLDialogElement[] {
  return [...root.querySelectorAll('*')].flatMap((element) => {
    if (element instanceof HTMLDialogElement) return element.open ? [element] : [];
    if (element instanceof ConsoleDialog && element.stubborn) return [];
    return element.shadowRoot === null ? [] : openDialogs(element.shadowRoot);
  });
}

/** Question before an action that cannot be undone. */
export interface Question {
  heading: string;
  text: string;
  /** Label of the confirming button, a verb such as `Delete`. */
  action: string;
  /** Text to type before the button works, for what is costly to lose. */
  typed?: string;
  /** Whether the action loses nothing. */
  isHarmless?: boolean;
}

/** Confirmation dialog; the console has a single one. */
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

/** Asks whether to perform an irreversible action; closing the dialog means no. */
export function confirmed(question: Question): Promise<boolean> {
  asker ??= document.body.appendChild(new ConsoleConfirmation());
  return asker.ask(question);
}

/** Answers an open question with no, because the page below has changed. */
export function withdrawQuestion(): void {
  asker?.conclude(false);
}

/** Performs an action once it is confirmed, and reports the outcome. Resolves with true only on success. */
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

/** Options of a prompt for a name. */
export interface NameRequest {
  heading: string;
  /** Label of the confirming button, a verb such as `Rename`. */
  action: string;
  name?: string;
  /** Id of what is named, for a page that lists several. */
  thing?: string;
  /** Saves the name; an error it throws is shown, and the dialog stays open. */
  save: (name: string) => Promise<void>;
}

/** Longest name of a resource, in UTF-16 units; the server limits some names in bytes. */
const MAX_NAME_LENGTH = 1024;

/**
 * Dialog that prompts for a name and saves it.
 *
 * @slot - Further fields of the form.
 */
export class ConsoleNameDialog extends LitElement {
  static override styles = baseStyles;

  @state() private request: NameRequest | undefined;
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;
  @query('#name', true) private readonly field!: HTMLInputElement;
  private readonly sending = new Sending(this);

  async ask(request: NameRequest): Promise<void> {
    this.request = request;
    this.sending.reset();
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
      @dialog-close=${() => this.sending.reset()}
    >
      <form class="stack" novalidate @submit=${this.onSubmit}>
        <div class="field">
          <label for="name">Name</label>
          <input
            id="name"
            autocomplete="off"
            maxlength=${MAX_NAME_LENGTH}
            aria-describedby="failure"
            aria-invalid=${this.sending.failure === '' ? nothing : 'true'}
          />
        </div>
        <slot></slot>
        ${this.sending.note()}
        <div class="row end">
          <button type="button" @click=${() => this.dialog.close()}>Cancel</button>
          ${this.sending.button(action)}
        </div>
      </form>
    </console-dialog>`;
  }

  private readonly onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const name = this.field.value.trim();
    if (name === '') {
      this.sending.refuse('Please enter a name.', this.field);
      return;
    }
    const { request } = this;
    if (await this.sending.send(async () => request?.save(name))) this.dialog.close();
  };
}

customElements.define('console-name-dialog', ConsoleNameDialog);
