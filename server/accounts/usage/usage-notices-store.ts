/**
 * Notices that wait to be sent. One is due only while it is true: of the limit that its key has, as
 * much is used as it says, or as was when the limit refused a request. So what was noted and then
 * given back is told of when it has come true again, and never otherwise.
 */
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { ClaimedNotice, UsageNotices } from '../../storage/ports.ts';
import type { UsageNoticesTable } from '../../storage/tables.ts';

type Wish = Parameters<UsageNotices['claim']>[0];

/** Of an account: it names somebody. */
const NOBODY = '[]';

export function createUsageNotices(db: Database): UsageNotices {
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
        // Another took it meanwhile.
        if (taken === undefined) continue;
        return withRecipients(db, taken, wish.claimId);
      }
    },

    noteTold: (noticeId, claimId, { told, untilMs }) =>
      change(noticeId, claimId, { told: JSON.stringify(told), due_at_ms: untilMs }),

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

/** What counts against a limit now. */
const usedNow = sql<number>`coalesce(case notice.resource when 'speech' then month.speech_ms
  else month.text_characters + month.document_characters + month.write_characters end, 0)`;
const limitNow = sql<number>`case notice.resource when 'speech' then key.speech_ms_limit
  else key.characters_limit end`;
/** The least use that is 80 % of a limit: whole numbers divide without a rest. */
const mostOf = sql<number>`notice.limit_amount - notice.limit_amount / 5`;
/** Whether so much is used of the whole limit, or as much as when it refused a request. */
const isUsedUp = (used: RawBuilder<number>) =>
  sql<boolean>`${usedNow} >= notice.limit_amount or ${usedNow} >= ${used}`;
/** Who is told, or was by then, that a limit is reached need not be told that most of it is used. */
const isSurpassed = sql<boolean>`exists (
  select 1 from usage_notices as whole
  where whole.key_id = notice.key_id and whole.month = notice.month
    and whole.resource = notice.resource and whole.limit_amount = notice.limit_amount
    and whole.percent = 100
    and (whole.closed_at_ms is null and (${isUsedUp(sql`whole.used`)})
      or whole.used >= ${mostOf} and (whole.closed_at_ms is not null or whole.told <> '[]')))`;

/** Notices that somebody has yet to get and that are true now, with what they are of. */
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

/** Does nothing unless the notice is as it was seen: whoever takes it changes when it is due. */
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
      // What is told.
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
    told: JSON.parse(row.told) as string[],
    keyLabel: label,
    keyMasked: masked,
  };
}
