/** What engines share that learn from a server which languages it translates. */
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import { ServiceClient, type ServiceKind } from '../service/service-client.ts';

export interface ListedServiceOptions {
  log: Logger;
  /** Address of the server, to which the paths of its interface are appended. */
  url: string;
  key?: string | undefined;
  /** Longest wait for a translation. */
  timeoutMs?: number;
  /** Longest wait for its languages. */
  startMs?: number;
  maxParallel?: number;
  /** See {@link ServiceClient}. */
  retries?: number;
  firstDelayMs?: number;
  maxAnswerBytes?: number;
  /** See {@link LanguageWatch}. */
  languageRetryMs?: number;
  languageRefreshMs?: number;
}

/** How a list of languages is asked for: once, and not for long. */
export interface ListRequest {
  signal: AbortSignal;
  timeoutMs: number;
  retries: 0;
}

/**
 * The client of a server and the watch over its languages, which has not started yet.
 *
 * @param connection.load asks for the languages; given how
 */
export function connectListedService<Languages>(
  { log, url, ...options }: ListedServiceOptions,
  connection: {
    engine: string;
    kind?: ServiceKind;
    headers: Record<string, string>;
    load: (client: ServiceClient, request: ListRequest) => Promise<Languages>;
  },
): { client: ServiceClient; watch: LanguageWatch<Languages> } {
  const { engine, kind = 'translator', headers, load } = connection;
  const { timeoutMs = 30_000, startMs = 3_000, maxAnswerBytes = 2 ** 22 } = options;
  const client = new ServiceClient({
    kind,
    engine,
    baseUrl: url,
    headers,
    timeoutMs,
    maxAnswerBytes,
    log,
    ...(options.retries !== undefined && { retries: options.retries }),
    ...(options.firstDelayMs !== undefined && { firstDelayMs: options.firstDelayMs }),
  });
  const watch = new LanguageWatch({
    engine,
    log,
    load: (signal) => load(client, { signal, timeoutMs: startMs, retries: 0 }),
    ...(options.languageRetryMs !== undefined && { retryMs: options.languageRetryMs }),
    ...(options.languageRefreshMs !== undefined && { refreshMs: options.languageRefreshMs }),
  });
  return { client, watch };
}

/** What the server has said of its languages. @throws ServiceError engine_unavailable before it has */
export function knownLanguages<Languages>(
  engine: string,
  { languages }: LanguageWatch<Languages>,
): Languages {
  if (languages !== undefined) return languages;
  throw new ServiceError(
    'engine_unavailable',
    `The translator ${engine} has not been reached yet: check its address.`,
  );
}

// Keeps what a server says of its languages up to date, and copes while there is no server.

interface LanguageWatchOptions<Languages> {
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
