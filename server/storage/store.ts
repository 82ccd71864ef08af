/** The definition of a store, as each part of the server declares it. */
import { ServiceError } from '../../shared/errors.ts';
import type { Database } from './database.ts';

/**
 * A store over either database. Arguments and results are plain data, because the embedded database
 * runs in a worker thread; a resolved write has reached the disk. Times are ms since the epoch,
 * characters are Unicode code points, speech is in ms.
 */
export interface StoreDefinition<Store> {
  /** Makes the store over a database or a transaction. */
  over: (db: Database) => Store;
  /**
   * Methods that run without a transaction of their own; anything that needs a consistent view is a
   * single statement. All other methods are atomic.
   */
  reads: readonly (keyof Store)[];
  /** Methods whose waiting calls are written together. */
  batch?: {
    methods: readonly (keyof Store)[];
    /** Largest number of calls in a batch. */
    mostCalls: number;
    /** Returns the id of the subject whose rows a call locks. */
    subjectOf: (call: StoreCall) => string;
    /**
     * Runs a batch and settles each call; rejects when nothing was written. With `skip`, calls
     * whose rows are locked by another transaction are not begun and settle with {@link
     * RowsLocked}.
     */
    over: (
      db: Database,
      whenLocked?: WhenLocked,
    ) => (calls: readonly StoreCall[]) => Promise<PromiseSettledResult<unknown>[]>;
  };
}

/** A call of a store method: plain data that can be sent to another thread. */
export interface StoreCall {
  store: string;
  method: string;
  args: unknown[];
}

/** Behaviour towards rows that another transaction has locked. */
export type WhenLocked = 'wait' | 'skip';

/**
 * The rows of a call are locked by another transaction: nothing was written, and the call may be
 * retried.
 */
export class RowsLocked extends ServiceError {
  constructor() {
    super('storage_unavailable', 'The database is busy. Please try again.');
  }
}

/** The connection broke at the end of a call: whether it was written will be known later. */
export class OutcomeUnknown<Result = unknown> extends ServiceError {
  /**
   * Queries the database for the outcome.
   *
   * @returns undefined when the call was not written
   * @throws ServiceError storage_unavailable while the database cannot be reached
   */
  readonly find: () => Promise<{ result: Result } | undefined>;

  constructor(find: OutcomeUnknown<Result>['find'], cause: unknown) {
    const reason = 'The database cannot be reached. Please try again in a moment.';
    super('storage_unavailable', reason, { cause });
    this.find = find;
  }
}

/** The database cannot be used at all; the message tells the operator why and what to do. */
export class UnusableDatabase extends Error {
  readonly code = 'unusable_database';
}

/** Returns the definition unchanged; infers its types. */
export function defineStore<Store>(definition: StoreDefinition<Store>): StoreDefinition<Store> {
  return definition;
}
