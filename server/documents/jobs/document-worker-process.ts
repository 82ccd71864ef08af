/** The worker that a server has beside itself: started ahead or when there is something to do, and again when it ends. */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Logger } from '../../process/log.ts';
import { forkSibling } from '../../process/index.ts';
import type { DocumentStore } from './store.ts';

/** Before a worker that ended is followed by another: twice as long each time it did not last, in ms. */
const RESTART_AFTER_MS = { first: 100, longest: 10_000 };
/** One that lasted so long was in order, in ms. */
const LASTED_MS = 10_000;
/** How long a worker may take to put back what it has, in ms. */
const STOP_LIMIT_MS = 10_000;

/** What a server sends its worker: there is a document. */
export type WorkerOrder = 'ring';
/** What a worker sends its server: it is ready, or has nothing to do with a document any more. */
export type WorkerReport = { kind: 'ready' } | { kind: 'ended'; documentId: string };

export interface DocumentWorkerProcess {
  /**
   * Emits the id of a document with which this worker has nothing to do any more, whatever came of
   * it; all that are listened for when it stops. Of workers elsewhere nothing is heard.
   */
  readonly ends: EventEmitter;
  /** Resolves when the worker that is being started can take documents, or has ended; undefined without one. */
  starting(): Promise<void> | undefined;
  /** For the log. */
  readonly name: string;
  /** Has a worker started, so that the first document does not wait for it. */
  prepare(): Promise<void>;
  /** A document was queued: has it looked for, or starts a worker. */
  ring(): void;
  /** Ends the worker, which puts back what is under way. */
  stop(): Promise<void>;
}

export interface DocumentWorkerProcessOptions {
  documents: Pick<DocumentStore, 'hasOpen' | 'abandon'>;
  log: Logger;
  /** False where workers run elsewhere: nothing is ever started then. */
  isOn: boolean;
  /** Starts a worker process of this id. */
  start?: (workerId: string) => ChildProcess;
}

interface Worker {
  id: string;
  child: ChildProcess;
  startedAtMs: number;
  isReady: boolean;
  /** Resolves when it is ready, or is no more. */
  ready: Promise<void>;
  /** Resolves when the process is no more, or could not be started. */
  ended: Promise<void>;
}

/** Makes the worker's place; begins with a worker if there are documents left from before. */
export function createDocumentWorkerProcess({
  documents,
  log,
  isOn,
  start = (workerId) => forkSibling(import.meta.url, '../../worker', [workerId]),
}: DocumentWorkerProcessOptions): DocumentWorkerProcess {
  let worker: Worker | undefined;
  let restart: NodeJS.Timeout | undefined;
  let delayMs = RESTART_AFTER_MS.first;
  let isStopping = !isOn;
  // As many as there are requests.
  const ends = new EventEmitter().setMaxListeners(0);

  function startWorker(): void {
    const started = watch(randomUUID(), { start, log });
    started.child.on('message', (report: WorkerReport) => {
      if (report.kind === 'ended') ends.emit(report.documentId);
    });
    worker = started;
    void started.ended.then(() => onEnd(started));
  }

  function onEnd({ id, child, startedAtMs }: Worker): void {
    worker = undefined;
    // What it has not put back itself need not wait until nobody was heard of for long.
    documents.abandon(id).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'Documents of a worker that ended must wait.');
    });
    if (isStopping) return;
    const { exitCode, signalCode } = child;
    log.error({ exitCode, signalCode }, 'The worker for documents ended.');
    if (performance.now() - startedAtMs >= LASTED_MS) delayMs = RESTART_AFTER_MS.first;
    restart = setTimeout(() => {
      restart = undefined;
      void startIfNeeded();
    }, delayMs);
    delayMs = Math.min(delayMs * 2, RESTART_AFTER_MS.longest);
  }

  async function startIfNeeded(): Promise<void> {
    // A database that cannot be asked now may have documents.
    const isNeeded = await documents.hasOpen().catch(() => true);
    if (isNeeded && !isStopping && worker === undefined) startWorker();
  }

  if (isOn) void startIfNeeded();
  return {
    ends,
    name: 'document worker',
    async prepare() {
      if (!isStopping && restart === undefined && worker === undefined) startWorker();
      await worker?.ready;
    },
    starting: () => (worker?.isReady === false ? worker.ready : undefined),
    ring() {
      // After its end another one is about to start, and looks by itself.
      if (isStopping || restart !== undefined) return;
      if (worker === undefined) startWorker();
      else if (worker.child.connected) worker.child.send('ring' satisfies WorkerOrder);
    },
    async stop() {
      isStopping = true;
      clearTimeout(restart);
      for (const documentId of ends.eventNames()) ends.emit(documentId);
      if (worker !== undefined) await end(worker);
    },
  };
}

function watch(
  id: string,
  { start, log }: { start: (workerId: string) => ChildProcess; log: Logger },
): Worker {
  const child = start(id);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    // It could not be started, or a message could not be sent.
    child.on('error', (error) => {
      log.error({ error: error.message }, 'The worker for documents is out of reach.');
      if (child.pid === undefined) resolve();
    });
  });
  const said = new Promise<void>((resolve) => {
    child.on('message', ({ kind }: WorkerReport) => {
      if (kind !== 'ready') return;
      worker.isReady = true;
      resolve();
    });
  });
  const ready = Promise.race([said, ended]);
  const worker: Worker = {
    id,
    child,
    ready,
    ended,
    isReady: false,
    startedAtMs: performance.now(),
  };
  return worker;
}

async function end({ child, ended }: Worker): Promise<void> {
  child.kill('SIGTERM');
  const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await ended;
  clearTimeout(limit);
}
