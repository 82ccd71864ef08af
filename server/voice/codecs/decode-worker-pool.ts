/**
 * The main thread's side: worker threads, and which stream is on which. A worker that crashes, or
 * does not come back from a decode, is ended with the streams it has; the next stream gets a new one.
 */
import type { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import type {
  DecodeAnswer,
  StreamParameters,
  WorkerMessage,
  WorkerRequest,
} from './decode-messages.ts';

/** Starting includes compiling libopus, and in development TypeScript, on a machine that may be busy. */
const STARTUP_LIMIT_MS = 30_000;

export interface StreamEvents {
  answered(answer: DecodeAnswer): void;
  /** Nothing more comes from the stream's worker. */
  failed(error: ServiceError): void;
}

/** A stream's place on a worker. */
export interface DecodeSlot {
  /**
   * Decodes some chunks; a stream has one request at a time in flight.
   *
   * @param bytes the chunks one after the other; given away
   */
  decode(bytes: ArrayBuffer, chunkSizesBytes: number[], isLast: boolean): void;
  /** Frees the decoder and the place; no event follows. */
  free(): void;
}

export interface DecodeWorkerPool {
  /** @throws ServiceError too_many_sessions when all workers are full, stopping when closed */
  open(parameters: StreamParameters, events: StreamEvents): DecodeSlot;
  close(): Promise<void>;
}

export interface DecodeWorkerPoolOptions {
  log: Logger;
  startWorker: () => Worker;
  decodersPerWorker: number;
  maxWorkers: number;
  watchdogMs: number;
}

export function createDecodeWorkerPool(options: DecodeWorkerPoolOptions): DecodeWorkerPool {
  const { decodersPerWorker, maxWorkers } = options;
  const workers = new Set<PooledWorker>();
  const ending = new Set<Promise<unknown>>();
  let lastStreamId = 0;
  let isClosed = false;

  function startPooledWorker(): PooledWorker {
    const pooled = new PooledWorker({
      ...options,
      onEnd(terminated) {
        workers.delete(pooled);
        ending.add(terminated);
        void terminated.finally(() => ending.delete(terminated));
      },
    });
    workers.add(pooled);
    return pooled;
  }

  function workerWithRoom(): PooledWorker {
    for (const worker of workers) {
      if (!worker.isRetired && worker.streamCount < decodersPerWorker) return worker;
    }
    if (workers.size >= maxWorkers) {
      throw new ServiceError('too_many_sessions', 'No audio decoder is free. Please try again.');
    }
    return startPooledWorker();
  }

  return {
    open(parameters, events) {
      if (isClosed) throw stopping();
      lastStreamId += 1;
      return workerWithRoom().open(lastStreamId, parameters, events);
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

class PooledWorker {
  /** Gets no new streams, and ends with its last one. */
  isRetired = false;
  readonly #worker: Worker;
  readonly #log: Logger;
  readonly #onEnd: (terminated: Promise<unknown>) => void;
  readonly #watchdog: Watchdog;
  readonly #streams = new Map<number, StreamEvents>();
  #hasEnded = false;

  constructor({
    log,
    startWorker,
    watchdogMs,
    onEnd,
  }: DecodeWorkerPoolOptions & { onEnd: (terminated: Promise<unknown>) => void }) {
    this.#log = log;
    this.#onEnd = onEnd;
    this.#watchdog = createWatchdog(watchdogMs, () => {
      this.#fail('A decoder did not come back; its worker is ended.', {});
    });
    this.#worker = startWorker();
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message));
    this.#worker.on('error', (error) => {
      this.#fail('A decoding worker crashed.', { error: String(error) });
    });
    this.#worker.on('exit', (exitCode) => {
      this.#fail('A decoding worker exited.', { exitCode });
    });
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  open(streamId: number, parameters: StreamParameters, events: StreamEvents): DecodeSlot {
    this.#streams.set(streamId, events);
    let isOpened = false;
    return {
      decode: (bytes, chunkSizesBytes, isLast) => {
        const open = isOpened ? {} : { open: parameters };
        isOpened = true;
        this.#watchdog.asked();
        this.#post({ kind: 'decode', streamId, ...open, bytes, chunkSizesBytes, isLast }, [bytes]);
      },
      free: () => {
        if (!this.#streams.delete(streamId) || this.#hasEnded) return;
        this.#post({ kind: 'free', streamId });
        if (this.isRetired && this.#streams.size === 0) this.end(stopping());
      },
    };
  }

  /** Ends the worker; the streams that are on it fail with the error. */
  end(error: ServiceError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#watchdog.stop();
    this.#onEnd(this.#worker.terminate());
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of streams) stream.failed(error);
  }

  #post(request: WorkerRequest, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, transfer);
  }

  #receive(message: WorkerMessage): void {
    if (message.kind === 'ready') {
      this.#watchdog.started();
      return;
    }
    this.#watchdog.answered();
    const { failure } = message;
    if (failure?.cause !== undefined) {
      this.#log.error({ cause: failure.cause }, 'A decoder failed.');
      this.isRetired ||= failure.retires;
    }
    this.#streams.get(message.streamId)?.answered(message);
  }

  #fail(what: string, fields: object): void {
    if (this.#hasEnded) return;
    this.#log.error({ ...fields, streams: this.#streams.size }, what);
    this.end(
      new ServiceError(
        'decoder_failed',
        'The audio decoder stopped working. Please start a new session.',
      ),
    );
  }
}

interface Watchdog {
  /** The worker is ready for requests; until then it may take {@link STARTUP_LIMIT_MS}. */
  started(): void;
  asked(): void;
  answered(): void;
  stop(): void;
}

/**
 * Calls `bark` when a worker that owes answers has given none for `limitMs` (up to 1.5 times that).
 * Looks twice per limit and barks at the second look in vain: if it was this thread that stood
 * still, the answers that waited meanwhile are read between the two looks.
 */
function createWatchdog(limitMs: number, bark: () => void): Watchdog {
  const periodMs = limitMs / 2;
  let allowedLooks = Math.ceil(STARTUP_LIMIT_MS / periodMs);
  let looks = 0;
  let owed = 0;
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    looks += 1;
    if (looks > allowedLooks) bark();
  }
  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }
  return {
    started() {
      allowedLooks = 2;
      looks = 0;
    },
    asked() {
      owed += 1;
      if (timer !== undefined) return;
      looks = 0;
      timer = setInterval(look, periodMs);
    },
    answered() {
      owed -= 1;
      looks = 0;
      if (owed === 0) stop();
    },
    stop,
  };
}
