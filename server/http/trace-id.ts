import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
/** Random bytes for many ids at once: each call for some costs more than they do. */
const pool = Buffer.alloc(ID_BYTES * 256);
let used = pool.length;

/** A new `X-Trace-ID`: 32 hexadecimal digits. */
export function newTraceId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString('hex', used - ID_BYTES, used);
}
