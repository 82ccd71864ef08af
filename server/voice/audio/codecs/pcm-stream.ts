/** Samples that are what is wanted already: handed on, and not copied unless a chunk ends inside a sample. */
import { MEDIA_GAP, UTTERANCE_END, type MediaPiece } from '../media.ts';
import { chunkTooLarge, MAX_CHUNK_MS } from './decodable-formats.ts';
import { createSampleAligner } from './sample-aligner.ts';

const BYTES_PER_SAMPLE = 2;

export interface PcmStreamOptions {
  media: AsyncIterable<MediaPiece>;
  sampleRateHz: number;
  signal: AbortSignal;
}

/**
 * @throws ServiceError chunk_too_large; what the source gave; the signal's reason, even while the
 *   next chunk is awaited
 */
export function passThrough(options: PcmStreamOptions): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new PcmStream(options) };
}

type Step = IteratorResult<Uint8Array, undefined>;
const done: Step = { done: true, value: undefined };

/** Written by hand: one promise a chunk instead of the eight of nested generators. */
class PcmStream implements AsyncIterator<Uint8Array, undefined> {
  readonly #options: PcmStreamOptions;
  readonly #maxBytes: number;
  #source: AsyncIterator<MediaPiece> | undefined;
  #align = createSampleAligner();
  #isOver = false;
  #resolve: ((step: Step) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;
  // Made once: they are called for every chunk.
  readonly #arrived = (step: IteratorResult<MediaPiece>) => this.#take(step);
  readonly #failed = (error: unknown) => this.#end(error);
  readonly #abort = () => this.#end(this.#options.signal.reason);
  readonly #await = (resolve: (step: Step) => void, reject: (error: unknown) => void) => {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#ask();
  };

  constructor(options: PcmStreamOptions) {
    this.#options = options;
    this.#maxBytes = (MAX_CHUNK_MS * BYTES_PER_SAMPLE * options.sampleRateHz) / 1000;
  }

  next(): Promise<Step> {
    if (this.#isOver) return Promise.resolve(done);
    return new Promise(this.#await);
  }

  async return(): Promise<Step> {
    this.#close();
    this.#resolve?.(done);
    return done;
  }

  #ask(): void {
    const { media, signal } = this.#options;
    if (signal.aborted) {
      this.#end(signal.reason);
      return;
    }
    if (this.#source === undefined) {
      signal.addEventListener('abort', this.#abort, { once: true });
      this.#source = media[Symbol.asyncIterator]();
    }
    this.#source.next().then(this.#arrived, this.#failed);
  }

  #take(step: IteratorResult<MediaPiece>): void {
    if (this.#isOver) return;
    if (step.done === true) {
      this.#close();
      this.#resolve?.(done);
      return;
    }
    if (step.value === MEDIA_GAP) {
      // The next byte is the first of a sample.
      this.#align = createSampleAligner();
      this.#ask();
      return;
    }
    if (step.value === UTTERANCE_END) {
      this.#resolve?.({ done: false, value: UTTERANCE_END });
      return;
    }
    if (step.value.length > this.#maxBytes) {
      this.#end(chunkTooLarge());
      return;
    }
    const samples = this.#align(step.value);
    if (samples.length > 0) this.#resolve?.({ done: false, value: samples });
    else this.#ask();
  }

  #end(error: unknown): void {
    this.#close();
    this.#reject?.(error);
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.signal.removeEventListener('abort', this.#abort);
    // Not awaited: a generator that waits for its next chunk returns only when that has come.
    void this.#source?.return?.().catch(() => undefined);
  }
}
