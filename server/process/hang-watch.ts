/** Tells a process that hangs from one that merely gets too little of the processor. */
import { useOfTree } from './process-tree.ts';

/** Less than this of the processor, in ms, is what a process takes that waits for ever or is stopped. */
const LEAST_WORK_MS = 20;
/** How often the processor's time is asked for, in ms, and how often at least before it is said to hang. */
const LOOK_MS = 1_000;
const LOOKS = 4;

interface Look {
  /** How many signs had come. */
  signs: number;
  /** On the clock of the watch. */
  atMs: number;
  /** The processor's time that the process had taken; undefined where the system does not tell. */
  takenMs: number | undefined;
}

/**
 * Watches a process that owes something. It hangs when it gives no sign although it had `timeoutMs` of
 * the processor for it, or when it takes nothing of the processor for so long; where the system does
 * not tell (only Linux does), and of a thread, when it gives no sign for so long.
 */
export class HangWatch {
  readonly #pid: number | undefined;
  readonly #timeoutMs: number;
  readonly #onHang: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Stands still while we do: signs that came meanwhile have not been read. */
  #clockMs = 0;
  #signs = 0;
  /** What was found at the first look after the last sign. */
  #first: Look | undefined;
  /** And at the last look at which it had worked since. */
  #worked: Look | undefined;

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

  /** Waits for a sign of life from now on: something is owed, or a sign has come. Costs next to nothing. */
  start(): void {
    this.#signs += 1;
    if (this.#timer === undefined) this.#lookSoon();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #lookSoon(): void {
    const waitMs = Math.min(LOOK_MS, this.#timeoutMs / LOOKS);
    const setAtMs = performance.now();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#clockMs += Math.min(performance.now() - setAtMs, 2 * waitMs);
      if (this.#hangs()) this.#onHang();
      else this.#lookSoon();
    }, waitMs);
  }

  #hangs(): boolean {
    const look = { signs: this.#signs, atMs: this.#clockMs, takenMs: this.#read() };
    if (this.#first?.signs !== look.signs) this.#first = this.#worked = look;
    const first = this.#first;
    if (this.#worked === undefined || first.takenMs === undefined) {
      return look.atMs - first.atMs >= this.#timeoutMs;
    }
    // It told before, and does not now: too many files may be open.
    if (look.takenMs === undefined) return false;
    if (look.takenMs - (this.#worked.takenMs ?? 0) >= LEAST_WORK_MS) this.#worked = look;
    const isIdle = look.atMs - this.#worked.atMs >= this.#timeoutMs;
    return isIdle || look.takenMs - first.takenMs >= this.#timeoutMs;
  }

  #read(): number | undefined {
    return this.#pid === undefined ? undefined : useOfTree(this.#pid)?.processorMs;
  }
}
