/**
 * Supervises a process: starts it on demand, replaces it after a failure, ends it when idle. Communication
 * with the process is up to the owner.
 */

interface SupervisedProcessOptions {
  /** Starts the process; the owner hands it over with {@link SupervisedProcess.adopt}. */
  start: () => void;
  /** Number of consecutive failures after which callers no longer wait for the next start. */
  maxFailures: number;
  /**
   * `start`: only a process that never got ready counts as a failure; `life`: one that answered nothing does
   * as well.
   */
  failure: 'start' | 'life';
  /** Delay before the second consecutive start, in ms; it doubles with every further one. */
  firstDelayMs: number;
  maxDelayMs: number;
  /** Idle time after which the process is ended to free its memory, in ms. */
  idleMs: number;
  /** Called after the process was ended for being idle. */
  onIdleEnd?: () => void;
}

export class SupervisedProcess<Process extends { stop(): Promise<void> }> {
  readonly #options: SupervisedProcessOptions;
  /** Earlier processes that have not ended yet. */
  readonly #ending = new Set<Promise<void>>();
  #process: Process | undefined;
  #state: 'stopped' | 'starting' | 'ready' | 'closed' = 'stopped';
  #failedStarts = 0;
  /** Number of consecutive processes that ended before they answered anything. */
  #fruitlessLives = 0;
  #earliestStartMs = 0;
  #idleSinceMs = Infinity;
  #startTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #mayStay = () => false;

  constructor(options: SupervisedProcessOptions) {
    this.#options = options;
  }

  /** Undefined unless the process runs or is about to. */
  get process(): Process | undefined {
    return this.#process;
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Whether the process has failed so often that callers should not wait for the next start. */
  get isBroken(): boolean {
    return this.#hasFailedTooOften && performance.now() < this.#earliestStartMs;
  }

  /** Start of the idle period, on the clock of `performance.now()`; Infinity while the process has work. */
  get idleSinceMs(): number {
    return this.#idleSinceMs;
  }

  /** Starts the process unless it runs: at once, or when the delay after a failure is over. */
  start(): void {
    if (this.#state !== 'stopped') return;
    this.#state = 'starting';
    const delayMs = this.#earliestStartMs - performance.now();
    if (delayMs <= 0) this.#options.start();
    else this.#startTimer = setTimeout(() => this.#options.start(), delayMs);
  }

  /** Takes over the process that the owner has started. */
  adopt(process: Process): void {
    this.#process = process;
  }

  /** Records that the process accepts requests. */
  noteReady(): void {
    this.#state = 'ready';
    this.#failedStarts = 0;
  }

  /** Records an answer, which ends the series of fruitless processes. */
  noteAnswer(): void {
    this.#fruitlessLives = 0;
  }

  /**
   * Records that the process has ended by itself.
   *
   * @returns whether it was ready, and whether waiting requests should be rejected
   */
  noteEnd(): { wasReady: boolean; isHopeless: boolean } {
    const wasReady = this.#state === 'ready';
    this.#state = 'stopped';
    this.#letEnd();
    const { failure, firstDelayMs, maxDelayMs } = this.#options;
    // The first restart is immediate, so that captions continue; further ones wait, so that a broken
    // installation does not spin.
    const delayMs = this.#fruitlessLives === 0 ? 0 : firstDelayMs * 2 ** (this.#fruitlessLives - 1);
    this.#fruitlessLives += 1;
    if (!wasReady) this.#failedStarts += 1;
    this.#earliestStartMs = performance.now() + Math.min(delayMs, maxDelayMs);
    const isFailure = failure === 'life' || !wasReady;
    return { wasReady, isHopeless: isFailure && this.#hasFailedTooOften };
  }

  /** Records that the process has work. */
  work(): void {
    clearTimeout(this.#idleTimer);
    this.#idleSinceMs = Infinity;
  }

  /** Records that the process is idle; it ends after a while. */
  rest(): void {
    clearTimeout(this.#idleTimer);
    this.#idleSinceMs = performance.now();
    this.#awaitIdleEnd();
  }

  /**
   * Sets a predicate that is called before the process is ended for being idle; while it returns true, the
   * process stays for another idle period.
   */
  stayWhile(mayStay: () => boolean): void {
    this.#mayStay = mayStay;
  }

  /** Ends the process if it is idle. */
  endIdle(): void {
    if (this.#state !== 'ready' || this.#idleSinceMs === Infinity) return;
    this.#state = 'stopped';
    this.#letEnd();
    this.#options.onIdleEnd?.();
  }

  /** Ends the process for good; resolves when no process is left. */
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
