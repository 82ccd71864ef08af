/** Sample accounts, keys and charges for tests. */
import { createHash, randomUUID } from 'node:crypto';
import type { Account, ApiKey } from '../../server/http/door.ts';
import type { Charge } from '../../server/accounts/usage/usage-counters-store.ts';
import type { Storage } from '../../server/stores.ts';

export const unlimited = { characters: null, speechMs: null };

export function sampleAccount(given: Partial<Account> = {}): Account {
  return {
    accountId: randomUUID(),
    name: 'Überseehandel',
    plan: 'free',
    features: [],
    limits: unlimited,
    origins: [],
    emails: [],
    createdAtMs: 1_700_000_000_000,
    ...given,
  };
}

export function sampleKey(accountId: string, given: Partial<ApiKey> = {}): ApiKey {
  return {
    keyId: `${randomUUID()}:${randomUUID()}`,
    accountId,
    kind: 'developer',
    label: 'desk',
    masked: 'dc88****3a2c',
    limits: unlimited,
    createdAtMs: 1_700_000_000_000,
    deactivatedAtMs: null,
    ...given,
  };
}

/** SHA-256 of a secret in hex, as the services compute it. */
export function sampleHash(secret: string = randomUUID()): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Creates an account with a key; returns them with a builder of charges. */
export async function openAccount(
  storage: Storage,
  given: { account?: Partial<Account>; key?: Partial<ApiKey> } = {},
) {
  const account = sampleAccount(given.account);
  const key = sampleKey(account.accountId, given.key);
  const secretHash = sampleHash();
  await storage.accounts.create(account);
  await storage.apiKeys.create(key, secretHash);
  const charge = (more: Partial<Charge> = {}): Charge => ({
    accountId: account.accountId,
    keyId: key.keyId,
    kind: 'text',
    amount: 10,
    atMs: Date.UTC(2026, 10, 21, 12),
    tag: null,
    ...more,
  });
  return { account, key, secretHash, charge };
}

/** A silent log for tests in which storage fails on purpose. */
export const quietLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
