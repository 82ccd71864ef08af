/** Authentication of console requests: by a session cookie instead of an API key. */
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
  /** The signed-in user, on routes behind this door. @throws Error elsewhere */
  signedIn(request: FastifyRequest): SignedIn;
}

/**
 * Makes the door. A signed-in owner may do everything that the account may, whatever kind of key a
 * program would need; plan and features apply as they do to keys.
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
 * Guards against another sign-in in the same browser: a page's action would affect another account
 * than the one it shows.
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
 * Admits only requests of the console's own page (CSRF protection): other sites cannot send the
 * header without a preflight, which is never answered, and browsers report the origin of a request.
 *
 * @param publicUrl address under which browsers reach the server, if configured
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

/** Host and port of an origin; undefined for `null`, the origin of sandboxed pages. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function foreign(): ServiceError {
  return new ServiceError('forbidden', 'Only the console of this server may ask for this.');
}

// Host names under which browsers may call the console. After DNS rebinding, a foreign site has the
// same origin as the console's own pages; only its host name differs.

/** Whether a `Host`, with or without a port, is a name of this server. */
export type HostRule = (host: string) => boolean;

/**
 * Makes the rule. IP addresses and `localhost` are always accepted, because they cannot be rebound;
 * of other names, that of `publicUrl`. Without one, any name is accepted if the server's own
 * certificate or a trusted proxy vouches for it.
 */
export function createHostRule({
  publicUrl,
  isVouchedFor,
}: {
  /** Address under which browsers reach the server, if configured. */
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

/**
 * Returns the host in lower case and without a port, as browsers write it; undefined for an invalid
 * one.
 */
function nameOf(host: string): string | undefined {
  const address = `http://${host}`;
  return URL.canParse(address) ? new URL(address).hostname : undefined;
}

/**
 * Admits only requests addressed to a name of this server.
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

/** The session cookie of the console; no other part of the server reads it. */
export interface SessionCookie {
  /** The token sent by the browser; undefined without one. */
  read(request: FastifyRequest): string | undefined;
  write(request: FastifyRequest, reply: FastifyReply, token: string, expiresAtMs: number): void;
  clear(request: FastifyRequest, reply: FastifyReply): void;
}

/** Format of a token; anything else is rejected without a database query. */
const TOKEN = /^[\w-]{43}$/;

/**
 * Makes the cookie: inaccessible to scripts and not sent with requests of other sites. Over HTTPS,
 * its prefix keeps other hosts of the domain from setting it.
 *
 * @param publicUrl address under which browsers reach the server, if configured
 */
export function createSessionCookie(publicUrl: string | undefined): SessionCookie {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl);
  // A proxy that terminates HTTPS may not report it.
  const isSecure = ({ protocol, host }: FastifyRequest) =>
    protocol === 'https' || (known?.protocol === 'https:' && known.host === host);

  // Browsers send a host's cookies to all of its ports, on which other servers may run.
  const nameFor = (request: FastifyRequest) => {
    const { port } = request;
    const name = port === null ? 'dragoman-console' : `dragoman-console-${port}`;
    return isSecure(request) ? `__Host-${name}` : name;
  };
  const attributes = (request: FastifyRequest) =>
    // The root path, because a proxy may serve the console below another path; `__Host-` requires it, too.
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
