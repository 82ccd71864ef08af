/** Tells a process that hangs from one that merely gets too little of the processor. */
import { processorMs } from './process-tree.ts';

/** Less than this of the processor, in ms, is what a process takes that waits for ever or is stopped. */
const LEAST_WORK_MS = 20;
/** How often the processor's time is asked for at most, in ms. */
const READING_MS = 1_000;

/**
 * Watches a process that owes something. It hangs when it gives no sign although it had `timeoutMs` of
 * the processor for it, or when it takes nothing of the processor for so long; where the system does
 * not tell (only Linux does), when it gives no sign for so long.
 */
export class HangWatch {
  readonly #pid: number | undefined;
  readonly #timeoutMs: number;
  readonly #onHang: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** The processor's time that it had taken at its last sign, or a little before. */
  #takenMs: number | undefined;
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor({
    pid,
    timeoutMs,
    onHang,
  }: {
    pid: number | undefined;
    timeoutMs: number;
    onHang: () => void;
  }) {
    this.#pid = pid;
    this.#timeoutMs = timeoutMs;
    this.#onHang = onHang;
  }

  get isOn(): boolean {
    return this.#timer !== undefined;
  }

  /** Waits for a sign of life from now on: something is owed, or a sign has come. */
  start(): void {
    this.stop();
    const nowMs = performance.now();
    if (nowMs - this.#readAtMs >= READING_MS) {
      this.#readAtMs = nowMs;
      this.#takenMs = this.#read();
    }
    this.#wait(this.#takenMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(takenMs: number | undefined): void {
    this.#timer = setTimeout(() => {
      const nowTakenMs = this.#read();
      if (takenMs === undefined || nowTakenMs === undefined || this.#takenMs === undefined) {
        this.#onHang();
      } else if (nowTakenMs - takenMs < LEAST_WORK_MS) this.#onHang();
      else if (nowTakenMs - this.#takenMs >= this.#timeoutMs) this.#onHang();
      else this.#wait(nowTakenMs);
    }, this.#timeoutMs);
  }

  #read(): number | undefined {
    return this.#pid === undefined ? undefined : processorMs(this.#pid);
  }
}
