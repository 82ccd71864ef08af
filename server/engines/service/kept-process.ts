/**
 * A process that is kept running for those who ask it: started when it is needed, replaced when it
 * fails, ended when it is idle. What it is asked is the business of its owner.
 */

interface KeptProcessOptions {
  /** Starts it: the owner hands the process over with {@link KeptProcess.adopt}. */
  start: () => void;
  /** Failures in a row after which nobody waits for the next start. */
  maxFailures: number;
  /** `start`: one that did not get ready is a failure; `life`: so is one that did not answer. */
  failure: 'start' | 'life';
  /** Wait before the second start in a row; it doubles with every further one, in ms. */
  firstDelayMs: number;
  maxDelayMs: number;
  /** A process without work for so long is ended to give its memory back, in ms. */
  idleMs: number;
  /** Called when it was ended because it was idle. */
  onIdleEnd?: () => void;
}

export class KeptProcess<Process extends { stop(): Promise<void> }> {
  readonly #options: KeptProcessOptions;
  /** What is left of earlier processes. */
  readonly #ending = new Set<Promise<void>>();
  #process: Process | undefined;
  #state: 'stopped' | 'starting' | 'ready' | 'closed' = 'stopped';
  #failedStarts = 0;
  /** Processes in a row that have ended before they answered anything. */
  #fruitlessLives = 0;
  #earliestStartMs = 0;
  #idleSinceMs = Infinity;
  #startTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #mayStay = () => false;

  constructor(options: KeptProcessOptions) {
    this.#options = options;
  }

  /** Undefined unless it runs, or is about to. */
  get process(): Process | undefined {
    return this.#process;
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Whether it has failed so often that nobody should wait for the next start. */
  get isBroken(): boolean {
    return this.#hasFailedTooOften && performance.now() < this.#earliestStartMs;
  }

  /** Since when it has had nothing to do, on the clock of `performance.now()`; Infinity while it has. */
  get idleSinceMs(): number {
    return this.#idleSinceMs;
  }

  /** Starts it unless it runs: at once, or when the wait after a failure is over. */
  start(): void {
    if (this.#state !== 'stopped') return;
    this.#state = 'starting';
    const delayMs = this.#earliestStartMs - performance.now();
    if (delayMs <= 0) this.#options.start();
    else this.#startTimer = setTimeout(() => this.#options.start(), delayMs);
  }

  /** This is the process that was started. */
  adopt(process: Process): void {
    this.#process = process;
  }

  /** It can be asked. */
  noteReady(): void {
    this.#state = 'ready';
    this.#failedStarts = 0;
  }

  /** It has answered: what ends it from now on is no failure to run. */
  noteAnswer(): void {
    this.#fruitlessLives = 0;
  }

  /**
   * It has ended by itself.
   *
   * @returns whether it was ready, and whether those who wait are to be given up
   */
  noteEnd(): { wasReady: boolean; isHopeless: boolean } {
    const wasReady = this.#state === 'ready';
    this.#state = 'stopped';
    this.#letEnd();
    const { failure, firstDelayMs, maxDelayMs } = this.#options;
    // The first restart is immediate, so that captions go on; a broken installation must not spin.
    const delayMs = this.#fruitlessLives === 0 ? 0 : firstDelayMs * 2 ** (this.#fruitlessLives - 1);
    this.#fruitlessLives += 1;
    if (!wasReady) this.#failedStarts += 1;
    this.#earliestStartMs = performance.now() + Math.min(delayMs, maxDelayMs);
    const isFailure = failure === 'life' || !wasReady;
    return { wasReady, isHopeless: isFailure && this.#hasFailedTooOften };
  }

  /** It has work. */
  work(): void {
    clearTimeout(this.#idleTimer);
    this.#idleSinceMs = Infinity;
  }

  /** It has none: it ends after a while. */
  rest(): void {
    clearTimeout(this.#idleTimer);
    this.#idleSinceMs = performance.now();
    this.#awaitIdleEnd();
  }

  /** From now on it is asked before it ends for being idle, and again after as long a time. */
  stayWhile(mayStay: () => boolean): void {
    this.#mayStay = mayStay;
  }

  /** Ends it if it has nothing to do. */
  endIdle(): void {
    if (this.#state !== 'ready' || this.#idleSinceMs === Infinity) return;
    this.#state = 'stopped';
    this.#letEnd();
    this.#options.onIdleEnd?.();
  }

  /** Ends it for good; resolves when no process is left. */
  async close(): Promise<void> {
    this.#state = 'closed';
    clearTimeout(this.#startTimer);
    this.#letEnd();
    await Promise.all(this.#ending);
  }

  get #hasFailedTooOften(): boolean {
    const { failure, maxFailures } = this.#options;
    return (failure === 'life' ? this.#fruitlessLives : this.#failedStarts) >= maxFailures;
  }

  #awaitIdleEnd(): void {
    this.#idleTimer = setTimeout(() => {
      if (this.#mayStay()) this.#awaitIdleEnd();
      else this.endIdle();
    }, this.#options.idleMs).unref();
  }

  #letEnd(): void {
    this.work();
    const process = this.#process;
    if (process === undefined) return;
    this.#process = undefined;
    const ending = process.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
