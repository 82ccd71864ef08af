/** What to do when PostgreSQL says no: try again, or tell the caller. */
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import type { StoreCall } from '../store-methods.ts';
import { isServerError, unavailable } from './connections.ts';

/** SQLSTATE: serialization_failure, deadlock_detected. Nothing was written. */
const RETRIED = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 8;
/** Connection exceptions, insufficient resources, operator intervention (shutdown, time limit), lock not available. */
const UNAVAILABLE = /^(08|53|57|25P03|55P03)/;

/**
 * Runs a statement or a transaction, again when it stood in the way of another one.
 *
 * @throws ServiceError storage_unavailable when the database cannot be reached or does not get to
 *   it, internal for what we did not foresee
 */
export async function attempt<Result>(
  run: () => Promise<Result>,
  { call, log }: { call: Pick<StoreCall, 'store' | 'method'>; log: Logger },
): Promise<Result> {
  for (let count = 1; ; count += 1) {
    try {
      return await run();
    } catch (error) {
      const sqlState = isServerError(error) ? (error.code ?? '') : '';
      if (RETRIED.has(sqlState) && count < MAX_ATTEMPTS) {
        await pause(Math.random() * 10 * count);
        continue;
      }
      throw toServiceError(error, sqlState, { ...call, log });
    }
  }
}

function toServiceError(
  error: unknown,
  sqlState: string,
  { store, method, log }: { store: string; method: string; log: Logger },
): ServiceError {
  if (error instanceof ServiceError) return error;
  if (UNAVAILABLE.test(sqlState)) return unavailable(error);
  const fields = { store, method, sqlState, error: String(error) };
  log.error(fields, 'The database refused a statement.');
  return new ServiceError('internal', 'Something went wrong. Please try again.', { cause: error });
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, durationMs));
}
