/** The counters of a month that limits are held against, one of each key and one of each account, and which limits are reached. */
import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { UsageLimits } from '../../http/door.ts';
import { builtOnce, type Database, valuesOf } from '../../storage/database.ts';
import type { UsageNoticesTable } from './usage-notices-store.ts';

/** What is counted: characters of three services, and ms of speech. */
export type UsageKind = 'text' | 'document' | 'write' | 'speech';

/** Something a request used. */
export interface Charge {
  accountId: string;
  keyId: string;
  kind: UsageKind;
  /** Code points, or ms for `speech`. */
  amount: number;
  atMs: number;
  /** Custom reporting tag, already checked. */
  tag: string | null;
}

export type ChargeOutcome =
  | 'charged'
  | 'key_limit_reached'
  | 'account_limit_reached'
  | 'key_deactivated';

/** Amounts by what was used. */
export type UsageTotals = Record<UsageKind, number>;

/** What a key or an account used in a month: what limits are held against. */
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

/** What a key or an account has used in a month, while a batch is decided. */
interface UsageCounter {
  /** What counts against the limit that a kind of use has. */
  used(kind: UsageKind): number;
  /**
   * Whether the whole of a charge fits below a limit that is not used up. Speech is charged when it
   * has been heard already: all of it counts while anything is left.
   */
  hasRoomFor(charge: Charge, limits: UsageLimits): boolean;
  add(charge: Charge): void;
  /** Not below 0. */
  subtract(charge: Charge): void;
}

/** Counters of all keys and accounts of a batch; those that have not counted before start at 0. */
export interface UsageCounters {
  of(subject: UsageMonthsTable['subject_kind'], charge: Charge): UsageCounter;
  /** Rows that were changed. */
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
    /** The counters that charges need; the rows of their keys and accounts must be locked. */
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

    /** What an account and one of its keys used in the month (UTC) that holds `atMs`. */
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

const findMonths = builtOnce({
  build: (db, { subjects, months }: { subjects: string[]; months: string[] }) =>
    db
      .selectFrom('usage_months')
      .selectAll()
      .where('subject_id', 'in', subjects)
      .where('month', 'in', months),
  shapeOf: ({ subjects, months }) => `${subjects.length} ${months.length}`,
  parametersOf: ({ subjects, months }) => [...subjects, ...months],
});

const writeMonths = builtOnce({
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
    // All have their columns in one order.
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

/** What a kind of use is held against. */
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

/** The month of a time: `2026-11`, in UTC. */
export function monthOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 7);
}

// Which limits of keys are reached, noted by charges as they are decided: a few comparisons each. What
// came true is written with the charges, in their transaction. Refunds write nothing: a notice that
// they make false waits in the table until it is true again (`usage-notices.ts`).

/** Percent of a limit at which its users are notified. */
const PERCENTS = [80, 100] as const;

export interface LimitCrossings {
  /**
   * Notes the marks that a charge reaches.
   *
   * @param limit of the charge's key, for what the charge is of
   * @param usedBefore what counted against the limit without the charge
   */
  note(charge: Charge, limit: number, usedBefore: number): void;
  /** Notes that the limit refused a charge: for whoever sends it, it is reached. */
  noteRefusal(charge: Charge, limit: number, used: number): void;
  /** Writes what was noted, but nothing that the same limit has a notice of in that month. */
  write(db: Database): Promise<void>;
}

export function createLimitCrossings(): LimitCrossings {
  // Charges of a batch only add: each mark is crossed once at the most.
  let crossed: UsageNoticesTable[] | undefined;
  let refused: Map<string, UsageNoticesTable> | undefined;
  return {
    note(charge, limit, usedBefore) {
      // A limit of 0 is a block: nothing comes near it.
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
      // The first of a batch: what is used by then is the least.
      if (!refused.has(name)) refused.set(name, toRow(charge, { limit, percent: 100, used }));
    },

    async write(db) {
      // Below its mark a moment ago: a notice that still waits is not of now.
      if (crossed !== undefined) await save(db, crossed, sql<boolean>`true`);
      if (refused === undefined) return;
      // The same refusal again changes nothing, however often it comes.
      const isNewer = sql<boolean>`excluded.used < usage_notices.used`;
      await save(db, [...refused.values()], isNewer);
    },
  };
}

/** @param isNewer which notices that nobody has got yet are replaced by these */
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
          // A request that was refused earlier is so again when as much is used as then.
          used: sql<number>`case when excluded.used < usage_notices.used
            then excluded.used else usage_notices.used end`,
          reached_at_ms: eb.ref('excluded.reached_at_ms'),
        }))
        .where('usage_notices.closed_at_ms', 'is', null)
        .where(isNewer),
    )
    .execute();
}

/** The least use that is so much of a limit; in whole numbers, for 0.8 is no binary fraction. */
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
