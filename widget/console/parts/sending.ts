import { html, nothing, type LitElement, type ReactiveController, type TemplateResult } from 'lit';
import { sayFailed } from './messages.ts';
import { asError, note } from './states.ts';

/**
 * Sends the content of a form: one request at a time, with its button busy. What went wrong stands above the
 * buttons, in view, until the next try; the focus stays where it is.
 */
export class Sending implements ReactiveController {
  isBusy = false;
  readonly #host: LitElement;
  #failure = '';
  #round = 0;
  #isSeen = true;

  constructor(host: LitElement) {
    this.#host = host;
    host.addController(this);
  }

  /** What went wrong at the last try, for the user; empty if nothing did. */
  get failure(): string {
    return this.isBusy ? '' : this.#failure;
  }

  hostDisconnected(): void {
    this.reset();
  }

  hostUpdated(): void {
    if (this.#isSeen) return;
    this.#isSeen = true;
    this.#host.renderRoot.querySelector('#failure')?.scrollIntoView({ block: 'nearest' });
  }

  /** Begins anew, because the form was closed, opened or changed. */
  reset(): void {
    this.#round += 1;
    this.#show({ isBusy: false, failure: '' });
  }

  /** Refuses what was filled in, unless another try is under way. @param field gets the focus */
  refuse(failure: string, field?: HTMLElement | null): void {
    if (this.isBusy) return;
    this.#show({ isBusy: false, failure });
    field?.focus();
  }

  /**
   * Resolves with whether the work is done and the form still the same. A failure after the form has gone is
   * told as a message.
   */
  async send(work: () => Promise<unknown>): Promise<boolean> {
    if (this.isBusy) return false;
    const round = ++this.#round;
    const isSame = () => round === this.#round;
    this.#show({ isBusy: true, failure: this.#failure });
    try {
      await work();
      if (isSame()) this.#show({ isBusy: false, failure: '' });
      return isSame();
    } catch (error) {
      if (isSame()) this.#show({ isBusy: false, failure: asError(error).message });
      else sayFailed(error);
      return false;
    }
  }

  /** Renders what went wrong; while busy it is hidden, but its place stays, so that no button moves. */
  note(): TemplateResult | typeof nothing {
    if (this.#failure === '') return nothing;
    const kind = this.isBusy ? 'held' : '';
    return html`<div id="failure" class=${kind}>${note('bad', this.#failure)}</div>`;
  }

  /** Renders the button that submits; not disabled while busy, so that it keeps the focus. */
  button(label: string, { busyLabel = label, kind = 'primary' } = {}): TemplateResult {
    return html`<button class=${kind} aria-disabled=${this.isBusy}>
      ${this.isBusy ? busyLabel : label}
    </button>`;
  }

  #show({ isBusy, failure }: { isBusy: boolean; failure: string }): void {
    this.isBusy = isBusy;
    this.#failure = failure;
    this.#isSeen = this.failure === '';
    this.#host.requestUpdate();
  }
}
