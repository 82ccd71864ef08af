/** The loop of a worker: takes documents from the table, a bounded number at once. */
import { randomUUID } from 'node:crypto';
import { Change } from '../../process/concurrency.ts';
import type { ClaimedDocument } from './document-claims-store.ts';
import {
  BEAT_MS,
  EXHAUSTED,
  startDocumentJob,
  type DocumentJob,
  type DocumentJobOptions,
} from './document-job.ts';

/** A worker that missed so many beats has ended: a slow disk or a busy machine costs some. */
const STALE_MS = 6 * BEAT_MS;
/** How often the table is looked at when nobody rings, in ms. */
const POLL_MS = 2_000;

export interface DocumentJobs {
  /** Looks at the table now. */
  ring(): void;
  /** Takes no more, and puts back what is under way; resolves when nothing is left. */
  stop(): Promise<void>;
}

export interface DocumentJobsOptions extends Omit<DocumentJobOptions, 'now'> {
  /** Another one for each process. */
  workerId: string;
  /** Documents at once. */
  maxDocuments: number;
  /** Called when the worker has nothing to do with a document any more. */
  onEnded?: (documentId: string) => void;
  now?: () => number;
}

/** Starts to take documents. */
export function startDocumentJobs(given: DocumentJobsOptions): DocumentJobs {
  const options = { now: Date.now, ...given };
  const { documents, workerId, maxAttempts, maxDocuments, onEnded, log, now } = options;
  const running = new Set<DocumentJob>();
  const bell = new Change();
  let isStopping = false;

  async function take(): Promise<ClaimedDocument | undefined> {
    try {
      const atMs = now();
      return await documents.claim({
        ...{ claimId: randomUUID(), workerId, atMs, staleBeforeMs: atMs - STALE_MS },
        ...{ maxAttempts, exhausted: EXHAUSTED },
      });
    } catch (error) {
      log.warn({ error: String(error) }, 'Documents cannot be taken now.');
      return undefined;
    }
  }

  function start(claimed: ClaimedDocument): void {
    const job = startDocumentJob(claimed, options);
    running.add(job);
    void job.ended.then(() => {
      running.delete(job);
      onEnded?.(claimed.documentId);
      bell.notify();
    });
    if (isStopping) job.giveBack();
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      // Listened to before the look: a ring in between is not missed.
      const rung = bell.next();
      const claimed = running.size < maxDocuments ? await take() : undefined;
      if (claimed === undefined) {
        const timer = setTimeout(() => bell.notify(), POLL_MS);
        await rung;
        clearTimeout(timer);
      } else {
        start(claimed);
      }
    }
  }

  const ended = run();
  return {
    ring: () => bell.notify(),
    async stop() {
      isStopping = true;
      bell.notify();
      for (const job of running) job.giveBack();
      await ended;
      await Promise.all([...running].map((job) => job.ended));
    },
  };
}
