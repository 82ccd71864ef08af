/** For child processes that must not outlive their parent, whatever keeps them busy. */
import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { declareContained } from './containment.ts';

/** What a process that is not contained has to know to end; a contained one ends with its container. */
export interface Uncontained {
  parentPid: number;
  /** For temporary files; removed when the process ends. */
  folder?: string;
}

/** Its thread has nothing else to do, even while the main one hangs. */
const WATCH = `
  const { rmSync } = require('node:fs');
  const { parentPid, folder } = require('node:worker_threads').workerData;
  setInterval(() => {
    if (process.ppid === parentPid) return;
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    process.kill(-process.pid, 'SIGKILL');
  }, 500);
`;

/**
 * Ends the process, with its group when it is not contained, once the channel to its parent is closed or
 * the parent is gone. It has to be the leader of its group (`detached`).
 *
 * @param uncontained undefined when it is contained
 */
export function endWithParent(uncontained: Uncontained | undefined): void {
  if (uncontained === undefined) {
    declareContained();
    process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
    return;
  }
  const { folder } = uncontained;
  new Worker(WATCH, { eval: true, workerData: uncontained }).unref();
  process.on('disconnect', () => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    process.kill(-process.pid, 'SIGKILL');
  });
}
