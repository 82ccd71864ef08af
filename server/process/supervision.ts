/**
 * Processes that we have started, and all that these start: what they take, as Linux tells of it in
 * `/proc`; whether they hang, or take more than they may; and how they end.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** The process and its descendants, parents first; only itself where the kernel does not tell. */
export function processTree(pid: number): number[] {
  const tree = [pid];
  // Grows while it is walked.
  for (const parent of tree) tree.push(...(childrenOf(parent) ?? []));
  return tree;
}

/** None of a process that has ended; undefined where the system does not tell. */
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

/** Files in `/proc` go with their process; others cannot be read, when too many are open for one. */
function hasEnded(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return existsSync('/proc/self') && (code === 'ENOENT' || code === 'ESRCH');
}

/** Memory that these processes hold, in bytes; what has ended holds none. */
export function residentBytes(pids: readonly number[]): number {
  let kibibytes = 0;
  for (const pid of pids) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      kibibytes += Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
    } catch {
      // It has ended meanwhile.
    }
  }
  return kibibytes * 1024;
}

/** Linux counts the processor's time in hundredths of a second, whatever the machine. */
const MS_PER_TICK = 10;

/** Time that a process has had of the processor, in ms; undefined where the system does not tell. */
export function processorMs(pid: number): number | undefined {
  try {
    // proc(5): the 14th and 15th field; the 2nd, the name in brackets, may hold blanks.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}

/** What a process and all that it has started take. */
export interface TreeUse {
  processes: number;
  residentBytes: number;
  /** Of those that there are; less than before when some have ended. */
  processorMs: number;
}

/** Undefined where the system does not tell all of it: a part would look like less, and the rest like a leap. */
export function useOfTree(pid: number): TreeUse | undefined {
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

/** Whether there is a process, which it takes no file to know. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Ends a running process that leads a group, the group, and what it started outside of the group, at
 * once and without asking them.
 */
export function killTree(leader: number): void {
  for (const pid of [...processTree(leader), -leader]) kill(pid);
}

/** Ends what a process has started, the latest first; returns whether there was anything. */
export function killDescendants(pid: number): boolean {
  const [, ...descendants] = processTree(pid);
  for (const descendant of descendants.reverse()) kill(descendant);
  return descendants.length > 0;
}

/** Ends what there is of a group, be its leader there or not. */
export function killGroup(leader: number): void {
  kill(-leader);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** The processes of a shell command: a group of their own, so that all of them end together. */
export interface ProcessGroup {
  /** Id of the group; undefined when the shell could not be started. */
  readonly id: number | undefined;
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Ends every process of the group; resolves when none is left. Safe to call again. */
  end(): Promise<void>;
}

/** How long processes may take to obey SIGTERM before SIGKILL follows, in ms. */
const GRACE_MS = 1_000;
/** After SIGKILL only clearing up remains, or zombies that nobody reaps, in ms. */
const CLEARING_MS = 500;
const POLL_MS = 5;

/**
 * Starts a pipeline of commands in `/bin/sh`, detached from the terminal, with piped stdio. Standard
 * output ends as soon as the last command ends, or any before it.
 *
 * @param command `a | b | c`; must not contain anything a user has written
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
    // The shell outlives SIGTERM until it has reaped its children: where nobody else does that (Node
    // as the first process of a container), every ended command would stay behind as a zombie.
    'trap : TERM',
    // In the background, so that the shell can let go of the pipes: while it held them, the end of a
    // command would not show. The first command would then read from /dev/null but for the `<&3`.
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
  // One that was stopped obeys only when it goes on.
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

/** Returns whether the group has a process left; signal 0 only asks. */
function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-id, signal);
    return true;
  } catch {
    return false;
  }
}

/** Less than this of the processor, in ms, is what a process takes that waits for ever or is stopped. */
const LEAST_WORK_MS = 20;
/** How often the processor's time is asked for, in ms, and how often at least before it is said to hang. */
const LOOK_MS = 1_000;
const LOOKS = 4;

interface Look {
  /** How many signs had come. */
  signs: number;
  /** On the clock of the watch. */
  atMs: number;
  /** The processor's time that the process had taken; undefined where the system does not tell. */
  takenMs: number | undefined;
}

/**
 * Watches a process that owes something. It hangs when it gives no sign although it had `timeoutMs` of
 * the processor for it, or when it takes nothing of the processor for so long; where the system does
 * not tell (only Linux does), and of a thread, when it gives no sign for so long.
 */
export class HangWatch {
  readonly #pid: number | undefined;
  readonly #timeoutMs: number;
  readonly #onHang: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Stands still while we do: signs that came meanwhile have not been read. */
  #clockMs = 0;
  #signs = 0;
  /** What was found at the first look after the last sign. */
  #first: Look | undefined;
  /** And at the last look at which it had worked since. */
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

  /** Waits for a sign of life from now on: something is owed, or a sign has come. Costs next to nothing. */
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
    // It told before, and does not now: too many files may be open.
    if (look.takenMs === undefined) return false;
    if (look.takenMs - (this.#worked.takenMs ?? 0) >= LEAST_WORK_MS) this.#worked = look;
    const isIdle = look.atMs - this.#worked.atMs >= this.#timeoutMs;
    return isIdle || look.takenMs - first.takenMs >= this.#timeoutMs;
  }

  #read(): number | undefined {
    return this.#pid === undefined ? undefined : useOfTree(this.#pid)?.processorMs;
  }
}

/** Processors that one thread takes with those that Node has beside it, and one that has nothing to do. */
const MOST_PROCESSORS = { working: 1.5, idle: 0.5 };
/** After so many looks without a word all that was asked for is done: it would have been said to hang. */
const IDLE_LOOKS = 3;

export interface ProcessLimits {
  /** Resident, of the process and all that it starts, in bytes. */
  memoryBytes: number;
  /** The process, and what contains it. */
  processes: number;
  /** How often it is looked at, in ms. */
  everyMs?: number;
}

const EVERY_MS = 4_000;

/** What a process and all that it has started took by a moment. */
interface Taken {
  /** When it was about to be read, and when it had been: a busy machine may take its time. */
  atMs: number;
  untilMs: number;
  takenMs: number;
}

/** Looks every few seconds; where the system does not tell (only Linux does), it sees nothing. */
export class LimitWatch {
  readonly #pid: number;
  readonly #limits: ProcessLimits;
  readonly #onExceeded: (what: string) => void;
  readonly #timer: NodeJS.Timeout;
  /** Undefined where the system did not tell. */
  #before: Taken | undefined;
  #looksInQuiet = 0;
  #hasStarted = false;

  /** @param options.onExceeded told which limit, for the log */
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

  /** It was asked for something. */
  asked(): void {
    this.#looksInQuiet = 0;
  }

  /** It has given something; before it does for the first time, it starts. */
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

/** With less memory free, in bytes, nothing is loaded that nobody may ask for. */
const LEAST_FREE_BYTES = 2 * 1024 ** 3;

/** Whether there is memory for what starts slowly and is started ahead. */
export function hasRoom(): boolean {
  return process.availableMemory() >= LEAST_FREE_BYTES;
}
