/** What accounts write in, from their clear texts of late: tells short ones that several languages may have. */
import type { LanguageTag } from '../../shared/language.ts';

export interface UsualLanguages {
  /** A text of an account is in this base language: it says so, or it is clear. */
  note(accountId: string, language: LanguageTag): void;
  /** How much an account writes in each base language; undefined before that can be told. */
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
    note(accountId, language) {
      const shares = accounts.get(accountId) ?? new Map<LanguageTag, number>();
      for (const [known, share] of shares) {
        if (share * KEPT < LEAST_SHARE) shares.delete(known);
        else shares.set(known, share * KEPT);
      }
      shares.set(language, (shares.get(language) ?? 0) + 1);
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
