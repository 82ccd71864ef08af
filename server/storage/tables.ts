/**
 * The tables, the same in both databases: text, whole numbers that fit a JavaScript number, and bytes.
 * Times are ms since the epoch, lists are JSON; null limits are without limit.
 */
import type { DocumentFile, DocumentStatus, KeyKind, Plan, UsageKind } from './ports.ts';

export interface Tables {
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  usage_months: UsageMonthsTable;
  usage_days: UsageDaysTable;
  glossaries: GlossariesTable;
  glossary_dictionaries: GlossaryDictionariesTable;
  spoken_terms: SpokenTermsTable;
  documents: DocumentsTable;
  document_parts: DocumentPartsTable;
  document_turns: DocumentTurnsTable;
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

export interface DocumentsTable {
  document_id: string;
  account_id: string;
  key_id: string;
  /** SHA-256 of the document key in hex. */
  document_key_hash: string;
  file_name: string;
  /** What the worker needs to know. */
  order_json: string;
  tag: string | null;
  size_bytes: number;
  created_at_ms: number;
  status: DocumentStatus;
  /** How often it was taken since it last got on. */
  attempt: number;
  /** A queued document waits until then. */
  not_before_ms: number;
  /** Of the worker that has it, or had it last; null while queued. */
  claim_id: string | null;
  worker_id: string | null;
  beat_at_ms: number | null;
  /** As last told to the owner; kept when the document goes back into the queue. */
  finish_at_ms: number | null;
  billed_characters: number | null;
  problem: string | null;
  /** When it became `done` or `error`. */
  settled_at_ms: number | null;
  /** Until when nobody else gets the result. */
  download_until_ms: number | null;
}

export interface DocumentPartsTable {
  document_id: string;
  file: DocumentFile;
  /** 0, 1, 2… in a file. */
  place: number;
  at_ms: number;
  bytes: Uint8Array;
}

/** Accounts whose documents were taken: the smallest number is served first. */
export interface DocumentTurnsTable {
  account_id: string;
  turn: number;
}

/** 64 bits of a hash find a key among millions; how long the look-up takes tells nothing of the rest. */
export const SECRET_LOOKUP_DIGITS = 16;
