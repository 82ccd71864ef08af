/** What the main thread and the thread that owns the database tell each other. */
import type { ErrorCode } from '../../../shared/errors.ts';
import type { StoreCall } from '../store.ts';

/** What the thread is started with. */
export interface StoreThreadData {
  file: string;
  /** How often what was deleted is erased from the log, in ms. */
  erasurePeriodMs: number;
}

/** A call that is to be answered. */
export interface StoreRequest {
  id: number;
  call: StoreCall;
}

/** To the thread: calls, or the wish that it finishes what it has and closes the database. */
export type StoreOrder = readonly StoreRequest[] | 'close';

/** An error on its way to the other thread; `code` is undefined for what was not foreseen. */
export interface StoreFailure {
  code: ErrorCode | undefined;
  message: string;
  detail?: string;
}

export type StoreAnswer = { id: number; value: unknown } | { id: number; failure: StoreFailure };

/** From the thread: it can begin, it cannot open the database, it cannot erase what was deleted, answers. */
export type StoreReport =
  | { kind: 'ready' }
  | { kind: 'refused'; message: string }
  | { kind: 'unerased'; message: string }
  | { kind: 'answers'; answers: StoreAnswer[] };
