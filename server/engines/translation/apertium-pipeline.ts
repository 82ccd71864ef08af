/**
 * One Apertium mode, kept running: started when needed, restarted when it fails, stopped when idle.
 * Every body gets its own answer or an error, whatever happens to the processes meanwhile.
 */
import { StringDecoder } from 'node:string_decoder';
import { ServiceError } from '../../../shared/errors.ts';
import { FairQueue, type Turn } from '../../process/concurrency.ts';
import type { Logger } from '../../process/log.ts';
import { KeptProcess } from '../service/kept-process.ts';
import { type ProcessGroup, startProcessGroup } from '../../process/index.ts';

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
const MAX_IN_FLIGHT_MS = 25;
/**
 * The same while accounts take turns: one that asks for a sentence waits for what another has in flight.
 * About a quarter fewer sentences a second are done then.
 */
const MAX_IN_FLIGHT_SHARED_MS = 8;
/** So long accounts are taken to share a pipeline once their turns have changed, in ms. */
const SHARED_MS = 1_000;
/** What a body costs beside its length, in UTF-16 units: every stage is woken for it. */
const BODY_COST = 32;
/**
 * Once so many are in flight that there is no more room, half of it has to be free again: short bodies that go
 * one by one wake every stage once for each, which takes a quarter more of the processor.
 */
const REFILLED_FROM = 0.5;
const MANY_IN_FLIGHT = 8;
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
  readonly #queue = new FairQueue<Job>(({ body }) => BODY_COST + body.length);
  /** Length of all bodies in the queue. */
  #waitingLength = 0;
  /** Sent before and lost with the processes: first in line. */
  #retries: Job[] = [];
  #inFlight: Job[] = [];
  #inFlightLength = 0;
  /** Nothing is sent until there is more room. */
  #isFull = false;
  /** When the last answer came, or work began; what a UTF-16 unit took of late, in ms. */
  #workedSinceMs = 0;
  #msPerUnit = 0;
  /** Whose body was sent last; until when accounts share the pipeline, in ms. */
  #account: string | undefined;
  #sharedUntilMs = 0;
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
    const process = this.#kept.process;
    process?.gather();
    while (this.#hasRoom()) {
      const job = this.#retries.shift() ?? this.#takeWaiting();
      if (job === undefined) break;
      if (this.#inFlight.length === 0) this.#workedSinceMs = performance.now();
      this.#noteAccount(job.turn);
      this.#inFlight.push(job);
      this.#inFlightLength += job.body.length;
      process?.send(job.body);
    }
    process?.sendGathered();
    if (this.#inFlight.length === 0) this.#kept.rest();
  }

  #takeWaiting(): Job | undefined {
    const job = this.#queue.shift();
    if (job !== undefined) this.#waitingLength -= job.body.length;
    return job;
  }

  #noteAccount({ account }: Turn): void {
    if (account === this.#account) return;
    this.#account = account;
    this.#sharedUntilMs = performance.now() + SHARED_MS;
  }

  #hasRoom(): boolean {
    const count = this.#inFlight.length;
    if (count === 0) return true;
    const length = this.#inFlightLength;
    const workMs = length * this.#msPerUnit;
    const isShared = performance.now() < this.#sharedUntilMs;
    const maxMs = isShared ? MAX_IN_FLIGHT_SHARED_MS : MAX_IN_FLIGHT_MS;
    const share = Math.max(count / MAX_IN_FLIGHT, length / MAX_IN_FLIGHT_LENGTH, workMs / maxMs);
    if (share >= 1) this.#isFull = count >= MANY_IN_FLIGHT;
    else if (share <= REFILLED_FROM || count <= MANY_IN_FLIGHT / 2) this.#isFull = false;
    return share < 1 && !this.#isFull;
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

/** Why a life has ended. */
type EndCause =
  | 'stopped'
  /** A process of the group is gone, the shell included. */
  | 'died'
  /** An answer is overdue. */
  | 'hung'
  /** Output that is not the answer to what was asked, or no end of it. */
  | 'garbled';

interface ApertiumProcessOptions {
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
class ApertiumProcess {
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

  /** What is asked from now on goes to the processes together. */
  gather(): void {
    this.#group.child.stdin.cork();
  }

  sendGathered(): void {
    this.#group.child.stdin.uncork();
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

// Apertium's stream format: how a text travels through a pipeline and back. Every request and
// every answer is one frame that ends with NUL. Reserved characters are escaped; what stands
// between brackets is a superblank, which no stage translates.

/** Ends a frame in both directions (`-z` of the stages). */
const FRAME_END = '\0';

const RESERVED = /[\\[\]{}^$/@<>]/g;
/**
 * A tilde wakes the post-generator and disappears; blanks that are not one space would be reduced,
 * and a line break is to stay one, with the blanks beside it.
 */
const PROTECTED = /~|[ \t]*[\n\v\f\r\u0085\u2028\u2029][\s\u0085]*|[ \t]{2,}|\t/g;

/**
 * Text as the body of a request. NUL, which would break the framing, is left out; letters are
 * composed (NFC) because the dictionaries know them only so.
 */
export function escapeText(text: string): string {
  return text
    .replaceAll('\0', '')
    .normalize('NFC')
    .replace(RESERVED, '\\$&')
    .replace(PROTECTED, '[$&]');
}

/** Superblanks of blanks, other superblanks, escapes, runs of spaces, in this order at every place. */
const MARKS = / *\[([\s\u0085]+)\] *|\[([^\]]*)\]|\\(.)| {2,}/gsu;

/** Not line breaks: one that a dropped word has left at an end is kept. */
const OUTER_SPACES = /^[ \t]+|[ \t]+$/g;

/**
 * The body of an answer as text. A rule that drops a word leaves its blanks behind; those are
 * reduced to one space, blanks of the source are kept.
 */
export function unescapeText(body: string): string {
  return body
    .replace(
      MARKS,
      (_mark, blanks?: string, superblank?: string, escaped?: string) =>
        blanks ?? superblank ?? escaped ?? ' ',
    )
    .replace(OUTER_SPACES, '');
}

/**
 * A request: the body, an artificial full stop that makes every stage conclude the sentence, and the
 * serial number of the request as a superblank.
 *
 * The number comes back as the last thing of the answer and proves that the answer is whole and
 * ours: a stage whose neighbour dies passes on the half it has, followed by a NUL of its own.
 */
function encodeRequest(body: string, serial: number): string {
  return `${body}[].[#${serial}]${FRAME_END}`;
}

const TRAILER = /\.?\s*\[#(\d+)\]\s*$/u;

/**
 * The body of an answer.
 *
 * @param frame without its NUL
 * @returns undefined when the frame is not the whole answer to the request with that serial number
 */
function decodeAnswer(frame: string, serial: number): string | undefined {
  // The trailer is short: searching a long frame from the start would only cost time.
  const tail = frame.slice(-64);
  const match = TRAILER.exec(tail);
  if (match === null || Number(match[1]) !== serial) return undefined;
  return frame.slice(0, frame.length - tail.length + match.index);
}

/** Symbols of Apertium's dictionaries: what kind of word, and which form of it. */
const SYMBOLS = new Set(
  (
    'n np prn det adj adv pr vblex vbser vbhaver vbmod vbdo vaux cnjcoo cnjsub cnjadv num ij rel preadv ' +
    'predet post part abbr guio apos cm sent lpar rpar m f mf nt fn sg pl sp nd ord card p1 p2 p3 pri prs ' +
    'pii pis fti fts cni imp inf ger pp pprs ifi plq past pres subs actv pasv sint comp sup tn ind dem ' +
    'pos itg def ref enc pro acc dat nom gen obj subj qnt al ant cog loc top org unc GD ND'
  ).split(' '),
);

/**
 * What looks like such a symbol, escaped like text, and the hyphen that has joined it to a word. That of
 * a text may have the marks of a word-bound blank within.
 */
const TAG = /-?\\<(\[\[[^\]]*\]\])?([\w:+-]+)(\[\[\/\]\])?\\>/gu;

/**
 * The body of an answer without the tags that a stage writes for a word of which it has nothing else,
 * `Vas-\<prn\>`. What stands between angle brackets in the request is text and stays, translated or not.
 */
function withoutTags(answer: string, request: string): string {
  if (!answer.includes('\\<')) return answer;
  const own = new Map<string, number>();
  for (const { 2: name = '' } of request.matchAll(TAG)) own.set(name, (own.get(name) ?? 0) + 1);
  return answer.replace(TAG, (tag, start = '', name: string, end = '') => {
    const left = own.get(name) ?? 0;
    own.set(name, left - 1);
    return left > 0 || !SYMBOLS.has(name) ? tag : `${start}${end}`;
  });
}
