/**
 * Sums over the ledger of days. The ledger's key starts with key and day, so an account's period
 * consists of a few ranges of it.
 */
import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { defineStore } from '../../storage/store.ts';
import type { UsageKind, UsageTotals } from './usage-counters-store.ts';

/** A range of days such as `2026-11-21`, both inclusive. */
export interface DayRange {
  firstDay: string;
  lastDay: string;
}

/** Usage of a key. */
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

/** Usage under a reporting tag. */
export interface TagUsage {
  tag: string;
  /** Null when the days are summed. */
  day: string | null;
  used: Pick<UsageTotals, 'text' | 'write'>;
}

export interface UsageReportStore {
  /** Total usage of all keys of an account. */
  total(accountId: string, range: DayRange): Promise<UsageTotals>;
  /** Keys with usage, oldest key first. */
  byKey(accountId: string, range: DayRange): Promise<KeyUsage[]>;
  /** Usage by key and day, oldest day first, then oldest key. */
  byKeyAndDay(accountId: string, range: DayRange): Promise<KeyDayUsage[]>;
  /**
   * Returns a page of text and improvement usage by tag, without untagged usage, ordered by the
   * tags' code points and then by day.
   */
  byTag(
    accountId: string,
    range: DayRange,
    part: { isByDay: boolean; offset: number; limit: number },
  ): Promise<TagUsage[]>;
}

/** Sums of usage. */
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

/** Ledger rows of an account. */
function linesOf(db: Database, accountId: string, { firstDay, lastDay }: DayRange) {
  return db
    .selectFrom('api_keys as key')
    .innerJoin('usage_days as line', 'line.key_id', 'key.key_id')
    .where('key.account_id', '=', accountId)
    .where('line.day', '>=', firstDay)
    .where('line.day', '<=', lastDay);
}

/** Keys with usage. */
function usingKeys(db: Database, accountId: string, range: DayRange) {
  return linesOf(db, accountId, range)
    .select(['key.key_id', 'key.label', 'key.masked', ...sums])
    .groupBy(['key.key_id', 'key.label', 'key.masked', 'key.created_at_ms'])
    .having(usedSomething)
    .orderBy('key.created_at_ms')
    .orderBy('key.key_id');
}

/** PostgreSQL sums integers to decimals, which arrive as text: hence the cast. */
function sumOf(kind: UsageKind) {
  return sql<number>`cast(coalesce(sum(case when line.kind = ${sql.lit(kind)} then line.amount end), 0) as bigint)`;
}

/** Excludes groups whose charges were all refunded. */
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
