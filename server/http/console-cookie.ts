/** The cookie that says who is signed in to the console; nothing else of the server reads it. */
import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

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
 * @param publicUrl address under which browsers reach the server, if it is told
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
