/**
 * The tables, the same in both databases: text, whole numbers that fit a JavaScript number, and bytes.
 * Times are ms since the epoch, lists are JSON; null limits are without limit.
 */
import type {
  DocumentFile,
  DocumentStatus,
  KeyKind,
  LimitedResource,
  Plan,
  UsageKind,
} from './ports.ts';

export interface Tables {
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  usage_months: UsageMonthsTable;
  usage_days: UsageDaysTable;
  usage_notices: UsageNoticesTable;
  glossaries: GlossariesTable;
  glossary_dictionaries: GlossaryDictionariesTable;
  spoken_terms: SpokenTermsTable;
  documents: DocumentsTable;
  translation_memories: TranslationMemoriesTable;
  memory_parts: MemoryPartsTable;
  memory_segments: MemorySegmentsTable;
  memory_buckets: MemoryBucketsTable;
  document_parts: DocumentPartsTable;
  document_turns: DocumentTurnsTable;
  console_passwords: ConsolePasswordsTable;
  console_sessions: ConsoleSessionsTable;
  console_links: ConsoleLinksTable;
  console_tries: ConsoleTriesTable;
  style_rule_lists: StyleRuleListsTable;
  style_instructions: StyleInstructionsTable;
  write_checks: WriteChecksTable;
}

export interface WriteChecksTable {
  check_id: number;
  checked_at_ms: number;
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
  /** JSON lists of strings. */
  origins: string;
  emails: string;
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

/** What is to be told of keys that come near their limits, once for each limit a key has in a month. */
export interface UsageNoticesTable {
  notice_id: string;
  account_id: string;
  key_id: string;
  /** `2026-11`, in UTC. */
  month: string;
  resource: LimitedResource;
  limit_amount: number;
  /** 80 or 100. */
  percent: number;
  /** What had been used by then: less than the limit when it refused a request. */
  used: number;
  reached_at_ms: number;
  /** A JSON list of the addresses that were told. */
  told: string;
  attempt: number;
  /** When it may be taken; by then, one that is being sent has lost its sender. */
  due_at_ms: number;
  claim_id: string | null;
  /** When everybody had been told. */
  closed_at_ms: number | null;
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

export interface TranslationMemoriesTable {
  memory_id: string;
  account_id: string;
  name: string;
  state: 'importing' | 'ready' | 'retired';
  source_lang: string;
  segment_count: number;
  created_at_ms: number;
  /** When something was last added. */
  changed_at_ms: number;
}

/** What a memory holds for a target language. */
export interface MemoryPartsTable {
  part_id: number;
  memory_id: string;
  /** 0, 1, 2… in a memory. */
  place: number;
  target_lang: string;
  segment_count: number;
  bucket_count: number;
}

export interface MemorySegmentsTable {
  part_id: number;
  number: number;
  source: string;
  target: string;
}

export interface MemoryBucketsTable {
  part_id: number;
  bucket: number;
  entries: Uint8Array;
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

export interface StyleRuleListsTable {
  style_id: string;
  account_id: string;
  name: string;
  language: string;
  created_at_ms: number;
  updated_at_ms: number;
  version: number;
  /** JSON: the option of each rule by category and rule. */
  configured_rules: string;
}

export interface StyleInstructionsTable {
  style_id: string;
  instruction_id: string;
  /** The order among the instructions of a list. */
  place: number;
  label: string;
  prompt: string;
  source_language: string | null;
}

export interface ConsolePasswordsTable {
  account_id: string;
  /** Encoded with its parameters and its salt. */
  password_hash: string;
}

export interface ConsoleSessionsTable {
  /** SHA-256 of the session's token in hex. */
  session_hash: string;
  account_id: string;
  created_at_ms: number;
  /** Over then unless it is used before. */
  idle_until_ms: number;
  expires_at_ms: number;
}

export interface ConsoleLinksTable {
  /** SHA-256 of the link's token in hex. */
  link_hash: string;
  account_id: string;
  created_at_ms: number;
  expires_at_ms: number;
}

/** How often something was tried in a window of time. */
export interface ConsoleTriesTable {
  subject: string;
  count: number;
  /** When the window ends. */
  until_ms: number;
}

/** 64 bits of a hash find a key among millions; how long the look-up takes tells nothing of the rest. */
export const SECRET_LOOKUP_DIGITS = 16;
