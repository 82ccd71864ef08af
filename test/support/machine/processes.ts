/** Finds the processes that a server has started. */
import { readFileSync } from 'node:fs';
import { processTree } from '../../../server/process/supervision.ts';

/** Returns the descendants of a process whose command line matches, at any depth. */
export function descendantsOf(ancestor: number, pattern: RegExp): number[] {
  return processTree(ancestor)
    .slice(1)
    .filter((pid) => pattern.test(commandOf(pid)));
}

/** Returns whether a process runs, zombies excluded. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Returns a command line with a blank after each argument; empty for a process that has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
