/** What a room declares of its store. */
import { ServiceError } from '../../shared/errors.ts';
import type { Database } from './database.ts';

/**
 * A store over either database. Arguments and answers are plain data, for the embedded database runs
 * in a worker thread; an answered write has reached the disk. Times are ms since the epoch,
 * characters are Unicode code points, speech is in ms.
 */
export interface StoreDefinition<Store> {
  /** The store over a database, or over a transaction of it. */
  over: (db: Database) => Store;
  /**
   * Methods that are run without a transaction of their own: what must be seen at one moment is one
   * statement. The others write all or nothing.
   */
  reads: readonly (keyof Store)[];
  /** Methods of which all calls that wait are written at once. */
  batch?: {
    methods: readonly (keyof Store)[];
    /** Most calls at once. */
    mostCalls: number;
    /** Whose rows a call locks, as an id. */
    subjectOf: (call: StoreCall) => string;
    /**
     * Answers each call; rejects when none of them is written. Told to skip what somebody else has locked, it does not
     * begin such calls and answers them with {@link RowsLocked}.
     */
    over: (
      db: Database,
      whenLocked?: WhenLocked,
    ) => (calls: readonly StoreCall[]) => Promise<PromiseSettledResult<unknown>[]>;
  };
}

/** A call of a store method; plain data that can go to another thread. */
export interface StoreCall {
  store: string;
  method: string;
  args: unknown[];
}

/** What is done about rows that somebody else has locked. */
export type WhenLocked = 'wait' | 'skip';

/** Somebody else has locked the rows of a call: nothing was done, and it may be tried again. */
export class RowsLocked extends ServiceError {
  constructor() {
    super('storage_unavailable', 'The database is busy. Please try again.');
  }
}

/** A definition, for its types. */
export function defineStore<Store>(definition: StoreDefinition<Store>): StoreDefinition<Store> {
  return definition;
}
