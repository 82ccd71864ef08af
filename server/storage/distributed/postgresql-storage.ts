/** Storage in PostgreSQL, which several processes and machines can share. */
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import { migrate } from '../migrations/index.ts';
import { createMarks } from '../installation.ts';
import {
  createStoreRunner,
  mannerOf,
  mostCallsOf,
  storesFromCalls,
  subjectOf,
} from '../store-calls.ts';
import { RowsLocked, type StoreCall, type WhenLocked } from '../store.ts';
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

  const runInBatch = createBatches({ transaction, log });

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

type Transaction = <Result>(run: Run<Result>) => Promise<Result>;
type Run<Result> = (inside: Kysely<Tables>) => Promise<Result>;

/** How long a batch waits for a lock before it goes on without those whose rows are locked. */
const LOCK_LIMIT_MS = 250;
/** How long one of those waits before the next has its turn. */
const TURN_LIMIT_MS = 200;
/** Those that have their turn at the same time: each takes a connection. */
const MOST_TURNS = 3;

interface Waiting {
  call: StoreCall;
  sinceMs: number;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** Runs calls in batches, those of each store in a queue of their own. */
function createBatches({ transaction, log }: { transaction: Transaction; log: Logger }) {
  const queues = new Map<string, ReturnType<typeof createQueue>>();

  function createRun(): RunBatch {
    const runKnown = createKnown(transaction);
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

/** Writes calls, all or none, one transaction at a time. @throws RowsLocked after `lockLimitMs` */
type RunBatch = (
  calls: readonly StoreCall[],
  call: StoreCall,
  lock: { whenLocked?: WhenLocked; lockLimitMs?: number },
) => Promise<PromiseSettledResult<unknown>[]>;

/**
 * Puts calls of a store that are waiting into one transaction. One is under way at a time: two
 * would only wait for each other's locks, and what arrives meanwhile makes the next one larger. When the
 * database does not get to one, calls that have waited for it as long as for a connection are not kept
 * waiting for the next: else a table that is locked for minutes would gather them all.
 *
 * Calls whose rows somebody else keeps locked are set aside, with all that concern the same, and the others go on.
 */
function createQueue(createRun: () => RunBatch) {
  const run = createRun();
  const waiting: Waiting[] = [];
  const aside = createAside(Array.from({ length: MOST_TURNS }, createRun), add);
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
        batch.push(...waiting.splice(0, late < 0 ? waiting.length : late));
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  }

  function add(each: Waiting): void {
    waiting.push(each);
    if (isRunning) return;
    isRunning = true;
    // All calls of this turn of the event loop go together.
    setImmediate(() => void runAll());
  }

  return (call: StoreCall): Promise<unknown> =>
    new Promise((resolve, reject) => add({ call, sinceMs: performance.now(), resolve, reject }));
}

/**
 * Calls whose rows are locked: each whom they concern has a turn after the other, until the calls are written or have waited
 * for as long as a statement may take. A batch of several would wait for all of them.
 *
 * @param idle what takes turns
 * @param goOn takes calls whose rows are free again
 */
function createAside(idle: RunBatch[], goOn: (each: Waiting) => void) {
  const held = new Map<string, Waiting[]>();
  /** Whose turn it is next; those whose turn it is now are not in it. */
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
      for (const each of batch) if (!staysOn(each)) each.reject(error);
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
    /** Whether calls that concern the same are here. */
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

/** How long it is asked whether a COMMIT was carried out; callers wait. */
const END_LIMIT_MS = 5000;
const END_PAUSE_MS = 200;

/**
 * Runs transactions, one at a time, of which it is known whether they were written: when the answer to a COMMIT is
 * lost, it is asked for. What is charged must neither be charged again by who tries again, nor for nothing.
 *
 * @returns throws what went wrong, when nothing was written or when that cannot be found out; 55P03 when it would
 *   have waited for a lock for longer than `lockLimitMs`
 */
function createKnown(transaction: Transaction) {
  let marks = createMarks();
  return async <Result>(run: Run<Result>, lockLimitMs?: number): Promise<Result> => {
    const own = marks;
    let done: { mark: number; result: Result } | undefined;
    try {
      return await transaction(async (inside) => {
        const mark = await own.leave(inside, lockLimitMs);
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
const LOCK_NOT_AVAILABLE = '55P03';
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

function sqlStateOf(error: unknown): string {
  return isServerError(error) ? (error.code ?? '') : '';
}

/** What callers hear when the database cannot be reached. */
function unavailable(cause: unknown): ServiceError {
  return new ServiceError(
    'storage_unavailable',
    'The database cannot be reached. Please try again in a moment.',
    { cause },
  );
}
