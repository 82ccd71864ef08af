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
}

/**
 * Opens the database and migrates it.
 *
 * @throws Error (or ServiceError) with advice when it cannot be opened
 */
export async function openStorage({ url, dataFolder, log }: StorageOptions): Promise<Storage> {
  if (url === undefined) return openEmbeddedStorage({ dataFolder, log });
  if (/^postgres(ql)?:\/\//.test(url)) {
    // Loaded on demand: loading it takes longer than a whole command with SQLite.
    const { openPostgresqlStorage } = await import('./distributed/postgresql-storage.ts');
    return openPostgresqlStorage({ url, log });
  }
  throw new Error('The storage URL must start with postgres:// — without one, SQLite is used.');
}
