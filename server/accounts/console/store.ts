import { sql, type Selectable } from 'kysely';
import { locksRows, type Database } from '../../storage/database.ts';
import type { ConsoleCredentials, ConsoleSession, TryLimit } from '../../storage/ports.ts';
import type { ConsoleSessionsTable } from '../../storage/tables.ts';
import { toAccount } from '../store.ts';

export function createConsoleCredentials(db: Database): ConsoleCredentials {
  return {
    ...passwords(db),
    ...sessions(db),
    ...links(db),
    ...tries(db),
  };
}

function passwords(db: Database): Pick<ConsoleCredentials, 'findPassword' | 'changePassword'> {
  return {
    async findPassword(accountId) {
      const row = await db
        .selectFrom('console_passwords')
        .select('password_hash')
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return row?.password_hash;
    },

    async changePassword(expectedHash, passwordHash, session) {
      const { numUpdatedRows } = await db
        .updateTable('console_passwords')
        .set({ password_hash: passwordHash })
        .where('account_id', '=', session.accountId)
        .where('password_hash', '=', expectedHash)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await beginAnew(db, session);
      return true;
    },
  };
}

type SessionMethods = 'openSession' | 'findSession' | 'touchSession' | 'closeSession';

function sessions(db: Database): Pick<ConsoleCredentials, SessionMethods> {
  return {
    async openSession(session, passwordHash) {
      const password = await db
        .selectFrom('console_passwords')
        .select('account_id')
        .where('account_id', '=', session.accountId)
        .where('password_hash', '=', passwordHash)
        // Whoever changes the password ends all sessions; this one must be among them or not begin.
        .$if(locksRows(db), (query) => query.forUpdate())
        .executeTakeFirst();
      if (password === undefined) return false;
      const nowMs = session.createdAtMs;
      await db
        .deleteFrom('console_sessions')
        .where((eb) => eb.or([eb('idle_until_ms', '<=', nowMs), eb('expires_at_ms', '<=', nowMs)]))
        .execute();
      await db.deleteFrom('console_tries').where('until_ms', '<=', nowMs).execute();
      await db.insertInto('console_sessions').values(toRow(session)).execute();
      return true;
    },

    async findSession(sessionHash, atMs) {
      const row = await db
        .selectFrom('console_sessions as session')
        .innerJoin('accounts as account', 'account.account_id', 'session.account_id')
        .selectAll('account')
        .select([
          'session.session_hash',
          'session.idle_until_ms',
          'session.expires_at_ms',
          'session.created_at_ms as opened_at_ms',
        ])
        .where('session.session_hash', '=', sessionHash)
        .where('session.idle_until_ms', '>', atMs)
        .where('session.expires_at_ms', '>', atMs)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const session = toSession({ ...row, created_at_ms: row.opened_at_ms });
      return { session, account: toAccount(row) };
    },

    async touchSession(sessionHash, atMs, idleUntilMs) {
      await db
        .updateTable('console_sessions')
        .set({ idle_until_ms: idleUntilMs })
        .where('session_hash', '=', sessionHash)
        .where('idle_until_ms', '>', atMs)
        .execute();
    },

    async closeSession(sessionHash) {
      await db.deleteFrom('console_sessions').where('session_hash', '=', sessionHash).execute();
    },
  };
}

function links(db: Database): Pick<ConsoleCredentials, 'addLink' | 'findLink' | 'redeemLink'> {
  return {
    async addLink({ linkHash, accountId, createdAtMs, expiresAtMs }) {
      await db.deleteFrom('console_links').where('expires_at_ms', '<=', createdAtMs).execute();
      await db
        .insertInto('console_links')
        .values({
          link_hash: linkHash,
          account_id: accountId,
          created_at_ms: createdAtMs,
          expires_at_ms: expiresAtMs,
        })
        .execute();
    },

    async findLink(linkHash, atMs) {
      const row = await db
        .selectFrom('console_links as link')
        .innerJoin('accounts as account', 'account.account_id', 'link.account_id')
        .selectAll('account')
        .where('link.link_hash', '=', linkHash)
        .where('link.expires_at_ms', '>', atMs)
        .executeTakeFirst();
      return row && toAccount(row);
    },

    async redeemLink(linkHash, passwordHash, session) {
      const { numDeletedRows } = await db
        .deleteFrom('console_links')
        .where('link_hash', '=', linkHash)
        .where('account_id', '=', session.accountId)
        .where('expires_at_ms', '>', session.createdAtMs)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      await db
        .insertInto('console_passwords')
        .values({ account_id: session.accountId, password_hash: passwordHash })
        .onConflict((on) => on.column('account_id').doUpdateSet({ password_hash: passwordHash }))
        .execute();
      await beginAnew(db, session);
      return true;
    },
  };
}

function tries(db: Database): Pick<ConsoleCredentials, 'spendTries' | 'giveBackTries'> {
  return {
    async spendTries(limits, atMs, windowMs) {
      for (const limit of limits) {
        const refusedUntilMs = await spendTry(db, limit, { atMs, windowMs });
        if (refusedUntilMs !== undefined) return refusedUntilMs;
      }
      return undefined;
    },

    async giveBackTries(subjects) {
      // One by one, in the order in which they were spent: nobody waits for each other in a circle.
      for (const subject of subjects) {
        await db
          .updateTable('console_tries')
          .set((eb) => ({ count: eb('count', '-', 1) }))
          .where('subject', '=', subject)
          .where('count', '>', 0)
          .execute();
      }
    },
  };
}

/** Counts one try, also a refused one. @returns when to try again, if there was none left */
async function spendTry(
  db: Database,
  { subject, max }: TryLimit,
  { atMs, windowMs }: { atMs: number; windowMs: number },
): Promise<number | undefined> {
  const untilMs = atMs + windowMs;
  const { count, until_ms } = await db
    .insertInto('console_tries')
    .values({ subject, count: 1, until_ms: untilMs })
    .onConflict((on) =>
      on.column('subject').doUpdateSet({
        count: sql<number>`case when console_tries.until_ms <= ${atMs} then 1
          when console_tries.count > ${max} then console_tries.count
          else console_tries.count + 1 end`,
        until_ms: sql<number>`case when console_tries.until_ms <= ${atMs} then ${untilMs}
          else console_tries.until_ms end`,
      }),
    )
    .returning(['count', 'until_ms'])
    .executeTakeFirstOrThrow();
  return count > max ? until_ms : undefined;
}

/** Ends every session and link of an account, and begins a session. */
async function beginAnew(db: Database, session: ConsoleSession): Promise<void> {
  const { accountId } = session;
  await db.deleteFrom('console_sessions').where('account_id', '=', accountId).execute();
  await db.deleteFrom('console_links').where('account_id', '=', accountId).execute();
  await db.insertInto('console_sessions').values(toRow(session)).execute();
}

function toRow(session: ConsoleSession): ConsoleSessionsTable {
  return {
    session_hash: session.sessionHash,
    account_id: session.accountId,
    created_at_ms: session.createdAtMs,
    idle_until_ms: session.idleUntilMs,
    expires_at_ms: session.expiresAtMs,
  };
}

function toSession(row: Selectable<ConsoleSessionsTable>): ConsoleSession {
  return {
    sessionHash: row.session_hash,
    accountId: row.account_id,
    createdAtMs: row.created_at_ms,
    idleUntilMs: row.idle_until_ms,
    expiresAtMs: row.expires_at_ms,
  };
}
