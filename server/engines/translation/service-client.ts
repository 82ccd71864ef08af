/**
 * JSON over HTTP to a translator that runs elsewhere: time limits, retries, bounded answers. What is
 * logged are statuses and codes, never bodies, addresses or keys.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import { linkAbort } from './linked-abort.ts';

export interface ServiceClientOptions {
  /** Name of the engine, for people. */
  engine: string;
  /** Address that paths are appended to. */
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
  /** Longest wait for one answer; there is no second try after it. */
  timeoutMs: number;
  maxAnswerBytes: number;
  log: Logger;
  /** Tries after the first one has failed at the network or with 408, 429 or 5xx. */
  retries?: number;
  /** Wait before the second try; it doubles with every further one. */
  firstDelayMs?: number;
}

export interface ServiceRequest {
  path: string;
  /** Sent as JSON with POST; without it the request is a GET. */
  body?: object;
  signal: AbortSignal;
  retries?: number;
  timeoutMs?: number;
}

/** A JSON value, or the 4xx status with which the server has refused this very request. */
export type ServiceAnswer = { kind: 'value'; value: unknown } | { kind: 'refused'; status: number };

/** A try that another may follow. */
interface Setback {
  kind: 'setback';
  /** What is wrong, to follow the engine's name. */
  problem: string;
  fields: object;
  /** What the server wants us to wait. */
  waitMs: number | undefined;
}

/** Longer waits are for the caller to decide on; meanwhile another engine can do the work. */
const MAX_DELAY_MS = 8_000;

export class ServiceClient {
  readonly #options: ServiceClientOptions;
  readonly #baseUrl: string;

  constructor(options: ServiceClientOptions) {
    this.#options = options;
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '');
  }

  /**
   * @throws ServiceError engine_unavailable when there is no usable answer, translation_failed when it
   *   is too long; the signal's reason when aborted
   */
  async request(request: ServiceRequest): Promise<ServiceAnswer> {
    const { signal, retries = this.#options.retries ?? 2 } = request;
    for (let tries = 0; ; tries++) {
      const outcome = await this.#try(request);
      if (outcome.kind !== 'setback') return outcome;
      const delayMs = outcome.waitMs ?? this.#backOffMs(tries);
      if (tries >= retries || delayMs > MAX_DELAY_MS) {
        throw this.#unavailable(outcome.problem, outcome.fields);
      }
      await delay(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  /** Between half of the full delay and all of it, so that those who failed together part. */
  #backOffMs(tries: number): number {
    const fullMs = Math.min((this.#options.firstDelayMs ?? 250) * 2 ** tries, MAX_DELAY_MS);
    return fullMs * (0.5 + Math.random() / 2);
  }

  async #try(request: ServiceRequest): Promise<ServiceAnswer | Setback> {
    const { path, body, signal, timeoutMs = this.#options.timeoutMs } = request;
    const { controller, unlink } = linkAbort(signal);
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      const response = await fetch(this.#baseUrl + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...this.#options.headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // Texts and key are meant for this address and no other.
        redirect: 'error',
        signal: controller.signal,
      });
      return await this.#read(response);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceError) throw error;
      if (controller.signal.aborted) {
        throw this.#unavailable('takes too long to answer', { timeoutMs });
      }
      const fields = { reason: networkCode(error) };
      return { kind: 'setback', problem: 'cannot be reached', fields, waitMs: undefined };
    } finally {
      clearTimeout(timer);
      unlink();
    }
  }

  async #read(response: Response): Promise<ServiceAnswer | Setback> {
    const { status } = response;
    if (response.ok) return { kind: 'value', value: this.#parse(await this.#readText(response)) };
    await response.body?.cancel();
    if (status === 408 || status === 429 || status >= 500) {
      const waitMs = retryAfterMs(response.headers);
      return {
        kind: 'setback',
        problem: 'is overloaded or out of order',
        fields: { status },
        waitMs,
      };
    }
    // 402 and 456: the account there is used up. 404 and 405: nothing of the kind at this address.
    if ([401, 402, 403, 404, 405, 456].includes(status)) {
      throw this.#unavailable('refuses us: check its address, model and key', { status });
    }
    return { kind: 'refused', status };
  }

  /** Text up to the limit; the rest of a longer answer is not taken in. */
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
      throw this.#unavailable('does not answer with JSON: check its address', {});
    }
  }

  #tooLong(): ServiceError {
    const { engine, maxAnswerBytes, log } = this.#options;
    log.warn({ engine, maxAnswerBytes }, 'answer of the translator cut off: too long');
    return new ServiceError(
      'translation_failed',
      `The translator ${engine} gave an answer of unreasonable length. Try a shorter text.`,
    );
  }

  #unavailable(problem: string, fields: object): ServiceError {
    const { engine, log } = this.#options;
    log.warn({ engine, ...fields }, `translator ${problem}`);
    return new ServiceError('engine_unavailable', `The translator ${engine} ${problem}.`);
  }
}

/** `ECONNREFUSED` and the like; the message of the error might hold the address. */
function networkCode(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'failed';
}

/** RFC 9110 §10.2.3: seconds, or a date. */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (value === '') return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** What is wrong with an address from the settings, for people; undefined when it can be used. */
export function problemWithAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return 'is not an address';
  const { protocol, username, password, search, hash } = new URL(url);
  if (!/^https?:$/.test(protocol)) return 'must begin with http:// or https://';
  // fetch refuses them, and would name them in its error.
  if (username !== '' || password !== '') return 'must not contain a name or password';
  if (search !== '' || hash !== '') return 'must not contain ? or #';
  return undefined;
}
