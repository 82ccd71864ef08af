/** Composition and HTTP routes of accounts: API keys, usage, administration and usage notices. */
import { rm } from 'node:fs/promises';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import {
  CustomTagAnalytics,
  CustomTagAnalyticsQuery,
  DeveloperKey,
  DeveloperKeyCreation,
  DeveloperKeyDeactivation,
  DeveloperKeyLabel,
  DeveloperKeyLimits,
  DeveloperKeyList,
  NewDeveloperKey,
  UsageAnalytics,
  UsageAnalyticsQuery,
} from '../../shared/schemas/admin.ts';
import { problems } from '../../shared/schemas/problem.ts';
import { UsageReport } from '../../shared/schemas/usage.ts';
import { type Door, type Routes, createKnownOrigins } from '../http/door.ts';
import { useJsonBodies } from '../http/requests.ts';
import {
  type DeveloperKeys,
  createApiKeyService,
  createDeveloperKeys,
  watchDeactivatedKeys,
  createAccess,
  createRequestLimit,
} from './api-keys.ts';
import { type UsageReporting, createUsageReporting } from './usage/usage-reports.ts';
import { type UsageMeter, createUsageMeter } from './usage/usage.ts';
import type { Broker } from '../broker/index.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../process/log.ts';
import type { Storage } from '../stores.ts';
import { openApiKeyFile, ensureFirstAccount } from './first-account.ts';
import { startUsageNotices } from './usage/usage-notices.ts';

/**
 * Opens the accounts of a database, including the installation's first account.
 *
 * @param options.keysInUse ids of keys with activity on this server
 * @param options.onKeyDeactivated called with the id of a deactivated key, whichever server
 *   deactivated it
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
  const { key, file, isNew } = await openApiKeyFile(config.DATA_DIR);
  const mailer = await openMailer(config);
  const first = await ensureFirstAccount({ ...storage, secret: key });
  // The key file was lost, and with it the active secret. The new secret is not valid, so its file
  // is removed.
  if (isNew && !first.isSecretActive) await rm(file);
  const access = createAccess({ ...storage, legacyAuth: legacyAuth(config) });
  const deactivatedKeys = watchDeactivatedKeys({
    ...{ ...storage, broker, keysInUse, onDeactivated: onKeyDeactivated, log },
  });
  const apiKeys = createApiKeyService({ ...storage, onDeactivated: deactivatedKeys.tell });
  const usageMeter = createUsageMeter({ ...storage, log });
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
    /** The installation's first account, which may see data of the whole server. */
    operatorId: first.account.accountId,
    /** The key of the first account; undefined if it is not active in this database. */
    firstKey: first.isSecretActive ? { secret: key, file } : undefined,
    /**
     * The caller on whose behalf requests without a key run; undefined once the first key is
     * deactivated.
     */
    firstCaller: () => access.authenticate(key),
    notices: startUsageNotices({ notices: storage.usageNotices, mailer, log }),
    /** Administrative routes of an account, for API keys and console sessions alike. */
    consoleRoutes: administration,
    routes,
  };
}

export type OpenAccounts = Awaited<ReturnType<typeof openAccounts>>;

function legacyAuth({ LEGACY_AUTH: mode, LEGACY_AUTH_REFUSED_PERCENT: refusedPercent }: Config) {
  return mode === 'off' ? { mode } : { mode, refusedPercent };
}

async function openMailer({ SMTP_URL: url, SMTP_FROM: from }: Config) {
  if (url === undefined || from === undefined) return undefined;
  // Loaded on demand: few servers send mail.
  const { createSmtpMailer } = await import('./usage/smtp-mailer.ts');
  return createSmtpMailer({ url, from });
}

export interface UsageOptions {
  door: Door;
  usageMeter: UsageMeter;
}

export const usageRoutes: FastifyPluginAsyncTypebox<UsageOptions> = async (
  app,
  { door, usageMeter },
) => {
  const onRequest = door.require();
  const schema = {
    summary: 'Get the usage of the current month',
    tags: ['usage'],
    security: [{ apiKey: [] }],
    response: { 200: UsageReport, ...problems },
  };
  app.get('/v2/usage', { onRequest, schema }, async ({ caller }) => usageMeter.report(caller));
  // Older clients use POST.
  app.post(
    '/v2/usage',
    { onRequest, schema: { ...schema, deprecated: true } },
    async ({ caller }) => usageMeter.report(caller),
  );
};

export interface AdminOptions {
  door: Door;
  developerKeys: DeveloperKeys;
  usageReporting: UsageReporting;
}

const common = { tags: ['administration'], security: [{ apiKey: [] }] };

const adminRoutes: FastifyPluginAsyncTypebox<AdminOptions> = async (app, options) => {
  await app.register(keyCreation, options);
  await app.register(keyRoutes, options);
  await app.register(analyticsRoutes, options);
};

const keyCreation: FastifyPluginAsyncTypebox<AdminOptions> = async (app, options) => {
  const { door, developerKeys } = options;
  useJsonBodies(app, { mayBeEmpty: true });
  app.post(
    '/v2/admin/developer-keys',
    {
      onRequest: door.require({ kind: 'admin' }),
      // The whole body is optional, like each of its fields.
      preValidation: async (request: FastifyRequest) => void (request.body ??= {}),
      schema: {
        ...common,
        summary: 'Create a developer key; only this answer contains the secret',
        body: DeveloperKeyCreation,
        response: { 200: NewDeveloperKey, ...problems },
      },
    },
    async ({ account, body }) => developerKeys.create(account, body.label),
  );
};

const keyRoutes: FastifyPluginAsyncTypebox<AdminOptions> = async (app, options) => {
  const { door, developerKeys } = options;
  const onRequest = door.require({ kind: 'admin' });
  const changed = { ...common, response: { 200: DeveloperKey, ...problems } };

  app.get(
    '/v2/admin/developer-keys',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'List developer keys',
        response: { 200: DeveloperKeyList, ...problems },
      },
    },
    async ({ account }) => developerKeys.list(account.accountId),
  );

  app.put(
    '/v2/admin/developer-keys/deactivate',
    {
      onRequest,
      schema: {
        ...changed,
        summary: 'Deactivate a key permanently',
        body: DeveloperKeyDeactivation,
      },
    },
    async ({ account, body }) => developerKeys.deactivate(account.accountId, body.key_id),
  );

  app.put(
    '/v2/admin/developer-keys/label',
    { onRequest, schema: { ...changed, summary: 'Rename a key', body: DeveloperKeyLabel } },
    async ({ account, body }) => developerKeys.rename(account.accountId, body.key_id, body.label),
  );

  app.put(
    '/v2/admin/developer-keys/limits',
    {
      onRequest,
      schema: { ...changed, summary: 'Limit the usage of a key', body: DeveloperKeyLimits },
    },
    async ({ account, body }) => developerKeys.limit(account.accountId, body),
  );
};

const analyticsRoutes: FastifyPluginAsyncTypebox<AdminOptions> = async (app, options) => {
  const { door, usageReporting } = options;
  const onRequest = door.require({ kind: 'admin' });

  app.get(
    '/v2/admin/analytics',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Get usage in total, by key, or by key and day',
        querystring: UsageAnalyticsQuery,
        response: { 200: UsageAnalytics, ...problems },
      },
    },
    async ({ account, query }) => ({
      usage_report: await usageReporting.byKey(account.accountId, query),
    }),
  );

  app.get(
    '/v2/admin/analytics/custom-tags',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Get usage of texts and improvements by reporting tag',
        querystring: CustomTagAnalyticsQuery,
        response: { 200: CustomTagAnalytics, ...problems },
      },
    },
    async ({ account, query }) => ({
      custom_tag_usage_report: await usageReporting.byTag(account.accountId, query),
    }),
  );
};
