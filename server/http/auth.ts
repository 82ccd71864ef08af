/** Who a request comes from: API keys in the header, and for a while yet in the query or the body. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';
import { admit, type Access, type Admission } from '../services/access.ts';
import type { Caller } from '../storage/ports.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';

const SCHEME = /^(?:service-auth-key|deepl-auth-key)\s+(\S+)\s*$/i;
const HEADER = "Send the header 'Authorization: Service-Auth-Key YOUR_KEY'.";

/** What a server knows of the requests that are being let in. */
interface Door {
  callers: WeakMap<FastifyRequest, Caller>;
  /** Requests whose key may be in the body, which has not been read yet. */
  undecided: WeakMap<FastifyRequest, (body: unknown) => Promise<void>>;
  limitRate: RateLimit;
}

declare module 'fastify' {
  interface FastifyInstance {
    door: Door;
  }
  interface FastifyRequest {
    /** Whose request it is. @throws Error on routes without `requireApiKey` */
    readonly caller: Caller;
  }
}

/** Prepares a server for {@link requireApiKey}; to be called once, before its routes are registered. */
export async function useAuthentication(
  app: FastifyInstance,
  { requestsPerMinute }: { requestsPerMinute: number },
): Promise<void> {
  const callers: Door['callers'] = new WeakMap();
  const undecided: Door['undecided'] = new WeakMap();
  app.decorateRequest('caller', {
    getter(this: FastifyRequest) {
      const caller = callers.get(this);
      // Better no answer than one to a stranger.
      if (caller === undefined) throw new Error('The route has not asked for an API key.');
      return caller;
    },
  });
  const limitRate = await createRateLimit(app, {
    requestsPerMinute,
    keyOf: (request) => request.caller.key.keyId,
  });
  app.decorate('door', { callers, undecided, limitRate });
  // The first step that has the body; before validation, so that strangers learn nothing.
  app.addHook('preValidation', async (request) => {
    await undecided.get(request)?.(request.body);
  });
}

/**
 * Makes an `onRequest` hook that lets only requests with a valid API key through and tells the route
 * whose they are: `request.caller`.
 *
 * @param admission what else is asked: an admin key, the pro plan, a feature
 */
export function requireApiKey(access: Access, admission: Admission = {}) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { door } = request.server;
    const letIn = async (caller: Caller | undefined) => {
      if (caller === undefined) throw forbidden('The API key is not valid.');
      admit(caller, admission);
      door.callers.set(request, caller);
      await door.limitRate(request, reply);
    };

    const { authorization } = request.headers;
    if (authorization !== undefined)
      return letIn(await access.authenticate(secretOf(authorization)));

    const inQuery = legacyKeyOf(request.query);
    if (!access.takesLegacyKeys()) throw inQuery === undefined ? missing() : withdrawn();
    if (inQuery !== undefined) return letIn(await access.authenticateLegacy(inQuery));
    if (!hasBody(request)) throw missing();
    door.undecided.set(request, async (body) => {
      const inBody = legacyKeyOf(body);
      if (inBody === undefined) throw missing();
      await letIn(await access.authenticateLegacy(inBody));
    });
  };
}

/** @throws ServiceError forbidden for a header that holds no key */
function secretOf(authorization: string): string {
  const secret = SCHEME.exec(authorization)?.[1];
  if (secret === undefined) throw missing();
  return secret;
}

/** The parameter `auth_key` of a query or a body, JSON and form alike. */
function legacyKeyOf(parameters: unknown): string | undefined {
  if (typeof parameters !== 'object' || parameters === null) return undefined;
  const { auth_key: key } = parameters as { auth_key?: unknown };
  return typeof key === 'string' && key !== '' ? key : undefined;
}

function hasBody({ method, headers }: FastifyRequest): boolean {
  const isBodied = method === 'POST' || method === 'PUT' || method === 'PATCH';
  return isBodied && headers['content-type'] !== undefined;
}

function missing(): ServiceError {
  return forbidden(`Authentication is missing. ${HEADER}`);
}

function withdrawn(): ServiceError {
  return forbidden(`A key in the query or the body is not accepted. ${HEADER}`);
}

function forbidden(message: string): ServiceError {
  return new ServiceError('forbidden', message);
}
