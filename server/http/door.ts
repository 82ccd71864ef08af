/** Who a request comes from: API keys in the header, and for a while yet in the query or the body. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';
import type { Account, Caller, Feature, KeyKind } from './caller.ts';
import rateLimit from '@fastify/rate-limit';

const SCHEME = /^(?:service-auth-key|deepl-auth-key)\s+(\S+)\s*$/i;
const HEADER = "Send the header 'Authorization: Service-Auth-Key YOUR_KEY'.";

/** What a route asks of its callers. */
export interface Admission {
  /** Kind of key; `developer` unless said otherwise. */
  kind?: KeyKind;
  /** Set where only the pro plan may come in. */
  plan?: 'pro';
  /** Something the account must have been given. */
  feature?: Feature;
}

export interface Access {
  /** Who an active key belongs to. Asks the database each time: a deactivated key ends at once. */
  authenticate(secret: string): Promise<Caller | undefined>;
  /** Whether a key in the query or the body is worth looking at now. */
  takesLegacyKeys(): boolean;
  /** As `authenticate`, for a key in the query or the body. @throws ServiceError forbidden on the free plan */
  authenticateLegacy(secret: string): Promise<Caller | undefined>;
}

/** A hook that lets a request in, or refuses it. */
export type Admitting = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * A way in: finds out whose a request is, for routes that more than one way leads to. Routes behind it
 * know the account, `request.account`, and not by which key or session it came.
 */
export interface Door {
  /** Makes the `onRequest` hook of a route, which says what it asks of its callers. */
  require(admission?: Admission): Admitting;
}

/** Routes that whoever comes through a door may use. */
export type Routes = (app: FastifyInstance, options: { door: Door }) => Promise<void>;

/** What a server knows of the requests that are being let in. */
interface Entrance {
  callers: WeakMap<FastifyRequest, Caller>;
  accounts: WeakMap<FastifyRequest, Account>;
  /** Requests whose key may be in the body, which has not been read yet. */
  undecided: WeakMap<FastifyRequest, (body: unknown) => Promise<void>>;
  limitRate: RateLimit;
}

declare module 'fastify' {
  interface FastifyInstance {
    entrance: Entrance;
  }
  interface FastifyRequest {
    /** Whose request it is. @throws Error on routes behind no door of keys */
    readonly caller: Caller;
    /** Whose request it is, by whatever {@link Door}. @throws Error on routes without one */
    readonly account: Account;
  }
}

/** Prepares a server for doors, before its routes are registered. @returns the door of programs: an API key */
export async function useDoors(
  app: FastifyInstance,
  { access, requestsPerMinute }: { access: Access; requestsPerMinute: number },
): Promise<Door> {
  const callers: Entrance['callers'] = new WeakMap();
  const accounts: Entrance['accounts'] = new WeakMap();
  const undecided: Entrance['undecided'] = new WeakMap();
  app.decorateRequest('caller', {
    getter(this: FastifyRequest) {
      const caller = callers.get(this);
      // Better no answer than one to a stranger.
      if (caller === undefined) throw new Error('The route has not asked for an API key.');
      return caller;
    },
  });
  app.decorateRequest('account', {
    getter(this: FastifyRequest) {
      const account = accounts.get(this);
      if (account === undefined) throw new Error('The route has not asked who comes in.');
      return account;
    },
  });
  const limitRate = await createRateLimit(app, {
    requestsPerMinute,
    keyOf: (request) => request.caller.key.keyId,
  });
  app.decorate('entrance', { callers, accounts, undecided, limitRate });
  // The first step that has the body; before validation, so that strangers learn nothing.
  app.addHook('preValidation', async (request) => {
    await undecided.get(request)?.(request.body);
  });
  return { require: (admission) => requireApiKey(access, admission) };
}

/**
 * Makes an `onRequest` hook that lets only requests with a valid API key through and tells the route
 * whose they are: `request.caller`.
 *
 * @param admission what else is asked: an admin key, the pro plan, a feature
 */
function requireApiKey(access: Access, admission: Admission = {}): Admitting {
  return async (request, reply) => {
    const { entrance } = request.server;
    const letIn = async (caller: Caller | undefined) => {
      if (caller === undefined) throw forbidden('The API key is not valid.');
      admit(caller, admission);
      entrance.callers.set(request, caller);
      entrance.accounts.set(request, caller.account);
      await entrance.limitRate(request, reply);
    };

    const { authorization } = request.headers;
    if (authorization !== undefined)
      return letIn(await access.authenticate(secretOf(authorization)));

    const inQuery = legacyKeyOf(request.query);
    if (!access.takesLegacyKeys()) throw inQuery === undefined ? missing() : withdrawn();
    if (inQuery !== undefined) return letIn(await access.authenticateLegacy(inQuery));
    if (!hasBody(request)) throw missing();
    entrance.undecided.set(request, async (body) => {
      const inBody = legacyKeyOf(body);
      if (inBody === undefined) throw missing();
      await letIn(await access.authenticateLegacy(inBody));
    });
  };
}

/** The account whose API key let a request in; undefined for all other requests. */
export function accountOfKey(request: FastifyRequest): Account | undefined {
  return request.server.entrance.callers.get(request)?.account;
}

/** Checks a caller against what a route asks. @throws ServiceError forbidden, saying what it takes */
export function admit(caller: Caller, { kind = 'developer', plan, feature }: Admission): void {
  if (caller.key.kind !== kind) {
    throw forbidden(
      kind === 'admin'
        ? 'This takes an admin key; a developer key was sent.'
        : 'This takes a developer key; an admin key only administers.',
    );
  }
  if (plan === 'pro') requirePro(caller);
  if (kind === 'admin') requireFeature(caller, 'admin');
  if (feature !== undefined) requireFeature(caller, feature);
}

/** @throws ServiceError forbidden unless the caller's account is on the pro plan */
export function requirePro({ account }: Pick<Caller, 'account'>): void {
  if (account.plan !== 'pro') throw forbidden('This is part of the pro plan.');
}

/** @throws ServiceError forbidden unless the caller's account has been given the feature */
export function requireFeature({ account }: Pick<Caller, 'account'>, feature: Feature): void {
  if (!account.features.includes(feature)) {
    throw forbidden(`The feature '${feature}' is not enabled for this account.`);
  }
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

const MINUTE_MS = 60_000;
/** Keys whose requests are counted at the same time; the one not seen for longest makes way. */
const MAX_COUNTED_KEYS = 10_000;

/** Counts a request of a known caller. @throws ServiceError too_many_requests, with `Retry-After` set */
type RateLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Makes a limit on the requests of each API key, counted by this process.
 *
 * @param options.requestsPerMinute 0 is no limit
 * @param options.keyOf whose request it is
 */
async function createRateLimit(
  app: FastifyInstance,
  options: { requestsPerMinute: number; keyOf: (request: FastifyRequest) => string },
): Promise<RateLimit> {
  const { requestsPerMinute, keyOf } = options;
  if (requestsPerMinute === 0) return async () => undefined;
  await app.register(rateLimit, {
    // Counted once the key is known, and only where one is asked for.
    global: false,
    max: requestsPerMinute,
    timeWindow: MINUTE_MS,
    cache: MAX_COUNTED_KEYS,
    keyGenerator: keyOf,
  });
  const count = app.createRateLimit();
  return async (request, reply) => {
    const result = await count(request);
    if (result.isAllowed || !result.isExceeded) return;
    reply.header('Retry-After', String(Math.max(1, result.ttlInSeconds)));
    throw new ServiceError(
      'too_many_requests',
      `Too many requests: this API key has ${requestsPerMinute} a minute. Try again in ${result.ttlInSeconds} s.`,
    );
  };
}
