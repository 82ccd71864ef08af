/**
 * SQLite, from a package that brings it ready made or, where that cannot be loaded, from Node itself.
 * Both have the same interface, and Kysely works with either.
 */
import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
} from 'kysely';

/** What we use of an SQLite library. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

export interface SqliteStatement {
  /** Rows of a statement that answers some. */
  all(...parameters: unknown[]): unknown[];
  /** Runs a statement that answers no rows. */
  run(...parameters: unknown[]): { changes: number | bigint };
}

type OpenSqlite = (file: string) => SqliteDatabase;

/** How long SQLite itself waits for other processes that are writing. */
const BUSY_TIMEOUT_MS = 5000;

const SETTINGS = [
  `busy_timeout = ${BUSY_TIMEOUT_MS}`,
  'journal_mode = WAL',
  // With NORMAL, the default of WAL, a power cut takes back what was answered.
  'synchronous = FULL',
  'foreign_keys = ON',
  // What is deleted is written over with zeros.
  'secure_delete = ON',
  // A large glossary makes a large log; it need not stay so.
  'journal_size_limit = 67108864',
];

/**
 * Opens a database, or makes one that only its owner can read.
 *
 * @throws Error when there is no SQLite library, or the file cannot be opened
 */
export function openSqliteFile(file: string): SqliteDatabase {
  const open = loadSqlite();
  // SQLite gives its log the permissions of the database.
  closeSync(openSync(file, 'a', 0o600));
  const database = open(file);
  for (const setting of SETTINGS) whenFree(() => database.exec(`pragma ${setting}`));
  return database;
}

/**
 * Opens a database that is there already for reading. Never waits for other processes: who reads on a
 * thread that must not stop asks again elsewhere.
 *
 * @throws Error when there is no SQLite library, or the file cannot be opened
 */
export function openSqliteReader(file: string): SqliteDatabase {
  const open = loadSqlite();
  const database = open(file);
  for (const setting of ['busy_timeout = 0', 'query_only = ON']) database.exec(`pragma ${setting}`);
  return database;
}

type SqliteLibrary = { DatabaseSync: new (file: string) => SqliteDatabase };

const require = createRequire(import.meta.url);
/** As plain strings: the types of Node 20 do not know its own. */
const libraries: readonly string[] = ['@photostructure/sqlite', 'node:sqlite'];

function loadSqlite(): OpenSqlite {
  const reasons: string[] = [];
  for (const library of libraries) {
    try {
      const { DatabaseSync } = require(library) as SqliteLibrary;
      new DatabaseSync(':memory:').close();
      return (file) => new DatabaseSync(file);
    } catch (error) {
      reasons.push(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
    }
  }
  throw new Error(
    'There is no SQLite to keep data in. Install the package @photostructure/sqlite (npm install), ' +
      'use Node 22.13 or later, which has SQLite built in, or set STORAGE_URL to a PostgreSQL ' +
      `database. (${reasons.join('; ')})`,
  );
}

/** How often a step is tried that finds the database busy even after {@link BUSY_TIMEOUT_MS}. */
const BUSY_ATTEMPTS = 20;

/**
 * Runs a step, again while other processes keep the database busy: SQLite does not always wait by
 * itself, for example not while two processes turn the write-ahead log on. Blocks its thread.
 *
 * @throws what the step throws
 */
export function whenFree<Result>(step: () => Result): Result {
  for (let attempt = 1; ; attempt += 1) {
    const startedAtMs = performance.now();
    try {
      return step();
    } catch (error) {
      const waitedMs = performance.now() - startedAtMs;
      if (!isBusy(error) || attempt >= BUSY_ATTEMPTS || waitedMs >= BUSY_TIMEOUT_MS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10 * attempt);
    }
  }
}

/** Runs steps that rather fail than wait for other processes. */
export function withoutWaiting(database: SqliteDatabase, steps: () => void): void {
  database.exec('pragma busy_timeout = 0');
  try {
    steps();
  } finally {
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** There is nothing to take back when the transaction did not begin, or SQLite has ended it itself. */
export function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback');
  } catch {
    return;
  }
}

/** Result codes of SQLite by their names. */
const results = { BUSY: 5, READONLY: 8, IOERR: 10, FULL: 13, CANTOPEN: 14 };

/** Whether another process held the database. */
export function isBusy(error: unknown): boolean {
  return isResult(error, 'BUSY');
}

/** Whether the file or its disk is at fault: full, read-only, gone. */
export function isOutOfOrder(error: unknown): boolean {
  return (['READONLY', 'IOERR', 'FULL', 'CANTOPEN'] as const).some((name) => isResult(error, name));
}

function isResult(error: unknown, name: keyof typeof results): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === results[name];
}

// Kysely over one connection that answers at once. Who owns the connection runs the transactions.

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
