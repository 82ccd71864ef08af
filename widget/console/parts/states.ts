/** Data that a page fetches, in each of its states: loading, failed, empty or loaded. */
import {
  css,
  html,
  nothing,
  type ReactiveController,
  type ReactiveControllerHost,
  type TemplateResult,
} from 'lit';
import { ApiFailure } from '../api.ts';
import { icons } from './icons.ts';

const BAD_REQUEST = 400;
const NOT_FOUND = 404;

/** Options of a fetch; requests accept them as they are. */
export interface Fetching {
  signal: AbortSignal;
  /** Whether the page polls by itself. */
  isPoll: boolean;
}

/**
 * Fetches a page's data and renders each of its states. Loaded data stays in view while it is fetched again,
 * and when that fails.
 */
export class Loaded<T> implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #load: (fetching: Fetching) => Promise<T>;
  readonly #everyMs: number | ((value: T | undefined) => number) | undefined;
  readonly #onGone: (() => void) | undefined;
  #running: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isConnected = false;
  value: T | undefined;
  failure: Error | undefined;

  /**
   * @param everyMs polling interval, fixed or by value, while the page is visible
   * @param onGone called if the resource does not exist, before any of it was shown
   */
  constructor(
    host: ReactiveControllerHost,
    {
      load,
      everyMs,
      onGone,
    }: {
      load: (fetching: Fetching) => Promise<T>;
      everyMs?: number | ((value: T | undefined) => number);
      onGone?: () => void;
    },
  ) {
    this.#host = host;
    this.#load = load;
    this.#everyMs = everyMs;
    this.#onGone = onGone;
    host.addController(this);
  }

  hostConnected(): void {
    this.#isConnected = true;
    document.addEventListener('visibilitychange', this.#onVisibility);
    void this.reload();
  }

  hostDisconnected(): void {
    this.#isConnected = false;
    document.removeEventListener('visibilitychange', this.#onVisibility);
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  /** Fetches again on request of the user; the newest fetch wins. Failures are shown, not thrown. */
  reload(): Promise<void> {
    return this.#fetch({ isPoll: false });
  }

  async #fetch({ isPoll }: { isPoll: boolean }): Promise<void> {
    clearTimeout(this.#timer);
    this.#running?.abort();
    const running = (this.#running = new AbortController());
    try {
      const value = await this.#load({ signal: running.signal, isPoll });
      if (running.signal.aborted) return;
      this.value = value;
      this.failure = undefined;
    } catch (error) {
      if (running.signal.aborted) return;
      this.failure = asError(error);
      if (this.value === undefined && isGone(this.failure)) this.#onGone?.();
    }
    this.#host.requestUpdate();
    this.#schedule();
  }

  /** Sets a value that is known without fetching, as after a change. */
  set(value: T): void {
    // A fetch that is under way would return an older value.
    this.#running?.abort();
    this.value = value;
    this.failure = undefined;
    this.#host.requestUpdate();
    this.#schedule();
  }

  /** Renders the value through `view`, or the state that replaces it. */
  render(view: (value: T) => unknown, { lines = 5 }: { lines?: number } = {}): TemplateResult {
    const retry = () => {
      this.failure = undefined;
      this.#host.requestUpdate();
      void this.reload();
    };
    if (this.value === undefined) {
      return this.failure === undefined ? loadingState(lines) : failedState(this.failure, retry);
    }
    if (this.failure === undefined) return html`${view(this.value)}`;
    return html`${note('warn', `${this.failure.message} What you see may be out of date.`)}
    ${view(this.value)}`;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#everyMs === undefined || !this.#isConnected || document.hidden) return;
    const everyMs = typeof this.#everyMs === 'number' ? this.#everyMs : this.#everyMs(this.value);
    this.#timer = setTimeout(() => void this.#fetch({ isPoll: true }), everyMs);
  }

  readonly #onVisibility = (): void => {
    if (this.#everyMs === undefined) return;
    clearTimeout(this.#timer);
    if (!document.hidden) void this.reload();
  };
}

/** Words in place of an empty list: what it is for, and how to begin. */
export interface EmptyState {
  icon?: TemplateResult;
  heading: string;
  text: string;
  actions?: TemplateResult | typeof nothing;
}

/** Renders an empty list. */
export function emptyState(words: EmptyState): TemplateResult {
  return html`<div class="state">
    ${words.icon ?? nothing}
    <h2>${words.heading}</h2>
    <p>${words.text}</p>
    ${words.actions === undefined ? nothing : html`<div class="row">${words.actions}</div>`}
  </div>`;
}

/** Renders grey lines in place of data that is being fetched. @param name for screen readers */
export function loadingState(lines = 5, name = 'Loading…'): TemplateResult {
  return html`<div class="skeleton" role="status">
    <p class="unseen">${name}</p>
    ${Array.from({ length: lines }, () => html`<span></span>`)}
  </div>`;
}

function isGone(failure: Error): boolean {
  return failure instanceof ApiFailure && failure.status === NOT_FOUND;
}

/** Renders a failure, with a way to try again. */
export function failedState(failure: Error, retry?: () => void): TemplateResult {
  if (isGone(failure)) {
    return html`<div class="state" role="alert">
      ${icons.search}
      <h2>It is not there</h2>
      <p>It was deleted, or the address has been mistyped.</p>
    </div>`;
  }
  const isOffline = failure instanceof ApiFailure && failure.isOffline;
  // The server would refuse the same bad request each time.
  const isRefused = failure instanceof ApiFailure && failure.status === BAD_REQUEST;
  return html`<div class="state" role="alert">
    ${isOffline ? icons.offline : icons.warning}
    <h2>${isOffline ? 'No connection to the server' : 'That did not work'}</h2>
    <p>${failure.message}</p>
    ${
      retry === undefined || isRefused
        ? nothing
        : html`<div class="row">
            <button type="button" @click=${retry}>${icons.retry} Try again</button>
          </div>`
    }
  </div>`;
}

/** Renders a note of one or two lines. */
export function note(kind: 'info' | 'warn' | 'bad', content: unknown): TemplateResult {
  return html`<div class="note ${kind}" role=${kind === 'bad' ? 'alert' : nothing}>
    ${kind === 'info' ? icons.information : icons.warning}
    <div>${content}</div>
  </div>`;
}

/** Style of notes and of empty, loading and failed states. */
export const stateStyles = css`
  .note {
    display: flex;
    gap: 0.75rem;
    align-items: flex-start;
    padding: 0.75rem 1rem;
    color: var(--ink);
    background: var(--wash);
    border-radius: var(--radius-small);
  }
  .note.warn {
    color: var(--warn);
    background: var(--warn-tint);
  }
  .note.bad {
    color: var(--bad);
    background: var(--bad-tint);
  }
  .note > .icon {
    margin-block-start: 0.0625rem;
  }
  .note > :not(.icon) {
    flex: 1;
    min-inline-size: 0;
    overflow-wrap: anywhere;
  }
  #failure {
    /* The buttons below it are in view too. */
    scroll-margin-block-end: 6rem;
  }
  #failure.held {
    visibility: hidden;
  }
  .state {
    display: grid;
    gap: 0.5rem;
    justify-items: center;
    padding: clamp(2rem, 6vh, 4rem) 1.25rem;
    text-align: center;
  }
  .state > .icon {
    inline-size: 2rem;
    block-size: 2rem;
    color: var(--soft);
  }
  .state p {
    max-inline-size: 46ch;
    color: var(--soft);
  }
  .state .row {
    justify-content: center;
    margin-block-start: 0.5rem;
  }
  .skeleton {
    display: grid;
    gap: 0.875rem;
    padding: var(--inset);
  }
  .skeleton span {
    block-size: 1.125rem;
    background: var(--line);
    border-radius: 0.375rem;
  }
  .skeleton span:nth-child(3n) {
    inline-size: 72%;
  }
  .skeleton span:nth-child(3n + 1) {
    inline-size: 88%;
  }
  /* Whoever waits briefly sees nothing flash. */
  .skeleton {
    animation: appear 0.2s 0.25s backwards;
  }
  @keyframes appear {
    from {
      opacity: 0;
    }
  }
`;

/** Returns a thrown value as an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
