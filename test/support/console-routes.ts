/** What the console's page asks for, as the server has registered it. */
import type {} from '@fastify/swagger';
import Fastify from 'fastify';
import { consoleRoutes, type ConsoleOptions } from '../../server/accounts/console/routes.ts';
import { adminRoutes } from '../../server/accounts/routes.ts';
import { glossaryV3Routes } from '../../server/glossaries/routes.ts';
import type { Routes } from '../../server/http/door.ts';
import {
  translationMemoryRoutes,
  translationMemoryUpkeepRoutes,
} from '../../server/memories/routes.ts';
import { consoleModelRoutes } from '../../server/models/routes.ts';
import { consoleOperationRoutes } from '../../server/operation/console-routes.ts';
import { styleRuleRoutes } from '../../server/style-rules/routes.ts';

/** Every operation below `/console/api`, with parameters as in `/openapi.json`. */
export async function readConsoleRoutes(): Promise<{ method: string; path: string }[]> {
  const app = Fastify();
  const found: { method: string; path: string }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) found.push({ method: each, path: url });
  });
  await app.register(consoleRoutes, nobody);
  await app.ready();
  await app.close();
  return found
    .filter(({ method, path }) => path.startsWith('/console/api/') && method !== 'HEAD')
    .filter(({ path }) => !path.endsWith('*'))
    .map(({ method, path }) => ({ method, path: path.replaceAll(/:(\w+)/g, '{$1}') }));
}

/** Routes are registered and none is ever called: what they work with is nothing. */
const resources: Routes[] = [
  adminRoutes,
  consoleModelRoutes,
  consoleOperationRoutes,
  glossaryV3Routes,
  styleRuleRoutes,
  translationMemoryRoutes,
  translationMemoryUpkeepRoutes,
].map((routes) => async (app, options) => {
  await app.register(routes as Routes, options);
});
const nobody = { publicUrl: undefined, resources } as unknown as ConsoleOptions;
