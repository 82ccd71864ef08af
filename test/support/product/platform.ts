/** Accounts, keys and usage over an embedded database in a temporary folder. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createAccountService, type NewAccount } from '../../../server/accounts/accounts.ts';
import { createApiKeyService, type NewApiKey } from '../../../server/accounts/api-keys.ts';
import { openStorage } from '../../../server/storage/open-storage.ts';
import type { Storage } from '../../../server/stores.ts';
import { recordLog } from './log-record.ts';

export type Platform = Awaited<ReturnType<typeof openPlatform>>;

/** Opens the services over a new database. */
export async function openPlatform() {
  const dataFolder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-platform-'));
  const storage = await openEmbedded(dataFolder);
  return {
    dataFolder,
    storage,
    ...platformOver(storage),
    async close() {
      await storage.close();
      rmSync(dataFolder, { recursive: true });
    },
  };
}

/** Opens the database of a folder, even if it is already open. */
export function openEmbedded(dataFolder: string): Promise<Storage> {
  return openStorage({ url: undefined, dataFolder, log: recordLog() });
}

/** Returns the services over an open database. */
export function platformOver(storage: Storage) {
  const accounts = createAccountService(storage);
  const apiKeys = createApiKeyService(storage);
  return {
    accounts,
    apiKeys,
    /** Creates an account with a key; returns both, and the secret. */
    async newcomer(account: Partial<NewAccount> = {}, key: NewApiKey = {}) {
      // Unique, because several servers of a test may share a database.
      const name = `newcomer ${randomUUID()}`;
      const made = await accounts.create({ name, plan: 'pro', ...account });
      return { account: made, ...(await apiKeys.create(made, key)) };
    },
  };
}
