/** Deletes documents that nobody fetched, and uploads that never ended. */
import type { Logger } from '../../process/log.ts';
import type { DocumentStore } from './store.ts';

/** How often is looked, in ms. */
const PERIOD_MS = 10 * 60_000;
/** An upload to which nothing was added for so long was given up, in ms. */
const UPLOAD_MS = 60 * 60_000;

export interface DocumentExpiry {
  stop(): void;
}

/** Looks at once, and from then on now and again. @param keptMs how long results and errors are kept */
export function startDocumentExpiry({
  documents,
  keptMs,
  log,
  now = Date.now,
}: {
  documents: DocumentStore;
  keptMs: number;
  log: Logger;
  now?: () => number;
}): DocumentExpiry {
  let isStopped = false;

  async function sweep(): Promise<void> {
    try {
      const before = { settled: now() - keptMs, uploads: now() - UPLOAD_MS };
      while (!isStopped && (await documents.expire(before)));
    } catch (error) {
      log.warn({ error: String(error) }, 'Old documents could not be deleted yet.');
    }
  }
  void sweep();
  const timer = setInterval(() => void sweep(), PERIOD_MS);
  timer.unref();
  return {
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
