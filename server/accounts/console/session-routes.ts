/** Signing in to the console and out, and its passwords. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  ConsolePasswordByLink,
  ConsolePasswordChange,
  ConsoleSession,
  ConsoleSignIn,
} from '../../../shared/schemas/console.ts';
import type { ConsoleAccess, NewSession } from './console-access.ts';
import type { ConsoleAccount } from './console-account.ts';
import type { SessionCookie } from '../../http/console-cookie.ts';
import type { ConsoleDoor } from '../../http/console-door.ts';

export interface ConsoleSessionOptions {
  consoleAccess: ConsoleAccess;
  consoleAccount: ConsoleAccount;
  consoleDoor: ConsoleDoor;
  cookie: SessionCookie;
}

const response = { 200: ConsoleSession };

export const consoleSessionRoutes: FastifyPluginAsyncTypebox<ConsoleSessionOptions> = async (
  app,
  { consoleAccess, consoleAccount, consoleDoor, cookie },
) => {
  const begin = (request: FastifyRequest, reply: FastifyReply, session: NewSession) => {
    cookie.write(request, reply, session.token, session.expiresAtMs);
    return consoleAccount.describe(session);
  };
  const onRequest = consoleDoor.require();

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
    consoleAccount.describe(consoleDoor.signedIn(request)),
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
 * Whose tries are counted: of what a trusted proxy tells, the address that it saw itself. Those before
 * it in the list are what its client says, and may be made up.
 */
function addressOf({ ips, ip }: FastifyRequest): string {
  return ips?.[1] ?? ip;
}
