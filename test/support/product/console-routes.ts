/** Routes of the console's API, as the whole server registers them. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createApp } from '../../../server/app.ts';
import { readConfig } from '../../../server/config.ts';

/** Returns every operation below `/console/api`, with parameters as in `/openapi.json`. */
export async function readConsoleRoutes(): Promise<{ method: string; path: string }[]> {
  const found: { method: string; path: string }[] = [];
  const watch = (made: unknown): void => {
    const { fastify } = made as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) found.push({ method: each, path: url });
    });
  };
  const dataFolder = await mkdtemp(path.join(tmpdir(), 'dragoman-'));
  const settings = { DATA_DIR: dataFolder, RECOGNISER: 'silent', DOCUMENT_WORKER: 'off' };
  subscribe('fastify.initialization', watch);
  try {
    const app = await createApp(
      readConfig({ ...settings, WARM_UP: 'off' }),
      pino({ enabled: false }),
    );
    await app.stop();
  } finally {
    unsubscribe('fastify.initialization', watch);
    await rm(dataFolder, { recursive: true, force: true });
  }
  return found
    .filter(({ method, path }) => path.startsWith('/console/api/') && method !== 'HEAD')
    .filter(({ path }) => !path.endsWith('*'))
    .map(({ method, path }) => ({ method, path: path.replaceAll(/:(\w+)/g, '{$1}') }));
}
