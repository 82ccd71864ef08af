/** Retry pauses: exponential backoff with jitter, cut short when the network returns. */

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** Pauses for many clients that lost the same server at the same moment, in ms. */
const CROWD_PAUSE_MS = { first: 2_000, longest: 15_000 };

interface Page {
  navigator?: { onLine?: boolean };
  addEventListener?: (
    type: 'online',
    listener: () => void,
    options: { signal: AbortSignal },
  ) => void;
}
const page = globalThis as unknown as Page;

/** Whether the browser reports that there is no network; always false in programs. */
export function isOffline(): boolean {
  return page.navigator?.onLine === false;
}

/**
 * Waits before attempt `attempt + 1`; ends early when the network returns or `signal` is aborted.
 *
 * @param isCrowd whether thousands of clients may retry at the same moment: they are spread over
 *   the whole pause
 */
export function retryPause({
  attempt,
  signal,
  isCrowd = false,
}: {
  attempt: number;
  signal: AbortSignal;
  isCrowd?: boolean;
}): Promise<void> {
  const pauseMs = isCrowd
    ? Math.min(CROWD_PAUSE_MS.longest, CROWD_PAUSE_MS.first * 2 ** (attempt - 1)) *
      (0.15 + 0.85 * Math.random())
    : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)) * (0.7 + 0.6 * Math.random());
  return new Promise((resolve) => {
    const done = new AbortController();
    const timer = setTimeout(go, pauseMs);
    const once = { signal: done.signal };
    page.addEventListener?.('online', go, once);
    signal.addEventListener('abort', go, once);
    if (signal.aborted) go();

    function go(): void {
      clearTimeout(timer);
      done.abort();
      resolve();
    }
  });
}
