/** Measures whether work yields to the event loop. */
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

export interface Turns {
  /** Number of turns that were observed while the work was under way. */
  count: number;
  /** Processor time of this process in the longest wait for a turn, in ms. */
  longestMs: number;
  /** Share of all processor time spent in the longest wait for a turn, 0 to 1. */
  longestShare: number;
}

/**
 * Measures how some work shares the event loop. Counts turns and processor time of this process, which stands
 * still while a busy machine runs other processes.
 *
 * @param pauseMs pause between observed turns, for work that waits for other processes: observing every turn
 *   takes the whole processor. By default every turn counts.
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
