/** Passwords of the console: what is good enough, and how they are kept. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../../shared/errors.ts';
import { countCodePoints } from '../../text/code-points.ts';

/** What scrypt (RFC 7914) takes: 2^logN · r · 128 bytes, p times over. */
export interface PasswordCost {
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

export interface PasswordHashing {
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
