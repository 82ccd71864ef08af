/** Says when a recogniser falls behind the audio, and when it has caught up. */

/** Behind by less, nobody notices. */
const NOTICED_MS = 1_000;
/** Told again once the lag differs by so much. */
const STEP_MS = 1_000;
const CAUGHT_UP_MS = 500;

/**
 * @param report called with the lag in ms when it is worth a message; 0 once it is made up
 * @returns a function that takes the lag whenever it may have changed, in ms
 */
export function createLagWatch(report: (lagMs: number) => void): (lagMs: number) => void {
  let reportedMs = 0;
  return (lagMs) => {
    if (reportedMs === 0 && lagMs < NOTICED_MS) return;
    if (reportedMs > 0 && lagMs <= CAUGHT_UP_MS) report((reportedMs = 0));
    else if (Math.abs(lagMs - reportedMs) >= STEP_MS) report((reportedMs = lagMs));
  };
}
