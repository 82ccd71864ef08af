/** What the stores are written against: Kysely over either database, and the little that differs. */
import { PostgresAdapter, type Kysely } from 'kysely';
import { ServiceError } from '../../shared/errors.ts';

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

/**
 * Has what belongs to an account made one after the other, so that a count of it holds.
 *
 * @throws ServiceError not_found when there is no such account
 */
export async function lockAccount(db: Database, accountId: string): Promise<void> {
  const account = await db
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', '=', accountId)
    .$if(locksRows(db), (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
  if (account === undefined) throw new ServiceError('not_found', 'There is no such account.');
}
