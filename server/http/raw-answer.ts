/** Answers for requests that never became one: refused upgrades and what is no HTTP. */
import type { Duplex } from 'node:stream';
import { toHttp } from '../../shared/errors.ts';
import { newTraceId } from './trace-id.ts';

const reasonPhrases: Partial<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Writes a failure as a whole HTTP answer to a bare connection and ends it. */
export function answerRaw(socket: Duplex, error: unknown): void {
  if (!socket.writable) return;
  const { status, body } = toHttp(error);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${reasonPhrases[status] ?? 'Refused'}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Trace-ID: ${newTraceId()}`,
    ...(status === 503 ? ['Retry-After: 5'] : []),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
