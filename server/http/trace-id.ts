import { randomBytes } from 'node:crypto';

/** A new `X-Trace-ID`: 32 hexadecimal digits (contract §1.4). */
export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}
