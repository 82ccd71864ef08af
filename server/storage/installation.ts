/** What the database says of itself: which one it is, and whether it can be written. */
import { randomInt, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type Database, locksRows } from './database.ts';
import { defineStore } from './store.ts';

/** Tells this database from others. */
export interface InstallationStore {
  /** Its id, made when it is asked for first. */
  id(): Promise<string>;
}

const ONLY_ROW = 1;

export interface InstallationTable {
  row_id: number;
  installation_id: string;
}

declare module './database.ts' {
  interface Tables {
    installation: InstallationTable;
  }
}

/** Which database this is. */
export const installationStore = defineStore<InstallationStore>({
  over: createInstallation,
  reads: [],
});

function createInstallation(db: Database): InstallationStore {
  return {
    async id() {
      await db
        .insertInto('installation')
        .values({ row_id: ONLY_ROW, installation_id: randomUUID() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const row = await db
        .selectFrom('installation')
        .select('installation_id')
        .executeTakeFirstOrThrow();
      return row.installation_id;
    },
  };
}

/** Finds out whether the database can be written. */
interface WriteCheckStore {
  /** @throws ServiceError storage_unavailable when it cannot */
  write(atMs: number): Promise<void>;
}

interface WriteChecksTable {
  check_id: number;
  checked_at_ms: number;
}

declare module './database.ts' {
  interface Tables {
    write_checks: WriteChecksTable;
  }
}

/** A row for each process: one that stands still with its row locked holds up no other. */
const ROW_OF_PROCESS = randomInt(1, 2 ** 31);
/** Of processes that are gone: clocks may differ. One that is locked is left to a later check. */
const FORGOTTEN_AFTER_MS = 60 * 60_000;

/** Whether the database can be written. */
export const writeCheckStore = defineStore<WriteCheckStore>({
  over: createWriteChecks,
  reads: [],
});

function createWriteChecks(db: Database): WriteCheckStore {
  return {
    async write(atMs) {
      const forgotten = db
        .selectFrom('write_checks')
        .select('check_id')
        .where('checked_at_ms', '<', atMs - FORGOTTEN_AFTER_MS)
        .where('check_id', '<>', ROW_OF_PROCESS)
        .$if(locksRows(db), (query) => query.forUpdate().skipLocked());
      await db.deleteFrom('write_checks').where('check_id', 'in', forgotten).execute();
      const row = { check_id: ROW_OF_PROCESS, checked_at_ms: atMs };
      await db
        .insertInto('write_checks')
        .values(row)
        .onConflict((conflict) => conflict.column('check_id').doUpdateSet(row))
        .execute();
    },
  };
}

/** Tells whether a transaction was written whose COMMIT was not answered: each leaves its mark in a row that it locks. */
export interface Marks {
  /**
   * Leaves another mark in place of the one before, first in a transaction, of which one is open at a time.
   *
   * @param lockLimitMs how long the transaction waits for a lock; as long as for any statement without
   */
  leave(db: Database, lockLimitMs?: number): Promise<number>;
  /** The last mark of a transaction that was written; waits for one whose end is still open. */
  read(db: Database): Promise<number>;
}

/** Makes marks in a row of their own: whoever looks whether the database can be written waits for no transaction. */
export function createMarks(): Marks {
  const check_id = randomInt(1, 2 ** 31);
  let last = 0;
  return {
    async leave(db, lockLimitMs) {
      // A time, so that the row is forgotten like those of write checks.
      last = Math.max(last + 1, Date.now());
      const row = { check_id, checked_at_ms: last };
      await db
        .insertInto('write_checks')
        .values(row)
        .onConflict((conflict) => conflict.column('check_id').doUpdateSet(row))
        // With the mark, so that it takes no way to the database of its own.
        .$if(lockLimitMs !== undefined, (query) =>
          query.returning(sql`set_config('lock_timeout', ${`${lockLimitMs}`}, true)`.as('limit')),
        )
        .execute();
      return last;
    },
    async read(db) {
      const { checked_at_ms } = await db
        .insertInto('write_checks')
        .values({ check_id, checked_at_ms: 0 })
        .onConflict((conflict) => conflict.column('check_id').doUpdateSet({ check_id }))
        .returning('checked_at_ms')
        .executeTakeFirstOrThrow();
      return checked_at_ms;
    },
  };
}
