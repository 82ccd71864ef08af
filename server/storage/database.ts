/** What the stores are written against: Kysely over either database, and the little that differs. */
import { type CompiledQuery, type Compilable, type Kysely, PostgresAdapter } from 'kysely';
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

/** Statements kept of each kind, those built last; lists of different lengths make different ones. */
const MOST_KEPT = 16;

/**
 * A statement that is asked all the time: built once for all wishes of a shape. To build one takes longer than
 * SQLite takes to answer it.
 *
 * @param options.shapeOf what decides on the text of the statement, such as how many values it has
 * @param options.parametersOf the values of a wish in the order of the statement, and nothing else that changes
 * @returns answers the rows. Throws what the database does, and Error when the parameters are not in order
 */
export function builtOnce<Wish, Row>({
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
    // Both databases may be open, as in tests: each has a language of its own.
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

/** Values of rows to insert, which have their columns in one order: for {@link builtOnce}. */
export function valuesOf(rows: readonly object[]): unknown[] {
  return rows.flatMap((row) => Object.values(row) as unknown[]);
}
