/** What the stores are written against: Kysely over either database, and the little that differs. */
import { PostgresAdapter, type Kysely } from 'kysely';

/**
 * The tables, the same in both databases: text, whole numbers that fit a JavaScript number, and bytes.
 * Times are ms since the epoch, lists are JSON, null limits are without limit. Each store adds its own.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- filled by the stores
export interface Tables {}

/**
 * A database or a transaction of it. A store method awaits nothing but this: the embedded database
 * runs one after the other in an open transaction. Methods that write get a transaction of their own
 * from the adapter (`store-calls.ts`), so they never open one.
 */
export type Database = Kysely<Tables>;

/**
 * Whether rows must be locked before they are read and then written: PostgreSQL runs transactions
 * side by side, SQLite has one writer at a time. For `query.$if(locksRows(db), (q) => q.forNoKeyUpdate())`.
 */
export function locksRows(db: Database): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
