/** How it is told that a server elsewhere has failed its engine: to people, and to our log. */
import { ServiceError, type ErrorCode } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';

/** What an engine that asks a server is, for people. */
export type ServiceKind = 'translator' | 'recogniser' | 'speech engine' | 'writing engine';

/** The engine that asks. */
export interface ServiceCaller {
  kind: ServiceKind;
  /** Name of the engine, for people. */
  engine: string;
  log: Logger;
}

/** By what is at fault. Another translator is asked when one is unavailable, which helps no such text. */
const codes: Record<ServiceKind, Record<'server' | 'input', ErrorCode>> = {
  translator: { server: 'engine_unavailable', input: 'translation_failed' },
  recogniser: { server: 'recognition_failed', input: 'recognition_failed' },
  'writing engine': { server: 'engine_unavailable', input: 'translation_failed' },
  'speech engine': { server: 'synthesis_failed', input: 'synthesis_failed' },
};

/**
 * Logs a failure and answers the error that tells of it.
 *
 * @param problem follows the engine's name
 * @param about.fields for the log: statuses and codes, never texts, addresses or keys
 * @param about.isAboutInput what was sent is at fault rather than the server
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

/** What every answer of this status means, whoever asked; undefined when the request may be at fault. */
export function problemWithStatus(
  status: number,
): { problem: string; isPassing: boolean } | undefined {
  if (status === 408 || status === 429 || status >= 500) {
    return { problem: 'is overloaded or out of order', isPassing: true };
  }
  // 402 and 456: the account there is used up. 404 and 405: nothing of the kind at this address.
  return [401, 402, 403, 404, 405, 456].includes(status)
    ? { problem: 'refuses us: check its address, model and key', isPassing: false }
    : undefined;
}

/** `ECONNREFUSED` and the like; the message of the error might hold the address. */
export function networkCode(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'failed';
}
