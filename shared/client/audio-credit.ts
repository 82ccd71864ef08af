/**
 * What the server still lets through, seen from here: it takes audio at up to twice real time, after
 * a head start, and says now and then how much it has heard. Ours is a little less, as clocks differ.
 */

const SPEED = 1.9;
const HEAD_START_MS = 1_500;
/** Servers save up no more than 30 s. */
const MAX_CREDIT_MS = 28_000;
/**
 * What the server has not heard yet may be denser than what it has: digital silence takes a tenth of
 * the bytes of speech in Opus, so the same bytes last that much longer. The margin of what has been
 * saved up does the rest.
 */
const DENSITY = 8;

/** Credit for audio whose duration only the server knows. */
export class AudioCredit {
  #creditMs = HEAD_START_MS;
  #countedAtMs = Infinity;
  #heardMs = 0;

  /** A session begins: nothing of it has been sent. */
  restart(): void {
    this.#creditMs = HEAD_START_MS;
    this.#countedAtMs = Infinity;
    this.#heardMs = 0;
  }

  /** The server has heard so much of the session. */
  heard(audioMs: number, nowMs: number): void {
    this.#earn(nowMs);
    this.#creditMs -= Math.max(0, audioMs - this.#heardMs);
    this.#heardMs = Math.max(audioMs, this.#heardMs);
  }

  /** How long until so much audio may be on its way, however dense it is, in ms. */
  waitMs(unheardMs: number, nowMs: number): number {
    this.#earn(nowMs);
    return Math.max(0, (unheardMs * DENSITY - this.#creditMs) / SPEED);
  }

  #earn(nowMs: number): void {
    // The first call is that of the first audio.
    const passedMs = Math.max(0, nowMs - this.#countedAtMs);
    this.#creditMs = Math.min(this.#creditMs + passedMs * SPEED, MAX_CREDIT_MS);
    this.#countedAtMs = nowMs;
  }
}
