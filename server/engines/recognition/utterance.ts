/** The speech of one utterance, kept whole until its words are final. */
import { Change } from '../../process/concurrency.ts';
import { RECOGNITION_RATE_HZ } from '../engine.ts';

/** Samples in a millisecond of speech. */
const SAMPLES_PER_MS = RECOGNITION_RATE_HZ / 1000;
/** Room that an utterance begins with, in samples: four seconds; it doubles when it is full. */
const FIRST_ROOM = 4 * RECOGNITION_RATE_HZ;

/** Counts of samples. */
export interface ReadRequest {
  from: number;
  least: number;
  most: number;
  signal: AbortSignal;
}

/**
 * A growing utterance. Who reads it waits on `change` for more; samples that were given out stay as
 * they are.
 */
export class Utterance {
  /** Where it begins on the clock of the stream, in ms. */
  readonly startMs: number;
  readonly change = new Change();
  readonly #maxSamples: number;
  #samples: Int16Array;
  #bytes: Uint8Array;
  #sampleCount = 0;
  #isOver = false;
  #isCut = false;
  /** Up to where it was read; undefined until it is read as it grows. */
  #readUntil: number | undefined;

  constructor({ startMs, maxMs }: { startMs: number; maxMs: number }) {
    this.startMs = startMs;
    this.#maxSamples = maxMs * SAMPLES_PER_MS;
    this.#samples = new Int16Array(Math.min(FIRST_ROOM, this.#maxSamples));
    this.#bytes = new Uint8Array(this.#samples.buffer);
  }

  /** What was said so far: s16 at RECOGNITION_RATE_HZ; a view, not to be written to. */
  get samples(): Int16Array {
    return this.#samples.subarray(0, this.#sampleCount);
  }

  get sampleCount(): number {
    return this.#sampleCount;
  }

  get lengthMs(): number {
    return this.#sampleCount / SAMPLES_PER_MS;
  }

  /** How much of it was read, in ms; undefined when it is not read as it grows, or not yet. */
  get readMs(): number | undefined {
    return this.#readUntil === undefined ? undefined : this.#readUntil / SAMPLES_PER_MS;
  }

  /** Where it ends so far, in ms of the stream. */
  get endMs(): number {
    return this.startMs + this.lengthMs;
  }

  /** Whether nothing more will come. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether it has ended although speech goes on. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /**
   * Takes in s16le samples as far as there is room.
   *
   * @returns how many bytes it has taken, fewer than given when it is as long as it may be
   */
  append(piece: Uint8Array): number {
    const taken = Math.min(piece.byteLength >> 1, this.#maxSamples - this.#sampleCount);
    this.#makeRoom(this.#sampleCount + taken);
    this.#bytes.set(piece.subarray(0, taken * 2), this.#sampleCount * 2);
    this.#sampleCount += taken;
    this.change.notify();
    return taken * 2;
  }

  /** Nothing more will come. */
  end({ isCut = false } = {}): void {
    this.#isOver = true;
    this.#isCut = isCut;
    this.change.notify();
  }

  /**
   * Waits for samples after the first `from`.
   *
   * @returns from `least` to `most` of them; fewer, in the end none, when the utterance is over or
   *   given up
   */
  async read({ from, least, most, signal }: ReadRequest): Promise<Int16Array> {
    this.#readUntil = from;
    this.change.notify();
    const isEnough = () => this.#sampleCount >= from + least || this.#isOver || signal.aborted;
    while (!isEnough()) await this.change.next();
    return this.#samples.subarray(from, Math.min(from + most, this.#sampleCount));
  }

  #makeRoom(sampleCount: number): void {
    if (sampleCount <= this.#samples.length) return;
    const room = Math.min(Math.max(this.#samples.length * 2, sampleCount), this.#maxSamples);
    const samples = new Int16Array(room);
    samples.set(this.samples);
    this.#samples = samples;
    this.#bytes = new Uint8Array(samples.buffer);
  }
}
