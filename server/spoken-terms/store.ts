import { countOf, type Database, lockAccount } from '../storage/database.ts';
import { defineStore } from '../storage/store.ts';

/** A list of terms likely to be spoken, without the terms themselves. */
export interface SpokenTermsInfo {
  spokenTermsId: string;
  name: string;
  /** A base language in lower case; null: any. */
  language: string | null;
  termCount: number;
  createdAtMs: number;
}

export interface SpokenTermsList extends SpokenTermsInfo {
  terms: string[];
}

export interface SpokenTermsStore {
  /** @returns false if the account already has `maxLists` */
  create(accountId: string, list: SpokenTermsList, maxLists: number): Promise<boolean>;
  /** Returns the lists of an account, oldest first. */
  list(accountId: string): Promise<SpokenTermsInfo[]>;
  find(accountId: string, spokenTermsId: string): Promise<SpokenTermsList | undefined>;
  delete(accountId: string, spokenTermsId: string): Promise<boolean>;
}

export interface SpokenTermsTable {
  spoken_terms_id: string;
  account_id: string;
  name: string;
  language: string | null;
  term_count: number;
  created_at_ms: number;
  /** A JSON array of strings. */
  terms: string;
}

declare module '../storage/database.ts' {
  interface Tables {
    spoken_terms: SpokenTermsTable;
  }
}

/** Lists of spoken terms, each a row with its terms as JSON. Lists are created and deleted, never changed. */
export const spokenTermsStore = defineStore<SpokenTermsStore>({
  over: createSpokenTerms,
  reads: ['list', 'find'],
});

function createSpokenTerms(db: Database): SpokenTermsStore {
  return {
    async create(accountId, { terms, ...info }, maxLists) {
      await lockAccount(db, accountId);
      const own = db.selectFrom('spoken_terms').where('account_id', '=', accountId);
      if ((await countOf(own)) >= maxLists) return false;
      await db
        .insertInto('spoken_terms')
        .values({
          spoken_terms_id: info.spokenTermsId,
          account_id: accountId,
          name: info.name,
          language: info.language,
          term_count: info.termCount,
          created_at_ms: info.createdAtMs,
          terms: JSON.stringify(terms),
        })
        .execute();
      return true;
    },

    async list(accountId) {
      const rows = await db
        .selectFrom('spoken_terms')
        .select(described)
        .where('account_id', '=', accountId)
        .orderBy('created_at_ms')
        .orderBy('spoken_terms_id')
        .execute();
      return rows.map(toInfo);
    },

    async find(accountId, spokenTermsId) {
      const row = await db
        .selectFrom('spoken_terms')
        .select([...described, 'terms'])
        .where('account_id', '=', accountId)
        .where('spoken_terms_id', '=', spokenTermsId)
        .executeTakeFirst();
      return row && { ...toInfo(row), terms: JSON.parse(row.terms) as string[] };
    },

    async delete(accountId, spokenTermsId) {
      const { numDeletedRows } = await db
        .deleteFrom('spoken_terms')
        .where('account_id', '=', accountId)
        .where('spoken_terms_id', '=', spokenTermsId)
        .executeTakeFirst();
      return numDeletedRows > 0;
    },
  };
}

const described = ['spoken_terms_id', 'name', 'language', 'term_count', 'created_at_ms'] as const;

interface InfoRow {
  spoken_terms_id: string;
  name: string;
  language: string | null;
  term_count: number;
  created_at_ms: number;
}

function toInfo(row: InfoRow): SpokenTermsInfo {
  return {
    spokenTermsId: row.spoken_terms_id,
    name: row.name,
    language: row.language,
    termCount: row.term_count,
    createdAtMs: row.created_at_ms,
  };
}
