/** API keys that come in, and the ways that are on their way out. */
import { ServiceError } from '../../shared/errors.ts';
import type { Access } from '../http/door.ts';
import type { ApiKeyStore } from './api-keys-store.ts';
import { hashOfSecret } from './api-key-secret.ts';

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
