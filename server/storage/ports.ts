/**
 * What the rooms ask of storage. Adapters live in `embedded/` (SQLite, one machine) and
 * `distributed/` (PostgreSQL); both run the stores that `server/stores.ts` names. All arguments and answers are plain
 * data, for the embedded stores run in a worker thread. An answered write has reached the disk.
 *
 * Times are ms since the epoch, characters are Unicode code points, speech is in ms.
 */

import type { ConsoleCredentials } from './console-ports.ts';
import type { Documents } from './document-ports.ts';
import type { TranslationMemories } from './memory-ports.ts';
import type { StyleRules } from './style-rule-ports.ts';
import type { UsageNotices } from './usage-notice-ports.ts';
import type { UsageReports } from './usage-report-ports.ts';

export type * from './console-ports.ts';
export type * from './document-ports.ts';
export type * from './memory-ports.ts';
export type * from './style-rule-ports.ts';
export type * from './usage-notice-ports.ts';
export type * from './usage-report-ports.ts';

/** What became of an attempt to spend a token. */
export type TokenSpending =
  | { outcome: 'spent'; sessionId: string }
  /** The token was spent before: the session it belonged to must end. */
  | { outcome: 'reused'; sessionId: string }
  | { outcome: 'refused' };

/** What became of an attempt to exchange a token for the next one. */
export type TokenRotation =
  | { outcome: 'rotated'; sessionId: string; token: string }
  /** A later token had been made: the session it belonged to must end. */
  | { outcome: 'outdated'; sessionId: string }
  | { outcome: 'refused' };

/** One-time tokens of voice sessions. Every method is atomic. */
export interface SessionTokens {
  /** Makes the first token of a session; it can be spent once within `ttlMs`. */
  issue(session: { sessionId: string; accountId: string | null }, ttlMs: number): Promise<string>;
  /**
   * Spends a token: of any number of callers with the same token, one gets `spent`. A token that was
   * exchanged is as good as spent.
   */
  spend(token: string): Promise<TokenSpending>;
  /**
   * Exchanges the latest token of a session, spent or not, for a new one; others' are refused.
   *
   * @param mayRepeat takes the token before the latest as well while that was not spent: the answer
   *   that brought it may have been lost. An unspent token exchanged so is merely refused when its
   *   connection, given up on the way, arrives late.
   */
  rotate(
    token: string,
    accountId: string | null,
    options: { ttlMs: number; mayRepeat: boolean },
  ): Promise<TokenRotation>;
  /** Makes every token of a session worthless. */
  revoke(sessionId: string): Promise<void>;
}

export type Plan = 'free' | 'pro';

/** What an account may do besides what its plan allows. */
export type Feature = 'admin' | 'detection';

/** Most of what a key or an account may use in a month (UTC); null is without limit, 0 blocks. */
export interface UsageLimits {
  characters: number | null;
  speechMs: number | null;
}

export interface Account {
  accountId: string;
  name: string;
  plan: Plan;
  features: Feature[];
  limits: UsageLimits;
  /** Origins of the sites whose pages may call the server, `https://example.org`; `*` is any. */
  origins: string[];
  /** Who is told when a limit comes near: e-mail addresses. */
  emails: string[];
  createdAtMs: number;
}

export interface Accounts {
  create(account: Account): Promise<void>;
  find(accountId: string): Promise<Account | undefined>;
  /** Oldest first. */
  list(): Promise<Account[]>;
  /** Changes what is given and leaves the rest; undefined when there is no such account. */
  change(
    accountId: string,
    change: Partial<Pick<Account, 'name' | 'plan' | 'features' | 'origins' | 'emails'>> & {
      limits?: Partial<UsageLimits>;
    },
  ): Promise<Account | undefined>;
}

/** A developer key translates; an admin key administers. */
export type KeyKind = 'developer' | 'admin';

/** An API key as it is kept: without its secret. */
export interface ApiKey {
  /** Two GUIDs joined by a colon. */
  keyId: string;
  accountId: string;
  kind: KeyKind;
  label: string;
  /** First and last four characters of the secret without its ending: `dc88****3a2c`. */
  masked: string;
  limits: UsageLimits;
  createdAtMs: number;
  deactivatedAtMs: number | null;
}

/** An active key and its account: who a request comes from. */
export interface Caller {
  key: ApiKey;
  account: Account;
}

export interface ApiKeys {
  /**
   * @param secretHash SHA-256 of the secret, 64 hex digits
   * @param maxActive refuses with `false` when the account has as many active keys of that kind
   */
  create(key: ApiKey, secretHash: string, maxActive?: number): Promise<boolean>;
  /** Who a secret belongs to; a deactivated key is nobody's. Hashes are compared in constant time. */
  authenticate(secretHash: string): Promise<Caller | undefined>;
  /** Active and deactivated keys of an account, oldest first. */
  list(accountId: string): Promise<ApiKey[]>;
  find(accountId: string, keyId: string): Promise<ApiKey | undefined>;
  /** Deactivates for ever; every process refuses the key from then on. Undefined: no such key. */
  deactivate(accountId: string, keyId: string, atMs: number): Promise<ApiKey | undefined>;
  /**
   * Changes what is given and leaves the rest. A new limit that is nearly used up already is noted for
   * the notices of the month.
   *
   * @param atMs when, which tells the month; now without it
   */
  change(
    accountId: string,
    keyId: string,
    change: { label?: string; limits?: Partial<UsageLimits> },
    atMs?: number,
  ): Promise<ApiKey | undefined>;
}

/** What is counted: characters of three services, and ms of speech. */
export type UsageKind = 'text' | 'document' | 'write' | 'speech';

/** Something a request used. */
export interface Charge {
  accountId: string;
  keyId: string;
  kind: UsageKind;
  /** Code points, or ms for `speech`. */
  amount: number;
  atMs: number;
  /** Custom reporting tag, already checked. */
  tag: string | null;
}

export type ChargeOutcome =
  'charged' | 'key_limit_reached' | 'account_limit_reached' | 'key_deactivated';

/** Amounts by what was used. */
export type UsageTotals = Record<UsageKind, number>;

export interface Usage {
  /**
   * Counts a charge if the limits of key and account for its month (UTC) leave room for the whole of
   * it, else nothing; speech, which is charged when it has been heard, counts whole while anything
   * is left. A limit that is used up refuses even 0, and so does a deactivated key; documents, which
   * were taken in before, are charged all the same. Exact under any concurrency.
   */
  charge(charge: Charge): Promise<ChargeOutcome>;
  /** Takes back a charge whose work failed. */
  refund(charge: Charge): Promise<void>;
  /** What an account and one of its keys used in the month (UTC) that holds `atMs`. */
  ofMonth(
    accountId: string,
    keyId: string,
    atMs: number,
  ): Promise<{ account: UsageTotals; key: UsageTotals }>;
}

/** What a dictionary is about; languages are base languages in lower case. */
export interface DictionaryPair {
  sourceLang: string;
  targetLang: string;
}

export interface DictionaryInfo extends DictionaryPair {
  entryCount: number;
  /** Another value after every change: a cached copy with the same revision is still right. */
  revision: string;
}

export interface Glossary {
  glossaryId: string;
  name: string;
  createdAtMs: number;
  /** True once it was changed through v3: then v2 deletes it no more. */
  editedInV3: boolean;
  dictionaries: DictionaryInfo[];
}

/** A dictionary with its entries as TSV: `source<TAB>target` lines. */
export interface Dictionary extends DictionaryPair {
  entryCount: number;
  entries: string;
}

export interface Glossaries {
  /** @returns false when the account has `maxGlossaries` already */
  create(
    accountId: string,
    glossary: Omit<Glossary, 'dictionaries'>,
    dictionaries: readonly Dictionary[],
    maxGlossaries: number,
  ): Promise<boolean>;
  list(accountId: string): Promise<Glossary[]>;
  find(accountId: string, glossaryId: string): Promise<Glossary | undefined>;
  /** The entries of a dictionary with the revision they have. */
  entries(
    accountId: string,
    glossaryId: string,
    pair: DictionaryPair,
  ): Promise<{ entries: string; entryCount: number; revision: string } | undefined>;
  rename(accountId: string, glossaryId: string, name: string): Promise<boolean>;
  /**
   * Writes a dictionary in place of the one that has `expectedRevision` (undefined: whatever is
   * there, or nothing; null: only if there is none), and the name of the glossary with it if one is
   * given. `conflict` when the dictionary has another revision by now: then nothing is written.
   */
  putDictionary(
    accountId: string,
    glossaryId: string,
    dictionary: Dictionary,
    options?: { expectedRevision?: string | null; name?: string | undefined },
  ): Promise<'written' | 'conflict' | 'missing'>;
  deleteDictionary(accountId: string, glossaryId: string, pair: DictionaryPair): Promise<boolean>;
  delete(accountId: string, glossaryId: string): Promise<boolean>;
}

/** A list of terms that are likely to be said, without them. */
export interface SpokenTermsInfo {
  spokenTermsId: string;
  name: string;
  /** A base language in lower case; null: any. */
  language: string | null;
  termCount: number;
  createdAtMs: number;
}

export interface SpokenTermsList extends SpokenTermsInfo {
  terms: string[];
}

export interface SpokenTerms {
  /** @returns false when the account has `maxLists` already */
  create(accountId: string, list: SpokenTermsList, maxLists: number): Promise<boolean>;
  /** Oldest first. */
  list(accountId: string): Promise<SpokenTermsInfo[]>;
  find(accountId: string, spokenTermsId: string): Promise<SpokenTermsList | undefined>;
  delete(accountId: string, spokenTermsId: string): Promise<boolean>;
}

/** Finds out whether the database can be written. */
export interface WriteChecks {
  /** @throws ServiceError storage_unavailable when it cannot */
  write(atMs: number): Promise<void>;
}

/** Everything that must last. */
export interface Stores {
  accounts: Accounts;
  apiKeys: ApiKeys;
  usage: Usage;
  usageReports: UsageReports;
  usageNotices: UsageNotices;
  glossaries: Glossaries;
  spokenTerms: SpokenTerms;
  documents: Documents;
  translationMemories: TranslationMemories;
  consoleCredentials: ConsoleCredentials;
  styleRules: StyleRules;
  writeChecks: WriteChecks;
}

/** An open database. */
export interface Storage extends Stores {
  /** `sqlite` or `postgresql`, for people. */
  readonly name: string;
  close(): Promise<void>;
}
