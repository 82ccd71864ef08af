/** One life of an Apertium pipeline: from the start of its processes to their end, for any reason. */
import { StringDecoder } from 'node:string_decoder';
import { startProcessGroup, type ProcessGroup } from '../../process/index.ts';
import { decodeAnswer, encodeRequest, FRAME_END } from './apertium-stream.ts';

/** Why a life has ended. */
export type EndCause =
  | 'stopped'
  /** A process of the group is gone, the shell included. */
  | 'died'
  /** An answer is overdue. */
  | 'hung'
  /** Output that is not the answer to what was asked, or no end of it. */
  | 'garbled';

export interface ApertiumProcessOptions {
  /** Pipeline for `/bin/sh`; takes `$1` and `$2` as mode files do. */
  command: string;
  env: Record<string, string>;
  /** Longest silence while answers are due, in ms. */
  answerTimeoutMs: number;
  /** All stages have loaded their data and have translated once. */
  onReady: () => void;
  /** The body of the next answer; answers come in the order of the requests. */
  onAnswer: (body: string) => void;
  /** Called once, last; what was asked and not answered will not be. */
  onEnd: (cause: EndCause, startErrors: string) => void;
}

/** Any word will do; `-n` and the rest of the pipeline have to be exercised once. */
const PROBE = 'casa';
/** Pieces are a few hundred characters long: an answer of this many UTF-16 units is a runaway stage. */
const MAX_ANSWER_LENGTH = 1_000_000;
const MAX_START_ERRORS_LENGTH = 2_000;

/** Starts the processes of a mode; nothing here restarts them. */
export class ApertiumProcess {
  readonly #options: ApertiumProcessOptions;
  readonly #group: ProcessGroup;
  readonly #decoder = new StringDecoder('utf8');
  /** What has arrived of the current frame. */
  #parts: string[] = [];
  #partsLength = 0;
  #nextSerial = 0;
  #dueSerial = 0;
  #watchdog: NodeJS.Timeout | undefined;
  #hasEnded = false;
  /** Kept until ready, when no text of a user can be in it; then only read to keep the pipe empty. */
  #startErrors = '';

  constructor(options: ApertiumProcessOptions) {
    this.#options = options;
    // `-n`: words without a translation come back plain. The empty argument is the tagger's option.
    this.#group = startProcessGroup({
      command: options.command,
      args: ['-n', ''],
      env: options.env,
    });
    const { child } = this.#group;
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    // Not at `exit`: whole answers may still be on their way, and they are not to be asked again.
    child.stdout.on('close', () => this.#takeOutputEnd());
    child.on('exit', () => void this.#group.end());
    child.on('close', () => this.#end('died'));
    child.stderr.on('data', (chunk: Buffer) => this.#keepStartError(chunk));
    // A closed pipe shows on stdout as well; without a listener it would end our own process.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {});
    child.on('error', () => this.#end('died'));
    this.send(PROBE);
  }

  /** Id of the process group, for the log. */
  get groupId(): number | undefined {
    return this.#group.id;
  }

  /** Asks for the translation of a body in stream format. */
  send(body: string): void {
    if (this.#hasEnded) return;
    if (this.#nextSerial === this.#dueSerial) this.#watch();
    this.#group.child.stdin.write(encodeRequest(body, this.#nextSerial++));
  }

  /** Ends all processes; resolves when none is left. */
  async stop(): Promise<void> {
    this.#end('stopped');
    await this.#group.end();
  }

  #read(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    let start = 0;
    // What a frame brings about may be our end.
    while (!this.#hasEnded) {
      const end = text.indexOf(FRAME_END, start);
      const part = text.slice(start, end < 0 ? undefined : end);
      this.#parts.push(part);
      this.#partsLength += part.length;
      if (this.#partsLength > MAX_ANSWER_LENGTH) this.#end('garbled');
      else if (end >= 0) this.#takeFrame();
      if (end < 0) return;
      start = end + 1;
    }
  }

  #takeFrame(): void {
    const frame = this.#parts.length === 1 ? (this.#parts[0] ?? '') : this.#parts.join('');
    this.#parts = [];
    this.#partsLength = 0;
    const body = decodeAnswer(frame, this.#dueSerial);
    if (body === undefined) {
      // Usually what a dying stage has let through: its end would be seen next.
      this.#end('garbled');
      return;
    }
    const isProbe = this.#dueSerial++ === 0;
    if (this.#dueSerial === this.#nextSerial) clearTimeout(this.#watchdog);
    else this.#watchdog?.refresh();
    if (isProbe) {
      this.#startErrors = '';
      this.#options.onReady();
    } else this.#options.onAnswer(body);
  }

  #takeOutputEnd(): void {
    const isReady = this.#dueSerial > 0;
    // A failed start waits for `close`, when all that the stages have to say about it is read.
    if (isReady) this.#end('died');
    else void this.#group.end();
  }

  #watch(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => this.#end('hung'), this.#options.answerTimeoutMs);
  }

  #keepStartError(chunk: Buffer): void {
    if (this.#dueSerial > 0 || this.#startErrors.length > MAX_START_ERRORS_LENGTH) return;
    this.#startErrors += chunk.toString('utf8');
  }

  #end(cause: EndCause): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#watchdog);
    this.#parts = [];
    void this.#group.end();
    this.#options.onEnd(cause, this.#startErrors.slice(0, MAX_START_ERRORS_LENGTH).trim());
  }
}
