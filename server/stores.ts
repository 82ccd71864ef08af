/** The stores of the database, one for each part of the server. */
import { accountStore } from './accounts/store.ts';
import { apiKeyStore } from './accounts/api-keys-store.ts';
import { consoleCredentialStore } from './accounts/console/store.ts';
import { usageStore } from './accounts/usage/store.ts';
import { usageNoticeStore } from './accounts/usage/usage-notices-store.ts';
import { usageReportStore } from './accounts/usage/usage-reports-store.ts';
import { documentStore } from './documents/jobs/store.ts';
import { roomStore } from './events/store.ts';
import { glossaryStore } from './glossaries/store.ts';
import { translationMemoryStore } from './memories/store.ts';
import { spokenTermsStore } from './spoken-terms/store.ts';
import { installationStore, writeCheckStore } from './storage/installation.ts';
import type { StoreDefinition } from './storage/store.ts';
import { styleRuleStore } from './style-rules/store.ts';

export const stores = {
  accounts: accountStore,
  apiKeys: apiKeyStore,
  usage: usageStore,
  usageReports: usageReportStore,
  usageNotices: usageNoticeStore,
  glossaries: glossaryStore,
  spokenTerms: spokenTermsStore,
  documents: documentStore,
  translationMemories: translationMemoryStore,
  consoleCredentials: consoleCredentialStore,
  styleRules: styleRuleStore,
  writeChecks: writeCheckStore,
  installation: installationStore,
  rooms: roomStore,
};

/** All persistent stores. */
export type Stores = {
  [Name in keyof typeof stores]: (typeof stores)[Name] extends StoreDefinition<infer Store>
    ? Store
    : never;
};

/** An open database with its stores. */
export interface Storage extends Stores {
  /** Display name: `sqlite` or `postgresql`. */
  readonly name: string;
  /** Somebody waits for a call that is written together with others, such as a charge: it waits no longer. */
  hurry(): void;
  close(): Promise<void>;
}
