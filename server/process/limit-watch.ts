/**
 * Watches a process that reads what strangers send for being no longer its own master: it takes more
 * memory than its work needs, starts others, or is busy when nobody asked it for anything.
 */
import { useOfTree } from './process-tree.ts';

/** Processors that one thread takes with those that Node has beside it, and one that has nothing to do. */
const MOST_PROCESSORS = { working: 1.5, idle: 0.5 };
/** After so many looks without a word all that was asked for is done: it would have been said to hang. */
const IDLE_LOOKS = 3;

export interface ProcessLimits {
  /** Resident, of the process and all that it starts, in bytes. */
  memoryBytes: number;
  /** The process, and what contains it. */
  processes: number;
  /** How often it is looked at, in ms. */
  everyMs?: number;
}

const EVERY_MS = 4_000;

/** What a process and all that it has started took by a moment. */
interface Look {
  atMs: number;
  takenMs: number;
}

/** Looks every few seconds; where the system does not tell (only Linux does), it sees nothing. */
export class LimitWatch {
  readonly #pid: number;
  readonly #limits: ProcessLimits;
  readonly #onExceeded: (what: string) => void;
  readonly #timer: NodeJS.Timeout;
  /** Undefined where the system did not tell. */
  #before: Look | undefined;
  #looksInQuiet = 0;
  #hasStarted = false;

  /** @param options.onExceeded told which limit, for the log */
  constructor({
    pid,
    limits,
    onExceeded,
  }: {
    pid: number;
    limits: ProcessLimits;
    onExceeded: (what: string) => void;
  }) {
    this.#pid = pid;
    this.#limits = limits;
    this.#onExceeded = onExceeded;
    this.#before = { atMs: performance.now(), takenMs: 0 };
    this.#timer = setInterval(() => this.#look(), limits.everyMs ?? EVERY_MS).unref();
  }

  /** It was asked for something. */
  asked(): void {
    this.#looksInQuiet = 0;
  }

  /** It has given something; before it does for the first time, it starts. */
  answered(): void {
    this.#looksInQuiet = 0;
    this.#hasStarted = true;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const use = useOfTree(this.#pid);
    const before = this.#before;
    const now = use && { atMs: performance.now(), takenMs: use.processorMs };
    const isIdle = this.#hasStarted && this.#looksInQuiet >= IDLE_LOOKS;
    this.#before = now;
    this.#looksInQuiet += 1;
    if (use === undefined) return;
    const { memoryBytes, processes } = this.#limits;
    const most = MOST_PROCESSORS[isIdle ? 'idle' : 'working'];
    if (use.residentBytes > memoryBytes) this.#end('memory');
    else if (use.processes > processes) this.#end('number of processes');
    else if (before && now && processorsBetween(before, now) > most) this.#end('processor time');
  }

  #end(what: string): void {
    this.stop();
    this.#onExceeded(what);
  }
}

function processorsBetween(before: Look, now: Look): number {
  return (now.takenMs - before.takenMs) / (now.atMs - before.atMs);
}
