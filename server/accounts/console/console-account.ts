/** What the owner of an account sees and changes in the console. */
import { ServiceError } from '../../../shared/errors.ts';
import type {
  AdminKey,
  ConsoleSession,
  ConsoleSettings,
  ConsoleUsage,
  NewAdminKey,
} from '../../../shared/schemas/console.ts';
import type { Account, ApiKey, UsageLimits } from '../../http/door.ts';
import type { UsageStore } from '../usage/store.ts';
import { monthOf } from '../usage/usage.ts';
import type { AccountService } from '../accounts.ts';
import type { ApiKeyService } from '../api-keys.ts';
import type { SignedIn } from './console-access.ts';

export interface ConsoleAccount {
  describe(signedIn: SignedIn): ConsoleSession;
  /** Whether this is the installation's first account. */
  isOperator: (account: Account) => boolean;
  /** Usage in this month (UTC). */
  usage(account: Account): Promise<ConsoleUsage>;
  settings(account: Account): ConsoleSettings;
  /** Changes the given fields. @throws ServiceError invalid_request, naming the problem */
  change(
    account: Account,
    change: Partial<Readonly<Record<keyof ConsoleSettings, readonly string[]>>>,
  ): Promise<ConsoleSettings>;
  /** Active and deactivated keys, oldest first. */
  adminKeys(account: Account): Promise<AdminKey[]>;
  /** @throws ServiceError invalid_request when the account lacks the feature, or for an invalid label */
  createAdminKey(account: Account, label: string | undefined): Promise<NewAdminKey>;
  /** Deactivates an admin key permanently. @throws ServiceError not_found */
  deactivateAdminKey(account: Account, keyId: string): Promise<AdminKey>;
}

export interface ConsoleAccountOptions {
  accounts: Pick<AccountService, 'change'>;
  apiKeys: ApiKeyService;
  usage: Pick<UsageStore, 'ofMonth'>;
  operatorId: string;
}

export function createConsoleAccount(options: ConsoleAccountOptions): ConsoleAccount {
  const { accounts, apiKeys, usage, operatorId } = options;
  const isOperator = ({ accountId }: Account) => accountId === operatorId;
  const adminKeys = async ({ accountId }: Account) =>
    (await apiKeys.list(accountId)).filter(({ kind }) => kind === 'admin');

  return {
    isOperator,
    describe: ({ account, expiresAtMs }) => ({
      account: {
        account_id: account.accountId,
        name: account.name,
        plan: account.plan,
        features: [...account.features],
        usage_limits: limitsOf(account),
        creation_time: isoTime(account.createdAtMs),
      },
      is_operator: isOperator(account),
      expires_at: isoTime(expiresAtMs),
    }),

    async usage({ accountId, limits }) {
      const atMs = Date.now();
      // No key has an empty id: only the account's part of the answer is used.
      const { account: used } = await usage.ofMonth(accountId, '', atMs);
      return {
        ...monthOf(atMs),
        characters: {
          used: used.text + used.document + used.write,
          limit: limits.characters,
          text_translation: used.text,
          document_translation: used.document,
          text_improvement: used.write,
        },
        speech: { used_ms: used.speech, limit_ms: limits.speechMs },
      };
    },

    settings: settingsOf,
    change: async ({ accountId }, change) => settingsOf(await accounts.change(accountId, change)),

    adminKeys: async (account) => (await adminKeys(account)).map(described),

    async createAdminKey(account, label) {
      const { key, secret } = await apiKeys.create(account, {
        kind: 'admin',
        ...(label !== undefined && { label }),
      });
      return { ...described(key), key: secret };
    },

    async deactivateAdminKey(account, keyId) {
      const isThere = (await adminKeys(account)).some((key) => key.keyId === keyId);
      if (!isThere) throw new ServiceError('not_found', 'There is no admin key with this id.');
      return described(await apiKeys.deactivate(account.accountId, keyId));
    },
  };
}

function settingsOf({ origins, emails }: Account): ConsoleSettings {
  return { origins: [...origins], emails: [...emails] };
}

function described(key: ApiKey): AdminKey {
  const { deactivatedAtMs } = key;
  return {
    key_id: key.keyId,
    label: key.label,
    masked: key.masked,
    creation_time: isoTime(key.createdAtMs),
    deactivated_time: deactivatedAtMs === null ? null : isoTime(deactivatedAtMs),
    is_deactivated: deactivatedAtMs !== null,
    usage_limits: limitsOf(key),
  };
}

function limitsOf({ limits: { characters, speechMs } }: { limits: UsageLimits }) {
  return { characters, speech_to_text_milliseconds: speechMs };
}

function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
