/** Whether work lets others have their turn at the event loop. */
import { setImmediate as turn } from 'node:timers/promises';

/** Durations in ms of all turns of the event loop while some work is under way, the longest first. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number[]> {
  const turnsMs: number[] = [];
  const done = new AbortController();
  const watching = (async () => {
    for (let beganAtMs = performance.now(); !done.signal.aborted;) {
      await turn();
      turnsMs.push(performance.now() - beganAtMs);
      beganAtMs = performance.now();
    }
  })();
  try {
    await work();
  } finally {
    done.abort();
    await watching;
  }
  return turnsMs.sort((one, other) => other - one);
}
