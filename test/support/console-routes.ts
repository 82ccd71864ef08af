/** What the console's page asks for, as the server has registered it. */
import type {} from '@fastify/swagger';
import Fastify from 'fastify';
import { consoleRoutes, type ConsoleOptions } from '../../server/accounts/console/routes.ts';

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
const nobody = { publicUrl: undefined } as unknown as ConsoleOptions;
