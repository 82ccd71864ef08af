/**
 * The console: a page, and what it asks for below `/console/api`. Sessions of people count here and
 * nowhere else; the resources are those of the public interface behind another door.
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

export interface ConsoleOptions {
  consoleAccess: ConsoleAccess;
  consoleAccount: ConsoleAccount;
  /** What the console shows besides accounts, behind its own door. */
  resources: Routes[];
  /** The built widget, with the console's page in it. */
  widgetFolder: string;
  /** Address under which browsers reach the server, if it is known. */
  publicUrl: string | undefined;
  /** Whether the console may be asked for under a host name; guards against DNS that is made to lie. */
  isConsoleHost: HostRule;
}

/** Nothing but the page's own files, in no frame; Lit alone may make elements of text. */
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
  // A prefix among the options would be handed on to every part of it.
  await app.register((api) => consoleApi(api, options), { prefix: '/console/api' });
};

const consolePage: FastifyPluginAsync<ConsoleOptions> = async (app, { widgetFolder }) => {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    // For browsers that do not know `frame-ancestors`.
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
  // Relative: a proxy may serve us below another path.
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
  // Not part of the interface that is described to programs.
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, hide: true };
  });
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof TooManyTries) reply.header('Retry-After', String(error.retryAfterS));
    // Answered as everywhere.
    throw error;
  });

  await app.register(sessionRoutes, { consoleAccess, consoleAccount, door, cookie });
  await app.register(accountRoutes, { consoleAccount, door });
  for (const routes of resources) await app.register(routes, { door });
  // Else the page's files would be looked through for it.
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
 * Whose tries are counted: of what a trusted proxy reports, the address that it saw itself. Those before
 * it in the list are what its client says, and may be made up.
 */
function addressOf({ ips, ip }: FastifyRequest): string {
  return ips?.[1] ?? ip;
}

interface AccountOptions {
  consoleAccount: ConsoleAccount;
  door: Door;
}

/** What an account is and has: its month, its sites and addresses, its admin keys. */
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
