/**
 * Authentication for the console. Each account has one password, set through a one-time link;
 * signing in with it opens a session. Tokens are 256 random bits, and only their hashes are stored.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { ServiceError, forbidden } from '../../../shared/errors.ts';
import type { Account } from '../../http/door.ts';
import type { Logger } from '../../process/log.ts';
import { countCodePoints } from '../../text/code-points.ts';
import { hashOfSecret } from '../api-keys.ts';
import type { AccountStore } from '../store.ts';
import type { ConsoleCredentialStore, ConsoleSession, TryLimit } from './store.ts';
import { networkOf } from '../../http/requests.ts';

const CONSOLE_PATH = '/console/';

const HOUR_MS = 3_600_000;
/** An idle session ends after a working day, any session after a week. */
const IDLE_MS = 8 * HOUR_MS;
const SESSION_MS = 7 * 24 * HOUR_MS;
const LINK_MS = 24 * HOUR_MS;
/**
 * Shortest interval at which a session's idle timeout is extended, in ms: not every request should
 * write.
 */
const TOUCH_EVERY_MS = 60_000;

/** A signed-in user. */
export interface SignedIn {
  account: Account;
  /** Absolute end of the session. */
  expiresAtMs: number;
}

/** A session that has just been opened. */
export interface NewSession extends SignedIn {
  /** Proves the session; returned only here. */
  token: string;
}

export interface ConsoleAccess {
  /**
   * Opens a session. Neither the answer nor its timing reveals whether the account exists or has a
   * password.
   *
   * @param signIn.account name or id
   * @param signIn.address of the browser
   * @param signIn.formerToken of the session that the new one replaces
   * @throws ServiceError forbidden; TooManyTries
   */
  signIn(signIn: {
    account: string;
    password: string;
    address: string;
    formerToken: string | undefined;
  }): Promise<NewSession>;
  /** Ends a session, if the token has one. */
  signOut(token: string): Promise<void>;
  /**
   * Returns the session's user and extends the session; undefined if the session does not exist or
   * is over.
   *
   * @param by.isPoll whether the page polls by itself, which does not extend the session
   */
  authenticate(token: string, by?: { isPoll: boolean }): Promise<SignedIn | undefined>;
  /** Creates a one-time token for setting the account's password, valid for a day. */
  issueLink(accountId: string): Promise<{ token: string; expiresAtMs: number }>;
  hasPassword(accountId: string): Promise<boolean>;
  /**
   * Sets a password through a one-time link and uses the link up; all sessions of the account end.
   *
   * @throws ServiceError invalid_request for a weak password, which leaves the link valid;
   *   forbidden for an unknown, used or expired link; TooManyTries
   */
  setPassword(by: { token: string; password: string; address: string }): Promise<NewSession>;
  /**
   * Changes the password of a signed-in user; all other sessions of the account end.
   *
   * @throws ServiceError forbidden for a wrong current password; invalid_request; TooManyTries
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

/** Dependencies of the parts below. */
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
      const isRight = await passwords.verify(password, kept).catch(unchecked(giveBack));
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
      // The former token is invalid from now on, whoever set it: this prevents session fixation.
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
    const isRight = await passwords.verify(currentPassword, kept).catch(unchecked(giveBack));
    if (!isRight || kept === undefined) throw forbidden('The current password is not right.');
    await giveBack();
    checkNewPassword(password, name);
    const passwordHash = await passwords.hash(password);
    const { session, signedIn } = beginning(account, now());
    if (await store.changePassword(kept, passwordHash, session)) return signedIn;
    throw forbidden('The password was changed meanwhile.');
  };
}

/** Creates a session record, and the session as its user receives it. */
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
  'The link is not valid: it has been used or has expired. Make another: npm run dragoman -- account console-link ACCOUNT';

/**
 * Returns the console's path for the start-up message, with a one-time link while the first account
 * has no password.
 */
export async function consoleEntrance(
  consoleAccess: ConsoleAccess,
  operatorId: string,
): Promise<string> {
  if (await consoleAccess.hasPassword(operatorId)) return CONSOLE_PATH;
  const { token } = await consoleAccess.issueLink(operatorId);
  return linkPath(token);
}

/**
 * Returns the path of the page that sets a password. The token is in the fragment, so the browser
 * never sends it to the server as part of the address.
 */
export function linkPath(token: string): string {
  return `${CONSOLE_PATH}#set-password=${token}`;
}

// Passwords: requirements and hashing.

/** Cost parameters of scrypt (RFC 7914): 2^logN · r · 128 bytes, p times. */
interface PasswordCost {
  logN: number;
  r: number;
  p: number;
}

/** From OWASP's Password Storage Cheat Sheet, the choice that takes 32 MiB: about 0.2 s of one core. */
const COST: PasswordCost = { logN: 15, r: 8, p: 3 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** 128 · N · r bytes plus a margin; Node's default limit is too low. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
/** Concurrent hashes: Node has four threads for them, which other work needs, too. */
const MAX_RUNNING = 2;
/** Queued hashes; further requests are refused rather than queued. */
const MAX_WAITING = 32;

const MIN_LENGTH = 12;
const MAX_LENGTH = 200;
const MIN_DISTINCT = 5;
/** Minimum number of characters besides the account's name. */
const MIN_BESIDES_NAME = 8;

interface PasswordHashing {
  /** Encodes a password with its own salt and its cost parameters. */
  hash(password: string): Promise<string>;
  /**
   * Whether a password matches the stored one. Without a stored one, the answer is false and takes
   * as long.
   */
  verify(password: string, kept: string | undefined): Promise<boolean>;
}

/**
 * Makes the hashing: scrypt in Node's thread pool, with bounded concurrency.
 *
 * @param cost of new passwords; stored ones carry their own
 *
 * Its methods throw ServiceError too_many_requests when the queue is full.
 */
export function createPasswordHashing(cost: PasswordCost = COST): PasswordHashing {
  // Compared with where no password is stored; no password matches this random hash.
  const nobody = { ...cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
  const enter = createTurns();
  const derive = async (password: string, parameters: Parameters) => {
    const leave = await enter();
    return derived(password, parameters).finally(leave);
  };
  return {
    async hash(password) {
      const parameters = { ...cost, salt: randomBytes(SALT_BYTES) };
      return encoded(parameters, await derive(password, parameters));
    },
    async verify(password, kept) {
      const expected = kept === undefined ? nobody : decoded(kept);
      const actual = await derive(password, expected);
      const isRight = timingSafeEqual(actual, expected.hash);
      return isRight && kept !== undefined;
    },
  };
}

/**
 * Checks a new password.
 *
 * @param accountName would be an attacker's first guess
 * @throws ServiceError invalid_request, naming the problem
 */
export function checkNewPassword(password: string, accountName: string): void {
  const length = countCodePoints(password);
  if (length < MIN_LENGTH || length > MAX_LENGTH) {
    throw invalid(`it must have ${MIN_LENGTH} to ${MAX_LENGTH} characters.`);
  }
  if (new Set(password).size < MIN_DISTINCT) {
    throw invalid(`it must have at least ${MIN_DISTINCT} different characters.`);
  }
  const rest = password.toLowerCase().replaceAll(accountName.toLowerCase(), '');
  if (countCodePoints(rest) < MIN_BESIDES_NAME) {
    throw invalid('it is the name of the account and little else.');
  }
}

interface Parameters extends PasswordCost {
  salt: Buffer;
}

function derived(password: string, { logN, r, p, salt }: Parameters): Promise<Buffer> {
  const cost = { N: 2 ** logN, r, p, maxmem: MAX_MEMORY_BYTES };
  return new Promise((resolve, reject) => {
    // NFKC: keyboards on different machines encode the same characters differently.
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, cost, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

/** Follows the PHC string format: `$scrypt$ln=15,r=8,p=3$salt$hash`. */
function encoded({ logN, r, p, salt }: Parameters, hash: Buffer): string {
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString('base64url'));
  return `$scrypt$ln=${logN},r=${r},p=${p}$${saltText}$${hashText}`;
}

const ENCODED = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/;

function decoded(text: string): Parameters & { hash: Buffer } {
  const [, logN, r, p, salt = '', hash = ''] = ENCODED.exec(text) ?? [];
  if (logN === undefined) throw new Error('The password in the database cannot be read.');
  return {
    logN: Number(logN),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  };
}

/** Bounds concurrency; excess callers queue. Resolves to a function that ends the caller's turn. */
function createTurns(): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let running = 0;
  const leave = () => {
    const next = waiting.shift();
    // The turn passes directly to the next caller and is never free in between.
    if (next === undefined) running -= 1;
    else next();
  };
  return async () => {
    if (running < MAX_RUNNING) {
      running += 1;
    } else {
      if (waiting.length >= MAX_WAITING) throw busy();
      await new Promise<void>((resolve) => void waiting.push(resolve));
    }
    return leave;
  };
}

function busy(): ServiceError {
  return new ServiceError(
    'too_many_requests',
    'Too many people are signing in at the moment. Please try again.',
  );
}

function invalid(why: string): ServiceError {
  return new ServiceError('invalid_request', `The password cannot be used: ${why}`);
}

// Rate limit of sign-in attempts, counted in the database for all servers.

const WINDOW_MS = 15 * 60_000;
/** Failed attempts per window: for one account from anywhere, and from one address for any account. */
const MAX_OF_ACCOUNT = 10;
const MAX_OF_ADDRESS = 30;

/** Too many failed attempts. */
export class TooManyTries extends ServiceError {
  /** Time until the next attempt, in s. */
  readonly retryAfterS: number;

  constructor(retryAfterS: number) {
    super('too_many_requests', `Too many tries. Try again in ${inWords(retryAfterS)}.`);
    this.retryAfterS = retryAfterS;
  }
}

/** Returns the limit for attempts from an address; for IPv6, from its /64 network. */
function triesFrom(address: string): TryLimit {
  return { subject: `address ${networkOf(address)}`, max: MAX_OF_ADDRESS };
}

/**
 * Returns the limit for attempts on an account.
 *
 * @param account its id, or the hash of a name that does not exist
 */
export function triesAt(what: 'password' | 'change', account: string): TryLimit {
  return { subject: `${what} ${account}`, max: MAX_OF_ACCOUNT };
}

/**
 * Counts an attempt before it is made, so that concurrent attempts count as well.
 *
 * @param limits the limits to charge, most general first
 * @returns a function that refunds the attempt after a success, or when nothing was checked
 * @throws TooManyTries
 */
export async function spendTries(
  store: Pick<ConsoleCredentialStore, 'spendTries' | 'giveBackTries'>,
  limits: readonly TryLimit[],
  nowMs: number,
): Promise<() => Promise<void>> {
  const refusedUntilMs = await store.spendTries(limits, nowMs, WINDOW_MS);
  if (refusedUntilMs !== undefined) {
    throw new TooManyTries(Math.max(1, Math.ceil((refusedUntilMs - nowMs) / 1000)));
  }
  return () => store.giveBackTries(limits.map(({ subject }) => subject));
}

/** Refunds an attempt whose password could not be checked, and throws the reason. */
function unchecked(giveBack: () => Promise<void>): (reason: unknown) => Promise<never> {
  return async (reason) => {
    await giveBack();
    throw reason;
  };
}

function inWords(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
}
