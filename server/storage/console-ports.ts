/** What the console asks of storage: passwords, sessions, one-time links and tries. Secrets come as hashes. */
import type { Account } from './ports.ts';

/** Somebody who is signed in; found by the hash of the token that the browser has. */
export interface ConsoleSession {
  /** SHA-256 of the token, 64 hex digits. */
  sessionHash: string;
  accountId: string;
  createdAtMs: number;
  /** Over then unless it is used before. */
  idleUntilMs: number;
  /** Over then in any case. */
  expiresAtMs: number;
}

/** Something that may be tried so often in a window. */
export interface TryLimit {
  /** What is counted: an account or an address. */
  subject: string;
  max: number;
}

export interface ConsoleCredentials {
  /** The encoded password hash of an account; undefined while it has none. */
  findPassword(accountId: string): Promise<string | undefined>;
  /**
   * Opens a session, and forgets those that are over.
   *
   * @param passwordHash the one that was checked
   * @returns false when the account has another password by now
   */
  openSession(session: ConsoleSession, passwordHash: string): Promise<boolean>;
  /** A session that is not over, with its account. */
  findSession(
    sessionHash: string,
    atMs: number,
  ): Promise<{ session: ConsoleSession; account: Account } | undefined>;
  /** Puts off the end of a session that is not over. */
  touchSession(sessionHash: string, atMs: number, idleUntilMs: number): Promise<void>;
  closeSession(sessionHash: string): Promise<void>;
  /** Keeps a link, by its hash, and forgets those that have expired. */
  addLink(link: {
    linkHash: string;
    accountId: string;
    createdAtMs: number;
    expiresAtMs: number;
  }): Promise<void>;
  /** Whose link it is; undefined when it is unknown, used or expired. */
  findLink(linkHash: string, atMs: number): Promise<Account | undefined>;
  /**
   * Uses a link up: the account gets the password, all its sessions and links end, and the new
   * session begins. Of any number of callers with the same link, one succeeds.
   *
   * @returns false when the link is unknown, used, expired or another account's
   */
  redeemLink(linkHash: string, passwordHash: string, session: ConsoleSession): Promise<boolean>;
  /**
   * Puts a password in place of another; all sessions and links of the account end, and the new
   * session begins.
   *
   * @returns false when the account has another password than `expectedHash` by now
   */
  changePassword(
    expectedHash: string,
    passwordHash: string,
    session: ConsoleSession,
  ): Promise<boolean>;
  /**
   * Counts a try for each subject, in their order, until one has none left; exact under any
   * concurrency. A subject's window begins with its first try.
   *
   * @returns when the subject that has none left may try again; undefined when all had one
   */
  spendTries(
    limits: readonly TryLimit[],
    atMs: number,
    windowMs: number,
  ): Promise<number | undefined>;
  /** Takes tries back that turned out well. */
  giveBackTries(subjects: readonly string[]): Promise<void>;
}
