/** Whether work lets others have their turn at the event loop. */
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

export interface Turns {
  /** How often others had their turn while the work was under way, as far as it was looked. */
  count: number;
  /** Processor time of this process in the longest wait for a turn, in ms. */
  longestMs: number;
  /** The part of all processor time that went by in the longest wait for a turn, 0 to 1. */
  longestShare: number;
}

/**
 * How some work shares the event loop. Counted in turns and in processor time of this process, which
 * stands still while a busy machine lets others run.
 *
 * @param pauseMs between two turns, for work that waits for other processes: to ask for turn after turn
 * takes all of the processor. Without it every turn counts.
 */
export async function turnsDuring(
  work: () => Promise<unknown>,
  { pauseMs }: { pauseMs?: number } = {},
): Promise<Turns> {
  const turnsUs: number[] = [];
  const done = new AbortController();
  const watching = (async () => {
    for (let before = process.cpuUsage(); !done.signal.aborted;) {
      await (pauseMs === undefined ? turn() : delay(pauseMs));
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
