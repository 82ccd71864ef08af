/** Runs system programs on untrusted input, with limits on time, memory and output. */
import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import {
  HUGE_PAGES,
  SYSTEM_PATH,
  type Command,
  type Containment,
  killGroup,
} from '../../process/index.ts';

/** Limits of a program. */
export interface ProgramLimits {
  /** Wall-clock limit; the limit of processor time is twice as much. */
  timeMs: number;
  /** Address space of each of its processes. */
  memoryBytes: number;
  /** Limit of standard output; a program that exceeds it is killed. */
  outputBytes: number;
}

/** Result of a program that ended by itself. */
export interface ProgramEnd {
  exitCode: number;
  output: Buffer;
  /** Tail of standard error, for telling kinds of failure apart; never shown to users. */
  complaint: string;
}

/** A program that did not end by itself; `missing` when it is not installed. */
export class ProgramFailure extends Error {
  readonly kind: 'missing' | 'timeout' | 'output' | 'killed';

  constructor(kind: ProgramFailure['kind'], options?: ErrorOptions) {
    super(`The program could not do its work: ${kind}.`, options);
    this.name = 'ProgramFailure';
    this.kind = kind;
  }
}

/**
 * Size limit of the in-memory file system of programs that read a document: it holds the document,
 * their settings and their output.
 */
export const MEMORY_FILES_BYTES = 768 * 1024 * 1024;

const COMPLAINT_CHARACTERS = 8_000;
/** Exit code of `setpriv` and `prlimit` for a program that does not exist, as in shells. */
const EXIT_NOT_FOUND = 127;
/** Shells and bubblewrap report a program that a signal ended as this plus the signal's number. */
const EXIT_BY_SIGNAL = 128;

/**
 * Runs a program with bytes as its standard input. Its environment is a path, a locale, the use of memory, and
 * `environment`. It dies with this process, however this process ends.
 *
 * @param command arguments; the first is a path, or a name that is looked up in {@link SYSTEM_PATH}
 * @throws ProgramFailure
 */
export async function runProgram({
  command,
  containment,
  input,
  limits,
  environment = {},
}: {
  command: Command;
  containment: Containment;
  input: Uint8Array;
  limits: ProgramLimits;
  environment?: Record<string, string>;
}): Promise<ProgramEnd> {
  const child = spawn('setpriv', [...limitingArguments(limits), ...containment.wrap(command)], {
    env: { PATH: SYSTEM_PATH, LANG: 'C.UTF-8', ...HUGE_PAGES, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A process group of its own, so that its descendants can be killed with it.
    detached: true,
  });
  let stopped: ProgramFailure | undefined;
  const stop = (kind: 'timeout' | 'output'): void => {
    stopped ??= new ProgramFailure(kind);
    containment.kill(child);
  };
  const timer = setTimeout(() => stop('timeout'), limits.timeMs);
  try {
    const output = collected(child.stdout, limits.outputBytes, () => stop('output'));
    const complaint = lastWords(child.stderr);
    feed(child.stdin, input);
    const exitCode = await ended(child);
    if (stopped !== undefined) throw stopped;
    if (exitCode === null || exitCode > EXIT_BY_SIGNAL) throw new ProgramFailure('killed');
    if (exitCode === EXIT_NOT_FOUND) throw new ProgramFailure('missing');
    return { exitCode, output: output(), complaint: complaint() };
  } finally {
    clearTimeout(timer);
    // A grandchild may outlive a program that ended by itself.
    if (child.pid !== undefined) killGroup(child.pid);
  }
}

function limitingArguments({ timeMs, memoryBytes }: ProgramLimits): string[] {
  const cpuSeconds = Math.ceil((2 * timeMs) / 1000);
  return [
    '--pdeathsig=KILL',
    '--',
    'prlimit',
    `--as=${memoryBytes}`,
    `--cpu=${cpuSeconds}`,
    '--core=0',
    '--nofile=1024',
    '--',
  ];
}

function ended(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new ProgramFailure('missing', { cause })));
    // `close` rather than `exit`: by then all output has been read.
    child.once('close', resolve);
  });
}

/**
 * Write errors are ignored: a program that has read enough closes its input, and its exit code says
 * whether it succeeded.
 */
function feed(stdin: Writable, input: Uint8Array): void {
  stdin.on('error', () => {});
  stdin.end(input);
}

function collected(
  stream: NodeJS.ReadableStream,
  mostBytes: number,
  onExcess: () => void,
): () => Buffer {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  stream.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes <= mostBytes) chunks.push(chunk);
    else onExcess();
  });
  return () => Buffer.concat(chunks);
}

function lastWords(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString('latin1')).slice(-COMPLAINT_CHARACTERS);
  });
  return () => text;
}
