/** One life of `hunspell -a`: a dictionary that is asked word by word, until it ends for any reason. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { Readable, Writable } from 'node:stream';

/** What a dictionary knows of a word. */
export interface WordFinding {
  isKnown: boolean;
  /** Of a word that it does not know, the likeliest first. */
  suggestions: readonly string[];
}

export interface HunspellProcessOptions {
  program: string;
  /** Path of the dictionary, without `.dic`. */
  dictionary: string;
  /** Longest silence while answers are due, in ms. */
  answerTimeoutMs: number;
  /** The dictionary is loaded. */
  onReady: () => void;
  /** Answers come in the order of the words. */
  onAnswer: (finding: WordFinding) => void;
  /** Called once, last; words without an answer will get none. */
  onEnd: (cause: 'stopped' | 'died' | 'hung' | 'garbled') => void;
}

/** A word has some 15 suggestions: an answer of this many UTF-16 units is none. */
const MAX_ANSWER_LENGTH = 100_000;

/** Starts a dictionary; nothing here restarts it. */
export class HunspellProcess {
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
      // It would take word lists from the home of whoever runs the server.
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

  /** @param word letters and apostrophes alone: anything else could be a command */
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

/** `& word 2 0: one, other`, `# word 0` without suggestions; what it took apart counts as known. */
function findingOf(lines: readonly string[]): WordFinding {
  const [line = '*'] = lines;
  if (lines.length > 1 || !/^[&#]/.test(line)) return { isKnown: true, suggestions: [] };
  const [, list] = line.split(/: (.*)/s);
  return { isKnown: false, suggestions: list?.split(', ') ?? [] };
}
