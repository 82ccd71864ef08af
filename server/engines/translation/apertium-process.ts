/** One life of an Apertium pipeline: from the start of its processes to their end, for any reason. */
import { StringDecoder } from 'node:string_decoder';
import { type ProcessGroup, startProcessGroup } from '../../process/index.ts';

/** Why a life has ended. */
export type EndCause =
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
export function withoutTags(answer: string, request: string): string {
  if (!answer.includes('\\<')) return answer;
  const own = new Map<string, number>();
  for (const { 2: name = '' } of request.matchAll(TAG)) own.set(name, (own.get(name) ?? 0) + 1);
  return answer.replace(TAG, (tag, start = '', name: string, end = '') => {
    const left = own.get(name) ?? 0;
    own.set(name, left - 1);
    return left > 0 || !SYMBOLS.has(name) ? tag : `${start}${end}`;
  });
}
