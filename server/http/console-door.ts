/** The door of people: a session of the console instead of an API key. */
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';
import {
  CONSOLE_ACCOUNT_HEADER,
  CONSOLE_HEADER,
  POLL_HEADER,
} from '../../shared/schemas/console.ts';
import { requireFeature, requirePro } from '../accounts/access.ts';
import type { ConsoleAccess, SignedIn } from '../accounts/console/console-access.ts';
import type { Door } from './auth.ts';
import type { SessionCookie } from './console-cookie.ts';
import type { HostRule } from './host-rule.ts';

export interface ConsoleDoor extends Door {
  /** Who is signed in, on routes behind the door. @throws Error elsewhere */
  signedIn(request: FastifyRequest): SignedIn;
}

/**
 * Makes the door. An owner who is signed in may do all that the account may, whatever kind of key a
 * program would need; plan and features count as they do for keys.
 */
export function createConsoleDoor({
  consoleAccess,
  cookie,
}: {
  consoleAccess: Pick<ConsoleAccess, 'authenticate'>;
  cookie: SessionCookie;
}): ConsoleDoor {
  const known = new WeakMap<FastifyRequest, SignedIn>();
  return {
    require: ({ plan, feature } = {}) =>
      async function letIn(request) {
        const token = cookie.read(request);
        const isPoll = request.headers[POLL_HEADER.toLowerCase()] === '1';
        const signedIn =
          token === undefined ? undefined : await consoleAccess.authenticate(token, { isPoll });
        if (signedIn === undefined) {
          throw new ServiceError('not_signed_in', 'Please sign in.');
        }
        const { account } = signedIn;
        refuseOtherAccount(request, account.accountId);
        if (plan === 'pro') requirePro({ account });
        if (feature !== undefined) requireFeature({ account }, feature);
        known.set(request, signedIn);
        request.server.entrance.accounts.set(request, account);
      },
    signedIn(request) {
      const signedIn = known.get(request);
      if (signedIn === undefined) throw new Error('The route has not asked who is signed in.');
      return signedIn;
    },
  };
}

/**
 * Somebody else may have signed in in the same browser: what a page then does would befall another
 * account than the one it shows.
 *
 * @throws ServiceError not_signed_in
 */
function refuseOtherAccount(request: FastifyRequest, accountId: string): void {
  const shown = request.headers[CONSOLE_ACCOUNT_HEADER.toLowerCase()];
  if (shown === undefined || shown === accountId) return;
  throw new ServiceError(
    'not_signed_in',
    'Somebody else has signed in in this browser. Please sign in again.',
  );
}

/**
 * Lets only the console's own page through: other sites cannot send the header without asking first,
 * which nobody answers, and browsers say where a request comes from.
 *
 * @param publicUrl address under which browsers reach the server, if it is told
 * @returns an `onRequest` hook that throws ServiceError forbidden
 */
export function refuseOtherPages(publicUrl: string | undefined) {
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  return async (request: FastifyRequest): Promise<void> => {
    const { origin, 'sec-fetch-site': site } = request.headers;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isOwn =
      (site === undefined || site === 'same-origin') &&
      (origin === undefined || origin === publicOrigin || hostOf(origin) === request.host);
    if (!isOwn) throw foreign();
    if (isRead) return;
    const isTold = site !== undefined || origin !== undefined;
    if (!isTold || request.headers[CONSOLE_HEADER.toLowerCase()] !== '1') throw foreign();
  };
}

/**
 * Lets only those through who call the server by a name of its own.
 *
 * @returns an `onRequest` hook that throws ServiceError forbidden
 */
export function refuseOtherNames(isOurHost: HostRule) {
  return async ({ host }: FastifyRequest): Promise<void> => {
    if (isOurHost(host)) return;
    throw new ServiceError(
      'forbidden',
      'The console does not go by this name. Set PUBLIC_URL to the address at which browsers reach it.',
    );
  };
}

/** Host and port of an origin; undefined for `null`, which sandboxed pages have. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function foreign(): ServiceError {
  return new ServiceError('forbidden', 'Only the console of this server may ask for this.');
}
