/**
 * The parent's end of the process that holds one document. Whatever a file makes a format do, only
 * this process suffers: it is killed when it exceeds its limit of time or memory.
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
  /** Limit for each of the steps: opening the document, cutting it into sentences, writing it. */
  timeMs: number;
  /** Limit of resident memory for the process and its descendants. */
  memoryBytes: number;
}

/** Interval of the memory checks, in ms; a hostile file can exceed the limit for that long. */
const MEMORY_PERIOD_MS = 100;
/** Share of the memory limit for the JavaScript heap; file contents and WebAssembly live outside it. */
const HEAP_SHARE = 0.6;

/**
 * V8 aborts when its heap is full. Inside the containment, the exit code reports the signal as a shell does.
 */
const isAbort = (code: number | null, signal: string | null): boolean =>
  signal === 'SIGABRT' || code === 128 + constants.signals.SIGABRT;

let found: Promise<Containment> | undefined;

/** Returns the containment for document processes on this machine; detected once. */
export function documentContainment(): Promise<Containment> {
  found ??= findContainment([process.execPath, '--version'], {
    readable: runtimeFiles(import.meta.url),
    memoryFilesBytes: MEMORY_FILES_BYTES,
  });
  return found;
}

/** Source of processes for documents. */
export interface DocumentProcesses {
  /**
   * Provides a process for one document; `signal` ends it.
   *
   * @throws the signal's reason
   */
  take(signal: AbortSignal): Promise<DocumentProcess>;
  /** Starts a spare process that rehearses and then waits for the next document, if one is allowed now. */
  prepare(): void;
  /** Ends all processes; resolves when they and their folders are gone. */
  close(): Promise<void>;
}

/**
 * Smallest memory limit with which a spare process is kept. Below it, the memory that the rehearsal
 * of other formats takes up would be missing for the document.
 */
const SPARE_FROM_BYTES = 512 * 2 ** 20;

interface DocumentProcessesOptions {
  limits: DocumentLimits;
  log: Logger;
  /** Whether a spare process may wait; asked whenever no document is in progress. Without it, none waits. */
  mayWait?: () => boolean;
  /** Overrides the detected containment. */
  containment?: Containment;
}

export function createDocumentProcesses({
  mayWait = () => false,
  ...options
}: DocumentProcessesOptions): DocumentProcesses {
  const isLarge = options.limits.memoryBytes >= SPARE_FROM_BYTES;
  const starts = new Set<Promise<DocumentProcess>>();
  /** Processes that are running or not yet cleaned up. */
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
    // When memory is short, the spare process is the first to be killed; the next document then
    // starts its own.
    started.ended.catch(() => {
      if (waiting === started) waiting = undefined;
    });
  }

  function prepare(): void {
    const isQuiet = processes.size === 0 && starts.size === 0;
    if (!isLarge || isClosed || !isQuiet || !mayWait()) return;
    startAhead().catch((error: unknown) => {
      options.log.warn(
        { error: String(error) },
        'No process could be started ahead for the next document.',
      );
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
    // Newer Node versions would give young objects alone a quarter of the heap.
    execArgv: [`--max-old-space-size=${heapMiB}`, '--max-semi-space-size=16'],
    env: { PATH: SYSTEM_PATH, LANG: 'C.UTF-8', HOME: home, TMPDIR: home },
    // Output of libraries may quote the document.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    wrap: used.wrap,
    // A process group of its own, including all programs that it starts.
    detached: true,
  });
  return new DocumentProcess({ ...options, child, containment: used, folder });
}

/** A bug in a format: the same file would fail again. */
export class FormatFailure extends Error {
  /** @param errorName name of the error that the format threw */
  constructor(errorName: string) {
    super(`A document format failed with ${errorName}.`);
    this.name = 'FormatFailure';
  }
}

/**
 * A document process. Every method throws DocumentError for a fault of the file, FormatFailure for
 * a bug in the format, the signal's reason, or another Error when the process ended.
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
  /** Rejects with the reason when the process has ended or is being ended; never resolves. */
  readonly ended: Promise<never>;
  /** Resolves when the process is gone and its folder is removed, or could not be removed. */
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
    // Callers need not handle the rejection.
    this.ended.catch(() => undefined);
    child.on('message', (answer: DocumentAnswer) => this.#onAnswer?.(answer));
    this.gone = this.#clearUp(folder);
  }

  /** Assigns the process to a document, for as long as `signal` is not aborted. */
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

  /** Returns the distinct sentences of the opened document. @param language language of its text */
  async sentences(language: LanguageTag): Promise<readonly DocumentSentence[]> {
    return (await this.#ask({ kind: 'sentences', language }, 'sentences')).different;
  }

  /** @param translations translated sentences by key; sentences without one stay as they are */
  async write(
    translations: ReadonlyMap<string, TextSegment>,
    languages: { source: LanguageTag; target: LanguageTag },
  ): Promise<Uint8Array> {
    return (await this.#ask({ kind: 'write', translations, languages }, 'written')).file;
  }

  /** Ends the process and its descendants without waiting for their exit. Idempotent. */
  end(): void {
    this.#stop(new Error('The document process was closed.'));
  }

  /** Ends the process and resolves when it is gone. */
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

  /** Records the first reason and kills the process; later calls do nothing. */
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
      // Programs that the process started may still be running.
      if (this.#child.pid !== undefined) killGroup(this.#child.pid);
    } catch (error) {
      this.#stop(error);
    }
    if (folder === undefined) return;
    await removeTemporaryFolder(folder).catch((error: unknown) => {
      this.#log.error(
        { folder, error: String(error) },
        'The folder of a document could not be deleted.',
      );
    });
  }

  #reasonOf(code: number | null, signal: string | null): Error {
    // The memory filled up between two checks.
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

// Protocol between server and document process; one question at a time.

/** Summary of an opened document; its size is bounded, however large the document is. */
interface DocumentSummary {
  /** Unicode code points of the text, without markup. */
  characters: number;
  /** Sample of the text for language detection; empty when the document has no text. */
  sample: readonly TextSegment[];
  /** Language that the file declares for its text. */
  declared: LanguageTag | undefined;
}

export type DocumentQuestion =
  | { kind: 'open'; format: DocumentFormatName; file: Uint8Array; options: OpenOptions }
  /** Requires an open document. */
  | { kind: 'sentences'; language: LanguageTag }
  | {
      kind: 'write';
      /** By sentence key; the sentences are cut as in `languages.source`. */
      translations: ReadonlyMap<string, TextSegment>;
      languages: { source: LanguageTag; target: LanguageTag };
    };

export type DocumentAnswer =
  | ({ kind: 'opened' } & DocumentSummary)
  | { kind: 'sentences'; different: readonly DocumentSentence[] }
  | { kind: 'written'; file: Uint8Array }
  /** A DocumentError, with its message. */
  | { kind: 'refused'; message: string }
  /** Any other error. Only its name and stack frames are sent, as its message may quote the document. */
  | { kind: 'failed'; name: string; frames: string[] };

/** Arguments of a document process, passed as JSON after the module name. */
export interface DocumentChildArguments {
  /** Undefined when the process is contained: its files are in memory then. */
  uncontained?: Uncontained;
  /** Whether the process rehearses until its document arrives. */
  rehearses: boolean;
}
