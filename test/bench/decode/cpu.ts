/** Processor time of this process and of the children it has had. */
import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second (USER_HZ) here. */
const TICKS_PER_SECOND = 100;

/** Seconds of user and system time, of all threads, and of children that have ended. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  // After the name, which may hold blanks: cutime and cstime are the 14th and 15th field.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const children = Number(fields[13]) + Number(fields[14]);
  return (user + system) / 1e6 + children / TICKS_PER_SECOND;
}
