/** Long work on the main thread, cut into slices so that nobody else waits for it. */

/**
 * A slice: with a collection of garbage in it still below the 10 ms that a live caption may be late
 * without anybody noticing.
 */
const SLICE_MS = 3;

/** Reading the clock costs as much as an entry; this many steps go by between two readings. */
const STEPS_A_READING = 16;

/** Says when it is time to let others work. Made once per job. */
export interface WorkSlices {
  /** Whether the slice is used up; to be asked at every small step of the job. */
  over(): boolean;
  /** Resolves after everybody else who waited for the event loop has had a turn. */
  next(): Promise<void>;
}

/** Starts the first slice of a job: `if (slices.over()) await slices.next();` at every step. */
export function startWorkSlices(): WorkSlices {
  let endsAtMs = performance.now() + SLICE_MS;
  let steps = 0;
  return {
    over() {
      steps += 1;
      return steps % STEPS_A_READING === 0 && performance.now() > endsAtMs;
    },
    async next() {
      await new Promise((resolve) => setImmediate(resolve));
      endsAtMs = performance.now() + SLICE_MS;
    },
  };
}
