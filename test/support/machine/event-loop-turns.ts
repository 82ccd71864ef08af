/** Whether work lets others have their turn at the event loop. */
import { setImmediate as turn } from 'node:timers/promises';

export interface Turns {
  /** How often others had their turn while the work was under way. */
  count: number;
  /** Processor time of this process in the longest wait for a turn, in ms. */
  longestMs: number;
  /** The part of all processor time that went by in the longest wait for a turn, 0 to 1. */
  longestShare: number;
}

/**
 * How some work shares the event loop. Counted in turns and in processor time of this process, which
 * stands still while a busy machine lets others run.
 */
export async function turnsDuring(work: () => Promise<unknown>): Promise<Turns> {
  const turnsUs: number[] = [];
  const done = new AbortController();
  const watching = (async () => {
    for (let before = process.cpuUsage(); !done.signal.aborted;) {
      await turn();
      const { user, system } = process.cpuUsage(before);
      turnsUs.push(user + system);
      before = process.cpuUsage();
    }
  })();
  try {
    await work();
  } finally {
    done.abort();
    await watching;
  }
  const totalUs = turnsUs.reduce((sum, us) => sum + us, 0);
  const longestUs = turnsUs.reduce((longest, us) => Math.max(longest, us), 0);
  return { count: turnsUs.length, longestMs: longestUs / 1000, longestShare: longestUs / totalUs };
}
