/**
 * Texts submitted by accounts: the origin of a request, the limit on text in progress, and the
 * languages each account usually writes in.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../shared/errors.ts';
import type { LanguageTag } from '../../shared/language.ts';
import type { Caller } from '../http/door.ts';

/** The caller of a request, and how to abort it when the client disconnects. */
export interface TextRequestOrigin {
  caller: Caller;
  /** Custom reporting tag, already validated. */
  reportingTag: string | null;
  /**
   * Aborted when the client no longer waits for the answer; the service also aborts its own work
   * through it.
   */
  abort: AbortController;
}

/** State shared by all text requests: translations and improvements. */
export interface AccountTexts {
  /** Languages that accounts write in, learned from texts whose language was clear. */
  readonly usualLanguages: UsualLanguages;
  /**
   * Runs work on texts of an account. An account that exceeds its limit of text in progress waits
   * for half a second, and is refused if there is no room then, so that other accounts are served.
   *
   * @throws ServiceError too_many_requests when too much text of the account is in progress; the
   *   signal's reason; the error of the work
   */
  during<Result>(
    origin: { caller: { account: { accountId: string } }; abort: AbortController },
    texts: readonly string[],
    work: () => Promise<Result>,
  ): Promise<Result>;
  /** Resolves when no work is in progress and failed work has been refunded. */
  idle(): Promise<void>;
}

/**
 * Wait for room, in ms. A program that repeats each refused request at once would otherwise keep the
 * server busy with reading and refusing its texts.
 */
const WAIT_MS = 500;

/**
 * @param maxLength limit on the text of one account in progress, in UTF-16 units; a single request
 *   may exceed it
 */
export function createAccountTexts({ maxLength }: { maxLength: number }): AccountTexts {
  const lengths = new Map<string, number>();
  const underWay = new Set<Promise<unknown>>();
  const isFull = (accountId: string, length: number): boolean => {
    const before = lengths.get(accountId) ?? 0;
    return before > 0 && before + length > maxLength;
  };
  return {
    usualLanguages: createUsualLanguages(),
    async during({ caller: { account }, abort: { signal } }, texts, work) {
      const { accountId } = account;
      const length = lengthOf(texts);
      if (isFull(accountId, length)) {
        await sleep(WAIT_MS);
        signal.throwIfAborted();
      }
      if (isFull(accountId, length)) {
        throw new ServiceError(
          'too_many_requests',
          `Too much text of this account is being processed: the limit is ${maxLength} ` +
            'characters at a time. Try again in a moment, with fewer requests at once.',
        );
      }
      lengths.set(accountId, (lengths.get(accountId) ?? 0) + length);
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

/** Total length of the texts, in UTF-16 units. */
export function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/**
 * Languages that accounts write in, learned from recent texts whose language was clear. They decide
 * the language of short texts that fit several.
 */
export interface UsualLanguages {
  /**
   * Notes that a text of an account is in this base language, because the account declared it or
   * detection was sure.
   *
   * @param weight evidence from 0 to 1; a single word carries little
   */
  note(accountId: string, language: LanguageTag, weight?: number): void;
  /** Returns the weight of each base language in an account's texts; undefined before enough is known. */
  of(accountId: string): ReadonlyMap<LanguageTag, number> | undefined;
}

/** Decay per text: about the last twenty texts count. */
const KEPT = 0.95;
/** Total weight required before an answer is given: a single text says little about the next. */
const LEAST_TEXTS = 1.5;
/** Weight below which a language is forgotten. */
const LEAST_SHARE = 0.05;
/** Number of accounts remembered, the most recent ones; about 10 MB when full. */
const MAX_ACCOUNTS = 20_000;

/** Creates the record. It is kept in memory only and learned anew after a restart. */
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
