/** Looks keys up on the main thread: one row by an index, from a log that readers share with the writer. */
import { Kysely } from 'kysely';
import type { ApiKeys } from '../ports.ts';
import { createApiKeys } from '../../accounts/api-keys-store.ts';
import type { Tables } from '../tables.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import { openSqliteReader } from './sqlite.ts';

export interface KeyReader {
  /** Sees all that was committed, by whichever process. Rejects when the database is not to be read now. */
  authenticate: ApiKeys['authenticate'];
  close(): void;
}

/** @throws Error when the database cannot be opened */
export async function openKeyReader(file: string): Promise<KeyReader> {
  const database = await openSqliteReader(file);
  let isOpen = true;
  const keys = createApiKeys(new Kysely<Tables>({ dialect: createSqliteDialect(database) }));
  return {
    authenticate: (secretHash) => keys.authenticate(secretHash),
    close() {
      if (isOpen) database.close();
      isOpen = false;
    },
  };
}
