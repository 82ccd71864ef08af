/**
 * Supervision of child processes and their descendants: resource use as reported by Linux in
 * `/proc`, detection of hangs and exceeded limits, and termination.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** Returns a process and its descendants, parents first; only the process where `/proc` is unavailable. */
export function processTree(pid: number): number[] {
  const tree = [pid];
  // The list grows while it is walked.
  for (const parent of tree) tree.push(...(childrenOf(parent) ?? []));
  return tree;
}

/** Returns the children of a process; empty if it has ended, undefined where they cannot be read. */
function childrenOf(pid: number): number[] | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.flatMap((thread) => {
      const list = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8');
      return list.split(' ').map(Number).filter(Boolean);
    });
  } catch (error) {
    return hasEnded(error) ? [] : undefined;
  }
}

/** Files in `/proc` vanish with their process; other read errors occur when too many files are open. */
function hasEnded(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return existsSync('/proc/self') && (code === 'ENOENT' || code === 'ESRCH');
}

/** Returns the resident memory of processes, in bytes; ended processes count as zero. */
export function residentBytes(pids: readonly number[]): number {
  let kibibytes = 0;
  for (const pid of pids) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      kibibytes += Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
    } catch {
      // The process has ended meanwhile.
    }
  }
  return kibibytes * 1024;
}

/** Linux reports processor time in hundredths of a second on every machine. */
const MS_PER_TICK = 10;

/** Returns the processor time that a process has used, in ms; undefined where it cannot be read. */
export function processorMs(pid: number): number | undefined {
  try {
    // proc(5): fields 14 and 15. Field 2, the name in brackets, may contain blanks.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}

/** Resource use of a process and its descendants. */
export interface TreeUse {
  processes: number;
  residentBytes: number;
  /** Of the current processes only; decreases when one of them ends. */
  processorMs: number;
}

/**
 * Returns undefined unless all values can be read: a partial sum would look like a drop, and the
 * next full one like a jump.
 */
function useOfTree(pid: number): TreeUse | undefined {
  const tree = [pid];
  const use = { processes: 0, residentBytes: 0, processorMs: 0 };
  for (const each of tree) {
    const children = childrenOf(each);
    if (children === undefined) return undefined;
    tree.push(...children);
    const takenMs = processorMs(each);
    if (takenMs === undefined) {
      if (each === pid || isRunning(each)) return undefined;
      continue;
    }
    use.processes += 1;
    use.processorMs += takenMs;
    use.residentBytes += residentBytes([each]);
  }
  return use;
}

/** Whether a process exists; needs no open file. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Kills a running group leader, its group, and descendants outside the group with SIGKILL. */
export function killTree(leader: number): void {
  for (const pid of [...processTree(leader), -leader]) kill(pid);
}

/** Kills the descendants of a process, latest first; returns whether it had any. */
export function killDescendants(pid: number): boolean {
  const [, ...descendants] = processTree(pid);
  for (const descendant of descendants.reverse()) kill(descendant);
  return descendants.length > 0;
}

/** Kills the remaining processes of a group, even if its leader has ended. */
export function killGroup(leader: number): void {
  kill(-leader);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended meanwhile.
  }
}

/** The processes of a shell command, in a group of their own, so that all of them end together. */
export interface ProcessGroup {
  /** Id of the group; undefined when the shell could not be started. */
  readonly id: number | undefined;
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Ends every process of the group; resolves when none is left. Safe to call again. */
  end(): Promise<void>;
}

/** Time processes have to obey SIGTERM before SIGKILL follows, in ms. */
const GRACE_MS = 1_000;
/** Time to wait after SIGKILL, in ms: only clean-up remains, or zombies that no process reaps. */
const CLEARING_MS = 500;
const POLL_MS = 5;

/**
 * Starts a pipeline of commands in `/bin/sh`, detached from the terminal, with piped stdio.
 * Standard output ends as soon as any command of the pipeline ends.
 *
 * @param command `a | b | c`; must not contain user input
 * @param args become `$1`, `$2`, … of the command
 * @param env the whole environment; nothing is inherited
 */
export function startProcessGroup({
  command,
  args,
  env,
}: {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
}): ProcessGroup {
  const script = [
    // The shell outlives SIGTERM until it has reaped its children: where Node is the first process
    // of a container, no other process does, and every ended command would remain as a zombie.
    'trap : TERM',
    // As a batch, where the kernel allows it: a command that is woken does not interrupt the one that writes to
    // it. Some write word by word, and each word would change processes.
    'chrt --batch --pid 0 $$ 2>&-',
    // In the background, so that the shell can close its copies of the pipes; otherwise the end of
    // a command would go unnoticed. Without `<&3` the first command would read from /dev/null.
    `exec 3<&0; <&3 ${command} & exec <&- >&- 3<&-`,
    // The first `wait` returns at the trap.
    'wait; wait',
  ].join('\n');
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...args], {
    detached: true,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { pid } = child;
  let ended: Promise<void> | undefined;
  return {
    id: pid,
    child,
    end: () => (ended ??= pid === undefined ? Promise.resolve() : endGroup(pid)),
  };
}

async function endGroup(id: number): Promise<void> {
  signalGroup(id, 'SIGTERM');
  // A stopped process obeys only after it continues.
  if (signalGroup(id, 'SIGCONT') && (await isGone(id, GRACE_MS))) return;
  if (signalGroup(id, 'SIGKILL')) await isGone(id, CLEARING_MS);
}

async function isGone(id: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (signalGroup(id, 0)) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/** Sends a signal and returns whether the group has a process left; signal 0 only checks. */
function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-id, signal);
    return true;
  } catch {
    return false;
  }
}

/** Processor time below which a process counts as idle or stopped, in ms. */
const LEAST_WORK_MS = 20;
/** Interval between checks, in ms, and the least number of checks before a process counts as hanging. */
const LOOK_MS = 1_000;
const LOOKS = 4;

interface Look {
  /** Number of signs of life so far. */
  signs: number;
  /** Time on the clock of the watch. */
  atMs: number;
  /** Processor time used by the process; undefined where it cannot be read. */
  takenMs: number | undefined;
}

/**
 * Watches a process that owes an answer. It counts as hanging when it gives no sign of life
 * although it used `timeoutMs` of processor time, or when it uses no processor time for as long.
 * For threads, and where processor time cannot be read (other systems than Linux), elapsed time
 * counts.
 */
export class HangWatch {
  readonly #pid: number | undefined;
  readonly #timeoutMs: number;
  readonly #onHang: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Stands still while this process is blocked: signs of life that arrived meanwhile are still unread. */
  #clockMs = 0;
  #signs = 0;
  /** The first check after the last sign of life. */
  #first: Look | undefined;
  /** The last check since then that showed work. */
  #worked: Look | undefined;

  constructor({
    pid,
    timeoutMs,
    onHang,
  }: {
    pid: number | undefined;
    timeoutMs: number;
    onHang: () => void;
  }) {
    this.#pid = pid;
    this.#timeoutMs = timeoutMs;
    this.#onHang = onHang;
  }

  get isOn(): boolean {
    return this.#timer !== undefined;
  }

  /** Notes a sign of life, or that an answer is owed, and watches from now on. Very cheap. */
  start(): void {
    this.#signs += 1;
    if (this.#timer === undefined) this.#lookSoon();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #lookSoon(): void {
    const waitMs = Math.min(LOOK_MS, this.#timeoutMs / LOOKS);
    const setAtMs = performance.now();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#clockMs += Math.min(performance.now() - setAtMs, 2 * waitMs);
      if (this.#hangs()) this.#onHang();
      else this.#lookSoon();
    }, waitMs);
  }

  #hangs(): boolean {
    const look = { signs: this.#signs, atMs: this.#clockMs, takenMs: this.#read() };
    if (this.#first?.signs !== look.signs) this.#first = this.#worked = look;
    const first = this.#first;
    if (this.#worked === undefined || first.takenMs === undefined) {
      return look.atMs - first.atMs >= this.#timeoutMs;
    }
    // Readable before but not now: too many files may be open.
    if (look.takenMs === undefined) return false;
    if (look.takenMs - (this.#worked.takenMs ?? 0) >= LEAST_WORK_MS) this.#worked = look;
    const isIdle = look.atMs - this.#worked.atMs >= this.#timeoutMs;
    return isIdle || look.takenMs - first.takenMs >= this.#timeoutMs;
  }

  #read(): number | undefined {
    return this.#pid === undefined ? undefined : useOfTree(this.#pid)?.processorMs;
  }
}

/** Processors used at most by a single-threaded process with Node's helper threads, and by an idle one. */
const MOST_PROCESSORS = { working: 1.5, idle: 0.5 };
/**
 * Checks without activity after which a process must be idle: otherwise the hang watch would have
 * ended it.
 */
const IDLE_LOOKS = 3;

export interface ProcessLimits {
  /** Resident memory of the process and its descendants, in bytes. */
  memoryBytes: number;
  /** Number of processes, including those that contain it. */
  processes: number;
  /** Interval between checks, in ms. */
  everyMs?: number;
}

const EVERY_MS = 4_000;

/** Resource use of a process and its descendants at a moment. */
interface Taken {
  /** Times before and after reading: on a busy machine, reading takes long. */
  atMs: number;
  untilMs: number;
  takenMs: number;
}

/**
 * Checks a process against its limits every few seconds; without `/proc` (systems other than
 * Linux), it never reports.
 */
export class LimitWatch {
  readonly #pid: number;
  readonly #limits: ProcessLimits;
  readonly #onExceeded: (what: string) => void;
  readonly #timer: NodeJS.Timeout;
  /** Undefined where it could not be read. */
  #before: Taken | undefined;
  #looksInQuiet = 0;
  #hasStarted = false;

  /** @param options.onExceeded receives the name of the exceeded limit, for the log */
  constructor({
    pid,
    limits,
    onExceeded,
  }: {
    pid: number;
    limits: ProcessLimits;
    onExceeded: (what: string) => void;
  }) {
    this.#pid = pid;
    this.#limits = limits;
    this.#onExceeded = onExceeded;
    const atMs = performance.now();
    this.#before = { atMs, untilMs: atMs, takenMs: 0 };
    this.#timer = setInterval(() => this.#look(), limits.everyMs ?? EVERY_MS).unref();
  }

  /** A request was sent to the process. */
  asked(): void {
    this.#looksInQuiet = 0;
  }

  /** The process has answered; before its first answer it counts as starting. */
  answered(): void {
    this.#looksInQuiet = 0;
    this.#hasStarted = true;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const atMs = performance.now();
    const use = useOfTree(this.#pid);
    const before = this.#before;
    const now = use && { atMs, untilMs: performance.now(), takenMs: use.processorMs };
    const isIdle = this.#hasStarted && this.#looksInQuiet >= IDLE_LOOKS;
    this.#before = now;
    this.#looksInQuiet += 1;
    if (use === undefined) return;
    const { memoryBytes, processes } = this.#limits;
    const most = MOST_PROCESSORS[isIdle ? 'idle' : 'working'];
    if (use.residentBytes > memoryBytes) this.#end('memory');
    else if (use.processes > processes) this.#end('number of processes');
    else if (before && now && processorsBetween(before, now) > most) this.#end('processor time');
  }

  #end(what: string): void {
    this.stop();
    this.#onExceeded(what);
  }
}

function processorsBetween(before: Taken, now: Taken): number {
  return (now.takenMs - before.takenMs) / (now.untilMs - before.atMs);
}

/** Least free memory, in bytes, for loading something ahead of its first use. */
const LEAST_FREE_BYTES = 2 * 1024 ** 3;

/** Whether there is memory to start slow parts ahead of their first use. */
export function hasRoom(): boolean {
  return process.availableMemory() >= LEAST_FREE_BYTES;
}
