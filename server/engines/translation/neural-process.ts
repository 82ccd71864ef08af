/** One life of the process of a model: from its start to its end, for any reason. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { HangWatch, forkChild, OUTLIVE_SIGNALS } from '../../process/index.ts';
import type { BergamotSentence } from './bergamot.ts';
import type { MarianFiles } from './marian-files.ts';

/** Why a life has ended. */
export type NeuralEnd =
  | 'stopped'
  | 'died'
  /** An answer is overdue, or the model takes too long to load. */
  | 'hung';

interface NeuralProcessOptions {
  opening: NeuralOpening;
  compilerFlags: readonly string[];
  /** Longest time of the processor to load the model, in ms. */
  startTimeoutMs: number;
  /** Longest time of the processor to translate one batch, in ms. */
  answerTimeoutMs: number;
  onReady: () => void;
  /** The translations of the batch that was asked for. */
  onAnswer: (texts: readonly string[]) => void;
  /**
   * Called once, last; what was asked and not answered will not be.
   *
   * @param reason what the process said was wrong with the model, if it did
   */
  onEnd: (cause: NeuralEnd, reason: string | undefined) => void;
}

/** Starts the process; nothing here restarts it. */
export class NeuralProcess {
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
      // With one arena the memory that compilers have used is there for others: 40 MB less; 10 MB less
      // where glibc gives back what is free from 128 KiB on. To collect garbage is for a loaded model that
      // moves to another memory.
      env: { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' },
      execArgv: [...OUTLIVE_SIGNALS, ...options.compilerFlags, '--expose-gc'],
      // What a runtime says when it breaks may have texts in it.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#exited = once(this.#child, 'close').catch(() => undefined);
    this.#child.on('message', (answer: NeuralAnswer) => this.#receive(answer));
    this.#child.on('error', () => this.#end('died'));
    this.#child.on('close', () => {
      // What it said last may still be on its way.
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

  /** Asks for the translations of a batch; the one before must be answered. */
  send(sentences: readonly BergamotSentence[]): void {
    if (this.#hasEnded) return;
    this.#answering.start();
    // A channel that has just been closed shows as the end of the process.
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
    // It has nothing to bring to an end.
    this.#child.kill('SIGKILL');
    this.#options.onEnd(cause, this.#reason);
  }
}

// What the process of a neural model and its parent say to each other.

/** What the process is started with, as JSON. */
export interface NeuralOpening {
  files: MarianFiles;
  hasAlphas: boolean;
}

/** To the process: sentences, answered in the order of the questions. */
export interface NeuralQuestion {
  sentences: readonly BergamotSentence[];
}

/** From the process. */
export type NeuralAnswer =
  /** The model is loaded, and has translated once. */
  | { kind: 'ready' }
  /** It will not be: why, for people. The process ends. */
  | { kind: 'failed'; reason: string }
  | { kind: 'translated'; texts: readonly string[] };
