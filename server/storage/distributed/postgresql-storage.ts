/** Storage in PostgreSQL, which several processes and machines can share. */
import { Kysely, PostgresDialect } from 'kysely';
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import { migrate } from '../migrate.ts';
import type { Storage } from '../ports.ts';
import { entryOf, mannerOf, runCall, storesFromCalls, type StoreCall } from '../store-methods.ts';
import { createStores } from '../../stores.ts';
import type { UsageEntry } from '../../accounts/usage/store.ts';
import type { Tables } from '../tables.ts';
import { attempt } from './attempts.ts';
import { createConnections } from './connections.ts';
import { createEntryBatches } from './entry-batches.ts';

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
  const stores = createStores(db);
  const pending = new Set<Promise<unknown>>();
  let isClosed = false;

  const transaction = <Result>(run: (transaction: Kysely<Tables>) => Promise<Result>) =>
    db.transaction().setIsolationLevel('read committed').execute(run);

  const recordEntry = createEntryBatches((entries: readonly UsageEntry[]) =>
    attempt(() => transaction((inside) => createStores(inside).usage.record(entries)), {
      call: { store: 'usage', method: 'record' },
      log,
    }),
  );

  function run(call: StoreCall): Promise<unknown> {
    switch (mannerOf(call)) {
      case 'read':
        return attempt(() => runCall(stores, call), { call, log });
      case 'write':
        return attempt(() => transaction((inside) => runCall(createStores(inside), call)), {
          call,
          log,
        });
      case 'entry':
        return recordEntry(entryOf(call));
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
