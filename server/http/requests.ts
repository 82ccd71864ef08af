/** What routes ask of a request besides its body: what it is reported by, and whether who asked is still there. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';

/** Visible ASCII: no white space, no control characters. */
const TAG = /^[!-~]{1,100}$/;

/**
 * The custom reporting tag of a request, under either of its header names; null without one.
 *
 * @throws ServiceError invalid_request for a tag that cannot be one
 */
export function reportingTag({ headers }: FastifyRequest): string | null {
  const header = headers['x-service-reporting-tag'] ?? headers['x-deepl-reporting-tag'];
  // Repeated, it is no single tag: the comma's blank refuses it.
  return parseReportingTag(Array.isArray(header) ? header.join(', ') : header);
}

/**
 * A tag as it is stored: trimmed, in lower case; null when there is none.
 *
 * @throws ServiceError invalid_request for a tag that cannot be one
 */
function parseReportingTag(text: string | undefined): string | null {
  const tag = text?.trim().toLowerCase() ?? '';
  if (tag === '') return null;
  if (TAG.test(tag)) return tag;
  throw new ServiceError(
    'invalid_request',
    'The reporting tag is not valid: at most 100 ASCII characters, without white space or control characters.',
  );
}

/** Makes what aborts when whoever asked goes away before the whole answer has been sent. */
export function abortWhenGone({ raw }: FastifyReply): AbortController {
  const abort = new AbortController();
  if (raw.destroyed) abort.abort();
  raw.once('close', () => {
    if (!raw.writableFinished) abort.abort();
  });
  return abort;
}
