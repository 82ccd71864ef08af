/** The server's side of decoding: worker processes, and which stream is on which. */
import { ServiceError } from '../../../../shared/errors.ts';
import type { Logger } from '../../../process/log.ts';
import {
  createWorkerPool,
  type PoolWorker,
  type WorkerStreamEvents,
} from '../../../process/index.ts';
import type { DecodeAnswer, DecodeRequest, StreamParameters } from './decode-messages.ts';

/**
 * Streams a worker takes before the next one is started: what a core decodes without getting warm.
 * Beyond it the workers share the streams, up to `decodersPerWorker` each.
 */
const COMFORTABLE_STREAMS = 48;

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
  open(parameters: StreamParameters, events: WorkerStreamEvents<DecodeAnswer>): DecodeSlot;
  close(): Promise<void>;
}

export interface DecodeWorkerPoolOptions {
  log: Logger;
  startWorker: () => PoolWorker;
  decodersPerWorker: number;
  maxWorkers: number;
  /** See {@link createWorkerPool}. */
  watchdogMs: number;
}

export function createDecodeWorkerPool({
  decodersPerWorker,
  ...options
}: DecodeWorkerPoolOptions): DecodeWorkerPool {
  const pool = createWorkerPool<DecodeRequest, DecodeAnswer>({
    ...options,
    workerName: 'A decoding process',
    streamsPerWorker: decodersPerWorker,
    comfortableStreams: COMFORTABLE_STREAMS,
    full: () =>
      new ServiceError('too_many_sessions', 'No audio decoder is free. Please try again.'),
    broken: () =>
      new ServiceError(
        'decoder_failed',
        'The audio decoder stopped working. Please start a new session.',
      ),
    isLastStraw({ failure }) {
      if (failure?.cause === undefined) return false;
      options.log.error({ cause: failure.cause }, 'A decoder failed.');
      return failure.retires;
    },
  });
  return {
    open(parameters, events) {
      const place = pool.open(events);
      const { streamId } = place;
      let isOpened = false;
      return {
        decode(bytes, chunkSizesBytes, isLast) {
          const open = isOpened ? {} : { open: parameters };
          isOpened = true;
          const request = {
            kind: 'decode' as const,
            streamId,
            ...open,
            bytes,
            chunkSizesBytes,
            isLast,
          };
          place.ask(request, [bytes]);
        },
        free: () => place.free(),
      };
    },
    close: () => pool.close(),
  };
}
