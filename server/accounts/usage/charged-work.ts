/** Work that is paid for: done and charged, or neither. */
import type { Reservation } from './usage.ts';

/**
 * Does work that is charged for. Both go on at the same time, for nearly every charge succeeds; a
 * caller who was refused before is charged first. Without the charge there is no result, and without
 * a result no charge.
 */
export async function whileCharged<Result>(
  chargesFirst: boolean,
  charge: () => Promise<Reservation>,
  abort: AbortController,
  work: () => Promise<Result>,
): Promise<Result> {
  abort.signal.throwIfAborted();
  const charging = charge();
  try {
    if (chargesFirst) await charging;
    const [result] = await Promise.all([work(), charging]);
    return result;
  } catch (error) {
    abort.abort(error);
    const reservation = await charging.catch(() => undefined);
    await reservation?.giveBack();
    throw error;
  }
}
