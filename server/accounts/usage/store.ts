/**
 * What was used. A batch of charges and refunds is written at once: the limits are read and their
 * rows locked, the entries are decided one after the other in memory, and the sums are written. So a
 * batch costs four statements however many entries a busy key has in it, and is exact all the same.
 */
import {
  type UsageKind,
  type Charge,
  type ChargeOutcome,
  type UsageTotals,
  createLimitCrossings,
  type LimitCrossings,
  createUsageCounters,
  limitFor,
  type UsageCounters,
} from './usage-counters-store.ts';
import { sql } from 'kysely';
import { ServiceError } from '../../../shared/errors.ts';
import { builtOnce, type Database, locksRows, valuesOf } from '../../storage/database.ts';
import { defineStore, RowsLocked, type WhenLocked } from '../../storage/store.ts';
import type { UsageLimits } from '../../http/door.ts';

export type { Charge } from './usage-counters-store.ts';

export interface UsageStore {
  /**
   * Counts a charge if the limits of key and account for its month (UTC) leave room for the whole of
   * it, else nothing; speech, which is charged when it has been heard, counts whole while anything
   * is left. A limit that is used up refuses even 0, and so does a deactivated key; documents, which
   * were taken in before, are charged all the same. Exact under any concurrency.
   */
  charge(charge: Charge): Promise<ChargeOutcome>;
  /** Takes back a charge whose work failed. */
  refund(charge: Charge): Promise<void>;
  /** What an account and one of its keys used in the month (UTC) that holds `atMs`. */
  ofMonth(
    accountId: string,
    keyId: string,
    atMs: number,
  ): Promise<{ account: UsageTotals; key: UsageTotals }>;
}

/** What a key used on a day under a reporting tag: what reports are made of. */
interface UsageDaysTable {
  key_id: string;
  /** `2026-11-21`, in UTC. */
  day: string;
  /** Empty for none. */
  tag: string;
  kind: UsageKind;
  amount: number;
}

declare module '../../storage/database.ts' {
  interface Tables {
    usage_days: UsageDaysTable;
  }
}

/** What a key used, held against its limits and those of its account. */
export const usageStore = defineStore<UsageStore>({
  over: createUsage,
  reads: ['ofMonth'],
  batch: {
    methods: ['charge', 'refund'],
    // With as many different keys, a statement still has far fewer parameters than either database bears.
    mostCalls: 500,
    subjectOf: ({ args: [charge] }) => (charge as Charge).accountId,
    over: (db, whenLocked) => async (calls) => {
      const entries = calls.map(({ method, args: [charge] }) => ({
        kind: method === 'refund' ? ('refund' as const) : ('charge' as const),
        charge: charge as Charge,
      }));
      const outcomes = await record(db, entries, whenLocked);
      return Promise.allSettled(outcomes.map(async (outcome) => answerOf(outcome)));
    },
  },
});

function createUsage(db: Database): UsageStore {
  return {
    async charge(charge) {
      const [outcome] = await record(db, [{ kind: 'charge', charge }]);
      const answer = answerOf(outcome);
      if (answer === undefined) throw undecided();
      return answer;
    },
    async refund(charge) {
      const [outcome] = await record(db, [{ kind: 'refund', charge }]);
      answerOf(outcome);
    },
    ofMonth: (...wish) => createUsageCounters(db).ofMonth(...wish),
  };
}

/** A charge, or the taking back of one. */
interface UsageEntry {
  kind: 'charge' | 'refund';
  charge: Charge;
}

type EntryOutcome = ChargeOutcome | 'refunded' | 'unknown_key' | 'locked';

/** What a caller may use, by key and by account. */
interface Limits {
  accountId: string;
  isDeactivated: boolean;
  key: UsageLimits;
  account: UsageLimits;
}

/** What is written of a key, a day, a tag and a kind. */
interface LedgerLine {
  key_id: string;
  day: string;
  tag: string;
  kind: UsageKind;
  amount: number;
}

/** Decides and writes entries, refunds first; any order will do, for all were asked for at the same time. */
async function record(
  db: Database,
  entries: readonly UsageEntry[],
  whenLocked: WhenLocked = 'wait',
): Promise<EntryOutcome[]> {
  const counters = createUsageCounters(db);
  const limits = await lockLimits(db, entries, whenLocked);
  const used = await counters.read(entries.map(({ charge }) => charge));
  const crossings = createLimitCrossings();
  const outcomes = new Array<EntryOutcome>(entries.length);
  const ledger = { charge: createLedgerLines(), refund: createLedgerLines() };
  for (const kind of ['refund', 'charge'] as const) {
    for (const [index, entry] of entries.entries()) {
      if (entry.kind !== kind) continue;
      // Whether there is such a key shows when nothing is skipped.
      const isLocked = whenLocked === 'skip' && !limits.has(entry.charge.keyId);
      const outcome = isLocked ? 'locked' : decide(entry, limits, used, crossings);
      outcomes[index] = outcome;
      if (outcome === 'refunded' || outcome === 'charged') ledger[kind].add(entry.charge);
    }
  }
  await counters.write(used);
  await takeFromLedger(db, ledger.refund.lines());
  await addToLedger(db, ledger.charge.lines());
  await crossings.write(db);
  return outcomes;
}

/**
 * What the caller of `charge` or `refund` gets.
 *
 * @throws ServiceError not_found when the account has no such key
 * @throws RowsLocked
 */
function answerOf(outcome: EntryOutcome | undefined): ChargeOutcome | undefined {
  if (outcome === undefined) throw undecided();
  if (outcome === 'locked') throw new RowsLocked();
  if (outcome === 'unknown_key') {
    throw new ServiceError('not_found', 'The account has no such API key.');
  }
  return outcome === 'refunded' ? undefined : outcome;
}

function undecided(): ServiceError {
  return new ServiceError('internal', 'A charge was not decided.');
}

const lockedLimits = builtOnce({
  build: (db, { keyIds, whenLocked }: { keyIds: readonly string[]; whenLocked: WhenLocked }) =>
    db
      .selectFrom('api_keys as key')
      .innerJoin('accounts as account', 'account.account_id', 'key.account_id')
      .select([
        'key.key_id',
        'key.account_id',
        'key.deactivated_at_ms',
        'key.characters_limit',
        'key.speech_ms_limit',
        'account.characters_limit as account_characters_limit',
        'account.speech_ms_limit as account_speech_ms_limit',
      ])
      .where('key.key_id', 'in', keyIds)
      .orderBy('key.account_id')
      .orderBy('key.key_id')
      .$if(locksRows(db), (query) => query.forNoKeyUpdate())
      .$if(whenLocked === 'skip', (query) => query.skipLocked()),
  shapeOf: ({ keyIds, whenLocked }) => `${keyIds.length} ${whenLocked}`,
  parametersOf: ({ keyIds }) => keyIds,
});

/**
 * Locks accounts and keys, and so their counters, in an order that is the same in every process:
 * two batches wait for each other, never both at once.
 *
 * @returns the limits by key, without those of keys that there are not or that were skipped
 */
async function lockLimits(
  db: Database,
  entries: readonly UsageEntry[],
  whenLocked: WhenLocked,
): Promise<Map<string, Limits>> {
  const keyIds = [...new Set(entries.map(({ charge }) => charge.keyId))];
  const rows = await lockedLimits(db, { keyIds, whenLocked });
  return new Map(
    rows.map((row) => [
      row.key_id,
      {
        accountId: row.account_id,
        isDeactivated: row.deactivated_at_ms !== null,
        key: { characters: row.characters_limit, speechMs: row.speech_ms_limit },
        account: {
          characters: row.account_characters_limit,
          speechMs: row.account_speech_ms_limit,
        },
      },
    ]),
  );
}

function decide(
  { kind, charge }: UsageEntry,
  limitsOf: ReadonlyMap<string, Limits>,
  used: UsageCounters,
  crossings: LimitCrossings,
): EntryOutcome {
  const limits = limitsOf.get(charge.keyId);
  if (limits?.accountId !== charge.accountId) return 'unknown_key';
  const key = used.of('key', charge);
  const account = used.of('account', charge);
  if (kind === 'refund') {
    key.subtract(charge);
    account.subtract(charge);
    return 'refunded';
  }
  // Documents were taken in while the key was active, and are charged when they are done.
  if (limits.isDeactivated && charge.kind !== 'document') return 'key_deactivated';
  const limit = limitFor(charge.kind, limits.key);
  if (!key.hasRoomFor(charge, limits.key)) {
    if (limit !== null) crossings.noteRefusal(charge, limit, key.used(charge.kind));
    return 'key_limit_reached';
  }
  if (!account.hasRoomFor(charge, limits.account)) return 'account_limit_reached';
  if (limit !== null) crossings.note(charge, limit, key.used(charge.kind));
  key.add(charge);
  account.add(charge);
  return 'charged';
}

/** Sums up what concerns the same key, day, tag and kind. */
function createLedgerLines() {
  const lines = new Map<string, LedgerLine>();
  return {
    add({ keyId, kind, amount, atMs, tag }: Charge) {
      if (amount === 0) return;
      const day = new Date(atMs).toISOString().slice(0, 10);
      const name = JSON.stringify([keyId, day, kind, tag]);
      const line = lines.get(name);
      if (line === undefined) {
        lines.set(name, { key_id: keyId, day, tag: tag ?? '', kind, amount });
      } else {
        line.amount += amount;
      }
    },
    lines: () => [...lines.values()],
  };
}

const addLines = builtOnce({
  build: (db, lines: readonly LedgerLine[]) =>
    db
      .insertInto('usage_days')
      .values(lines)
      .onConflict((conflict) =>
        conflict.columns(['key_id', 'day', 'tag', 'kind']).doUpdateSet((eb) => ({
          amount: eb('usage_days.amount', '+', eb.ref('excluded.amount')),
        })),
      ),
  shapeOf: (lines) => lines.length,
  parametersOf: valuesOf,
});

async function addToLedger(db: Database, lines: readonly LedgerLine[]): Promise<void> {
  if (lines.length > 0) await addLines(db, lines);
}

/** Refunds are rare: a statement each. */
async function takeFromLedger(db: Database, lines: LedgerLine[]): Promise<void> {
  for (const { key_id, day, tag, kind, amount } of lines) {
    await db
      .updateTable('usage_days')
      .set({ amount: sql<number>`case when amount > ${amount} then amount - ${amount} else 0 end` })
      .where('key_id', '=', key_id)
      .where('day', '=', day)
      .where('tag', '=', tag)
      .where('kind', '=', kind)
      .execute();
  }
}
