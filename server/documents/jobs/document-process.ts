/**
 * The parent's end of a process that has one document. Whatever a file makes a format do, it costs no
 * more than this process: it is ended when it takes too long or too much memory.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { DocumentFormatName } from '../formats/index.ts';
import type { LanguageTag } from '../../../shared/language.ts';
import {
  findContainment,
  SYSTEM_PATH,
  type Containment,
  type Uncontained,
  forkChild,
  runtimeFiles,
  killGroup,
  processTree,
  residentBytes,
  createTemporaryFolder,
  removeTemporaryFolder,
} from '../../process/index.ts';
import type { Logger } from '../../process/log.ts';
import type { TextSegment } from '../../text/text-segment.ts';
import { MEMORY_FILES_BYTES } from '../formats/foreign-program.ts';
import { DocumentError, type OpenOptions } from '../formats/format.ts';
import type { DocumentSentence } from './document-sentences.ts';

export interface DocumentLimits {
  /** For opening a document, again for cutting it into sentences, and again for writing it. */
  timeMs: number;
  /** Of the process and those that it starts. */
  memoryBytes: number;
}

/** Memory that hostile files take within this time is not noticed earlier, in ms. */
const MEMORY_PERIOD_MS = 100;
/** Share of the memory for JavaScript's own heap: files and WebAssembly are outside of it. */
const HEAP_SHARE = 0.6;

/** V8 aborts when its heap is full; contained, that is reported as a shell does. */
const isAbort = (code: number | null, signal: string | null): boolean =>
  signal === 'SIGABRT' || code === 128 + constants.signals.SIGABRT;

let found: Promise<Containment> | undefined;

/** How documents are opened on this machine, found out once. */
export function documentContainment(): Promise<Containment> {
  found ??= findContainment([process.execPath, '--version'], {
    readable: runtimeFiles(import.meta.url),
    memoryFilesBytes: MEMORY_FILES_BYTES,
  });
  return found;
}

/** Where documents get their processes from. */
export interface DocumentProcesses {
  /**
   * A process for one document; `signal` ends it.
   *
   * @throws the signal's reason
   */
  take(signal: AbortSignal): Promise<DocumentProcess>;
  /** Has one wait for the next document, rehearsed and unused, if there shall be such. */
  prepare(): void;
  /** Ends all; resolves when nothing of any is left. */
  close(): Promise<void>;
}

/** With less for a document, what the others need would be missing to it. */
const WAITING_FROM_BYTES = 512 * 2 ** 20;

interface DocumentProcessesOptions {
  limits: DocumentLimits;
  log: Logger;
  /** Whether one may wait, asked whenever no document is under way; without it none does. */
  mayWait?: () => boolean;
  /** In place of what was found out. */
  containment?: Containment;
}

export function createDocumentProcesses({
  mayWait = () => false,
  ...options
}: DocumentProcessesOptions): DocumentProcesses {
  const isLarge = options.limits.memoryBytes >= WAITING_FROM_BYTES;
  const starts = new Set<Promise<DocumentProcess>>();
  /** Those of which something is left. */
  const processes = new Set<DocumentProcess>();
  let waiting: DocumentProcess | undefined;
  let isClosed = false;

  async function start(rehearses: boolean): Promise<DocumentProcess> {
    const starting = startDocumentProcess({ ...options, rehearses });
    starts.add(starting);
    try {
      const started = await starting;
      processes.add(started);
      void started.gone.then(() => processes.delete(started));
      return started;
    } finally {
      starts.delete(starting);
    }
  }

  async function startAhead(): Promise<void> {
    const started = await start(true);
    waiting = started;
    // It is the first that is ended when memory is short: then the next document starts its own.
    started.ended.catch(() => {
      if (waiting === started) waiting = undefined;
    });
  }

  function prepare(): void {
    const isQuiet = processes.size === 0 && starts.size === 0;
    if (!isLarge || isClosed || !isQuiet || !mayWait()) return;
    startAhead().catch((error: unknown) => {
      options.log.warn({ error: String(error) }, 'No process waits for the next document.');
    });
  }

  return {
    prepare,
    async take(signal) {
      signal.throwIfAborted();
      const taken = waiting;
      waiting = undefined;
      const process = taken ?? (await start(false));
      void process.gone.then(prepare);
      process.serve(signal);
      return process;
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(starts);
      await Promise.all([...processes].map((process) => process.close()));
    },
  };
}

async function startDocumentProcess({
  containment,
  rehearses,
  ...options
}: Omit<DocumentProcessesOptions, 'mayWait'> & {
  rehearses: boolean;
}): Promise<DocumentProcess> {
  const used = containment ?? (await documentContainment());
  const folder = used.lack === undefined ? undefined : await createTemporaryFolder('document');
  const args: DocumentChildArguments = {
    rehearses,
    ...(folder === undefined ? {} : { uncontained: { parentPid: process.pid, folder } }),
  };
  const home = folder ?? '/tmp';
  const heapMiB = Math.floor((options.limits.memoryBytes * HEAP_SHARE) / 2 ** 20);
  const child = forkChild(import.meta.url, './document-child', {
    args: [JSON.stringify(args)],
    // Of newer Nodes, young objects alone would take a quarter of that.
    execArgv: [`--max-old-space-size=${heapMiB}`, '--max-semi-space-size=16'],
    env: { PATH: SYSTEM_PATH, LANG: 'C.UTF-8', HOME: home, TMPDIR: home },
    // What libraries print may quote the document.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    wrap: used.wrap,
    // A group of its own, with all the programs that it starts.
    detached: true,
  });
  return new DocumentProcess({ ...options, child, containment: used, folder });
}

/** A fault in a format: the same file would make it fail again. */
export class FormatFailure extends Error {
  /** @param errorName of what it threw */
  constructor(errorName: string) {
    super(`A document format failed with ${errorName}.`);
    this.name = 'FormatFailure';
  }
}

/**
 * Every method throws DocumentError for the file; FormatFailure for a fault of ours; the signal's
 * reason; another Error when the process ended.
 */
export class DocumentProcess {
  readonly #child: ChildProcess;
  readonly #containment: Containment;
  readonly #limits: DocumentLimits;
  readonly #log: Logger;
  #watch: NodeJS.Timeout | undefined;
  #onEnd: ((reason: unknown) => void) | undefined;
  #onAnswer: ((answer: DocumentAnswer) => void) | undefined;
  #end: { reason: unknown } | undefined;
  #peakBytes = 0;
  /** Rejects with the reason when the process has ended, or has to, and never resolves. */
  readonly ended: Promise<never>;
  /** Resolves when it is gone, and its folder is removed or could not be. */
  readonly gone: Promise<void>;

  constructor({
    child,
    containment,
    folder,
    limits,
    log,
  }: {
    child: ChildProcess;
    containment: Containment;
    folder: string | undefined;
    limits: DocumentLimits;
    log: Logger;
  }) {
    this.#child = child;
    this.#containment = containment;
    this.#limits = limits;
    this.#log = log;
    this.ended = new Promise((_, reject) => (this.#onEnd = reject));
    // Not everybody asks.
    this.ended.catch(() => undefined);
    child.on('message', (answer: DocumentAnswer) => this.#onAnswer?.(answer));
    this.gone = this.#clearUp(folder);
  }

  /** Begins with its document, for which `signal` ends it. */
  serve(signal: AbortSignal): void {
    if (this.#end !== undefined) return;
    this.#watch = setInterval(() => this.#checkMemory(), MEMORY_PERIOD_MS);
    const onAbort = () => this.#stop(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    void this.gone.then(() => signal.removeEventListener('abort', onAbort));
    if (signal.aborted) onAbort();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async open(
    file: Uint8Array,
    format: DocumentFormatName,
    options: OpenOptions,
  ): Promise<DocumentSummary> {
    return this.#ask({ kind: 'open', format, file, options }, 'opened');
  }

  /** Each different sentence of the opened document once. @param language of its text */
  async sentences(language: LanguageTag): Promise<readonly DocumentSentence[]> {
    return (await this.#ask({ kind: 'sentences', language }, 'sentences')).different;
  }

  /** @param translations of the sentences by their keys; the others stay as they are */
  async write(
    translations: ReadonlyMap<string, TextSegment>,
    languages: { source: LanguageTag; target: LanguageTag },
  ): Promise<Uint8Array> {
    return (await this.#ask({ kind: 'write', translations, languages }, 'written')).file;
  }

  /** Ends the process and what it has started, which takes longer than the call. Safe to call again. */
  end(): void {
    this.#stop(new Error('The document process was closed.'));
  }

  /** Ends it; resolves when it is gone. */
  async close(): Promise<void> {
    this.end();
    await this.gone;
  }

  async #ask<Kind extends DocumentAnswer['kind']>(
    question: DocumentQuestion,
    wanted: Kind,
  ): Promise<Extract<DocumentAnswer, { kind: Kind }>> {
    if (this.#end !== undefined) throw this.#end.reason;
    const answered = new Promise<DocumentAnswer>((resolve) => (this.#onAnswer = resolve));
    const patience = setTimeout(() => this.#stop(tooSlow()), this.#limits.timeMs);
    this.#child.send(question, (error) => {
      if (error !== null) this.#stop(new Error('The document process is gone.', { cause: error }));
    });
    try {
      const answer = await Promise.race([answered, this.ended]);
      if (answer.kind === 'refused') throw new DocumentError(answer.message);
      if (answer.kind === 'failed') throw this.#failure(answer);
      if (!isOfKind(answer, wanted)) throw new Error(`Not ${wanted}, but ${answer.kind}.`);
      return answer;
    } finally {
      clearTimeout(patience);
    }
  }

  #failure({ name, frames }: Extract<DocumentAnswer, { kind: 'failed' }>): Error {
    this.#log.error({ name, frames }, 'document format failed');
    return new FormatFailure(name);
  }

  #checkMemory(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    const bytes = residentBytes(processTree(pid));
    this.#peakBytes = Math.max(this.#peakBytes, bytes);
    if (bytes > this.#limits.memoryBytes) this.#stop(tooLarge());
  }

  /** The first reason counts. */
  #stop(reason: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { reason };
    clearInterval(this.#watch);
    this.#onEnd?.(reason);
    this.#containment.kill(this.#child);
  }

  async #clearUp(folder: string | undefined): Promise<void> {
    try {
      const [code, signal] = (await once(this.#child, 'exit')) as [number | null, string | null];
      this.#stop(this.#reasonOf(code, signal));
      // Programs that it had started may still be there.
      if (this.#child.pid !== undefined) killGroup(this.#child.pid);
    } catch (error) {
      this.#stop(error);
    }
    if (folder === undefined) return;
    await removeTemporaryFolder(folder).catch((error: unknown) => {
      this.#log.error({ folder, error: String(error) }, 'A folder of a document stays.');
    });
  }

  #reasonOf(code: number | null, signal: string | null): Error {
    // Between two looks at the memory.
    const isFull = isAbort(code, signal) && this.#peakBytes > this.#limits.memoryBytes / 2;
    if (isFull) return tooLarge();
    if (this.#end === undefined) this.#log.warn({ code, signal }, 'document process ended');
    return new Error(`The document process ended (${signal ?? code ?? 'unknown'}).`);
  }
}

function isOfKind<Kind extends DocumentAnswer['kind']>(
  answer: DocumentAnswer,
  kind: Kind,
): answer is Extract<DocumentAnswer, { kind: Kind }> {
  return answer.kind === kind;
}

function tooSlow(): DocumentError {
  return new DocumentError(
    'The document takes too long to be read or written. Divide it into smaller ones, or simplify it.',
  );
}

function tooLarge(): DocumentError {
  return new DocumentError(
    'The document takes more memory than there is for one. Divide it into smaller ones, or simplify it.',
  );
}

// What a document process is asked and what it answers; one question at a time.

/** What is sent of an opened document: bounded, however large it is. */
interface DocumentSummary {
  /** Unicode code points of the text; markup is not counted. */
  characters: number;
  /** Enough of the text to know its language by; empty when there is none. */
  sample: readonly TextSegment[];
}

export type DocumentQuestion =
  | { kind: 'open'; format: DocumentFormatName; file: Uint8Array; options: OpenOptions }
  /** Of a document that is open. */
  | { kind: 'sentences'; language: LanguageTag }
  | {
      kind: 'write';
      /** By the keys of the sentences, which are cut as in `languages.source`. */
      translations: ReadonlyMap<string, TextSegment>;
      languages: { source: LanguageTag; target: LanguageTag };
    };

export type DocumentAnswer =
  | ({ kind: 'opened' } & DocumentSummary)
  | { kind: 'sentences'; different: readonly DocumentSentence[] }
  | { kind: 'written'; file: Uint8Array }
  /** A DocumentError, with its message. */
  | { kind: 'refused'; message: string }
  /** Any other error. Its message may quote the document, so only its kind and place are sent. */
  | { kind: 'failed'; name: string; frames: string[] };

/** How a document process is started: the arguments after the module. */
export interface DocumentChildArguments {
  /** Undefined when it is contained: its files are in memory then. */
  uncontained?: Uncontained;
  /** Whether it rehearses until its document comes. */
  rehearses: boolean;
}
