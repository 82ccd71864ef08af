/** Opens the database that the settings select: PostgreSQL, or SQLite in the data folder. */
import type { Logger } from '../process/log.ts';
import { openEmbeddedStorage } from './embedded/embedded-storage.ts';
import type { Storage } from '../stores.ts';

export interface StorageOptions {
  /** `postgres://…` for PostgreSQL; undefined for SQLite in the data folder. */
  url: string | undefined;
  /** Folder of `dragoman.sqlite`; created if missing. */
  dataFolder: string;
  log: Logger;
  /** Refuses a data folder without a database, instead of creating one. */
  mustExist?: boolean;
}

/**
 * Opens the database and migrates it.
 *
 * @throws Error (or ServiceError) with advice when it cannot be opened
 */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { url, log } = options;
  if (url === undefined) return openEmbeddedStorage(options);
  if (/^postgres(ql)?:\/\//.test(url)) {
    // Loaded on demand: loading it takes longer than a whole command with SQLite.
    const { openPostgresqlStorage } = await import('./distributed/postgresql-storage.ts');
    return openPostgresqlStorage({ url, log });
  }
  throw new Error('The storage URL must start with postgres:// — without one, SQLite is used.');
}
