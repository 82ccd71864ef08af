/** The store of API keys: rows without secrets, found by the hashes of their secrets. */
import { timingSafeEqual } from 'node:crypto';
import type { InferResult, Selectable } from 'kysely';
import { cachedQuery, countOf, type Database, lockAccount } from '../storage/database.ts';
import { defineStore } from '../storage/store.ts';
import type { KeyKind, ApiKey, Caller, UsageLimits } from '../http/door.ts';
import { toAccount } from './store.ts';
import {
  createLimitCrossings,
  createUsageCounters,
  limitFor,
} from './usage/usage-counters-store.ts';

export interface ApiKeyStore {
  /**
   * @param secretHash SHA-256 of the secret, 64 hex digits
   *
   * @param maxActive resolves to `false` when the account already has this many active keys of that
   *   kind
   */
  create(key: ApiKey, secretHash: string, maxActive?: number): Promise<boolean>;
  /**
   * Returns the caller a secret belongs to; undefined for a deactivated key. Hashes are compared in
   * constant time.
   */
  authenticate(secretHash: string): Promise<Caller | undefined>;
  /** Active and deactivated keys of an account, oldest first. */
  list(accountId: string): Promise<ApiKey[]>;
  find(accountId: string, keyId: string): Promise<ApiKey | undefined>;
  /** Returns those of the given keys that are deactivated. */
  deactivatedAmong(keyIds: readonly string[]): Promise<string[]>;
  /**
   * Deactivates a key permanently; every process refuses it from then on. Undefined if the key does
   * not exist.
   */
  deactivate(accountId: string, keyId: string, atMs: number): Promise<ApiKey | undefined>;
  /**
   * Changes the given fields. If a new limit is already nearly used up, a notice is recorded for
   * the month.
   *
   * @param atMs time of the change, which determines the month; now by default
   */
  change(
    accountId: string,
    keyId: string,
    change: { label?: string; limits?: Partial<UsageLimits> },
    atMs?: number,
  ): Promise<ApiKey | undefined>;
}

interface ApiKeysTable {
  key_id: string;
  account_id: string;
  kind: KeyKind;
  label: string;
  masked: string;
  /** The first digits of the secret's hash, the lookup key of the row; see {@link SECRET_LOOKUP_DIGITS}. */
  secret_lookup: string;
  /** SHA-256 of the secret in hex. */
  secret_hash: string;
  characters_limit: number | null;
  speech_ms_limit: number | null;
  created_at_ms: number;
  deactivated_at_ms: number | null;
}

/**
 * 64 bits of the hash find a key among millions; the duration of the lookup reveals nothing about
 * the rest.
 */
const SECRET_LOOKUP_DIGITS = 16;

declare module '../storage/database.ts' {
  interface Tables {
    api_keys: ApiKeysTable;
  }
}

/** API keys, without their secrets. */
export const apiKeyStore = defineStore<ApiKeyStore>({
  over: createApiKeys,
  reads: ['authenticate', 'list', 'find', 'deactivatedAmong'],
});

function createApiKeys(db: Database): ApiKeyStore {
  return {
    async create(key, secretHash, maxActive) {
      await lockAccount(db, key.accountId);
      if (maxActive !== undefined && (await countActive(db, key)) >= maxActive) return false;
      await db.insertInto('api_keys').values(toRow(key, secretHash)).execute();
      return true;
    },

    authenticate: createAuthentication(db),

    async list(accountId) {
      const rows = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('created_at_ms')
        .orderBy('key_id')
        .execute();
      return rows.map(toKey);
    },

    async find(accountId, keyId) {
      const row = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('key_id', '=', keyId)
        .executeTakeFirst();
      return row && toKey(row);
    },

    deactivatedAmong: (keyIds) => listDeactivated(db, keyIds),

    async deactivate(accountId, keyId, atMs) {
      const row = await db
        .updateTable('api_keys')
        // Permanent: deactivating again does not change the recorded time.
        .set((eb) => ({ deactivated_at_ms: eb.fn.coalesce('deactivated_at_ms', eb.val(atMs)) }))
        .where('account_id', '=', accountId)
        .where('key_id', '=', keyId)
        .returningAll()
        .executeTakeFirst();
      return row && toKey(row);
    },

    async change(accountId, keyId, { label, limits }, atMs = Date.now()) {
      const row = await db
        .updateTable('api_keys')
        .set({
          // An update must set at least one column; the id keeps its value.
          key_id: keyId,
          ...(label !== undefined && { label }),
          ...(limits?.characters !== undefined && { characters_limit: limits.characters }),
          ...(limits?.speechMs !== undefined && { speech_ms_limit: limits.speechMs }),
        })
        .where('account_id', '=', accountId)
        .where('key_id', '=', keyId)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const key = toKey(row);
      if (limits !== undefined) await noteUseOfLimits(db, key, atMs);
      return key;
    },
  };
}

/**
 * Records the notices that charges would have recorded under the new limits. The caller has locked
 * the key's row.
 */
async function noteUseOfLimits(db: Database, key: ApiKey, atMs: number): Promise<void> {
  const { accountId, keyId } = key;
  const counters = createUsageCounters(db);
  const { key: used } = await counters.ofMonth(accountId, keyId, atMs);
  const crossings = createLimitCrossings();
  for (const kind of ['text', 'speech'] as const) {
    const limit = limitFor(kind, key.limits);
    if (limit === null) continue;
    const amount = kind === 'speech' ? used.speech : used.text + used.document + used.write;
    crossings.note({ accountId, keyId, kind, amount, atMs, tag: null }, limit, 0);
  }
  await crossings.write(db);
}

async function listDeactivated(db: Database, keyIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('api_keys')
    .select('key_id')
    .where('key_id', 'in', keyIds)
    .where('deactivated_at_ms', 'is not', null)
    .execute();
  return rows.map(({ key_id }) => key_id);
}

async function countActive(db: Database, { accountId, kind }: ApiKey): Promise<number> {
  const active = db
    .selectFrom('api_keys')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('deactivated_at_ms', 'is', null);
  return countOf(active);
}

function createAuthentication(db: Database): ApiKeyStore['authenticate'] {
  return async (secretHash) => {
    const presented = Buffer.from(secretHash, 'hex');
    const rows = await findCandidates(db, secretHash.slice(0, SECRET_LOOKUP_DIGITS));
    const row = rows.find(({ secret_hash }) => {
      const kept = Buffer.from(secret_hash, 'hex');
      return kept.length === presented.length && timingSafeEqual(kept, presented);
    });
    if (row?.deactivated_at_ms !== null) return undefined;
    return { key: toKey(row), account: toAccount(accountPart(row)) };
  };
}

/** Finds keys and their accounts by the first digits of the hash; runs on every request. */
const findCandidates = cachedQuery({
  build: candidateQuery,
  shapeOf: () => '',
  parametersOf: (lookup: string) => [lookup],
});

function candidateQuery(db: Database, lookup: string) {
  return db
    .selectFrom('api_keys as key')
    .innerJoin('accounts as account', 'account.account_id', 'key.account_id')
    .selectAll('key')
    .select([
      'account.name as account_name',
      'account.plan as account_plan',
      'account.features as account_features',
      'account.characters_limit as account_characters_limit',
      'account.speech_ms_limit as account_speech_ms_limit',
      'account.created_at_ms as account_created_at_ms',
      'account.origins as account_origins',
      'account.emails as account_emails',
    ])
    .where('key.secret_lookup', '=', lookup);
}

type Candidate = InferResult<ReturnType<typeof candidateQuery>>[number];

function accountPart(row: Candidate) {
  return {
    account_id: row.account_id,
    name: row.account_name,
    plan: row.account_plan,
    features: row.account_features,
    characters_limit: row.account_characters_limit,
    speech_ms_limit: row.account_speech_ms_limit,
    created_at_ms: row.account_created_at_ms,
    origins: row.account_origins,
    emails: row.account_emails,
  };
}

function toRow(key: ApiKey, secretHash: string): ApiKeysTable {
  return {
    key_id: key.keyId,
    account_id: key.accountId,
    kind: key.kind,
    label: key.label,
    masked: key.masked,
    secret_lookup: secretHash.slice(0, SECRET_LOOKUP_DIGITS),
    secret_hash: secretHash,
    characters_limit: key.limits.characters,
    speech_ms_limit: key.limits.speechMs,
    created_at_ms: key.createdAtMs,
    deactivated_at_ms: key.deactivatedAtMs,
  };
}

function toKey(row: Selectable<ApiKeysTable>): ApiKey {
  return {
    keyId: row.key_id,
    accountId: row.account_id,
    kind: row.kind,
    label: row.label,
    masked: row.masked,
    limits: { characters: row.characters_limit, speechMs: row.speech_ms_limit },
    createdAtMs: row.created_at_ms,
    deactivatedAtMs: row.deactivated_at_ms,
  };
}
