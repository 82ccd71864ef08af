/**
 * Supervisor of the worker process beside a server: starts it ahead of time or on demand, and
 * restarts it when it ends.
 */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Logger } from '../../process/log.ts';
import { forkSibling } from '../../process/index.ts';
import type { DocumentStore } from './store.ts';

/** Delay before a restart, in ms; it doubles each time the worker ends early. */
const RESTART_AFTER_MS = { first: 100, longest: 10_000 };
/** Lifetime after which a worker counts as healthy and the restart delay is reset, in ms. */
const LASTED_MS = 10_000;
/** Time that a stopping worker has to release its documents, in ms. */
const STOP_LIMIT_MS = 10_000;

/** Message from server to worker: a document was queued. */
export type WorkerOrder = 'ring';
/** Messages from worker to server: it is ready, or has finished with a document. */
export type WorkerReport = { kind: 'ready' } | { kind: 'ended'; documentId: string };

export interface DocumentWorkerProcess {
  /**
   * Emits the id of a document when this worker has finished with it, whatever the outcome; on
   * stop, emits every id that has a listener. Workers on other machines are not covered.
   */
  readonly ends: EventEmitter;
  /**
   * Resolves when the worker that is being started can claim documents, or has ended; undefined
   * when none is being started.
   */
  starting(): Promise<void> | undefined;
  /** Name in the log. */
  readonly name: string;
  /** Starts a worker, so that the first document does not wait for its start. */
  prepare(): Promise<void>;
  /** Notifies the worker of a queued document, or starts one. */
  ring(): void;
  /** Stops the worker, which releases the documents in progress. */
  stop(): Promise<void>;
}

export interface DocumentWorkerProcessOptions {
  documents: Pick<DocumentStore, 'hasOpen' | 'abandon'>;
  log: Logger;
  /** False where workers run on other machines: no worker is ever started then. */
  isOn: boolean;
  /** Starts a worker process with this id. */
  start?: (workerId: string) => ChildProcess;
}

interface Worker {
  id: string;
  child: ChildProcess;
  startedAtMs: number;
  isReady: boolean;
  /** Resolves when the worker is ready, or has ended. */
  ready: Promise<void>;
  /** Resolves when the process has ended, or could not be started. */
  ended: Promise<void>;
}

/** Creates the supervisor; starts a worker at once if documents are open from before. */
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
  // Every waiting request adds a listener.
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
    // Documents that the worker did not release itself need not wait until its heartbeat is stale.
    documents.abandon(id).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'Documents of an ended worker are not released yet.');
    });
    if (isStopping) return;
    const { exitCode, signalCode } = child;
    log.error({ exitCode, signalCode }, 'The document worker ended.');
    if (performance.now() - startedAtMs >= LASTED_MS) delayMs = RESTART_AFTER_MS.first;
    restart = setTimeout(() => {
      restart = undefined;
      void startIfNeeded();
    }, delayMs);
    delayMs = Math.min(delayMs * 2, RESTART_AFTER_MS.longest);
  }

  async function startIfNeeded(): Promise<void> {
    // If the database cannot be queried now, it may well hold documents.
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
      // After a worker's end, a restart is scheduled, and it checks for documents itself.
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
    // The process could not be started, or a message could not be sent.
    child.on('error', (error) => {
      log.error({ error: error.message }, 'The document worker cannot be reached.');
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
