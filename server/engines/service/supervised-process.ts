/**
 * Supervises a process: starts it on demand, replaces it after a failure, ends it when idle; and keeps the
 * requests to it, each of which is answered or rejected whatever happens to the process meanwhile.
 * Communication with the process is up to the owner.
 */
import { FairQueue, type Turn } from '../../process/concurrency.ts';

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

/** A request to a supervised process, queued or in flight. */
export interface Job<Request, Answer> {
  readonly request: Request;
  readonly turn: Turn;
  /** Number of processes that ended while they may have been at work on it. */
  crashes: number;
  /** Whether it was rejected or given up; an answer under way is discarded. */
  isOver: boolean;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

interface ProcessJobsOptions<Request, Answer> {
  /** Text of a request; lengths are in its UTF-16 units. */
  textOf: (request: Request) => string;
  /** Cost of a request to its account; see {@link FairQueue}. */
  costOf?: (request: Request) => number;
  /** Limit of queued text. Text beyond it is refused, so that another engine may take it. */
  maxWaitingLength?: number;
  /**
   * Whether the process works on one request after the other. Then the oldest in flight is the suspect when
   * it ends; otherwise all in flight are.
   */
  isInOrder: boolean;
  /** Number of crashes after which a request counts as their cause; fewer may be chance. */
  maxCrashes: number;
  /** Settles a request that counts as the cause of crashes. */
  giveUp: (job: Job<Request, Answer>) => void;
}

/** The requests to a supervised process. The calls of all accounts take turns. */
export class ProcessJobs<Request, Answer> {
  readonly #options: ProcessJobsOptions<Request, Answer>;
  readonly #queue: FairQueue<Job<Request, Answer>>;
  #waitingLength = 0;
  /** Requests lost with a process; sent before the queue. */
  #lost: Job<Request, Answer>[] = [];
  #inFlight: Job<Request, Answer>[] = [];
  #inFlightLength = 0;

  constructor(options: ProcessJobsOptions<Request, Answer>) {
    this.#options = options;
    const { costOf = () => 1 } = options;
    this.#queue = new FairQueue(({ request }) => costOf(request));
  }

  /** Whether nothing is left to send. */
  get areSent(): boolean {
    return this.#queue.isEmpty && this.#lost.length === 0;
  }

  /** Whether the next request was lost with a process. */
  get hasLost(): boolean {
    return this.#lost.length > 0;
  }

  get inFlightCount(): number {
    return this.#inFlight.length;
  }

  /** Length of the text in flight. */
  get inFlightLength(): number {
    return this.#inFlightLength;
  }

  /** Whether a request fits into the queue. An empty queue accepts one of any length: it delays no other. */
  hasRoomFor(request: Request): boolean {
    const { maxWaitingLength = Infinity, textOf } = this.#options;
    return (
      this.#waitingLength === 0 || this.#waitingLength + textOf(request).length <= maxWaitingLength
    );
  }

  /** Queues a request. @throws the reason given to {@link abandon} or {@link failAll} */
  add(request: Request, turn: Turn): Promise<Answer> {
    this.#waitingLength += this.#options.textOf(request).length;
    return new Promise((resolve, reject) => {
      this.#queue.push(turn, { request, turn, crashes: 0, isOver: false, resolve, reject });
    });
  }

  /** Takes the next request, which is in flight from now on. */
  send(): Job<Request, Answer> | undefined {
    let job = this.#lost.shift();
    if (job === undefined) {
      job = this.#queue.shift();
      if (job === undefined) return undefined;
      this.#waitingLength -= this.#lengthOf(job);
    }
    this.#inFlight.push(job);
    this.#inFlightLength += this.#lengthOf(job);
    return job;
  }

  /** Takes the oldest request in flight, which is answered. */
  receive(): Job<Request, Answer> | undefined {
    const job = this.#inFlight.shift();
    if (job !== undefined) this.#inFlightLength -= this.#lengthOf(job);
    return job;
  }

  /** Queues the requests in flight again, because the process has ended. */
  lose(): void {
    const { isInOrder, maxCrashes, giveUp } = this.#options;
    const suspects = isInOrder ? this.#inFlight.splice(0, 1) : this.#inFlight.splice(0);
    for (const job of suspects) {
      job.crashes += 1;
      if (job.crashes < maxCrashes || job.isOver) continue;
      job.isOver = true;
      giveUp(job);
    }
    // Suspects go last: if one ends the next process too, the others have their answers by then.
    const inLine = [...this.#inFlight, ...this.#lost, ...suspects];
    this.#lost = inLine.filter(({ isOver }) => !isOver);
    this.#inFlight = [];
    this.#inFlightLength = 0;
  }

  /** Rejects all requests of a call; answers already under way are discarded when they arrive. */
  abandon(turn: Turn, reason: unknown): void {
    for (const job of this.#queue.remove(turn)) {
      this.#waitingLength -= this.#lengthOf(job);
      job.reject(reason);
    }
    for (const job of [...this.#lost, ...this.#inFlight]) {
      if (job.turn !== turn) continue;
      job.isOver = true;
      job.reject(reason);
    }
    this.#lost = this.#lost.filter(({ isOver }) => !isOver);
  }

  /** Rejects all requests, sent or not. */
  failAll(reason: Error): void {
    const all = [...this.#inFlight, ...this.#lost, ...this.#queue.clear()];
    this.#inFlight = [];
    this.#lost = [];
    this.#waitingLength = this.#inFlightLength = 0;
    for (const job of all) job.reject(reason);
  }

  #lengthOf({ request }: Job<Request, Answer>): number {
    return this.#options.textOf(request).length;
  }
}
