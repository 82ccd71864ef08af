/** The console, wired: who is signed in, and what they see of their account. */
import type { Config } from '../../config.ts';
import type { Account, PageRoutes, Routes } from '../../http/door.ts';
import { createHostRule } from './door.ts';
import type { Logger } from '../../process/log.ts';
import type { Storage } from '../../stores.ts';
import { createAccountService } from '../accounts.ts';
import type { OpenAccounts } from '../index.ts';
import { consoleEntrance, createConsoleAccess } from './console-access.ts';
import { createConsoleAccount } from './console-account.ts';
import { consoleRoutes } from './routes.ts';

/** Opens the console of accounts. */
export function openConsole({
  config,
  log,
  storage,
  accounts: { apiKeys, operatorId },
}: {
  config: Config;
  log: Logger;
  storage: Storage;
  accounts: Pick<OpenAccounts, 'apiKeys' | 'operatorId'>;
}) {
  const consoleAccess = createConsoleAccess({ ...storage, log });
  const consoleAccount = createConsoleAccount({
    accounts: createAccountService(storage),
    apiKeys,
    usage: storage.usage,
    operatorId,
  });
  const routesWith =
    (shown: readonly { consoleRoutes: Routes }[]): PageRoutes =>
    async (app, { widgetFolder }) => {
      await app.register(consoleRoutes, {
        widgetFolder,
        consoleAccess,
        consoleAccount,
        resources: shown.map((each) => each.consoleRoutes),
        publicUrl: config.PUBLIC_URL,
        isConsoleHost: createHostRule({
          publicUrl: config.PUBLIC_URL,
          isVouchedFor: config.TRUST_PROXY || config.TLS_CERT_FILE !== undefined,
        }),
      });
    };
  return {
    isOperator: (account: Account) => consoleAccount.isOperator(account),
    /** Its path, with a one-time link while the first account has no password. */
    entrance: () => consoleEntrance(consoleAccess, operatorId),
    /** The page and what it asks for, with what it shows besides accounts. */
    showing: (shown: readonly { consoleRoutes: Routes }[]) => ({ routes: routesWith(shown) }),
  };
}
