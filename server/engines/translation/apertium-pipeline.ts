/**
 * Keeps the processes of one Apertium mode running: starts them on demand, restarts them after a failure,
 * stops them when idle.
 */
import { StringDecoder } from 'node:string_decoder';
import { ServiceError } from '../../../shared/errors.ts';
import type { Turn } from '../../process/concurrency.ts';
import type { Logger } from '../../process/log.ts';
import { type Job, ProcessJobs, SupervisedProcess } from '../service/supervised-process.ts';
import { type ProcessGroup, startProcessGroup } from '../../process/index.ts';

/** Limits of a pipeline that tests and operators may change. */
export interface PipelineSettings {
  /** Longest silence while answers are due, in ms; after it the processes are replaced. */
  answerTimeoutMs: number;
  /** Idle time after which a pipeline is stopped to free its memory, in ms. */
  idleMs: number;
  /** Limit of queued text, in UTF-16 units. Text beyond it is refused, so that another engine may take it. */
  maxWaitingLength: number;
}

interface PipelineOptions extends PipelineSettings {
  /** Name of the Apertium mode. */
  mode: string;
  /** Builds the pipeline's command; see `ApertiumProcess`. */
  readCommand: () => Promise<string>;
  env: Record<string, string>;
  /** Advice for the error message when the pipeline does not start. */
  remedy: string;
  log: Logger;
}

/**
 * Limits of requests in flight: enough to keep every stage busy; more would only delay newcomers. The second
 * limit bounds the total length, in UTF-16 units.
 */
const MAX_IN_FLIGHT = 16;
const MAX_IN_FLIGHT_LENGTH = 2_000;
/**
 * Limit of the estimated work in flight, in ms, for texts that are slow for their length, such as `a.a.a.a`.
 */
const MAX_IN_FLIGHT_MS = 25;
/**
 * The same while several accounts share the pipeline, so that a short sentence of one account does not wait
 * long for the requests of another. Throughput falls by about a quarter meanwhile.
 */
const MAX_IN_FLIGHT_SHARED_MS = 8;
/** How long accounts count as sharing the pipeline after the account has changed, in ms. */
const SHARED_MS = 1_000;
/** Fixed cost of a body in addition to its length, in UTF-16 units: every stage is woken for it. */
const BODY_COST = 32;
/**
 * Low-water mark: once at least MANY_IN_FLIGHT requests have filled a limit, no more are sent until the share
 * in flight falls to this, or their number to half. Sending short bodies one by one would wake every stage
 * for each, which takes a quarter more processor time.
 */
const REFILLED_FROM = 0.5;
const MANY_IN_FLIGHT = 8;
/** Weight of the latest answer in the estimate of the pace. */
const PACE_WEIGHT = 0.3;
/** Number of process deaths after which a body counts as their cause; fewer may be chance. */
const MAX_CRASHES = 3;
/** Consecutive failed starts, within about 2 s, after which waiting requests are rejected. */
const MAX_FAILED_STARTS = 6;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

export class ApertiumPipeline {
  readonly #options: PipelineOptions;
  readonly #jobs: ProcessJobs<string, string>;
  /** Whether sending is suspended until more room is free. */
  #isFull = false;
  /**
   * Time of the last answer or of the start of work, in ms; and recent processing time per UTF-16 unit, in
   * ms.
   */
  #workedSinceMs = 0;
  #msPerUnit = 0;
  /** Account of the last body sent; and the time until which accounts count as sharing, in ms. */
  #account: string | undefined;
  #sharedUntilMs = 0;
  readonly #kept: SupervisedProcess<ApertiumProcess>;

  constructor(options: PipelineOptions) {
    this.#options = options;
    const { mode, idleMs, maxWaitingLength, log } = options;
    this.#jobs = new ProcessJobs({
      textOf: (body) => body,
      costOf: (body) => BODY_COST + body.length,
      maxWaitingLength,
      // The stages answer in order.
      isInOrder: true,
      maxCrashes: MAX_CRASHES,
      giveUp: (job) => this.#giveUp(job),
    });
    this.#kept = new SupervisedProcess({
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
   * @param turn turn of the call; its bodies are served in order
   * @throws ServiceError engine_unavailable when the pipeline does not start, is overloaded or closed;
   *   translation_failed when the processes end at this body each time; the reason given to {@link abandon}
   */
  translate(body: string, turn: Turn): Promise<string> {
    if (this.#kept.isClosed) return Promise.reject(closed());
    if (this.#kept.isBroken) return Promise.reject(this.#doesNotStart());
    if (!this.#jobs.hasRoomFor(body)) return Promise.reject(this.#isOverloaded());
    const translated = this.#jobs.add(body, turn);
    this.#pump();
    return translated;
  }

  /** Starts the processes unless they run, and restarts the idle time of running ones. */
  prepare(): void {
    this.#kept.start();
    if (this.#kept.isReady && this.#jobs.inFlightCount === 0) this.#kept.rest();
  }

  /** Rejects all requests of a call; answers already under way are discarded when they arrive. */
  abandon(turn: Turn, reason: unknown): void {
    this.#jobs.abandon(turn, reason);
  }

  /** Ends the processes and rejects waiting requests; resolves when no process is left. */
  async close(): Promise<void> {
    this.#jobs.failAll(closed());
    await this.#kept.close();
  }

  #pump(): void {
    this.#kept.start();
    if (!this.#kept.isReady) return;
    this.#kept.work();
    const process = this.#kept.process;
    process?.gather();
    while (this.#hasRoom()) {
      const job = this.#jobs.send();
      if (job === undefined) break;
      if (this.#jobs.inFlightCount === 1) this.#workedSinceMs = performance.now();
      this.#noteAccount(job.turn);
      process?.send(job.request);
    }
    process?.sendGathered();
    if (this.#jobs.inFlightCount === 0) this.#kept.rest();
  }

  #noteAccount({ account }: Turn): void {
    if (account === this.#account) return;
    this.#account = account;
    this.#sharedUntilMs = performance.now() + SHARED_MS;
  }

  #hasRoom(): boolean {
    const { inFlightCount: count, inFlightLength: length } = this.#jobs;
    if (count === 0) return true;
    const workMs = length * this.#msPerUnit;
    const isShared = performance.now() < this.#sharedUntilMs;
    const maxMs = isShared ? MAX_IN_FLIGHT_SHARED_MS : MAX_IN_FLIGHT_MS;
    const share = Math.max(count / MAX_IN_FLIGHT, length / MAX_IN_FLIGHT_LENGTH, workMs / maxMs);
    if (share >= 1) this.#isFull = count >= MANY_IN_FLIGHT;
    else if (share <= REFILLED_FROM || count <= MANY_IN_FLIGHT / 2) this.#isFull = false;
    return share < 1 && !this.#isFull;
  }

  #takeAnswer(body: string): void {
    const job = this.#jobs.receive();
    if (job === undefined) return;
    this.#notePace(job.request.length);
    this.#kept.noteAnswer();
    job.resolve(withoutTags(body, job.request));
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
    if (cause === 'stopped') return;
    const { wasReady, isHopeless } = this.#kept.noteEnd();
    const { mode, log } = this.#options;
    const { inFlightCount: inFlight } = this.#jobs;
    log.warn({ mode, cause, wasReady, inFlight, startErrors }, 'translator ended');
    if (isHopeless) {
      this.#jobs.failAll(this.#doesNotStart());
      return;
    }
    this.#jobs.lose();
    if (!this.#jobs.areSent) this.#pump();
  }

  #giveUp({ request, reject }: Job<string, string>): void {
    const { mode, log } = this.#options;
    log.error({ mode, bodyLength: request.length }, 'a text crashes the translator repeatedly');
    reject(
      new ServiceError(
        'translation_failed',
        'The translator stopped three times at one of the sentences. Rephrase or shorten it and try again.',
      ),
    );
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

/** Reason why the processes ended. */
type EndCause =
  | 'stopped'
  /** A process of the group has ended, the shell included. */
  | 'died'
  /** An answer is overdue. */
  | 'hung'
  /** Output that is not the expected answer, or an answer without end. */
  | 'garbled';

interface ApertiumProcessOptions {
  /** Pipeline for `/bin/sh`; uses `$1` and `$2` like mode files. */
  command: string;
  env: Record<string, string>;
  /** Longest silence while answers are due, in ms. */
  answerTimeoutMs: number;
  /** Called when all stages have loaded their data and completed a first translation. */
  onReady: () => void;
  /** Receives the body of the next answer; answers come in the order of the requests. */
  onAnswer: (body: string) => void;
  /** Called once, as the last callback; requests not answered by then never will be. */
  onEnd: (cause: EndCause, startErrors: string) => void;
}

/** Text of the first request; any word will do, as it only has to exercise the whole pipeline. */
const PROBE = 'casa';
/**
 * Longest answer in UTF-16 units. Pieces have a few hundred characters, so a longer one is a runaway stage.
 */
const MAX_ANSWER_LENGTH = 1_000_000;
const MAX_START_ERRORS_LENGTH = 2_000;

/** The processes of a mode; they are not restarted here. */
class ApertiumProcess {
  readonly #options: ApertiumProcessOptions;
  readonly #group: ProcessGroup;
  readonly #decoder = new StringDecoder('utf8');
  /** Parts of the current frame received so far. */
  #parts: string[] = [];
  #partsLength = 0;
  #nextSerial = 0;
  #dueSerial = 0;
  #watchdog: NodeJS.Timeout | undefined;
  #hasEnded = false;
  /**
   * Errors before the pipeline is ready, when they cannot contain user text; later stderr is only drained.
   */
  #startErrors = '';

  constructor(options: ApertiumProcessOptions) {
    this.#options = options;
    // `-n`: words without a translation come back unmarked. The empty argument is the tagger's option.
    this.#group = startProcessGroup({
      command: options.command,
      args: ['-n', ''],
      env: options.env,
    });
    const { child } = this.#group;
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    // Not at `exit`: complete answers may still be in the pipe and must not be requested again.
    child.stdout.on('close', () => this.#takeOutputEnd());
    child.on('exit', () => void this.#group.end());
    child.on('close', () => this.#end('died'));
    child.stderr.on('data', (chunk: Buffer) => this.#keepStartError(chunk));
    // A closed pipe shows on stdout as well; without a listener the error would end this process.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {});
    child.on('error', () => this.#end('died'));
    this.send(PROBE);
  }

  /** Process group id, for the log. */
  get groupId(): number | undefined {
    return this.#group.id;
  }

  /** Collects the following requests, to be sent together by {@link sendGathered}. */
  gather(): void {
    this.#group.child.stdin.cork();
  }

  sendGathered(): void {
    this.#group.child.stdin.uncork();
  }

  /** Requests the translation of a body in stream format. */
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
    // Handling a frame may end this object.
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
      // Usually the partial output of a dying stage, whose end would be noticed next.
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
    // A failed start waits for `close`, when all error output of the stages has been read.
    if (this.#dueSerial > 0) this.#end('died');
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

// Apertium's stream format. Every request and every answer is one frame that ends with NUL. Reserved
// characters are escaped; text in brackets is a superblank, which no stage translates.

/** End of a frame in both directions (option `-z` of the stages). */
const FRAME_END = '\0';

const RESERVED = /[\\[\]{}^$/@<>]/g;
/**
 * Text to protect in a superblank. A tilde would trigger the post-generator and disappear. Blanks other than
 * a single space would be collapsed, and line breaks with the blanks beside them must survive.
 */
const PROTECTED = /~|[ \t]*[\n\v\f\r\u0085\u2028\u2029][\s\u0085]*|[ \t]{2,}|\t/g;

/**
 * Encodes a text as the body of a request. NUL is removed because it would break the framing; letters are
 * composed (NFC), and ligatures of typography (`ﬁ`) divided, because the dictionaries contain no others.
 */
export function escapeText(text: string): string {
  return text
    .replace(/\0|[\ufb00-\ufb06]/g, (each) => (each === '\0' ? '' : each.normalize('NFKC')))
    .normalize('NFC')
    .replace(RESERVED, '\\$&')
    .replace(PROTECTED, '[$&]');
}

/** Superblanks of blanks, other superblanks, escapes and runs of spaces, tried in this order. */
const MARKS = / *\[([\s\u0085]+)\] *|\[([^\]]*)\]|\\(.)| {2,}/gsu;

/** Excludes line breaks: a break left at an end by a dropped word is kept. */
const OUTER_SPACES = /^[ \t]+|[ \t]+$/g;

/**
 * Decodes the body of an answer to text. A rule that drops a word leaves its blanks behind; those are reduced
 * to one space, while blanks of the source are kept.
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
 * Encodes a request: the body, an artificial full stop that makes every stage complete the sentence, and the
 * request's serial number as a superblank.
 *
 * The number comes back at the end of the answer and proves that the answer is complete and belongs to the
 * request: a stage whose neighbour dies passes on partial output, followed by a NUL of its own.
 */
function encodeRequest(body: string, serial: number): string {
  return `${body}[].[#${serial}]${FRAME_END}`;
}

const TRAILER = /\.?\s*\[#(\d+)\]\s*$/u;

/**
 * Returns the body of an answer.
 *
 * @param frame frame without its NUL
 * @returns undefined when the frame is not the complete answer to the request with that serial number
 */
function decodeAnswer(frame: string, serial: number): string | undefined {
  // Only the end is searched, since the trailer is short and a frame can be long.
  const tail = frame.slice(-64);
  const match = TRAILER.exec(tail);
  if (match === null || Number(match[1]) !== serial) return undefined;
  return frame.slice(0, frame.length - tail.length + match.index);
}

/** Symbols of Apertium's dictionaries: parts of speech and word forms. */
const SYMBOLS = new Set(
  (
    'n np prn det adj adv pr vblex vbser vbhaver vbmod vbdo vaux cnjcoo cnjsub cnjadv num ij rel preadv ' +
    'predet post part abbr guio apos cm sent lpar rpar m f mf nt fn sg pl sp nd ord card p1 p2 p3 pri prs ' +
    'pii pis fti fts cni imp inf ger pp pprs ifi plq past pres subs actv pasv sint comp sup tn ind dem ' +
    'pos itg def ref enc pro acc dat nom gen obj subj qnt al ant cog loc top org unc GD ND'
  ).split(' '),
);

/**
 * An escaped symbol, with the hyphen that joins it to a word. A symbol in the original text may have the
 * marks of a word-bound blank inside.
 */
const TAG = /-?\\<(\[\[[^\]]*\]\])?([\w:+-]+)(\[\[\/\]\])?\\>/gu;

/**
 * Removes the tags that a stage writes for a word it cannot generate, as in `Vas-\<prn\>`. Text in angle
 * brackets in the request stays, translated or not.
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
