/**
 * Who may use the console. An account has one password, set by a one-time link; who knows it gets a
 * session. Tokens are 256 random bits, of which only the hash is kept.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../../shared/errors.ts';
import type { Account } from '../../http/door.ts';
import type { Logger } from '../../process/log.ts';
import { countCodePoints } from '../../text/code-points.ts';
import { hashOfSecret } from '../api-keys.ts';
import type { AccountStore } from '../store.ts';
import type { ConsoleCredentialStore, ConsoleSession, TryLimit } from './store.ts';
import { networkOf } from '../../http/requests.ts';

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

// Passwords: what is good enough, and how they are kept.

/** What scrypt (RFC 7914) takes: 2^logN · r · 128 bytes, p times over. */
interface PasswordCost {
  logN: number;
  r: number;
  p: number;
}

/** Of OWASP's choices (Password Storage Cheat Sheet) the one that takes 32 MiB: about 0.2 s of a core. */
const COST: PasswordCost = { logN: 15, r: 8, p: 3 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** 128 · N · r bytes and a little; Node's own limit is too low. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
/** Hashes at once: Node has four threads for them, and other work needs some too. */
const MAX_RUNNING = 2;
/** Hashes that wait; whoever comes later is sent away rather than kept. */
const MAX_WAITING = 32;

const MIN_LENGTH = 12;
const MAX_LENGTH = 200;
const MIN_DISTINCT = 5;
/** Characters of a password that are not the account's name. */
const MIN_BESIDES_NAME = 8;

interface PasswordHashing {
  /** A password as it is kept: with a salt of its own, and what it takes to check it. */
  hash(password: string): Promise<string>;
  /**
   * Whether a password is the one that is kept. Where none is kept, the answer is no, and takes as long.
   */
  verify(password: string, kept: string | undefined): Promise<boolean>;
}

/**
 * Makes the hashing: scrypt in Node's thread pool, a bounded number at once.
 *
 * @param cost of new passwords; those that are kept have their own
 *
 * Its methods throw ServiceError too_many_requests when too many wait already.
 */
export function createPasswordHashing(cost: PasswordCost = COST): PasswordHashing {
  // What passwords are held against where there is none; none has this hash but by chance.
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
 * @param accountName which would be the first guess
 * @throws ServiceError invalid_request, saying what is wrong
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
    // The same letters are typed in different ways on different machines.
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, cost, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

/** In the manner of the PHC string format: `$scrypt$ln=15,r=8,p=3$salt$hash`. */
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

/** Lets a few go on at once, the others one after the other; answers what ends a turn. */
function createTurns(): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let running = 0;
  const leave = () => {
    const next = waiting.shift();
    // Whoever waits takes the turn over: it is never free in between.
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

// How often somebody may try to get in, counted in the database for all servers of the console.

const WINDOW_MS = 15 * 60_000;
/** Tries that fail, in a window: of one account from anywhere, and of one address at any account. */
const MAX_OF_ACCOUNT = 10;
const MAX_OF_ADDRESS = 30;

/** Somebody has failed too often. */
export class TooManyTries extends ServiceError {
  /** When it is worth trying again, in s from now. */
  readonly retryAfterS: number;

  constructor(retryAfterS: number) {
    super('too_many_requests', `Too many tries. Try again in ${inWords(retryAfterS)}.`);
    this.retryAfterS = retryAfterS;
  }
}

/** The subject of all tries from an address: of IPv6, from the network that one household has. */
function triesFrom(address: string): TryLimit {
  return { subject: `address ${networkOf(address)}`, max: MAX_OF_ADDRESS };
}

/**
 * The subject of all tries at something of an account.
 *
 * @param account its id, or the hash of a name that nobody has
 */
export function triesAt(what: 'password' | 'change', account: string): TryLimit {
  return { subject: `${what} ${account}`, max: MAX_OF_ACCOUNT };
}

/**
 * Counts a try before it is made, so that those made at the same time count as well.
 *
 * @param limits whose tries these are: the most general first
 * @returns takes the try back, because it turned out well
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

function inWords(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
}
