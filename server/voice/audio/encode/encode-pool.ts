/** The main thread's side of encoding: worker threads, and which stream is on which. */
import type { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../../shared/errors.ts';
import type { TargetMediaFormat } from '../../../../shared/target-media-type.ts';
import type { Logger } from '../../../process/log.ts';
import { createWorkerPool, type WorkerPlace, type WorkerPool } from '../../../process/index.ts';
import { unpackPieces, type EncodeAnswer, type EncodeRequest } from './encode-messages.ts';
import type { EncodedPiece } from './packet.ts';

/** A stream's place on a worker; one call at a time. */
export interface EncodeSlot {
  /** The headers of the stream. */
  readonly headers: readonly Uint8Array[];
  /** @param samples given away */
  encode(samples: ArrayBuffer, sampleRateHz: number): Promise<EncodedPiece[]>;
  flush(): Promise<EncodedPiece[]>;
  /** Frees the encoder and the place; a call under way fails with the reason. Safe to call again. */
  free(reason: unknown): void;
}

export interface EncodePool {
  /** @throws ServiceError too_many_sessions when all workers are full, synthesis_failed, stopping */
  open(format: TargetMediaFormat): Promise<EncodeSlot>;
  close(): Promise<void>;
}

export interface EncodePoolOptions {
  log: Logger;
  startWorker: () => Worker;
  streamsPerWorker: number;
  maxWorkers: number;
  /** See {@link createWorkerPool}. */
  watchdogMs: number;
}

export function createEncodePool(options: EncodePoolOptions): EncodePool {
  const pool = createWorkerPool<EncodeRequest, EncodeAnswer>({
    ...options,
    workerName: 'An encoding worker',
    comfortableStreams: options.streamsPerWorker,
    full: () =>
      new ServiceError('too_many_sessions', 'No speech encoder is free. Please try again.'),
    broken: failed,
    isLastStraw({ failure }) {
      if (failure !== undefined) options.log.error({ failure }, 'A speech encoder failed.');
      return false;
    },
  });
  return {
    async open(format) {
      const calls = new EncodeCalls(pool);
      const { streamId } = calls;
      const headers = await calls.ask({ kind: 'open', streamId, format });
      return {
        headers: headers.map(({ data }) => data),
        encode: (samples, sampleRateHz) =>
          calls.ask({ kind: 'encode', streamId, samples, sampleRateHz }, [samples]),
        flush: () => calls.ask({ kind: 'flush', streamId }),
        free: (reason) => calls.end(reason),
      };
    },
    close: () => pool.close(),
  };
}

function failed(): ServiceError {
  return new ServiceError(
    'synthesis_failed',
    'The speech could not be encoded because of a fault on our side. Please start a new session.',
  );
}

/** What a stream asks of its worker, answer by answer. */
class EncodeCalls {
  readonly #place: WorkerPlace<EncodeRequest>;
  /** The call that is under way. */
  #call: { answered(pieces: EncodedPiece[]): void; failed(reason: unknown): void } | undefined;
  #isOver = false;

  constructor(pool: WorkerPool<EncodeRequest, EncodeAnswer>) {
    this.#place = pool.open({
      answered: ({ pieces, failure }) => {
        if (failure === undefined) this.#call?.answered(unpackPieces(pieces));
        else this.end(failed());
      },
      failed: (error) => this.end(error),
    });
  }

  get streamId(): number {
    return this.#place.streamId;
  }

  /** @throws ServiceError synthesis_failed, stopping; what {@link end} was given meanwhile */
  async ask(request: EncodeRequest, transfer: ArrayBuffer[] = []): Promise<EncodedPiece[]> {
    if (this.#isOver) throw failed();
    try {
      return await new Promise<EncodedPiece[]>((answered, reject) => {
        this.#call = { answered, failed: reject };
        this.#place.ask(request, transfer);
      });
    } finally {
      this.#call = undefined;
    }
  }

  /** Frees the place; the call under way fails with the reason. */
  end(reason: unknown): void {
    this.#isOver = true;
    this.#place.free();
    this.#call?.failed(reason);
  }
}
