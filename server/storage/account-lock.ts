import { ServiceError } from '../../shared/errors.ts';
import { locksRows, type Database } from './database.ts';

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
