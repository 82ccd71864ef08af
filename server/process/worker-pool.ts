/**
 * The server's side of worker threads and processes: assigns streams to workers. A worker that
 * crashes or hangs is ended together with its streams; the next stream gets a new worker.
 */
import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import { ServiceError } from '../../shared/errors.ts';
import { forkChild, FrameBatch, FrameReader } from './children.ts';
import { endWithParent, SYSTEM_PATH, type Containment, type Uncontained } from './containment.ts';
import type { Logger } from './log.ts';
import { HangWatch, LimitWatch, type ProcessLimits } from './supervision.ts';

/**
 * A worker thread, or a process with the same interface. Emits `message`, `error` and, with its
 * code, `exit`.
 */
export interface PoolWorker extends Pick<EventEmitter, 'on'> {
  /** Set for processes only. */
  readonly pid?: number | undefined;
  postMessage(message: object, transfer?: readonly ArrayBuffer[]): void;
  /** Resolves when the worker has ended. */
  terminate(): Promise<unknown>;
}

/** Sent by a worker once, when it is ready for requests. */
export interface ReadyNotice {
  kind: 'ready';
}

/** Sent to a worker to release a stream. Not answered. */
export interface FreeRequest {
  kind: 'free';
  streamId: number;
}

export interface WorkerStreamEvents<Answer> {
  answered(answer: Answer): void;
  /** The worker has failed; no further event follows. */
  failed(error: ServiceError): void;
}

/** A stream's slot on a worker. */
export interface WorkerPlace<Request> {
  readonly streamId: number;
  /** @param request answered once, unless the worker fails */
  ask(request: Request, transfer?: ArrayBuffer[]): void;
  /** Releases the stream's state on the worker, and the slot; no event follows. Safe to call again. */
  free(): void;
}

export interface WorkerPool<Request, Answer> {
  /** Starts a worker if none is running, so that the first stream need not wait. */
  prepare(): void;
  /** @throws ServiceError too_many_sessions when all workers are full, stopping when closed */
  open(events: WorkerStreamEvents<Answer>): WorkerPlace<Request>;
  /** Ends all workers; their streams fail with `stopping`. */
  close(): Promise<void>;
}

export interface WorkerPoolOptions<Answer> {
  log: Logger;
  /** Subject of log messages: `A decoding worker`. */
  workerName: string;
  startWorker: () => PoolWorker;
  /** Maximum number of streams per worker. */
  streamsPerWorker: number;
  /** Number of streams per worker from which another worker is started. */
  comfortableStreams: number;
  maxWorkers: number;
  /**
   * Timeout after which a worker that owes answers counts as hanging and is ended, in ms; see
   * {@link HangWatch}.
   */
  watchdogMs: number;
  /** Makes the error for a stream that finds all workers full. */
  full: () => ServiceError;
  /** Makes the error for the streams of a worker that crashed or was ended because it hung. */
  broken: () => ServiceError;
  /**
   * Inspects every answer, even of freed streams.
   *
   * @returns whether to retire the worker: it gets no new streams and ends with its last one
   */
  shouldRetireAfter: (answer: Answer) => boolean;
}

/** Includes compiling WebAssembly and, in development, TypeScript on a machine that may be busy; in ms. */
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
    prepare() {
      if (workers.size === 0 && !isClosed) startPooledWorker();
    },
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

  /** A retired worker gets no new streams and ends with its last one. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  open(streamId: number, events: WorkerStreamEvents<Answer>): WorkerPlace<Request> {
    this.#streams.set(streamId, events);
    return new PooledPlace(this, streamId);
  }

  ask(request: Request, transfer?: ArrayBuffer[]): void {
    this.#owed += 1;
    if (!this.#patience.isOn) this.#patience.start();
    this.#worker.postMessage(request, transfer);
  }

  free(streamId: number): void {
    this.#streams.delete(streamId);
    this.#worker.postMessage({ kind: 'free', streamId } satisfies FreeRequest);
    if (this.#isRetired && this.#streams.size === 0) this.end(stopping());
  }

  /** Ends the worker; its streams fail with the error. */
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
    this.#isRetired ||= this.#options.shouldRetireAfter(message);
    this.#streams.get(message.streamId)?.answered(message);
  }

  #hangAfter(timeoutMs: number): HangWatch {
    const { pid } = this.#worker;
    const onHang = () => this.#fail('hangs and is terminated', {});
    return new HangWatch({ pid, timeoutMs, onHang });
  }

  #fail(what: string, fields: object): void {
    if (this.#hasEnded) return;
    const { log, workerName, broken } = this.#options;
    log.error({ ...fields, streams: this.#streams.size }, `${workerName} ${what}.`);
    this.end(broken());
  }
}

class PooledPlace<
  Request extends StreamRequest,
  Answer extends StreamRequest,
> implements WorkerPlace<Request> {
  readonly streamId: number;
  readonly #worker: PooledWorker<Request, Answer>;
  #isFree = false;

  constructor(worker: PooledWorker<Request, Answer>, streamId: number) {
    this.#worker = worker;
    this.streamId = streamId;
  }

  ask(request: Request, transfer?: ArrayBuffer[]): void {
    // The stream was freed or has failed, and its owner knows.
    if (!this.#isFree && !this.#worker.hasEnded) this.#worker.ask(request, transfer);
  }

  free(): void {
    if (this.#isFree) return;
    this.#isFree = true;
    if (!this.#worker.hasEnded) this.#worker.free(this.streamId);
  }
}

// Processes in place of worker threads: for workers that are contained, need Node flags of their
// own, or must return their memory when they end.

export interface WorkerProcessOptions {
  /** Without it, the process has all rights of the server. */
  containment?: Containment;
  /** Command-line flags of Node. */
  execArgv: readonly string[];
  env?: Record<string, string>;
  /** The process is ended when it exceeds a limit; `onExceeded` receives its name. */
  limits?: ProcessLimits & { onExceeded: (what: string) => void };
}

/** The command-line argument of the process, as JSON. */
interface WorkerArguments {
  uncontained?: Uncontained;
}

/** Encoding of messages as frames on a pipe, where the serialisation of a channel would cost too much. */
export interface Wire<Message> {
  /** @param frame allocates a payload of a kind other than 0 */
  write(message: Message, frame: (kind: number, payloadBytes: number) => Buffer): void;
  /** @param payload must not be changed by the caller afterwards */
  read(kind: number, payload: Buffer): Message;
}

/** Kind of the frame that says that the worker is ready. */
const READY = 0;

/**
 * Starts a module that calls {@link serveAsWorker}. Its output is discarded.
 *
 * @param importMetaUrl `import.meta.url` of the caller
 * @param name path of the module relative to the caller, without extension: `./decode-child`
 * @param wires encodings of requests and answers, if they go over pipes
 */
export function startWorkerProcess<Request extends object, Answer extends object>(
  importMetaUrl: string,
  name: string,
  { containment, execArgv, env, limits }: WorkerProcessOptions,
  wires?: { requests: Wire<Request>; answers: Wire<Answer> },
): PoolWorker {
  const isContained = containment !== undefined && containment.lack === undefined;
  const args: WorkerArguments = isContained ? {} : { uncontained: { parentPid: process.pid } };
  const child = forkChild(importMetaUrl, name, {
    ...{ args: [JSON.stringify(args)], execArgv, env: { PATH: SYSTEM_PATH, ...env } },
    ...(wires === undefined
      ? { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced' }
      : { stdio: ['pipe', 'pipe', 'ignore'] }),
    detached: true,
    ...(containment === undefined ? {} : { wrap: containment.wrap }),
  });
  const gone = once(child, 'close').catch(() => undefined);
  const end = () => {
    if (containment === undefined) child.kill('SIGKILL');
    else containment.kill(child);
  };
  const watch = limits && watchLimits(child.pid, limits, end);
  child.once('exit', () => watch?.stop());
  const channel =
    wires === undefined
      ? messageChannel(child, () => watch?.answered())
      : pipedChannel(child, wires, { answered: () => watch?.answered(), end });
  return {
    pid: child.pid,
    on: channel.on,
    postMessage(message) {
      watch?.asked();
      channel.post(message);
    },
    terminate() {
      end();
      return gone;
    },
  };
}

interface Channel {
  on: PoolWorker['on'];
  post(message: object): void;
}

function messageChannel(child: ChildProcess, answered: () => void): Channel {
  child.on('message', answered);
  return {
    on: child.on.bind(child),
    // A channel that was just closed shows as the exit of the process.
    post: (message) => void child.send(message, () => undefined),
  };
}

function pipedChannel<Request extends object, Answer extends object>(
  child: ChildProcess,
  { requests, answers }: { requests: Wire<Request>; answers: Wire<Answer> },
  { answered, end }: { answered: () => void; end: () => void },
): Channel {
  const events = new EventEmitter();
  const { stdin, stdout } = child;
  for (const event of ['error', 'exit'] as const) {
    child.on(event, (...args: unknown[]) => events.emit(event, ...args));
  }
  if (stdin === null || stdout === null) throw new Error('A process was started without pipes.');
  const batch = new FrameBatch(stdin, createGathering());
  const frame = batch.add.bind(batch);
  stdin.on('error', () => undefined);
  const receive = (message: Answer | ReadyNotice) => {
    answered();
    events.emit('message', message);
  };
  readFrames(stdout, answers, receive, end);
  return {
    on: events.on.bind(events),
    post: (message) => requests.write(message as Request, frame),
  };
}

/**
 * Shortest interval between two writes, in ms; frames in between are batched. Negligible compared
 * with the length of an audio chunk.
 */
const GATHERED_MS = 8;

function createGathering(): (leave: () => void) => void {
  let leftAtMs = 0;
  return (leave) => {
    const nowMs = performance.now();
    const waitMs = leftAtMs + GATHERED_MS - nowMs;
    leftAtMs = nowMs + Math.max(0, waitMs);
    if (waitMs > 0) setTimeout(leave, waitMs);
    else setImmediate(leave);
  };
}

/** @param onNonsense called when the data are not frames, or cannot be decoded */
function readFrames<Message extends object>(
  stream: Readable,
  wire: Wire<Message>,
  onMessage: (message: Message | ReadyNotice) => void,
  onNonsense: () => void,
): void {
  const reader = new FrameReader((kind, payload) => {
    onMessage(kind === READY ? { kind: 'ready' } : wire.read(kind, payload));
  });
  stream.on('data', (chunk: Buffer) => {
    try {
      reader.push(chunk);
    } catch {
      onNonsense();
    }
  });
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

/** A worker's connection to its server: a thread's `parentPort`, or a process's channel. */
export interface WorkerPort<Request, Answer> {
  on(event: 'message', listener: (request: Request) => void): unknown;
  postMessage(answer: Answer, transfer?: readonly ArrayBuffer[]): void;
}

/**
 * Called in the worker process: returns its port. The process ends with its parent.
 *
 * @param wires the same as in the parent
 */
export function serveAsWorker<Request extends object, Answer extends object>(wires?: {
  requests: Wire<Request>;
  answers: Wire<Answer>;
}): WorkerPort<Request, Answer | ReadyNotice> {
  const { uncontained } = JSON.parse(process.argv[2] ?? '{}') as WorkerArguments;
  const end = endWithParent(uncontained);
  if (wires === undefined) {
    return {
      on: (event, listener) => process.on(event, listener),
      postMessage: (answer) => process.send?.(answer),
    };
  }
  const batch = new FrameBatch(process.stdout, queueMicrotask);
  const frame = batch.add.bind(batch);
  return {
    on: (_event, listener) => {
      readFrames(process.stdin, wires.requests, (message) => listener(message as Request), end);
      process.stdin.on('end', end);
    },
    postMessage: (answer) => {
      if (isReadyNotice(answer)) frame(READY, 0);
      else wires.answers.write(answer, frame);
    },
  };
}

function isReadyNotice(answer: { kind?: unknown }): answer is ReadyNotice {
  return answer.kind === 'ready';
}
