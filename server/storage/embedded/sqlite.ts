/**
 * SQLite, from a package with prebuilt binaries or, where that cannot be loaded, from Node itself.
 * Both have the same interface, and Kysely works with either.
 */
import { closeSync, fchmodSync, fstatSync, openSync } from 'node:fs';
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

/** The part of an SQLite library that is used here. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

export interface SqliteStatement {
  /** Runs a statement that returns rows. */
  all(...parameters: unknown[]): unknown[];
  /** Runs a statement that returns no rows. */
  run(...parameters: unknown[]): { changes: number | bigint };
}

/** The permissions of those who are neither the owner of a file nor in its group. */
const OTHERS = 0o007;

type OpenSqlite = (file: string) => SqliteDatabase;

/** Time SQLite itself waits for other writing processes, in ms. */
const BUSY_TIMEOUT_MS = 5000;

const SETTINGS = [
  `busy_timeout = ${BUSY_TIMEOUT_MS}`,
  'journal_mode = WAL',
  // With NORMAL, the default of WAL mode, a power failure could undo acknowledged writes.
  'synchronous = FULL',
  'foreign_keys = ON',
  // Overwrites deleted data with zeros.
  'secure_delete = ON',
  // A large glossary makes a large log, which need not stay so.
  'journal_size_limit = 67108864',
];

/**
 * Opens a database, or creates one that only its owner can read.
 *
 * @throws Error when there is no SQLite library, or the file cannot be opened
 */
export function openSqliteFile(file: string): SqliteDatabase {
  const open = loadSqlite();
  // SQLite gives its log the permissions of the database.
  const opened = openSync(file, 'a', 0o600);
  const { mode } = fstatSync(opened);
  try {
    // A restored copy may be one that everybody can read.
    if ((mode & OTHERS) !== 0) fchmodSync(opened, mode & ~OTHERS);
  } catch {
    // A file of another user keeps the permissions it was given.
  }
  closeSync(opened);
  const database = open(file);
  for (const setting of SETTINGS) whenFree(() => database.exec(`pragma ${setting}`));
  return database;
}

/**
 * Opens an existing database for reading. Never waits for other processes: a reader on a thread
 * that must not block asks the database thread instead.
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
/** Typed as strings, because the types of Node 20 lack its own SQLite module. */
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

/**
 * Number of attempts for a step that finds the database busy, even though SQLite waits {@link
 * BUSY_TIMEOUT_MS}.
 */
const BUSY_ATTEMPTS = 20;

/**
 * Runs a step, and retries it while other processes keep the database busy: SQLite does not always
 * wait by itself, for example while two processes switch on the write-ahead log. Blocks its thread.
 *
 * @throws the error of the step
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

/** Runs steps that fail rather than wait for other processes. */
export function withoutWaiting(database: SqliteDatabase, steps: () => void): void {
  database.exec('pragma busy_timeout = 0');
  try {
    steps();
  } finally {
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** Rolls back, if possible: the transaction may not have begun, or SQLite may have ended it. */
export function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback');
  } catch {
    return;
  }
}

/** Result codes of SQLite, by name. */
const results = {
  BUSY: 5,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
};

/** Whether the error means that another process held the database. */
export function isBusy(error: unknown): boolean {
  return isResult(error, 'BUSY');
}

/** Whether the error is due to the file or its disk: full, read-only or gone. */
export function isOutOfOrder(error: unknown): boolean {
  return (['READONLY', 'IOERR', 'FULL', 'CANTOPEN'] as const).some((name) => isResult(error, name));
}

/** Whether the error means that the file is no database, or no longer. */
export function isDamaged(error: unknown): boolean {
  return isResult(error, 'CORRUPT') || isResult(error, 'NOTADB');
}

function isResult(error: unknown, name: keyof typeof results): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === results[name];
}

// Kysely over a single synchronous connection. The owner of the connection runs the transactions.

/** Exceeds the number of statements in the stores; lists of different lengths need different statements. */
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
        // Kysely derives the row type from the query.
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

/** Caches the most recently used statements. */
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
