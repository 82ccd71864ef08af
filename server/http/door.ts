/**
 * Who a request comes from, and whether it is let in: API keys in the header, and for a while yet in
 * the query or the body; and from which sites' pages browsers may call.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';

export type Plan = 'free' | 'pro';

/** What an account may do besides what its plan allows. */
export type Feature = 'admin' | 'detection';

/** Most of what a key or an account may use in a month (UTC); null is without limit, 0 blocks. */
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
  /** Origins of the sites whose pages may call the server, `https://example.org`; `*` is any. */
  origins: string[];
  /** Who is told when a limit comes near: e-mail addresses. */
  emails: string[];
  createdAtMs: number;
}

/** A developer key translates; an admin key administers. */
export type KeyKind = 'developer' | 'admin';

/** An API key as it is kept: without its secret. */
export interface ApiKey {
  /** Two GUIDs joined by a colon. */
  keyId: string;
  accountId: string;
  kind: KeyKind;
  label: string;
  /** First and last four characters of the secret without its ending: `dc88****3a2c`. */
  masked: string;
  limits: UsageLimits;
  createdAtMs: number;
  deactivatedAtMs: number | null;
}

/** An active key and its account: who a request comes from. */
export interface Caller {
  key: ApiKey;
  account: Account;
}

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

/** Routes that show a page of the built widget besides. */
export type PageRoutes = (
  app: FastifyInstance,
  options: { door: Door; widgetFolder: string },
) => Promise<void>;

/** What a server knows of the requests that are being let in. */
interface Entrance {
  callers: WeakMap<FastifyRequest, Caller>;
  accounts: WeakMap<FastifyRequest, Account>;
  /** Requests whose key may be in the body, which has not been read yet. */
  undecided: WeakMap<FastifyRequest, (body: unknown) => Promise<void>>;
  requestLimit: RequestLimit | undefined;
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
  { access, requestLimit }: { access: Access; requestLimit: RequestLimit | undefined },
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
  app.decorate('entrance', { callers, accounts, undecided, requestLimit });
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

/** Whose API key let a request in; undefined for all other requests. */
export function callerByKey(request: FastifyRequest): Caller | undefined {
  return request.server.entrance.callers.get(request);
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

/** How many requests of an API key are answered in a minute. */
export interface RequestLimit {
  perMinute: number;
  /** Counts one; answers when it is worth trying again, in ms from now, if it is one too many. */
  count: (keyId: string) => Promise<number | undefined>;
}

/** Counts a request of a known caller. @throws ServiceError too_many_requests, with `Retry-After` set */
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

// Which sites' pages may call the server from a browser.

/** How long what accounts allow is taken as known for a browser's preliminary question, in ms. */
const KNOWN_MS = 5_000;

/** Where a page comes from, and whom it believes to call. */
export interface PageOrigin {
  /** The header `Origin`; undefined when it is no browser that asks. */
  origin: string | undefined;
  /** Host and port under which the server was called. */
  host: string | undefined;
}

/** Whether an account's list has a site. */
export function listsOrigin(origins: readonly string[], origin: string): boolean {
  return origins.includes(origin) || origins.includes('*');
}

/**
 * Whether a socket may be opened: programs may, pages of the server itself may, on one machine every
 * page may, and others when their site is on the list.
 *
 * @param publicUrl address under which clients reach the server, if it is told
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

/** Whether some account allows a site: a browser asks that before it shows a key. */
export type KnowsOrigin = (origin: string) => Promise<boolean>;

/** Makes the look-up; strangers who ask again and again cost the database one look in five seconds. */
export function createKnownOrigins({
  accounts,
  now = Date.now,
}: {
  accounts: { list(): Promise<Pick<Account, 'origins'>[]> };
  now?: () => number;
}): KnowsOrigin {
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
