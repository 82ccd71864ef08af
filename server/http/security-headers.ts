/** What every answer says to browsers, so that no page can make more of it than it is. */
import type { FastifyReply, FastifyRequest } from 'fastify';

const headers = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  // Answers for programs are no pages: a browser that shows one runs and loads nothing.
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
};
/** Half a year; said only where HTTPS is spoken, by us or by a trusted proxy. */
const secureHeaders = { ...headers, 'Strict-Transport-Security': 'max-age=15552000' };

/** The headers of an answer, by their names. */
export function securityHeaders(isHttps: boolean): Readonly<Record<string, string>> {
  return isHttps ? secureHeaders : headers;
}

/** Adds the headers; routes that send pages replace what they need otherwise. */
export function addSecurityHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Trace-ID', request.id);
  reply.headers(securityHeaders(request.protocol === 'https'));
}
