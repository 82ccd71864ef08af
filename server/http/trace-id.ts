import { randomBytes } from 'node:crypto';

/** A new `X-Trace-ID`: 32 hexadecimal digits. */
export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}
