import type { Logger } from '../process/log.ts';
import { openEmbeddedStorage } from './embedded/embedded-storage.ts';
import type { Storage } from '../stores.ts';

export interface StorageOptions {
  /** `postgres://…` for PostgreSQL; undefined for SQLite in the data folder. */
  url: string | undefined;
  /** Holds `dragoman.sqlite`; made when it is missing. */
  dataFolder: string;
  log: Logger;
}

/**
 * Opens the database and brings it up to date.
 *
 * @throws Error (or ServiceError) that says what to do when it cannot be opened
 */
export async function openStorage({ url, dataFolder, log }: StorageOptions): Promise<Storage> {
  if (url === undefined) return openEmbeddedStorage({ dataFolder, log });
  if (/^postgres(ql)?:\/\//.test(url)) {
    // Takes longer to load than all a command does with SQLite.
    const { openPostgresqlStorage } = await import('./distributed/postgresql-storage.ts');
    return openPostgresqlStorage({ url, log });
  }
  throw new Error('The storage URL must start with postgres:// — without one, SQLite is used.');
}
