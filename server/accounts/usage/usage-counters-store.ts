/**
 * Monthly usage counters of keys and accounts, which limits are checked against, and the detection
 * of limits that are reached.
 */
import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { UsageLimits } from '../../http/door.ts';
import { cachedQuery, type Database, valuesOf } from '../../storage/database.ts';
import type { UsageNoticesTable } from './usage-notices-store.ts';

/** Kinds of use: characters of three services, and ms of speech. */
export type UsageKind = 'text' | 'document' | 'write' | 'speech';

/** An amount used by a request. */
export interface Charge {
  accountId: string;
  keyId: string;
  kind: UsageKind;
  /** Code points, or ms for `speech`. */
  amount: number;
  atMs: number;
  /** Custom reporting tag, already validated. */
  tag: string | null;
}

export type ChargeOutcome =
  | 'charged'
  | 'key_limit_reached'
  | 'account_limit_reached'
  | 'key_deactivated';

/** Amounts by kind of use. */
export type UsageTotals = Record<UsageKind, number>;

/** Usage of a key or an account in a month, which limits are checked against. */
interface UsageMonthsTable {
  subject_kind: 'account' | 'key';
  /** An account or key id. */
  subject_id: string;
  /** `2026-11`, in UTC. */
  month: string;
  text_characters: number;
  document_characters: number;
  write_characters: number;
  speech_ms: number;
}

declare module '../../storage/database.ts' {
  interface Tables {
    usage_months: UsageMonthsTable;
  }
}

/** Usage of a key or an account in a month, while a batch is being decided. */
interface UsageCounter {
  /** Amount that counts against the limit of a kind of use. */
  used(kind: UsageKind): number;
  /**
   * Whether a charge fits entirely within the remaining limit. Speech was already heard when it is
   * charged: all of it counts as long as anything is left.
   */
  hasRoomFor(charge: Charge, limits: UsageLimits): boolean;
  add(charge: Charge): void;
  /** Never goes below 0. */
  subtract(charge: Charge): void;
}

/** Counters of all keys and accounts of a batch; new ones start at 0. */
export interface UsageCounters {
  of(subject: UsageMonthsTable['subject_kind'], charge: Charge): UsageCounter;
  /** Rows that have changed. */
  changed(): UsageMonthsTable[];
}

const columns = {
  text: 'text_characters',
  document: 'document_characters',
  write: 'write_characters',
  speech: 'speech_ms',
} as const satisfies Record<UsageKind, keyof UsageMonthsTable>;

export function createUsageCounters(db: Database) {
  return {
    /** Reads the counters that charges need; the rows of their keys and accounts must be locked. */
    async read(charges: readonly Charge[]): Promise<UsageCounters> {
      const months = new Set(charges.map(({ atMs }) => monthOf(atMs)));
      const subjects = new Set(charges.flatMap(({ accountId, keyId }) => [accountId, keyId]));
      const wish = { subjects: [...subjects], months: [...months] };
      return createCounters(await findMonths(db, wish));
    },

    async write(counters: UsageCounters): Promise<void> {
      const rows = counters.changed();
      if (rows.length > 0) await writeMonths(db, rows);
    },

    /** Usage of an account and one of its keys in the month (UTC) that contains `atMs`. */
    async ofMonth(
      accountId: string,
      keyId: string,
      atMs: number,
    ): Promise<{ account: UsageTotals; key: UsageTotals }> {
      const rows = await db
        .selectFrom('usage_months')
        .selectAll()
        .where('subject_id', 'in', [accountId, keyId])
        .where('month', '=', monthOf(atMs))
        .execute();
      const totals = (kind: UsageMonthsTable['subject_kind'], id: string) =>
        toTotals(rows.find((row) => row.subject_kind === kind && row.subject_id === id));
      return { account: totals('account', accountId), key: totals('key', keyId) };
    },
  };
}

const findMonths = cachedQuery({
  build: (db, { subjects, months }: { subjects: string[]; months: string[] }) =>
    db
      .selectFrom('usage_months')
      .selectAll()
      .where('subject_id', 'in', subjects)
      .where('month', 'in', months),
  shapeOf: ({ subjects, months }) => `${subjects.length} ${months.length}`,
  parametersOf: ({ subjects, months }) => [...subjects, ...months],
});

const writeMonths = cachedQuery({
  build: (db, rows: readonly UsageMonthsTable[]) =>
    db
      .insertInto('usage_months')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['subject_id', 'month', 'subject_kind']).doUpdateSet((eb) => ({
          text_characters: eb.ref('excluded.text_characters'),
          document_characters: eb.ref('excluded.document_characters'),
          write_characters: eb.ref('excluded.write_characters'),
          speech_ms: eb.ref('excluded.speech_ms'),
        })),
      ),
  shapeOf: (rows) => rows.length,
  parametersOf: valuesOf,
});

function createCounters(rows: readonly UsageMonthsTable[]): UsageCounters {
  const counters = new Map<string, { row: UsageMonthsTable; isChanged: boolean }>();
  const nameOf = (kind: string, id: string, month: string) => `${kind} ${month} ${id}`;
  for (const row of rows) {
    const name = nameOf(row.subject_kind, row.subject_id, row.month);
    // Ensures that all rows have their columns in the same order.
    const empty = emptyRow(row.subject_kind, row.subject_id, row.month);
    counters.set(name, { row: { ...empty, ...row }, isChanged: false });
  }
  return {
    of(kind, charge) {
      const id = kind === 'key' ? charge.keyId : charge.accountId;
      const month = monthOf(charge.atMs);
      const name = nameOf(kind, id, month);
      const counter = counters.get(name) ?? { row: emptyRow(kind, id, month), isChanged: false };
      counters.set(name, counter);
      return counterOver(counter);
    },
    changed: () => [...counters.values()].filter((each) => each.isChanged).map(({ row }) => row),
  };
}

function counterOver(counter: { row: UsageMonthsTable; isChanged: boolean }): UsageCounter {
  const { row } = counter;
  return {
    used: (kind) => usedOf(row, kind),
    hasRoomFor({ kind, amount }, limits) {
      const limit = limitFor(kind, limits);
      if (limit === null) return true;
      const used = usedOf(row, kind);
      return used < limit && (kind === 'speech' || used + amount <= limit);
    },
    add({ kind, amount }) {
      row[columns[kind]] += amount;
      counter.isChanged ||= amount !== 0;
    },
    subtract({ kind, amount }) {
      row[columns[kind]] = Math.max(0, row[columns[kind]] - amount);
      counter.isChanged ||= amount !== 0;
    },
  };
}

/** Returns the limit that applies to a kind of use. */
export function limitFor(kind: UsageKind, { characters, speechMs }: UsageLimits): number | null {
  return kind === 'speech' ? speechMs : characters;
}

/** Characters of all services share a limit. */
function usedOf(row: UsageMonthsTable, kind: UsageKind): number {
  return kind === 'speech'
    ? row.speech_ms
    : row.text_characters + row.document_characters + row.write_characters;
}

function emptyRow(
  kind: UsageMonthsTable['subject_kind'],
  id: string,
  month: string,
): UsageMonthsTable {
  return {
    subject_kind: kind,
    subject_id: id,
    month,
    text_characters: 0,
    document_characters: 0,
    write_characters: 0,
    speech_ms: 0,
  };
}

function toTotals(row: UsageMonthsTable | undefined): UsageTotals {
  return {
    text: row?.text_characters ?? 0,
    document: row?.document_characters ?? 0,
    write: row?.write_characters ?? 0,
    speech: row?.speech_ms ?? 0,
  };
}

/** The month of a time in UTC: `2026-11`. */
function monthOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 7);
}

// Limit crossings: charges record which marks of a key's limit they reach, at the cost of a few
// comparisons. Crossings are written in the transaction of the charges. Refunds write nothing: a
// notice that they make untrue waits in the table until it is true again (`usage-notices.ts`).

/** Percentages of a limit at which notices are sent. */
const PERCENTS = [80, 100] as const;

export interface LimitCrossings {
  /**
   * Records the marks that a charge reaches.
   *
   * @param limit limit of the charge's key for this kind of use
   * @param usedBefore usage without the charge
   */
  note(charge: Charge, limit: number, usedBefore: number): void;
  /** Records that the limit refused a charge: for the sender, the limit is reached. */
  noteRefusal(charge: Charge, limit: number, used: number): void;
  /** Writes the recorded crossings, except those whose limit already has a notice in that month. */
  write(db: Database): Promise<void>;
}

export function createLimitCrossings(): LimitCrossings {
  // Charges of a batch only add, so each mark is crossed at most once.
  let crossed: UsageNoticesTable[] | undefined;
  let refused: Map<string, UsageNoticesTable> | undefined;
  return {
    note(charge, limit, usedBefore) {
      // A limit of 0 blocks the key on purpose and causes no notice.
      if (limit === 0) return;
      const used = usedBefore + charge.amount;
      for (const percent of PERCENTS) {
        const mark = markOf(limit, percent);
        if (usedBefore < mark && used >= mark) {
          (crossed ??= []).push(toRow(charge, { limit, percent, used }));
        }
      }
    },

    noteRefusal(charge, limit, used) {
      if (limit === 0) return;
      const name = `${charge.keyId} ${resourceOf(charge)} ${monthOf(charge.atMs)}`;
      refused ??= new Map();
      // Keeps the first refusal of a batch, which has the least usage.
      if (!refused.has(name)) refused.set(name, toRow(charge, { limit, percent: 100, used }));
    },

    async write(db) {
      // Usage was below the mark a moment ago, so a notice that still waits is outdated.
      if (crossed !== undefined) await save(db, crossed, sql<boolean>`true`);
      if (refused === undefined) return;
      // Repeated refusals change nothing, however often they occur.
      const isNewer = sql<boolean>`excluded.used < usage_notices.used`;
      await save(db, [...refused.values()], isNewer);
    },
  };
}

/** @param isNewer condition under which an unsent notice is replaced */
async function save(
  db: Database,
  rows: UsageNoticesTable[],
  isNewer: RawBuilder<boolean>,
): Promise<void> {
  await db
    .insertInto('usage_notices')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['key_id', 'month', 'resource', 'limit_amount', 'percent'])
        .doUpdateSet((eb) => ({
          // A request refused at some usage would be refused again at that usage, so the minimum is kept.
          used: sql<number>`case when excluded.used < usage_notices.used
            then excluded.used else usage_notices.used end`,
          reached_at_ms: eb.ref('excluded.reached_at_ms'),
        }))
        .where('usage_notices.closed_at_ms', 'is', null)
        .where(isNewer),
    )
    .execute();
}

/**
 * Returns the least usage that reaches a percentage of a limit. Integer arithmetic, because 0.8 is
 * no binary fraction.
 */
function markOf(limit: number, percent: (typeof PERCENTS)[number]): number {
  return percent === 100 ? limit : limit - Math.floor(limit / 5);
}

function resourceOf({ kind }: Charge): UsageNoticesTable['resource'] {
  return kind === 'speech' ? 'speech' : 'characters';
}

function toRow(
  charge: Charge,
  { limit, percent, used }: { limit: number; percent: number; used: number },
): UsageNoticesTable {
  const { accountId, keyId, atMs } = charge;
  return {
    notice_id: randomUUID(),
    account_id: accountId,
    key_id: keyId,
    month: monthOf(atMs),
    resource: resourceOf(charge),
    limit_amount: limit,
    percent,
    used,
    reached_at_ms: atMs,
    told: '[]',
    attempt: 0,
    due_at_ms: atMs,
    claim_id: null,
    closed_at_ms: null,
  };
}
