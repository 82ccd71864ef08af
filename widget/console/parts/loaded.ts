import type { ReactiveController, ReactiveControllerHost, TemplateResult } from 'lit';
import { failedState, loadingState, note } from './states.ts';
import { html } from 'lit';

/** How something is fetched; requests take it as it is. */
export interface Fetching {
  signal: AbortSignal;
  /** The page does it by itself, as time goes by. */
  isPoll: boolean;
}

/**
 * What a page fetches, and every state this can be in. What has come stays in view while it is
 * fetched again, and when that fails.
 */
export class Loaded<T> implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #load: (fetching: Fetching) => Promise<T>;
  readonly #everyMs: number | ((value: T | undefined) => number) | undefined;
  #running: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isConnected = false;
  value: T | undefined;
  failure: Error | undefined;

  /** @param everyMs fetches anew this often, or as the value says, while the page can be seen */
  constructor(
    host: ReactiveControllerHost,
    {
      load,
      everyMs,
    }: {
      load: (fetching: Fetching) => Promise<T>;
      everyMs?: number | ((value: T | undefined) => number);
    },
  ) {
    this.#host = host;
    this.#load = load;
    this.#everyMs = everyMs;
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

  /** Fetches anew, as somebody wishes; the newest wins. Failures are shown, not thrown. */
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
      this.failure = error instanceof Error ? error : new Error(String(error));
    }
    this.#host.requestUpdate();
    this.#schedule();
  }

  /** Puts a value in place that is known without fetching, as after a change. */
  set(value: T): void {
    // What was fetched meanwhile is older.
    this.#running?.abort();
    this.value = value;
    this.failure = undefined;
    this.#host.requestUpdate();
    this.#schedule();
  }

  /** The value through `view`, or what stands in its place. */
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
