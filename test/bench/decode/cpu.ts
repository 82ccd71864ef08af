/** Processor time of this process and of the children it has, or has had. */
import { descendantsCpuS } from '../process-tree.ts';

/** Seconds of user and system time, of all threads. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + descendantsCpuS();
}
