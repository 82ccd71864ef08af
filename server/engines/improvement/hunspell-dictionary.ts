/**
 * Keeps the process of one Hunspell dictionary running: starts it on demand, restarts it after a failure,
 * stops it when idle. Results are cached.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { ServiceError } from '../../../shared/errors.ts';
import type { Turn } from '../../process/concurrency.ts';
import type { Logger } from '../../process/log.ts';
import { ProcessJobs, SupervisedProcess } from '../service/supervised-process.ts';

interface HunspellDictionaryOptions {
  program: string;
  /** Path of the dictionary, without `.dic`. */
  dictionary: string;
  log: Logger;
  /** Longest silence while answers are due, in ms; after it the process is replaced. */
  answerTimeoutMs: number;
  /** Idle time after which a dictionary is stopped to free its memory, in ms. */
  idleMs: number;
}

/** Enough to keep the process busy; a newcomer waits for at most this many words. */
const MAX_IN_FLIGHT = 8;
/** Number of process deaths after which a word counts as their cause; fewer may be chance. */
const MAX_CRASHES = 3;
/** Consecutive processes without an answer, within about 1.5 s, after which waiting words are rejected. */
const MAX_FAILURES = 5;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
/** Number of cached results. */
const MAX_REMEMBERED = 20_000;

export const known: WordFinding = { isKnown: true, suggestions: [] };

export class HunspellDictionary {
  readonly #options: HunspellDictionaryOptions;
  readonly #jobs = new ProcessJobs<string, WordFinding>({
    textOf: (word) => word,
    isInOrder: true,
    maxCrashes: MAX_CRASHES,
    giveUp: ({ resolve }) => resolve(known),
  });
  readonly #remembered = new Map<string, WordFinding>();
  readonly #kept: SupervisedProcess<HunspellProcess>;

  constructor(options: HunspellDictionaryOptions) {
    this.#options = options;
    this.#kept = new SupervisedProcess({
      start: () => this.#start(),
      failure: 'life',
      maxFailures: MAX_FAILURES,
      firstDelayMs: FIRST_DELAY_MS,
      maxDelayMs: MAX_DELAY_MS,
      idleMs: options.idleMs,
    });
  }

  /**
   * Looks up a word; a word that ends the process each time counts as known.
   *
   * @param word letters and apostrophes only
   * @param turn turn of the call; its words are looked up in order
   * @throws ServiceError engine_unavailable when the process does not start or is closed; the reason given to
   *   {@link abandon}
   */
  look(word: string, turn: Turn): Promise<WordFinding> {
    const remembered = this.#remembered.get(word);
    if (remembered !== undefined) return Promise.resolve(remembered);
    if (this.#kept.isClosed || this.#kept.isBroken) return Promise.reject(this.#unavailable());
    const finding = this.#jobs.add(word, turn);
    this.#pump();
    return finding;
  }

  /**
   * Starts the process ahead of the first word.
   *
   * @param mayStay called whenever the process has been idle for long; `false` ends it
   */
  async prepare(mayStay: () => boolean): Promise<void> {
    this.#kept.stayWhile(mayStay);
    // A word that no dictionary contains, so that the data for suggestions is loaded too.
    await this.look('xqvzk', { account: undefined });
  }

  /** Rejects the words of a call that have no answer yet. */
  abandon(turn: Turn, reason: unknown): void {
    this.#jobs.abandon(turn, reason);
  }

  /** Ends the process and rejects waiting words; resolves when the process is gone. */
  async close(): Promise<void> {
    const closed = this.#kept.close();
    this.#jobs.failAll(this.#unavailable());
    await closed;
  }

  #pump(): void {
    this.#kept.start();
    if (!this.#kept.isReady) return;
    this.#kept.work();
    while (this.#jobs.inFlightCount < MAX_IN_FLIGHT) {
      const job = this.#jobs.send();
      if (job === undefined) break;
      this.#kept.process?.look(job.request);
    }
    if (this.#jobs.inFlightCount === 0) this.#kept.rest();
  }

  #start(): void {
    const process = new HunspellProcess({
      ...this.#options,
      onReady: () => {
        this.#kept.noteReady();
        this.#pump();
      },
      onAnswer: (finding) => this.#takeAnswer(finding),
      onEnd: (cause) => this.#takeEnd(cause),
    });
    this.#kept.adopt(process);
  }

  #takeAnswer(finding: WordFinding): void {
    const job = this.#jobs.receive();
    if (job === undefined) return;
    this.#kept.noteAnswer();
    this.#remember(job.request, finding);
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
    log.warn({ dictionary, cause, inFlight: this.#jobs.inFlightCount }, 'dictionary ended');
    const { isHopeless } = this.#kept.noteEnd();
    if (isHopeless) {
      this.#jobs.failAll(this.#unavailable());
      return;
    }
    this.#jobs.lose();
    if (!this.#jobs.areSent) this.#pump();
  }

  #unavailable(): ServiceError {
    const message = this.#kept.isClosed
      ? 'The spelling dictionaries are being closed. Try again in a moment.'
      : 'A spelling dictionary does not start. Reinstall hunspell and its dictionaries.';
    return new ServiceError('engine_unavailable', message);
  }
}

// One run of `hunspell -a`: looks up words until the process ends for any reason.

/** Result of a lookup. */
export interface WordFinding {
  isKnown: boolean;
  /** Suggestions for an unknown word, the likeliest first. */
  suggestions: readonly string[];
}

interface HunspellProcessOptions {
  program: string;
  /** Path of the dictionary, without `.dic`. */
  dictionary: string;
  /** Longest silence while answers are due, in ms. */
  answerTimeoutMs: number;
  /** Called when the dictionary is loaded. */
  onReady: () => void;
  /** Called with each result, in the order of the words. */
  onAnswer: (finding: WordFinding) => void;
  /** Called once, as the last callback; words not answered by then never will be. */
  onEnd: (cause: 'stopped' | 'died' | 'hung' | 'garbled') => void;
}

/** Longest answer in UTF-16 units; a word has some 15 suggestions, so a longer answer is garbled. */
const MAX_ANSWER_LENGTH = 100_000;

/** The process of a dictionary; it is not restarted here. */
class HunspellProcess {
  readonly #options: HunspellProcessOptions;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #decoder = new StringDecoder('utf8');
  readonly #exited: Promise<void>;
  #rest = '';
  /** Lines of the current answer. */
  #lines: string[] = [];
  #due = 0;
  #isReady = false;
  #hasEnded = false;
  #watchdog: NodeJS.Timeout | undefined;

  constructor(options: HunspellProcessOptions) {
    this.#options = options;
    const { program, dictionary } = options;
    this.#child = spawn(program, ['-a', '-i', 'utf-8', '-d', dictionary], {
      // Keeps hunspell from reading personal word lists in the user's home.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent', LC_ALL: 'C.UTF-8' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', () => resolve());
      this.#child.once('error', () => resolve());
    });
    this.#child.stdout.on('data', (chunk: Buffer) => this.#read(this.#decoder.write(chunk)));
    this.#child.on('error', () => this.#end('died'));
    this.#child.on('close', () => this.#end('died'));
    // A closed pipe shows as the end of the process as well.
    for (const stream of [this.#child.stdin, this.#child.stdout]) stream.on('error', () => {});
    this.#watch();
  }

  /** @param word letters and apostrophes only: anything else could be a command */
  look(word: string): void {
    if (this.#hasEnded) return;
    if (this.#due++ === 0) this.#watch();
    this.#child.stdin.write(`^${word}\n`);
  }

  /** Ends the process; resolves when it is gone. */
  async stop(): Promise<void> {
    this.#end('stopped');
    await this.#exited;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MAX_ANSWER_LENGTH) this.#end('garbled');
    for (const line of lines) if (!this.#hasEnded) this.#takeLine(line);
  }

  #takeLine(line: string): void {
    if (!this.#isReady) {
      if (!line.startsWith('@(#)')) return;
      this.#isReady = true;
      clearTimeout(this.#watchdog);
      this.#options.onReady();
    } else if (line !== '') {
      this.#lines.push(line);
      if (this.#lines.length > MAX_ANSWER_LENGTH) this.#end('garbled');
    } else if (this.#due === 0) {
      this.#end('garbled');
    } else {
      const lines = this.#lines;
      this.#lines = [];
      this.#due -= 1;
      if (this.#due === 0) clearTimeout(this.#watchdog);
      else this.#watchdog?.refresh();
      this.#options.onAnswer(findingOf(lines));
    }
  }

  #watch(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => this.#end('hung'), this.#options.answerTimeoutMs);
  }

  #end(cause: Parameters<HunspellProcessOptions['onEnd']>[0]): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#watchdog);
    this.#child.kill('SIGKILL');
    this.#options.onEnd(cause);
  }
}

/**
 * Parses `& word 2 0: one, other`, or `# word 0` without suggestions; a word split into several counts as
 * known.
 */
function findingOf(lines: readonly string[]): WordFinding {
  const [line = '*'] = lines;
  if (lines.length > 1 || !/^[&#]/.test(line)) return { isKnown: true, suggestions: [] };
  const [, list] = line.split(/: (.*)/s);
  return { isKnown: false, suggestions: list?.split(', ') ?? [] };
}
