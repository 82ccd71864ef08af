/**
 * One Hunspell dictionary, kept running: started when needed, restarted when it fails, stopped when
 * idle. What was found out about a word is remembered for a while.
 */
import { ServiceError } from '../../../shared/errors.ts';
import { FairQueue, type Turn } from '../../process/concurrency.ts';
import type { Logger } from '../../process/log.ts';
import { HunspellProcess, type WordFinding } from './hunspell-process.ts';

export interface HunspellDictionaryOptions {
  program: string;
  /** Path of the dictionary, without `.dic`. */
  dictionary: string;
  log: Logger;
  /** Longest silence while answers are due; then the process is replaced, in ms. */
  answerTimeoutMs: number;
  /** A dictionary that nobody asks for so long is stopped to give its memory back, in ms. */
  idleMs: number;
}

interface Job {
  word: string;
  turn: Turn;
  /** Processes that have ended while this was the oldest word they owed. */
  strikes: number;
  resolve: (finding: WordFinding) => void;
  reject: (reason: unknown) => void;
}

/** Enough to keep it busy; a newcomer waits for no more than these. */
const MAX_IN_FLIGHT = 8;
/** Once may be chance, a word that is there three times when it ends is the cause. */
const MAX_STRIKES = 3;
/** Starts that fail in a row, in about 1.5 s, before those who wait are told. */
const MAX_FAILED_STARTS = 5;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
/** Words whose findings are remembered. */
const MAX_REMEMBERED = 20_000;

const known: WordFinding = { isKnown: true, suggestions: [] };

export class HunspellDictionary {
  readonly #options: HunspellDictionaryOptions;
  readonly #queue = new FairQueue<Job>();
  readonly #remembered = new Map<string, WordFinding>();
  #retries: Job[] = [];
  #inFlight: Job[] = [];
  #process: HunspellProcess | undefined;
  readonly #ending = new Set<Promise<void>>();
  #state: 'stopped' | 'starting' | 'ready' | 'closed' = 'stopped';
  #failedStarts = 0;
  #earliestStartMs = 0;
  #startTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: HunspellDictionaryOptions) {
    this.#options = options;
  }

  /**
   * What the dictionary knows of a word; a word that ends it each time counts as known.
   *
   * @param word letters and apostrophes alone
   * @param turn of the call: its words are looked up in order
   * @throws ServiceError engine_unavailable when it does not start or is closed; the reason given to
   *   {@link abandon}
   */
  look(word: string, turn: Turn): Promise<WordFinding> {
    const remembered = this.#remembered.get(word);
    if (remembered !== undefined) return Promise.resolve(remembered);
    const mustWait = performance.now() < this.#earliestStartMs;
    const isBroken = this.#failedStarts >= MAX_FAILED_STARTS && mustWait;
    if (this.#state === 'closed' || isBroken) return Promise.reject(this.#unavailable());
    return new Promise((resolve, reject) => {
      this.#queue.push(turn, { word, turn, strikes: 0, resolve, reject });
      this.#pump();
    });
  }

  /** Gives up the words of a call that wait. */
  abandon(turn: Turn, reason: unknown): void {
    for (const job of this.#queue.remove(turn)) job.reject(reason);
  }

  /** Ends the process and fails what waits; resolves when it is gone. */
  async close(): Promise<void> {
    this.#state = 'closed';
    clearTimeout(this.#startTimer);
    clearTimeout(this.#idleTimer);
    this.#failAll();
    this.#letEnd();
    await Promise.all(this.#ending);
  }

  #pump(): void {
    if (this.#state === 'stopped') this.#startWhenDue();
    if (this.#state !== 'ready') return;
    clearTimeout(this.#idleTimer);
    while (this.#inFlight.length < MAX_IN_FLIGHT) {
      const job = this.#retries.shift() ?? this.#queue.shift();
      if (job === undefined) break;
      this.#inFlight.push(job);
      this.#process?.look(job.word);
    }
    if (this.#inFlight.length === 0) this.#stopWhenIdle();
  }

  #startWhenDue(): void {
    this.#state = 'starting';
    const delayMs = this.#earliestStartMs - performance.now();
    if (delayMs <= 0) this.#start();
    else this.#startTimer = setTimeout(() => this.#start(), delayMs);
  }

  #start(): void {
    this.#process = new HunspellProcess({
      ...this.#options,
      onReady: () => {
        this.#state = 'ready';
        this.#pump();
      },
      onAnswer: (finding) => this.#takeAnswer(finding),
      onEnd: (cause) => this.#takeEnd(cause),
    });
  }

  #takeAnswer(finding: WordFinding): void {
    const job = this.#inFlight.shift();
    if (job === undefined) return;
    this.#failedStarts = 0;
    this.#remember(job.word, finding);
    job.resolve(finding);
    this.#pump();
  }

  #remember(word: string, finding: WordFinding): void {
    this.#remembered.set(word, finding);
    if (this.#remembered.size <= MAX_REMEMBERED) return;
    for (const [oldest] of this.#remembered) {
      this.#remembered.delete(oldest);
      break;
    }
  }

  #takeEnd(cause: Parameters<ConstructorParameters<typeof HunspellProcess>[0]['onEnd']>[0]): void {
    if (cause === 'stopped') return;
    const { dictionary, log } = this.#options;
    const [suspect, ...others] = this.#inFlight;
    log.warn({ dictionary, cause, inFlight: this.#inFlight.length }, 'dictionary ended');
    this.#inFlight = [];
    clearTimeout(this.#idleTimer);
    this.#state = 'stopped';
    this.#letEnd();
    this.#postponeStart();
    if (this.#failedStarts >= MAX_FAILED_STARTS) {
      for (const job of [...others, ...(suspect === undefined ? [] : [suspect])]) {
        job.reject(this.#unavailable());
      }
      this.#failAll();
      return;
    }
    this.#retries = [...others, ...this.#retries];
    if (suspect !== undefined && ++suspect.strikes >= MAX_STRIKES) suspect.resolve(known);
    // The suspect goes last: should it end the next process too, the others have their answers.
    else if (suspect !== undefined) this.#retries.push(suspect);
    if (this.#retries.length > 0 || !this.#queue.isEmpty) this.#pump();
  }

  /** The first restart is immediate; a broken installation must not spin. */
  #postponeStart(): void {
    const delayMs = this.#failedStarts === 0 ? 0 : FIRST_DELAY_MS * 2 ** (this.#failedStarts - 1);
    this.#failedStarts += 1;
    this.#earliestStartMs = performance.now() + Math.min(delayMs, MAX_DELAY_MS);
  }

  #stopWhenIdle(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      this.#state = 'stopped';
      this.#letEnd();
    }, this.#options.idleMs);
    this.#idleTimer.unref();
  }

  #letEnd(): void {
    const process = this.#process;
    if (process === undefined) return;
    this.#process = undefined;
    const ending = process.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #failAll(): void {
    const waiting = [...this.#inFlight, ...this.#retries, ...this.#queue.clear()];
    this.#inFlight = [];
    this.#retries = [];
    for (const job of waiting) job.reject(this.#unavailable());
  }

  #unavailable(): ServiceError {
    const message =
      this.#state === 'closed'
        ? 'The spelling dictionaries are being closed. Try again in a moment.'
        : 'A spelling dictionary does not start. Reinstall hunspell and its dictionaries.';
    return new ServiceError('engine_unavailable', message);
  }
}
