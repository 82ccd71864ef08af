/**
 * The server's side of work in worker threads or processes: which stream is on which. A worker that
 * crashes, or does not come back, is ended with the streams it has; the next stream gets a new one.
 */
import { once, type EventEmitter } from 'node:events';
import { ServiceError } from '../../shared/errors.ts';
import { forkChild } from './children.ts';
import { endWithParent, SYSTEM_PATH, type Containment, type Uncontained } from './containment.ts';
import type { Logger } from './log.ts';
import { HangWatch, LimitWatch, type ProcessLimits } from './supervision.ts';

/**
 * A worker thread, or a process that is asked and ended in the same way. Emits `message`, `error` and,
 * with its code, `exit`.
 */
export interface PoolWorker extends Pick<EventEmitter, 'on'> {
  /** Of a process. */
  readonly pid?: number | undefined;
  postMessage(message: object, transfer?: readonly ArrayBuffer[]): void;
  /** Resolves when it is gone. */
  terminate(): Promise<unknown>;
}

/** Sent by a worker once, when it is about to take requests. */
export interface ReadyNotice {
  kind: 'ready';
}

/** Sent to a worker: the stream is of no interest any more. Not answered. */
export interface FreeRequest {
  kind: 'free';
  streamId: number;
}

export interface WorkerStreamEvents<Answer> {
  answered(answer: Answer): void;
  /** Nothing more comes from the stream's worker. */
  failed(error: ServiceError): void;
}

/** A stream's place on a worker. */
export interface WorkerPlace<Request> {
  readonly streamId: number;
  /** @param request answered once, unless its worker fails */
  ask(request: Request, transfer: ArrayBuffer[]): void;
  /** Frees what the worker has of the stream, and the place; no event follows. Safe to call again. */
  free(): void;
}

export interface WorkerPool<Request, Answer> {
  /** @throws ServiceError too_many_sessions when all workers are full, stopping when closed */
  open(events: WorkerStreamEvents<Answer>): WorkerPlace<Request>;
  /** Ends all workers, whose streams fail with `stopping`. */
  close(): Promise<void>;
}

export interface WorkerPoolOptions<Answer> {
  log: Logger;
  /** Begins what is logged: `A decoding worker`. */
  workerName: string;
  startWorker: () => PoolWorker;
  /** Streams a worker takes at most. */
  streamsPerWorker: number;
  /** Streams a worker takes before the next one is started. */
  comfortableStreams: number;
  maxWorkers: number;
  /** A worker that owes answers and hangs for so long, see {@link HangWatch}, is ended. */
  watchdogMs: number;
  /** What a stream is refused with when all workers are full. */
  full: () => ServiceError;
  /** What the streams of a worker fail with that has died by itself, or was ended because it hung. */
  broken: () => ServiceError;
  /**
   * Sees every answer, of streams that have been freed as well.
   *
   * @returns whether the worker gets no new streams and ends with its last one
   */
  isLastStraw: (answer: Answer) => boolean;
}

/** Starting includes compiling WebAssembly, and in development TypeScript, on a machine that may be busy. */
const STARTUP_LIMIT_MS = 30_000;

interface StreamRequest {
  streamId: number;
}

export function createWorkerPool<Request extends StreamRequest, Answer extends StreamRequest>(
  options: WorkerPoolOptions<Answer>,
): WorkerPool<Request, Answer> {
  const { streamsPerWorker, comfortableStreams, maxWorkers } = options;
  const workers = new Set<PooledWorker<Request, Answer>>();
  const ending = new Set<Promise<unknown>>();
  let lastStreamId = 0;
  let isClosed = false;

  function startPooledWorker(): PooledWorker<Request, Answer> {
    const pooled = new PooledWorker<Request, Answer>(options, (terminated) => {
      workers.delete(pooled);
      ending.add(terminated);
      void terminated.finally(() => ending.delete(terminated));
    });
    workers.add(pooled);
    return pooled;
  }

  function workerWithRoom(): PooledWorker<Request, Answer> {
    let idlest: PooledWorker<Request, Answer> | undefined;
    for (const worker of workers) {
      const isIdler = worker.streamCount < (idlest?.streamCount ?? streamsPerWorker);
      if (!worker.isRetired && isIdler) idlest = worker;
    }
    const isComfortable = (idlest?.streamCount ?? Infinity) < comfortableStreams;
    if (idlest !== undefined && (isComfortable || workers.size >= maxWorkers)) return idlest;
    if (workers.size >= maxWorkers) throw options.full();
    return startPooledWorker();
  }

  return {
    open(events) {
      if (isClosed) throw stopping();
      lastStreamId += 1;
      return workerWithRoom().open(lastStreamId, events);
    },
    async close() {
      isClosed = true;
      for (const worker of workers) worker.end(stopping());
      await Promise.all(ending);
    },
  };
}

function stopping(): ServiceError {
  return new ServiceError('stopping', 'The server is stopping. Please start a new session.');
}

class PooledWorker<Request extends StreamRequest, Answer extends StreamRequest> {
  #isRetired = false;
  #hasEnded = false;
  readonly #options: WorkerPoolOptions<Answer>;
  readonly #onEnd: (terminated: Promise<unknown>) => void;
  #patience: HangWatch;
  #owed = 0;
  readonly #worker: PoolWorker;
  readonly #streams = new Map<number, WorkerStreamEvents<Answer>>();

  constructor(options: WorkerPoolOptions<Answer>, onEnd: (terminated: Promise<unknown>) => void) {
    this.#options = options;
    this.#onEnd = onEnd;
    this.#worker = options.startWorker();
    this.#patience = this.#hangAfter(STARTUP_LIMIT_MS);
    this.#worker.on('message', (message: Answer | ReadyNotice) => this.#receive(message));
    this.#worker.on('error', (error: unknown) => this.#fail('crashed', { error: String(error) }));
    this.#worker.on('exit', (exitCode: number) => this.#fail('exited', { exitCode }));
  }

  /** Gets no new streams, and ends with its last one. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  open(streamId: number, events: WorkerStreamEvents<Answer>): WorkerPlace<Request> {
    this.#streams.set(streamId, events);
    return {
      streamId,
      ask: (request, transfer) => {
        // Who asks has been told that the stream has failed, or has freed it.
        if (!this.#streams.has(streamId)) return;
        this.#owed += 1;
        if (!this.#patience.isOn) this.#patience.start();
        this.#worker.postMessage(request, transfer);
      },
      free: () => {
        if (!this.#streams.delete(streamId) || this.#hasEnded) return;
        this.#worker.postMessage({ kind: 'free', streamId } satisfies FreeRequest);
        if (this.#isRetired && this.#streams.size === 0) this.end(stopping());
      },
    };
  }

  /** Ends the worker; the streams that are on it fail with the error. */
  end(error: ServiceError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#patience.stop();
    this.#onEnd(this.#worker.terminate());
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of streams) stream.failed(error);
  }

  #receive(message: Answer | ReadyNotice): void {
    if (!('streamId' in message)) {
      this.#patience.stop();
      this.#patience = this.#hangAfter(this.#options.watchdogMs);
      if (this.#owed > 0) this.#patience.start();
      return;
    }
    this.#owed -= 1;
    if (this.#owed === 0) this.#patience.stop();
    else this.#patience.start();
    this.#isRetired ||= this.#options.isLastStraw(message);
    this.#streams.get(message.streamId)?.answered(message);
  }

  #hangAfter(timeoutMs: number): HangWatch {
    const { pid } = this.#worker;
    const onHang = () => this.#fail('did not come back and is ended', {});
    return new HangWatch({ pid, timeoutMs, onHang });
  }

  #fail(what: string, fields: object): void {
    if (this.#hasEnded) return;
    const { log, workerName, broken } = this.#options;
    log.error({ ...fields, streams: this.#streams.size }, `${workerName} ${what}.`);
    this.end(broken());
  }
}

// A process in place of a worker thread: one that is contained, needs flags of its own, or whose memory is
// to go back when it ends.

export interface WorkerProcessOptions {
  /** Without it the process may do what the server may. */
  containment?: Containment;
  /** Flags of Node. */
  execArgv: readonly string[];
  env?: Record<string, string>;
  /** It is ended when it takes more; `onExceeded` is told of what. */
  limits?: ProcessLimits & { onExceeded: (what: string) => void };
}

/** What it is started with: its argument. */
interface WorkerArguments {
  uncontained?: Uncontained;
}

/**
 * Starts a module, which calls {@link serveAsWorker}. What it writes is dropped.
 *
 * @param importMetaUrl `import.meta.url` of the caller
 * @param name path of the module relative to the caller, without extension: `./decode-child`
 */
export function startWorkerProcess(
  importMetaUrl: string,
  name: string,
  { containment, execArgv, env, limits }: WorkerProcessOptions,
): PoolWorker {
  const isContained = containment !== undefined && containment.lack === undefined;
  const args: WorkerArguments = isContained ? {} : { uncontained: { parentPid: process.pid } };
  const child = forkChild(importMetaUrl, name, {
    ...{ args: [JSON.stringify(args)], execArgv, env: { PATH: SYSTEM_PATH, ...env } },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    detached: true,
    ...(containment === undefined ? {} : { wrap: containment.wrap }),
  });
  const gone = once(child, 'close').catch(() => undefined);
  const end = () => {
    if (containment === undefined) child.kill('SIGKILL');
    else containment.kill(child);
  };
  const watch = limits && watchLimits(child.pid, limits, end);
  if (watch !== undefined) child.on('message', () => watch.answered());
  child.once('exit', () => watch?.stop());
  return {
    pid: child.pid,
    on: child.on.bind(child),
    postMessage(message) {
      watch?.asked();
      // A channel that has just been closed shows as the end of the process.
      child.send(message, () => undefined);
    },
    terminate() {
      end();
      return gone;
    },
  };
}

function watchLimits(
  pid: number | undefined,
  { onExceeded, ...limits }: NonNullable<WorkerProcessOptions['limits']>,
  end: () => void,
): LimitWatch | undefined {
  if (pid === undefined) return undefined;
  return new LimitWatch({
    pid,
    limits,
    onExceeded(what) {
      onExceeded(what);
      end();
    },
  });
}

/** Where a worker gets requests and posts answers: a thread's `parentPort`, or a process's channel. */
export interface WorkerPort<Request, Answer> {
  on(event: 'message', listener: (request: Request) => void): unknown;
  postMessage(answer: Answer, transfer?: readonly ArrayBuffer[]): void;
}

/** In the process: its port. It ends with its parent. */
export function serveAsWorker<Request, Answer>(): WorkerPort<Request, Answer> {
  const { uncontained } = JSON.parse(process.argv[2] ?? '{}') as WorkerArguments;
  endWithParent(uncontained);
  return {
    on: (event, listener) => process.on(event, listener),
    postMessage: (answer) => process.send?.(answer),
  };
}
