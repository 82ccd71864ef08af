/** Storage in a file of this machine, written by a thread of its own. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import { startWorker } from '../../process/index.ts';
import { stores as definitions, type Storage } from '../../stores.ts';
import { storesFromCalls } from '../store-calls.ts';
import type { StoreCall } from '../store.ts';
import { ERASURE_PERIOD_MS } from './erasure.ts';
import { StoreConnection, type StoreThreadData } from './store-connection.ts';
import { Kysely } from 'kysely';
import type { Tables } from '../database.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import { openSqliteReader } from './sqlite.ts';

const DATABASE_FILE = 'dragoman.sqlite';
/** How long nothing is asked of the database after its thread has ended: twice as long each time it fails to start. */
const RESTART_DELAY_MS = { first: 100, longest: 10_000 };

interface EmbeddedStorageOptions {
  /** Made when it is missing. */
  dataFolder: string;
  log: Logger;
  /** How often what was deleted is erased from the log, in ms. */
  erasurePeriodMs?: number;
  /** For tests that end the thread. */
  onThread?: (thread: Worker) => void;
}

/** @throws Error when the database cannot be opened or brought up to date */
export async function openEmbeddedStorage({
  dataFolder,
  log,
  erasurePeriodMs = ERASURE_PERIOD_MS,
  onThread,
}: EmbeddedStorageOptions): Promise<Storage> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const file = path.resolve(dataFolder, DATABASE_FILE);
  let connection = connect();
  let delayMs = RESTART_DELAY_MS.first;
  let restartAtMs = 0;
  let isClosed = false;

  function connect(): StoreConnection {
    const workerData: StoreThreadData = { file, erasurePeriodMs };
    const worker = startWorker(import.meta.url, './store-thread', { workerData });
    onThread?.(worker);
    return new StoreConnection({ worker, log });
  }

  function ask(call: StoreCall): Promise<unknown> {
    if (isClosed) return Promise.reject(new ServiceError('stopping', 'The server is stopping.'));
    if (!connection.isOpen) {
      if (performance.now() < restartAtMs) return Promise.reject(unavailable());
      connection = connect();
      watch(connection);
    }
    return connection.ask(call);
  }

  /** A thread that ends is followed by another as soon as something is asked, though not at once. */
  function watch(watched: StoreConnection): void {
    watched.ready.then(
      () => (delayMs = RESTART_DELAY_MS.first),
      () => (delayMs = Math.min(delayMs * 2, RESTART_DELAY_MS.longest)),
    );
    void watched.ended.then(() => (restartAtMs = performance.now() + delayMs));
  }

  watch(connection);
  await connection.ready;
  const stores = storesFromCalls(ask);
  const reader = await openKeyReader(file);
  return {
    name: 'sqlite',
    ...stores,
    apiKeys: {
      ...stores.apiKeys,
      // Every request asks this: some µs here spare it a way to the thread and back.
      authenticate: (secretHash) =>
        reader.authenticate(secretHash).catch(() => stores.apiKeys.authenticate(secretHash)),
    },
    documents: {
      ...stores.documents,
      addPart: (part, claimId) =>
        stores.documents.addPart({ ...part, bytes: standingAlone(part.bytes) }, claimId),
    },
    async close() {
      isClosed = true;
      reader.close();
      if (connection.isOpen) await connection.close();
    },
  };
}

/** A view goes to the thread with all of the memory that it is a view of: all of a file for each part of it. */
function standingAlone(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

function unavailable(): ServiceError {
  return new ServiceError('storage_unavailable', 'The database is starting. Please try again.');
}

// Looks keys up on the main thread: one row by an index, from a log that readers share with the writer.

interface KeyReader {
  /** Sees all that was committed, by whichever process. Rejects when the database is not to be read now. */
  authenticate: Storage['apiKeys']['authenticate'];
  close(): void;
}

/** @throws Error when the database cannot be opened */
async function openKeyReader(file: string): Promise<KeyReader> {
  const database = await openSqliteReader(file);
  let isOpen = true;
  const keys = definitions.apiKeys.over(
    new Kysely<Tables>({ dialect: createSqliteDialect(database) }),
  );
  return {
    authenticate: (secretHash) => keys.authenticate(secretHash),
    close() {
      if (isOpen) database.close();
      isOpen = false;
    },
  };
}
