/** A file that is the body of a request, as it comes. */
import type { Readable } from 'node:stream';
import { ServiceError } from '../../shared/errors.ts';

/** How slow an upload may be, so that nobody keeps a place that others wait for. */
export interface UploadPace {
  /** Longest silence, in ms. */
  idleLimitMs: number;
  /** What it may be waited for however little comes, in ms. */
  graceMs: number;
  /** Besides, so many bytes must come for each second that it is waited for. */
  bytesPerSecond: number;
}

const USUAL_PACE: UploadPace = {
  idleLimitMs: 60_000,
  graceMs: 60_000,
  // Half a megabit a second: a large file takes minutes on any line on which it is worth sending.
  bytesPerSecond: 64 * 1024,
};

/**
 * The bytes of a body, as long as they keep coming. Only the time in which they are waited for counts,
 * not that in which they are made use of.
 *
 * @throws ServiceError request_timeout for an upload that stops or is too slow
 */
export async function* receivedFile(
  body: Readable,
  { idleLimitMs, graceMs, bytesPerSecond } = USUAL_PACE,
): AsyncGenerator<Uint8Array> {
  // The connection is still needed for the answer when the file turns out to be none.
  const pieces = body.iterator({ destroyOnReturn: false });
  let leftMs = graceMs;
  for (;;) {
    const startedAtMs = performance.now();
    const waiting = pieces.next() as Promise<IteratorResult<Uint8Array, undefined>>;
    const next = await within(Math.min(idleLimitMs, leftMs), waiting);
    if (next.done === true) return;
    leftMs += (next.value.length / bytesPerSecond) * 1_000 - (performance.now() - startedAtMs);
    yield next.value;
  }
}

async function within<Result>(limitMs: number, waiting: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), Math.max(0, limitMs));
  });
  try {
    return await Promise.race([waiting, late]);
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(): ServiceError {
  return new ServiceError(
    'request_timeout',
    'The upload has come to a stop, or is too slow. Please try again.',
  );
}
