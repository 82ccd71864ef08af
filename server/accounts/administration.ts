/** The services behind the administrative commands: accounts, API keys, usage, and console links. */
import type { Logger } from '../process/log.ts';
import type { Storage } from '../stores.ts';
import { createAccountService } from './accounts.ts';
import { createApiKeyService } from './api-keys.ts';
import { createConsoleAccess } from './console/console-access.ts';

export { accountOfKeyId } from './api-keys.ts';
export { linkPath } from './console/console-access.ts';
export type { UsageTotals } from './usage/usage-counters-store.ts';

/** Makes the services over an open database. */
export function createAdministration(storage: Storage, log: Logger) {
  return {
    accounts: createAccountService(storage),
    apiKeys: createApiKeyService(storage),
    usage: storage.usage,
    consoleAccess: createConsoleAccess({ ...storage, log }),
  };
}
