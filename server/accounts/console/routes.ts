/**
 * The console: a page, and what it asks for below `/console/api`. Sessions of people count here and
 * nowhere else; the resources are those of the public interface behind another door.
 */
import fastifyCookie from '@fastify/cookie';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import path from 'node:path';
import type { ConsoleAccess } from './console-access.ts';
import { TooManyTries } from './console-tries.ts';
import { createSessionCookie } from '../../http/console-cookie.ts';
import { createConsoleDoor, refuseOtherNames, refuseOtherPages } from '../../http/console-door.ts';
import { answerError } from '../../http/errors.ts';
import type { HostRule } from '../../http/host-rule.ts';
import { adminRoutes, type AdminOptions } from '../routes.ts';
import { consoleAccountRoutes, type ConsoleAccountOptions } from './account-routes.ts';
import { consoleModelRoutes, type ConsoleModelOptions } from '../../models/routes.ts';
import {
  consoleOperationRoutes,
  type ConsoleOperationOptions,
} from '../../operation/console-routes.ts';
import { consoleSessionRoutes } from './session-routes.ts';
import { glossaryV3Routes, type GlossaryOptions } from '../../glossaries/routes.ts';
import { styleRuleRoutes, type StyleRuleOptions } from '../../style-rules/routes.ts';
import {
  translationMemoryRoutes,
  translationMemoryUpkeepRoutes,
  type TranslationMemoryOptions,
} from '../../memories/routes.ts';
import { widgetFolder } from '../../http/widget.ts';

export interface ConsoleOptions extends Omit<
  ConsoleAccountOptions & ConsoleOperationOptions & ConsoleModelOptions & ResourceOptions,
  'door'
> {
  consoleAccess: ConsoleAccess;
  /** Address under which browsers reach the server, if it is told. */
  publicUrl: string | undefined;
  /** Whether the console may be asked for under a host name; guards against DNS that is made to lie. */
  isConsoleHost: HostRule;
}

/** What the console has in common with the public interface. */
type ResourceOptions = AdminOptions & GlossaryOptions & StyleRuleOptions & TranslationMemoryOptions;

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

export const consoleRoutes: FastifyPluginAsync<ConsoleOptions> = async (app, options) => {
  app.addHook('onRequest', refuseOtherNames(options.isConsoleHost));
  await app.register(consolePage);
  // A prefix among the options would be handed on to every part of it.
  await app.register((api) => consoleApi(api, options), { prefix: '/console/api' });
};

const consolePage: FastifyPluginAsync = async (app) => {
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
  const { consoleAccess, publicUrl } = options;
  const cookie = createSessionCookie(publicUrl);
  const door = createConsoleDoor({ consoleAccess, cookie });
  await app.register(fastifyCookie);
  app.addHook('onRequest', refuseOtherPages(publicUrl));
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store');
  });
  // Not part of the interface that programs are told of.
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, hide: true };
  });
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof TooManyTries) reply.header('Retry-After', String(error.retryAfterS));
    return answerError(error as Parameters<typeof answerError>[0], request, reply);
  });

  const behind = { ...options, door };
  await app.register(consoleSessionRoutes, { ...options, consoleDoor: door, cookie });
  await app.register(consoleAccountRoutes, behind);
  await app.register(consoleOperationRoutes, behind);
  await app.register(consoleModelRoutes, behind);
  await app.register(adminRoutes, behind);
  await app.register(glossaryV3Routes, behind);
  await app.register(styleRuleRoutes, behind);
  await app.register(translationMemoryRoutes, behind);
  await app.register(translationMemoryUpkeepRoutes, behind);
  // Else the page's files would be looked through for it.
  app.get('/*', (_request, reply) => {
    reply.callNotFound();
  });
}
