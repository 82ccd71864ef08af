/** Kysely over one SQLite connection that answers at once. Who owns the connection runs the transactions. */
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
} from 'kysely';
import type { SqliteDatabase, SqliteStatement } from './sqlite.ts';

/** More than there are statements in the stores; lists of different lengths make different statements. */
const MAX_STATEMENTS = 256;

export function createSqliteDialect(database: SqliteDatabase): Dialect {
  const connection = createConnection(database);
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => ({
      init: async () => undefined,
      acquireConnection: async () => connection,
      releaseConnection: async () => undefined,
      beginTransaction: refuseTransaction,
      commitTransaction: refuseTransaction,
      rollbackTransaction: refuseTransaction,
      destroy: async () => undefined,
    }),
  };
}

async function refuseTransaction(): Promise<never> {
  throw new Error('Stores run in a transaction of their adapter and open none.');
}

function createConnection(database: SqliteDatabase): DatabaseConnection {
  const prepare = createStatementCache(database);
  return {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const statement = prepare(query.sql);
      if (answersRows(query)) {
        // Rows are of the type that Kysely derived from the query.
        return { rows: statement.all(...query.parameters) as Row[] };
      }
      const { changes } = statement.run(...query.parameters);
      return { rows: [], numAffectedRows: BigInt(changes) };
    },
    async *streamQuery(): AsyncIterableIterator<never> {
      throw new Error('Rows of the embedded database are not streamed.');
    },
  };
}

function answersRows({ query }: CompiledQuery): boolean {
  return query.kind === 'SelectQueryNode' || ('returning' in query && !!query.returning);
}

/** Keeps the statements used last. */
function createStatementCache(database: SqliteDatabase): (sql: string) => SqliteStatement {
  const statements = new Map<string, SqliteStatement>();
  return (sql) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.delete(sql);
    statements.set(sql, statement);
    if (statements.size > MAX_STATEMENTS) {
      const [oldest = sql] = statements.keys();
      statements.delete(oldest);
    }
    return statement;
  };
}
