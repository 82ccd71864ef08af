/** A process and all that it has started, as Linux tells of them in `/proc`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

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
