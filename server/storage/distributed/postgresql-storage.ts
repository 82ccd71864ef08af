/** Storage in PostgreSQL, which several processes and machines can share. */
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import { migrate } from '../migrations/index.ts';
import { createMarks } from '../installation.ts';
import { createStoreRunner, mannerOf, mostCallsOf, storesFromCalls } from '../store-calls.ts';
import type { StoreCall } from '../store.ts';
import type { Storage } from '../../stores.ts';
import type { Tables } from '../database.ts';
import pg from 'pg';

const MAX_CONNECTIONS = 10;
const MIGRATION_LIMIT_MS = 10 * 60_000;
/** Names the advisory lock of whoever migrates; any number will do as long as it stays the same. */
const MIGRATION_LOCK = 7_239_471_104;

/** @throws Error or ServiceError when the database cannot be reached or brought up to date */
export async function openPostgresqlStorage(options: {
  url: string;
  log: Logger;
}): Promise<Storage> {
  await migrateAlone(options);
  const { log } = options;
  const pool = createConnections({ ...options, maxConnections: MAX_CONNECTIONS });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const runner = createStoreRunner(db);
  const pending = new Set<Promise<unknown>>();
  let isClosed = false;

  const transaction = <Result>(run: (transaction: Kysely<Tables>) => Promise<Result>) =>
    db.transaction().setIsolationLevel('read committed').execute(run);

  const runKnown = createKnown(transaction);
  const runInBatch = createBatches((calls, call) =>
    attempt(() => runKnown((inside) => createStoreRunner(inside).runBatch(calls)), { call, log }),
  );

  function run(call: StoreCall): Promise<unknown> {
    switch (mannerOf(call)) {
      case 'read':
        return attempt(() => runner.run(call), { call, log });
      case 'write':
        return attempt(() => transaction((inside) => createStoreRunner(inside).run(call)), {
          call,
          log,
        });
      case 'batch':
        return runInBatch(call);
    }
  }

  return {
    name: 'postgresql',
    ...storesFromCalls((call) => {
      if (isClosed) return Promise.reject(new ServiceError('stopping', 'The server is stopping.'));
      const answer = run(call);
      pending.add(answer);
      const forget = () => pending.delete(answer);
      answer.then(forget, forget);
      return answer;
    }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await Promise.allSettled(pending);
      await db.destroy();
    },
  };
}

/** Under a lock, so that of processes that start together one migrates and the others find it done. */
async function migrateAlone({ url, log }: { url: string; log: Logger }): Promise<void> {
  const pool = createConnections({
    url,
    log,
    maxConnections: 2,
    statementLimitMs: MIGRATION_LIMIT_MS,
  });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    // A session's lock: it goes with the connection, whatever happens.
    const lock = await pool.connect();
    try {
      await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await migrate(db);
      await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    } finally {
      lock.release();
    }
  } finally {
    await db.destroy();
  }
}

/**
 * Puts calls that are waiting into one transaction for each store. One is under way at a time: two
 * would only wait for each other's locks, and what arrives meanwhile makes the next one larger. When the
 * database does not get to one, calls that have waited for it as long as for a connection are not kept
 * waiting for the next: else a table that is locked for minutes would gather them all.
 *
 * @param run writes calls of the store of `call`, all or none
 */
function createBatches(
  run: (calls: readonly StoreCall[], call: StoreCall) => Promise<PromiseSettledResult<unknown>[]>,
) {
  interface Waiting {
    call: StoreCall;
    sinceMs: number;
    resolve: (value: unknown) => void;
    reject: (error: unknown) => void;
  }
  const queues = new Map<string, Waiting[]>();

  async function runAll(store: string, waiting: Waiting[]): Promise<void> {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const batch = waiting.splice(0, mostCallsOf(first.call));
      try {
        const calls = batch.map(({ call }) => call);
        const answers = await run(calls, first.call);
        for (const [index, { resolve, reject }] of batch.entries()) {
          const answer = answers[index];
          if (answer?.status === 'fulfilled') resolve(answer.value);
          else reject(answer?.reason ?? new ServiceError('internal', 'A call was not answered.'));
        }
      } catch (error) {
        const latestMs = performance.now() - CONNECT_LIMIT_MS;
        const late = waiting.findIndex(({ sinceMs }) => sinceMs > latestMs);
        batch.push(...waiting.splice(0, late < 0 ? waiting.length : late));
        for (const { reject } of batch) reject(error);
      }
    }
    queues.delete(store);
  }

  return (call: StoreCall): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const asked: Waiting = { call, sinceMs: performance.now(), resolve, reject };
      const queue = queues.get(call.store);
      if (queue !== undefined) {
        queue.push(asked);
        return;
      }
      const waiting = [asked];
      queues.set(call.store, waiting);
      // All calls of this turn of the event loop go together.
      setImmediate(() => void runAll(call.store, waiting));
    });
}

/** How long it is asked whether a COMMIT was carried out; callers wait. */
const END_LIMIT_MS = 5000;
const END_PAUSE_MS = 200;

type Run<Result> = (inside: Kysely<Tables>) => Promise<Result>;

/**
 * Runs transactions, one at a time, of which it is known whether they were written: when the answer to a COMMIT is
 * lost, it is asked for. What is charged must neither be charged again by who tries again, nor for nothing.
 *
 * @returns throws what went wrong, when nothing was written or when that cannot be found out
 */
function createKnown(transaction: <Result>(run: Run<Result>) => Promise<Result>) {
  let marks = createMarks();
  return async <Result>(run: Run<Result>): Promise<Result> => {
    const own = marks;
    let done: { mark: number; result: Result } | undefined;
    try {
      return await transaction(async (inside) => {
        const mark = await own.leave(inside);
        const result = await run(inside);
        done = { mark, result };
        return result;
      });
    } catch (error) {
      if (isServerError(error) && error.severity === 'ERROR') throw error;
      // Whatever the server still does on a connection that broke, it keeps that row locked.
      marks = createMarks();
      const deadlineMs = performance.now() + END_LIMIT_MS;
      while (done !== undefined) {
        const found = await transaction((inside) => own.read(inside)).catch(() => undefined);
        if (found === done.mark) return done.result;
        if (found !== undefined || performance.now() >= deadlineMs) break;
        await pause(END_PAUSE_MS);
      }
      throw error;
    }
  };
}

// What to do when PostgreSQL says no: try again, or let the caller know.

/** SQLSTATE: serialization_failure, deadlock_detected. Nothing was written. */
const RETRIED = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 8;
/** What a server says that is no primary any more: by a new connection, the one is found that is. */
const READ_ONLY = '25006';
/**
 * Connection exceptions, refused sign-ins, no such database, insufficient resources, operator intervention
 * (shutdown, time limit), system errors, a server that is read only, lock not available.
 */
const UNAVAILABLE = /^(08|28|3D|53|57|58|25006|25P03|55P03)/;

/**
 * Runs a statement or a transaction, again when it stood in the way of another one.
 *
 * @throws ServiceError storage_unavailable when the database cannot be reached or does not get to
 *   it, internal for what we did not foresee
 */
async function attempt<Result>(
  run: () => Promise<Result>,
  { call, log }: { call: Pick<StoreCall, 'store' | 'method'>; log: Logger },
): Promise<Result> {
  for (let count = 1; ; count += 1) {
    try {
      return await run();
    } catch (error) {
      const sqlState = isServerError(error) ? (error.code ?? '') : '';
      if (RETRIED.has(sqlState) && count < MAX_ATTEMPTS) {
        await pause(Math.random() * 10 * count);
        continue;
      }
      throw toServiceError(error, sqlState, { ...call, log });
    }
  }
}

function toServiceError(
  error: unknown,
  sqlState: string,
  { store, method, log }: { store: string; method: string; log: Logger },
): ServiceError {
  if (error instanceof ServiceError) return error;
  if (UNAVAILABLE.test(sqlState)) return unavailable(error);
  const fields = { store, method, sqlState, error: String(error) };
  log.error(fields, 'The database refused a statement.');
  return new ServiceError('internal', 'Something went wrong. Please try again.', { cause: error });
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, durationMs));
}

// Connections to PostgreSQL: time-limited, and not used again once something went wrong with one.

const CONNECT_LIMIT_MS = 5000;
const STATEMENT_LIMIT_MS = 10_000;
/** Later than the server's own limit: for a server that does not answer at all. */
const ANSWER_LIMIT_MS = 15_000;

interface ConnectionOptions {
  url: string;
  log: Logger;
  maxConnections: number;
  /** Longest time for a statement; longer for migrations. */
  statementLimitMs?: number;
}

/** A pool whose errors are `pg.DatabaseError` for what the server says, and else `storage_unavailable`. */
function createConnections(options: ConnectionOptions): PostgresPool {
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
  // The pool listens to idle clients alone, and an error that nobody listens to ends the process: one may
  // come in the same packet as the greeting, before whoever waits for the client has it.
  pool.on('connect', (client) => client.on('error', () => undefined));

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

/**
 * A client that remembers whether it can be trusted with another statement; of a broken one, the pool knows. Whoever
 * wants to roll back hears at once what went wrong, instead of waiting for it again.
 */
function watchClient(client: pg.PoolClient): PostgresPoolClient {
  let problem: Error | undefined;
  async function query(sql: string, parameters: readonly unknown[]) {
    if (problem !== undefined) throw problem;
    try {
      return await client.query(sql, [...parameters]);
    } catch (error) {
      const isOver = !isServerError(error) || error.severity === 'FATAL';
      if (!isOver && error.code !== READ_ONLY) throw error;
      problem = isServerError(error) ? error : unavailable(error);
      throw problem;
    }
  }
  return {
    // Kysely also knows a form with cursors, which nobody asks for.
    query: query as unknown as PostgresPoolClient['query'],
    release() {
      client.release(problem !== undefined);
    },
  };
}

function isServerError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError;
}

/** What callers hear when the database cannot be reached. */
function unavailable(cause: unknown): ServiceError {
  return new ServiceError(
    'storage_unavailable',
    'The database cannot be reached. Please try again in a moment.',
    { cause },
  );
}
