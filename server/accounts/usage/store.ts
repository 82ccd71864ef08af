/**
 * Usage accounting: charges and refunds, checked against the limits of keys and accounts. A batch
 * is written at once: the limits are read and their rows locked, the entries are decided one by one
 * in memory, and the sums are written. A batch costs four statements however many entries a busy
 * key has in it, and is still exact.
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
import { cachedQuery, type Database, locksRows, valuesOf } from '../../storage/database.ts';
import { defineStore, RowsLocked, type WhenLocked } from '../../storage/store.ts';
import type { UsageLimits } from '../../http/door.ts';

export type { Charge } from './usage-counters-store.ts';
export { OutcomeUnknown } from '../../storage/store.ts';

export interface UsageStore {
  /**
   * Counts a charge if the limits of key and account for its month (UTC) have room for all of it,
   * else nothing. Speech is charged after it was heard, so all of it counts as long as anything is
   * left. An exhausted limit refuses even 0, and so does a deactivated key; documents were accepted
   * earlier and are charged regardless of deactivation. Exact under any concurrency.
   */
  charge(charge: Charge): Promise<ChargeOutcome>;
  /** Refunds a charge whose work failed. */
  refund(charge: Charge): Promise<void>;
  /** Usage of an account and one of its keys in the month (UTC) that contains `atMs`. */
  ofMonth(
    accountId: string,
    keyId: string,
    atMs: number,
  ): Promise<{ account: UsageTotals; key: UsageTotals }>;
}

/** Usage of a key on a day under a reporting tag: the basis of reports. */
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

/** Usage of keys, checked against the limits of keys and accounts. */
export const usageStore = defineStore<UsageStore>({
  over: createUsage,
  reads: ['ofMonth'],
  batch: {
    methods: ['charge', 'refund'],
    // Even with as many different keys, a statement stays far below both databases' limits on parameters.
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

/** A charge or a refund. */
interface UsageEntry {
  kind: 'charge' | 'refund';
  charge: Charge;
}

type EntryOutcome = ChargeOutcome | 'refunded' | 'unknown_key' | 'locked';

/** Limits of a key and of its account. */
interface Limits {
  accountId: string;
  isDeactivated: boolean;
  key: UsageLimits;
  account: UsageLimits;
}

/** A row to add to the ledger of days. */
interface LedgerLine {
  key_id: string;
  day: string;
  tag: string;
  kind: UsageKind;
  amount: number;
}

/** Decides and writes entries, refunds first. Any order is correct, because all entries are concurrent. */
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
      // A skipped row looks like a missing key; only a run without skipping can tell them apart.
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
 * Converts an outcome to the answer of `charge` or `refund`.
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

const lockedLimits = cachedQuery({
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
 * Locks accounts and keys, and thereby their counters, in the same order in every process, so that
 * batches cannot deadlock.
 *
 * @returns the limits by key, without missing or skipped keys
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
  // Documents are accepted while the key is active and charged when they are done.
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

/** Sums entries with the same key, day, tag and kind. */
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

const addLines = cachedQuery({
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

/** Refunds are rare: one statement each. */
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
