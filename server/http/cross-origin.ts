/**
 * Calls from pages of other sites (CORS, as in the Fetch standard): closed, unless the account whose
 * key is sent has the site on its list. A browser asks before it shows a key; that question has no key,
 * so it is answered by whether anybody allows the site, and the answer itself by the account's own list.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { listsOrigin, type KnowsOrigin, accountOfKey } from './door.ts';

/** Where programs call; nothing else is ever opened to other sites' pages. */
const PATHS = ['/v2/*', '/v3/*'];
/** How long a browser need not ask again, in seconds. */
const MAX_AGE_S = '600';
const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const HEADERS =
  'Authorization, Content-Type, Accept, X-Service-Reporting-Tag, X-DeepL-Reporting-Tag';
const READABLE = 'X-Trace-ID, Retry-After, Content-Disposition';

export function useCrossOriginCalls(app: FastifyInstance, knowsOrigin: KnowsOrigin): void {
  for (const path of PATHS) {
    app.options(path, { schema: { hide: true } }, async ({ headers: { origin } }, reply) => {
      reply.header('Vary', 'Origin');
      if (origin !== undefined && (await knowsOrigin(origin))) {
        allow(reply, origin);
        reply.header('Access-Control-Allow-Methods', METHODS);
        reply.header('Access-Control-Allow-Headers', HEADERS);
        reply.header('Access-Control-Max-Age', MAX_AGE_S);
      }
      return reply.code(204).send(null);
    });
  }

  app.addHook('onSend', async (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined) return;
    const account = accountOfKey(request);
    if (account === undefined) return;
    reply.header('Vary', 'Origin');
    if (!listsOrigin(account.origins, origin)) return;
    allow(reply, origin);
    reply.header('Access-Control-Expose-Headers', READABLE);
  });
}

function allow(reply: FastifyReply, origin: string): void {
  reply.header('Access-Control-Allow-Origin', origin);
  reply.header('Cross-Origin-Resource-Policy', 'cross-origin');
}
