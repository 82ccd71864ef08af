/** Developer keys of an account as its administrators see them; admin keys are none of them. */
import { ServiceError } from '../../shared/errors.ts';
import type {
  DeveloperKey,
  DeveloperKeyLimits,
  NewDeveloperKey,
} from '../../shared/schemas/admin.ts';
import type { Account, ApiKey } from '../http/door.ts';
import type { ApiKeyStore } from './api-keys-store.ts';
import type { ApiKeyService } from './api-keys.ts';

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
