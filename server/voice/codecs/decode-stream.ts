/** One stream on its way through a worker: chunks there, samples back, both bounded. */
import { ServiceError } from '../../../shared/errors.ts';
import { createChannel, type Channel } from '../streams.ts';
import type { DecodeAnswer, StreamParameters } from './decode-messages.ts';
import type { DecodeSlot, DecodeWorkerPool } from './decode-worker-pool.ts';

/** Chunks that wait for the request in flight to be answered, and go together in the next one. */
const MAX_WAITING_CHUNKS = 16;
const MAX_WAITING_BYTES = 64 * 1024;
/** Answers the consumer has not read yet; with as many, nothing more is decoded. */
const MAX_UNREAD_PIECES = 4;

export interface WorkerDecodingOptions extends StreamParameters {
  media: AsyncIterable<Uint8Array>;
  signal: AbortSignal;
  /** Told how long each chunk plays before its samples can be read; what it throws ends the stream. */
  meter: ((durationMs: number) => void) | undefined;
  pool: DecodeWorkerPool;
}

/**
 * Decodes a stream on a worker. Reads the source ahead of its consumer, by the bounds above.
 *
 * @throws ServiceError as of the pool and the decoders; what the source, the meter or the signal gave
 */
export async function* decodeOnWorker(options: WorkerDecodingOptions): AsyncGenerator<Uint8Array> {
  const { media, signal } = options;
  signal.throwIfAborted();
  const flow = new DecodeFlow(options);
  const source = media[Symbol.asyncIterator]();
  const abort = () => flow.fail(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  void pump(source, flow);
  try {
    yield* flow.pieces;
  } finally {
    signal.removeEventListener('abort', abort);
    flow.stop();
    // Not awaited: a generator that waits for its next chunk returns only when that has come.
    void source.return?.().catch(() => undefined);
  }
}

async function pump(source: AsyncIterator<Uint8Array>, flow: DecodeFlow): Promise<void> {
  try {
    for (;;) {
      await flow.room();
      if (flow.isStopped) return;
      const step = await source.next();
      if (step.done === true) {
        flow.finish();
        return;
      }
      flow.send(step.value);
    }
  } catch (error) {
    flow.fail(error);
  }
}

class DecodeFlow {
  readonly pieces: Channel<Uint8Array>;
  isStopped = false;
  readonly #slot: DecodeSlot;
  readonly #meter: WorkerDecodingOptions['meter'];
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isInFlight = false;
  #isSourceDone = false;
  #isLastSent = false;
  #wakePump: (() => void) | undefined;

  constructor({ pool, format, sampleRateHz, meter }: WorkerDecodingOptions) {
    this.#meter = meter;
    this.pieces = createChannel(() => this.#proceed());
    this.#slot = pool.open(
      { format, sampleRateHz },
      { answered: (answer) => this.#receive(answer), failed: (error) => this.fail(error) },
    );
  }

  /** Resolves when a chunk may be read from the source. */
  async room(): Promise<void> {
    while (!this.isStopped && !this.#hasRoom()) {
      await new Promise<void>((resolve) => (this.#wakePump = resolve));
    }
  }

  /** Takes a chunk; it must not be changed any more. */
  send(chunk: Uint8Array): void {
    if (this.isStopped) return;
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#proceed();
  }

  /** The source has ended. */
  finish(): void {
    this.#isSourceDone = true;
    this.#proceed();
  }

  /** The consumer gets what is decoded already, then this error. */
  fail(error: unknown): void {
    this.pieces.fail(error);
    this.stop();
  }

  /** Frees everything; nothing more is read or decoded. */
  stop(): void {
    if (this.isStopped) return;
    this.isStopped = true;
    this.#slot.free();
    this.#waiting = [];
    this.#wakePump?.();
  }

  #hasRoom(): boolean {
    return this.#waiting.length < MAX_WAITING_CHUNKS && this.#waitingBytes < MAX_WAITING_BYTES;
  }

  /** Sends what waits when the request before is answered and the consumer keeps up. */
  #proceed(): void {
    const hasWork = this.#waiting.length > 0 || (this.#isSourceDone && !this.#isLastSent);
    if (this.isStopped || this.#isInFlight || !hasWork) return;
    if (this.pieces.size >= MAX_UNREAD_PIECES) return;
    // A buffer of just this size of our own: transferring a view would copy the pool it lies in.
    const bytes = new Uint8Array(this.#waitingBytes);
    const chunkSizesBytes: number[] = [];
    let offset = 0;
    for (const chunk of this.#waiting) {
      bytes.set(chunk, offset);
      chunkSizesBytes.push(chunk.length);
      offset += chunk.length;
    }
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#isInFlight = true;
    this.#isLastSent = this.#isSourceDone;
    this.#slot.decode(bytes.buffer, chunkSizesBytes, this.#isLastSent);
    this.#wakePump?.();
  }

  #receive({ pcm, durationsMs, failure }: DecodeAnswer): void {
    this.#isInFlight = false;
    try {
      for (const durationMs of durationsMs) this.#meter?.(durationMs);
    } catch (error) {
      this.fail(error);
      return;
    }
    if (pcm.byteLength > 0) this.pieces.push(new Uint8Array(pcm));
    if (failure !== undefined) {
      this.fail(new ServiceError(failure.code, failure.message));
    } else if (this.#isLastSent) {
      this.pieces.end();
      this.stop();
    } else {
      this.#proceed();
    }
  }
}
