/** The store of accounts. */
import type { Selectable } from 'kysely';
import type { Database } from '../storage/database.ts';
import { defineStore } from '../storage/store.ts';
import type { Plan, Account, Feature, UsageLimits } from '../http/door.ts';

export interface AccountStore {
  create(account: Account): Promise<void>;
  find(accountId: string): Promise<Account | undefined>;
  /** Oldest first. */
  list(): Promise<Account[]>;
  /** Changes the given fields; undefined if the account does not exist. */
  change(
    accountId: string,
    change: Partial<Pick<Account, 'name' | 'plan' | 'features' | 'origins' | 'emails'>> & {
      limits?: Partial<UsageLimits>;
    },
  ): Promise<Account | undefined>;
}

export interface AccountsTable {
  account_id: string;
  name: string;
  plan: Plan;
  /** A JSON list of strings. */
  features: string;
  characters_limit: number | null;
  speech_ms_limit: number | null;
  created_at_ms: number;
  /** JSON lists of strings. */
  origins: string;
  emails: string;
}

declare module '../storage/database.ts' {
  interface Tables {
    accounts: AccountsTable;
  }
}

/** Accounts, with their plans, features and limits. */
export const accountStore = defineStore<AccountStore>({
  over: createAccounts,
  reads: ['find', 'list'],
});

function createAccounts(db: Database): AccountStore {
  return {
    async create(account) {
      await db.insertInto('accounts').values(toRow(account)).execute();
    },

    async find(accountId) {
      const row = await db
        .selectFrom('accounts')
        .selectAll()
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return row && toAccount(row);
    },

    async list() {
      const rows = await db
        .selectFrom('accounts')
        .selectAll()
        .orderBy('created_at_ms')
        .orderBy('account_id')
        .execute();
      return rows.map(toAccount);
    },

    async change(accountId, { name, plan, features, limits, origins, emails }) {
      const row = await db
        .updateTable('accounts')
        .set({
          // An update must set at least one column; the id keeps its value.
          account_id: accountId,
          ...(name !== undefined && { name }),
          ...(plan !== undefined && { plan }),
          ...(features !== undefined && { features: JSON.stringify(features) }),
          ...(origins !== undefined && { origins: JSON.stringify(origins) }),
          ...(emails !== undefined && { emails: JSON.stringify(emails) }),
          ...(limits?.characters !== undefined && { characters_limit: limits.characters }),
          ...(limits?.speechMs !== undefined && { speech_ms_limit: limits.speechMs }),
        })
        .where('account_id', '=', accountId)
        .returningAll()
        .executeTakeFirst();
      return row && toAccount(row);
    },
  };
}

function toRow(account: Account): AccountsTable {
  return {
    account_id: account.accountId,
    name: account.name,
    plan: account.plan,
    features: JSON.stringify(account.features),
    characters_limit: account.limits.characters,
    speech_ms_limit: account.limits.speechMs,
    created_at_ms: account.createdAtMs,
    origins: JSON.stringify(account.origins),
    emails: JSON.stringify(account.emails),
  };
}

/** Converts a row to an account. */
export function toAccount(row: Selectable<AccountsTable>): Account {
  return {
    accountId: row.account_id,
    name: row.name,
    plan: row.plan,
    features: JSON.parse(row.features) as Feature[],
    limits: { characters: row.characters_limit, speechMs: row.speech_ms_limit },
    origins: JSON.parse(row.origins) as string[],
    emails: JSON.parse(row.emails) as string[],
    createdAtMs: row.created_at_ms,
  };
}
