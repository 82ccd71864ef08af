/** Answers for requests that never became one: refused upgrades and what is no HTTP. */
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { toHttp } from '../../shared/errors.ts';
import { securityHeaders } from './security-headers.ts';

/** Refused connections have this long to read the answer and to close. */
const LINGER_MS = 2_000;

const reasonPhrases: Partial<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Writes a failure as a whole HTTP answer to a bare connection, which ends with it. */
export function answerRaw(socket: Duplex, error: unknown, traceId: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = toHttp(error);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${reasonPhrases[status] ?? 'Refused'}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Trace-ID: ${traceId}`,
    ...Object.entries(securityHeaders(socket instanceof TLSSocket)).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    ...(status === 503 ? ['Retry-After: 5'] : []),
  ];
  lingerUntilClosed(socket);
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}

/** Gives a client that has been answered a moment to read that and to close; then the connection is cut. */
export function lingerUntilClosed(socket: Duplex): void {
  // What still arrives is thrown away: unread, it would keep the connection from ever closing.
  socket.resume();
  socket.once('end', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
