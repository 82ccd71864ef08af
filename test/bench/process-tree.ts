/** What the processes below this one cost, as Linux counts it in /proc. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

interface ProcessFigures {
  pid: number;
  parentPid: number;
  cpuTicks: number;
  /** Of children that have ended and were waited for. */
  endedChildrenTicks: number;
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Processor time of all descendants so far, ended ones included, this process excluded; in seconds. */
export function descendantsCpuS(): number {
  const all = processes();
  const own = all.find(({ pid }) => pid === process.pid);
  const ticks = descendants(all).reduce(
    (sum, { cpuTicks, endedChildrenTicks }) => sum + cpuTicks + endedChildrenTicks,
    own?.endedChildrenTicks ?? 0,
  );
  return ticks / ticksPerSecond;
}

/**
 * How long all descendants that run now could have run while another program did, in seconds: of their
 * main threads, in which our recognisers decode. 0 where Linux does not count it.
 */
export function descendantsWaitS(): number {
  const waitNs = descendants(processes()).reduce(
    (sum, { pid }) => sum + Number(read(`/proc/${pid}/schedstat`).split(' ')[1] ?? 0),
    0,
  );
  return waitNs / 1e9;
}

/** Memory of one process in bytes. */
export interface MemoryFigures {
  pid: number;
  /** All it has in memory. */
  residentBytes: number;
  /** The same with shared pages divided among those that share them. */
  proportionalBytes: number;
}

/** Memory of each descendant. */
export function descendantsMemory(): MemoryFigures[] {
  return descendants(processes()).flatMap(({ pid }) => {
    const rollup = read(`/proc/${pid}/smaps_rollup`);
    const residentBytes = kilobytes(rollup, 'Rss') * 1024;
    return residentBytes === 0
      ? []
      : [{ pid, residentBytes, proportionalBytes: kilobytes(rollup, 'Pss') * 1024 }];
  });
}

function descendants(all: readonly ProcessFigures[], pid = process.pid): ProcessFigures[] {
  const known = new Set([pid]);
  const found: ProcessFigures[] = [];
  // Children may have smaller numbers than their parents once the numbers have wrapped around.
  for (let before = -1; before !== found.length;) {
    before = found.length;
    for (const each of all) {
      if (known.has(each.pid) || !known.has(each.parentPid)) continue;
      known.add(each.pid);
      found.push(each);
    }
  }
  return found;
}

function processes(): ProcessFigures[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(`/proc/${name}/stat`);
      if (stat === '') return [];
      // The name in parentheses may hold anything: fields count from behind it (man 5 proc).
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const field = (number: number) => Number(fields[number - 3]);
      return [
        {
          pid: Number(name),
          parentPid: field(4),
          cpuTicks: field(14) + field(15),
          endedChildrenTicks: field(16) + field(17),
        },
      ];
    });
}

function kilobytes(text: string, name: string): number {
  return Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
}

/** Empty when the process has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** Processor time so far of all that descend from a process and run now; in seconds. */
export function runningChildrenCpuS(pid: number): number {
  const ticks = descendants(processes(), pid).reduce((sum, { cpuTicks }) => sum + cpuTicks, 0);
  return ticks / ticksPerSecond;
}

/** Processor time of one process so far, all its threads, without its children; in seconds. */
export function processCpuS(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
