/** Accounts, keys and usage over an embedded database in a folder that goes away. */
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

/** Opens the database of a folder, once more if it is open already. */
export function openEmbedded(dataFolder: string): Promise<Storage> {
  return openStorage({ url: undefined, dataFolder, log: recordLog() });
}

/** The services over an open database. */
export function platformOver(storage: Storage) {
  const accounts = createAccountService(storage);
  const apiKeys = createApiKeyService(storage);
  return {
    accounts,
    apiKeys,
    /** Makes an account with a key and answers both, with the secret. */
    async newcomer(account: Partial<NewAccount> = {}, key: NewApiKey = {}) {
      // Several servers of a test may have the same database.
      const name = `newcomer ${randomUUID()}`;
      const made = await accounts.create({ name, plan: 'pro', ...account });
      return { account: made, ...(await apiKeys.create(made, key)) };
    },
  };
}
