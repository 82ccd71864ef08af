/** What the stores are written against: Kysely over either database, and the little that differs. */
import { PostgresAdapter, type Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * A database or a transaction of it. A store method awaits nothing but this: the embedded database
 * runs one after the other in an open transaction. Methods that write get a transaction of their own
 * from the adapter (`store-methods.ts`), so they never open one.
 */
export type Database = Kysely<Tables>;

/**
 * Whether rows must be locked before they are read and then written: PostgreSQL runs transactions
 * side by side, SQLite has one writer at a time. For `query.$if(locksRows(db), (q) => q.forNoKeyUpdate())`.
 */
export function locksRows(db: Database): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
