/**
 * The console: its page, and its API below `/console/api`. Sessions are valid only here; the
 * resources are those of the public API behind another door.
 */
import path from 'node:path';
import fastifyCookie from '@fastify/cookie';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import {
  AdminKey,
  AdminKeyCreation,
  AdminKeyDeactivation,
  ConsolePasswordByLink,
  ConsolePasswordChange,
  ConsoleSession,
  ConsoleSettings,
  ConsoleSettingsChange,
  ConsoleSignIn,
  ConsoleUsage,
  NewAdminKey,
} from '../../../shared/schemas/console.ts';
import type { Door, Routes, Account, PageRoutes } from '../../http/door.ts';
import {
  type HostRule,
  createConsoleDoor,
  createSessionCookie,
  refuseOtherNames,
  refuseOtherPages,
  type ConsoleDoor,
  type SessionCookie,
  createHostRule,
} from './door.ts';
import {
  type ConsoleAccess,
  type NewSession,
  consoleEntrance,
  createConsoleAccess,
  TooManyTries,
} from './console-access.ts';
import { type ConsoleAccount, createConsoleAccount } from './console-account.ts';
import type { Config } from '../../config.ts';
import type { Logger } from '../../process/log.ts';
import type { Storage } from '../../stores.ts';
import { createAccountService } from '../accounts.ts';
import type { OpenAccounts } from '../routes.ts';

/** Opens the console. */
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
    /** Path of the console, with a one-time link while the first account has no password. */
    entrance: () => consoleEntrance(consoleAccess, operatorId),
    /** Makes the routes of the page and its API, including the given parts besides accounts. */
    showing: (shown: readonly { consoleRoutes: Routes }[]) => ({ routes: routesWith(shown) }),
  };
}

export interface ConsoleOptions {
  consoleAccess: ConsoleAccess;
  consoleAccount: ConsoleAccount;
  /** Routes of the other parts of the console, to be placed behind its own door. */
  resources: Routes[];
  /** Folder of the built widget, which contains the console's page. */
  widgetFolder: string;
  /** Address under which browsers reach the server, if configured. */
  publicUrl: string | undefined;
  /** Whether the console may be called under a host name; guards against DNS rebinding. */
  isConsoleHost: HostRule;
}

/** Allows only the page's own files and no framing; only Lit may turn text into elements. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ');

const consoleRoutes: FastifyPluginAsync<ConsoleOptions> = async (app, options) => {
  app.addHook('onRequest', refuseOtherNames(options.isConsoleHost));
  await app.register(consolePage, options);
  // A prefix in the options would be passed on to every plugin registered inside.
  await app.register((api) => consoleApi(api, options), { prefix: '/console/api' });
};

const consolePage: FastifyPluginAsync<ConsoleOptions> = async (app, { widgetFolder }) => {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    // For browsers that do not support `frame-ancestors`.
    reply.header('X-Frame-Options', 'DENY');
    reply.header('Cross-Origin-Opener-Policy', 'same-origin');
  });
  await app.register(fastifyStatic, {
    root: path.join(widgetFolder, 'console'),
    prefix: '/console/',
    schemaHide: true,
    redirect: false,
    maxAge: 0,
  });
  // A relative path, because a proxy may serve the console below another path.
  app.get('/console', { schema: { hide: true } }, async (_request, reply) =>
    reply.code(302).header('Location', './console/').send(),
  );
};

async function consoleApi(app: FastifyInstance, options: ConsoleOptions): Promise<void> {
  const { consoleAccess, consoleAccount, resources, publicUrl } = options;
  const cookie = createSessionCookie(publicUrl);
  const door = createConsoleDoor({ consoleAccess, cookie });
  await app.register(fastifyCookie);
  app.addHook('onRequest', refuseOtherPages(publicUrl));
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store');
  });
  // The console's API is not part of the documented API.
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, hide: true };
  });
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof TooManyTries) reply.header('Retry-After', String(error.retryAfterS));
    // Handled by the error handler of the server.
    throw error;
  });

  await app.register(sessionRoutes, { consoleAccess, consoleAccount, door, cookie });
  await app.register(accountRoutes, { consoleAccount, door });
  for (const routes of resources) await app.register(routes, { door });
  // Otherwise unmatched paths would be looked up among the page's files.
  app.get('/*', (_request, reply) => {
    reply.callNotFound();
  });
}

interface SessionOptions {
  consoleAccess: ConsoleAccess;
  consoleAccount: ConsoleAccount;
  door: ConsoleDoor;
  cookie: SessionCookie;
}

const response = { 200: ConsoleSession };

/** Signing in and out, and passwords. */
const sessionRoutes: FastifyPluginAsyncTypebox<SessionOptions> = async (
  app,
  { consoleAccess, consoleAccount, door, cookie },
) => {
  const begin = (request: FastifyRequest, reply: FastifyReply, session: NewSession) => {
    cookie.write(request, reply, session.token, session.expiresAtMs);
    return consoleAccount.describe(session);
  };
  const onRequest = door.require();

  app.post('/sign-in', { schema: { body: ConsoleSignIn, response } }, async (request, reply) => {
    const address = addressOf(request);
    const { body } = request;
    const formerToken = cookie.read(request);
    const session = await consoleAccess.signIn({ ...body, address, formerToken });
    return begin(request, reply, session);
  });

  app.post('/sign-out', async (request, reply) => {
    const token = cookie.read(request);
    if (token !== undefined) await consoleAccess.signOut(token);
    cookie.clear(request, reply);
    return reply.code(204).send();
  });

  app.get('/session', { onRequest, schema: { response } }, async (request) =>
    consoleAccount.describe(door.signedIn(request)),
  );

  app.post(
    '/password',
    { schema: { body: ConsolePasswordByLink, response } },
    async (request, reply) => {
      const by = { ...request.body, address: addressOf(request) };
      return begin(request, reply, await consoleAccess.setPassword(by));
    },
  );

  app.post(
    '/password/change',
    { onRequest, schema: { body: ConsolePasswordChange, response } },
    async (request, reply) => {
      const { account, body } = request;
      const { current_password: currentPassword, password } = body;
      const change = { account, currentPassword, password };
      return begin(request, reply, await consoleAccess.changePassword(change));
    },
  );
};

/**
 * Returns the address whose sign-in attempts are counted. Behind a trusted proxy, this is the
 * address that the proxy itself saw: earlier entries of the list were sent by the client and may be
 * forged.
 */
function addressOf({ ips, ip }: FastifyRequest): string {
  return ips?.[1] ?? ip;
}

interface AccountOptions {
  consoleAccount: ConsoleAccount;
  door: Door;
}

/** Account data: usage of the month, settings and admin keys. */
const accountRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (
  app,
  { consoleAccount, door },
) => {
  const onRequest = door.require();

  app.get(
    '/usage',
    { onRequest, schema: { response: { 200: ConsoleUsage } } },
    async ({ account }) => consoleAccount.usage(account),
  );

  app.get(
    '/settings',
    { onRequest, schema: { response: { 200: ConsoleSettings } } },
    async ({ account }) => consoleAccount.settings(account),
  );

  app.put(
    '/settings',
    { onRequest, schema: { body: ConsoleSettingsChange, response: { 200: ConsoleSettings } } },
    async ({ account, body }) => consoleAccount.change(account, body),
  );

  app.get(
    '/admin-keys',
    { onRequest, schema: { response: { 200: Type.Array(AdminKey) } } },
    async ({ account }) => consoleAccount.adminKeys(account),
  );

  app.post(
    '/admin-keys',
    { onRequest, schema: { body: AdminKeyCreation, response: { 200: NewAdminKey } } },
    async ({ account, body }) => consoleAccount.createAdminKey(account, body.label),
  );

  app.put(
    '/admin-keys/deactivate',
    { onRequest, schema: { body: AdminKeyDeactivation, response: { 200: AdminKey } } },
    async ({ account, body }) => consoleAccount.deactivateAdminKey(account, body.key_id),
  );
};
