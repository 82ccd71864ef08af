/**
 * Notices that wait to be sent. A notice is due only while it is true: usage of the key's current
 * limit is at least what the notice says, or what it was when the limit refused a request. A notice
 * that a refund made untrue is sent when it is true again, and never otherwise.
 */
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { defineStore } from '../../storage/store.ts';

/** The resource that a limit applies to. */
export type LimitedResource = 'characters' | 'speech';

/** A mark that a key reached in a month; announced once to every address of its account. */
export interface UsageNotice {
  noticeId: string;
  accountId: string;
  keyId: string;
  /** `2026-11`, in UTC. */
  month: string;
  resource: LimitedResource;
  /** Characters, or ms of speech. */
  limit: number;
  /** Percentage of the limit that was reached: 80 or 100. */
  percent: number;
  /** Current usage; below the limit if the limit refused a request that needs more than is left. */
  used: number;
  /** Time at which the mark was reached or a request was refused. */
  reachedAtMs: number;
}

/** A notice that a server is sending. */
export interface ClaimedNotice extends UsageNotice {
  claimId: string;
  /** Number of claims, including this one. */
  attempt: number;
  accountName: string;
  /** Recipients: all current addresses of the account. */
  emails: string[];
  /** Addresses that were notified or given up. */
  notified: string[];
  keyLabel: string;
  /** `dc88****3a2c` */
  keyMasked: string;
}

export interface UsageNoticeStore {
  /**
   * Claims the notice that has been due for longest, of an account that has addresses; only one of
   * any number of callers gets it. Notices that are no longer true wait: after refunds, after a
   * change of the limit, or for 80 % when 100 % is announced. The claim lasts until `untilMs`;
   * after that, its sender counts as dead.
   *
   * @param wish.firstMonth older notices are obsolete
   */
  claim(wish: {
    claimId: string;
    atMs: number;
    untilMs: number;
    firstMonth: string;
  }): Promise<ClaimedNotice | undefined>;
  /** Records addresses that are done, and extends the claim. Resolves to false if the claim is lost. */
  noteProgress(
    noticeId: string,
    claimId: string,
    progress: { notified: readonly string[]; untilMs: number },
  ): Promise<boolean>;
  /** Closes a notice after every address was handled. Resolves to false if the claim is lost. */
  close(noticeId: string, claimId: string, atMs: number): Promise<boolean>;
  /** Releases a notice until `dueAtMs`. Resolves to false if the claim is lost. */
  postpone(noticeId: string, claimId: string, dueAtMs: number): Promise<boolean>;
  /** Counts true, unclosed notices by whether their account has addresses. */
  countOpen(firstMonth: string): Promise<{ addressed: number; unaddressed: number }>;
}

type Wish = Parameters<UsageNoticeStore['claim']>[0];

/** `accounts.emails` of an account without addresses. */
const NOBODY = '[]';

/** Notices of keys that come near their limits, one for each limit and mark of a key in a month. */
export interface UsageNoticesTable {
  notice_id: string;
  account_id: string;
  key_id: string;
  /** `2026-11`, in UTC. */
  month: string;
  resource: LimitedResource;
  limit_amount: number;
  /** 80 or 100. */
  percent: number;
  /** Usage at that time; below the limit if the limit refused a request. */
  used: number;
  reached_at_ms: number;
  /** A JSON list of the addresses that were notified. */
  told: string;
  attempt: number;
  /** When the notice may be claimed; for a claimed one, when its sender counts as dead. */
  due_at_ms: number;
  claim_id: string | null;
  /** When every address had been handled. */
  closed_at_ms: number | null;
}

declare module '../../storage/database.ts' {
  interface Tables {
    usage_notices: UsageNoticesTable;
  }
}

/** Notices of limits that are nearly reached. */
export const usageNoticeStore = defineStore<UsageNoticeStore>({
  over: createUsageNotices,
  reads: ['countOpen'],
});

function createUsageNotices(db: Database): UsageNoticeStore {
  const change = async (
    noticeId: string,
    claimId: string,
    values: Partial<Pick<UsageNoticesTable, 'told' | 'closed_at_ms' | 'due_at_ms' | 'claim_id'>>,
  ): Promise<boolean> => {
    const { numUpdatedRows } = await db
      .updateTable('usage_notices')
      .set(values)
      .where('notice_id', '=', noticeId)
      .where('claim_id', '=', claimId)
      .executeTakeFirst();
    return numUpdatedRows > 0;
  };

  return {
    async claim(wish) {
      for (;;) {
        const next = await findDue(db, wish);
        if (next === undefined) return undefined;
        const taken = await take(db, next, wish);
        // Another caller has claimed it meanwhile.
        if (taken === undefined) continue;
        return withRecipients(db, taken, wish.claimId);
      }
    },

    noteProgress: (noticeId, claimId, { notified, untilMs }) =>
      change(noticeId, claimId, { told: JSON.stringify(notified), due_at_ms: untilMs }),

    close: (noticeId, claimId, atMs) =>
      change(noticeId, claimId, { closed_at_ms: atMs, claim_id: null }),

    postpone: (noticeId, claimId, dueAtMs) =>
      change(noticeId, claimId, { due_at_ms: dueAtMs, claim_id: null }),

    async countOpen(firstMonth) {
      const rows = await trueAndOpen(db, firstMonth)
        .select(['account.emails', ({ fn }) => fn.countAll<number>().as('count')])
        .groupBy('account.emails')
        .execute();
      const sum = (counted: typeof rows) => counted.reduce((all, { count }) => all + count, 0);
      return {
        addressed: sum(rows.filter(({ emails }) => emails !== NOBODY)),
        unaddressed: sum(rows.filter(({ emails }) => emails === NOBODY)),
      };
    },
  };
}

/** Current usage that counts against the limit. */
const usedNow = sql<number>`coalesce(case notice.resource when 'speech' then month.speech_ms
  else month.text_characters + month.document_characters + month.write_characters end, 0)`;
const limitNow = sql<number>`case notice.resource when 'speech' then key.speech_ms_limit
  else key.characters_limit end`;
/** The least usage that is 80 % of a limit, in integer arithmetic. */
const mostOf = sql<number>`notice.limit_amount - notice.limit_amount / 5`;
/** Whether usage has reached the limit, or the level at which the limit refused a request. */
const isUsedUp = (used: RawBuilder<number>) =>
  sql<boolean>`${usedNow} >= notice.limit_amount or ${usedNow} >= ${used}`;
/** Whether a notice of 100 % supersedes that of 80 %: recipients of the former do not need the latter. */
const isSurpassed = sql<boolean>`exists (
  select 1 from usage_notices as whole
  where whole.key_id = notice.key_id and whole.month = notice.month
    and whole.resource = notice.resource and whole.limit_amount = notice.limit_amount
    and whole.percent = 100
    and (whole.closed_at_ms is null and (${isUsedUp(sql`whole.used`)})
      or whole.used >= ${mostOf} and (whole.closed_at_ms is not null or whole.told <> '[]')))`;

/** Selects unclosed notices that are currently true, with their keys and accounts. */
function trueAndOpen(db: Database, firstMonth: string) {
  return db
    .selectFrom('usage_notices as notice')
    .innerJoin('accounts as account', 'account.account_id', 'notice.account_id')
    .innerJoin('api_keys as key', 'key.key_id', 'notice.key_id')
    .leftJoin('usage_months as month', (join) =>
      join
        .onRef('month.subject_id', '=', 'notice.key_id')
        .onRef('month.month', '=', 'notice.month')
        .on('month.subject_kind', '=', 'key'),
    )
    .where('notice.closed_at_ms', 'is', null)
    .where('notice.month', '>=', firstMonth)
    .where(limitNow, '=', sql<number>`notice.limit_amount`)
    .where(
      sql<boolean>`case notice.percent when 100 then (${isUsedUp(sql`notice.used`)})
        else ${usedNow} >= ${mostOf} and not ${isSurpassed} end`,
    );
}

function findDue(db: Database, { atMs, firstMonth }: Wish) {
  return trueAndOpen(db, firstMonth)
    .select(['notice.notice_id', 'notice.due_at_ms', usedNow.as('used_now')])
    .where('notice.due_at_ms', '<=', atMs)
    .where('account.emails', '<>', NOBODY)
    .orderBy('notice.due_at_ms')
    .orderBy('notice.percent')
    .orderBy('notice.notice_id')
    .limit(1)
    .executeTakeFirst();
}

/** Claims a notice unless it has changed since it was read: every claim changes `due_at_ms`. */
function take(
  db: Database,
  seen: { notice_id: string; due_at_ms: number; used_now: number },
  { claimId, untilMs }: Wish,
) {
  return db
    .updateTable('usage_notices')
    .set((eb) => ({
      claim_id: claimId,
      due_at_ms: untilMs,
      attempt: eb('attempt', '+', 1),
      // The usage that the mail will state.
      used: seen.used_now,
    }))
    .where('notice_id', '=', seen.notice_id)
    .where('due_at_ms', '=', seen.due_at_ms)
    .where('closed_at_ms', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

async function withRecipients(
  db: Database,
  row: Selectable<UsageNoticesTable>,
  claimId: string,
): Promise<ClaimedNotice> {
  const { name, emails, label, masked } = await db
    .selectFrom('api_keys as key')
    .innerJoin('accounts as account', 'account.account_id', 'key.account_id')
    .select(['account.name', 'account.emails', 'key.label', 'key.masked'])
    .where('key.key_id', '=', row.key_id)
    .executeTakeFirstOrThrow();
  return {
    noticeId: row.notice_id,
    accountId: row.account_id,
    keyId: row.key_id,
    month: row.month,
    resource: row.resource,
    limit: row.limit_amount,
    percent: row.percent,
    used: row.used,
    reachedAtMs: row.reached_at_ms,
    claimId,
    attempt: row.attempt,
    accountName: name,
    emails: JSON.parse(emails) as string[],
    notified: JSON.parse(row.told) as string[],
    keyLabel: label,
    keyMasked: masked,
  };
}
