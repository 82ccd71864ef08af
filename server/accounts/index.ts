/** Accounts and what belongs to them, wired: keys, usage, administration, notices. */
import type { Broker } from '../broker/index.ts';
import type { Config } from '../config.ts';
import { type Routes, createKnownOrigins } from '../http/door.ts';
import type { Logger } from '../process/log.ts';
import type { Storage } from '../stores.ts';
import { createAccess, createRequestLimit } from './access.ts';
import { openApiKeyFile, ensureFirstAccount } from './first-account.ts';
import { createApiKeyService, createDeveloperKeys } from './api-keys.ts';
import { watchDeactivatedKeys } from './deactivated-keys.ts';
import { adminRoutes, usageRoutes } from './routes.ts';
import { createSmtpMailer } from './usage/smtp-mailer.ts';
import { startUsageNotices } from './usage/usage-notices.ts';
import { createUsageReporting } from './usage/usage-reports.ts';
import { createUsageMeter } from './usage/usage.ts';

/**
 * Opens the accounts of a database, with the one that every installation starts with.
 *
 * @param options.keysInUse ids of keys for which something goes on here
 * @param options.onKeyDeactivated called with the id of a key that is not let in any more, whichever
 *   server has been told so
 */
export async function openAccounts({
  config,
  log,
  storage,
  broker,
  keysInUse,
  onKeyDeactivated,
}: {
  config: Config;
  log: Logger;
  storage: Storage;
  broker: Pick<Broker, 'announcements' | 'counters' | 'onBack'>;
  keysInUse: () => string[];
  onKeyDeactivated: (keyId: string) => void;
}) {
  const { key, file } = await openApiKeyFile(config.DATA_DIR);
  const first = await ensureFirstAccount({ ...storage, secret: key });
  const access = createAccess({ ...storage, legacyAuth: legacyAuth(config) });
  const deactivatedKeys = watchDeactivatedKeys({
    ...{ ...storage, broker, keysInUse, onDeactivated: onKeyDeactivated, log },
  });
  const apiKeys = createApiKeyService({ ...storage, onDeactivated: deactivatedKeys.tell });
  const usageMeter = createUsageMeter(storage);
  const developerKeys = createDeveloperKeys({ apiKeys, store: storage.apiKeys });
  const usageReporting = createUsageReporting(storage);
  const administration: Routes = async (app, { door }) => {
    await app.register(adminRoutes, { door, developerKeys, usageReporting });
  };
  const routes: Routes = async (app, { door }) => {
    await app.register(usageRoutes, { door, usageMeter });
    await app.register(administration, { door });
  };
  return {
    access,
    apiKeys,
    usageMeter,
    deactivatedKeys,
    knowsOrigin: createKnownOrigins(storage),
    requestLimit: createRequestLimit(config.RATE_LIMIT_PER_MINUTE, broker.counters),
    /** The installation's first account, which sees what concerns the whole server. */
    operatorId: first.account.accountId,
    /** The key every installation starts with; undefined when it is not active in this database. */
    firstKey: first.isSecretActive ? { secret: key, file } : undefined,
    /** Whose requests without a key are; undefined when the first key is not active any more. */
    firstCaller: () => access.authenticate(key),
    notices: startUsageNotices({ notices: storage.usageNotices, mailer: mailerOf(config), log }),
    /** What administrators of an account may do, whichever way they come in. */
    consoleRoutes: administration,
    routes,
  };
}

export type OpenAccounts = Awaited<ReturnType<typeof openAccounts>>;

function legacyAuth({ LEGACY_AUTH: mode, LEGACY_AUTH_REFUSED_PERCENT: refusedPercent }: Config) {
  return mode === 'off' ? { mode } : { mode, refusedPercent };
}

function mailerOf({ SMTP_URL: url, SMTP_FROM: from }: Config) {
  return url === undefined || from === undefined ? undefined : createSmtpMailer({ url, from });
}
