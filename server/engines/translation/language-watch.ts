/** Keeps what a server says of its languages up to date, and copes while there is no server. */
import type { Logger } from '../../process/log.ts';

export interface LanguageWatchOptions<Languages> {
  /** Name of the engine, for the log. */
  engine: string;
  /** Asks the server. */
  load: (signal: AbortSignal) => Promise<Languages>;
  log: Logger;
  /** Between two questions as long as there is no answer at all. */
  retryMs?: number;
  refreshMs?: number;
}

/** Servers get other models now and then; nobody waits for it. */
const REFRESH_MS = 10 * 60_000;
const RETRY_MS = 5_000;

export class LanguageWatch<Languages> {
  readonly #options: LanguageWatchOptions<Languages>;
  readonly #closing = new AbortController();
  #languages: Languages | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LanguageWatchOptions<Languages>) {
    this.#options = options;
  }

  /** What the server has said last; undefined until it has been reached for the first time. */
  get languages(): Languages | undefined {
    return this.#languages;
  }

  /** Asks once now, and then for as long as it is not closed. Never throws. */
  async start(): Promise<void> {
    const { load, log, engine, retryMs = RETRY_MS, refreshMs = REFRESH_MS } = this.#options;
    const isFirst = this.#languages === undefined;
    try {
      this.#languages = await load(this.#closing.signal);
      if (isFirst) log.info({ engine }, 'translator reached');
    } catch {
      // The client has logged why. Known languages stay: requests for them say what is wrong.
    }
    if (this.#closing.signal.aborted) return;
    const waitMs = this.#languages === undefined ? retryMs : refreshMs;
    this.#timer = setTimeout(() => void this.start(), waitMs).unref();
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
  }
}
