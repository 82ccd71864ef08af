/** Tells when a worker thread or process does not come back. */

/** Starting includes compiling WebAssembly, and in development TypeScript, on a machine that may be busy. */
const STARTUP_LIMIT_MS = 30_000;

export interface WorkerWatchdog {
  /** The worker is ready for requests; until then it may take {@link STARTUP_LIMIT_MS}. */
  started(): void;
  asked(): void;
  answered(): void;
  stop(): void;
}

/**
 * Calls `bark` when a worker that owes answers has given none for `limitMs` (up to 1.5 times that).
 * Looks twice per limit and barks at the second look in vain: if it was this thread that stood
 * still, the answers that waited meanwhile are read between the two looks.
 */
export function createWorkerWatchdog(limitMs: number, bark: () => void): WorkerWatchdog {
  const periodMs = limitMs / 2;
  let allowedLooks = Math.ceil(STARTUP_LIMIT_MS / periodMs);
  let looks = 0;
  let owed = 0;
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    looks += 1;
    if (looks > allowedLooks) bark();
  }
  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }
  return {
    started() {
      allowedLooks = 2;
      looks = 0;
    },
    asked() {
      owed += 1;
      if (timer !== undefined) return;
      looks = 0;
      timer = setInterval(look, periodMs);
    },
    answered() {
      owed -= 1;
      looks = 0;
      if (owed === 0) stop();
    },
    stop,
  };
}
