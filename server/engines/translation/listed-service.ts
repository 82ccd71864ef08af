/** Common parts of the engines that learn from a server which languages it translates. */
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import { ServiceClient, type ServiceKind } from '../service/service-client.ts';

export interface ListedServiceOptions {
  log: Logger;
  /** Address of the server; API paths are appended to it. */
  url: string;
  key?: string | undefined;
  /** Longest wait for a translation, in ms. */
  timeoutMs?: number;
  /** Longest wait for the list of languages, in ms. */
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

/** Limits of a request for the list: a single attempt with a short timeout. */
export interface ListRequest {
  signal: AbortSignal;
  timeoutMs: number;
  retries: 0;
}

/**
 * Creates the client of a server and the watch on its languages, which is not started yet.
 *
 * @param connection.load requests the languages within the given limits
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
    retries: options.retries,
    firstDelayMs: options.firstDelayMs,
  });
  const watch = new LanguageWatch({
    engine,
    log,
    load: (signal) => load(client, { signal, timeoutMs: startMs, retries: 0 }),
    retryMs: options.languageRetryMs,
    refreshMs: options.languageRefreshMs,
  });
  return { client, watch };
}

/** Returns the server's languages. @throws ServiceError engine_unavailable before the first contact */
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

// Keeps a server's list of languages up to date, also while the server is unreachable.

interface LanguageWatchOptions<Languages> {
  /** Name of the engine, for the log. */
  engine: string;
  /** Requests the languages from the server. */
  load: (signal: AbortSignal) => Promise<Languages>;
  log: Logger;
  /** Interval between attempts before the first answer, in ms. */
  retryMs?: number | undefined;
  refreshMs?: number | undefined;
}

/** Servers change their models now and then, and no request depends on noticing it soon. */
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

  /** The latest list; undefined until the server was reached for the first time. */
  get languages(): Languages | undefined {
    return this.#languages;
  }

  /** Loads the list now, and then repeatedly until closed. Never throws. */
  async start(): Promise<void> {
    const { load, log, engine, retryMs = RETRY_MS, refreshMs = REFRESH_MS } = this.#options;
    const isFirst = this.#languages === undefined;
    try {
      this.#languages = await load(this.#closing.signal);
      if (isFirst) log.info({ engine }, 'translator is reachable');
    } catch {
      // The client has logged the cause. Known languages stay: requests for them report the problem.
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
