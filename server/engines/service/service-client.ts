/**
 * HTTP client for a server that does an engine's work: time limits, retries, size-limited JSON responses.
 * Logs statuses and codes only, never bodies, addresses or keys.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorCode, ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import { linkAbort } from '../../process/concurrency.ts';

export interface ServiceClientOptions extends ServiceCaller {
  /** Address to which paths are appended. */
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
  /** Longest wait for one response, in ms; a timeout is not retried. */
  timeoutMs: number;
  maxAnswerBytes: number;
  /** Number of retries after a network failure or a status of 408, 429 or 5xx. */
  retries?: number | undefined;
  /** Delay before the second attempt, in ms; it doubles with every further one. */
  firstDelayMs?: number | undefined;
}

interface ServiceRequest {
  path: string;
  /** Sent with POST, as JSON unless it is a form; a request without a body is a GET. */
  body?: object | FormData;
  signal: AbortSignal;
  retries?: number;
  timeoutMs?: number;
  /** Set for optional resources: a missing or forbidden one counts as a refusal, not as a failure. */
  isOptional?: boolean;
  /** Set if the server works otherwise: a status of 500 in every attempt counts as a refusal. */
  mayBreakServer?: boolean;
}

/** Returns the headers that carry a key; none without one. */
export function bearer(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

/** A JSON value, or the 4xx status with which the server refused this particular request. */
export type ServiceAnswer = { kind: 'value'; value: unknown } | { kind: 'refused'; status: number };

/** A failed attempt that may be retried. */
interface FailedAttempt {
  kind: 'failed-attempt';
  /** Description of the problem; follows the engine's name in messages. */
  problem: string;
  fields: { status?: number; reason?: string };
  /** Delay requested by the server, in ms. */
  waitMs: number | undefined;
}

/**
 * Longest delay between attempts, in ms: a caption that comes later is useless, so longer waits are the
 * caller's decision.
 */
export const MAX_DELAY_MS = 8_000;

export class ServiceClient {
  readonly #options: ServiceClientOptions;
  readonly #baseUrl: string;

  constructor(options: ServiceClientOptions) {
    this.#options = options;
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '');
  }

  /**
   * Sends a request, with retries.
   *
   * @throws ServiceError of the engine's kind when there is no usable response; the signal's reason when
   *   aborted
   */
  async request(request: ServiceRequest): Promise<ServiceAnswer> {
    const { firstDelayMs: firstMs = 250 } = this.#options;
    const { signal, retries = this.#options.retries ?? 2 } = request;
    for (let tries = 1; ; tries++) {
      const outcome = await this.#try(request);
      if (outcome.kind !== 'failed-attempt') return outcome;
      const backOff = backOffMs(tries, { firstMs, mostMs: MAX_DELAY_MS });
      // A server that asks for no delay at all, or for one that is over, gets the usual one.
      const delayMs = Math.max(backOff, outcome.waitMs ?? 0);
      if (tries > retries || delayMs > MAX_DELAY_MS) {
        const { status } = outcome.fields;
        if (status === 500 && request.mayBreakServer === true) return { kind: 'refused', status };
        throw serviceFailure(this.#options, outcome.problem, outcome);
      }
      await delay(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  async #try(request: ServiceRequest): Promise<ServiceAnswer | FailedAttempt> {
    const { path, signal, timeoutMs = this.#options.timeoutMs } = request;
    const { controller, unlink } = linkAbort(signal);
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      const response = await fetch(this.#baseUrl + path, {
        ...(await this.#message(request)),
        // Texts, speech and key are meant for this address only.
        redirect: 'error',
        signal: controller.signal,
      });
      return await this.#read(response, request);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceError) throw error;
      if (controller.signal.aborted) {
        throw serviceFailure(this.#options, 'takes too long to answer', { fields: { timeoutMs } });
      }
      const fields = { reason: networkCode(error) };
      return { kind: 'failed-attempt', problem: 'cannot be reached', fields, waitMs: undefined };
    } finally {
      clearTimeout(timer);
      unlink();
    }
  }

  async #message({ body }: ServiceRequest) {
    const headers = { accept: 'application/json', ...this.#options.headers };
    if (body === undefined) return { method: 'GET', headers };
    if (body instanceof FormData) {
      // Sent as bytes: with a streamed form, an abort can crash the process in Node 24.
      const form = new Response(body);
      const typed = { ...headers, 'content-type': form.headers.get('content-type') ?? '' };
      return { method: 'POST', headers: typed, body: await form.arrayBuffer() };
    }
    const typed = { 'content-type': 'application/json', ...headers };
    return { method: 'POST', headers: typed, body: JSON.stringify(body) };
  }

  async #read(
    response: Response,
    { isOptional = false }: ServiceRequest,
  ): Promise<ServiceAnswer | FailedAttempt> {
    const { ok, status, headers } = response;
    if (ok) return { kind: 'value', value: this.#parse(await this.#readText(response)) };
    await response.body?.cancel();
    const isRefused = isOptional && [403, 404, 405].includes(status);
    const wrong = isRefused ? undefined : problemWithStatus(status);
    if (wrong === undefined) return { kind: 'refused', status };
    const { problem, isPassing } = wrong;
    if (!isPassing) throw serviceFailure(this.#options, problem, { fields: { status } });
    return { kind: 'failed-attempt', problem, fields: { status }, waitMs: retryAfterMs(headers) };
  }

  /** Reads the text up to the size limit; the rest of a longer response is not read. */
  async #readText(response: Response): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    let sizeBytes = 0;
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.byteLength;
      // Leaving the loop cancels the body.
      if (sizeBytes > this.#options.maxAnswerBytes) throw this.#tooLong();
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw serviceFailure(this.#options, 'does not answer with JSON: check its address');
    }
  }

  #tooLong(): ServiceError {
    const { maxAnswerBytes } = this.#options;
    const problem = 'gives an answer of unreasonable length: try with less';
    return serviceFailure(this.#options, problem, {
      fields: { maxAnswerBytes },
      isAboutInput: true,
    });
  }
}

// Errors and log messages for failures of a remote server.

/** The kind of an engine, for messages. */
export type ServiceKind = 'translator' | 'recogniser' | 'speech engine' | 'writing engine';

/** The engine that sends a request. */
export interface ServiceCaller {
  kind: ServiceKind;
  /** Name of the engine, for messages. */
  engine: string;
  log: Logger;
}

/**
 * Error codes by cause. Only `engine_unavailable` lets another translator take over, which would not help
 * with a bad input.
 */
const codes: Record<ServiceKind, Record<'server' | 'input', ErrorCode>> = {
  translator: { server: 'engine_unavailable', input: 'translation_failed' },
  recogniser: { server: 'recognition_failed', input: 'recognition_failed' },
  'writing engine': { server: 'engine_unavailable', input: 'translation_failed' },
  'speech engine': { server: 'synthesis_failed', input: 'synthesis_failed' },
};

/**
 * Logs a failure and returns the corresponding error.
 *
 * @param problem description that follows the engine's name
 * @param about.fields fields for the log: statuses and codes, never texts, addresses or keys
 * @param about.isAboutInput whether the input is at fault rather than the server
 */
export function serviceFailure(
  { kind, engine, log }: ServiceCaller,
  problem: string,
  about: { fields?: object; isAboutInput?: boolean } = {},
): ServiceError {
  log.warn({ engine, ...about.fields }, `${kind} ${problem}`);
  const code = codes[kind][about.isAboutInput === true ? 'input' : 'server'];
  return new ServiceError(code, `The ${kind} ${engine} ${problem}.`);
}

/** Returns the meaning of a status for any request; undefined when the particular request may be at fault. */
export function problemWithStatus(
  status: number,
): { problem: string; isPassing: boolean } | undefined {
  if (status === 408 || status === 429 || status >= 500) {
    return { problem: 'is overloaded or out of order', isPassing: true };
  }
  // 402 and 456: the account there is exhausted. 404 and 405: no such API at this address.
  return [401, 402, 403, 404, 405, 456].includes(status)
    ? { problem: 'refuses us: check its address, model and key', isPassing: false }
    : undefined;
}

/** Returns `ECONNREFUSED` and the like; the error's message might contain the address. */
export function networkCode(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'failed';
}

// Delays between attempts.

/** Returns the delay after this many failures, in ms: it doubles with every further one, up to `mostMs`. */
export function backOffMs(
  failures: number,
  { firstMs, mostMs = Infinity }: { firstMs: number; mostMs?: number },
): number {
  const fullMs = Math.min(firstMs * 2 ** (failures - 1), mostMs);
  // Random between half and all of the delay, so that clients that failed together spread out.
  return fullMs * (0.5 + Math.random() / 2);
}

/** Parses `Retry-After` (RFC 9110 §10.2.3): seconds, which some servers write as fractions, or a date. */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (value === '') return undefined;
  const waitMs = /^\d+(?:\.\d+)?$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

// Servers that tell which languages they translate.

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
