/**
 * Metadata of the database: its identity, its encoding, whether it is writable, and whether a
 * transaction was committed.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Logger } from '../process/log.ts';
import { type Database, locksRows } from './database.ts';
import { defineStore, UnusableDatabase } from './store.ts';

/** Distinguishes this database from others. */
export interface InstallationStore {
  /** Returns the id of the database, which is created on first use. */
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

/** Identity of the database. */
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

/** Checks whether the database is writable. */
interface WriteCheckStore {
  /** @throws ServiceError storage_unavailable when it is not */
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

/** Each process has its own row, so that a stalled process with a locked row blocks no other. */
const ROW_OF_PROCESS = randomInt(1, 2 ** 31);
/**
 * Age at which rows of other processes are deleted, in ms; generous, because clocks may differ. One
 * whose clock is far ahead deletes none: all others' rows are as old for it. Locked rows are left to
 * a later check.
 */
const FORGOTTEN_AFTER_MS = 60 * 60_000;

/** Check of whether the database is writable. */
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
        .where('checked_at_ms', '<', (eb) =>
          eb
            .selectFrom('write_checks as other')
            .select(sql<number>`max(other.checked_at_ms) - ${FORGOTTEN_AFTER_MS}`.as('since_ms'))
            .where('other.check_id', '<>', ROW_OF_PROCESS),
        )
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

/** SQLSTATE of PgBouncer for a parameter of a connection that it does not know. */
const PROTOCOL_VIOLATION = '08P01';
const POOLER_ADVICE =
  'Of PgBouncer, this needs ignore_startup_parameters = ' +
  'statement_timeout,idle_in_transaction_session_timeout.';

/**
 * Checks that a new database of PostgreSQL holds every letter: without a name for it, its encoding is that
 * of the machine's locale. SQL_ASCII keeps any bytes. One that is in use is only warned of.
 *
 * @throws UnusableDatabase when a new one does not, or a pooler refuses the connection
 */
export async function assertEncoding(db: Database, log: Pick<Logger, 'warn'>): Promise<void> {
  const { rows } = await sql<{ name: string; encoding: string; isNew: boolean }>`
    select current_database() as name, current_setting('server_encoding') as encoding,
      to_regclass('installation') is null as "isNew"`
    .execute(db)
    .catch((error: unknown) => {
      throw (error as { code?: unknown }).code === PROTOCOL_VIOLATION
        ? new UnusableDatabase(`STORAGE_URL: ${String(error)}. ${POOLER_ADVICE}`)
        : error;
    });
  for (const { name, encoding, isNew } of rows) {
    if (encoding === 'UTF8' || encoding === 'SQL_ASCII') continue;
    const problem = `The database ${name} cannot hold all languages: its encoding is ${encoding}.`;
    const advice = "Create one with: CREATE DATABASE dragoman ENCODING 'UTF8' TEMPLATE template0";
    if (isNew) throw new UnusableDatabase(`${problem} ${advice}`);
    log.warn({}, problem);
  }
}

/**
 * Marks that tell whether a transaction was committed whose COMMIT was not answered: each
 * transaction writes a new mark into a row, which it thereby locks.
 */
export interface Marks {
  /**
   * Writes a new mark over the previous one; must be the first statement of its transaction, and
   * only one transaction may be open.
   *
   * @param lockLimitMs longest wait of the transaction for a lock; the statement timeout by default
   */
  leave(db: Database, lockLimitMs?: number): Promise<number>;
  /** Returns the mark of the last committed transaction; waits for one that is still open. */
  read(db: Database): Promise<number>;
}

/** Makes marks in a row of their own, so that write checks never wait for a transaction. */
export function createMarks(): Marks {
  const check_id = randomInt(1, 2 ** 31);
  let last = 0;
  return {
    async leave(db, lockLimitMs) {
      // A timestamp, so that the row expires like those of write checks.
      last = Math.max(last + 1, Date.now());
      const row = { check_id, checked_at_ms: last };
      await db
        .insertInto('write_checks')
        .values(row)
        .onConflict((conflict) => conflict.column('check_id').doUpdateSet(row))
        // Sets the lock timeout in the same statement, which saves a round trip.
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
