/** API keys of an account: made, named, limited and deactivated, and how its administrators see them. */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../shared/errors.ts';
import type {
  DeveloperKey,
  DeveloperKeyLimits,
  NewDeveloperKey,
} from '../../shared/schemas/admin.ts';
import type { Account, ApiKey, KeyKind, Plan, UsageLimits } from '../http/door.ts';
import type { ApiKeyStore } from './api-keys-store.ts';
import { checkedLimits, checkedName } from './accounts.ts';
import { hashOfSecret, maskOfSecret, newSecret } from './access.ts';

/** Most developer keys of an account that are active at the same time. */
const MAX_DEVELOPER_KEYS: Record<Plan, number> = { free: 2, pro: 25 };

const DEFAULT_LABEL = 'Service API Key';

/** A key to be made; the default is a developer key without limits. */
export interface NewApiKey {
  kind?: KeyKind;
  label?: string;
  limits?: Partial<UsageLimits>;
}

export interface ApiKeyService {
  /**
   * Makes a key; its secret is in this answer alone.
   *
   * @throws ServiceError invalid_request when the account has as many active keys as its plan allows,
   * may not administer, or for a bad label or limit
   */
  create(account: Account, key?: NewApiKey): Promise<{ key: ApiKey; secret: string }>;
  /** Active and deactivated ones, oldest first. */
  list(accountId: string): Promise<ApiKey[]>;
  /** Ends a key for ever; one that has ended stays as it is. @throws ServiceError not_found */
  deactivate(accountId: string, keyId: string): Promise<ApiKey>;
  /** @throws ServiceError not_found, invalid_request */
  rename(accountId: string, keyId: string, label: string): Promise<ApiKey>;
  /** Changes the limits that are given. @throws ServiceError not_found, invalid_request */
  limit(accountId: string, keyId: string, limits: Partial<UsageLimits>): Promise<ApiKey>;
}

/** The account a key id belongs to: the first of its two GUIDs. */
export function accountOfKeyId(keyId: string): string {
  return keyId.split(':', 1)[0] ?? '';
}

/** Makes the service over stored keys; `onDeactivated` hears of keys that this process deactivates. */
export function createApiKeyService({
  apiKeys,
  onDeactivated,
  now = Date.now,
}: {
  apiKeys: ApiKeyStore;
  onDeactivated?: (keyId: string) => void;
  now?: () => number;
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
        createdAtMs: now(),
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
      const key = present(await apiKeys.deactivate(accountId, keyId, now()));
      onDeactivated?.(keyId);
      return key;
    },

    rename: async (accountId, keyId, label) =>
      present(await apiKeys.change(accountId, keyId, { label: checkedName(label, 'label') })),

    limit: async (accountId, keyId, limits) =>
      present(await apiKeys.change(accountId, keyId, { limits: checkedLimits(limits) }, now())),
  };
}

function present(key: ApiKey | undefined): ApiKey {
  if (key !== undefined) return key;
  throw new ServiceError('not_found', 'There is no key with this id.');
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}

/** Developer keys of an account as its administrators see them; admin keys are none of them. */
export interface DeveloperKeys {
  /** @throws ServiceError invalid_request for a bad label, or when there are as many as the plan allows */
  create(account: Account, label?: string): Promise<NewDeveloperKey>;
  /** Active and deactivated ones, oldest first. */
  list(accountId: string): Promise<DeveloperKey[]>;
  /** Ends a key for ever. @throws ServiceError not_found */
  deactivate(accountId: string, keyId: string): Promise<DeveloperKey>;
  /** @throws ServiceError not_found, invalid_request */
  rename(accountId: string, keyId: string, label: string): Promise<DeveloperKey>;
  /** Changes the limits that are given; null lifts one. @throws ServiceError not_found, invalid_request */
  limit(accountId: string, limits: DeveloperKeyLimits): Promise<DeveloperKey>;
}

/** Makes the service. @param options.apiKeys changes keys; @param options.store finds them */
export function createDeveloperKeys({
  apiKeys,
  store,
}: {
  apiKeys: ApiKeyService;
  store: Pick<ApiKeyStore, 'find'>;
}): DeveloperKeys {
  /** What a key is never changes: it can be asked before. */
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
