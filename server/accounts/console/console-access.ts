/**
 * Who may use the console. An account has one password, set by a one-time link; who knows it gets a
 * session. Tokens are 256 random bits, of which only the hash is kept.
 */
import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import type { Account } from '../../http/door.ts';
import type { AccountStore } from '../store.ts';
import type { ConsoleCredentialStore, ConsoleSession } from './store.ts';
import { hashOfSecret } from '../access.ts';
import {
  checkNewPassword,
  createPasswordHashing,
  type PasswordHashing,
} from './console-passwords.ts';
import { spendTries, triesAt, triesFrom } from './console-tries.ts';

const CONSOLE_PATH = '/console/';

const HOUR_MS = 3_600_000;
/** A session that nobody uses ends after a working day, any session after a week. */
const IDLE_MS = 8 * HOUR_MS;
const SESSION_MS = 7 * 24 * HOUR_MS;
const LINK_MS = 24 * HOUR_MS;
/** The end of a session is put off no more often than this: not every request should write. */
const TOUCH_EVERY_MS = 60_000;

/** Somebody who is signed in. */
export interface SignedIn {
  account: Account;
  /** When the session ends in any case. */
  expiresAtMs: number;
}

/** A session that has just begun. */
export interface NewSession extends SignedIn {
  /** What the browser proves it with; given here and never again. */
  token: string;
}

export interface ConsoleAccess {
  /**
   * Begins a session. Whether the account exists, has a password or has another one does not show
   * from the answer nor from how long it takes.
   *
   * @param signIn.account name or id
   * @param signIn.address of the browser
   * @param signIn.formerToken of a session that the new one takes the place of
   * @throws ServiceError forbidden; TooManyTries
   */
  signIn(signIn: {
    account: string;
    password: string;
    address: string;
    formerToken: string | undefined;
  }): Promise<NewSession>;
  /** Ends a session, if it is one. */
  signOut(token: string): Promise<void>;
  /**
   * Whose session it is, which goes on by it; undefined when it is none or over.
   *
   * @param by.isPoll whether the page asks by itself, so that the session does not go on by it
   */
  authenticate(token: string, by?: { isPoll: boolean }): Promise<SignedIn | undefined>;
  /** Makes a one-time link's token, with which the account's password can be set for a day. */
  issueLink(accountId: string): Promise<{ token: string; expiresAtMs: number }>;
  hasPassword(accountId: string): Promise<boolean>;
  /**
   * Sets a password by a one-time link, which is used up; all sessions of the account end.
   *
   * @throws ServiceError invalid_request for a password that is not good enough, which leaves the
   *   link as it is; forbidden for a link that is unknown, used or expired; TooManyTries
   */
  setPassword(by: { token: string; password: string; address: string }): Promise<NewSession>;
  /**
   * Changes the password of somebody who is signed in; all other sessions of the account end.
   *
   * @throws ServiceError forbidden for a wrong password; invalid_request; TooManyTries
   */
  changePassword(change: {
    account: Account;
    currentPassword: string;
    password: string;
  }): Promise<NewSession>;
}

interface ConsoleAccessOptions {
  accounts: Pick<AccountStore, 'list'>;
  consoleCredentials: ConsoleCredentialStore;
  log: Logger;
  passwords?: PasswordHashing;
  now?: () => number;
}

/** What the parts of it work with. */
type Means = Required<ConsoleAccessOptions>;

export function createConsoleAccess(options: ConsoleAccessOptions): ConsoleAccess {
  const { passwords = createPasswordHashing(), now = Date.now } = options;
  const means = { ...options, passwords, now };
  return { ...sessions(means), ...links(means), changePassword: passwordChange(means) };
}

function sessions({
  accounts,
  consoleCredentials: store,
  log,
  passwords,
  now,
}: Means): Pick<ConsoleAccess, 'signIn' | 'signOut' | 'authenticate'> {
  async function find(idOrName: string): Promise<Account | undefined> {
    const all = await accounts.list();
    const byId = all.find(({ accountId }) => accountId === idOrName.toLowerCase());
    return byId ?? all.find(({ name }) => name === idOrName);
  }

  return {
    async signIn({ account: idOrName, password, address, formerToken }) {
      const account = await find(idOrName.trim());
      const accountId = account?.accountId ?? hashOfSecret(idOrName.trim());
      const limits = [triesFrom(address), triesAt('password', accountId)];
      const giveBack = await spendTries(store, limits, now());
      const kept = await store.findPassword(accountId);
      const isRight = await passwords.verify(password, kept);
      const begun = account && beginning(account, now());
      if (
        !isRight ||
        begun === undefined ||
        !(await store.openSession(begun.session, kept ?? ''))
      ) {
        log.warn({ address, accountId: account?.accountId }, 'console: sign-in refused');
        throw forbidden('The account or the password is not right.');
      }
      await giveBack();
      // A token that was there before, whoever put it there, is worth nothing from now on.
      if (formerToken !== undefined) await store.closeSession(hashOfSecret(formerToken));
      return begun.signedIn;
    },

    signOut: (token) => store.closeSession(hashOfSecret(token)),

    async authenticate(token, { isPoll } = { isPoll: false }) {
      const nowMs = now();
      const found = await store.findSession(hashOfSecret(token), nowMs);
      if (found === undefined) return undefined;
      const { session, account } = found;
      if (!isPoll && session.idleUntilMs < nowMs + IDLE_MS - TOUCH_EVERY_MS) {
        await store.touchSession(session.sessionHash, nowMs, nowMs + IDLE_MS);
      }
      return { account, expiresAtMs: session.expiresAtMs };
    },
  };
}

function links({
  consoleCredentials: store,
  passwords,
  now,
}: Means): Pick<ConsoleAccess, 'issueLink' | 'hasPassword' | 'setPassword'> {
  return {
    async issueLink(accountId) {
      const token = newToken();
      const createdAtMs = now();
      const expiresAtMs = createdAtMs + LINK_MS;
      const linkHash = hashOfSecret(token);
      await store.addLink({ linkHash, accountId, createdAtMs, expiresAtMs });
      return { token, expiresAtMs };
    },

    hasPassword: async (accountId) => (await store.findPassword(accountId)) !== undefined,

    async setPassword({ token, password, address }) {
      const giveBack = await spendTries(store, [triesFrom(address)], now());
      const linkHash = hashOfSecret(token);
      const account = await store.findLink(linkHash, now());
      if (account === undefined) throw forbidden(NO_LINK);
      await giveBack();
      checkNewPassword(password, account.name);
      const passwordHash = await passwords.hash(password);
      const { session, signedIn } = beginning(account, now());
      if (await store.redeemLink(linkHash, passwordHash, session)) return signedIn;
      throw forbidden(NO_LINK);
    },
  };
}

function passwordChange({
  consoleCredentials: store,
  passwords,
  now,
}: Means): ConsoleAccess['changePassword'] {
  return async ({ account, currentPassword, password }) => {
    const { accountId, name } = account;
    const giveBack = await spendTries(store, [triesAt('change', accountId)], now());
    const kept = await store.findPassword(accountId);
    const isRight = await passwords.verify(currentPassword, kept);
    if (!isRight || kept === undefined) throw forbidden('The current password is not right.');
    await giveBack();
    checkNewPassword(password, name);
    const passwordHash = await passwords.hash(password);
    const { session, signedIn } = beginning(account, now());
    if (await store.changePassword(kept, passwordHash, session)) return signedIn;
    throw forbidden('The password was changed meanwhile.');
  };
}

/** A session as it is kept, and as its owner gets it. */
function beginning(
  account: Account,
  createdAtMs: number,
): { session: ConsoleSession; signedIn: NewSession } {
  const token = newToken();
  const expiresAtMs = createdAtMs + SESSION_MS;
  return {
    session: {
      sessionHash: hashOfSecret(token),
      accountId: account.accountId,
      createdAtMs,
      idleUntilMs: createdAtMs + IDLE_MS,
      expiresAtMs,
    },
    signedIn: { token, account, expiresAtMs },
  };
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

const NO_LINK =
  'The link is not valid: it has been used or has expired. `dragoman account console-link` makes another.';

function forbidden(message: string): ServiceError {
  return new ServiceError('forbidden', message);
}

/**
 * The console's path as whoever starts the server reads it: with a one-time link while the first
 * account has no password.
 */
export async function consoleEntrance(
  consoleAccess: ConsoleAccess,
  operatorId: string,
): Promise<string> {
  if (await consoleAccess.hasPassword(operatorId)) return CONSOLE_PATH;
  const { token } = await consoleAccess.issueLink(operatorId);
  return linkPath(token);
}

/** The path at which the page takes a password for a one-time link. The token never leaves the browser's address bar but to the page. */
export function linkPath(token: string): string {
  return `${CONSOLE_PATH}#set-password=${token}`;
}
