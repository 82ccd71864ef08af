/** The store of console credentials: passwords, sessions, one-time links and sign-in attempts. */
import type { Account } from '../../http/door.ts';
import { sql, type Selectable } from 'kysely';
import { locksRows, type Database } from '../../storage/database.ts';
import { defineStore } from '../../storage/store.ts';
import { toAccount } from '../store.ts';

/** A console session; found by the hash of the browser's token. */
export interface ConsoleSession {
  /** SHA-256 of the token, 64 hex digits. */
  sessionHash: string;
  accountId: string;
  createdAtMs: number;
  /** End of the session unless it is used before. */
  idleUntilMs: number;
  /** Absolute end of the session. */
  expiresAtMs: number;
}

/** A limit on attempts within a window. */
export interface TryLimit {
  /** What attempts are counted for: an account or an address. */
  subject: string;
  max: number;
}

export interface ConsoleCredentialStore {
  /** Returns the encoded password hash of an account; undefined without a password. */
  findPassword(accountId: string): Promise<string | undefined>;
  /**
   * Opens a session, and deletes expired ones.
   *
   * @param passwordHash the hash that the password was checked against
   * @returns false if the account has another password by now
   */
  openSession(session: ConsoleSession, passwordHash: string): Promise<boolean>;
  /** Returns a valid session with its account. */
  findSession(
    sessionHash: string,
    atMs: number,
  ): Promise<{ session: ConsoleSession; account: Account } | undefined>;
  /** Extends a valid session. */
  touchSession(sessionHash: string, atMs: number, idleUntilMs: number): Promise<void>;
  closeSession(sessionHash: string): Promise<void>;
  /** Stores a link by its hash, and deletes expired ones. */
  addLink(link: {
    linkHash: string;
    accountId: string;
    createdAtMs: number;
    expiresAtMs: number;
  }): Promise<void>;
  /** Returns the account of a link; undefined if the link is unknown, used or expired. */
  findLink(linkHash: string, atMs: number): Promise<Account | undefined>;
  /**
   * Redeems a link: sets the password, ends all sessions and links of the account, and opens the
   * session. Of any number of callers with the same link, one succeeds.
   *
   * @returns false if the link is unknown, used, expired or of another account
   */
  redeemLink(linkHash: string, passwordHash: string, session: ConsoleSession): Promise<boolean>;
  /**
   * Replaces a password, ends all sessions and links of the account, and opens the session.
   *
   * @returns false if the account's password hash is no longer `expectedHash`
   */
  changePassword(
    expectedHash: string,
    passwordHash: string,
    session: ConsoleSession,
  ): Promise<boolean>;
  /**
   * Counts an attempt for each subject in order, until one is exhausted; exact under any
   * concurrency. A subject's window begins with its first attempt.
   *
   * @returns when the exhausted subject may try again; undefined if all attempts were counted
   */
  spendTries(
    limits: readonly TryLimit[],
    atMs: number,
    windowMs: number,
  ): Promise<number | undefined>;
  /** Refunds successful attempts. */
  giveBackTries(subjects: readonly string[]): Promise<void>;
}

export interface ConsolePasswordsTable {
  account_id: string;
  /** Encoded with its parameters and its salt. */
  password_hash: string;
}

export interface ConsoleSessionsTable {
  /** SHA-256 of the session's token in hex. */
  session_hash: string;
  account_id: string;
  created_at_ms: number;
  /** End of the session unless it is used before. */
  idle_until_ms: number;
  expires_at_ms: number;
}

export interface ConsoleLinksTable {
  /** SHA-256 of the link's token in hex. */
  link_hash: string;
  account_id: string;
  created_at_ms: number;
  expires_at_ms: number;
}

/** Number of attempts in a window. */
export interface ConsoleTriesTable {
  subject: string;
  count: number;
  /** End of the window. */
  until_ms: number;
}

declare module '../../storage/database.ts' {
  interface Tables {
    console_passwords: ConsolePasswordsTable;
    console_sessions: ConsoleSessionsTable;
    console_links: ConsoleLinksTable;
    console_tries: ConsoleTriesTable;
  }
}

/** Passwords, sessions and links of the console. */
export const consoleCredentialStore = defineStore<ConsoleCredentialStore>({
  over: createConsoleCredentials,
  reads: ['findPassword', 'findSession', 'findLink'],
});

function createConsoleCredentials(db: Database): ConsoleCredentialStore {
  return {
    ...passwords(db),
    ...sessions(db),
    ...links(db),
    ...tries(db),
  };
}

function passwords(db: Database): Pick<ConsoleCredentialStore, 'findPassword' | 'changePassword'> {
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

function sessions(db: Database): Pick<ConsoleCredentialStore, SessionMethods> {
  return {
    async openSession(session, passwordHash) {
      const password = await db
        .selectFrom('console_passwords')
        .select('account_id')
        .where('account_id', '=', session.accountId)
        .where('password_hash', '=', passwordHash)
        // A password change ends all sessions. The lock ensures that this session is either among
        // them or refused.
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

function links(db: Database): Pick<ConsoleCredentialStore, 'addLink' | 'findLink' | 'redeemLink'> {
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

function tries(db: Database): Pick<ConsoleCredentialStore, 'spendTries' | 'giveBackTries'> {
  return {
    async spendTries(limits, atMs, windowMs) {
      for (const limit of limits) {
        const refusedUntilMs = await spendTry(db, limit, { atMs, windowMs });
        if (refusedUntilMs !== undefined) return refusedUntilMs;
      }
      return undefined;
    },

    async giveBackTries(subjects) {
      // One by one in the order of spending, so that concurrent calls cannot deadlock.
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

/** Counts one attempt, even a refused one. @returns when to try again if the subject is exhausted */
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

/** Ends every session and link of an account, and opens a new session. */
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
