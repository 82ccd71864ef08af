/**
 * One Apertium mode, kept running: started when needed, restarted when it fails, stopped when idle.
 * Every body gets its own answer or an error, whatever happens to the processes meanwhile.
 */
import { ServiceError } from '../../../shared/errors.ts';
import { FairQueue, type Turn } from '../../process/concurrency.ts';
import type { Logger } from '../../process/log.ts';
import { KeptProcess } from '../service/kept-process.ts';
import { ApertiumProcess, type EndCause, withoutTags } from './apertium-process.ts';

/** Behaviour of a pipeline that tests and operators may want to change. */
export interface PipelineSettings {
  /** Longest silence while answers are due; then the processes are replaced, in ms. */
  answerTimeoutMs: number;
  /** A pipeline without work for so long is stopped to give its memory back, in ms. */
  idleMs: number;
  /**
   * More text than that, in UTF-16 units, does not wait for its turn: it is refused, so that another
   * engine may take it.
   */
  maxWaitingLength: number;
}

interface PipelineOptions extends PipelineSettings {
  /** Name of the Apertium mode. */
  mode: string;
  /** Makes the command of the pipeline; see `ApertiumProcess`. */
  readCommand: () => Promise<string>;
  env: Record<string, string>;
  /** What to do when it does not start, for the error message. */
  remedy: string;
  log: Logger;
}

interface Job {
  body: string;
  turn: Turn;
  /** Processes that have ended while this was the oldest request they owed. */
  strikes: number;
  isAbandoned: boolean;
  resolve: (body: string) => void;
  reject: (reason: unknown) => void;
}

/**
 * Enough to keep every stage busy; more would only let a newcomer wait longer. The second limit is
 * the same for long bodies, in UTF-16 units.
 */
const MAX_IN_FLIGHT = 16;
const MAX_IN_FLIGHT_LENGTH = 2_000;
/** And for texts that take long for their length, `a.a.a.a`: so much work, in ms. */
const MAX_IN_FLIGHT_MS = 50;
/** How much the last answer counts for the time that the next will take. */
const PACE_WEIGHT = 0.3;
/** Once may be chance, a body that is there three times when a pipeline ends is the cause. */
const MAX_STRIKES = 3;
/** Starts that fail in a row, in about 2 s, before those who wait get an error. */
const MAX_FAILED_STARTS = 6;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

export class ApertiumPipeline {
  readonly #options: PipelineOptions;
  readonly #queue = new FairQueue<Job>();
  /** Length of all bodies in the queue. */
  #waitingLength = 0;
  /** Sent before and lost with the processes: first in line. */
  #retries: Job[] = [];
  #inFlight: Job[] = [];
  #inFlightLength = 0;
  /** When the last answer came, or work began; what a UTF-16 unit took of late, in ms. */
  #workedSinceMs = 0;
  #msPerUnit = 0;
  readonly #kept: KeptProcess<ApertiumProcess>;

  constructor(options: PipelineOptions) {
    this.#options = options;
    const { mode, idleMs, log } = options;
    this.#kept = new KeptProcess({
      start: () => void this.#start(),
      failure: 'start',
      maxFailures: MAX_FAILED_STARTS,
      firstDelayMs: FIRST_DELAY_MS,
      maxDelayMs: MAX_DELAY_MS,
      idleMs,
      onIdleEnd: () => log.debug({ mode }, 'translator stopped: idle'),
    });
  }

  /**
   * Translates one body in stream format.
   *
   * @param turn of the call: its bodies are served in order
   * @throws ServiceError engine_unavailable when it does not start, is overloaded or closed;
   *   translation_failed when it ends at this body each time; the reason given to {@link abandon}
   */
  translate(body: string, turn: Turn): Promise<string> {
    if (this.#kept.isClosed) return Promise.reject(closed());
    if (this.#kept.isBroken) return Promise.reject(this.#doesNotStart());
    const { maxWaitingLength } = this.#options;
    // An empty queue takes a body of any length: alone it holds nobody back.
    if (this.#waitingLength > 0 && this.#waitingLength + body.length > maxWaitingLength) {
      return Promise.reject(this.#isOverloaded());
    }
    return new Promise((resolve, reject) => {
      this.#waitingLength += body.length;
      this.#queue.push(turn, { body, turn, strikes: 0, isAbandoned: false, resolve, reject });
      this.#pump();
    });
  }

  /** Starts the processes unless they run; those that run without work stay another while. */
  prepare(): void {
    this.#kept.start();
    if (this.#kept.isReady && this.#inFlight.length === 0) this.#kept.rest();
  }

  /** Gives up what a call has asked for; what is already being translated is thrown away later. */
  abandon(turn: Turn, reason: unknown): void {
    for (const job of this.#queue.remove(turn)) {
      this.#waitingLength -= job.body.length;
      job.reject(reason);
    }
    for (const job of [...this.#retries, ...this.#inFlight]) {
      if (job.turn !== turn || job.isAbandoned) continue;
      job.isAbandoned = true;
      job.reject(reason);
    }
    this.#retries = this.#retries.filter((job) => !job.isAbandoned);
  }

  /** Ends the processes and fails what waits; resolves when no process is left. */
  async close(): Promise<void> {
    this.#failAll(closed());
    await this.#kept.close();
  }

  #pump(): void {
    this.#kept.start();
    if (!this.#kept.isReady) return;
    this.#kept.work();
    while (this.#hasRoom()) {
      const job = this.#retries.shift() ?? this.#takeWaiting();
      if (job === undefined) break;
      if (this.#inFlight.length === 0) this.#workedSinceMs = performance.now();
      this.#inFlight.push(job);
      this.#inFlightLength += job.body.length;
      this.#kept.process?.send(job.body);
    }
    if (this.#inFlight.length === 0) this.#kept.rest();
  }

  #takeWaiting(): Job | undefined {
    const job = this.#queue.shift();
    if (job !== undefined) this.#waitingLength -= job.body.length;
    return job;
  }

  #hasRoom(): boolean {
    if (this.#inFlight.length === 0) return true;
    const length = this.#inFlightLength;
    const isShort = length < MAX_IN_FLIGHT_LENGTH && length * this.#msPerUnit < MAX_IN_FLIGHT_MS;
    return this.#inFlight.length < MAX_IN_FLIGHT && isShort;
  }

  #takeAnswer(body: string): void {
    const job = this.#inFlight.shift();
    if (job === undefined) return;
    this.#inFlightLength -= job.body.length;
    this.#notePace(job.body.length);
    this.#kept.noteAnswer();
    if (!job.isAbandoned) job.resolve(withoutTags(body, job.body));
    this.#pump();
  }

  #notePace(length: number): void {
    const nowMs = performance.now();
    const pace = (nowMs - this.#workedSinceMs) / Math.max(length, 1);
    this.#msPerUnit += PACE_WEIGHT * (pace - this.#msPerUnit);
    this.#workedSinceMs = nowMs;
  }

  async #start(): Promise<void> {
    const startMs = performance.now();
    const { mode, readCommand, env, answerTimeoutMs, log } = this.#options;
    try {
      const command = await readCommand();
      if (this.#kept.isClosed) return;
      const process = new ApertiumProcess({
        command,
        env,
        answerTimeoutMs,
        onReady: () => {
          this.#kept.noteReady();
          const startupMs = Math.round(performance.now() - startMs);
          log.debug({ mode, processGroup: process.groupId, startupMs }, 'translator ready');
          this.#pump();
        },
        onAnswer: (body) => this.#takeAnswer(body),
        onEnd: (cause, startErrors) => this.#takeEnd(cause, startErrors),
      });
      this.#kept.adopt(process);
    } catch (error) {
      log.error({ mode, err: error }, 'translator cannot be started');
      if (!this.#kept.isClosed) this.#takeEnd('died', '');
    }
  }

  #takeEnd(cause: EndCause, startErrors: string): void {
    const lost = this.#inFlight;
    this.#inFlight = [];
    this.#inFlightLength = 0;
    if (cause === 'stopped') return;
    const { wasReady, isHopeless } = this.#kept.noteEnd();
    const { mode, log } = this.#options;
    log.warn({ mode, cause, wasReady, inFlight: lost.length, startErrors }, 'translator ended');
    if (isHopeless) {
      this.#failAll(this.#doesNotStart());
      return;
    }
    const [suspect, ...others] = lost;
    this.#strike(suspect);
    // The suspect goes last: should it end the next processes too, the others have their answers.
    const inLine = [...others, ...this.#retries, ...(suspect === undefined ? [] : [suspect])];
    this.#retries = inLine.filter((job) => !job.isAbandoned);
    if (this.#retries.length > 0 || !this.#queue.isEmpty) this.#pump();
  }

  /** Stages answer in order: when processes end, the oldest request they owed is the suspect. */
  #strike(job: Job | undefined): void {
    if (job === undefined || ++job.strikes < MAX_STRIKES || job.isAbandoned) return;
    job.isAbandoned = true;
    const { mode, log } = this.#options;
    log.error({ mode, bodyLength: job.body.length }, 'a text ends the translator each time');
    job.reject(
      new ServiceError(
        'translation_failed',
        'The translator stopped three times at one of the sentences. Rephrase or shorten it and try again.',
      ),
    );
  }

  #failAll(reason: ServiceError): void {
    const waiting = [...this.#inFlight, ...this.#retries, ...this.#queue.clear()];
    this.#retries = [];
    this.#waitingLength = 0;
    for (const job of waiting) if (!job.isAbandoned) job.reject(reason);
  }

  #doesNotStart(): ServiceError {
    const { mode, remedy } = this.#options;
    return new ServiceError(
      'engine_unavailable',
      `The translator ${mode} does not start. ${remedy}`,
    );
  }

  #isOverloaded(): ServiceError {
    return new ServiceError(
      'engine_unavailable',
      `More text waits for the translator ${this.#options.mode} than it may. Try again in a moment.`,
    );
  }
}

function closed(): ServiceError {
  return new ServiceError(
    'engine_unavailable',
    'The translator is shutting down. Try again in a moment.',
  );
}
