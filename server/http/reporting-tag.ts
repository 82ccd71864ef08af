import type { FastifyRequest } from 'fastify';
import { parseReportingTag } from '../accounts/usage/reporting-tag.ts';

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
