/**
 * Authentication and authorisation of HTTP requests: API keys in the header and, during a
 * transition, in the query or the body. Also decides from which sites' pages browsers may call the
 * server.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, forbidden } from '../../shared/errors.ts';

export type Plan = 'free' | 'pro';

/** Something that an account may do beyond its plan. */
export type Feature = 'admin' | 'detection';

/** Monthly (UTC) limits of a key or an account; null means no limit, 0 blocks all use. */
export interface UsageLimits {
  characters: number | null;
  speechMs: number | null;
}

export interface Account {
  accountId: string;
  name: string;
  plan: Plan;
  features: Feature[];
  limits: UsageLimits;
  /**
   * Origins of the sites whose pages may call the server, such as `https://example.org`; `*` allows
   * any.
   */
  origins: string[];
  /** E-mail addresses that receive a notice when usage comes near a limit. */
  emails: string[];
  createdAtMs: number;
}

/** Developer keys translate; admin keys administer. */
export type KeyKind = 'developer' | 'admin';

/** An API key as stored, without its secret. */
export interface ApiKey {
  /** Two GUIDs joined by a colon. */
  keyId: string;
  accountId: string;
  kind: KeyKind;
  label: string;
  /** First and last four characters of the secret without its suffix: `dc88****3a2c`. */
  masked: string;
  limits: UsageLimits;
  createdAtMs: number;
  deactivatedAtMs: number | null;
}

/** An active key and its account: the authenticated caller of a request. */
export interface Caller {
  key: ApiKey;
  account: Account;
}

const SCHEME = /^(?:service-auth-key|deepl-auth-key)\s+(\S+)\s*$/i;
const HEADER = "Send the header 'Authorization: Service-Auth-Key YOUR_KEY'.";

/** What a route requires of its callers. */
export interface Admission {
  /** Kind of key; `developer` by default. */
  kind?: KeyKind;
  /** Set where only accounts on the pro plan are admitted. */
  plan?: 'pro';
  /** A feature that the account must have. */
  feature?: Feature;
}

export interface Access {
  /**
   * Resolves to the caller of an active key. Queries the database every time, so a deactivated key
   * stops working at once.
   */
  authenticate(secret: string): Promise<Caller | undefined>;
  /** Whether keys in the query or the body are currently considered. */
  takesLegacyKeys(): boolean;
  /**
   * Like `authenticate`, for a key in the query or the body.
   *
   * @throws ServiceError forbidden on the free plan
   */
  authenticateLegacy(secret: string): Promise<Caller | undefined>;
}

/** An `onRequest` hook that admits or refuses a request. */
export type Admitting = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * An authentication method, for routes that can be reached by more than one. Routes behind a door
 * know the account, `request.account`, but not the key or console session that identified it.
 */
export interface Door {
  /** Makes the `onRequest` hook of a route with the given requirements. */
  require(admission?: Admission): Admitting;
}

/** Routes that are protected by a door. */
export type Routes = (app: FastifyInstance, options: { door: Door }) => Promise<void>;

/** Routes that also serve a page of the built widget. */
export type PageRoutes = (
  app: FastifyInstance,
  options: { door: Door; widgetFolder: string },
) => Promise<void>;

/** Authentication state of the requests of one server. */
interface Entrance {
  callers: WeakMap<FastifyRequest, Caller>;
  accounts: WeakMap<FastifyRequest, Account>;
  /** Checks to run once the body has been read, for requests whose key may be in it. */
  undecided: WeakMap<FastifyRequest, (body: unknown) => Promise<void>>;
  requestLimit: RequestLimit | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    entrance: Entrance;
  }
  interface FastifyRequest {
    /** The authenticated caller. @throws Error on routes that do not require an API key */
    readonly caller: Caller;
    /** The authenticated account, whichever {@link Door} was used. @throws Error on routes without one */
    readonly account: Account;
  }
}

/**
 * Prepares a server for authentication, before its routes are registered.
 *
 * @returns the door for programs, which takes API keys
 */
export async function useDoors(
  app: FastifyInstance,
  { access, requestLimit }: { access: Access; requestLimit: RequestLimit | undefined },
): Promise<Door> {
  const callers: Entrance['callers'] = new WeakMap();
  const accounts: Entrance['accounts'] = new WeakMap();
  const undecided: Entrance['undecided'] = new WeakMap();
  app.decorateRequest('caller', {
    getter(this: FastifyRequest) {
      const caller = callers.get(this);
      // Failing is safer than answering an unauthenticated request.
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
  app.decorate('entrance', { callers, accounts, undecided, requestLimit });
  // `preValidation` is the first hook that has the body; it runs before validation, so that
  // unauthenticated callers learn nothing about the schema.
  app.addHook('preValidation', async (request) => {
    await undecided.get(request)?.(request.body);
  });
  return { require: (admission) => requireApiKey(access, admission) };
}

/**
 * Makes an `onRequest` hook that admits only requests with a valid API key and sets
 * `request.caller`.
 *
 * @param admission further requirements: an admin key, the pro plan, a feature
 */
function requireApiKey(access: Access, admission: Admission = {}): Admitting {
  return async (request, reply) => {
    const { entrance } = request.server;
    const letIn = async (caller: Caller | undefined) => {
      if (caller === undefined) throw forbidden('The API key is not valid.');
      admit(caller, admission);
      entrance.callers.set(request, caller);
      entrance.accounts.set(request, caller.account);
      if (entrance.requestLimit) await limitRate(entrance.requestLimit, caller, reply);
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

/** Returns the caller whose API key admitted a request; undefined for all other requests. */
export function callerByKey(request: FastifyRequest): Caller | undefined {
  return request.server.entrance.callers.get(request);
}

/**
 * Checks a caller against the requirements of a route.
 *
 * @throws ServiceError forbidden, naming the missing requirement
 */
function admit(caller: Caller, { kind = 'developer', plan, feature }: Admission): void {
  if (caller.key.kind !== kind) {
    throw forbidden(
      kind === 'admin'
        ? 'This requires an admin key; a developer key was sent.'
        : 'This requires a developer key; an admin key only administers.',
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

/** @throws ServiceError forbidden unless the caller's account has the feature */
export function requireFeature({ account }: Pick<Caller, 'account'>, feature: Feature): void {
  if (!account.features.includes(feature)) {
    throw forbidden(`The feature '${feature}' is not enabled for this account.`);
  }
}

/** @throws ServiceError forbidden if the header contains no key */
function secretOf(authorization: string): string {
  const secret = SCHEME.exec(authorization)?.[1];
  if (secret === undefined) throw missing();
  return secret;
}

/** Returns the parameter `auth_key` of a query or a body, JSON or form. */
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

/** The rate limit of each API key. */
export interface RequestLimit {
  perMinute: number;
  /**
   * Counts a request. Resolves to the time until the next one is allowed, in ms, if the limit is
   * exceeded.
   */
  count: (keyId: string) => Promise<number | undefined>;
}

/**
 * Counts a request of an authenticated caller.
 *
 * @throws ServiceError too_many_requests, with `Retry-After` set
 */
async function limitRate(
  { perMinute, count }: RequestLimit,
  { key }: Caller,
  reply: FastifyReply,
): Promise<void> {
  const leftMs = await count(key.keyId);
  if (leftMs === undefined) return;
  const leftS = Math.max(1, Math.ceil(leftMs / 1000));
  reply.header('Retry-After', String(leftS));
  throw new ServiceError(
    'too_many_requests',
    `Too many requests: this API key has ${perMinute} a minute. Try again in ${leftS} s.`,
  );
}

// Cross-origin access: which sites' pages may call the server from a browser.

/** Time for which the origins of all accounts are cached for preflight requests, in ms. */
const KNOWN_MS = 5_000;

/** The origin of a page and the host that it called. */
export interface PageOrigin {
  /** The header `Origin`; undefined when the caller is not a browser. */
  origin: string | undefined;
  /** Host and port of the request. */
  host: string | undefined;
}

/** Whether an account's list contains a site. */
export function listsOrigin(origins: readonly string[], origin: string): boolean {
  return origins.includes(origin) || origins.includes('*');
}

/**
 * Whether a socket may be opened. Programs and the server's own pages always may; on one machine,
 * so may every local page; other pages only when their site is on the list.
 *
 * @param publicUrl address under which clients reach the server, if configured
 */
export function mayConnect(
  { origin, host }: PageOrigin,
  origins: readonly string[],
  publicUrl?: string,
): boolean {
  if (origin === undefined || listsOrigin(origins, origin)) return true;
  const page = URL.canParse(origin) ? new URL(origin) : undefined;
  if (page === undefined) return false;
  if (publicUrl !== undefined && new URL(publicUrl).origin === page.origin) return true;
  if (page.host === host) return true;
  return isLoopback(page.host) && host !== undefined && isLoopback(host);
}

/** Whether any account allows a site. Browsers ask this in the preflight request, which carries no key. */
export type KnowsOrigin = (origin: string) => Promise<boolean>;

/** Makes the cached lookup: preflight requests query the database at most once in five seconds. */
export function createKnownOrigins({
  accounts,
}: {
  accounts: { list(): Promise<Pick<Account, 'origins'>[]> };
}): KnowsOrigin {
  // Unlike the time of day, it never goes back, for which the list would be kept as long.
  const now = () => performance.now();
  let known: Promise<string[]> = Promise.resolve([]);
  let knownSinceMs = Number.NEGATIVE_INFINITY;
  return async (origin) => {
    if (now() - knownSinceMs > KNOWN_MS) {
      knownSinceMs = now();
      known = accounts.list().then((all) => all.flatMap(({ origins }) => origins));
      known.catch(() => (knownSinceMs = Number.NEGATIVE_INFINITY));
    }
    return listsOrigin(await known, origin);
  };
}

function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name);
}
