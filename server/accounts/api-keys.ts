/**
 * API keys of accounts: creation, naming, limits, deactivation, authentication and rate limits, and
 * their form in the admin API.
 */
import { randomUUID, hash } from 'node:crypto';
import { ServiceError, invalid, forbidden } from '../../shared/errors.ts';
import type {
  DeveloperKey,
  DeveloperKeyLimits,
  NewDeveloperKey,
} from '../../shared/schemas/admin.ts';
import type {
  Account,
  ApiKey,
  KeyKind,
  Plan,
  UsageLimits,
  Access,
  RequestLimit,
} from '../http/door.ts';
import type { ApiKeyStore } from './api-keys-store.ts';
import { checkedLimits, checkedName } from './accounts.ts';
import type { Broker } from '../broker/index.ts';
import { followNews } from '../broker/news.ts';
import type { Logger } from '../process/log.ts';

/** Maximum number of active developer keys per account. */
const MAX_DEVELOPER_KEYS: Record<Plan, number> = { free: 2, pro: 25 };

const DEFAULT_LABEL = 'Service API Key';

/** A key to be created; by default a developer key without limits. */
export interface NewApiKey {
  kind?: KeyKind;
  label?: string;
  limits?: Partial<UsageLimits>;
}

export interface ApiKeyService {
  /**
   * Creates a key. The secret is returned only here.
   *
   * @throws ServiceError invalid_request when the account has as many active keys as its plan
   *   allows, when it lacks the feature for admin keys, or for an invalid label or limit
   */
  create(account: Account, key?: NewApiKey): Promise<{ key: ApiKey; secret: string }>;
  /** Active and deactivated keys, oldest first. */
  list(accountId: string): Promise<ApiKey[]>;
  /** Deactivates a key permanently; a no-op for a deactivated key. @throws ServiceError not_found */
  deactivate(accountId: string, keyId: string): Promise<ApiKey>;
  /** @throws ServiceError not_found, invalid_request */
  rename(accountId: string, keyId: string, label: string): Promise<ApiKey>;
  /** Changes the given limits. @throws ServiceError not_found, invalid_request */
  limit(accountId: string, keyId: string, limits: Partial<UsageLimits>): Promise<ApiKey>;
}

/** Returns the account of a key id: the first of its two GUIDs. */
export function accountOfKeyId(keyId: string): string {
  return keyId.split(':', 1)[0] ?? '';
}

/**
 * Makes the service over the key store; `onDeactivated` is called for keys that this process
 * deactivates.
 */
export function createApiKeyService({
  apiKeys,
  onDeactivated,
}: {
  apiKeys: ApiKeyStore;
  onDeactivated?: (keyId: string) => void;
}): ApiKeyService {
  return {
    async create(account, { kind = 'developer', label = '', limits = {} } = {}) {
      const { accountId, plan, features } = account;
      if (kind === 'admin' && !features.includes('admin')) {
        throw invalid("Admin keys are for accounts with the feature 'admin'.");
      }
      const secret = newSecret({ kind, plan });
      const key: ApiKey = {
        keyId: `${accountId}:${randomUUID()}`,
        accountId,
        kind,
        label: label.trim() === '' ? DEFAULT_LABEL : checkedName(label, 'label'),
        masked: maskOfSecret(secret),
        limits: { characters: null, speechMs: null, ...checkedLimits(limits) },
        createdAtMs: Date.now(),
        deactivatedAtMs: null,
      };
      const maxActive = kind === 'developer' ? MAX_DEVELOPER_KEYS[plan] : undefined;
      if (await apiKeys.create(key, hashOfSecret(secret), maxActive)) return { key, secret };
      throw invalid(
        `An account on the ${plan} plan has at most ${maxActive ?? 0} active developer keys. Deactivate one first.`,
      );
    },

    list: (accountId) => apiKeys.list(accountId),

    async deactivate(accountId, keyId) {
      const key = present(await apiKeys.deactivate(accountId, keyId, Date.now()));
      onDeactivated?.(keyId);
      return key;
    },

    rename: async (accountId, keyId, label) =>
      present(await apiKeys.change(accountId, keyId, { label: checkedName(label, 'label') })),

    limit: async (accountId, keyId, limits) =>
      present(
        await apiKeys.change(accountId, keyId, { limits: checkedLimits(limits) }, Date.now()),
      ),
  };
}

function present(key: ApiKey | undefined): ApiKey {
  if (key !== undefined) return key;
  throw new ServiceError('not_found', 'There is no key with this id.');
}

/** Developer keys of an account, as its administrators see them; admin keys are excluded. */
export interface DeveloperKeys {
  /** @throws ServiceError invalid_request for an invalid label, or when the plan allows no more keys */
  create(account: Account, label?: string): Promise<NewDeveloperKey>;
  /** Active and deactivated keys, oldest first. */
  list(accountId: string): Promise<DeveloperKey[]>;
  /** Deactivates a key permanently. @throws ServiceError not_found */
  deactivate(accountId: string, keyId: string): Promise<DeveloperKey>;
  /** @throws ServiceError not_found, invalid_request */
  rename(accountId: string, keyId: string, label: string): Promise<DeveloperKey>;
  /** Changes the given limits; null removes one. @throws ServiceError not_found, invalid_request */
  limit(accountId: string, limits: DeveloperKeyLimits): Promise<DeveloperKey>;
}

/**
 * Makes the service.
 *
 * @param options.apiKeys changes keys;
 * @param options.store finds them
 */
export function createDeveloperKeys({
  apiKeys,
  store,
}: {
  apiKeys: ApiKeyService;
  store: Pick<ApiKeyStore, 'find'>;
}): DeveloperKeys {
  /** The kind of a key never changes, so checking it beforehand is safe. */
  async function requireDeveloperKey(accountId: string, keyId: string): Promise<void> {
    const key = await store.find(accountId, keyId);
    if (key?.kind === 'developer') return;
    throw new ServiceError('not_found', 'There is no developer key with this id.');
  }

  return {
    async create(account, label) {
      const { key, secret } = await apiKeys.create(account, label === undefined ? {} : { label });
      return { ...toDeveloperKey(key), key: secret };
    },

    async list(accountId) {
      const keys = await apiKeys.list(accountId);
      return keys.filter(({ kind }) => kind === 'developer').map(toDeveloperKey);
    },

    async deactivate(accountId, keyId) {
      await requireDeveloperKey(accountId, keyId);
      return toDeveloperKey(await apiKeys.deactivate(accountId, keyId));
    },

    async rename(accountId, keyId, label) {
      await requireDeveloperKey(accountId, keyId);
      return toDeveloperKey(await apiKeys.rename(accountId, keyId, label));
    },

    async limit(accountId, { key_id, characters, speech_to_text_milliseconds: speechMs }) {
      await requireDeveloperKey(accountId, key_id);
      const limits = {
        ...(characters !== undefined && { characters }),
        ...(speechMs !== undefined && { speechMs }),
      };
      return toDeveloperKey(await apiKeys.limit(accountId, key_id, limits));
    },
  };
}

function toDeveloperKey({ keyId, label, limits, masked, ...times }: ApiKey): DeveloperKey {
  const { createdAtMs, deactivatedAtMs } = times;
  return {
    key_id: keyId,
    label,
    creation_time: new Date(createdAtMs).toISOString(),
    deactivated_time: deactivatedAtMs === null ? null : new Date(deactivatedAtMs).toISOString(),
    is_deactivated: deactivatedAtMs !== null,
    usage_limits: {
      characters: limits.characters,
      speech_to_text_milliseconds: limits.speechMs,
    },
    masked,
  };
}

// Deactivated keys: everything they have in progress ends, on all servers.

/** Topic of the announcements between servers. */
const TOPIC = 'deactivated keys';

interface DeactivatedKeys {
  /** Announces a key that was deactivated on this server. */
  tell: (keyId: string) => void;
  stop(): void;
}

/**
 * Ends the activity of deactivated keys: at once where the broker delivers the announcement, else
 * when the broker is back, or within a minute.
 *
 * @param options.keysInUse ids of keys with activity on this server
 * @param options.onDeactivated ends the activity of a key; may be called more than once
 */
export function watchDeactivatedKeys({
  apiKeys,
  broker,
  keysInUse,
  onDeactivated,
  log,
}: {
  apiKeys: Pick<ApiKeyStore, 'deactivatedAmong'>;
  broker: Pick<Broker, 'announcements' | 'onBack'>;
  keysInUse: () => string[];
  onDeactivated: (keyId: string) => void;
  log: Logger;
}): DeactivatedKeys {
  const { announcements } = broker;
  /** Deactivated keys found by the previous check: rooms go on, and are notified once. */
  let known: ReadonlySet<string> = new Set();
  const check = async (): Promise<void> => {
    const inUse = [...new Set(keysInUse())];
    const found = inUse.length === 0 ? [] : await apiKeys.deactivatedAmong(inUse);
    for (const keyId of found) if (!known.has(keyId)) onDeactivated(keyId);
    known = new Set(found);
  };
  const stop = followNews({ broker, topic: TOPIC, onNews: onDeactivated, lookUp: check, log });
  return {
    tell(keyId) {
      // Handled here at once; the announcement calls it a second time.
      onDeactivated(keyId);
      announcements.tell(TOPIC, keyId).catch((error: unknown) => {
        log.warn(
          { keyId, err: error },
          'other servers were not notified at once that a key was deactivated',
        );
      });
    },
    stop,
  };
}

// Authentication of keys, and the legacy ways of sending them.

/** The brown-out repeats every hour on the clock, so that all processes refuse at the same time. */
const BROWN_OUT_PERIOD_MS = 3_600_000;

/** Treatment of requests with their key in the query or the body instead of the header. */
export type LegacyAuth =
  /** All are refused. */
  | { mode: 'off' }
  /** Those on the pro plan are refused in the first `refusedPercent` of every hour. */
  | { mode: 'brown-out'; refusedPercent: number };

/** Looks keys up by their hash; secrets are neither stored nor logged. */
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

const MINUTE_MS = 60_000;
/** Longest time a request waits to be counted, in ms: a slow broker must not slow down translation. */
const COUNT_WAIT_MS = 200;

/**
 * Makes the rate limit of each key, across all servers. While the broker is unreachable or slow,
 * requests pass; counts that arrive late still apply to later requests.
 *
 * @param perMinute 0 means no limit
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
        // The extra turn lets an answer that has already arrived win over the timer.
        const timer = setTimeout(() => setImmediate(() => resolve(undefined)), COUNT_WAIT_MS);
        const answer = (leftMs?: number) => {
          clearTimeout(timer);
          resolve(leftMs);
        };
        counters.count({ kind: 'requests', name: keyId }, limit).then(answer, () => answer());
      }),
  };
}

// Secrets of API keys: how they are generated, stored and displayed.

/** Suffix by which clients recognise the free plan and choose its address. */
const FREE_ENDING = ':fx';
const ADMIN_ENDING = ':adm';

/** Generates a secret: a GUID, with the suffix `:fx` on the free plan and `:adm` for admin keys. */
function newSecret({ kind, plan }: { kind: KeyKind; plan: Plan }): string {
  if (kind === 'admin') return randomUUID() + ADMIN_ENDING;
  return plan === 'free' ? randomUUID() + FREE_ENDING : randomUUID();
}

/**
 * Returns what is stored of a secret: its SHA-256 as 64 hex digits. A random GUID cannot be guessed
 * from it.
 */
export function hashOfSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Returns a secret as it may be displayed, `dc88****3a2c`; the suffix is omitted. */
export function maskOfSecret(secret: string): string {
  const [identifier = ''] = secret.split(':', 1);
  // A secret that a person chose may be so short that eight characters would reveal most of it.
  return identifier.length < 16 ? '****' : `${identifier.slice(0, 4)}****${identifier.slice(-4)}`;
}
