/** The door of people: a session of the console instead of an API key. */
import { isIP } from 'node:net';
import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../shared/errors.ts';
import {
  CONSOLE_ACCOUNT_HEADER,
  CONSOLE_HEADER,
  POLL_HEADER,
} from '../../../shared/schemas/console.ts';
import { requireFeature, requirePro, type Door } from '../../http/door.ts';
import type { ConsoleAccess, SignedIn } from './console-access.ts';

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
 * @param publicUrl address under which browsers reach the server, if it is known
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
    const namesItsSite = site !== undefined || origin !== undefined;
    if (!namesItsSite || request.headers[CONSOLE_HEADER.toLowerCase()] !== '1') throw foreign();
  };
}

/** Host and port of an origin; undefined for `null`, which sandboxed pages have. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function foreign(): ServiceError {
  return new ServiceError('forbidden', 'Only the console of this server may ask for this.');
}

// The names by which browsers may call what trusts them. A site whose name is made to lead here (DNS
// rebinding) has the same origin as our own pages; what gives it away is its name.

/** Whether a `Host`, with or without a port, is a name of ours. */
export type HostRule = (host: string) => boolean;

/**
 * Makes the rule. Addresses and `localhost` always hold, for nobody can make them lead elsewhere; of
 * names, that of `publicUrl`. Without one, any name that somebody else vouches for holds: our own
 * certificate, or the proxy, which was given the names it passes on.
 */
export function createHostRule({
  publicUrl,
  isVouchedFor,
}: {
  /** Address under which browsers reach the server, if it is known. */
  publicUrl: string | undefined;
  isVouchedFor: boolean;
}): HostRule {
  const publicName = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  return (host) => {
    const name = nameOf(host);
    if (name === undefined) return false;
    if (name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
    return publicName === undefined ? isVouchedFor : name === publicName;
  };
}

/** The host as browsers write it: in lower case, without a port; undefined for what is none. */
function nameOf(host: string): string | undefined {
  const address = `http://${host}`;
  return URL.canParse(address) ? new URL(address).hostname : undefined;
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

/** The cookie that says who is signed in to the console; nothing else of the server reads it. */
export interface SessionCookie {
  /** The token that a browser sends; undefined when it sends none. */
  read(request: FastifyRequest): string | undefined;
  write(request: FastifyRequest, reply: FastifyReply, token: string, expiresAtMs: number): void;
  clear(request: FastifyRequest, reply: FastifyReply): void;
}

/** What a token of ours looks like; anything else is not worth a look into the database. */
const TOKEN = /^[\w-]{43}$/;

/**
 * Makes the cookie: out of reach of scripts and of other sites' requests, and where the browser speaks
 * HTTPS with the prefix that keeps other hosts of the domain from setting it.
 *
 * @param publicUrl address under which browsers reach the server, if it is known
 */
export function createSessionCookie(publicUrl: string | undefined): SessionCookie {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl);
  // A proxy that speaks HTTPS for us may not say so.
  const isSecure = ({ protocol, host }: FastifyRequest) =>
    protocol === 'https' || (known?.protocol === 'https:' && known.host === host);

  const nameFor = (request: FastifyRequest) =>
    isSecure(request) ? '__Host-dragoman-console' : 'dragoman-console';
  const attributes = (request: FastifyRequest) =>
    // The root, for a proxy may serve us below another path; `__Host-` asks for it as well.
    ({ path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure(request) }) as const;

  return {
    read(request) {
      const token = request.cookies[nameFor(request)];
      return token !== undefined && TOKEN.test(token) ? token : undefined;
    },
    write(request, reply, token, expiresAtMs) {
      const expires = new Date(expiresAtMs);
      reply.setCookie(nameFor(request), token, { ...attributes(request), expires });
    },
    clear(request, reply) {
      reply.clearCookie(nameFor(request), attributes(request));
    },
  };
}
