/**
 * Which limits of keys are reached, told by charges as they are decided: a few comparisons each. What
 * came true is written with the charges, in their transaction. Refunds write nothing: a notice that
 * they make false waits in the table until it is true again (`usage-notices.ts`).
 */
import { randomUUID } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { Charge } from './charge.ts';
import type { UsageNoticesTable } from './usage-notices-store.ts';
import { monthOf } from './usage-counters-store.ts';

/** Percent of a limit of which its users are told. */
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
  /** Writes what was noted; nothing of what the same limit was told of in that month. */
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

/** @param isNewer which notices that nobody has got yet tell of these instead */
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
