/** How often somebody may try to get into the console, counted in the database for all its servers. */
import { ServiceError } from '../../../shared/errors.ts';
import { networkOf } from '../../http/requests.ts';
import type { ConsoleCredentialStore, TryLimit } from './store.ts';

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
export function triesFrom(address: string): TryLimit {
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
