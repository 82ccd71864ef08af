/** Who may come in: API keys, what their kind and plan allow, and the ways that are on their way out. */
import { ServiceError } from '../../shared/errors.ts';
import type { ApiKeys, Caller, Feature, KeyKind } from '../storage/ports.ts';
import { hashOfSecret } from './api-key-secret.ts';

/** The brown-out repeats every hour of the clock, so that all processes refuse at the same time. */
const BROWN_OUT_PERIOD_MS = 3_600_000;

/** How requests fare that carry their key in the query or the body instead of the header. */
export type LegacyAuth =
  /** All are refused. */
  | { mode: 'off' }
  /** Those of the pro plan are refused in the first `refusedPercent` of every hour. */
  | { mode: 'brown-out'; refusedPercent: number };

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

/** Makes the door: keys are looked up by their hash, secrets are neither kept nor logged. */
export function createAccess(options: {
  apiKeys: Pick<ApiKeys, 'authenticate'>;
  legacyAuth?: LegacyAuth;
  now?: () => number;
}): Access {
  const { apiKeys, legacyAuth = { mode: 'off' }, now = Date.now } = options;
  const authenticate = (secret: string) => apiKeys.authenticate(hashOfSecret(secret));
  return {
    authenticate,
    takesLegacyKeys: () => legacyAuth.mode === 'brown-out' && !isRefused(legacyAuth, now()),
    async authenticateLegacy(secret) {
      const caller = await authenticate(secret);
      if (caller?.account.plan === 'free') {
        throw forbidden(
          "On the free plan the key goes into the header 'Authorization: Service-Auth-Key YOUR_KEY'.",
        );
      }
      return caller;
    },
  };
}

function isRefused({ refusedPercent }: { refusedPercent: number }, atMs: number): boolean {
  return atMs % BROWN_OUT_PERIOD_MS < (BROWN_OUT_PERIOD_MS * refusedPercent) / 100;
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

function forbidden(message: string): ServiceError {
  return new ServiceError('forbidden', message);
}
