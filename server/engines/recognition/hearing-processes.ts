/**
 * The pool of recogniser processes of one model. A model is large, so each process hears several utterances
 * at a time. More processes start when all are full, up to a limit, and end after being idle.
 */
import { ServiceError } from '../../../shared/errors.ts';
import { Change } from '../../process/concurrency.ts';
import type { Logger } from '../../process/log.ts';
import { type PipedChild, processorMs } from '../../process/index.ts';
import { SAMPLES_PER_MS, type HearingEffort } from '../engine.ts';
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
  /** Starts a process with these hotwords; hotwords belong to a recogniser, not to an utterance. */
  start: (hotwords: readonly string[]) => PipedChild;
  /** Maximum number of utterances that one process hears at a time. */
  linesPerProcess: number;
  /** Number of utterances per process above which another one is started; `linesPerProcess` by default. */
  comfortableLines?: number;
  maxProcesses: number;
  /** Longest time a model may take to load, in ms. */
  startTimeoutMs: number;
  hangTimeoutMs: number;
  /** Idle time after which a process beyond the first is ended, in ms. */
  idleMs: number;
}

interface Member {
  /** Its hotwords as JSON, for comparison. */
  key: string;
  process: HearingProcess;
  idle: NodeJS.Timeout | undefined;
  /** Whether its model is loaded. */
  hasStarted: boolean;
  /** Whether it hears a single utterance, which others must not share, and then ends. */
  isAlone: boolean;
  /** Whether it has been killed but has not ended yet. */
  isEnding: boolean;
  /** Number of utterances that wait for its model and will take a place then. */
  awaited: number;
  /** Work already added to the total: audio in bytes, processor time in ms. */
  counted: { heardBytes: number; processorMs: number };
}

/** Pauses after consecutive failed starts, in ms; one more failure fails the waiting utterances. */
const FAILURE_PAUSES_MS = [0, 250, 500, 1_000, 2_000, 4_000];
/** How long the pool is then out of order, in ms: utterances without a running process fail at once. */
const OUT_OF_ORDER_MS = 5_000;
/** How long nothing runs before the pool itself starts a process, in ms; utterances do not wait for it. */
const RECOVERY_MS = 5_000;
/** Attempts at the first start while the process ends without giving a reason. */
const FIRST_STARTS = 3;
const NO_HOTWORDS = '[]';
const BYTES_PER_MS = SAMPLES_PER_MS * 2;

export class HearingProcesses {
  readonly #options: HearingProcessesOptions;
  readonly #members = new Set<Member>();
  readonly #change = new Change();
  readonly #closing = new AbortController();
  /** Work of all processes, including those that have ended. */
  readonly #done = { heardBytes: 0, processorMs: 0 };
  #aloneCount = 0;
  #failureCount = 0;
  #outOfOrderUntilMs = 0;
  /** Whether the last start failed. */
  #hasFailed = false;
  /** Runs while no process does, and the time at which it ends. */
  #recovery: NodeJS.Timeout | undefined;
  #recoveryAtMs = 0;
  /** Runs while starts are suspended because the last one failed. */
  #pause: NodeJS.Timeout | undefined;

  constructor(options: HearingProcessesOptions) {
    this.#options = options;
  }

  /** Starts the first process. Throws Error with the reason the process gives. */
  async warmUp(): Promise<void> {
    for (let start = 1; ; start += 1) {
      const { process } = this.#start([], NO_HOTWORDS);
      try {
        await process.ready;
        return;
      } catch (error) {
        await process.gone;
        if (error instanceof UnfitProcessor || this.#closing.signal.aborted) throw error;
        // The process may have been killed from outside, for example by a system that is short of memory.
        if (error instanceof EndedEarly && process.lastWords === '' && start < FIRST_STARTS)
          continue;
        throw new Error(reasonOf(error, process), { cause: error });
      }
    }
  }

  /**
   * Takes a place for an utterance, waiting until one is free. The caller closes the returned line.
   *
   * @param isAlone whether the utterance may kill its process, which it then shares with no other
   * @throws ServiceError recognition_failed when no process can be started; the signal's reason when aborted
   */
  async open(
    { hotwords, ...opening }: HearingOpening & { hotwords: readonly string[] },
    {
      signal,
      listener,
      isAlone = false,
    }: { signal: AbortSignal; listener: HearingListener; isAlone?: boolean },
  ): Promise<HearingLine> {
    // A key that no other utterance has finds no process but its own.
    const key = isAlone ? `alone ${(this.#aloneCount += 1)}` : JSON.stringify(hotwords);
    const wake = (): void => this.#change.notify();
    signal.addEventListener('abort', wake);
    try {
      for (;;) {
        signal.throwIfAborted();
        this.#assertOpen();
        const running = this.#comfortable(key) ?? this.#relieved(hotwords, key);
        // Processes that run go on, even if no other one can be started.
        if (running === undefined) this.#assertInOrder();
        const member = running ?? this.#startIfRoom(hotwords, key, isAlone);
        if (member === undefined) {
          await this.#change.next();
          continue;
        }
        member.awaited += 1;
        const isReady = await this.#isReady(member);
        member.awaited -= 1;
        // Another utterance may have taken the place while the model loaded, or the caller has aborted.
        if (isReady && !signal.aborted && this.#hasRoom(member)) {
          clearTimeout(member.idle);
          return member.process.open(opening, listener);
        }
        if (isReady) this.#change.notify();
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  /** Returns the work done so far; where the system reports no processor time, it counts as zero. */
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

  /** Returns the time until the next start, in ms, while no process runs because none could be started. */
  retryInMs(): number | undefined {
    const isRunning = [...this.#members].some(
      ({ hasStarted, process }) => hasStarted && !process.isGone,
    );
    if (!this.#hasFailed || isRunning) return undefined;
    return Math.max(0, this.#recoveryAtMs - performance.now());
  }

  /** Kills every process, busy ones included; resolves when they are gone. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#pause);
    clearTimeout(this.#recovery);
    this.#change.notify();
    for (const { process } of this.#members) process.kill();
    await Promise.all([...this.#members].map(({ process }) => process.gone));
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) {
      throw new ServiceError('recognition_failed', 'The recogniser has been closed.');
    }
  }

  #assertInOrder(): void {
    if (this.#isOutOfOrder()) {
      throw new ServiceError('recognition_failed', 'The recogniser does not start.');
    }
  }

  #isOutOfOrder(): boolean {
    return performance.now() < this.#outOfOrderUntilMs;
  }

  #hasRoom({ process, isEnding }: Member): boolean {
    return !process.isGone && !isEnding && process.lineCount < this.#options.linesPerProcess;
  }

  /** Returns the fullest process below the comfortable limit, so that the others become idle and can end. */
  #comfortable(key: string): Member | undefined {
    const { linesPerProcess, comfortableLines = linesPerProcess } = this.#options;
    const open = this.#withRoom(key);
    const started = open.filter(({ hasStarted }) => hasStarted);
    const candidates = started.length > 0 ? started : open;
    return candidates.findLast(({ process }) => process.lineCount < comfortableLines);
  }

  /** Returns the emptiest process with room, and starts another one for later utterances. */
  #relieved(hotwords: readonly string[], key: string): Member | undefined {
    const [emptiest] = this.#withRoom(key);
    if (emptiest === undefined) return undefined;
    const isOneComing = [...this.#members].some(
      (member) => member.key === key && !member.hasStarted && !member.process.isGone,
    );
    const mayStart =
      this.#members.size < this.#options.maxProcesses &&
      this.#pause === undefined &&
      !this.#isOutOfOrder();
    if (!isOneComing && mayStart) this.#start(hotwords, key);
    return emptiest;
  }

  /** Processes that can take an utterance, the emptiest first; processes still starting come last. */
  #withRoom(key: string): Member[] {
    const emptiness = ({ process, hasStarted }: Member) =>
      hasStarted ? process.lineCount : Number.MAX_SAFE_INTEGER;
    return [...this.#members]
      .filter((member) => member.key === key && this.#hasRoom(member))
      .sort((one, other) => emptiness(one) - emptiness(other));
  }

  #startIfRoom(hotwords: readonly string[], key: string, isAlone: boolean): Member | undefined {
    if (this.#pause !== undefined) return undefined;
    const { maxProcesses } = this.#options;
    const alike = [...this.#members].filter((member) => member.isAlone === isAlone);
    // Utterances alone have processes besides those of all others, so that neither wait for the other.
    if (isAlone && alike.length < Math.ceil(maxProcesses / 2)) {
      return this.#start(hotwords, key, isAlone);
    }
    if (isAlone) return undefined;
    if (alike.length >= maxProcesses) {
      // An idle process with other hotwords makes way; its place is free once it is gone.
      const idle = [...this.#members].find(
        (member) => member.key !== key && isIdle(member) && !member.process.isGone,
      );
      if (idle !== undefined) {
        idle.isEnding = true;
        idle.process.kill();
      }
      return undefined;
    }
    return this.#start(hotwords, key);
  }

  #start(hotwords: readonly string[], key: string, isAlone = false): Member {
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
      isAlone,
      isEnding: false,
      awaited: 0,
      counted: { heardBytes: 0, processorMs: 0 },
    };
    this.#members.add(member);
    const tooLate = setTimeout(() => process.kill(), startTimeoutMs);
    process.ready.then(
      () => {
        clearTimeout(tooLate);
        this.#failureCount = 0;
        this.#hasFailed = false;
        member.hasStarted = true;
        // Loading the model does not count as hearing.
        member.counted.processorMs = processorMs(process.pid ?? 0) ?? 0;
        this.#rest(member);
        // A process that no utterance waits for may make way for another one now.
        this.#change.notify();
      },
      (error: unknown) => {
        clearTimeout(tooLate);
        if (this.#closing.signal.aborted) return;
        log.warn({ reason: reasonOf(error, process) }, 'a recogniser process did not start');
        this.#hasFailed = true;
        this.#pauseStarts();
      },
    );
    void process.gone.then(() => {
      if (member.hasStarted && !member.isEnding && !this.#closing.signal.aborted) {
        log.warn({ pid: process.pid }, 'a recogniser process died; another one repeats its work');
      }
      clearTimeout(member.idle);
      this.#members.delete(member);
      this.#change.notify();
      if (this.#members.size === 0) this.#recoverSoon();
    });
    return member;
  }

  /** Starts a process after a while if none runs by then: the pool also recovers while nobody speaks. */
  #recoverSoon(): void {
    if (this.#closing.signal.aborted) return;
    clearTimeout(this.#recovery);
    this.#recoveryAtMs = performance.now() + RECOVERY_MS;
    this.#recovery = setTimeout(() => {
      if (this.#members.size === 0) this.#start([], NO_HOTWORDS);
    }, RECOVERY_MS);
    this.#recovery.unref();
  }

  /** After a failed start, suspends starts for a while; after many in a row, fails all waiting utterances. */
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

  /** Waits until a process has loaded its model; false when loading fails. */
  async #isReady({ process }: Member): Promise<boolean> {
    const isReady = await process.ready.then(
      () => true,
      () => false,
    );
    if (!isReady) await process.gone;
    return isReady;
  }

  /** Ends an idle process after a while, unless it is the last one without hotwords. */
  #rest(member: Member): void {
    clearTimeout(member.idle);
    if (member.process.lineCount > 0) return;
    if (member.isAlone && member.awaited === 0) {
      member.isEnding = true;
      member.process.kill();
      return;
    }
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

function isIdle({ process, hasStarted, awaited }: Member): boolean {
  return hasStarted && awaited === 0 && process.lineCount === 0;
}

/** Returns why a process did not start: its last words, which are the most exact, else the error. */
function reasonOf(error: unknown, { lastWords }: HearingProcess): string {
  if (lastWords !== '') return lastWords;
  return error instanceof Error ? error.message : String(error);
}
