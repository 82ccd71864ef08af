/** Sums over the ledger of days. Its key starts with key and day: an account's period is a few ranges of it. */
import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { defineStore } from '../../storage/store.ts';
import type { UsageKind, UsageTotals } from './usage-counters-store.ts';

/** Days as `2026-11-21`, both part of it. */
export interface DayRange {
  firstDay: string;
  lastDay: string;
}

/** What a key used. */
export interface KeyUsage {
  keyId: string;
  label: string;
  /** `dc88****3a2c` */
  masked: string;
  used: UsageTotals;
}

export interface KeyDayUsage extends KeyUsage {
  /** `2026-11-21` */
  day: string;
}

/** What was used under a reporting tag. */
export interface TagUsage {
  tag: string;
  /** Null when the days are summed up. */
  day: string | null;
  used: Pick<UsageTotals, 'text' | 'write'>;
}

export interface UsageReportStore {
  /** What all keys of an account used. */
  total(accountId: string, range: DayRange): Promise<UsageTotals>;
  /** Keys that used something, oldest key first. */
  byKey(accountId: string, range: DayRange): Promise<KeyUsage[]>;
  /** Days of keys on which they used something, oldest day first, then oldest key. */
  byKeyAndDay(accountId: string, range: DayRange): Promise<KeyDayUsage[]>;
  /**
   * Texts and improvements by tag, what has none left out, in the order of the tags' code points and
   * then of the days: some of them from a place in that order.
   */
  byTag(
    accountId: string,
    range: DayRange,
    part: { isByDay: boolean; offset: number; limit: number },
  ): Promise<TagUsage[]>;
}

/** What was used, summed up. */
export const usageReportStore = defineStore<UsageReportStore>({
  over: createUsageReports,
  reads: ['total', 'byKey', 'byKeyAndDay', 'byTag'],
});

function createUsageReports(db: Database): UsageReportStore {
  return {
    async total(accountId, range) {
      const row = await linesOf(db, accountId, range).select(sums).executeTakeFirstOrThrow();
      return toTotals(row);
    },

    async byKey(accountId, range) {
      const rows = await usingKeys(db, accountId, range).execute();
      return rows.map((row) => ({ ...toKey(row), used: toTotals(row) }));
    },

    async byKeyAndDay(accountId, range) {
      const rows = await usingKeys(db, accountId, range)
        .select('line.day')
        .groupBy('line.day')
        .clearOrderBy()
        .orderBy('line.day')
        .orderBy('key.created_at_ms')
        .orderBy('key.key_id')
        .execute();
      return rows.map((row) => ({ ...toKey(row), day: row.day, used: toTotals(row) }));
    },

    async byTag(accountId, range, { isByDay, offset, limit }) {
      const rows = await linesOf(db, accountId, range)
        .where('line.tag', '<>', '')
        .where('line.kind', 'in', ['text', 'write'])
        .select(['line.tag', sumOf('text').as('text'), sumOf('write').as('write')])
        .groupBy('line.tag')
        .having(usedSomething)
        .orderBy('line.tag')
        .$if(isByDay, (query) => query.select('line.day').groupBy('line.day').orderBy('line.day'))
        .limit(limit)
        .offset(offset)
        .execute();
      return rows.map(({ tag, day = null, text, write }) => ({ tag, day, used: { text, write } }));
    },
  };
}

/** Lines of the ledger that belong to an account. */
function linesOf(db: Database, accountId: string, { firstDay, lastDay }: DayRange) {
  return db
    .selectFrom('api_keys as key')
    .innerJoin('usage_days as line', 'line.key_id', 'key.key_id')
    .where('key.account_id', '=', accountId)
    .where('line.day', '>=', firstDay)
    .where('line.day', '<=', lastDay);
}

/** Keys that used something. */
function usingKeys(db: Database, accountId: string, range: DayRange) {
  return linesOf(db, accountId, range)
    .select(['key.key_id', 'key.label', 'key.masked', ...sums])
    .groupBy(['key.key_id', 'key.label', 'key.masked', 'key.created_at_ms'])
    .having(usedSomething)
    .orderBy('key.created_at_ms')
    .orderBy('key.key_id');
}

/** PostgreSQL sums whole numbers up to decimal ones, which come as texts: hence the cast. */
function sumOf(kind: UsageKind) {
  return sql<number>`cast(coalesce(sum(case when line.kind = ${sql.lit(kind)} then line.amount end), 0) as bigint)`;
}

/** Of a group: what was used and given back again was not used. */
const usedSomething = sql<boolean>`sum(line.amount) > 0`;

const sums = [
  sumOf('text').as('text'),
  sumOf('document').as('document'),
  sumOf('write').as('write'),
  sumOf('speech').as('speech'),
] as const;

function toTotals({ text, document, write, speech }: UsageTotals): UsageTotals {
  return { text, document, write, speech };
}

function toKey(row: { key_id: string; label: string; masked: string }) {
  return { keyId: row.key_id, label: row.label, masked: row.masked };
}
