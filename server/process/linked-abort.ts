/** Abort signals that follow others only for as long as it takes. */
import { setMaxListeners } from 'node:events';

/**
 * A controller that aborts with the first of these signals, with its reason. `unlink` lets go of
 * them: `AbortSignal.any` would hold on to a long-lived signal's dependants in Node 20.
 */
export function linkAbort(...signals: readonly AbortSignal[]): {
  controller: AbortController;
  unlink: () => void;
} {
  const controller = new AbortController();
  // Many requests at once may follow one signal: that is no leak.
  setMaxListeners(0, controller.signal, ...signals);
  const unlinks = signals.map((signal) => {
    const forward = () => controller.abort(signal.reason);
    if (signal.aborted) forward();
    else signal.addEventListener('abort', forward, { once: true });
    return () => signal.removeEventListener('abort', forward);
  });
  return {
    controller,
    unlink: () => {
      for (const unlink of unlinks) unlink();
    },
  };
}
