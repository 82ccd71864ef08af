/**
 * The database interface that stores are written against: Kysely over SQLite or PostgreSQL, and
 * helpers for the few differences.
 */
import {
  type CompiledQuery,
  type Compilable,
  type Kysely,
  PostgresAdapter,
  type SelectQueryBuilder,
} from 'kysely';
import { ServiceError } from '../../shared/errors.ts';

/**
 * The tables, the same in both databases: text, whole numbers that fit a JavaScript number, and bytes.
 * Times are ms since the epoch, lists are JSON, null limits mean no limit. Each store adds its own.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- filled by the stores
export interface Tables {}

/**
 * A database, or a transaction of it. A store method may await nothing else, because the embedded
 * database runs calls one after the other in an open transaction. Methods that write run in a
 * transaction of the adapter (`store-calls.ts`), so they never open one.
 */
export type Database = Kysely<Tables>;

/**
 * Whether rows must be locked before they are read and then written: PostgreSQL runs transactions
 * concurrently, SQLite has a single writer. Use: `query.$if(locksRows(db), (q) =>
 * q.forNoKeyUpdate())`.
 */
export function locksRows(db: Database): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * Serialises the creation of an account's rows, so that a count of them stays valid.
 *
 * @throws ServiceError not_found when the account does not exist
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

/** Counts the rows of a query. */
export async function countOf<Names extends keyof Tables>(
  rows: SelectQueryBuilder<Tables, Names, object>,
): Promise<number> {
  const { count } = await rows
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Number of compiled statements kept per kind; lists of different lengths need different statements. */
const MOST_KEPT = 16;

/**
 * Makes a frequently used query that is compiled once per shape: compiling takes longer than SQLite
 * takes to answer.
 *
 * @param options.shapeOf what determines the text of the statement, such as the number of values
 * @param options.parametersOf the parameters in the order of the statement; nothing else may vary
 * @returns a function that runs the query and returns its rows. Throws the error of the database,
 *   and Error when the parameters are out of order
 */
export function cachedQuery<Wish, Row>({
  build,
  shapeOf,
  parametersOf,
}: {
  build: (db: Database, wish: Wish) => Compilable<Row>;
  shapeOf: (wish: Wish) => unknown;
  parametersOf: (wish: Wish) => readonly unknown[];
}): (db: Database, wish: Wish) => Promise<Row[]> {
  const kept = new WeakMap<object, Map<unknown, CompiledQuery<Row>>>();
  return async (db, wish) => {
    // Both kinds of database may be open, as in tests; each has its own SQL dialect.
    const { adapter } = db.getExecutor();
    const ofDatabase = kept.get(adapter) ?? new Map<unknown, CompiledQuery<Row>>();
    kept.set(adapter, ofDatabase);
    const shape = shapeOf(wish);
    const parameters = parametersOf(wish);
    let statement = ofDatabase.get(shape);
    if (statement === undefined) {
      statement = build(db, wish).compile();
      if (!isSame(statement.parameters, parameters)) {
        throw new Error('The parameters of a statement are not in its order.');
      }
      ofDatabase.set(shape, statement);
      const [oldest] = ofDatabase.keys();
      if (ofDatabase.size > MOST_KEPT) ofDatabase.delete(oldest);
    }
    return (await db.executeQuery<Row>({ ...statement, parameters })).rows;
  };
}

function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((value, index) => value === others[index]);
}

/**
 * Returns the values of rows to insert, for {@link cachedQuery}; all rows must have their columns in
 * the same order.
 */
export function valuesOf(rows: readonly object[]): unknown[] {
  return rows.flatMap((row) => Object.values(row) as unknown[]);
}
