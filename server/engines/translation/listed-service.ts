/** What engines share that learn from a server which languages it translates. */
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import type { ServiceKind } from '../service/failure.ts';
import { ServiceClient } from '../service/service-client.ts';
import { LanguageWatch } from './language-watch.ts';

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
    ...{ kind, engine, baseUrl: url, headers, timeoutMs, maxAnswerBytes, log },
    ...(options.retries !== undefined && { retries: options.retries }),
    ...(options.firstDelayMs !== undefined && { firstDelayMs: options.firstDelayMs }),
  });
  const watch = new LanguageWatch({
    ...{ engine, log },
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
