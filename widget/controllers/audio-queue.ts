/** Chunks that wait for the socket: bounded, and let out no faster than the gateway takes them. */

/** Audio kept while there is no connection, in ms; older audio goes first. */
const MAX_QUEUED_MS = 10_000;
/** Speed of catching up. The gateway refuses more than twice real time; this leaves it a margin. */
const CATCH_UP = 1.8;

/** A paced queue of audio. */
export class AudioQueue {
  readonly #chunkMs: number;
  readonly #chunks: Uint8Array[] = [];
  #lastTakenAt = -Infinity;

  constructor({ chunkMs }: { chunkMs: number }) {
    this.#chunkMs = chunkMs;
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    while (this.#chunks.length * this.#chunkMs > MAX_QUEUED_MS) this.#chunks.shift();
  }

  /** The oldest chunk, or undefined while it is too early for one or there is none. */
  take(nowMs: number): Uint8Array | undefined {
    if (this.#chunks.length === 0 || this.waitMs(nowMs) > 0) return undefined;
    this.#lastTakenAt = nowMs;
    return this.#chunks.shift();
  }

  /** How long until the next chunk may go, in ms; 0 when it may go now. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#lastTakenAt + this.#chunkMs / CATCH_UP - nowMs);
  }
}
