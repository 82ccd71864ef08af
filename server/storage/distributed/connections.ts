/** Connections to PostgreSQL: time-limited, and not used again once something went wrong with one. */
import pg from 'pg';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';

const CONNECT_LIMIT_MS = 5000;
const STATEMENT_LIMIT_MS = 10_000;
/** Later than the server's own limit: for a server that does not answer at all. */
const ANSWER_LIMIT_MS = 15_000;

export interface ConnectionOptions {
  url: string;
  log: Logger;
  maxConnections: number;
  /** Longest time for a statement; longer for migrations. */
  statementLimitMs?: number;
}

/** A pool whose errors are `pg.DatabaseError` for what the server says, and else `storage_unavailable`. */
export function createConnections(options: ConnectionOptions): PostgresPool {
  const { url, log, maxConnections, statementLimitMs = STATEMENT_LIMIT_MS } = options;
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'dragoman',
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    statement_timeout: statementLimitMs,
    idle_in_transaction_session_timeout: statementLimitMs,
    query_timeout: statementLimitMs + (ANSWER_LIMIT_MS - STATEMENT_LIMIT_MS),
    keepAlive: true,
    types: { getTypeParser },
  });
  // An idle connection that breaks; the pool makes another one.
  pool.on('error', (error) => log.warn({ error: error.message }, 'A database connection broke.'));

  return {
    async connect() {
      try {
        return watchClient(await pool.connect());
      } catch (error) {
        throw isServerError(error) ? error : unavailable(error);
      }
    },
    end: () => pool.end(),
  };
}

/** Whole numbers as numbers, as in SQLite: what we count stays far below 2^53. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: TypeId, format?: string): unknown =>
  oid === pg.types.builtins.INT8 && format !== 'binary'
    ? Number
    : pg.types.getTypeParser(oid, format as 'text');

type TypeId = Parameters<typeof pg.types.getTypeParser>[0];

/** A client that remembers whether it can be trusted with another statement. */
function watchClient(client: pg.PoolClient): PostgresPoolClient {
  let isBroken = false;
  // The pool listens to idle clients alone, and an error that nobody listens to ends the process.
  const noteError = () => (isBroken = true);
  client.on('error', noteError);
  async function query(sql: string, parameters: readonly unknown[]) {
    try {
      return await client.query(sql, [...parameters]);
    } catch (error) {
      if (isServerError(error) && error.severity !== 'FATAL') throw error;
      isBroken = true;
      throw isServerError(error) ? error : unavailable(error);
    }
  }
  return {
    // Kysely also knows a form with cursors, which nobody asks for.
    query: query as unknown as PostgresPoolClient['query'],
    release() {
      client.off('error', noteError);
      client.release(isBroken);
    },
  };
}

export function isServerError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError;
}

/** What callers hear when the database cannot be reached. */
export function unavailable(cause: unknown): ServiceError {
  return new ServiceError(
    'storage_unavailable',
    'The database cannot be reached. Please try again in a moment.',
    { cause },
  );
}
