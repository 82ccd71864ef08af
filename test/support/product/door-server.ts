/** A minimal server with the product's authentication, a few routes behind it, and a database of its own. */
import { useForms } from '../../../server/http/forms.ts';
import Fastify from 'fastify';
import { createEmbeddedBroker } from '../../../server/broker/embedded-broker.ts';
import { type RequestLimit, useDoors } from '../../../server/http/door.ts';
import { answerError } from '../../../server/http/errors.ts';
import { reportingTag } from '../../../server/http/requests.ts';
import { usageRoutes } from '../../../server/accounts/routes.ts';
import {
  createAccess,
  createRequestLimit,
  type LegacyAuth,
} from '../../../server/accounts/api-keys.ts';
import { createUsageMeter } from '../../../server/accounts/usage/usage.ts';
import type { Storage } from '../../../server/stores.ts';
import { recordLog } from './log-record.ts';
import { openEmbedded, platformOver } from './platform.ts';

/** Largest body of the route `/text`, in bytes. */
export const TEXT_LIMIT_BYTES = 1024;

export type DoorServer = Awaited<ReturnType<typeof startDoorServer>>;

/**
 * Starts the server on a free port, over the embedded database of a folder.
 *
 * @param options.storage that database if it is open; it stays open
 */
export async function startDoorServer(options: {
  dataFolder: string;
  storage?: Storage;
  legacyAuth?: LegacyAuth;
  requestsPerMinute?: number;
}) {
  const { dataFolder, legacyAuth = { mode: 'off' }, requestsPerMinute = 0 } = options;
  const storage = options.storage ?? (await openEmbedded(dataFolder));
  const broker = createEmbeddedBroker({ log: recordLog() });
  const requestLimit = createRequestLimit(requestsPerMinute, broker.counters);
  const app = await createDoor(storage, { legacyAuth, requestLimit });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    storage,
    ...platformOver(storage),
    async close() {
      await app.close();
      await broker.close();
      if (options.storage === undefined) await storage.close();
    },
  };
}

async function createDoor(
  storage: Storage,
  options: { legacyAuth: LegacyAuth; requestLimit: RequestLimit | undefined },
) {
  const app = Fastify({ forceCloseConnections: true });
  const access = createAccess({ apiKeys: storage.apiKeys, legacyAuth: options.legacyAuth });
  const usageMeter = createUsageMeter({ ...storage, log: recordLog() });
  app.setErrorHandler(answerError);
  const door = await useDoors(app, { ...options, access });
  useForms(app);
  await app.register(usageRoutes, { door, usageMeter });

  const onRequest = door.require();
  app.post('/text', { onRequest, bodyLimit: TEXT_LIMIT_BYTES }, async ({ caller, body }) => ({
    account: caller.account.name,
    body,
  }));
  app.get('/tag', { onRequest }, async (request) => ({ tag: reportingTag(request) }));
  app.get('/pro', { onRequest: door.require({ plan: 'pro' }) }, async () => ({}));
  app.get('/admin', { onRequest: door.require({ kind: 'admin' }) }, async () => ({}));
  app.get('/detection', { onRequest: door.require({ feature: 'detection' }) }, async () => ({}));
  app.get('/careless', async ({ caller }) => caller);
  return app;
}
