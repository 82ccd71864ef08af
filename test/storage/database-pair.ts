/** Databases for the tests of stores, opened twice, as by two processes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openStorage } from '../../server/storage/open-storage.ts';
import type { Storage } from '../../server/stores.ts';
import { newPostgresqlDatabase } from '../support/product/shared-server.ts';
import { executeOn } from './database-access.ts';
import { quietLog } from './samples.ts';

export const databaseNames = ['sqlite', 'postgresql'] as const;
export type DatabaseName = (typeof databaseNames)[number];

/** Two connections to one database. */
export interface DatabasePair {
  storage: Storage;
  other: Storage;
  /** Runs a statement, bypassing the stores. */
  execute: (sql: string) => Promise<unknown[]>;
}

/** Opens new databases for the tests of a file; they are closed and removed afterwards. */
export function databasesOfThisFile(): (name: DatabaseName) => Promise<DatabasePair> {
  const opened: Storage[] = [];
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'dragoman-stores-'));
  });

  afterAll(async () => {
    for (const storage of opened) await storage.close();
    rmSync(folder, { recursive: true, force: true });
  });

  return async (name) => {
    const url = name === 'sqlite' ? undefined : await newPostgresqlDatabase();
    const place = { url, dataFolder: path.join(folder, name), log: quietLog };
    const open = async (): Promise<Storage> => {
      const storage = await openStorage(place);
      opened.push(storage);
      return storage;
    };
    return { storage: await open(), other: await open(), execute: (sql) => executeOn(place, sql) };
  };
}
