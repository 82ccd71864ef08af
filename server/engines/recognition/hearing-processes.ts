/**
 * The processes of one model. A model is large, so each process hears several utterances at a time;
 * more processes start when all are full, up to a bound, and end when they have had nothing to do.
 */
import { ServiceError } from '../../../shared/errors.ts';
import { Change } from '../../process/concurrency.ts';
import type { Logger } from '../../process/log.ts';
import { type PipedChild, processorMs } from '../../process/index.ts';
import { RECOGNITION_RATE_HZ, type HearingEffort } from '../engine.ts';
import {
  EndedEarly,
  type HearingLine,
  type HearingListener,
  HearingProcess,
  UnfitProcessor,
} from './hearing-process.ts';
import type { HearingOpening } from './hearing-protocol.ts';

interface HearingProcessesOptions {
  log: Logger;
  /** Starts a process that hears these hotwords; they belong to a recogniser, not to an utterance. */
  start: (hotwords: readonly string[]) => PipedChild;
  /** Utterances that one process hears at a time, at most. */
  linesPerProcess: number;
  /** Utterances above which another process is started, if there may be one; as many if left out. */
  comfortableLines?: number;
  maxProcesses: number;
  /** Longest time a model may take to load, in ms. */
  startTimeoutMs: number;
  hangTimeoutMs: number;
  /** A process beyond the first that has had nothing to do for so long is ended, in ms. */
  idleMs: number;
}

interface Member {
  /** Its hotwords, as text to compare. */
  key: string;
  process: HearingProcess;
  idle: NodeJS.Timeout | undefined;
  /** Its model is loaded. */
  hasStarted: boolean;
  /** Told to end; it is there for a moment yet. */
  isEnding: boolean;
  /** What of its work was counted: audio in bytes, time of the processor in ms. */
  counted: { heardBytes: number; processorMs: number };
}

/** How long to wait after each start that failed in a row, in ms; after one more, utterances fail. */
const FAILURE_PAUSES_MS = [0, 250, 500, 1_000, 2_000, 4_000];
/** How long it counts as out of order then: whoever comes meanwhile gets the error at once, in ms. */
const OUT_OF_ORDER_MS = 5_000;
/** The first process is started so often, if it ends without a reason. */
const FIRST_STARTS = 3;
const NO_HOTWORDS = '[]';
const BYTES_PER_MS = (RECOGNITION_RATE_HZ * 2) / 1000;

export class HearingProcesses {
  readonly #options: HearingProcessesOptions;
  readonly #members = new Set<Member>();
  readonly #change = new Change();
  readonly #closing = new AbortController();
  /** What its processes have done, those that are gone included. */
  readonly #done = { heardBytes: 0, processorMs: 0 };
  #failureCount = 0;
  #outOfOrderUntilMs = 0;
  /** Runs while no process is started because the last did not start. */
  #pause: NodeJS.Timeout | undefined;

  constructor(options: HearingProcessesOptions) {
    this.#options = options;
  }

  /** Starts the first process. Throws Error with what it says is wrong. */
  async warmUp(): Promise<void> {
    for (let start = 1; ; start += 1) {
      const { process } = this.#start([], NO_HOTWORDS);
      try {
        await process.ready;
        return;
      } catch (error) {
        await process.gone;
        if (error instanceof UnfitProcessor || this.#closing.signal.aborted) throw error;
        // Somebody may have killed it: a system that is short of memory, for one.
        if (error instanceof EndedEarly && process.lastWords === '' && start < FIRST_STARTS)
          continue;
        const own = error instanceof Error ? error.message : String(error);
        throw new Error(process.lastWords === '' ? own : process.lastWords, { cause: error });
      }
    }
  }

  /**
   * Takes a place for an utterance, waiting until there is one; it is the caller's to close.
   *
   * @throws ServiceError recognition_failed when no process can be started; the signal's reason
   */
  async open(
    { hotwords, ...opening }: HearingOpening & { hotwords: readonly string[] },
    { signal, listener }: { signal: AbortSignal; listener: HearingListener },
  ): Promise<HearingLine> {
    const key = JSON.stringify(hotwords);
    const wake = (): void => this.#change.notify();
    signal.addEventListener('abort', wake);
    try {
      for (;;) {
        signal.throwIfAborted();
        this.#assertUsable();
        const member =
          this.#comfortable(key) ??
          this.#relieved(hotwords, key) ??
          this.#startIfRoom(hotwords, key);
        if (member !== undefined && (await this.#isReady(member))) {
          // Another may have taken the place while the model was loaded, or the caller has left.
          if (!signal.aborted && this.#hasRoom(member)) {
            clearTimeout(member.idle);
            return member.process.open(opening, listener);
          }
        } else if (member === undefined) await this.#change.next();
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  /** What hearing has taken so far; where the system does not tell, it seems to take nothing. */
  effort(): Pick<HearingEffort, 'audioMs' | 'processorMs'> {
    for (const { process, counted, hasStarted } of this.#members) {
      if (!hasStarted) continue;
      const takenMs = processorMs(process.pid ?? 0) ?? counted.processorMs;
      this.#done.processorMs += takenMs - counted.processorMs;
      this.#done.heardBytes += process.heardBytes - counted.heardBytes;
      counted.processorMs = takenMs;
      counted.heardBytes = process.heardBytes;
    }
    const { heardBytes, processorMs: processorTime } = this.#done;
    return { audioMs: heardBytes / BYTES_PER_MS, processorMs: processorTime };
  }

  /** Ends every process, busy ones too; resolves when they are gone. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#pause);
    this.#change.notify();
    for (const { process } of this.#members) process.kill();
    await Promise.all([...this.#members].map(({ process }) => process.gone));
  }

  #assertUsable(): void {
    if (this.#closing.signal.aborted) {
      throw new ServiceError('recognition_failed', 'The recogniser has been closed.');
    }
    if (performance.now() < this.#outOfOrderUntilMs) {
      throw new ServiceError('recognition_failed', 'The recogniser does not start.');
    }
  }

  #hasRoom({ process, isEnding }: Member): boolean {
    return !process.isGone && !isEnding && process.lineCount < this.#options.linesPerProcess;
  }

  /** The fullest process that is not too full: the others come to rest and can end. */
  #comfortable(key: string): Member | undefined {
    const { linesPerProcess, comfortableLines = linesPerProcess } = this.#options;
    const open = this.#withRoom(key);
    const started = open.filter(({ hasStarted }) => hasStarted);
    const candidates = started.length > 0 ? started : open;
    return candidates.findLast(({ process }) => process.lineCount < comfortableLines);
  }

  /** The emptiest process with room; another is started for those who come later. */
  #relieved(hotwords: readonly string[], key: string): Member | undefined {
    const [emptiest] = this.#withRoom(key);
    if (emptiest === undefined) return undefined;
    const isOneComing = [...this.#members].some(
      (member) => member.key === key && !member.hasStarted && !member.process.isGone,
    );
    const mayStart = this.#members.size < this.#options.maxProcesses && this.#pause === undefined;
    if (!isOneComing && mayStart) this.#start(hotwords, key);
    return emptiest;
  }

  /** Processes that can take an utterance, the emptiest first; those that are still starting last. */
  #withRoom(key: string): Member[] {
    const emptiness = ({ process, hasStarted }: Member) =>
      hasStarted ? process.lineCount : Number.MAX_SAFE_INTEGER;
    return [...this.#members]
      .filter((member) => member.key === key && this.#hasRoom(member))
      .sort((one, other) => emptiness(one) - emptiness(other));
  }

  #startIfRoom(hotwords: readonly string[], key: string): Member | undefined {
    if (this.#pause !== undefined) return undefined;
    if (this.#members.size >= this.#options.maxProcesses) {
      // One that waits for other hotwords makes way; its place is free when it is gone.
      const idle = [...this.#members].find(
        (member) => member.key !== key && member.process.lineCount === 0 && !member.process.isGone,
      );
      if (idle !== undefined) {
        idle.isEnding = true;
        idle.process.kill();
      }
      return undefined;
    }
    return this.#start(hotwords, key);
  }

  #start(hotwords: readonly string[], key: string): Member {
    const { log, start, hangTimeoutMs, startTimeoutMs } = this.#options;
    const process = new HearingProcess({
      process: start(hotwords),
      log,
      hangTimeoutMs,
      onRoom: () => {
        this.#rest(member);
        this.#change.notify();
      },
    });
    const member: Member = {
      key,
      process,
      idle: undefined,
      hasStarted: false,
      isEnding: false,
      counted: { heardBytes: 0, processorMs: 0 },
    };
    this.#members.add(member);
    const tooLate = setTimeout(() => process.kill(), startTimeoutMs);
    process.ready.then(
      () => {
        clearTimeout(tooLate);
        this.#failureCount = 0;
        member.hasStarted = true;
        // Loading a model is not hearing.
        member.counted.processorMs = processorMs(process.pid ?? 0) ?? 0;
        this.#rest(member);
      },
      () => {
        clearTimeout(tooLate);
        if (this.#closing.signal.aborted) return;
        log.warn({ reason: process.lastWords }, 'a recogniser process did not start');
        this.#pauseStarts();
      },
    );
    void process.gone.then(() => {
      if (member.hasStarted && !member.isEnding && !this.#closing.signal.aborted) {
        log.warn({ pid: process.pid }, 'a recogniser process has died; another hears it again');
      }
      clearTimeout(member.idle);
      this.#members.delete(member);
      this.#change.notify();
    });
    return member;
  }

  /** After a start that failed: none for a while, and after many of them all who wait get the error. */
  #pauseStarts(): void {
    const pauseMs = FAILURE_PAUSES_MS[this.#failureCount];
    this.#failureCount += 1;
    if (pauseMs === undefined) {
      this.#failureCount = 0;
      this.#outOfOrderUntilMs = performance.now() + OUT_OF_ORDER_MS;
      this.#change.notify();
      return;
    }
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#change.notify();
    }, pauseMs);
  }

  /** Waits until a process has loaded its model; false when it will not. */
  async #isReady({ process }: Member): Promise<boolean> {
    const isReady = await process.ready.then(
      () => true,
      () => false,
    );
    if (!isReady) await process.gone;
    return isReady;
  }

  /** A process that nobody needs ends after a while, unless it is the last that anybody can use. */
  #rest(member: Member): void {
    clearTimeout(member.idle);
    if (member.process.lineCount > 0) return;
    member.idle = setTimeout(() => {
      const others = [...this.#members].filter(
        ({ key, isEnding }) => key === NO_HOTWORDS && !isEnding,
      );
      const isLast = member.key === NO_HOTWORDS && others.length === 1;
      if (isLast || member.process.lineCount > 0) return;
      member.isEnding = true;
      member.process.kill();
    }, this.#options.idleMs);
    member.idle.unref();
  }
}
