/** The texts of accounts: who asks for them, how much of them is under way, what languages they are in. */
import { ServiceError } from '../../shared/errors.ts';
import type { LanguageTag } from '../../shared/language.ts';
import type { Caller } from '../http/door.ts';

/** Who asks, and how to stop when nobody waits any more. */
export interface TextRequestOrigin {
  caller: Caller;
  /** Custom reporting tag, already checked. */
  reportingTag: string | null;
  /** Aborted when nobody waits for the answer any more; the service ends its own work with it as well. */
  abort: AbortController;
}

/** What requests for texts of any kind have in common: translations and improvements. */
export interface AccountTexts {
  /** What the accounts write in, by the texts that were clear. */
  readonly usualLanguages: UsualLanguages;
  /**
   * Does work on texts of an account. Who sends more than may be under way is asked to come back, and
   * others go on.
   *
   * @throws ServiceError too_many_requests while too much of the account is under way; what the work throws
   */
  during<Result>(
    accountId: string,
    texts: readonly string[],
    work: () => Promise<Result>,
  ): Promise<Result>;
  /** Resolves when no work is under way, and what failed has been given back. */
  idle(): Promise<void>;
}

/** @param maxLength of the texts of one account, in UTF-16 units; a single request may have more */
export function createAccountTexts({ maxLength }: { maxLength: number }): AccountTexts {
  const lengths = new Map<string, number>();
  const underWay = new Set<Promise<unknown>>();
  return {
    usualLanguages: createUsualLanguages(),
    async during(accountId, texts, work) {
      const length = lengthOf(texts);
      const before = lengths.get(accountId) ?? 0;
      if (before > 0 && before + length > maxLength) {
        throw new ServiceError(
          'too_many_requests',
          `More text of this account is under way than it may be: ${maxLength} characters at a time. Try again in a moment, with fewer requests at once.`,
        );
      }
      lengths.set(accountId, before + length);
      const working = work();
      underWay.add(working);
      try {
        return await working;
      } finally {
        underWay.delete(working);
        const left = (lengths.get(accountId) ?? 0) - length;
        if (left > 0) lengths.set(accountId, left);
        else lengths.delete(accountId);
      }
    },
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}

/** Of all texts, in UTF-16 units. */
export function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** What accounts write in, from their clear texts of late: decides for short ones that several languages may have. */
export interface UsualLanguages {
  /**
   * A text of an account is in this base language: it says so, or it is clear.
   *
   * @param weight 0 to 1: how surely, one word says little
   */
  note(accountId: string, language: LanguageTag, weight?: number): void;
  /** How much an account writes in each base language; undefined before enough is known. */
  of(accountId: string): ReadonlyMap<LanguageTag, number> | undefined;
}

/** What each text leaves of those before it: some twenty count. */
const KEPT = 0.95;
/** A single text says little of the next. */
const LEAST_TEXTS = 1.5;
/** Less is forgotten: a text of long ago. */
const LEAST_SHARE = 0.05;
/** Accounts that are remembered, the last ones; some 10 MB when all are there. */
const MAX_ACCOUNTS = 20_000;

/** Kept in memory only: after a start it is learned anew. */
export function createUsualLanguages(): UsualLanguages {
  const accounts = new Map<string, Map<LanguageTag, number>>();
  return {
    note(accountId, language, weight = 1) {
      const shares = accounts.get(accountId) ?? new Map<LanguageTag, number>();
      const kept = KEPT ** weight;
      for (const [known, share] of shares) {
        if (share * kept < LEAST_SHARE) shares.delete(known);
        else shares.set(known, share * kept);
      }
      shares.set(language, (shares.get(language) ?? 0) + weight);
      accounts.delete(accountId);
      accounts.set(accountId, shares);
      const [oldest] = accounts.keys();
      if (accounts.size > MAX_ACCOUNTS && oldest !== undefined) accounts.delete(oldest);
    },
    of(accountId) {
      const shares = accounts.get(accountId);
      if (shares === undefined) return undefined;
      const all = [...shares.values()].reduce((sum, share) => sum + share, 0);
      return all < LEAST_TEXTS ? undefined : shares;
    },
  };
}
