/** API keys that come in, and the ways that are on their way out. */
import { hash, randomUUID } from 'node:crypto';
import { ServiceError } from '../../shared/errors.ts';
import type { Broker } from '../broker/index.ts';
import type { Access, KeyKind, Plan, RequestLimit } from '../http/door.ts';
import type { ApiKeyStore } from './api-keys-store.ts';

/** The brown-out repeats every hour of the clock, so that all processes refuse at the same time. */
const BROWN_OUT_PERIOD_MS = 3_600_000;

/** How requests fare that carry their key in the query or the body instead of the header. */
export type LegacyAuth =
  /** All are refused. */
  | { mode: 'off' }
  /** Those of the pro plan are refused in the first `refusedPercent` of every hour. */
  | { mode: 'brown-out'; refusedPercent: number };

/** Looks keys up by their hash; secrets are neither kept nor logged. */
export function createAccess(options: {
  apiKeys: Pick<ApiKeyStore, 'authenticate'>;
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

function forbidden(message: string): ServiceError {
  return new ServiceError('forbidden', message);
}

const MINUTE_MS = 60_000;
/** How long a request waits to be counted, in ms: a slow broker makes no slow translations. */
const COUNT_WAIT_MS = 200;

/**
 * A limit on the requests of each key, over all servers. A broker that is away or slow keeps nobody from
 * translating: what it counts late counts for those who come after.
 *
 * @param perMinute 0 is no limit
 */
export function createRequestLimit(
  perMinute: number,
  counters: Broker['counters'],
): RequestLimit | undefined {
  if (perMinute === 0) return undefined;
  const limit = { most: perMinute, windowMs: MINUTE_MS };
  return {
    perMinute,
    count: (keyId) =>
      new Promise((resolve) => {
        // An answer that has come, and was not looked at yet, is earlier than what follows the timer.
        const timer = setTimeout(() => setImmediate(() => resolve(undefined)), COUNT_WAIT_MS);
        const answer = (leftMs?: number) => {
          clearTimeout(timer);
          resolve(leftMs);
        };
        counters.count({ kind: 'requests', name: keyId }, limit).then(answer, () => answer());
      }),
  };
}

// Secrets of API keys: how they are made, kept and shown.

/** Clients choose the address of the free plan by this ending. */
const FREE_ENDING = ':fx';
const ADMIN_ENDING = ':adm';

/** A new secret: a GUID, with `:fx` on the free plan and `:adm` for administration. */
export function newSecret({ kind, plan }: { kind: KeyKind; plan: Plan }): string {
  if (kind === 'admin') return randomUUID() + ADMIN_ENDING;
  return plan === 'free' ? randomUUID() + FREE_ENDING : randomUUID();
}

/** What is kept of a secret: its SHA-256 as 64 hex digits. A GUID is too long to be guessed from it. */
export function hashOfSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** A secret as it may be shown: `dc88****3a2c`; the ending that shows the plan is left out. */
export function maskOfSecret(secret: string): string {
  const [identifier = ''] = secret.split(':', 1);
  // A secret that someone chose may be so short that this would be most of it.
  return identifier.length < 16 ? '****' : `${identifier.slice(0, 4)}****${identifier.slice(-4)}`;
}
