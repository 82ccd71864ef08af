/**
 * The tables, the same in both databases: text, and whole numbers that fit a JavaScript number.
 * Times are ms since the epoch, lists are JSON; null limits are without limit.
 */
import type { KeyKind, Plan, UsageKind } from './ports.ts';

export interface Tables {
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  usage_months: UsageMonthsTable;
  usage_days: UsageDaysTable;
  glossaries: GlossariesTable;
  glossary_dictionaries: GlossaryDictionariesTable;
  spoken_terms: SpokenTermsTable;
}

export interface AccountsTable {
  account_id: string;
  name: string;
  plan: Plan;
  /** A JSON list of strings. */
  features: string;
  characters_limit: number | null;
  speech_ms_limit: number | null;
  created_at_ms: number;
}

export interface ApiKeysTable {
  key_id: string;
  account_id: string;
  kind: KeyKind;
  label: string;
  masked: string;
  /** The first digits of the secret's hash, by which the row is found; see {@link SECRET_LOOKUP_DIGITS}. */
  secret_lookup: string;
  /** SHA-256 of the secret in hex. */
  secret_hash: string;
  characters_limit: number | null;
  speech_ms_limit: number | null;
  created_at_ms: number;
  deactivated_at_ms: number | null;
}

/** What a key or an account used in a month: what limits are held against. */
export interface UsageMonthsTable {
  subject_kind: 'account' | 'key';
  /** An account or key id. */
  subject_id: string;
  /** `2026-11`, in UTC. */
  month: string;
  text_characters: number;
  document_characters: number;
  write_characters: number;
  speech_ms: number;
}

/** What a key used on a day under a reporting tag: what reports are made of. */
export interface UsageDaysTable {
  key_id: string;
  /** `2026-11-21`, in UTC. */
  day: string;
  /** Empty for none. */
  tag: string;
  kind: UsageKind;
  amount: number;
}

export interface GlossariesTable {
  glossary_id: string;
  account_id: string;
  name: string;
  created_at_ms: number;
  /** 0 or 1. */
  edited_in_v3: number;
}

export interface GlossaryDictionariesTable {
  glossary_id: string;
  source_lang: string;
  target_lang: string;
  /** The order among the dictionaries of a glossary. */
  place: number;
  entry_count: number;
  /** Another value after every write. */
  revision: string;
  /** `source<TAB>target` lines. */
  entries: string;
}

export interface SpokenTermsTable {
  spoken_terms_id: string;
  account_id: string;
  name: string;
  language: string | null;
  term_count: number;
  created_at_ms: number;
  /** A JSON list of strings. */
  terms: string;
}

/** 64 bits of a hash find a key among millions; how long the look-up takes tells nothing of the rest. */
export const SECRET_LOOKUP_DIGITS = 16;
