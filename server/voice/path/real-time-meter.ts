import { ServiceError } from '../../../shared/errors.ts';

/** Audio is accepted at up to this many times real time. */
const MAX_SPEED = 2;
/** What a client may be ahead at the start, in ms of audio. */
const HEAD_START_MS = 2_000;
/** A stalled network may deliver this much at once, in ms of audio: the longest gap that is allowed. */
const MAX_CREDIT_MS = 30_000;

/**
 * Watches that audio does not come faster than twice real time. Time grants credit, audio spends it:
 * single chunks may bunch up as networks make them, a steady excess is refused.
 *
 * @param refusal what the client is told
 * @returns a function that takes the duration of the audio that has just come, in ms
 * @throws ServiceError audio_too_fast, from the returned function
 */
export function createRealTimeMeter(
  refusal = `Audio may be sent at up to ${MAX_SPEED} times real time. Slow down and open a new session.`,
  now: () => number = performance.now.bind(performance),
) {
  let creditMs = HEAD_START_MS;
  let countedAtMs = now();
  return (durationMs: number): void => {
    const atMs = now();
    creditMs = Math.min(creditMs + (atMs - countedAtMs) * MAX_SPEED, MAX_CREDIT_MS) - durationMs;
    countedAtMs = atMs;
    if (creditMs < 0) throw new ServiceError('audio_too_fast', refusal);
  };
}
