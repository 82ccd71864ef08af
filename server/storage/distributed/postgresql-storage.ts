/** Storage in PostgreSQL, which several processes and machines can share. */
import { Kysely, PostgresDialect, sql, type PostgresPool, type PostgresPoolClient } from 'kysely';
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import { migrate } from '../migrations/index.ts';
import { assertEncoding, createMarks } from '../installation.ts';
import {
  createStoreRunner,
  callKindOf,
  mostCallsOf,
  storesFromCalls,
  subjectOf,
} from '../store-calls.ts';
import { OutcomeUnknown, RowsLocked, type StoreCall, type WhenLocked } from '../store.ts';
import type { Storage } from '../../stores.ts';
import type { Tables } from '../database.ts';
import pg from 'pg';

const MAX_CONNECTIONS = 10;
const MIGRATION_LIMIT_MS = 10 * 60_000;
/** Key of the advisory lock for migrations; arbitrary, but must never change. */
const MIGRATION_LOCK = 7_239_471_104;

/** @throws UnusableDatabase, Error or ServiceError when the database cannot be used, reached or migrated */
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

  const runInBatch = createBatches({ transaction, log });

  function run(call: StoreCall): Promise<unknown> {
    switch (callKindOf(call)) {
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
    // Calls wait for the batch before them, and for nothing else.
    hurry: () => undefined,
    async close() {
      if (isClosed) return;
      isClosed = true;
      await Promise.allSettled(pending);
      await db.destroy();
    },
  };
}

/** Migrates under a lock: of processes that start together, one migrates and the others find it done. */
async function migrateAlone({ url, log }: { url: string; log: Logger }): Promise<void> {
  const pool = createConnections({
    url,
    log,
    maxConnections: 2,
    statementLimitMs: MIGRATION_LIMIT_MS,
  });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await assertEncoding(db, log);
    // Of a transaction: a pooler of connections would have a lock of the session released by another one.
    await db.transaction().execute(async (lock) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(lock);
      await migrate(db);
    });
  } finally {
    await db.destroy();
  }
}

type Transaction = <Result>(run: Run<Result>) => Promise<Result>;
type Run<Result> = (inside: Kysely<Tables>) => Promise<Result>;

/** Longest time a batch waits for a lock before it goes on without the locked rows, in ms. */
const LOCK_LIMIT_MS = 250;
/** Longest time a set-aside subject waits for its lock before the next one has its turn, in ms. */
const TURN_LIMIT_MS = 200;
/** Number of concurrent turns; each takes a connection. */
const MOST_TURNS = 3;

interface Waiting {
  call: StoreCall;
  sinceMs: number;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** Runs calls in batches, with a queue for each store. */
function createBatches({ transaction, log }: { transaction: Transaction; log: Logger }) {
  const queues = new Map<string, ReturnType<typeof createQueue>>();

  function createRun(): RunBatch {
    const runKnown = createVerifiedTransactions(transaction);
    return (calls, call, { whenLocked, lockLimitMs }) =>
      attempt(
        () =>
          runKnown(
            (inside) => createStoreRunner(inside).runBatch(calls, whenLocked),
            lockLimitMs,
          ).catch((error: unknown) => {
            throw sqlStateOf(error) === LOCK_NOT_AVAILABLE ? new RowsLocked() : error;
          }),
        { call, log },
      );
  }

  return (call: StoreCall): Promise<unknown> => {
    const queue = queues.get(call.store) ?? createQueue(createRun);
    queues.set(call.store, queue);
    return queue(call);
  };
}

/** Writes calls atomically, one transaction at a time. @throws RowsLocked after `lockLimitMs` */
type RunBatch = (
  calls: readonly StoreCall[],
  call: StoreCall,
  lock: { whenLocked?: WhenLocked; lockLimitMs?: number },
) => Promise<Answers>;

/**
 * Combines the waiting calls of a store into one transaction. Only one runs at a time: two would
 * merely wait for each other's locks, and calls that arrive meanwhile enlarge the next batch. When
 * a transaction fails, queued calls that have already waited for the connection timeout fail with
 * it; otherwise a table locked for minutes would accumulate them all.
 *
 * Calls whose rows are locked by another transaction are set aside, together with all calls of the
 * same subject, and the others go on.
 */
function createQueue(createRun: () => RunBatch) {
  const run = createRun();
  const waiting: Waiting[] = [];
  const aside = createLockedCallQueue(Array.from({ length: MOST_TURNS }, createRun), add);
  let isRunning = false;

  async function runBatch(batch: readonly Waiting[], first: StoreCall): Promise<void> {
    const calls = batch.map(({ call }) => call);
    const answers = await run(calls, first, { lockLimitMs: LOCK_LIMIT_MS }).catch(
      (error: unknown) => {
        if (error instanceof RowsLocked) return run(calls, first, { whenLocked: 'skip' });
        throw error;
      },
    );
    for (const [index, each] of batch.entries()) {
      const answer = answers[index];
      const isLocked = answer?.status === 'rejected' && answer.reason instanceof RowsLocked;
      if (isLocked) aside.add(each);
      else settle(each, answer);
    }
  }

  async function runAll(): Promise<void> {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const batch: Waiting[] = [];
      for (const each of waiting.splice(0, mostCallsOf(first.call))) {
        if (aside.has(each)) aside.add(each);
        else batch.push(each);
      }
      try {
        if (batch.length > 0) await runBatch(batch, first.call);
      } catch (error) {
        const latestMs = performance.now() - CONNECT_LIMIT_MS;
        const late = waiting.findIndex(({ sinceMs }) => sinceMs > latestMs);
        for (const [index, { reject }] of batch.entries()) reject(errorOf(error, index));
        const others = waiting.splice(0, late < 0 ? waiting.length : late);
        for (const { reject } of others) reject(isUnknown(error) ? unavailable(error) : error);
      }
    }
    isRunning = false;
  }

  function add(each: Waiting): void {
    waiting.push(each);
    if (isRunning) return;
    isRunning = true;
    // Collects all calls of this turn of the event loop.
    setImmediate(() => void runAll());
  }

  return (call: StoreCall): Promise<unknown> =>
    new Promise((resolve, reject) => add({ call, sinceMs: performance.now(), resolve, reject }));
}

/**
 * Holds calls whose rows are locked. Subjects take turns until their calls are written, or have
 * waited for the statement timeout. One batch for several subjects would wait for all of them.
 *
 * @param idle runners of turns
 * @param goOn takes calls whose rows are free again
 */
function createLockedCallQueue(idle: RunBatch[], goOn: (each: Waiting) => void) {
  const held = new Map<string, Waiting[]>();
  /** Subjects in order of their next turn, without those whose turn is running. */
  const subjects: string[] = [];

  /** @returns whether the rows are still locked */
  async function takeTurn(run: RunBatch, calls: Waiting[], first: Waiting): Promise<boolean> {
    const batch = calls.splice(0, mostCallsOf(first.call));
    try {
      const lock = { lockLimitMs: TURN_LIMIT_MS };
      const answers = await run(
        batch.map(({ call }) => call),
        first.call,
        lock,
      );
      for (const [index, each] of batch.entries()) settle(each, answers[index]);
      return false;
    } catch (error) {
      const latestMs = performance.now() - STATEMENT_LIMIT_MS;
      const staysOn = ({ sinceMs }: Waiting) => error instanceof RowsLocked && sinceMs > latestMs;
      for (const [index, each] of batch.entries()) {
        if (!staysOn(each)) each.reject(errorOf(error, index));
      }
      calls.unshift(...batch.filter(staysOn));
      return error instanceof RowsLocked;
    }
  }

  async function takeTurns(): Promise<void> {
    const run = idle.pop();
    if (run === undefined) return;
    for (let subject = subjects.shift(); subject !== undefined; subject = subjects.shift()) {
      const calls = held.get(subject) ?? [];
      const [first] = calls;
      const isLocked = first !== undefined && (await takeTurn(run, calls, first));
      if (isLocked && calls.length > 0) {
        subjects.push(subject);
      } else {
        held.delete(subject);
        for (const each of calls) goOn(each);
      }
    }
    idle.push(run);
  }

  return {
    /** Whether calls of the same subject are held here. */
    has: ({ call }: Waiting): boolean => held.size > 0 && held.has(subjectOf(call)),
    add(each: Waiting): void {
      const subject = subjectOf(each.call);
      const others = held.get(subject);
      if (others !== undefined) {
        others.push(each);
        return;
      }
      held.set(subject, [each]);
      subjects.push(subject);
      void takeTurns();
    },
  };
}

function settle({ resolve, reject }: Waiting, answer?: PromiseSettledResult<unknown>): void {
  if (answer?.status === 'fulfilled') resolve(answer.value);
  else reject(answer?.reason ?? new ServiceError('internal', 'A call was not answered.'));
}

type Answers = PromiseSettledResult<unknown>[];

function isUnknown(error: unknown): error is OutcomeUnknown<Answers> {
  return error instanceof OutcomeUnknown;
}

/** Returns the error of one call of a failed batch. */
function errorOf(error: unknown, index: number): unknown {
  if (!isUnknown(error)) return error;
  const find = async () => {
    const answer = (await error.find())?.result[index];
    return answer?.status === 'fulfilled' ? { result: answer.value } : undefined;
  };
  return new OutcomeUnknown(find, error.cause);
}

/** Longest time to find out whether a COMMIT succeeded, in ms; callers wait meanwhile. */
const END_LIMIT_MS = 5000;
const END_PAUSE_MS = 200;

/**
 * Makes a runner of transactions, one at a time, whose outcome is always known: when the answer to
 * a COMMIT is lost, the database is queried for it. Otherwise a charge could be repeated by a
 * retry, or be made for nothing.
 *
 * @returns throws the error when nothing was written; 55P03 when a lock would take longer than
 *   `lockLimitMs`; OutcomeUnknown when the outcome cannot be determined in time
 */
function createVerifiedTransactions(transaction: Transaction) {
  let marks = createMarks();
  return async <Result>(run: Run<Result>, lockLimitMs?: number): Promise<Result> => {
    const own = marks;
    const done: { mark: number; result: Result }[] = [];
    try {
      return await transaction(async (inside) => {
        const mark = await own.leave(inside, lockLimitMs);
        const result = await run(inside);
        done.push({ mark, result });
        return result;
      });
    } catch (error) {
      if (isServerError(error) && error.severity === 'ERROR') throw error;
      // The server may still be working on the broken connection and keep that mark's row locked.
      marks = createMarks();
      const [ended] = done;
      if (ended === undefined) throw error;
      const find = async () => {
        const found = await transaction((inside) => own.read(inside)).catch((cause: unknown) => {
          throw unavailable(cause);
        });
        return found === ended.mark ? ended : undefined;
      };
      const deadlineMs = performance.now() + END_LIMIT_MS;
      for (;;) {
        try {
          const found = await find();
          if (found !== undefined) return found.result;
          break;
        } catch (cause) {
          if (performance.now() >= deadlineMs) throw new OutcomeUnknown(find, cause);
          await pause(END_PAUSE_MS);
        }
      }
      throw error;
    }
  };
}

// Error handling: which errors are retried, and which reach the caller.

/** SQLSTATE serialization_failure and deadlock_detected: nothing was written. */
const RETRIED = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 8;
const LOCK_NOT_AVAILABLE = '55P03';
/** SQLSTATE of a text with U+0000, which PostgreSQL has in no text, not even to compare it with others. */
const NO_SUCH_CHARACTER = '22021';
/** SQLSTATE of a server that is no longer the primary; a new connection finds the current one. */
const READ_ONLY = '25006';
/**
 * Connection exceptions, refused sign-ins, missing database, insufficient resources, operator
 * intervention (shutdown, timeout), system errors, read-only server, lock not available.
 */
const UNAVAILABLE = /^(08|28|3D|53|57|58|25006|25P03|55P03)/;

/**
 * Runs a statement or a transaction, and retries it after a conflict with another one.
 *
 * @throws ServiceError storage_unavailable when the database cannot be reached or is too slow,
 *   invalid_request for a text with U+0000, internal for unexpected errors
 */
async function attempt<Result>(
  run: () => Promise<Result>,
  { call, log }: { call: Pick<StoreCall, 'store' | 'method'>; log: Logger },
): Promise<Result> {
  for (let count = 1; ; count += 1) {
    try {
      return await run();
    } catch (error) {
      const sqlState = sqlStateOf(error);
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
  if (sqlState === NO_SUCH_CHARACTER) {
    const reason = 'A text of the request contains the character U+0000: leave it out.';
    return new ServiceError('invalid_request', reason, { cause: error });
  }
  const fields = { store, method, sqlState, error: String(error) };
  log.error(fields, 'The database refused a statement.');
  return new ServiceError('internal', 'Something went wrong. Please try again.', { cause: error });
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, durationMs));
}

// Connections to PostgreSQL: they have timeouts, and are discarded after an error that makes them
// unreliable.

const CONNECT_LIMIT_MS = 5000;
const STATEMENT_LIMIT_MS = 10_000;
/** Exceeds the server's own timeout; applies when the server does not answer at all. */
const ANSWER_LIMIT_MS = 15_000;

interface ConnectionOptions {
  url: string;
  log: Logger;
  maxConnections: number;
  /** Longest time for a statement, in ms; longer for migrations. */
  statementLimitMs?: number;
}

/**
 * Makes a pool. Errors reported by the server are `pg.DatabaseError`; all others are
 * `storage_unavailable`.
 */
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
  // An idle connection broke; the pool replaces it.
  pool.on('error', (error) => log.warn({ error: error.message }, 'A database connection broke.'));
  // The pool listens for errors of idle clients only, and an unhandled error event ends the
  // process. An error may arrive in the same packet as the greeting, before the caller has the
  // client.
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

/** Parses 64-bit integers as numbers, as SQLite does: all counts stay far below 2^53. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: TypeId, format?: string): unknown =>
  oid === pg.types.builtins.INT8 && format !== 'binary'
    ? Number
    : pg.types.getTypeParser(oid, format as 'text');

type TypeId = Parameters<typeof pg.types.getTypeParser>[0];

/**
 * Wraps a client so that it remembers whether it is still usable; the pool discards broken ones. A
 * rollback on a broken client fails at once with the original error instead of waiting for it
 * again.
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
    // Kysely's type also has a form with cursors, which is not used.
    query: query as unknown as PostgresPoolClient['query'],
    release() {
      client.release(problem !== undefined);
    },
  };
}

function isServerError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError;
}

function sqlStateOf(error: unknown): string {
  return isServerError(error) ? (error.code ?? '') : '';
}

/** The error for callers when the database cannot be reached. */
function unavailable(cause: unknown): ServiceError {
  return new ServiceError(
    'storage_unavailable',
    'The database cannot be reached. Please try again in a moment.',
    { cause },
  );
}
