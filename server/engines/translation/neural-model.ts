/**
 * Keeps one translation model ready: starts its process on demand, replaces it after a failure, and ends it
 * when idle. Sentences of all accounts are batched and take turns.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ServiceError } from '../../../shared/errors.ts';
import type { Turn } from '../../process/concurrency.ts';
import type { Logger } from '../../process/log.ts';
import { type Job, ProcessJobs, SupervisedProcess } from '../service/supervised-process.ts';
import type { BergamotSentence } from './bergamot.ts';
import { HangWatch, forkChild, OUTLIVE_SIGNALS } from '../../process/index.ts';
import type { MarianFiles } from './marian-files.ts';

/** Limits that tests and operators may change. */
export interface NeuralModelSettings {
  /** Idle time after which a model is unloaded, in ms. */
  idleMs: number;
  /** Node flags that control how the model's process compiles its runtime. */
  compilerFlags: readonly string[];
  startTimeoutMs: number;
  answerTimeoutMs: number;
  /** Limit of queued text, in UTF-16 units. Text beyond it is refused, so that another engine may take it. */
  maxWaitingLength: number;
}

interface NeuralModelOptions extends NeuralModelSettings {
  name: string;
  opening: NeuralOpening;
  log: Logger;
  /** Called when a process is about to start, and when it becomes idle. */
  onChange: () => void;
}

/**
 * Limits of a batch in sentences, and in UTF-16 units of text. Half a second of work for a small model, and
 * thus the longest that a caption of another session waits.
 */
const MAX_BATCH = 16;
const MAX_BATCH_LENGTH = 1_000;
/**
 * Number of crashes after which a sentence counts as their cause, since it is retried alone; one may be
 * chance.
 */
const MAX_CRASHES = 2;
/** Consecutive failed starts after which waiting sentences are rejected. */
const MAX_FAILED_STARTS = 2;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 60_000;

export class NeuralModel {
  readonly #options: NeuralModelOptions;
  readonly #jobs: ProcessJobs<BergamotSentence, string>;
  readonly #kept: SupervisedProcess<NeuralProcess>;
  #isPumpDue = false;
  #reason: string | undefined;

  constructor(options: NeuralModelOptions) {
    this.#options = options;
    const { name, idleMs, maxWaitingLength, log } = options;
    this.#jobs = new ProcessJobs({
      textOf: ({ text }) => text,
      maxWaitingLength,
      isInOrder: false,
      maxCrashes: MAX_CRASHES,
      giveUp: (job) => this.#giveUp(job),
    });
    this.#kept = new SupervisedProcess({
      start: () => this.#start(),
      failure: 'start',
      maxFailures: MAX_FAILED_STARTS,
      firstDelayMs: FIRST_DELAY_MS,
      maxDelayMs: MAX_DELAY_MS,
      idleMs,
      onIdleEnd: () => log.debug({ model: name }, 'neural model unloaded'),
    });
  }

  /** Whether the model is in memory or being loaded. */
  get isLoaded(): boolean {
    return this.#kept.process !== undefined;
  }

  /** Start of the idle period, on the clock of `performance.now()`; Infinity while the model has work. */
  get idleSinceMs(): number {
    return this.#kept.idleSinceMs;
  }

  /**
   * Translates one sentence without line breaks.
   *
   * @param turn turn of the call; its sentences are served in order
   * @throws ServiceError engine_unavailable when the model does not load, is overloaded or closed;
   *   translation_failed when its process ends at this sentence; the reason given to {@link abandon}
   */
  translate(sentence: BergamotSentence, turn: Turn): Promise<string> {
    if (this.#kept.isClosed) return Promise.reject(closed());
    if (this.#kept.isBroken) return Promise.reject(this.#doesNotLoad());
    if (!this.#jobs.hasRoomFor(sentence)) return Promise.reject(this.#isOverloaded());
    const translated = this.#jobs.add(sentence, turn);
    this.#pumpSoon();
    return translated;
  }

  /** Loads the model unless it is loaded, and restarts the idle time of a loaded one. */
  prepare(): void {
    this.#kept.start();
    if (this.#kept.isReady && this.#jobs.inFlightCount === 0) this.#becomeIdle();
  }

  /** Rejects all sentences of a call; answers already under way are discarded when they arrive. */
  abandon(turn: Turn, reason: unknown): void {
    this.#jobs.abandon(turn, reason);
  }

  /** Unloads the model if it is idle. */
  unload(): void {
    this.#kept.endIdle();
  }

  /** Ends the process and rejects waiting sentences; resolves when no process is left. */
  async close(): Promise<void> {
    this.#jobs.failAll(closed());
    await this.#kept.close();
  }

  /** Sends after the current task, so that sentences queued in the same turn share a batch. */
  #pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (!this.#jobs.areSent) this.#kept.start();
    if (!this.#kept.isReady || this.#jobs.inFlightCount > 0) return;
    const batch = this.#nextBatch();
    if (batch.length === 0) {
      this.#becomeIdle();
      return;
    }
    this.#kept.work();
    this.#kept.process?.send(batch);
  }

  #nextBatch(): BergamotSentence[] {
    // A sentence that may have ended a process is sent on its own.
    const maxCount = this.#jobs.hasLost ? 1 : MAX_BATCH;
    const batch: BergamotSentence[] = [];
    while (batch.length < maxCount && this.#jobs.inFlightLength < MAX_BATCH_LENGTH) {
      const job = this.#jobs.send();
      if (job === undefined) break;
      batch.push(job.request);
    }
    return batch;
  }

  #takeAnswer(texts: readonly string[]): void {
    this.#kept.noteAnswer();
    for (const text of texts) this.#jobs.receive()?.resolve(text);
    // Callers that just got an answer may queue their next sentence first.
    setImmediate(() => this.#pump());
  }

  #start(): void {
    const startMs = performance.now();
    const { name, opening, compilerFlags, startTimeoutMs, answerTimeoutMs, log, onChange } =
      this.#options;
    const process = new NeuralProcess({
      opening,
      compilerFlags,
      startTimeoutMs,
      answerTimeoutMs,
      onReady: () => {
        this.#kept.noteReady();
        const loadMs = Math.round(performance.now() - startMs);
        log.debug({ model: name, childPid: process.pid, loadMs }, 'neural model loaded');
        this.#pump();
      },
      onAnswer: (texts) => this.#takeAnswer(texts),
      onEnd: (cause, reason) => this.#takeEnd(cause, reason),
    });
    this.#kept.adopt(process);
    onChange();
  }

  #takeEnd(cause: NeuralEnd, reason: string | undefined): void {
    if (cause === 'stopped') return;
    const { wasReady, isHopeless } = this.#kept.noteEnd();
    const { name, log } = this.#options;
    const { inFlightCount: inFlight } = this.#jobs;
    log.warn({ model: name, cause, wasReady, inFlight, reason }, 'neural model ended');
    this.#reason = reason;
    if (isHopeless) {
      this.#jobs.failAll(this.#doesNotLoad());
      return;
    }
    this.#jobs.lose();
    this.#pump();
  }

  #giveUp({ request, reject }: Job<BergamotSentence, string>): void {
    const { name, log } = this.#options;
    const { length } = request.text;
    log.error({ model: name, length }, 'a text crashes a neural model repeatedly');
    reject(
      new ServiceError(
        'translation_failed',
        'The translator stopped twice at one of the sentences. Rephrase or shorten it and try again.',
      ),
    );
  }

  #becomeIdle(): void {
    this.#kept.rest();
    this.#options.onChange();
  }

  #doesNotLoad(): ServiceError {
    const { name } = this.#options;
    const because = this.#reason === undefined ? '' : ` (${this.#reason})`;
    return new ServiceError(
      'engine_unavailable',
      `The translation model ${name} does not load${because}. ${installAgain(name)}`,
    );
  }

  #isOverloaded(): ServiceError {
    return new ServiceError(
      'engine_unavailable',
      `More text waits for the translation model ${this.#options.name} than may. Try again in a moment.`,
    );
  }
}

/** Advice for a model whose files are damaged. */
export function installAgain(name: string): string {
  const models = 'npm run dragoman -- models';
  return `Install it again: ${models} remove ${name}, then ${models} install ${name}.`;
}

function closed(): ServiceError {
  return new ServiceError(
    'engine_unavailable',
    'The translator is shutting down. Try again in a moment.',
  );
}

/** Reason why the process ended. */
type NeuralEnd =
  | 'stopped'
  | 'died'
  /** An answer is overdue, or loading takes too long. */
  | 'hung';

interface NeuralProcessOptions {
  opening: NeuralOpening;
  compilerFlags: readonly string[];
  /** Longest processor time for loading the model, in ms. */
  startTimeoutMs: number;
  /** Longest processor time for translating one batch, in ms. */
  answerTimeoutMs: number;
  onReady: () => void;
  /** Receives the translations of the batch in progress. */
  onAnswer: (texts: readonly string[]) => void;
  /**
   * Called once, as the last callback; a batch not answered by then never will be.
   *
   * @param reason the error reported by the process, if any
   */
  onEnd: (cause: NeuralEnd, reason: string | undefined) => void;
}

/** The process of one model; it is not restarted here. */
class NeuralProcess {
  readonly #options: NeuralProcessOptions;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #loading: HangWatch;
  readonly #answering: HangWatch;
  #reason: string | undefined;
  #hasEnded = false;

  constructor(options: NeuralProcessOptions) {
    this.#options = options;
    this.#child = forkChild(import.meta.url, './neural-child', {
      args: [JSON.stringify(options.opening)],
      // A single arena lets memory freed by compilation be reused: 40 MB less. Another 10 MB less where glibc
      // returns free blocks from 128 KiB on. `--expose-gc` lets a loaded model move to another memory.
      env: { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' },
      execArgv: [...OUTLIVE_SIGNALS, ...options.compilerFlags, '--expose-gc'],
      // Output of a crashing runtime may contain user text.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#exited = once(this.#child, 'close').catch(() => undefined);
    this.#child.on('message', (answer: NeuralAnswer) => this.#receive(answer));
    this.#child.on('error', () => this.#end('died'));
    this.#child.on('close', () => {
      // The last message may still be in the channel.
      if (this.#child.connected) this.#child.once('disconnect', () => this.#end('died'));
      else this.#end('died');
    });
    const { pid } = this.#child;
    const onHang = () => this.#end('hung');
    this.#loading = new HangWatch({ pid, timeoutMs: options.startTimeoutMs, onHang });
    this.#answering = new HangWatch({ pid, timeoutMs: options.answerTimeoutMs, onHang });
    this.#loading.start();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Requests the translations of a batch; the previous batch must have been answered. */
  send(sentences: readonly BergamotSentence[]): void {
    if (this.#hasEnded) return;
    this.#answering.start();
    // A channel that was just closed shows as the end of the process.
    this.#child.send({ sentences } satisfies NeuralQuestion, () => undefined);
  }

  /** Ends the process; resolves when it is gone. */
  async stop(): Promise<void> {
    this.#end('stopped');
    await this.#exited;
  }

  #receive(answer: NeuralAnswer): void {
    if (this.#hasEnded) return;
    this.#stopWatching();
    if (answer.kind === 'ready') this.#options.onReady();
    else if (answer.kind === 'translated') this.#options.onAnswer(answer.texts);
    else this.#reason = answer.reason;
  }

  #stopWatching(): void {
    this.#loading.stop();
    this.#answering.stop();
  }

  #end(cause: NeuralEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopWatching();
    // SIGKILL, since the process has nothing to clean up.
    this.#child.kill('SIGKILL');
    this.#options.onEnd(cause, this.#reason);
  }
}

// The protocol between the process of a model and its parent.

/** Argument of the process, as JSON. */
export interface NeuralOpening {
  files: MarianFiles;
  hasAlphas: boolean;
}

/** Message to the process: sentences to translate, answered in order. */
export interface NeuralQuestion {
  sentences: readonly BergamotSentence[];
}

/** Messages from the process. */
export type NeuralAnswer =
  /** The model is loaded and has translated once. */
  | { kind: 'ready' }
  /** Loading failed; `reason` is for the operator. The process ends. */
  | { kind: 'failed'; reason: string }
  | { kind: 'translated'; texts: readonly string[] };
